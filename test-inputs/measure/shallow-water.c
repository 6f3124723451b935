// A step of the shallow-water equations on a staggered grid, as 563.pswim makes: fluxes, vorticity and height from velocities u, v and pressure p, then
// new velocities and pressure. A row per thread; by hand, an element per thread.
//
// ARGS: n: 20
#include "measure.h"

static int n;
static float *u, *v, *p, *u0, *v0, *p0, *cu, *cv, *z, *h;

static void make(int size) {
  n = size;
  NUMBER_OF(u, n * n), NUMBER_OF(v, n * n), NUMBER_OF(p, n * n), NUMBER_OF(u0, n * n), NUMBER_OF(v0, n * n), NUMBER_OF(p0, n * n);
  NUMBER_OF(cu, n * n), NUMBER_OF(cv, n * n), NUMBER_OF(z, n * n), NUMBER_OF(h, n * n);
  FILL(u0, n * n, 1);
  FILL(v0, n * n, 2);
  FILL(p0, n * n, 3);
}

static void reset(void) {
  memcpy(u, u0, sizeof(float) * n * n);
  memcpy(v, v0, sizeof(float) * n * n);
  memcpy(p, p0, sizeof(float) * n * n);
}

static void reset_device(void) {
#pragma omp target update to(u[0 : n * n], v[0 : n * n], p[0 : n * n])
}

static void fluxes(int n, float *u, float *v, float *p, float *cu, float *cv, float *z, float *h) {
#pragma omp target teams distribute parallel for COLLAPSE(2) map(to : u[0 : n * n], v[0 : n * n], p[0 : n * n])                \
    map(from : cu[0 : n * n], cv[0 : n * n], z[0 : n * n], h[0 : n * n])
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j) {
      cu[i * n + j] = (p[i * n + j] + p[(i - 1) * n + j]) * u[i * n + j];
      cv[i * n + j] = (p[i * n + j] + p[i * n + j - 1]) * v[i * n + j];
      z[i * n + j] = 4 * (v[i * n + j] - v[(i - 1) * n + j]) - 3 * (u[i * n + j] - u[i * n + j - 1]);
      h[i * n + j] = p[i * n + j] + u[(i + 1) * n + j] * u[(i + 1) * n + j] + u[i * n + j] * u[i * n + j] +
                     v[i * n + j + 1] * v[i * n + j + 1] + v[i * n + j] * v[i * n + j];
    }
}

static void update(int n, float *u, float *v, float *p, float *cu, float *cv, float *z, float *h) {
#pragma omp target teams distribute parallel for COLLAPSE(2) map(tofrom : u[0 : n * n], v[0 : n * n], p[0 : n * n])            \
    map(to : cu[0 : n * n], cv[0 : n * n], z[0 : n * n], h[0 : n * n])
  for (int i = 2; i < n - 2; ++i)
    for (int j = 2; j < n - 2; ++j) {
      u[i * n + j] += (z[i * n + j + 1] + z[i * n + j]) * (cv[i * n + j + 1] + cv[(i - 1) * n + j]) - h[i * n + j] + h[(i - 1) * n + j];
      v[i * n + j] -= (z[(i + 1) * n + j] + z[i * n + j]) * (cu[(i + 1) * n + j] + cu[i * n + j - 1]) + h[i * n + j] - h[i * n + j - 1];
      p[i * n + j] -= cu[(i + 1) * n + j] - cu[i * n + j] + cv[i * n + j + 1] - cv[i * n + j];
    }
}

static void with_data(void (*work)(void)) {
#pragma omp target data map(tofrom : u[0 : n * n], v[0 : n * n], p[0 : n * n])                                                 \
    map(alloc : cu[0 : n * n], cv[0 : n * n], z[0 : n * n], h[0 : n * n])
  work();
}

static void kernels(void) {
  fluxes(n, u, v, p, cu, cv, z, h);
  update(n, u, v, p, cu, cv, z, h);
}

// The four intermediate fields at one point, from the first values.
static int mass_u(int i, int j) { return (p0[i * n + j] + p0[(i - 1) * n + j]) * u0[i * n + j]; }
static int mass_v(int i, int j) { return (p0[i * n + j] + p0[i * n + j - 1]) * v0[i * n + j]; }
static int spin(int i, int j) { return 4 * (v0[i * n + j] - v0[(i - 1) * n + j]) - 3 * (u0[i * n + j] - u0[i * n + j - 1]); }
static int square(float x) { return x * x; }
static int head(int i, int j) {
  return p0[i * n + j] + square(u0[(i + 1) * n + j]) + square(u0[i * n + j]) + square(v0[i * n + j + 1]) + square(v0[i * n + j]);
}

static void check(void) {
  CHECKED_ROWS(i, 0, n, row_step(n, 30.0 * n))
    for (int j = 0; j < n; ++j) {
      int here = i * n + j;
      double us = u0[here], vs = v0[here], ps = p0[here];
      if (i >= 2 && i < n - 2 && j >= 2 && j < n - 2) {
        us += (spin(i, j + 1) + spin(i, j)) * (mass_v(i, j + 1) + mass_v(i - 1, j)) - head(i, j) + head(i - 1, j);
        vs -= (spin(i + 1, j) + spin(i, j)) * (mass_u(i + 1, j) + mass_u(i, j - 1)) + head(i, j) - head(i, j - 1);
        ps -= mass_u(i + 1, j) - mass_u(i, j) + mass_v(i, j + 1) - mass_v(i, j);
      }
      expect("u", here, u[here], us);
      expect("v", here, v[here], vs);
      expect("p", here, p[here], ps);
    }
}

static void results(void) {
  RESULTS(u, n * n);
  RESULTS(v, n * n);
  RESULTS(p, n * n);
}
