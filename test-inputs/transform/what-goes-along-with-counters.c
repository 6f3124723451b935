// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Beside its counter an inner loop has pointers, offsets and numbers that grow by one step in each iteration: iteration j begins with the start
// and j steps, so that each thread can compute it. A collapse clause cannot be written then, for something stands between the loops or carries
// over: none is proposed. The twins at the end carry what is not so many steps.

#define REGION _Pragma("omp target teams distribute parallel for")

void pointers(int n, int m, float *A, const float *B) {
  REGION
  for (int i = 0; i < n; ++i) {
    float *p = A + i * m;
    const float *q = B + i * m;
    for (int j = 0; j < m; ++j)
      *p++ = *q++ * j;
  }
}

void offset_by_an_argument(int n, int m, float *A, const float *B) {
  REGION
  for (int i = 0; i < n; ++i) {
    int at = i;
    for (int j = 0; j < m; ++j, at += n)
      A[i * m + j] = B[at];
  }
}

void offset_by_an_outer_counter(int n, int m, float *A) {
  REGION
  for (int i = 0; i < n; ++i) {
    int weight = 7;
    for (int j = 0; j < m; ++j) {
      A[i * m + j] += weight;
      weight -= i;
    }
  }
}

// k begins where j says, and j goes down.
void triple(int n, int m, int *A) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 4, last = m; j > 0; --j, last += 2) {
      int *p = A + (i * 5 + j) * 3;
      for (int k = j; k < j + 3; ++k, ++p)
        *p = k + last;
    }
}

void pointer_alone(int n, int m, float *A) {
  REGION
  for (int i = 0; i < n; ++i)
    for (float *p = A + i * m; p < A + (i + 1) * m; ++p)
      *p += 1;
}

void narrow(int n, unsigned char m, short *A) {
  REGION
  for (int i = 0; i < n; ++i) {
    signed char c = 120;
    for (unsigned char j = 0; j < m; j += 1, c += 3)
      A[i * 256 + j] = c;
  }
}

void sum_of_counters(int n, int m, float *A) {
  REGION
  for (int i = 0; i < n; ++i) {
    int k = 0;
    for (int j = 0; j < m; ++j) {
      k += j;
      A[i * m + j] += k;
    }
  }
}

void doubled(int n, int m, unsigned *A) {
  REGION
  for (int i = 0; i < n; ++i) {
    unsigned k = 1;
    for (int j = 0; j < m; ++j) {
      A[i * m + j] += k;
      k += k;
    }
  }
}

// CHECK: region 'pointers'
// CHECK: transformation possible threads i j
// CHECK-NOT: clause
// CHECK: region 'offset_by_an_argument'
// CHECK: transformation possible threads i j
// CHECK-NOT: clause
// CHECK: region 'offset_by_an_outer_counter'
// CHECK: transformation possible threads i j
// CHECK-NOT: clause
// CHECK: region 'triple'
// CHECK: transformation possible
// CHECK-NOT: clause
// CHECK: region 'pointer_alone'
// CHECK: transformation possible threads i p
// CHECK-NOT: clause
// CHECK: region 'narrow'
// CHECK: transformation possible threads i j
// CHECK-NOT: clause
// CHECK: region 'sum_of_counters'
// CHECK: transformation left
// CHECK-NOT: clause
// CHECK: region 'doubled'
// CHECK: transformation left
// CHECK-NOT: clause
