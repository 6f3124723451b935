// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// Functions that call themselves, directly or by way of another, are followed once and no further.

static int half_steps(int n) { return n < 2 ? 0 : 1 + half_steps(n / 2); }

static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }

void steps(int n, int *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = half_steps(i);
}

void parity(int n, int *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = even(i);
}

void count_up(int n, int *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = i;
}

// CHECK: region 'steps'
// CHECK: store x 4 bytes
// CHECK: reject Recursion 'half_steps calls itself: accesses inside of it are not in the report' at {{.*}}recursion.c:[[#@LINE-26]]:55
// CHECK-NOT: reject {{[A-Z]}}
// CHECK: region 'parity'
// CHECK: store x 4 bytes
// CHECK: reject Recursion '{{even|odd}} calls itself: accesses inside of it are not in the report' at {{.*}}recursion.c:[[#@LINE-26]]:45
// CHECK-NOT: reject {{[A-Z]}}
// CHECK: region 'count_up'
// CHECK: store x 4 bytes
// CHECK-NOT: reject {{[A-Z]}}
