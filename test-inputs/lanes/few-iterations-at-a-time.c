// REQUIRES: libomp-device-bc
// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c few-iterations-at-a-time.c
// RUN: %ipda report %t.yaml --width 200 -D n=1280000 -D rows=1000 | %FileCheck %s
// RUN: %ipda report %t.yaml --width 200 -D n=-5 -D nx=0 -D ny=0 | %FileCheck %s --check-prefix=NONE
// RUN: %ipda-oracle inputs %s | %FileCheck %s --check-prefix=JUDGE
//
// Where teams take fewer iterations at a time than a warp has lanes, more warps with fewer lanes touch the arrays: whole sectors, though not all of their bytes.
// The two arrays of `scale_by_fives` fill 640,000 sectors, and of each 40 bytes 2 sectors are touched. Where a loop has no iterations, nothing is.
//
// CHECK-LABEL: ] spread_by_fives,
// CHECK: load x 8 i 32 uncoalesced 5 2 1
// CHECK: traffic 768,000 excessive sectors (43 % of 1,792,000) in a launch
//
// CHECK-LABEL: ] scale_by_fives,
// CHECK: load x 8 i 8 coalesced 2 2 1
// CHECK: traffic no excessive sectors (of 1,024,000) in a launch
// CHECK: threads loop i: a team has 5 iterations at a time: no more of its threads work
//
// CHECK-LABEL: ] scale_by_eights,
// CHECK: load x 8 i 8 coalesced 2..3 2 1
// CHECK: traffic no excessive sectors (of 640,000) in a launch
// CHECK: threads loop i: a team has 8 iterations at a time: no more of its threads work
//
// CHECK-LABEL: ] scale_points,
// CHECK: load x 8 k 8 coalesced 2 2 1
// CHECK: traffic no excessive sectors (of 4,000) in a launch
//
// CHECK-LABEL: ] add_below_diagonal,
// NONE-LABEL: ] add_below_diagonal,
// NONE: traffic no sectors in a launch
// NONE-NOT: depends on
// NONE: accesses
// NONE-LABEL: ] relax,
// NONE: traffic no sectors in a launch
//
// JUDGE: 6 kernels
// JUDGE: agreement: 100.0000 % of {{[1-9][0-9]*}} compared; 0 wrong

#define SCALE(y, x, i) (y)[i] = 2.0 * (x)[i]

void scale_by_fives(int n, const double *restrict x, double *restrict y) {
#pragma omp target teams distribute parallel for dist_schedule(static, 5) map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; i++) SCALE(y, x, i);
}
void scale_by_eights(int n, const double *restrict x, double *restrict y) {
  int i;
#pragma omp target teams distribute parallel for num_threads(8) map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (i = 0; i < n; i++) SCALE(y, x, i);
}
void spread_by_fives(int n, const double *restrict x, double *restrict y) {
#pragma omp target teams distribute parallel for dist_schedule(static, 5) map(to : x[0 : 4 * n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; i++) y[i] = x[4 * i];
}
void scale_points(int rows, int pitch, const double *restrict x, double *restrict y) {
#pragma omp target teams distribute map(to : x[0 : rows * pitch]) map(tofrom : y[0 : rows * pitch])
  for (int r = 0; r < rows; r++) {
#pragma omp parallel for
    for (int k = 0; k < 5; k++) SCALE(y, x, r * pitch + k);
  }
}
void add_below_diagonal(int n, const double *restrict x, double *restrict y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n * n]) map(tofrom : y[0 : n * n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) y[i * n + j] += x[j * n + i];
}
void relax(int nx, int ny, const double *restrict x, double *restrict y) {
  int i, j;
#pragma omp target teams distribute parallel for collapse(2) map(to : x[0 : nx * ny]) map(tofrom : y[0 : nx * ny])
  for (i = 1; i < ny - 1; i++)
    for (j = 1; j < nx - 1; j++) y[i * nx + j] = 0.5 * (x[i * nx + j - 1] + x[i * nx + j + 1]);
}
