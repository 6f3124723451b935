// Steps of the heat equation on a volume, seven points, two buffers in turn, as 503.postencil does: a plane per thread; by hand, an element per
// thread.
//
// ARGS: nx: 20
// ARGS: ny: 20
// ARGS: nz: 20
#include "measure.h"

enum { STEPS = 4 };

static int n;
static float *even, *odd;

static void make(int size) {
  n = size;
  NUMBER_OF(even, n * n * n), NUMBER_OF(odd, n * n * n);
}

static void reset(void) {
  FILL(even, n * n * n, 1);
  memcpy(odd, even, sizeof(float) * n * n * n);
}

static void reset_device(void) {
#pragma omp target update to(even[0 : n * n * n], odd[0 : n * n * n])
}

static void step(int nx, int ny, int nz, float centre, float around, float *before, float *after) {
#pragma omp target teams distribute parallel for COLLAPSE(3) map(to : before[0 : nx * ny * nz]) map(tofrom : after[0 : nx * ny * nz])
  for (int z = 1; z < nz - 1; ++z)
    for (int y = 1; y < ny - 1; ++y)
      for (int x = 1; x < nx - 1; ++x)
        after[x + nx * (y + ny * z)] =
            around * (before[x + nx * (y + ny * (z - 1))] + before[x + nx * (y + ny * (z + 1))] + before[x + nx * (y - 1 + ny * z)] +
                      before[x + nx * (y + 1 + ny * z)] + before[x - 1 + nx * (y + ny * z)] + before[x + 1 + nx * (y + ny * z)]) +
            centre * before[x + nx * (y + ny * z)];
}

static void with_data(void (*work)(void)) {
#pragma omp target data map(tofrom : even[0 : n * n * n], odd[0 : n * n * n])
  work();
}

static void kernels(void) {
  for (int time = 0; time < STEPS; time += 2) {
    step(n, n, n, -3, 1, even, odd);
    step(n, n, n, -3, 1, odd, even);
  }
}

// All of it: a step needs the whole volume before.
static void check(void) {
  size_t plane = (size_t)n * n;
  float *before = allocate(sizeof(float) * plane * n), *after = allocate(sizeof(float) * plane * n);
  FILL(before, plane * n, 1);
  memcpy(after, before, sizeof(float) * plane * n);
  for (int time = 0; time < STEPS; ++time) {
    for (int z = 1; z < n - 1; ++z)
      for (int y = 1; y < n - 1; ++y)
        for (size_t here = z * plane + y * n + 1, end = here + n - 2; here < end; ++here)
          after[here] = before[here - 1] + before[here + 1] + before[here - n] + before[here + n] + before[here - plane] +
                        before[here + plane] - 3 * before[here];
    float *swap = before;
    before = after;
    after = swap;
  }
  for (size_t element = 0; element < plane * n; ++element)
    expect("even", element, even[element], before[element]);
  free(before);
  free(after);
}

static void results(void) { RESULTS(even, n * n * n); }
