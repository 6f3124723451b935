// REQUIRES: cuda
// Which version of a region's loops a prediction is of. In the kernel of `fused` a guard chooses between the loops as written and the fused ones, so that
// they have one time, that of version 1; `single` has nothing to fuse. The log names a version that is not as written.
// RUN: env IPDA_GPU=h200 %clang -O2 -g %nvptx %load %s -o %t -Wl,-rpath,%llvm-lib
// RUN: %ipda show --steps %t | %FileCheck %s --check-prefix=TABLE
// RUN: env CUDA_VISIBLE_DEVICES= IPDA_LOG=calls %t 2>&1 | %FileCheck %s
// The same values again: the version is remembered with the times.
// RUN: env CUDA_VISIBLE_DEVICES= IPDA_LOG=calls IPDA_OFFLOAD=never %t 2>&1 | %FileCheck %s
// Somebody asks for the second one: it has that number wherever versions are named, and its words in the log. That of digits is predicted as well.
// RUN: env IPDA_GPU=h200 IPDA_VERSION=fused=2 %clang -O2 -g %nvptx %load %s -o %t.second -Wl,-rpath,%llvm-lib
// RUN: %ipda show --steps %t.second | %FileCheck %s --check-prefix=SECOND
// RUN: env CUDA_VISIBLE_DEVICES= IPDA_LOG=calls %t.second 2>&1 | %FileCheck %s --check-prefix=LOG
// RUN: env IPDA_GPU=h200 IPDA_MAPPING='fused=i/8 j | i%%8' %clang -O2 -g %nvptx %load %s -o %t.mapped -Wl,-rpath,%llvm-lib
// RUN: %ipda show %t.mapped | %FileCheck %s --check-prefix=MAPPED
// SECOND: region fused at
// SECOND: on the device, version 0: as written
// SECOND-NEXT: on the device, version 2: [[WORDS:.*]], where
// SECOND: prediction: host, version 2; {{[0-9]+}} steps for the machines
// SECOND: version 2 seconds = t
// LOG: fused at {{.*}} (n = 600, m = 600): {{.*}} s there with loops
// MAPPED: on the device, version 1: threads by i/8 j | i%8, where
// MAPPED: prediction: host, version 1;
#include <stdio.h>

enum { N = 600 };

// TABLE: region fused at
// TABLE: on the device, version 0: as written
// TABLE-NEXT: on the device, version 1: loops i, j fused, where
// TABLE: prediction: host, version 1; {{[0-9]+}} steps for the machines
// TABLE: host seconds = t
// TABLE-NEXT: transfers seconds = t
// TABLE-NEXT: weighed seconds = t
// TABLE-NEXT: square of the logarithm of the host's spread = t
// TABLE-NEXT: square of the logarithm of the device's spread = t
// TABLE-NEXT: version 1 seconds = t
// TABLE-NOT: seconds
static void fused(int n, int m, float *a, const float *x) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * m]) map(to : x[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] += x[i * m + j];
}

// TABLE: region single at
// TABLE: on the device, version 0: as written
// TABLE-NEXT: machines:
// TABLE: prediction: host, version 0; {{[0-9]+}} steps for the machines
// TABLE: host seconds = t
// TABLE-NEXT: transfers seconds = t
// TABLE-NEXT: weighed seconds = t
// TABLE-NEXT: square of the logarithm of the host's spread = t
// TABLE-NEXT: square of the logarithm of the device's spread = t
// TABLE-NEXT: version 0 seconds = t
static void single(int n, float *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] += 1;
}

// CHECK: fused at {{.*}} (n = 600, m = 600): {{.*}}; predicted {{[^ ]*}} s on the host, [[DEVICE:[^ ]*]] s there with loops i, j fused, within factors of {{[0-9.]+}} and {{[0-9.]+}}{{$}}
// CHECK: fused at {{.*}} (n = 600, m = 600): {{.*}}; predicted {{[^ ]*}} s on the host, [[DEVICE]] s there with loops i, j fused, within factors of {{[0-9.]+}} and {{[0-9.]+}}{{$}}
// CHECK: single at {{.*}} (n = 600): {{.*}}; predicted {{[^ ]*}} s on the host, {{[^ ]*}} s there, within factors of {{[0-9.]+}} and {{[0-9.]+}}{{$}}
// CHECK: 7 1
int main(void) {
  static float a[N * N], x[N * N];
  for (int i = 0; i < N * N; ++i)
    x[i] = 3;
  fused(N, N, a, x);
  fused(N, N, a, x);
  single(N, a);
  printf("%g %g\n", a[0], a[N] - 5);
}
