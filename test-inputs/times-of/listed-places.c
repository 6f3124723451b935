// Places come from a list. Where the loop stores by it, iterations that had the same place would race: each place is listed once, and the lists that programs make of
// most of an array's elements rise. 4 bytes of each array and 4 of the list then move for each of 16777216 iterations: 201.33 MB, with no sector more. A list that the
// loop only reads by can hold any place: 32 sectors for a warp.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=16777216 --details | %FileCheck %s

// CHECK: stored_by
// CHECK: memory bytes 201.33 MB
// CHECK: a list of places by which the loop stores has each once, and is taken as rising
void stored_by(const int *list, const float *a, float *b, int n) {
#pragma omp target teams distribute parallel for map(to : list[0 : n], a[0 : n]) map(from : b[0 : n])
  for (int q = 0; q < n; ++q)
    b[list[q]] = a[list[q]];
}

// CHECK: read_by
// CHECK: a load {{2[0-9]|3[0-2]}}
void read_by(const int *list, const float *a, float *b, int n) {
#pragma omp target teams distribute parallel for map(to : list[0 : n], a[0 : n]) map(from : b[0 : n])
  for (int q = 0; q < n; ++q)
    b[q] = a[list[q]];
}
