// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c place-of-each-iteration.c
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
//
// Bins go along the inner loop, so that they are no variable of a reduction, though all threads update the same one at a time.
//
// CHECK: [1] {{.*}}, place-of-each-iteration.c:
// CHECK-NOT: write a reduction clause
// CHECK: line:col
// CHECK: [2] {{.*}}, place-of-each-iteration.c:
// CHECK: write a reduction clause for sum in place of the atomic update

#define BINS 16

void fold(int n, const int *restrict key, int *restrict bin) {
#pragma omp target teams distribute parallel for map(to : key[0 : n]) map(tofrom : bin[0 : BINS])
  for (int i = 0; i < n; ++i)
    for (int b = 0; b < BINS; ++b) {
      if (key[i] % BINS == b)
        continue;
#pragma omp atomic
      bin[b] += key[i];
    }
}

int total(int n, const int *restrict key) {
  int sum = 0;
#pragma omp target teams distribute parallel for map(to : key[0 : n]) map(tofrom : sum)
  for (int i = 0; i < n; ++i)
#pragma omp atomic
    sum += key[i];
  return sum;
}
