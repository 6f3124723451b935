// The loop of threads in other constructs: of one team, in teams that one thread leads, by the loop construct, and one that was
// collapsed already.
// RUN: %device | %FileCheck %s
// RUN: %compile-device %s | %opt -passes='ipda,verify' -S | %FileCheck %s --check-prefix=IR

void one_team(int n, int m, float *restrict A, const float *restrict x) {
#pragma omp target parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] = x[i] + j;
}

void led_by_one(int b, int n, int m, float *restrict A, const float *restrict x) {
#pragma omp target teams distribute
  for (int k = 0; k < b; ++k) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j)
        A[(k * n + i) * m + j] = x[i] + j;
  }
}

void by_loop(int n, int m, float *restrict A, const float *restrict x) {
#pragma omp target teams loop
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] = x[i] + j;
}

void collapsed_once(int b, int n, int m, float *restrict A, const float *restrict x) {
#pragma omp target teams distribute parallel for collapse(2)
  for (int k = 0; k < b; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j)
        A[(k * n + i) * m + j] = x[i] + j;
}

// CHECK: region 'one_team'
// CHECK: transformation possible threads i j
// CHECK: region 'led_by_one'
// CHECK: transformation possible threads i j
// CHECK: region 'by_loop'
// CHECK: transformation possible threads i j
// CHECK: region 'collapsed_once'
// CHECK: transformation possible threads k, i j

// The function by which waiting threads start their work is copied too, for it hands over what the copy takes.
// IR: define internal void @{{.*}}led_by_one{{.*}}_wrapper.ipda(
// IR: call void @__kmpc_get_shared_variables(
