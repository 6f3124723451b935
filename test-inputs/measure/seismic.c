// Sound waves on a staggered grid, as the velocity-stress schemes of 555.pseismic: velocities from differences of the pressure, then the pressure from
// differences of the velocities, eight loop nests a run. A plane per thread; by hand, an element per thread.
//
// ARGS: n: 20
// ARGS: distance: 1
#include "measure.h"

enum { STEPS = 2 };

static int n;
static float *p, *vx, *vy, *vz;

static void make(int size) {
  n = size;
  NUMBER_OF(p, n * n * n), NUMBER_OF(vx, n * n * n), NUMBER_OF(vy, n * n * n), NUMBER_OF(vz, n * n * n);
}

static void reset(void) {
  FILL(p, n * n * n, 1);
  FILL(vx, n * n * n, 2);
  FILL(vy, n * n * n, 3);
  FILL(vz, n * n * n, 4);
}

static void reset_device(void) {
#pragma omp target update to(p[0 : n * n * n], vx[0 : n * n * n], vy[0 : n * n * n], vz[0 : n * n * n])
}

static void velocity(int n, int distance, float *p, float *v) {
#pragma omp target teams distribute parallel for COLLAPSE(3) map(to : p[0 : n * n * n]) map(tofrom : v[0 : n * n * n])
  for (int z = 0; z < n - 1; ++z)
    for (int y = 0; y < n - 1; ++y)
      for (int x = 0; x < n - 1; ++x)
        v[(z * n + y) * n + x] -= p[(z * n + y) * n + x + distance] - p[(z * n + y) * n + x];
}

static void pressure(int n, float *p, float *vx, float *vy, float *vz) {
#pragma omp target teams distribute parallel for COLLAPSE(3)                                                                   \
    map(to : vx[0 : n * n * n], vy[0 : n * n * n], vz[0 : n * n * n]) map(tofrom : p[0 : n * n * n])
  for (int z = 1; z < n; ++z)
    for (int y = 1; y < n; ++y)
      for (int x = 1; x < n; ++x)
        p[(z * n + y) * n + x] -= vx[(z * n + y) * n + x] - vx[(z * n + y) * n + x - 1] + vy[(z * n + y) * n + x] -
                                  vy[(z * n + y - 1) * n + x] + vz[(z * n + y) * n + x] - vz[((z - 1) * n + y) * n + x];
}

static void with_data(void (*work)(void)) {
#pragma omp target data map(tofrom : p[0 : n * n * n], vx[0 : n * n * n], vy[0 : n * n * n], vz[0 : n * n * n])
  work();
}

static void kernels(void) {
  for (int time = 0; time < STEPS; ++time) {
    velocity(n, 1, p, vx);
    velocity(n, n, p, vy);
    velocity(n, n * n, p, vz);
    pressure(n, p, vx, vy, vz);
  }
}

// All of it: a step needs the whole volume before.
static void check(void) {
  size_t distance[3] = {1, n, (size_t)n * n}, elements = distance[2] * n;
  float *field[4];
  for (int f = 0; f < 4; ++f) {
    field[f] = allocate(sizeof(float) * elements);
    FILL(field[f], elements, f + 1);
  }
  for (int time = 0; time < STEPS; ++time) {
    for (int axis = 0; axis < 3; ++axis)
      for (int z = 0; z < n - 1; ++z)
        for (int y = 0; y < n - 1; ++y)
          for (size_t here = ((size_t)z * n + y) * n, end = here + n - 1; here < end; ++here)
            field[1 + axis][here] -= field[0][here + distance[axis]] - field[0][here];
    for (int z = 1; z < n; ++z)
      for (int y = 1; y < n; ++y)
        for (size_t here = ((size_t)z * n + y) * n + 1, end = here + n - 1; here < end; ++here)
          for (int axis = 0; axis < 3; ++axis)
            field[0][here] -= field[1 + axis][here] - field[1 + axis][here - distance[axis]];
  }
  const float *found[4] = {p, vx, vy, vz};
  for (int f = 0; f < 4; ++f) {
    for (size_t element = 0; element < elements; ++element)
      expect(f ? "velocity" : "p", element, found[f][element], field[f][element]);
    free(field[f]);
  }
}

static void results(void) {
  RESULTS(p, n * n * n);
  RESULTS(vx, n * n * n);
  RESULTS(vy, n * n * n);
  RESULTS(vz, n * n * n);
}
