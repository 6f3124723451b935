// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -w %nvptx -c %load %s -o %t.o && grep -c 'name: OtherCode' %t.yaml | %FileCheck %s
// RUN: env IPDA_REPORT=%t.yaml %clang -Ofast -w %nvptx -c %load %s -o %t.o && grep -c 'name: OtherCode' %t.yaml | %FileCheck %s
// CHECK: {{^}}45{{$}}
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

// Operands far from where they are used, the order of reads and writes, and in which loop something is done.
#define ROOTS(of) sqrt(sqrt(sqrt(sqrt(sqrt(of)))))
REGION(far_operands, double p = ROOTS(a); double q = ROOTS(b); y[i] = p - q;, double p = ROOTS(a); double q = ROOTS(b); y[i] = q - p;)
REGION(old_and_new, double p = y[0]; y[i] = e; double q = y[0]; y[i + n] = p - q;, double p = y[0]; y[i] = e; double q = y[0]; y[i + n] = q - p;)
REGION(read_in_loop, double r = y[0]; for (int k = 0; k < 9; ++k) y[k] = r + k;, for (int k = 0; k < 9; ++k) y[k] = y[0] + k;)
REGION(own_array, double t[2]; t[0] = a; t[1] = b; int j = (int)e & 1; int k = (int)a & 1; double r = t[j]; t[k] = 5; y[i] = r + t[j & k];,
       double t[2]; t[0] = a; t[1] = b; int j = (int)e & 1; int k = (int)a & 1; t[k] = 5; double r = t[j]; y[i] = r + t[j & k];)
REGION(at_least_once, int k = (int)a; do { y[i] *= 2; k++; } while (k < e);, int k = (int)a; y[i] *= 2; do { k++; } while (k < e);)
REGION(number_in_switch, switch (i) { case 0: y[i] = a; break; case 1: y[i] = e; },
       switch (i) { case 1: y[i] = a; break; case 0: y[i] = e; })
REGION(two_exits,
       if (a <= e) goto set; for (int k = 0; k < 9; ++k) { if (x[k] > 7) { y[i] = 1; goto set; } if (x[k] < e) { y[i] = 2; goto end; } } goto set; set: y[i] = 3; end:;,
       if (a <= e) goto set; for (int k = 0; k < 9; ++k) { if (x[k] > 7) { y[i] = 1; goto end; } if (x[k] < e) { y[i] = 2; goto set; } } goto set; set: y[i] = 3; end:;)
REGION(narrow, union { char c; short s; long l; } t[4] = {0}; for (int q = 0; q < 4; ++q) t[q].l = a * q; t[i & 3].c = n; y[i] = t[(i >> 2) & 3].l;,
       union { char c; short s; long l; } t[4] = {0}; for (int q = 0; q < 4; ++q) t[q].l = a * q; t[i & 3].s = n; y[i] = t[(i >> 2) & 3].l;)
typedef double d4 __attribute__((ext_vector_type(4)));
REGION(vectors, d4 *v = (d4 *)y; v[i].xy = v[i].zw;, d4 *v = (d4 *)y; v[i].xy = v[i].wz;)

#pragma omp declare target
extern const double others[2][4], else_where[4];
#pragma omp end declare target
REGION(of_others, y[i] = others[0][i & 3];, y[i] = else_where[i & 3];)

// What the program says of loops that threads share, and what is done in which of them.
#define MAPPED map(to : x[0 : n]) map(tofrom : y[0 : n])
void iterations(int n, const double *restrict x, double *restrict y) {
#pragma omp target teams distribute parallel for MAPPED
  for (int i = 0; i < ONE_OF(100, 101); ++i)
    y[i] = x[i];
}
void two_numbers(int n, const double *restrict x, double *restrict y) {
#pragma omp target teams distribute MAPPED
  for (int i = 0; i < n; ++i) {
#pragma omp parallel for
    for (int j = 0; j < n; ++j)
      y[ONE_OF(i, j)] = x[ONE_OF(j, i)];
  }
}
void which_loop(int n, const double *restrict x, double *restrict y) {
#pragma omp target MAPPED
  {
#pragma omp parallel for
    for (int i = 0; i < 100; ++i) {
      y[i] += 1;
      ONE_OF(y[i + 100] *= 3;, )
    }
#pragma omp parallel for
    for (int i = 0; i < 50; ++i) {
      ONE_OF(, y[i + 100] *= 3;)
      y[i + 200] += 1;
    }
  }
}
void in_parallel(int n, const double *restrict x, double *restrict y) {
#pragma omp target MAPPED
  {
#pragma omp parallel
    {
#pragma omp for
      for (int i = 0; i < n; ++i)
        y[i] += x[i];
      ONE_OF(y[0] = 1;, )
    }
    ONE_OF(, y[0] = 1;)
  }
}
long with_sum(int n, const long *x) {
  long all = 0;
#ifdef __NVPTX__
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : all) reduction(+ : all)
#else
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : all) reduction(| : all)
#endif
  for (int i = 0; i < n; ++i)
    all += x[i];
  return all;
}
void with_sums(int n, const double *restrict x, double *restrict y) {
#pragma omp target MAPPED
  {
    double s = 0, t = 0;
#ifdef __NVPTX__
#pragma omp parallel for reduction(+ : s, t)
#else
#pragma omp parallel for reduction(+ : t, s)
#endif
    for (int i = 0; i < n; ++i) {
      double a = x[i], b = y[i];
      ONE_OF(s, t) += a;
      ONE_OF(t, s) += b;
    }
    y[0] = s;
    y[1] = t;
  }
}
int omp_get_thread_num(void);
void first_thread(int n, const double *restrict x, double *restrict y) {
#pragma omp target teams distribute parallel for MAPPED
  for (int i = 0; i < n; ++i) {
    ONE_OF(if (omp_get_thread_num() == 0), )
    y[i] = x[i];
  }
}
void read_twice(int n, const double *restrict x, double *restrict y) {
#pragma omp target teams distribute parallel for MAPPED
  for (int i = 0; i < n; ++i) {
    double a, b;
#pragma omp atomic read
    a = x[0];
#pragma omp atomic read
    b = x[0];
    y[i] = ONE_OF(a - b, b - a);
  }
}
