// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// Functions that call themselves, directly or by way of another, are followed once and no further. What they do then is not known.

static int half_steps(int n, int *seen) { *seen = n; return n < 2 ? 0 : 1 + half_steps(n / 2, seen); }

static int odd(int n, int *seen);
static int even(int n, int *seen) { *seen = n; return n == 0 ? 1 : odd(n - 1, seen); }
static int odd(int n, int *seen) { return n == 0 ? 0 : even(n - 1, seen); }

void steps(int n, int *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i) {
    int seen;
    x[i] = half_steps(i, &seen);
  }
}

void parity(int n, int *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i) {
    int seen;
    x[i] = even(i, &seen);
  }
}

void count_up(int n, int *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = i;
}

// CHECK: region 'steps'
// CHECK: store x 4 bytes
// CHECK: reject Recursion 'half_steps calls itself: accesses inside of it are not in the report' at {{.*}}recursion.c:{{[0-9]+}}:{{[0-9]+}}
// CHECK-NOT: reject {{[A-Z]}}
// CHECK: region 'parity'
// CHECK: store x 4 bytes
// CHECK: reject Recursion '{{even|odd}} calls itself: accesses inside of it are not in the report' at {{.*}}recursion.c:{{[0-9]+}}:{{[0-9]+}}
// CHECK-NOT: reject {{[A-Z]}}
// CHECK: region 'count_up'
// CHECK: store x 4 bytes
// CHECK-NOT: reject {{[A-Z]}}
