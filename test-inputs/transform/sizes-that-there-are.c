// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// A gain is computed for sizes that there can be: 1021 where nothing is known of one, as much as its type holds, as the program asserts, and as the
// array has room for.

// Nothing is known: 1021 * 1021 threads.
void any(int n, int m, double *restrict a, const double *restrict b) {
// CHECK-LABEL: region 'any'
// CHECK: transformation possible threads i j sectors {{.*}} of 1021 to 1042441 threads
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * 2000]) map(to : b[0 : m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * 2000 + j] += b[j];
}

// 1021 * 255.
void of_a_byte(int n, unsigned char m, double *restrict a, const double *restrict b) {
// CHECK-LABEL: region 'of_a_byte'
// CHECK: transformation possible threads i j sectors {{.*}} of 1021 to 260355 threads
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * 2000]) map(to : b[0 : m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * 2000 + j] += b[j];
}

// 1021 * 10.
void asserted(int n, int m, double *restrict a, const double *restrict b) {
// CHECK-LABEL: region 'asserted'
// CHECK: transformation possible threads i j sectors {{.*}} of 1021 to 10210 threads
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * 2000]) map(to : b[0 : m])
  for (int i = 0; i < n; ++i) {
    __builtin_assume(m <= 10);
    for (int j = 0; j < m; ++j)
      a[i * 2000 + j] += b[j];
  }
}

// 64 rows of 16 have 8192 bytes: halved until they fit, rows have 15 elements (14*8 is below 128), and then there are 63 (62*128 + 14*8 is below 8192).
static double table[64][16];

void in_an_array(int n, int m, const double *restrict b) {
// CHECK-LABEL: region 'in_an_array'
// CHECK: transformation possible threads i j sectors {{.*}} of 63 to 945 threads
#pragma omp target teams distribute parallel for map(tofrom : table) map(to : b[0 : m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      table[i][j] += b[j];
}

// Not all iterations go into it: the array says nothing of the others.
void in_a_part(int n, int m, double *restrict a, const double *restrict b) {
// CHECK-LABEL: region 'in_a_part'
// CHECK: transformation possible threads i j sectors {{.*}} of 1021 to 1042441 threads
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * 2000], table) map(to : b[0 : m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      a[i * 2000 + j] += b[j];
      if (i < 64 && j < 16)
        table[i][j] += b[j];
    }
}

// Rows of 64 elements do not overlap where m <= 64, which matters where a clause gives a thread more than one of them: 1021 * 64 threads.
void in_rows(int n, int m, double *restrict a, const double *restrict b) {
// CHECK-LABEL: region 'in_rows'
// CHECK: transformation possible threads i j sectors {{.*}} of 1021 to 65344 threads
// CHECK: if 'm <= 64'
#pragma omp target teams distribute parallel for dist_schedule(static) map(tofrom : a[0 : n * 64]) map(to : b[0 : m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * 64 + j] += b[j];
}

// The count is a difference of numbers without a sign, divided by 3: with n = 1 it would be huge. (1021 - 1 + 3)/3 = 341 iterations.
void from_a_start(int s, int n, int m, float *restrict a, const float *restrict b) {
// CHECK-LABEL: region 'from_a_start'
// CHECK: transformation possible threads i j sectors {{.*}} of 341 to 348161 threads
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * 2000]) map(to : b[0 : m])
  for (int i = s; i <= n; i += 3)
    for (int j = 0; j < m; ++j)
      a[i * 2000 + j] += b[j];
}
