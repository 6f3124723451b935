// Atomic updates of one place are made one after the other, one in a cycle. Of floats, 2^20 of them take 2^20 / 1.98 GHz = 530 us on an H100, half of the
// iterations (a condition on what is not known) 265 us. Of integers, ptxas makes one of a warp's, by the number of its lanes or their sum (a VOTEU and a POPC or a
// REDUX stand in front of its RED): 2^20 / 32 / 1.98 GHz = 16.5 us, also where half of the lanes add something. 256 places take 2^20 / 256 cycles, no more than
// 2.1 us, which other parts hide; n places of their own are updated once and wait for nobody.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=1048576 | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=1048576 --as-at-launch | %FileCheck %s --check-prefix=LAUNCH

// CHECK: sum,
// CHECK: kernel 2{{[67][0-9.]+}} us x {{[0-9.]+}} atomic updates
// LAUNCH: sum,
// LAUNCH: kernel 2{{[67][0-9.]+}} us
void sum(const float *a, float *h, int n) {
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(tofrom : h[0 : 1])
  for (int i = 0; i < n; ++i)
    if (a[i] > 7) {
#pragma omp atomic
      h[0] += a[i];
    }
}

// CHECK: count,
// CHECK: kernel 1{{[67][0-9.]+}} us x {{[0-9.]+}} atomic updates
// LAUNCH: count,
// LAUNCH: kernel 1{{[67][0-9.]+}} us
void count(const int *a, int *h, int n) {
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(tofrom : h[0 : 1])
  for (int i = 0; i < n; ++i)
    if (a[i] > 7) {
#pragma omp atomic
      h[0]++;
    }
}

// CHECK: bins,
// CHECK: kernel {{[0-9.]+}} us
// CHECK-NOT: us atomic updates
void bins(const int *a, int *h, int n) {
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(tofrom : h[0 : 256])
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    h[a[i]]++;
  }
}

// CHECK: own,
// CHECK-NOT: us atomic updates
void own(const int *a, int *h, int n) {
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(tofrom : h[0 : n])
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    h[i] += a[i];
  }
}
