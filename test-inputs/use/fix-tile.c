// Blocks of iterations in each thread, which somebody has asked for and a tile directive says: written into the source, the loops run so without the plugin
// (the first loop's step is a block, and what is inside of it runs one after the other). What the directive cannot say is left, and so are counters that
// threads would share under it.
// REQUIRES: patch
// DEFINE: %{compile} = %clang-device -g -Xclang -debug-info-kind=constructor a.c -o a.s
// RUN: rm -rf %t && mkdir %t && sed '/^\/\/ /d' %s > %t/a.c
// RUN: cd %t && env IPDA_MAPPING='rows=i/8 j | i%%8,blocks=i/4 j/2 | i%%4 j%%2,own=i/16 | i%%16,every=i%%4 j | i/4,older=i/8 j | i%%8' IPDA_REPORT=before.yaml %{compile}
// RUN: cd %t && %not %ipda fix --assume --dry-run before.yaml > a.diff 2> refused && patch -p1 -s < a.diff
// RUN: %FileCheck %s --check-prefix=DIFF --input-file %t/a.diff
// RUN: %FileCheck %s --check-prefix=REFUSED --input-file %t/refused
// RUN: cd %t && %compile-device a.c | %analyse | %FileCheck %s --check-prefix=AFTER

// DIFF: #pragma omp tile sizes(8, 1) and collapse(2) over i, j
// DIFF: #pragma omp tile sizes(4, 2) and collapse(2) over i, j
// DIFF: #pragma omp tile sizes(16) over i
void rows(int n, int m, const float *restrict A, float *restrict B) {
// DIFF: +#pragma omp target teams distribute parallel for collapse(2) map(to : A[0 : n * m]) map(from : B[0 : n * m])
#pragma omp target teams distribute parallel for map(to : A[0 : n * m]) map(from : B[0 : n * m])
// DIFF-NEXT: +  #pragma omp tile sizes(8, 1)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      B[i * m + j] = 2 * A[i * m + j];
}
// AFTER: region 'rows'
// AFTER: loop0 {{.*}} trips [m]*floor(([n] + 7) / 8)
// AFTER: loop1 in loop0 sequential
// AFTER: transformation

// DIFF: +  #pragma omp tile sizes(4, 2)
void blocks(int n, int m, const float *restrict A, float *restrict B) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m]) map(from : B[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      B[j * n + i] = 2 * A[i * m + j];
}
// AFTER: region 'blocks'
// AFTER: loop0 {{.*}} trips floor(([n] + 3) / 4)*floor(([m] + 1) / 2)

// DIFF: +  #pragma omp tile sizes(16)
void own(int n, int m, const float *restrict A, float *restrict B) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m]) map(from : B[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = 0; j < m; ++j)
      sum += A[i * m + j];
    B[i] = sum;
  }
}
// AFTER: region 'own'
// AFTER: loop0 {{.*}} trips floor(([n] + 15) / 16)

// DIFF-NOT: pragma omp tile
void every(int n, int m, const float *restrict A, float *restrict B) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m]) map(from : B[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      B[i * m + j] = 3 * A[i * m + j];
}

// REFUSED: the counter i is declared outside of its loop in line [[#]]: threads would share it under a tile directive
void older(int n, int m, const float *restrict A, float *restrict B) {
  int i, j;
#pragma omp target teams distribute parallel for private(j) map(to : A[0 : n * m]) map(from : B[0 : n * m])
  for (i = 0; i < n; ++i)
    for (j = 0; j < m; ++j)
      B[i * m + j] = 4 * A[i * m + j];
}
