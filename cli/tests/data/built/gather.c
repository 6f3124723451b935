//
// y[i] = x[idx[i]]: idx and y are 4 bytes apart; where x is read is decided by the contents of idx.
// gather-loaded-offset.c is the twin whose loaded index is the same for all threads.

void gather(int n, const int *idx, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : idx[0 : n], x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = x[idx[i]];
}
