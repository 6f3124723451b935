// Row i has i + 1 columns: each gets as many threads as the longest, and those behind its end do nothing.
// RUN: %device | %FileCheck %s
// RUN: %compile-device %s | %opt -passes='ipda,verify' -S | %FileCheck %s --check-prefix=IR

void lower(int n, const float *row, float *A) {
#pragma omp target teams distribute parallel for map(to : row[0 : n]) map(tofrom : A[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      A[i * n + j] += row[j];
}

// CHECK: loop1 in loop0 sequential j {{.*}}trips i + 1
// CHECK: transformation possible threads i j

// IR: define internal void @{{.*}}lower{{.*}}.ipda({{.*}}, i64 %{{[0-9]+}}, i64 %{{[0-9]+}})
// IR: call i32 @llvm.nvvm.mulhi.ui(
// IR: icmp sgt i64
