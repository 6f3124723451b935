// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --check | %FileCheck %s
//
// Each thread asks for memory of its own, and gives it back.
// ARGS: n: 40

void *malloc(unsigned long);
void free(void *);

void reverse_rows(int n, int m, float *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * m])
  for (int i = 0; i < n; ++i) {
    float *row = (float *)malloc(m * sizeof(float));
    for (int j = 0; j < m; ++j)
      row[j] = a[i * m + j];
    for (int j = 0; j < m; ++j)
      a[i * m + j] = row[m - 1 - j];
    free(row);
  }
}

// CHECK: 17:16 load acc0 4 200 20 20 stride 4*[m] yes
// CHECK: 19:20 store acc3 4 200 20 20 stride 4*[m] yes
// CHECK: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race
