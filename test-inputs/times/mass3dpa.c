// Apps_MASS3DPA: y += B' W B x in each hexahedron: B takes its 4^3 coefficients to 5^3 points, W weighs each point; B goes along an axis at a time.
// EXTENTS: ne = size // 125
#include "times.h"

enum { D1 = 4, Q1 = 5 };

void mass(int ne, double *y, const double *x, const double *b, const double *w) {
#pragma omp target ELEMENTS(ne) map(tofrom : y[0 : (long)D1 * D1 * D1 * ne]) map(to : x[0 : (long)D1 * D1 * D1 * ne], b[0 : Q1 * D1], w[0 : (long)Q1 * Q1 * Q1 * ne])
  for (int e = 0; e < ne; ++e) {
    double one[Q1][Q1][Q1], other[Q1][Q1][Q1];
    FOR_THREADS(Q1, D1, D1, q, j, k, {
      double sum = 0.0;
      for (int i = 0; i < D1; ++i)
        sum += b[q + Q1 * i] * x[i + D1 * (j + D1 * (k + (long)D1 * e))];
      one[k][j][q] = sum;
    })
    FOR_THREADS(Q1, Q1, D1, p, q, k, {
      double sum = 0.0;
      for (int j = 0; j < D1; ++j)
        sum += b[q + Q1 * j] * one[k][j][p];
      other[k][q][p] = sum;
    })
    FOR_THREADS(Q1, Q1, Q1, p, q, r, {
      double sum = 0.0;
      for (int k = 0; k < D1; ++k)
        sum += b[r + Q1 * k] * other[k][q][p];
      one[r][q][p] = sum * w[p + Q1 * (q + Q1 * (r + (long)Q1 * e))];
    })
    FOR_THREADS(D1, Q1, Q1, i, q, r, {
      double sum = 0.0;
      for (int p = 0; p < Q1; ++p)
        sum += b[p + Q1 * i] * one[r][q][p];
      other[r][q][i] = sum;
    })
    FOR_THREADS(D1, D1, Q1, i, j, r, {
      double sum = 0.0;
      for (int q = 0; q < Q1; ++q)
        sum += b[q + Q1 * j] * other[r][q][i];
      one[r][j][i] = sum;
    })
    FOR_THREADS(D1, D1, D1, i, j, k, {
      double sum = 0.0;
      for (int r = 0; r < Q1; ++r)
        sum += b[r + Q1 * k] * one[r][j][i];
      y[i + D1 * (j + D1 * (k + (long)D1 * e))] += sum;
    })
  }
}
