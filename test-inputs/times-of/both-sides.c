// A warp runs what any of its 32 lanes does. One side has a division, the other a square root, one instruction of the units that also convert, and both are
// counted by classes:
// - `by_data`: the condition is about what each lane loads for itself. Either side is as likely for a lane, so that a warp comes to each with
//   1 - (1 - 1/2)^32, all but always: one division and one square root in an iteration, not half of each;
// - `by_parity`: in each warp half of the lanes go one way and half the other: one and one;
// - `by_half`: the lanes of all warps but one go the same way: one and one, each in the iterations that the condition says;
// - `by_flag`: all go the same way: half and half;
// - `by_hint`: the program says that it holds for 2000 of 2001 lanes: a warp's other side is come to with 1 - (1 - 1/2001)^32 = 0.0159;
// - `within`: a condition on a lane's own value inside of another one: each side is right for a quarter of the lanes, 1 - (3/4)^32 = 0.9999;
// - `row_by_row`: whole rows of m iterations load the same mark: half and half;
// - `sine`: where an angle is beyond 105,615, the sine goes through an array of its own. Such angles are exceptions: no iteration has local memory.
// The predictions of launches are the same.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %FileCheck %s < %t.yaml
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=16777216 -D m=4096 -D flag=1 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=16777216 -D m=4096 -D flag=1 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch
#include <math.h>

#define EITHER(condition, i) \
  if (condition)             \
    out[i] = 1 / x[i];       \
  else                       \
    out[i] = sqrtf(x[i]);

// CHECK: - function: by_data
// CHECK: divide32: 1.0
// CHECK: convert: 1.0
void by_data(const float *x, float *out, int n) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : out[0 : n])
  for (int i = 0; i < n; ++i)
    EITHER(x[i] > 2, i)
}

// CHECK: - function: by_parity
// CHECK: divide32: 1.0
// CHECK: convert: 1.0
void by_parity(const float *x, float *out, int n) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : out[0 : n])
  for (int i = 0; i < n; ++i)
    EITHER(i % 2 == 0, i)
}

// CHECK: - function: by_half
// CHECK: value: -[floor([n] / 2) <= i] + 1
// CHECK: divide32: 1.0
// CHECK: value: '[floor([n] / 2) <= i]'
// CHECK: convert: 1.0
void by_half(const float *x, float *out, int n) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : out[0 : n])
  for (int i = 0; i < n; ++i)
    EITHER(i < n / 2, i)
}

// CHECK: - function: by_flag
// CHECK: divide32: 0.5
// CHECK: convert: 0.5
void by_flag(const float *x, float *out, int n, int flag) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : out[0 : n])
  for (int i = 0; i < n; ++i)
    EITHER(flag, i)
}

// CHECK: - function: by_hint
// CHECK: divide32: 0.0159
// CHECK: convert: 1.0
void by_hint(const float *x, float *out, int n) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : out[0 : n])
  for (int i = 0; i < n; ++i)
    EITHER(__builtin_expect(x[i] > 2, 0), i)
}

// CHECK: - function: within
// CHECK: divide32: 0.9999
// CHECK: convert: 0.9999
void within(const float *x, float *out, int n) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : out[0 : n])
  for (int i = 0; i < n; ++i)
    if (x[i] > 0) {
      EITHER(x[i] > 2, i)
    }
}

// CHECK: - function: row_by_row
// CHECK: divide32: 0.5
// CHECK: convert: 0.5
void row_by_row(const float *x, const int *mark, float *out, int n, int m) {
#pragma omp target teams distribute parallel for map(to : x[0 : n], mark[0 : n / m]) map(from : out[0 : n])
  for (int i = 0; i < n; ++i)
    EITHER(mark[i / m], i)
}

// CHECK: - function: sine
// CHECK: resources:
// CHECK: shared: loop0
// CHECK-NOT: local: 0.{{[1-9]}}
// CHECK-NOT: call:
// CHECK: float32:
void sine(const float *x, float *out, int n) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : out[0 : n])
  for (int i = 0; i < n; ++i)
    out[i] = sinf(x[i]);
}
