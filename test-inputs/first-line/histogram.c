// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c histogram.c
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
//
// How many threads update a bin at once is in the image.
//
// CHECK: [1] {{.*}}, histogram.c:
// CHECK-NEXT: give each team a private copy of bins, added up at the end: the data decide how many threads update one place

void histogram(int n, const unsigned char *restrict image, int *restrict bins) {
#pragma omp target teams distribute parallel for map(to : image[0 : n]) map(tofrom : bins[0 : 256])
  for (int i = 0; i < n; ++i) {
#pragma omp atomic update
    bins[image[i]]++;
  }
}
