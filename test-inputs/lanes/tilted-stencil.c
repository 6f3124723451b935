// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
//
// A wave in a medium that is tilted against the axes: derivatives along each axis and along each pair of them, at strides that are known when the region begins.
// What its loads touch are many bounds, most of which lie between others where no stride is below 0.

#define ALONG(s) (c1 * (p[x + s] + p[x - s]) + c2 * (p[x + 2 * s] + p[x - 2 * s]) + c3 * (p[x + 3 * s] + p[x - 3 * s]) + c4 * (p[x + 4 * s] + p[x - 4 * s]))
#define ACROSS(s, t) (c1 * (p[x + s + t] - p[x + s - t] - p[x - s + t] + p[x - s - t]) + c2 * (p[x + 2 * s + 2 * t] - p[x + 2 * s - 2 * t] - p[x - 2 * s + 2 * t] + p[x - 2 * s - 2 * t]))

void wave(int nx, int ny, int nz, int sx, int sy, int sz, float *restrict next, const float *restrict p, const float *restrict a, const float *restrict b,
          const float *restrict c, float c1, float c2, float c3, float c4) {
#pragma omp target teams distribute parallel for map(tofrom : next[0 : nx * ny * nz]) \
    map(to : p[0 : nx * ny * nz], a[0 : nx * ny * nz], b[0 : nx * ny * nz], c[0 : nx * ny * nz])
  for (int i = 4; i < nx - 4; i++)
    for (int j = 4; j < ny - 4; j++)
      for (int k = 4; k < nz - 4; k++) {
        const int x = k * sz + j * sy + i * sx;
        next[x] = 2 * p[x] + a[x] * ALONG(sx) + b[x] * ALONG(sy) + c[x] * ALONG(sz) + ACROSS(sx, sy) + ACROSS(sy, sz) + ACROSS(sx, sz);
      }
}

// CHECK: region 'wave'
// CHECK: transformation left threads i j k
// CHECK-NEXT: because 'two iterations write to the same place
// CHECK-NOT: steps
