// Collapsed loops that stay one, each with its reason.
// RUN: %compile-host++ -fexceptions %s | env IPDA_TRANSFORM=on %opt -passes=ipda,verify -pass-remarks-analysis=ipda -pass-remarks-missed=ipda -disable-output 2>&1 | %FileCheck %s
// RUN: %clang++ -O0 -g -fopenmp -c -emit-llvm -Xclang -disable-llvm-passes --offload-arch=sm_90 -nogpulib --offload-host-only -o - %s | env IPDA_TRANSFORM=on %opt -passes=ipda,verify -pass-remarks-missed=ipda -disable-output 2>&1 | %FileCheck %s --check-prefix=O0

// Whoever cancels leaves in the middle of a row.
void search(int n, int m, const float *a, int *found) {
#pragma omp target parallel for collapse(2) map(to : a[0 : n * m]) map(tofrom : found[0 : 1])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      if (a[j * n + i] == 0.0f) {
        *found = i;
#pragma omp cancel for
      }
}
// CHECK-DAG: left-as-one.cpp:[[# @LINE - 8]]:{{[0-9]+}}: the host's version of the collapsed loop stays one loop: a jump leads into its middle (cancel)

// The number of rows' elements is m - low, computed in 32 bits: where low is negative and m large, it is negative itself.
void mixed(int n, int m, short low, float *a) {
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : a[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (short j = low; j < m; ++j)
      a[j * n + i] += 1.0f;
}
// CHECK-DAG: left-as-one.cpp:[[# @LINE - 5]]:{{[0-9]+}}: the host's version of the collapsed loop stays one loop: the length of an inner loop is not known to be positive

// On CPUs alone the pragma's author decided about the CPU.
void cpu(int n, int m, float *a) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[j * n + i] += 1.0f;
}
// CHECK-NOT: left-as-one.cpp:[[# @LINE - 5]]

// Without optimisation the code stays as it is written.
void plain(int n, int m, float *a) {
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : a[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[j * n + i] += 1.0f;
}
// CHECK-DAG: left-as-one.cpp:[[# @LINE - 5]]:{{[0-9]+}}: the host's version of the collapsed loop is a nest of 2 loops again
// O0: left-as-one.cpp:[[# @LINE - 6]]:{{[0-9]+}}: the host's version of the collapsed loop stays one loop: the function is compiled without optimisation

// A body whose exceptions must not leave it: the program ends there, not the loop.
float may_throw(float x);
void throwing(int n, int m, float *a) {
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : a[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[j * n + i] = may_throw(a[j * n + i]);
}
// CHECK-DAG: left-as-one.cpp:[[# @LINE - 5]]:{{[0-9]+}}: the host's version of the collapsed loop is a nest of 2 loops again
