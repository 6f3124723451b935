// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c count-of-a-loop.c
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
//
// How far the inner loop comes is what is asked for: no condition in place of its end lets threads share it.
//
// CHECK: [1] {{.*}}, count-of-a-loop.c:
// CHECK-NOT: replace break
// CHECK-NOT: collapse(2)
// CHECK: line:col

void lengths(int n, int m, const char *restrict text, int *restrict length) {
#pragma omp target teams distribute parallel for map(to : text[0 : n * m]) map(from : length[0 : n])
  for (int i = 0; i < n; ++i) {
    int k = 0;
    while (k < m && text[i * m + k] != ' ')
      ++k;
    length[i] = k;
  }
}
