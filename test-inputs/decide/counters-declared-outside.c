// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 %nvptx -c %load %s -o %t.o && %FileCheck %s <%t.yaml
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 %nvptx -g -c %load %s -o %t.o && %FileCheck %s <%t.yaml
//
// Counters and numbers declared before a region, as in C89, are captured by it: as numbers of 64 bits, of which those that nobody uses are
// stored or not, as the front end makes it, which is another way for debuggers. It is one region all the same, and may run on the host.

void sums(int n, int m, const float *restrict a, float *restrict b) {
  int j;
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : b[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (j = 0; j < m; ++j)
      sum += a[i * m + j];
    b[i] = sum;
  }
}

// CHECK: function: sums
// CHECK: on_host:
// CHECK-NEXT: may_run: true

void each_row(int n, int m, float scale, float *restrict a) {
  int i, j;
  float factor;
#pragma omp target map(tofrom : a[0 : n * m])
#pragma omp teams distribute parallel for private(j, factor)
  for (i = 0; i < n; ++i) {
    factor = scale * i;
    for (j = 0; j < m; ++j)
      a[i * m + j] *= factor;
  }
}

// CHECK: function: each_row
// CHECK: on_host:
// CHECK-NEXT: may_run: true

// A captured `double` is an integer of 64 bits, or itself for debuggers, also where ways meet.
void powers(int n, int m, double *restrict a) {
  double power;
#pragma omp target teams distribute parallel for num_teams(1) thread_limit(1) map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i) {
    power = a[i];
    if (m > 3)
      power *= 2;
    a[i] = power;
  }
}

// CHECK: function: powers
// CHECK: on_host:
// CHECK-NEXT: may_run: true

// What the host's compiler is given instead is another region, with and without `-g`.
void differs(int n, int m, const float *restrict a, float *restrict b) {
  int j;
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : b[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (j = 0; j < m; ++j)
#ifdef __NVPTX__
      sum += a[i * m + j];
#else
      sum += a[i * m + (short)j];
#endif
    b[i] = sum;
  }
}

// CHECK: function: differs
// CHECK: on_host:
// CHECK-NEXT: may_run: false
// CHECK: name: OtherCode

// The number that is captured is used in another width.
void narrowed(long n, long m, const float *restrict a, float *restrict b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : b[0 : n])
  for (long i = 0; i < n; ++i) {
#ifdef __NVPTX__
    volatile long columns = m;
#else
    volatile long columns = (int)m;
#endif
    b[i] = a[i * columns];
  }
}

// CHECK: function: narrowed
// CHECK: on_host:
// CHECK-NEXT: may_run: false
// CHECK: name: OtherCode
