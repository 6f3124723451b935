// Arrays of which one begins where the other one ends: the guard compares all bytes that are touched, and not one element less, here the last one of b and
// the first one of a, which are one thread's. See mutants.test.
// RUN: %ipda-oracle transform %s
//
// ARGS: n: 13
void last_and_first(int n, const float *a, float *b) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 4; j++)
      b[i] += a[n - 1 - i];
}

void first_and_last(int n, const double *a, double *b) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[n - 1 - i] += a[i];
}
