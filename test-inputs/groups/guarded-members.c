// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
// RUN: %ipda-oracle inputs %s | %FileCheck %s --check-prefix=RUNS
//
// Members that are read under conditions. What always runs is one group, around the guarded load, which counts alone as often as it is made; loads under one
// condition are a group of their own; a loop between parts what is on both sides, since what it touches may be anything.

#include <stdio.h>

#define CELLS 512

struct cell {
  double density, energy, pressure, volume;
};

// ARGS: n: 512
// ARGS: m: 3

static void update(int n, const struct cell *c, const int *is_mixed, double *out) {
  int i;
#pragma omp target teams distribute parallel for map(to : c[0 : n], is_mixed[0 : n]) map(from : out[0 : n])
  for (i = 0; i < n; i++) {
    double sum = c[i].density;
    if (is_mixed[i])
      sum += c[i].energy;
    out[i] = sum + c[i].volume;
  }
}

static void mixed(int n, const struct cell *c, const int *is_mixed, double *out) {
  int i;
#pragma omp target teams distribute parallel for map(to : c[0 : n], is_mixed[0 : n]) map(tofrom : out[0 : n])
  for (i = 0; i < n; i++)
    if (is_mixed[i])
      out[i] = c[i].density * c[i].energy + c[i].pressure * c[i].volume;
}

static void iterated(int n, int m, const struct cell *c, const double *table, double *out) {
  int i, k;
#pragma omp target teams distribute parallel for map(to : c[0 : n], table[0 : m]) map(from : out[0 : n])
  for (i = 0; i < n; i++) {
    double sum = c[i].density;
    for (k = 0; k < m; k++)
      sum += table[k];
    out[i] = sum * c[i].energy;
  }
}

int main(void) {
  static struct cell c[CELLS];
  static int is_mixed[CELLS];
  static double table[3] = {1, 2, 3}, out[CELLS];
  int i;
  for (i = 0; i < CELLS; i++) {
    c[i].density = c[i].energy = c[i].pressure = c[i].volume = i;
    is_mixed[i] = i % 3 == 0;
  }
#pragma omp target data map(to : c, is_mixed, table) map(from : out)
  {
    update(CELLS, c, is_mixed, out);
    mixed(CELLS, c, is_mixed, out);
    iterated(CELLS, 3, c, table, out);
  }
  printf("%g\n", out[3]);
  return 0;
}

// CHECK: region 'update'
// CHECK: acc0 load c 8 bytes
// CHECK: stride constant 32 class uncoalesced sectors 32..32 lines 8..9
// CHECK: group0 of acc0 acc3 sectors 32..33 lines 8..9 least 16
// CHECK: acc2 load c 8 bytes
// CHECK-NEXT: address
// CHECK-NEXT: stride constant 32 class uncoalesced sectors 32..32 lines 8..9
// CHECK-NEXT: runs 1 if
// CHECK-NEXT: acc3 load c 8 bytes
// CHECK: region 'mixed'
// CHECK: acc1 load c 8 bytes
// CHECK: stride constant 32 class coalesced, alone uncoalesced
// CHECK: group0 of acc1 acc2 acc3 acc4 sectors 32..33 lines 8..9 least 32
// CHECK: region 'iterated'
// CHECK-NOT: {{group[0-9]}}
// CHECK: total sectors
// RUNS: groups of accesses, with numbers of sectors and lines of all together: {{[1-9][0-9]*}} right, 0 not
// RUNS: 0 wrong
