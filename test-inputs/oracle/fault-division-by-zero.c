// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml 2>&1 | %FileCheck %s
//
// The elements of the divisor are 0, 1, 2 and so on.
// ARGS: y: { type: i32, count: 100, fill: index }

void divide(int n, const int *x, const int *y, int *z) {
#pragma omp target teams distribute parallel for map(to : x[0 : n], y[0 : n]) map(from : z[0 : n])
  for (int i = 0; i < n; ++i)
    z[i] = x[i] / y[i];
}

// CHECK: {{.*}}fault-division-by-zero.c:12:17: a division by zero, or of the least number by -1 (team 0, thread 0)
