// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -w %nvptx -c %load %s -o %t.o && grep -c 'name: OtherCode' %t.yaml | %FileCheck %s
// RUN: env IPDA_REPORT=%t.yaml %clang -Ofast -w %nvptx -c %load %s -o %t.o && grep -c 'name: OtherCode' %t.yaml | %FileCheck %s
// CHECK: {{^}}27{{$}}
//
// Each region has one text for the device and another for the host, which differ in what they decide. None may run on the host.
#include <math.h>
#ifdef __NVPTX__
#define ONE_OF(device, host) device
#else
#define ONE_OF(device, host) host
#endif
// A comma within an argument.
#define _ ,
#define REGION(name, device, host)                                                                    \
  void name(int n, const double *restrict x, double *restrict y, double e) {                         \
    _Pragma("omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])")     \
    for (int i = 0; i < n; ++i) {                                                                     \
      double a = x[i], b = y[i];                                                                      \
      ONE_OF(device, host)                                                                            \
    }                                                                                                 \
  }

REGION(equal, y[i] = a < e ? e : a;, y[i] = a <= e ? e : a;)
// Of a number that is none, neither holds.
REGION(no_number, y[i] = a < e ? e : a;, y[i] = a >= e ? a : e;)
REGION(greater, y[i] = fmax(a, e);, y[i] = a > e ? a : e;)
REGION(other_way, y[i] = fabs(a) < e ? e : a;, y[i] = fabs(a) < e ? a : e;)
REGION(order, y[i] = fabs(a) < e ? fabs(a) < 2 ? 1 : 2 : 3;, y[i] = fabs(a) < 2 ? fabs(a) < e ? 1 : 2 : 3;)
REGION(either, if (fabs(a) < e && fabs(b) < e) y[i] = 1;, if (fabs(a) < e || fabs(b) < e) y[i] = 1;)
REGION(not_inside, if (!(fabs(a) < e && (b > 3 || a > 4))) y[i] = 1;, if (!(fabs(a) < e && (!(b > 3) || a > 4))) y[i] = 1;)
REGION(not_second, y[i] = fabs(a) < e && fabs(b) < e ? 1 : a;, y[i] = fabs(a) < e && !(fabs(b) < e) ? 1 : a;)
REGION(stores, if (fabs(a) < e) y[i] = 1; else y[i] = 2;, if (fabs(a) < e) y[i] = 2; else y[i] = 1;)
REGION(cases, switch ((int)e) { case 1: y[i] = 1; break; case 2: y[i] = a; break; default: y[i] = 3; },
       switch ((int)e) { case 2: y[i] = 1; break; case 1: y[i] = a; break; default: y[i] = 3; })
REGION(values, switch ((int)e) { case 1: b = 1; break; case 2: b = fabs(a); break; default: b = 3; } y[i] = b;,
       switch ((int)e) { case 2: b = 1; break; case 1: b = fabs(a); break; default: b = 3; } y[i] = b;)
REGION(default_value, switch ((int)e) { case 1: b = 1; break; case 2: b = fabs(a); break; default: b = 3; } y[i] = b;,
       switch ((int)e) { case 1: b = 1; break; case 2: b = 3; break; default: b = fabs(a); } y[i] = b;)
REGION(leaves, for (int k = 0; k < 9; ++k) { if (fabs(x[k]) < e) break; b += x[k]; } y[i] = b;,
       for (int k = 0; k < 9; ++k) { if (fabs(x[k]) < e) continue; b += x[k]; } y[i] = b;)
REGION(leaves_where, for (int k = 0; k < 9; ++k) if (x[k] > e) { if (fabs(x[k]) > 2) break; b += 1; } y[i] = b;,
       for (int k = 0; k < 9; ++k) { if (fabs(x[k]) > 2) break; if (x[k] > e) b += 1; } y[i] = b;)
REGION(goes_on, for (int k = 0; k < 50 && fabs(b) > e; ++k) b /= 2; y[i] = b;,
       for (int k = 0; k < 50 || fabs(b) > e; ++k) b /= 2; y[i] = b;)
REGION(goes_on_while_not, for (int k = 0; k < 50 && fabs(b) > e; ++k) b /= 2; y[i] = b;,
       for (int k = 0; k < 50 && !(fabs(b) > e); ++k) b /= 2; y[i] = b;)
REGION(operands, y[i] = fmod(a, e);, y[i] = fmod(e, a);)
REGION(rest, y[i] = fmod(a, e);, y[i] = remainder(a, e);)
REGION(without_else, if (a < 0) y[i] = 0; else if (fabs(a) < e) y[i] = e; else y[i] = a;,
       if (a < 0) y[i] = 0; if (fabs(a) < e) y[i] = e; else y[i] = a;)
REGION(nested, if (a > 0) { a = fabs(a); if (a > e) a = e; } y[i] = a;, if (a > 0) { a = fabs(a); } if (a > e) a = e; y[i] = a;)
REGION(signs, y[i] = (a > 0) - (a < 0);, y[i] = (a > 0) - (a <= 0);)
REGION(opposite, y[i] = a > e;, y[i] = !(a > e);)
REGION(parts, _Complex double z = e; __imag__ z = a; y[i] = __real__ z;, _Complex double z = e; __imag__ z = a; y[i] = __imag__ z;)
REGION(before_store, y[i] = 1; y[0] = x[i];, y[0] = x[i]; y[i] = 1;)

#pragma omp declare target
static const struct { double a, b; } held[2] = ONE_OF({{1 _ 2} _ {3 _ 4}}, {{1 _ 2} _ {4 _ 3}});
static const struct { double a; ONE_OF(int, long) k; double b; } wide[2] = {{1, 2, 3}, {4, 5, 6}};
static const struct { double ONE_OF(a _ b, b _ a); } fields[2] = {{1, 2}, {3, 4}};
#pragma omp end declare target

REGION(held_values, y[i] = held[i & 1].a;, y[i] = held[i & 1].a;)
REGION(held_widths, y[i] = wide[i & 1].a;, y[i] = wide[i & 1].a;)
REGION(held_fields, y[i] = fields[i & 1].a;, y[i] = fields[i & 1].a;)
