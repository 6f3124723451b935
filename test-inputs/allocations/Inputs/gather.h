static void gather(long n, long m, const int *col, const double *x, double *y) {
#pragma omp target teams distribute parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j)
      y[i * m + j] = x[col[i * m + j]];
}
