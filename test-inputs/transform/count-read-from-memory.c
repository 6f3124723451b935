// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// How often the inner loop runs is read from memory whenever it begins. Behind a pointer that the kernel is given, it is read once before all else
// (counts-behind-pointers.c); a global variable is not, and the reason names the place.

#define REGION _Pragma("omp target teams distribute parallel for")

struct matrix {
  int rows, columns;
};

#pragma omp declare target
int width;
#pragma omp end declare target

void of_member(int n, const struct matrix *of, float *A) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < of->columns; ++j)
      A[i * 64 + j] += 1;
}

void of_global(int n, float *A) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < width; ++j)
      A[i * 64 + j] += 1;
}

// Each row has its own length.
void of_rows(int n, const int *length, float *A) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < length[i]; ++j)
      A[i * 64 + j] += 1;
}

// CHECK: region 'of_member'
// CHECK: transformation possible threads i j
// CHECK: region 'of_global'
// CHECK: transformation left threads i j
// CHECK-NEXT: because 'how often the loop runs is read from memory whenever it begins: load4([width])'
// CHECK: region 'of_rows'
// CHECK: transformation left threads i j
// CHECK-NEXT: because 'how often the inner loop runs is read from memory for each iteration of the outer one'
