// Loops that stay as they are: what an inner loop loads and stores at one place is kept in a register where a guard proves that nothing else it
// touches is there. Results keep their bits, whatever overlaps.
// REQUIRES: libomp-device-bc
// RUN: %compile-device %s | %opt -passes='print<ipda>' -disable-output 2>&1 | %FileCheck %s
// RUN: %compile-device-nog %s | %opt -passes='ipda,verify' -S | %FileCheck %s --check-prefix=IR
// RUN: %ptx-with-runtime-75 %s | %FileCheck %s --check-prefix=PTX
// RUN: %ptx-with-runtime-80 %s | %FileCheck %s --check-prefix=PTX
// RUN: %ptx-with-runtime-90 %s | %FileCheck %s --check-prefix=PTX
// RUN: %ipda-oracle transform --optimised %s
// RUN: %ipda-oracle transform --optimised --target amdgcn %s
//
// ARGS: n: 13
// ARGS: m: 21

// A sum per row, in memory.
// CHECK-LABEL: region 'rows'
// CHECK: transformation possible registers y sectors 49 to 33.02 of 1021 to 1021 threads per iteration of j
// CHECK-NEXT: if 'A and y do not overlap'
// CHECK-NEXT: if '{{x and y|y and x}} do not overlap'
// IR-LABEL: define internal void @{{.*}}_rows_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// IR-DAG: load double, ptr {{.*}}, !invariant.load !{{[0-9]+}}, !alias.scope [[A:![0-9]+]], !noalias [[Y:![0-9]+]]
// IR-DAG: load double, ptr {{.*}}, !invariant.load !{{[0-9]+}}, !alias.scope [[X:![0-9]+]], !noalias [[Y]]
// IR-DAG: store double {{.*}}, !alias.scope [[Y]], !noalias [[READ:![0-9]+]]
// PTX-LABEL: .entry {{.*}}_rows_l
// PTX: ld.global.nc.f64
// PTX: ld.global.nc.f64
// PTX-NOT: st.global
// PTX: fma.rn.f64
// PTX-NOT: st.global
// PTX: bra
void rows(int n, int m, const double *A, const double *x, double *y) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m], x[0 : m]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[i] += A[i * m + j] * x[j];
}

// What is only read stays, too, if nothing that is written is there. The pairs are those alone of which one is written.
// CHECK-LABEL: region 'scaled'
// CHECK: transformation possible registers x
// CHECK-NEXT: if '{{x and y|y and x}} do not overlap'
// CHECK-NOT: {{^ *if}}
void scaled(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m; j++)
      y[j * n + i] = y[(j - 1) * n + i] + x[i];
}

// Several inner loops, one after the other: no other order is looked at.
// CHECK-LABEL: region 'one_by_one'
// CHECK: transformation possible registers mean variance
// CHECK: transformation left
// CHECK-NEXT: because 'several loops follow one another'
void one_by_one(int n, int m, const float *data, float *mean, float *variance) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++) {
    mean[i] = 0;
    for (int j = 0; j < m; j++)
      mean[i] += data[j * n + i];
    mean[i] /= m;
    variance[i] = 0;
    for (int j = 0; j < m; j++)
      variance[i] += (data[j * n + i] - mean[i]) * (data[j * n + i] - mean[i]);
  }
}

// Loops that a clause collapsed change places whatever arrays hold: the guard compares arrays for the sum alone.
// CHECK-LABEL: region 'other_order'
// CHECK: transformation possible threads j i
// CHECK: if '{{out and in|in and out}} do not overlap'
// PTX-LABEL: .entry {{.*}}_other_order_l
// PTX: ld.global.nc.f32
// PTX-NOT: st.global
// PTX: add.rn.f32
void other_order(int n, int m, const float *in, float *out) {
#pragma omp target teams distribute parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < m; k++)
        out[j * n + i] += in[(k * m + j) * n + i];
}

// Several places of one array, known numbers of bytes apart.
// CHECK-LABEL: region 'members'
// CHECK: transformation possible registers of
// CHECK-NEXT: if '{{of and values|values and of}} do not overlap'
// PTX-LABEL: .entry {{.*}}_members_l
// PTX: ld.global.nc.f32
// PTX-NOT: st.global
// PTX: add.rn.f32
struct sums {
  float sum, squares;
};
void members(int n, int m, const float *values, struct sums *of) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      of[i].sum += values[j * n + i];
      of[i].squares += values[j * n + i] * values[j * n + i];
    }
}
