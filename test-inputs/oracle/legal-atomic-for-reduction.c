// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// A sum of integers by a reduction, or by one atomic addition an element.

int sum_of(int n, const int *x) {
  int sum = 0;
#ifdef CHANGED
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : sum)
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    sum += x[i];
  }
#else
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    sum += x[i];
#endif
  return sum;
}

// CHECK: kernel {{.+}}: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race that the original lacks
// CHECK-NOT: {{.}}
