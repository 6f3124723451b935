//
// x1 += A*y1 and x2 += A^T*y2 for a square matrix, accumulated in memory.
// Between neighbouring i: A[i*n + j] is 4*n bytes apart, its transposed read A[j*n + i] 4 bytes;
// x1[i], x2[i] 4 bytes; y1[j], y2[j] uniform.

void mvt(int n, const float *A, const float *y1, const float *y2, float *x1, float *x2) {
#pragma omp target teams distribute parallel for \
    map(to : A[0 : n * n], y1[0 : n]) map(tofrom : x1[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      x1[i] += A[i * n + j] * y1[j];

#pragma omp target teams distribute parallel for \
    map(to : A[0 : n * n], y2[0 : n]) map(tofrom : x2[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      x2[i] += A[j * n + i] * y2[j];
}
