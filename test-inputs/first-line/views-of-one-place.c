// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c views-of-one-place.c
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
//
// The members of a union are one place, and pairs of neighbours are used by two accesses each: all bytes that are moved are used, and there is nothing to
// store apart.
//
// CHECK: [1] {{.*}}, views-of-one-place.c:
// CHECK-NOT: store each member
// CHECK-NOT: let neighbouring threads
// CHECK: line:col
// CHECK: [2] {{.*}}, views-of-one-place.c:
// CHECK-NOT: store each member
// CHECK-NOT: let neighbouring threads
// CHECK: line:col

typedef union {
  unsigned word;
  unsigned char part[4];
} colour;

void lighten(int n, colour *pixel) {
#pragma omp target teams distribute parallel for map(tofrom : pixel[0 : n])
  for (int i = 0; i < n; ++i)
    if (pixel[i].part[0] < 200)
      pixel[i].word += 1u;
}

void halves(int n, const int *restrict pair, int *restrict sum) {
#pragma omp target teams distribute parallel for map(to : pair[0 : 2 * n]) map(from : sum[0 : n])
  for (int i = 0; i < n; ++i)
    sum[i] = pair[2 * i] + pair[2 * i + 1];
}
