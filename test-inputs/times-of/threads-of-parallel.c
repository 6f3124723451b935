// A parallel region inside of `teams distribute` asks for 32 and for 512 threads. clang 19 launches teams of 128 all the same: in the first 32 of them
// take iterations, in the second 128. With 4096 iterations of the inner loop a thread does 128 of them one after another, or 32.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=1024 --details | %FileCheck %s

// CHECK: few
// CHECK: device {{.*}} teams of 128 threads
// CHECK: OMP_Rep 128
void few(float *a, int n) {
#pragma omp target teams distribute map(tofrom : a[0 : n * 4096])
  for (int i = 0; i < n; ++i)
#pragma omp parallel for num_threads(32)
    for (int j = 0; j < 4096; ++j)
      a[i * 4096 + j] += 1;
}

// CHECK: many
// CHECK: device {{.*}} teams of 128 threads
// CHECK: OMP_Rep 32
void many(float *a, int n) {
#pragma omp target teams distribute map(tofrom : a[0 : n * 4096])
  for (int i = 0; i < n; ++i)
#pragma omp parallel for num_threads(512)
    for (int j = 0; j < 4096; ++j)
      a[i * 4096 + j] += 1;
}
