// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %compile-device-nog %s | %opt -passes='ipda,verify' -S | %FileCheck %s --check-prefix=IR
// RUN: %ipda-oracle transform %s
//
// What it takes to find the loops' numbers in the thread's. Three loops: nothing is divided in an iteration, but multiplied by reciprocals, which
// are computed once, where the guard holds. The quotient or one less comes from the high half of a product, and the rest tells which. An instruction
// takes that half: ptxas multiplies in another order what comes out of a product in twice the bits, which made covariance's columns wrong on a GPU.

void three_loops(int n, int m, int l, float *A) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < l; ++k)
        A[(i * m + j) * l + k] *= 2;
}

// CHECK: region 'three_loops'
// CHECK: transformation possible threads i j k

// One division before a loop that the thread runs by itself: a reciprocal would take registers all that time.
void loop_inside(int n, int m, int l, const float *restrict B, const float *restrict C, float *restrict A) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float sum = 0;
      for (int k = 0; k < l; ++k)
        sum += B[i * l + k] * C[k * m + j];
      A[i * m + j] = sum;
    }
}

// CHECK: region 'loop_inside'
// CHECK: transformation possible threads i j

// A constant size is divided by as any constant.
void constant_size(int n, float (*A)[48]) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 48; ++j)
      A[i][j] *= 2;
}

// CHECK: region 'constant_size'
// CHECK: transformation possible threads i j

// Numbers of 64 bits, of which mostly 32 are used, as the compiler's own division finds out. More than one division is too much.
void long_numbers(long n, long m, float *A) {
#pragma omp target teams distribute parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j)
      A[i * m + j] *= 2;
}

// CHECK: region 'long_numbers'
// CHECK: transformation possible threads i j

void three_long_loops(long n, long m, long l, float *restrict A) {
#pragma omp target teams distribute parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j)
      for (long k = 0; k < l; ++k)
        A[(i * m + j) * l + k] *= 2;
}

// CHECK: region 'three_long_loops'
// CHECK: transformation possible threads i j k

// IR: define weak_odr {{.*}}three_loops_l
// IR: udiv i32 -1,
// IR: udiv i32 -1,

// IR: define internal void @{{.*}}three_loops_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// IR-NOT: udiv
// IR: call i32 @llvm.nvvm.mulhi.ui(
// IR-NOT: udiv
// IR: call i32 @llvm.nvvm.mulhi.ui(
// IR-NOT: udiv

// IR: define internal void @{{.*}}loop_inside_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// IR: udiv i32
// IR-NOT: mulhi
// IR: ret void

// IR: define internal void @{{.*}}constant_size_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// IR: udiv i32 %{{[0-9]+}}, 48

// IR: define internal void @{{.*}}long_numbers_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// IR: udiv i64

// IR: define internal void @{{.*}}three_long_loops_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// IR-NOT: udiv
// IR: call i64 @llvm.nvvm.mulhi.ull(
// IR: call i64 @llvm.nvvm.mulhi.ull(
// IR-NOT: udiv
