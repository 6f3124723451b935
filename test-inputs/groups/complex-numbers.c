// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
// RUN: %ipda-oracle inputs %s | %FileCheck %s --check-prefix=RUNS
//
// Pairs of floats. 'power' reads both parts; 'counted' makes an atomic update between them; 'by_rows' reads them where the distance of threads is a
// size: they are a group there as well, whatever the size; 'real_of_two' has two numbers, in sectors of their own.

#include <stdio.h>

#define NUMBERS 512

// ARGS: n: 512
// ARGS: ld: 4

static void power(int n, const float *z, float *out) {
  int i;
#pragma omp target teams distribute parallel for map(to : z[0 : 2 * n]) map(from : out[0 : n])
  for (i = 0; i < n; ++i)
    out[i] = z[2 * i] * z[2 * i] + z[2 * i + 1] * z[2 * i + 1];
}

static void counted(int n, const float *z, float *out, int *count) {
  int i;
#pragma omp target teams distribute parallel for map(to : z[0 : 2 * n]) map(from : out[0 : n]) map(tofrom : count[0 : 1])
  for (i = 0; i < n; ++i) {
    const float re = z[2 * i];
#pragma omp atomic
    count[0] += 1;
    out[i] = re + z[2 * i + 1];
  }
}

static void by_rows(int n, int ld, const float *z, float *out) {
  int i;
#pragma omp target teams distribute parallel for map(to : z[0 : n * ld]) map(from : out[0 : n])
  for (i = 0; i < n; ++i)
    out[i] = z[i * ld] * z[i * ld + 1];
}

static void real_of_two(int n, const float *z, float *out) {
  int i;
#pragma omp target teams distribute parallel for map(to : z[0 : 16 * n]) map(from : out[0 : n])
  for (i = 0; i < n; ++i)
    out[i] = z[16 * i] + z[16 * i + 8];
}

int main(void) {
  static float z[16 * NUMBERS], out[NUMBERS];
  int count = 0, i;
  for (i = 0; i < 16 * NUMBERS; ++i)
    z[i] = 0.25f * i;
#pragma omp target data map(to : z) map(from : out) map(tofrom : count)
  {
    power(NUMBERS, z, out);
    counted(NUMBERS, z, out, &count);
    by_rows(NUMBERS, 4, z, out);
    real_of_two(NUMBERS, z, out);
  }
  printf("%g %d\n", out[3], count);
  return 0;
}

// CHECK: region 'power'
// CHECK: stride constant 8 class coalesced, alone strided sectors 8..9 lines 2..3
// CHECK: group0 of acc0 acc1 sectors 8..9 lines 2..3 least 8
// CHECK: total sectors 12 without-count 0
// CHECK: region 'counted'
// CHECK-NOT: {{group[0-9]}}
// CHECK: total sectors
// CHECK: region 'by_rows'
// CHECK: stride symbolic 4*[ld] class symbolic
// CHECK: group0 of acc0 acc1{{$}}
// CHECK: region 'real_of_two'
// CHECK-NOT: {{group[0-9]}}
// CHECK: total sectors 68 without-count 0
// RUNS: groups of accesses, with numbers of sectors and lines of all together: {{[1-9][0-9]*}} right, 0 not
// RUNS: 0 wrong
