// REQUIRES: libomp-device-bc
// RUN: %compile-device-nog %s | %opt -passes='ipda,verify' -S -o - | %FileCheck %s
// RUN: %ipda-oracle transform --schedules --optimised %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %not %ipda-oracle transform --schedules --optimised --mutant untested-overlap %s | %FileCheck %s --check-prefix=MUTANT
//
// Loops that are changed go through a thread's iterations in one loop, as others do, in both versions: the fused one and the one as written, of which
// the guard's choice runs one. Where inner loops have a constant length, threads do several of the fused iterations at once.
//
// JUDGE: {{[1-9][0-9]*}} launches compared, 0 wrong
// MUTANT: WRONG

// CHECK: define internal void @{{.*}}_rows_of_four_{{.*}}omp_outlined.ipda(
// CHECK-NOT: __kmpc_distribute_static_init
// CHECK: call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
// CHECK-NOT: __kmpc_distribute_static_init
// CHECK: define internal void @{{.*}}_rows_of_four_{{.*}}omp_outlined_omp_outlined.ipda(
// CHECK-NOT: __kmpc_for_static_init
// CHECK: call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
// CHECK-NOT: __kmpc_for_static_init
// CHECK: phi i32
// CHECK: phi i32
// CHECK: {{^[}]}}
void rows_of_four(int n, const float *from, float *to) {
#pragma omp target teams distribute parallel for map(to : from[0 : n * 32]) map(tofrom : to[0 : n * 32])
  for (int i = 0; i < n * 8; ++i)
    for (int j = 0; j < 4; ++j)
      to[i * 4 + j] = from[i * 4 + j] * 3;
}

// An iteration reads what another one of its row would write if the row were longer.
void ends_of_rows(int n, float *to) {
#pragma omp target teams distribute parallel for map(tofrom : to[0 : n * 32])
  for (int i = 0; i < n * 8; ++i)
    for (int j = 0; j < 3; ++j)
      to[i * 4 + j] = to[i * 4 + 3] * 2 + 1;
}

// Each reads what the next one writes: those of a row stay in one thread, in their order.
void next_in_row(int n, float *to) {
#pragma omp target teams distribute parallel for map(tofrom : to[0 : n * 32])
  for (int i = 0; i < n * 8; ++i)
    for (int j = 0; j < 3; ++j)
      to[i * 4 + j] = to[i * 4 + j + 1] * 2 + 1;
}

void last_of_rows(int n, const float *from, float *to, float *out) {
  float last = 2;
#pragma omp target teams distribute parallel for lastprivate(last) map(to : from[0 : n * 32]) map(tofrom : to[0 : n * 32])
  for (int i = 0; i < n * 8; ++i)
    for (int j = 0; j < 4; ++j) {
      last = from[i * 4 + j];
      to[i * 4 + j] = last * 3;
    }
  out[0] = last;
}

void backward(unsigned n, const double *from, double *to) {
#pragma omp target teams distribute parallel for map(to : from[0 : n * 66]) map(tofrom : to[0 : n * 66])
  for (unsigned i = n * 2; i > 0; --i)
    for (unsigned j = 0; j < 33; ++j)
      to[(i - 1) * 33 + j] += from[(i - 1) * 33 + j];
}
