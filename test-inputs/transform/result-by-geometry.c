// REQUIRES: libomp-device-bc
// RUN: %ipda-oracle transform %s | %FileCheck %s
//
// What a thread leaves for its next iteration: it has one where there are fewer threads than iterations. Of no two launches need the results be the
// same, whoever changes the code: that is no fault of a change.

void last_one(int n, int m, int *A) {
  int last = 0;
#pragma omp target parallel for firstprivate(last)
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j)
      A[i * m + j] = last;
    last = i + 1;
  }
}

// CHECK-NOT: WRONG
// CHECK: on geometry {{[1-9]}}
// CHECK: 0 wrong
