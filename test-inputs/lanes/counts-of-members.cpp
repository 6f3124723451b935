// How often collapsed loops run may be members of a structure that nothing in the region writes: what is read of it later is what was read before.
// REQUIRES: libomp-device-bc
// RUN: %compile-device %s | %analyse | %FileCheck %s
// RUN: %ipda-oracle transform --optimised --schedules %s | %FileCheck %s --check-prefix=RUNS
// RUNS: of these new code ran in 3,
// RUNS: launches compared, 0 wrong

struct Extent {
  int nx, ny;
};

// Captured by value: each thread reads the members again where its part of the loop begins.
// CHECK: region {{.*}}turned
// CHECK: transformation possible threads i j sectors 65 to 17
void turned(Extent e, double *a) {
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : a[0 : e.nx * e.ny])
  for (int j = 0; j < e.ny; ++j)
    for (int i = 0; i < e.nx; ++i)
      a[i * e.ny + j] += 1;
}

// CHECK: region {{.*}}mapped
// CHECK: transformation possible threads i j sectors 65 to 17
void mapped(const Extent *e, double *a) {
#pragma omp target teams distribute parallel for collapse(2) map(to : e[0 : 1]) map(tofrom : a[0 : e->nx * e->ny])
  for (int j = 0; j < e->ny; ++j)
    for (int i = 0; i < e->nx; ++i)
      a[i * e->ny + j] += 1;
}

// In words a value that a pointer leads to is what the source has.
// CHECK: region {{.*}}counted
// CHECK: transformation possible threads i j sectors 65 to 17
// CHECK-NEXT: if 'nx[0] >= 1'
void counted(int nx, int ny, double *a) {
#pragma omp target teams distribute parallel for collapse(2) map(to : nx, ny) map(tofrom : a[0 : nx * ny])
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i)
      a[i * ny + j] += 1;
}

// Where the loop writes numbers of the counts' type, one of them may be the count.
// CHECK: region {{.*}}written
// CHECK: transformation left
// CHECK-NEXT: from memory in each iteration, which the loop may change
void written(const Extent *e, int *a) {
#pragma omp target teams distribute parallel for collapse(2) map(to : e[0 : 1]) map(tofrom : a[0 : e->nx * e->ny])
  for (int j = 0; j < e->ny; ++j)
    for (int i = 0; i < e->nx; ++i)
      a[i * e->ny + j] += 1;
}

// What is read at another place in each iteration may have been written in an earlier one, though no iteration writes where it reads.
// CHECK: region {{.*}}moving
// CHECK: address [x] + 8*load4([places] + 4*[n])
// CHECK: address [x] + 8*load4@1([places] + 4*i)
void moving(int n, int m, int *places, const double *x, double *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : places[0 : n + 1], y[0 : n])
  for (int t = 0; t < n; ++t)
    if (t == m) {
      y[0] = x[places[n]];
      for (int i = 0; i < n; ++i) {
        y[i] += x[places[i]];
        places[i + 1] = i;
      }
    }
}
