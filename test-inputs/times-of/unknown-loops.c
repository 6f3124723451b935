// Loops whose iterations are not known have bounds. A loop that ends at its first hit runs half as many iterations as it can: 10.5 times of 20 (each place
// is as likely), and of `most` = 100 times 50.5. Rows of a sparse matrix have 1,048,576 / 65,536 = 16 elements: as many as the map's section has
// elements for each row; so do the launch's sizes say. None of them runs 128 iterations.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=65536 -D k=3 -D most=100 -D nnz=1048576 --width 200 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=65536 -D k=3 -D most=100 -D nnz=1048576 --width 200 --as-at-launch | %FileCheck %s --check-prefix=LAUNCH
// RUN: %FileCheck %s --check-prefix=REPORT <%t.yaml

// REPORT: at_most: '20'
// CHECK: first_hit
// CHECK: loop j runs half as many iterations as it can: at most 20: the loop can also be left elsewhere
void first_hit(const int *a, int *found, int n, int k) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * 20]) map(from : found[0 : n])
  for (int i = 0; i < n; ++i) {
    int at = -1;
    for (int j = 0; j < 20; ++j)
      if (a[i * 20 + j] == k) {
        at = j;
        break;
      }
    found[i] = at;
  }
}

// REPORT: at_most: '[most]'
// CHECK: escape
// CHECK: loop k runs half as many iterations as it can: at most [most]: the loop can also be left elsewhere
void escape(float *b, int n, int most) {
#pragma omp target teams distribute parallel for map(from : b[0 : n])
  for (int i = 0; i < n; ++i) {
    float x = 0, c = i * 1e-6f;
    int k = 0;
    while (k < most && x < 4.0f) {
      x = x * x + c;
      ++k;
    }
    b[i] = x + k;
  }
}

// What moves from L2: v and cols of 4.2 MB each, start and y of 262 kB each, once, and for each of 1,048,576 elements a sector of x, 33.6 MB: 42.5 MB, which
// take 4.3 us, and what waits and queues add to it.
// CHECK: rows
// CHECK: kernel {{(4\.[3-9]|5\.[0-3])[0-9]*}} us
// CHECK: loop j runs as many iterations as what it walks along has elements for each iteration of loop i
// LAUNCH: rows
// LAUNCH: kernel {{(4\.[3-9]|5\.[0-3])[0-9]*}} us
// LAUNCH: loop j runs as many iterations as what it walks along has elements for each iteration of loop i
void rows(const int *start, const int *cols, const float *v, const float *x, float *y, int n, int nnz) {
#pragma omp target teams distribute parallel for map(to : start[0 : n + 1], cols[0 : nnz], v[0 : nnz], x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = start[i]; j < start[i + 1]; ++j)
      sum += v[j] * x[cols[j]];
    y[i] = sum;
  }
}
// CHECK-NOT: runs 128 iterations
