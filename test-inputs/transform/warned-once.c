// RUN: %clang-device %s -o %t.s 2>&1 | %FileCheck %s
// RUN: %clang-device -g %s -o %t.s 2>&1 | %FileCheck %s
// RUN: %clang-device -Rpass-analysis=loop-vectorize %s -o %t.s 2>&1 | %FileCheck %s --check-prefix=REMARK
// RUN: %clang-device -O1 -Rpass-missed=ipda %s -o %t.s 2>&1 | %FileCheck %s --check-prefix=KEPT
//
// A kernel with changed loops has those that were written too, for where its guard does not hold. The compiler says of both that it cannot do what the
// pragma asks for: the user hears it once. Of loops that stay alone all is heard.

void product(int n, int m, const float *a, const float *b, float *c) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
#pragma clang loop vectorize(enable)
      for (int k = 0; k < m; ++k)
        sum += a[i * m + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

void rows(int n, int m, float *a) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
#pragma clang loop vectorize(enable)
    for (int j = 1; j < m; ++j)
      a[i * m + j] += a[i * m + j - 1];
}

// CHECK-COUNT-2: warning: {{.*}}loop not vectorized
// CHECK-NOT: warning: {{.*}}loop not vectorized
// CHECK: 2 warnings generated

// REMARK-COUNT-2: remark: loop not vectorized: could not determine
// REMARK-NOT: remark: loop not vectorized: could not determine

// KEPT: remark: {{.*}}[NotCollapsed]
