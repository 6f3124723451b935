// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform --schedules %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %ipda-oracle transform --schedules --optimised %s | %FileCheck %s --check-prefix=JUDGE
//
// The inside of a field with a halo, by counters without sign: `n - 1` is the largest number of all where n is 0, so that how often the shared loop runs is
// known only modulo 2 to the counter's width. Where it is at least 1 and all iterations fit in that width, which the kernel tests, it is that number.
//
// JUDGE: 4 kernels, 4 transformed; of these new code ran in 4, code of the original in 4, both in 4,
// JUDGE: {{[1-9][0-9]*}} launches compared, 0 wrong
//
// ARGS: nx: 37
// ARGS: ny: 19
// ARGS: nz: 5

#include <stddef.h>

void relax(size_t nx, size_t ny, double weight, const double *restrict from, double *restrict to) {
#pragma omp target teams distribute parallel for map(to : from[0 : nx * ny]) map(tofrom : to[0 : nx * ny])
  for (size_t x = 1; x < nx - 1; ++x)
    for (size_t y = 1; y < ny - 1; ++y)
      to[x * ny + y] = weight * (from[(x - 1) * ny + y] + from[x * ny + y - 1] + from[x * ny + y + 1] + from[(x + 1) * ny + y]);
}

// CHECK: region 'relax'
// CHECK: transformation possible threads x y sectors
// CHECK: if 'nx >= 3'
// CHECK: if 'u64(ny - 1) >= 2'
// CHECK: if '{{.*}} < 2^62'

void copy_inside(unsigned nx, unsigned ny, const float *restrict from, float *restrict to) {
#pragma omp target teams distribute parallel for map(to : from[0 : nx * ny]) map(tofrom : to[0 : nx * ny])
  for (unsigned x = 1; x < nx - 1; x++)
    for (unsigned y = 1; y < ny - 1; y++)
      to[x * ny + y] = from[x * ny + y];
}

// CHECK: region 'copy_inside'
// CHECK: transformation possible threads x y sectors
// CHECK: if 'nx >= 3'
// CHECK: if '{{.*}} < 2^31 - 2^20'

// Upwind differences, whose first two rows are left out, with a type of another name.
void upwind(unsigned long nx, unsigned long ny, double c, const double *restrict from, double *restrict to) {
  unsigned long x, y;
#pragma omp target teams distribute parallel for private(y) map(to : from[0 : nx * ny]) map(tofrom : to[0 : nx * ny])
  for (x = 2; x < nx - 1; ++x)
    for (y = 0; y < ny; ++y)
      to[x * ny + y] = from[x * ny + y] - c * (3 * from[x * ny + y] - 4 * from[(x - 1) * ny + y] + from[(x - 2) * ny + y]);
}

// CHECK: region 'upwind'
// CHECK: transformation possible threads x y sectors

// Three loops, the last of which goes along neither array's rows.
void transposed(size_t nx, size_t ny, size_t nz, const float *restrict from, float *restrict to) {
#pragma omp target teams distribute parallel for map(to : from[0 : nx * ny * nz]) map(tofrom : to[0 : nx * ny * nz])
  for (size_t x = 1; x < nx - 1; ++x)
    for (size_t y = 1; y < ny - 1; ++y)
      for (size_t z = 1; z < nz - 1; ++z)
        to[(x * ny + y) * nz + z] = from[(z * ny + y) * nx + x];
}

// CHECK: region 'transposed'
// CHECK: transformation possible threads x y z lanes 4x1x8
