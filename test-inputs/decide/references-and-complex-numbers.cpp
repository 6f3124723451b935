// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang++ -std=c++17 -O2 %nvptx -c %load %s -o %t.o && %FileCheck %s <%t.yaml
// RUN: env IPDA_REPORT=%t.yaml %clang++ -std=c++17 -Ofast -w %nvptx -c %load %s -o %t.o && %FileCheck --check-prefixes=CHECK,FAST %s <%t.yaml
//
// What `std::max` and its like return is the address of one of their arguments. Functions may throw on the host, and code is inlined in other blocks there.
#include <algorithm>
#include <cmath>
#include <complex>

#define SHARED _Pragma("omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])")

void at_least(int n, const double *__restrict x, double *__restrict y, double e) {
  SHARED for (int i = 0; i < n; ++i) y[i] = std::max(x[i], e);
}

// CHECK: function: at_least{{$}}
// CHECK: on_host:
// CHECK-NEXT: may_run: true

void clamped(int n, const double *__restrict x, double *__restrict y, double low, double high) {
  SHARED for (int i = 0; i < n; ++i) y[i] = std::clamp(x[i], low, high) + std::sin(x[i]) + std::acos(std::clamp(x[i], -1.0, 1.0));
}

// CHECK: function: clamped{{$}}
// CHECK: on_host:
// CHECK-NEXT: may_run: true

void within(int n, const double *__restrict x, double *__restrict y) {
  SHARED for (int i = 1; i < n - 1; ++i) {
    double low = std::min(std::min(x[i - 1], x[i]), x[i + 1]);
    double high = std::max(std::max(x[i - 1], x[i]), x[i + 1]);
    y[i] = std::min(std::max(y[i], low), high);
  }
}

// CHECK: function: within{{$}}
// CHECK: on_host:
// CHECK-NEXT: may_run: true

// Not all of this is known without -Ofast, for numbers that are none.
void products(int n, const std::complex<double> *__restrict x, std::complex<double> *__restrict y) {
  SHARED for (int i = 0; i < n; ++i) y[i] = y[i] * x[i];
}

// CHECK: function: products{{$}}
// CHECK: on_host:
// FAST-NEXT: may_run: true

// Of what a function returns, the host takes the other part.
void turned(int n, const std::complex<double> *__restrict x, std::complex<double> *__restrict y) {
  SHARED for (int i = 0; i < n; ++i) {
    auto product = y[i] * x[i];
#ifdef __NVPTX__
    y[i] = product.real();
#else
    y[i] = product.imag();
#endif
  }
}

// CHECK: function: turned{{$}}
// CHECK: on_host:
// FAST-NEXT: may_run: false
// FAST: name: OtherCode
