// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %optimise-device %s | %analyse | %FileCheck %s
// RUN: %optimise-device-with-runtime %s | %analyse | %FileCheck %s
//
// A module as the front end makes it, behind clang's device pipeline, and with the device runtime merged in, where the parallel loop is the
// machine's: blocks of the team's width over the grid, of which each thread takes its own number. x[i] moves by 4 bytes, m[i * n + j] by
// 4 * n, and v[j] is one address, in all three; nothing is unknown. (The optimiser keeps x[i] in a register.) The inner loop is kept from being unrolled.

void rows(int n, const float *m, const float *v, float *x) {
#pragma omp target teams distribute parallel for map(to : m[0 : n * n], v[0 : n]) map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
#pragma clang loop unroll(disable)
    for (int j = 0; j < n; ++j)
      x[i] += m[i * n + j] * v[j];
}

// CHECK: region 'rows'
// CHECK-NOT: unknown '{{.*}}' class
// CHECK: load m 4 bytes
// CHECK: stride symbolic 4*[n] class symbolic
// CHECK: load v 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1
// CHECK: store x 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK-NOT: unknown '{{.*}}' class
// CHECK-NOT: branch {{.*}} unknown
