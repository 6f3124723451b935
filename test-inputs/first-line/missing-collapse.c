// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c missing-collapse.c
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
//
// Neighbouring threads have neighbouring rows. Where the arrays overlap, a person must not write the clause.
//
// CHECK: [1] {{.*}}, missing-collapse.c:
// CHECK-NEXT: done by the plugin: collapse(2) over i and j (9 sectors a warp instead of 68, with sizes of 1021)
// CHECK-NEXT: in the source: add collapse(2) to the directive, if first and a do not overlap

void normalise(int n, int m, const float *restrict first, float *restrict a) {
#pragma omp target teams distribute parallel for map(to : first[0 : n]) map(tofrom : a[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] /= first[i];
}
