// That nobody writes an array is stated only where the whole kernel is known not to: another loop, another thread that is waited for, code of one
// thread, a function that is not followed. Which arrays lie apart is stated all the same.
// RUN: %compile-device-nog %s | %opt -passes='ipda,verify' -S | %FileCheck %s
// RUN: %ipda-oracle transform --optimised %s
//
// ARGS: n: 13
// ARGS: m: 21

// CHECK-NOT: invariant.load

// The second loop writes what the first one reads.
// CHECK: define internal void @{{.*}}_and_back_l{{.*}}.ipda(
// CHECK: !alias.scope
// CHECK-NOT: invariant.load
void and_back(int n, int m, float *A, float *B) {
#pragma omp target parallel
  {
#pragma omp for
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        B[j * n + i] = A[j * n + i] + 1;
#pragma omp for
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        A[j * n + i] = 2 * B[j * n + i];
  }
}

// Threads that count may wait for each other, as far as is looked at.
// CHECK: define internal void @{{.*}}_counts_l{{.*}}.ipda(
// CHECK: !alias.scope
// CHECK-NOT: invariant.load
void counts(int n, int m, const float *A, float *B, int *hits) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      B[j * n + i] = A[j * n + i] + 1;
#pragma omp atomic
      hits[0] += 1;
    }
}

// One thread writes before the others read. They are handed the pointers in memory.
// CHECK: define internal void @{{.*}}_begins_l{{.*}}.ipda(
// CHECK-NOT: !alias.scope
// CHECK-NOT: invariant.load
void begins(int n, int m, float *A, float *B) {
#pragma omp target
  {
    A[0] = 3;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        B[j * n + i] = A[j * n + i] + 1;
  }
}

// What is read is what is written.
// CHECK: define internal void @{{.*}}_in_place_l{{.*}}.ipda(
// CHECK-NOT: invariant.load
void in_place(int n, int m, float *A) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      A[j * n + i] = 2 * A[j * n + i];
}

// One thread writes between and after the loops, which the others read.
// CHECK-NOT: invariant.load
void phases(int n, int m, float *A, float *B, float *C, float *D) {
#pragma omp target
  {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        A[i * m + j] = B[i * m + j] + C[j];
    C[0] += A[1];
    D[n * m] = 1;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        D[i * m + j] = A[j * n + i] + B[j];
    B[0] = D[0];
  }
}
