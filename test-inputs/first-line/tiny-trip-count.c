// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c tiny-trip-count.c
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
//
// Eight iterations for thousands of threads, with more of them further inside.
//
// CHECK: [1] {{.*}}, tiny-trip-count.c:
// CHECK-NEXT: done by the plugin: collapse(2) over i and j (8 sectors a warp instead of 16)
// CHECK-NEXT: in the source: add collapse(2) to the directive, if in and out do not overlap

void rotate(const float *restrict in, float *restrict out) {
#pragma omp target teams distribute parallel for map(to : in[0 : 4096]) map(from : out[0 : 4096])
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 512; ++j)
      out[i * 512 + j] = in[i * 512 + j];
}
