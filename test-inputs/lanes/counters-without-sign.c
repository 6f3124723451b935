// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %ipda-oracle transform --optimised %s | %FileCheck %s --check-prefix=JUDGE
//
// Loops that a clause collapsed whose counters have no sign and 64 bits, as C++ has them: how often they run together is known only modulo 2^64, so that a
// digit of their number is one of theirs only where there are fewer. The kernel tests that.
//
// JUDGE: {{[1-9][0-9]*}} launches compared, 0 wrong
//
// ARGS: nx: 37
// ARGS: ny: 19
// ARGS: nz: 5

#include <stddef.h>
#define AT(f, x, y, z) f[((z) * ny + (y)) * nx + (x)]

void columns_first(size_t nx, size_t ny, size_t nz, const double *restrict a, double *restrict b) {
#pragma omp target teams distribute parallel for collapse(3) map(to : a[0 : nx * ny * nz]) map(from : b[0 : nx * ny * nz])
  for (size_t x = 0; x < nx; x++)
    for (size_t y = 0; y < ny; y++)
      for (size_t z = 0; z < nz; z++)
        AT(b, x, y, z) = 2 * AT(a, x, y, z);
}

// CHECK: region 'columns_first'
// CHECK: transformation possible threads
// CHECK: if 'nx*ny*nz < 2^62'

void transposed(size_t nx, size_t ny, const float *restrict a, float *restrict b) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : nx * ny]) map(from : b[0 : nx * ny])
  for (size_t x = 0; x < nx; x++)
    for (size_t y = 0; y < ny; y++)
      b[y * nx + x] = a[y * nx + x] + 1;
}

// CHECK: region 'transposed'
// CHECK: transformation possible threads
// CHECK: if 'nx*ny < 2^62'

// Behind a halo, counted by another type without sign.
void inside(unsigned long long nx, unsigned long long ny, const double *restrict a, double *restrict b) {
  unsigned long long x, y;
#pragma omp target teams distribute parallel for collapse(2) private(x, y) map(to : a[0 : nx * ny]) map(from : b[0 : nx * ny])
  for (x = 1; x < nx - 1; x++)
    for (y = 1; y < ny - 1; ++y)
      b[y * nx + x] = a[y * nx + x - 1] + a[(y - 1) * nx + x] + a[y * nx + x + 1] + a[(y + 1) * nx + x];
}

// CHECK: region 'inside'
