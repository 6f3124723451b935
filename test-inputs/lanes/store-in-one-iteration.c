// A store that only one iteration of a fused loop makes, at a place that does not move with it, does not stand in the way of tiles of lanes.
// RUN: %clang -O2 -g %nvptx %load -Rpass=ipda -c %s -o %t.o 2>&1 | %FileCheck %s
// CHECK: collapsed and tiled the loops over i and k, a warp on a tile of 4 x 8 iterations
void transpose(const float *restrict in, float *restrict out, float *restrict first, int n, int m) {
#pragma omp target teams distribute parallel for map(to : in[0 : n * m]) map(from : out[0 : n * m], first[0 : n])
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < m; ++k) {
      out[i * m + k] = in[k * n + i];
      if (k == 0)
        first[i] = 1;
    }
}
