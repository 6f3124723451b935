// A condition that no iteration changes: the compiler makes a version of the shared loop for each case. Nothing tells which of the two runs, so
// each counts for half of the iterations, and both together for no more than there are. Where the condition changes with the iterations,
// there is one loop for both cases. A further version, without the loop over k, is for m below 1: that it is left out costs the inner loop
// nothing, for how often that runs says the same.
// RUN: %compile-host-nog %s | env IPDA_REPORT=%t.yaml %opt -passes='default<O3>,print<ipda-model>' -disable-output 2>&1 | %FileCheck %s

void twice(int n, int m, int flag, const double *x, double *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) {
    double s = x[i];
    for (int k = 0; k < m; ++k) {
      if (flag)
        s = s / (k + 1.5) + 1.0;
      else
        s = s * s + k;
    }
    y[i] = s;
  }
}

// CHECK: region 'twice'
// CHECK: depth 2 of loop0 runs 1 chance 0.5:
// CHECK-NEXT: depth 3 of loop0 runs floor([arg2] / 4) chance 0.5:
// CHECK-NEXT: depth 3 of loop0 runs [arg2] - 4*floor([arg2] / 4) chance 0.5:
// CHECK-NEXT: depth 2 of loop0 runs 1 chance 0.5:
// CHECK-NEXT: depth 3 of loop0 runs floor([arg2] / 4) chance 0.5:
// CHECK-NEXT: depth 3 of loop0 runs [arg2] - 4*floor([arg2] / 4) chance 0.5:
// CHECK-NEXT: depth 2 of loop0 runs 1 chance 0:
// CHECK-NOT: chance 0.

void once(int n, int m, const double *x, double *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) {
    double s = x[i];
    for (int k = 0; k < m; ++k) {
      if (i < 7)
        s = s / (k + 1.5) + 1.0;
      else
        s = s * s + k;
    }
    y[i] = s;
  }
}

// CHECK: region 'once'
// CHECK: depth 2 of loop0 runs 1:
// CHECK-COUNT-2: depth 3 of loop0 runs floor([arg2] / 4) chance 0.5:
// CHECK: depth 2 of loop0 runs 1 chance 0:
// CHECK-NOT: chance 0.

void table(int n, int m, int p, const double *x, double *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      double s = x[i];
      for (int k = 0; k < p; ++k)
        s = s / (k + 1.5) + 1.0;
      y[i * m + j] = s;
    }
}

// CHECK: region 'table'
// CHECK: depth 2 of loop0 runs 1:
// CHECK: depth 4 of loop0 runs [arg1]*floor([arg3] / 4):
// CHECK: depth 2 of loop0 runs 1 chance 0:
// CHECK-NOT: chance 0.

// So much stands around the loop over j that only that one has a version for p below 1.
#define STEP(place) w[place] += x[i] / (w[place] + place);
#define FOUR(place) STEP(place) STEP(place + 1) STEP(place + 2) STEP(place + 3)

void nest(int n, int m, int p, const double *x, double *y, double *z) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n * m], z[0 : 16 * n])
  for (int i = 0; i < n; ++i) {
    double *w = z + 16 * i;
    FOUR(0)
    FOUR(4)
    FOUR(8)
    FOUR(12)
    for (int j = 0; j < m; ++j) {
      double s = x[i];
      for (int k = 0; k < p; ++k)
        s = s / (k + 1.5) + 1.0;
      y[i * m + j] = s;
    }
  }
}

// CHECK: region 'nest'
// CHECK: depth 2 of loop0 runs 1:
// CHECK-NEXT: depth 3 of loop0 runs [arg3]:
// CHECK-NEXT: depth 4 of loop0 runs [arg3]*floor([arg4] / 4):
// CHECK: depth 3 of loop0 runs floor([arg3] / 4) chance 0:
// CHECK-NOT: chance 0.
