// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Whether any element is large: the answer goes from iteration to iteration, as a number, as the last one that was found, or by leaving the
// loop. The last function asks for each element by itself.

#define REGION _Pragma("omp target teams distribute parallel for")

void as_a_number(int n, int m, int *A, const int *B) {
  REGION
  for (int i = 0; i < n; ++i) {
    int found = 0;
    for (int j = 0; j < m; ++j) {
      found |= B[i * m + j] > 50;
      A[i * m + j] = found;
    }
  }
}

void the_last_one(int n, int m, int *A, const int *B) {
  REGION
  for (int i = 0; i < n; ++i) {
    int last = -1;
    for (int j = 0; j < m; ++j) {
      if (B[i * m + j] > 50)
        last = j;
      A[i * m + j] = last;
    }
  }
}

void by_leaving(int n, int m, int *A, const int *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      if (B[i * m + j] > 50)
        break;
      A[i * m + j] = 1;
    }
}

void in_memory(int n, int m, int *A, int *F, const int *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      if (B[i * m + j] > 50)
        F[i] = 1;
      A[i * m + j] = F[i];
    }
}

void each_by_itself(int n, int m, int *A, const int *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      if (B[i * m + j] > 50)
        A[i * m + j] = 1;
}

// CHECK: region 'as_a_number'
// CHECK: transformation {{left|best}}
// CHECK: region 'the_last_one'
// CHECK: transformation {{left|best}}
// CHECK: region 'by_leaving'
// CHECK: transformation {{left|best}}
// CHECK: region 'in_memory'
// CHECK: transformation {{left|best}}
// CHECK: region 'each_by_itself'
// CHECK: transformation possible threads i j
