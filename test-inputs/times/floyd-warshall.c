// Polybench_FLOYD_WARSHALL: a step of the shortest paths between all pairs; all steps are as many launches.
// EXTENTS: n = sqrt(size); k = n // 2
// LAUNCHES: n
#include "times.h"

void floyd_warshall(int n, int k, const double *in, double *out) {
#pragma omp target teams distribute parallel for AREA(n, n) map(to : in[0 : (long)n * n]) map(from : out[0 : (long)n * n])
  FOR_AREA(n, n, j, i, {
    double direct = in[j + (long)i * n];
    double around = in[k + (long)i * n] + in[j + (long)k * n];
    out[j + (long)i * n] = direct < around ? direct : around;
  })
}
