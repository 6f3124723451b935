// REQUIRES: libomp-device-bc
// RUN: %amdgcn++ | %FileCheck %s
// RUN: %compile-amdgcn++ %s | %opt -passes='ipda,verify' -S -o - | %FileCheck %s --check-prefix=CODE
// RUN: %compile-amdgcn++ %s | %opt -passes='default<O2>,verify' -o %t.bc
// RUN: %clang -x ir %t.bc --target=amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib -S -o - | %FileCheck %s --check-prefix=MACHINE
// RUN: %ipda-oracle transform --target amdgcn %s | %FileCheck %s --check-prefix=JUDGED
//
// On AMD's GPUs variables have an address space of their own, and clang casts their addresses to those of all memory. Loops are changed as for NVIDIA's; a
// warp has 64 threads.

#define REGION _Pragma("omp target teams distribute parallel for")

void gemm(int NI, int NJ, int NK, float ALPHA, float BETA, const float *A, const float *B, float *C) {
  REGION
  for (int i = 0; i < NI; ++i)
    for (int j = 0; j < NJ; ++j) {
      C[i * NJ + j] *= BETA;
      for (int k = 0; k < NK; ++k)
        C[i * NJ + j] += ALPHA * A[i * NK + k] * B[k * NJ + j];
    }
}

// CHECK: region 'gemm'
// CHECK: transformation possible threads i j
// CODE: define {{.*}}amdgpu_kernel void @__omp_offloading_{{.*}}_Z4gemm
// CODE: call i64 @__omp_offloading_{{.*}}_Z4gemm{{.*}}.guard
// MACHINE: {{^}}__omp_offloading_{{.*}}_Z4gemm{{.*}}:

// Each column needs the one before it.
void sums_of_rows(int n, int m, float *A) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 1; j < m; ++j)
      A[i * m + j] += A[i * m + j - 1];
}

// CHECK: region 'sums_of_rows'
// CHECK-NOT: transformation possible

// The addresses of variables are chosen from, behind their casts.
static inline const int &greater(const int &a, const int &b) { return a < b ? b : a; }

void clamped(int n, int m, const float *from, float *to) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      to[i * m + j] = from[i * m + greater(j - 1, 0)];
}

// CHECK: region 'clamped'
// CHECK: address [from] + 4*i*[m] + 4*max(j - 1, 0)
// CHECK: transformation possible threads i j

// What is chosen has been written twice: it is what it is then, and goes by the iteration before.
void written_twice(int n, int m, const float *from, float *to) {
  REGION
  for (int i = 0; i < n; ++i) {
    int last = 0, other = 1;
    for (int j = 0; j < m; ++j) {
      const int &chosen = from[i * m + j] > 2 ? last : other;
      to[i * m + j] = chosen;
      last = j;
    }
  }
}

// CHECK: region 'written_twice'
// CHECK-NOT: transformation possible

// Other threads may write what a parallel construct is given the address of; loops beside each other are changed all the same.
void steps(int rows, int cols, float *__restrict a, float *__restrict b) {
#pragma omp target parallel
  {
#pragma omp for
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        b[i * cols + j] = a[i * cols + j] * 0.5f;
#pragma omp for
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        a[i * cols + j] = b[i * cols + j] + 1;
  }
}

// CHECK: region 'steps'
// CHECK: transformation possible threads i j
// CHECK: transformation possible threads i j

// Threads do not wait for those that write what they read.
void steps_without_barrier(int rows, int cols, float *__restrict a, float *__restrict b) {
#pragma omp target parallel
  {
#pragma omp for schedule(static, 1) nowait
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        b[i * cols + j] = a[i * cols + j] * 0.5f;
#pragma omp for schedule(static, 1)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        a[i * cols + j] = b[i * cols + j] + 1;
  }
}

// CHECK: region 'steps_without_barrier'
// CHECK-NOT: transformation possible

// JUDGED: 6 kernels, 3 transformed; of these new code ran in 3,
// JUDGED: launches compared, 0 wrong
