// Fewer resident warps where uncoalesced accesses are many: a warp that reads a row in each lane fetches 32 sectors, of which it uses 4 bytes each time
// round and the rest in the next seven, if they are still in the L1 then. With u such matrices and w warps a multiprocessor those are 1 kB * u * w, and the
// L1 of a P100 has 24 kB: beyond some 24 / u warps the sectors come from the L2 again each time, and from memory where that is too small as well. So the best
// number of warps halves where the accesses double, as measured on another Pascal with 24 kB for each half of a multiprocessor (A. Chikin, "Compiler-Driven
// Performance on Heterogeneous Computing Platforms", 2018, table 3.1): 25 % of the warps that fit for one access, 12.5 for two, 6.3 for four, 4 for eight, 3.1
// for ten.
// REQUIRES: cuda
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c -w %s -o %t.o
// RUN: python3 %S/saturation.py %ipda %t.yaml | %FileCheck %s

// CHECK: uncoalesced accesses: 1, best occupancy: 25.0 %
// CHECK: uncoalesced accesses: 2, best occupancy: 12.5 %
// CHECK: uncoalesced accesses: 4, best occupancy: 6.2 %
// CHECK: uncoalesced accesses: 8, best occupancy: 3.1 %
// CHECK: uncoalesced accesses: 10, best occupancy: 3.1 %

void of_1(int n, int teams, const float *restrict a0, float *restrict c) {
#pragma omp target teams distribute parallel for collapse(2) num_teams(teams) thread_limit(64) \
    map(to : a0[0 : n * n]) map(from : c[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k)
        sum += a0[j * n + k];
      c[i * n + j] = sum;
    }
}

void of_2(int n, int teams, const float *restrict a0, const float *restrict a1, float *restrict c) {
#pragma omp target teams distribute parallel for collapse(2) num_teams(teams) thread_limit(64) \
    map(to : a0[0 : n * n], a1[0 : n * n]) map(from : c[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k)
        sum += a0[j * n + k] + a1[j * n + k];
      c[i * n + j] = sum;
    }
}

void of_4(int n, int teams, const float *restrict a0, const float *restrict a1, const float *restrict a2, const float *restrict a3, float *restrict c) {
#pragma omp target teams distribute parallel for collapse(2) num_teams(teams) thread_limit(64) \
    map(to : a0[0 : n * n], a1[0 : n * n], a2[0 : n * n], a3[0 : n * n]) map(from : c[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k)
        sum += a0[j * n + k] + a1[j * n + k] + a2[j * n + k] + a3[j * n + k];
      c[i * n + j] = sum;
    }
}

void of_8(int n, int teams, const float *restrict a0, const float *restrict a1, const float *restrict a2, const float *restrict a3, const float *restrict a4, const float *restrict a5, const float *restrict a6, const float *restrict a7, float *restrict c) {
#pragma omp target teams distribute parallel for collapse(2) num_teams(teams) thread_limit(64) \
    map(to : a0[0 : n * n], a1[0 : n * n], a2[0 : n * n], a3[0 : n * n], a4[0 : n * n], a5[0 : n * n], a6[0 : n * n], a7[0 : n * n]) map(from : c[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k)
        sum += a0[j * n + k] + a1[j * n + k] + a2[j * n + k] + a3[j * n + k] + a4[j * n + k] + a5[j * n + k] + a6[j * n + k] + a7[j * n + k];
      c[i * n + j] = sum;
    }
}

void of_10(int n, int teams, const float *restrict a0, const float *restrict a1, const float *restrict a2, const float *restrict a3, const float *restrict a4, const float *restrict a5, const float *restrict a6, const float *restrict a7, const float *restrict a8, const float *restrict a9, float *restrict c) {
#pragma omp target teams distribute parallel for collapse(2) num_teams(teams) thread_limit(64) \
    map(to : a0[0 : n * n], a1[0 : n * n], a2[0 : n * n], a3[0 : n * n], a4[0 : n * n], a5[0 : n * n], a6[0 : n * n], a7[0 : n * n], a8[0 : n * n], a9[0 : n * n]) map(from : c[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k)
        sum += a0[j * n + k] + a1[j * n + k] + a2[j * n + k] + a3[j * n + k] + a4[j * n + k] + a5[j * n + k] + a6[j * n + k] + a7[j * n + k] + a8[j * n + k] + a9[j * n + k];
      c[i * n + j] = sum;
    }
}
