// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// The rows of a packed triangle get longer. Made a rectangle, rows run into each other, and the last beyond the array's end.
// ARGS: n: 12
// ARGS: a: { type: f32, count: 78 }

void fill_triangle(int n, float *a) {
#ifdef CHANGED
#pragma omp target teams distribute parallel for collapse(2) map(from : a[0 : n * (n + 1) / 2])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
#else
#pragma omp target teams distribute parallel for map(from : a[0 : n * (n + 1) / 2])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
#endif
      a[i * (i + 1) / 2 + j] = (float)(100 * i + j);
}

// CHECK: race: {{.*}}illegal-triangle-as-rectangle.c:21:{{[0-9]+}} writes{{.*}} and {{.*}}illegal-triangle-as-rectangle.c:21:{{[0-9]+}} writes{{.*}}, without order, byte {{[0-9]+}} of 'a'
// CHECK: the changed kernel computes something else: a[{{[0-9]+}}] is {{.+}} in one and {{.+}} in the other
