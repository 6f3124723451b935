// RUN: %device | %FileCheck %s
//
// An iteration that ends the program: which iterations have run before it would show, and what it prints would be printed by many threads.

int printf(const char *, ...);

void checked(int n, int m, int *A, const int *D) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) {
    if (D[i] < 0) {
      printf("bad\n");
      __builtin_trap();
    }
    for (int j = 0; j < m; ++j)
      A[i * m + j] = i;
  }
}

// What cannot be is no end.
void promised(int n, int m, int *A) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) {
    if (m > 1000000)
      __builtin_unreachable();
    for (int j = 0; j < m; ++j)
      A[i * m + j] = i;
  }
}

// CHECK: region 'checked'
// CHECK: transformation left
// CHECK-NEXT: because 'the shared loop can be left in its middle' at {{.*}}:10:
// CHECK: region 'promised'
// CHECK: transformation possible threads i j
