// RUN: %device | %FileCheck %s --allow-empty
// RUN: %host | %FileCheck %s --allow-empty
//
// A parallel loop for the host is no target region: nothing to report.

void axpy(int n, float a, const float *x, float *y) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

// CHECK-NOT: {{region|reject}}
