// What stands between the loops is done once for a row: by the thread of its first column. What only this thread needs again is read
// again.
// RUN: %device | %FileCheck %s
// RUN: %compile-device %s | %opt -passes='ipda,verify' -S | %FileCheck %s --check-prefix=IR

void rows(int n, int m, const float *x, float *first, float *A, float *last) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : first[0 : n], A[0 : n * m], last[0 : n])
  for (int i = 0; i < n; ++i) {
    first[i] = 2 * x[i];
    for (int j = 0; j < m; ++j)
      A[i * m + j] = x[i] + j;
    last[i] = 3 * x[i];
  }
}

// The twin: the inner loop reads what was written for the row, so it must wait for that.
void rows_read(int n, int m, float *first, float *A) {
#pragma omp target teams distribute parallel for map(tofrom : first[0 : n]) map(from : A[0 : n * m])
  for (int i = 0; i < n; ++i) {
    first[i] += 1;
    for (int j = 0; j < m; ++j)
      A[i * m + j] = first[i] + j;
  }
}

// CHECK: region 'rows'
// CHECK: transformation possible threads i j
// CHECK: region 'rows_read'
// CHECK: transformation left threads i j
// CHECK-NEXT: because '{{.*}}dependence of first{{.*}}' at

// IR: define internal void @{{.*}}rows{{.*}}.ipda({{.*}}, i64 %{{[0-9]+}})
// IR: icmp eq i32 {{.*}}, 0
// IR-NEXT: br i1
// IR: store float
// IR: icmp eq i32 {{.*}}, 0
// IR: ret void
