// What stays in memory: where something may be at the place that is not known to lie apart, or the place is not one.
// RUN: %compile-device %s | %opt -passes='print<ipda>' -disable-output 2>&1 | %FileCheck %s
// RUN: %compile-device-nog %s | %opt -passes='ipda,verify' -S | %FileCheck %s --check-prefix=IR
// RUN: %ipda-oracle transform --optimised %s
//
// ARGS: n: 13
// ARGS: m: 21
// ARGS: steps: 4
// CHECK-NOT: registers
// IR-NOT: alias.scope
// IR-NOT: invariant.load

// One of the two is the other one in the next step.
void double_buffer(int n, int m, int steps, float *A, float *B) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++) {
    float *from = A, *to = B;
    for (int t = 0; t < steps; t++) {
      to[i] += from[t * n + i];
      float *kept = from;
      from = to;
      to = kept;
    }
  }
}

// Only some iterations store: a store after the loop would be one that the program does not make.
void some(int n, int m, const float *A, float *y) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      if (A[j * n + i] > 0)
        y[i] += A[j * n + i];
}

// The same array elsewhere.
void prefix(int n, int m, float *y) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m; j++)
      y[i] += y[j * n + i];
}

// Another thread may wait for what is written.
void flag(int n, int m, int *ready, const float *A, float *y) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      y[i] += A[j * n + i];
#pragma omp atomic
      ready[0] += 1;
    }
}

// Seen by others meanwhile.
void seen(int n, int m, const float *A, volatile float *y) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      y[i] += A[j * n + i];
}

// Where x is read, memory says: no test before the region knows what is touched, and y, which it may be, stays in memory. The end of a row does not.
// CHECK-LABEL: region 'rows_of_list'
// CHECK: transformation possible registers first sectors
// CHECK-NEXT: if '{{first and y|y and first}} do not overlap'
// CHECK-NOT: {{^ *if}}
// IR-LABEL: define {{.*}}_rows_of_list_l
void rows_of_list(int n, const int *first, const int *column, const float *value, const float *x, float *y) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int k = first[i]; k < first[i + 1]; k++)
      y[i] += value[k] * x[column[k]];
}
