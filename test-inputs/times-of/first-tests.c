// The optimiser tests loops at their ends, behind a first test whether they run at all. That test fails no more often than the loop runs no iteration, of which
// the count tells: what is in the loop is not halved for it. The same is true of the runtime's test whether a thread takes part in a parallel region.
//
// Threads of a team take turns at 2^k points, for k from 0 to 13: 16,383 points for 64 threads are 262 of each (of 6 rows below 64 one), with 11 fused
// multiplications and additions in double precision and a conversion: 128 teams * 2 warps * 262 * 12 * 32 lanes / (68 multiprocessors * 2 a cycle * 1.44 GHz)
// = 132 us, and not a quarter of that.
// REQUIRES: cuda
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu rtx3080 --clock base --cpu epyc-milan --resident -D num_teams=128 --width 200 --details | %FileCheck %s
// CHECK: float64 units {{1[2-4][0-9](\.[0-9]+)?}} us
#include <omp.h>

void points(double *result, int blocks, double a, double b) {
#pragma omp target teams num_teams(blocks) thread_limit(64) map(from : result[0 : blocks])
  {
    double sums[64];
#pragma omp parallel num_threads(64)
    {
      int t = omp_get_thread_num();
      double step = b, all = 0;
      for (int k = 0; k < 14; ++k) {
        double sum = 0;
        int most = 1 << k;
        for (int i = t; i < most; i += 64) {
          double x = a + i * step, y = x;
          for (int p = 0; p < 9; ++p)
            y = y * x + 0.5;
          sum += y * x;
        }
        all += sum * step;
        step *= 0.5;
      }
      sums[t] = all;
#pragma omp barrier
      if (t == 0)
        result[omp_get_team_num()] = sums[63];
    }
  }
}
