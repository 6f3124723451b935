// RUN: %device | %FileCheck %s --allow-empty
// RUN: %host | %FileCheck %s --allow-empty
//
// No OpenMP: nothing to report.

void axpy(int n, float a, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

// CHECK-NOT: {{region|reject}}
