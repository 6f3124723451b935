// Apps_CONVECTION3DPA: y += B' (w . grad x) in each hexahedron: 3^3 coefficients, a velocity w at each of 4^3 points, B and its slope G an axis at a time.
// EXTENTS: ne = size // 64
#include "times.h"

enum { D1 = 3, Q1 = 4 };

void convection(int ne, double *y, const double *x, const double *b, const double *g, const double *w) {
#pragma omp target ELEMENTS(ne) map(tofrom : y[0 : (long)D1 * D1 * D1 * ne]) map(to : x[0 : (long)D1 * D1 * D1 * ne], b[0 : Q1 * D1], g[0 : Q1 * D1], w[0 : 3l * Q1 * Q1 * Q1 * ne])
  for (int e = 0; e < ne; ++e) {
    double along[3][Q1][Q1][Q1], value[Q1][Q1][Q1], slope[Q1][Q1][Q1];
    FOR_THREADS(Q1, D1, D1, q, j, k, {
      double of_b = 0.0;
      double of_g = 0.0;
      for (int i = 0; i < D1; ++i) {
        double coefficient = x[i + D1 * (j + D1 * (k + (long)D1 * e))];
        of_b += b[q + Q1 * i] * coefficient;
        of_g += g[q + Q1 * i] * coefficient;
      }
      value[k][j][q] = of_b;
      slope[k][j][q] = of_g;
    })
    FOR_THREADS(Q1, Q1, D1, p, q, k, {
      double in_x = 0.0;
      double in_y = 0.0;
      double of_b = 0.0;
      for (int j = 0; j < D1; ++j) {
        in_x += b[q + Q1 * j] * slope[k][j][p];
        in_y += g[q + Q1 * j] * value[k][j][p];
        of_b += b[q + Q1 * j] * value[k][j][p];
      }
      along[0][k][q][p] = in_x;
      along[1][k][q][p] = in_y;
      along[2][k][q][p] = of_b;
    })
    FOR_THREADS(Q1, Q1, Q1, p, q, r, {
      double in_x = 0.0;
      double in_y = 0.0;
      double in_z = 0.0;
      for (int k = 0; k < D1; ++k) {
        in_x += b[r + Q1 * k] * along[0][k][q][p];
        in_y += b[r + Q1 * k] * along[1][k][q][p];
        in_z += g[r + Q1 * k] * along[2][k][q][p];
      }
      long point = p + Q1 * (q + Q1 * (r + (long)Q1 * 3 * e));
      value[r][q][p] = w[point] * in_x + w[point + Q1 * Q1 * Q1] * in_y + w[point + 2 * Q1 * Q1 * Q1] * in_z;
    })
    FOR_THREADS(D1, Q1, Q1, i, q, r, {
      double sum = 0.0;
      for (int p = 0; p < Q1; ++p)
        sum += b[p + Q1 * i] * value[r][q][p];
      slope[r][q][i] = sum;
    })
    FOR_THREADS(D1, D1, Q1, i, j, r, {
      double sum = 0.0;
      for (int q = 0; q < Q1; ++q)
        sum += b[q + Q1 * j] * slope[r][q][i];
      value[r][j][i] = sum;
    })
    FOR_THREADS(D1, D1, D1, i, j, k, {
      double sum = 0.0;
      for (int r = 0; r < Q1; ++r)
        sum += b[r + Q1 * k] * value[r][j][i];
      y[i + D1 * (j + D1 * (k + (long)D1 * e))] += sum;
    })
  }
}
