// REQUIRES: libomp-device-bc
// RUN: rm -rf %t && mkdir %t && sed '/^\/\/ /d' %s > %t/a.c
// RUN: cd %t && env IPDA_REPORT=a.yaml %clang-device -g -Xclang -debug-info-kind=constructor a.c -o a.s
// RUN: cd %t && %ipda explain a.c:13 --report a.yaml | tr -s ' \n' ' ' | %FileCheck %s
// RUN: cd %t && %ipda explain a.c:24 --report a.yaml | tr -s ' \n' ' ' | %FileCheck %s --check-prefix=EACH
// RUN: cd %t && %ipda explain a.c:32 --report a.yaml | tr -s ' \n' ' ' | %FileCheck %s --check-prefix=SET
// RUN: cd %t && env IPDA_REPORT=b.yaml %clang -O2 -g %nvptx %load -c a.c -o a.o
// RUN: cd %t && %ipda explain a.c:13 --report b.yaml | tr -s ' \n' ' ' | %FileCheck %s
//
// The coefficient c[p] of a product is the sum of all a[i]*b[j] with i + j = p. Neither loop's iterations are independent (the next i adds to the same
// c), but those with different sums never meet. Inside of a sum, i goes up as in the program, so each c is added up in its order. The loop that sets c
// stands by itself before: no nest with it would be perfect.
//
// CHECK: skewed with p = i + j, the iterations of p are independent, where {{a and c|c and a}} do not overlap and
// CHECK-SAME: for p from 0 to n + m - 2, for i from max(0, p - m + 1) to min(n - 1, p), with j = p - i
// EACH: skewed with p = i + j, the iterations of p are independent, where
// EACH-SAME: for p from 0 to 2*n - 2, for i from max(0, p - n + 1) to min(n - 1, p), with j = p - i
//
// Where c is set at the head of the nest, it is set again behind sums that earlier iterations began: nothing is said, as the nest is not perfect.
//
// SET: runs
// SET-NOT: skewed

void product(int n, int m, const float *a, const float *b, float *c) {
#pragma omp target map(to : a[0 : n], b[0 : m]) map(from : c[0 : n + m - 1])
  {
    int at;
    for (at = 0; at < n + m - 1; at++)
      c[at] = 0;

    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        c[i + j] += a[i] * b[j];
  }
}

void squares(int count, int n, const double *all, double *out) {
#pragma omp target teams distribute parallel for map(to : all[0 : count * n]) map(tofrom : out[0 : count * (2 * n)])
  for (int k = 0; k < count; k++) {
    const double *a = all + k * n;
    double *c = out + k * (2 * n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        c[i + j] += a[i] * a[j];
  }
}

void set_inside(int n, const float *a, const float *b, float *c) {
#pragma omp target map(to : a[0 : n], b[0 : n]) map(from : c[0 : 2 * n - 1])
  for (int i = 0; i < n; i++) {
    c[i] = 0;
    for (int j = 0; j < n; j++)
      c[i + j] += a[i] * b[j];
  }
}
