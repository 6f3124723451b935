// How long loops are whose ends are read from memory, by what they walk along:
// - `edges_of`: where a row begins and how long it is are listed. All rows together have as many elements as the array: 1,048,576 / 65,536 = 16;
// - `padded`: each row has room for `room` = 64 elements, of which a length is listed: as likely any, so half of them, 32.5;
// - `sliced` and `sliced_by_warps`: rows begin side by side and go on by a slice's width, a launch's value or a constant. All together have the array's
//   elements, each one row's: again 1,048,576 / 65,536 = 16, whatever the width;
// - `strided`: all threads go on by their number until the array's end, as far as its bytes are: 4 * 1048576 / (4 * 256 * 512) = 8 times.
// None runs 128 iterations; that is left for `chain`, which walks along nothing.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=65536 -D edges=1048576 -D room=64 -D size=1048576 -D width=32 -D teams=512 -D num_teams=512 --width 200 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=65536 -D edges=1048576 -D room=64 -D size=1048576 -D width=32 -D teams=512 -D num_teams=512 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=65536 -D edges=1048576 -D room=64 -D size=1048576 -D width=32 -D teams=512 -D num_teams=512 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch
#include <omp.h>
struct node {
  int first, count;
};

// CHECK: [1] edges_of
// CHECK: other {{ *}}load {{ *}}32 {{ *}}16 {{ *}}4.1943 MB
// CHECK: loop e runs as many iterations as what it walks along has elements for each iteration of loop i
void edges_of(const struct node *nodes, const int *other, int *sum, int n, int edges) {
#pragma omp target teams distribute parallel for map(to : nodes[0 : n], other[0 : edges]) map(from : sum[0 : n])
  for (int i = 0; i < n; ++i) {
    int all = 0;
    for (int e = nodes[i].first; e < nodes[i].first + nodes[i].count; ++e)
      all += other[e];
    sum[i] = all;
  }
}

// CHECK: [2] padded
// CHECK: other {{ *}}load {{ *}}32 {{ *}}32.5 {{.*}}
// CHECK: loop k runs on average as many iterations as its row or array allows, at most 128: nobody said what count[i] is
void padded(const int *count, const int *other, int *sum, int n, int room) {
#pragma omp target teams distribute parallel for map(to : count[0 : n], other[0 : n * room]) map(from : sum[0 : n])
  for (int i = 0; i < n; ++i) {
    int all = 0;
    for (int k = 0; k < count[i]; ++k)
      all += other[i * room + k];
    sum[i] = all;
  }
}

// CHECK: [3] strided
// CHECK: a {{ *}}load {{ *}}4 {{ *}}8 {{ *}}4.1943 MB
void strided(const float *a, float *b, int size, int teams) {
#pragma omp target teams num_teams(teams) thread_limit(256) map(to : a[0 : size]) map(from : b[0 : size])
  {
#pragma omp parallel num_threads(256)
    {
      int all = teams * 256;
      for (int i = omp_get_team_num() * 256 + omp_get_thread_num(); i < size; i += all)
        b[i] = 2 * a[i];
    }
  }
}

// CHECK: [4] chain
// CHECK: runs 128 iterations: the condition
void chain(int *steps, int n) {
#pragma omp target teams distribute parallel for map(tofrom : steps[0 : n])
  for (int i = 0; i < n; ++i) {
    long value = steps[i];
    int count = 0;
    while (value > 1) {
      value = value & 1 ? 3 * value + 1 : value / 2;
      ++count;
    }
    steps[i] = count;
  }
}

// CHECK: [5] sliced
// CHECK: value {{ *}}load {{ *}}32 {{ *}}16 {{ *}}4.1943 MB
// CHECK: loop k runs as many iterations as what it walks along has elements for each iteration of loop i
void sliced(const int *start, const int *count, const float *value, float *sum, int n, int width, int edges) {
#pragma omp target teams distribute parallel for map(to : start[0 : n], count[0 : n], value[0 : edges]) map(from : sum[0 : n])
  for (int i = 0; i < n; ++i) {
    float all = 0;
    for (int k = 0; k < count[i]; ++k)
      all += value[start[i] + k * width];
    sum[i] = all;
  }
}

// CHECK: [6] sliced_by_warps
// CHECK: value {{ *}}load {{ *}}32 {{ *}}16 {{ *}}4.1943 MB
// CHECK: loop k runs as many iterations as what it walks along has elements for each iteration of loop i
#define SLICE 32
void sliced_by_warps(const int *start, const int *count, const float *value, float *sum, int n, int edges) {
#pragma omp target teams distribute parallel for map(to : start[0 : n], count[0 : n], value[0 : edges]) map(from : sum[0 : n])
  for (int i = 0; i < n; ++i) {
    float all = 0;
    for (int k = 0; k < count[i]; ++k)
      all += value[start[i] + k * SLICE];
    sum[i] = all;
  }
}
