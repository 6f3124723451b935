// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c loops-of-a-macro.c
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
//
// A macro puts three loops on one line. Collapsed, neighbours are neighbouring elements but where a row of 21 ends, so that nothing is to be done; their
// 14 * 17 * 21 iterations are 157 warps, not one warp of the 14 iterations that the directive's loop has: 157 * (9 + 9) sectors, 8 of 9 of which hold
// what is used.
//
// CHECK: [1] {{.*}}, loops-of-a-macro.c:
// CHECK-NEXT: done by the plugin: collapse(3)
// CHECK-NOT: let neighbouring threads
// CHECK: load    u {{.*}} 8 {{.*}} 9      8  1
// CHECK: store   u {{.*}} 8 {{.*}} 9      8  1
// CHECK: traffic    314 excessive sectors (11 % of 2,826) in a launch

#define NX 14
#define NY 17
#define NZ 21
#define AT(i, j, k) (((i) * (NY + 2) + (j)) * (NZ + 2) + (k))
#define INSIDE for (int i = 1; i <= NX; ++i) for (int j = 1; j <= NY; ++j) for (int k = 1; k <= NZ; ++k)

void damp(double *u) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : (NX + 2) * (NY + 2) * (NZ + 2)])
  INSIDE u[AT(i, j, k)] *= 0.5;
}
