// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// Two loops in tiles of four by eight, which the bounds are no multiples of.
// ARGS: n: 10
// ARGS: m: 19

void add(int n, int m, const float *x, float *y) {
#ifdef CHANGED
#pragma omp target teams distribute parallel for collapse(2) map(to : x[0 : n * m]) map(tofrom : y[0 : n * m])
  for (int ti = 0; ti < n; ti += 4)
    for (int tj = 0; tj < m; tj += 8)
      for (int i = ti; i < ti + 4 && i < n; ++i)
        for (int j = tj; j < tj + 8 && j < m; ++j)
          y[i * m + j] += x[i * m + j];
#else
#pragma omp target teams distribute parallel for collapse(2) map(to : x[0 : n * m]) map(tofrom : y[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      y[i * m + j] += x[i * m + j];
#endif
}

// CHECK: kernel {{.+}}: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race that the original lacks
// CHECK-NOT: {{.}}
