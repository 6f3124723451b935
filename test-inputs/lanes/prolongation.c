// The prolongation of a multigrid: which neighbour is taken depends on whether an index is even, and the rows of the coarse grid have sizes that the
// region only knows as numbers of either sign. What is touched is bounded where these are not negative.
// REQUIRES: libomp-device-bc
// RUN: %compile-device %s | %analyse | %FileCheck %s
// RUN: %ipda-oracle transform --optimised --schedules %s | %FileCheck %s --check-prefix=RUNS
// RUNS: 1 kernels, 1 transformed; of these new code ran in 1,
// RUNS: launches compared, 0 wrong

#define COARSE(a, b, c) coarse[((c) * (nyc + 2) + (b)) * (nxc + 2) + (a)]

// CHECK: region 'prolong'
// CHECK: transformation possible threads j k i sectors
// CHECK-NEXT: if 'nxc >= 0'
// CHECK-NEXT: if 'nyc >= 0'
// CHECK-NEXT: if 'coarse and fine do not overlap'
void prolong(int nxc, int nyc, int nzc, const double *coarse, double *fine) {
  int nx = 2 * nxc, ny = 2 * nyc, nz = 2 * nzc;
#pragma omp target teams distribute parallel for map(to : coarse[0 : (nxc + 2) * (nyc + 2) * (nzc + 2)])                    \
    map(tofrom : fine[0 : (nx + 2) * (ny + 2) * (nz + 2)])
  for (int i = 1; i <= nx; i++)
    for (int j = 1; j <= ny; j++)
      for (int k = 1; k <= nz; k++) {
        int ic = (i + 1) / 2, jc = (j + 1) / 2, kc = (k + 1) / 2;
        int id = (i & 1) ? ic - 1 : ic + 1, jd = (j & 1) ? jc - 1 : jc + 1, kd = (k & 1) ? kc - 1 : kc + 1;
        fine[(k * (ny + 2) + j) * (nx + 2) + i] +=
            0.421875 * COARSE(ic, jc, kc) + 0.140625 * (COARSE(id, jc, kc) + COARSE(ic, jd, kc) + COARSE(ic, jc, kd)) +
            0.046875 * (COARSE(id, jd, kc) + COARSE(id, jc, kd) + COARSE(ic, jd, kd)) + 0.015625 * COARSE(id, jd, kd);
      }
}
