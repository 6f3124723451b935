// What the program calls unlikely is counted as seldom as the compiler takes it to be, one of 2001 cases; of other conditions half of the cases. Where each
// of a warp's 32 lanes decides by what it loads, the warp runs what any of them does: 1 - (1 - 1/2001)^32 = 0.0159, and 1 - (1 - 1/2)^32, which is as good
// as always.
// RUN: %compile-device-nog %s | env IPDA_REPORT=%t.yaml %opt -passes='default<O2>,print<ipda-model>' -disable-output 2>&1 | %FileCheck %s

void seldom(int n, int m, const int *restrict flag, double *restrict y) {
#pragma omp target teams distribute parallel for map(to : flag[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) {
    if (__builtin_expect(flag[i] > 7, 0))
      for (int j = 0; j < m; ++j)
        y[i] = y[i] / (j + 1.5);
    y[i] += 1;
  }
}

// CHECK: region 'seldom'
// CHECK: of loop0 runs {{.*}}[arg2]{{.*}} chance 0.0159: {{.*}}divide64

void sometimes(int n, int m, const int *restrict flag, double *restrict y) {
#pragma omp target teams distribute parallel for map(to : flag[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) {
    if (flag[i] > 7)
      for (int j = 0; j < m; ++j)
        y[i] = y[i] / (j + 1.5);
    y[i] += 1;
  }
}

// CHECK: region 'sometimes'
// CHECK: of loop0 runs {{.*}}[arg2]{{.*}} chance 1: {{.*}}divide64
