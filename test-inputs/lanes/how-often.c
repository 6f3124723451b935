// How often a thread makes an access in the loops that run, for one iteration of those that threads share.
// RUN: env IPDA_REPORT=%t.yaml IPDA_MAPPING='blocks=i/8 j | i%%8' %clang-device -w -g -Xclang -debug-info-kind=constructor %s -o %t.s
// RUN: %ipda report %t.yaml --width 200 | grep -E '^. +[0-9]+:[0-9]+ +(load|store)' | sort -k1.3n | %FileCheck %s

// An upper triangle, fused: the sum over k from i to j has j - i + 1 parts, and the iterations of j are counted from 0: the number of the one is #j.
// CHECK: load a 4 k {{.*}} #j + 1
// CHECK: load a 4 k {{.*}} #j + 1
void upper(int n, const float *restrict a, float *restrict b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * n]) map(tofrom : b[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) {
      float s = 0;
      for (int k = i; k <= j; ++k)
        s += a[k * n + i] * a[k * n + j];
      b[i * n + j] = s;
    }
}

// Blocks of eight rows: eight times the p products.
// CHECK: load a 4 k {{.*}} 8*[p]
// CHECK: load b 4 k {{.*}} 8*[p]
// CHECK: store c 4 j {{.*}} 8
void blocks(int n, int m, int p, const float *restrict a, const float *restrict b, float *restrict c) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * p], b[0 : p * m]) map(tofrom : c[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float s = 0;
      for (int k = 0; k < p; ++k)
        s += a[i * p + k] * b[k * m + j];
      c[i * m + j] = s;
    }
}

// Loops that stay as they are, as each sum needs the one before: j from 0 to m - 1 in each thread, and k from 0 to j - 1 in each of these, are
// m * (m - 1) / 2 together. Of lengths that are loaded for each j, nobody knows the sum.
// CHECK: load a 4 k {{.*}} ([m]^2 - [m]) / 2
// CHECK: load len 4 k {{.*}} ?
// CHECK: load a 4 k {{.*}} ?
void sums(int n, int m, const float *restrict a, float *restrict b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : b[0 : n])
  for (int i = 0; i < n; ++i) {
    float s = 0;
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < j; ++k)
        s = s * 0.5f + a[i * m + k];
    b[i] = s;
  }
}

void lengths(int n, int m, const int *restrict len, const float *restrict a, float *restrict b) {
#pragma omp target teams distribute parallel for map(to : len[0 : m], a[0 : n * m]) map(tofrom : b[0 : n])
  for (int i = 0; i < n; ++i) {
    float s = 0;
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < len[j]; ++k)
        s = s * 0.5f + a[i * m + k];
    b[i] = s;
  }
}
