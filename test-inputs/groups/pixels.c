// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
// RUN: %ipda-oracle inputs %s | %FileCheck %s --check-prefix=RUNS
//
// Red, green and blue bytes. In 'grey' a thread reads all of a pixel before it writes; in 'swapped' each write may be to what is read next, since
// bytes may be anything; in 'behind_barrier' other threads may have written between the loads.

#include <stdio.h>

#define PIXELS 960

typedef unsigned char byte;

// ARGS: n: 960

static void grey(long n, const byte *rgb, byte *out) {
  long i;
#pragma omp target teams distribute parallel for map(to : rgb[0 : 3 * n]) map(from : out[0 : n])
  for (i = 0; i < n; ++i)
    out[i] = (byte)((rgb[3 * i] + rgb[3 * i + 1] + rgb[3 * i + 2]) / 3);
}

static void swapped(long n, const byte *rgb, byte *bgr) {
  long i;
#pragma omp target teams distribute parallel for map(to : rgb[0 : 3 * n]) map(from : bgr[0 : 3 * n])
  for (i = 0; i < n; ++i) {
    bgr[3 * i + 2] = rgb[3 * i];
    bgr[3 * i + 1] = rgb[3 * i + 1];
    bgr[3 * i] = rgb[3 * i + 2];
  }
}

extern int omp_get_thread_num(void);

static void behind_barrier(const byte *rgb, byte *out) {
#pragma omp target teams num_teams(1) thread_limit(32) map(to : rgb[0 : 96]) map(from : out[0 : 32])
#pragma omp parallel num_threads(32)
  {
    const int t = omp_get_thread_num();
    const int red = rgb[3 * t];
#pragma omp barrier
    out[t] = (byte)(red + rgb[3 * t + 1]);
  }
}

int main(void) {
  static byte rgb[3 * PIXELS], bgr[3 * PIXELS], out[PIXELS];
  long i;
  for (i = 0; i < 3 * PIXELS; ++i)
    rgb[i] = (byte)i;
#pragma omp target data map(to : rgb) map(from : bgr, out)
  {
    grey(PIXELS, rgb, out);
    swapped(PIXELS, rgb, bgr);
    behind_barrier(rgb, out);
  }
  printf("%d %d\n", bgr[4], out[7]);
  return 0;
}

// CHECK: region 'grey'
// CHECK: stride constant 3 class coalesced, alone strided sectors 3..4 lines 1..2
// CHECK: group0 of acc0 acc1 acc2 sectors 3..4 lines 1..2 least 3
// CHECK: total sectors 4 without-count 0
// CHECK: region 'swapped'
// CHECK-NOT: {{group[0-9]}}
// CHECK: total sectors 18 without-count 0
// CHECK: region 'behind_barrier'
// CHECK-NOT: {{group[0-9]}}
// CHECK: total sectors
// RUNS: groups of accesses, with numbers of sectors and lines of all together: {{[1-9][0-9]*}} right, 0 not
// RUNS: 0 wrong
