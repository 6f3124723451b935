// RUN: %compile-device-nog %s | %opt -passes='ipda,verify' -S | %FileCheck %s
// RUN: %compile-device-nog -DFEW %s | %opt -passes='ipda,verify' -S | %FileCheck %s --check-prefix=FEW
// RUN: %compile-device-nog %s | %opt -passes='default<O2>' -S | %FileCheck %s --check-prefix=LAST
//
// Loops as they were written run where the guard does not hold, and need registers all the time: those that are left when the compiler has done
// its work are not unrolled. The loop of three is not left.

struct Cell {
  float value, others[15];
};

#ifdef FEW
void rows(int n, int m, const struct Cell *B, struct Cell *A) {
#else
void rows(int n, int m, const float *B, float *A) {
#endif
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
#ifdef FEW
      // With threads enough the loops are best as they are.
      A[i * m + j].value = B[i * m + j].value;
#else
      float sum = 0;
      for (int k = 0; k < 3; ++k)
        sum += B[(i * m + j) * 3 + k];
      A[i * m + j] = sum;
#endif
    }
}

// CHECK: define internal void @{{.*}}rows{{.*}}_omp_outlined{{.*}}.ipda(
// CHECK: !{!"ipda.fallback"}
// CHECK: !{!"llvm.loop.unroll.runtime.disable"}

// FEW: define internal void @{{.*}}rows{{.*}}_omp_outlined{{.*}}.ipda(
// FEW-NOT: ipda.fallback

// LAST: !{!"ipda.fallback"}
// LAST: !{!"llvm.loop.unroll.disable"}
