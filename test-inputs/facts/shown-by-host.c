// Where the host's code shows that arrays are different ones, by restrict or by where they are allocated, no guard tests it: the loops that stay as
// they are have no second copy.
// REQUIRES: libomp-device-bc
// RUN: %compile-host %s > %t.host.bc
// RUN: %compile-device %s | env IPDA_HOST_CODE=%t.host.bc %analyse | %FileCheck %s
// RUN: %ptx-with-runtime-75 %s | %FileCheck %s --check-prefix=PTX
// RUN: %ptx-with-runtime-90 %s | %FileCheck %s --check-prefix=PTX
// RUN: %ipda-oracle transform --optimised %s
//
// ARGS: n: 13
// ARGS: m: 21

// CHECK-LABEL: region 'rows'
// CHECK: transformation possible registers y
// CHECK-NEXT: because '{{A and y|y and A}} are different arrays, as restrict says in the host's code'
// CHECK-NEXT: because '{{x and y|y and x}} are different arrays, as restrict says in the host's code'
// PTX-LABEL: .entry {{.*}}_rows_l
// PTX-NOT: .entry
// PTX: ld.global.nc.f64
// PTX: ld.global.nc.f64
// PTX-NOT: st.global
// PTX: fma.rn.f64
// PTX-NOT: ld.global.f64
// PTX: .entry
void rows(int n, int m, const double *restrict A, const double *restrict x, double *restrict y) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m], x[0 : m]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[i] += A[i * m + j] * x[j];
}

// Where x is read, memory says, and no guard could test it.
// CHECK-LABEL: region 'rows_of_list'
// CHECK: transformation possible registers first y
// CHECK-COUNT-4: because '{{.*}} are different arrays, as restrict says in the host's code'
void rows_of_list(int n, int m, const int *restrict first, const int *restrict column, const double *restrict value,
                  const double *restrict x, double *restrict y) {
#pragma omp target teams distribute parallel for map(to : first[0 : n + 1], column[0 : m], value[0 : m], x[0 : n])   \
    map(tofrom : y[0 : n])
  for (int i = 0; i < n; i++)
    for (int k = first[i]; k < first[i + 1]; k++)
      y[i] += value[k] * x[column[k]];
}

// It may run when the function has ended: the kernel tests.
// CHECK-LABEL: region 'later'
// CHECK: transformation possible registers y
// CHECK-NEXT: if '{{A and y|y and A}} do not overlap'
// CHECK-NOT: restrict
void later(int n, int m, const double *restrict A, double *restrict y) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m]) map(tofrom : y[0 : n]) nowait
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[i] += A[i * m + j];
}

// So it does where the variable was given another value.
// CHECK-LABEL: region 'moved'
// CHECK: transformation possible registers y
// CHECK-NEXT: if '{{A and y|y and A}} do not overlap'
// CHECK-NOT: restrict
void moved(int n, int m, double *A, double *restrict y) {
  if (m > 4)
    y = A + 40 * m;
#pragma omp target teams distribute parallel for map(to : A[0 : n * m]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[i] += A[i * m + j];
}
