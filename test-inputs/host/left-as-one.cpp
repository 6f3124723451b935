// Collapsed loops that stay one, each with its reason.
// RUN: %compile-host++ -fexceptions %s | env IPDA_TRANSFORM=on %opt -passes=ipda,verify -pass-remarks-analysis=ipda -pass-remarks-missed=ipda -disable-output 2>&1 | %FileCheck %s --implicit-check-not=left-as-one.cpp:28
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

// On CPUs alone the pragma's author decided about the CPU: nothing is said.
void cpu(int n, int m, float *a) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[j * n + i] += 1.0f;
}

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

// Iterators of a class: what the loops' lengths are, functions of the program's say, in each iteration.
struct Iterator {
  int at;
  int operator-(Iterator other) const noexcept;
  Iterator &operator+=(int by) noexcept;
  Iterator &operator++() noexcept;
  bool operator<(Iterator other) const noexcept;
};
void iterators(int n, Iterator end, float *a) {
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    for (Iterator j = {0}; j < end; ++j)
      a[j.at * n + i] += 1.0f;
}
// CHECK-DAG: left-as-one.cpp:[[# @LINE - 5]]:{{[0-9]+}}: the host's version of the collapsed loop stays one loop: the lengths of its loops are computed anew in each iteration

// Pointers are numbers.
void pointers(int n, int m, float *a, const float *b) {
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : a[0 : n * m]) map(to : b[0 : n])
  for (const float *p = b; p < b + n; ++p)
    for (int j = 0; j < m; ++j)
      a[j * n + (p - b)] += *p;
}
// CHECK-DAG: left-as-one.cpp:[[# @LINE - 5]]:{{[0-9]+}}: the host's version of the collapsed loop is a nest of 2 loops again
