// clang 19's host code of `distribute parallel for schedule(static, 1)` leaves out iterations where a team has one thread: the launch stays
// where its code is right. Chunks of another size, or of threads that share a loop of their own, may run on the host.
// RUN: rm -rf %t && mkdir %t && cd %t && env IPDA_REPORT=%t/report.yaml %ipda cc --look -- %clang -O2 -fopenmp --offload-arch=sm_90 %s -Rpass-missed=ipda 2>&1 | %FileCheck %s
// RUN: %clang -O2 -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu %s -o %t/host.o -c -fpass-plugin=%plugin -Rpass-missed=ipda 2>&1 | %FileCheck %s
#define N 64
void in_turn(float *a) {
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: its launches stay on the device: of schedule(static, 1) with distribute, clang 19's code for the host leaves out iterations where a team has one thread; leave out the clause [ChunksOfOne]
#pragma omp target teams distribute parallel for schedule(static, 1) map(tofrom : a[0 : N])
  for (int i = 0; i < N; ++i) a[i] += 1;
}
// CHECK-NOT: ChunksOfOne
void in_blocks(float *a) {
#pragma omp target teams distribute parallel for schedule(static, 2) map(tofrom : a[0 : N])
  for (int i = 0; i < N; ++i) a[i] += 1;
}
void as_it_likes(float *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N])
  for (int i = 0; i < N; ++i) a[i] += 1;
}
void by_threads(float *a) {
#pragma omp target parallel for schedule(static, 1) map(tofrom : a[0 : N])
  for (int i = 0; i < N; ++i) a[i] += 1;
}
void by_threads_of_each_row(float *a) {
#pragma omp target teams distribute map(tofrom : a[0 : N * N])
  for (int row = 0; row < N; ++row) {
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < N; ++i) a[row * N + i] += 1;
  }
}
// CHECK: :[[@LINE+2]]:{{[0-9]+}}: its launches stay on the device: of schedule(simd: static, ..), clang 19's code for the host runs other iterations than the loop's; leave out simd: [ChunksOfOne]
void in_vectors(float *a) {
#pragma omp target parallel for simd schedule(simd : static, 3) map(tofrom : a[0 : N])
  for (int i = 0; i < N; ++i) a[i] += 1;
}
