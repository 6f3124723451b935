// Apps_DIFFUSION3DPA: y += grad' T grad x in each hexahedron: 3^3 coefficients, a symmetric tensor T at each of 4^3 points, B and its slope G an axis at a time.
// EXTENTS: ne = size // 64
#include "times.h"

enum { D1 = 3, Q1 = 4, POINTS = 64 };

void diffusion(int ne, double *y, const double *x, const double *b, const double *g, const double *tensor) {
#pragma omp target ELEMENTS(ne) map(tofrom : y[0 : (long)D1 * D1 * D1 * ne]) map(to : x[0 : (long)D1 * D1 * D1 * ne], b[0 : Q1 * D1], g[0 : Q1 * D1], tensor[0 : 6l * POINTS * ne])
  for (int e = 0; e < ne; ++e) {
    double one[3][Q1][Q1][Q1], other[3][Q1][Q1][Q1];
    FOR_THREADS(Q1, D1, D1, q, j, k, {
      double of_b = 0.0;
      double of_g = 0.0;
      for (int i = 0; i < D1; ++i) {
        double coefficient = x[i + D1 * (j + D1 * (k + (long)D1 * e))];
        of_b += b[q + Q1 * i] * coefficient;
        of_g += g[q + Q1 * i] * coefficient;
      }
      one[0][k][j][q] = of_b;
      one[1][k][j][q] = of_g;
    })
    FOR_THREADS(Q1, Q1, D1, p, q, k, {
      double in_x = 0.0;
      double in_y = 0.0;
      double of_b = 0.0;
      for (int j = 0; j < D1; ++j) {
        in_x += b[q + Q1 * j] * one[1][k][j][p];
        in_y += g[q + Q1 * j] * one[0][k][j][p];
        of_b += b[q + Q1 * j] * one[0][k][j][p];
      }
      other[0][k][q][p] = in_x;
      other[1][k][q][p] = in_y;
      other[2][k][q][p] = of_b;
    })
    FOR_THREADS(Q1, Q1, Q1, p, q, r, {
      double in_x = 0.0;
      double in_y = 0.0;
      double in_z = 0.0;
      for (int k = 0; k < D1; ++k) {
        in_x += b[r + Q1 * k] * other[0][k][q][p];
        in_y += b[r + Q1 * k] * other[1][k][q][p];
        in_z += g[r + Q1 * k] * other[2][k][q][p];
      }
      const double *t = tensor + p + Q1 * (q + Q1 * (r + (long)Q1 * 6 * e));
      one[0][r][q][p] = t[0 * POINTS] * in_x + t[1 * POINTS] * in_y + t[2 * POINTS] * in_z;
      one[1][r][q][p] = t[1 * POINTS] * in_x + t[3 * POINTS] * in_y + t[4 * POINTS] * in_z;
      one[2][r][q][p] = t[2 * POINTS] * in_x + t[4 * POINTS] * in_y + t[5 * POINTS] * in_z;
    })
    FOR_THREADS(D1, Q1, Q1, i, q, r, {
      double from_x = 0.0;
      double from_y = 0.0;
      double from_z = 0.0;
      for (int p = 0; p < Q1; ++p) {
        from_x += g[p + Q1 * i] * one[0][r][q][p];
        from_y += b[p + Q1 * i] * one[1][r][q][p];
        from_z += b[p + Q1 * i] * one[2][r][q][p];
      }
      other[0][r][q][i] = from_x;
      other[1][r][q][i] = from_y;
      other[2][r][q][i] = from_z;
    })
    FOR_THREADS(D1, D1, Q1, i, j, r, {
      double from_x = 0.0;
      double from_y = 0.0;
      double from_z = 0.0;
      for (int q = 0; q < Q1; ++q) {
        from_x += b[q + Q1 * j] * other[0][r][q][i];
        from_y += g[q + Q1 * j] * other[1][r][q][i];
        from_z += b[q + Q1 * j] * other[2][r][q][i];
      }
      one[0][r][j][i] = from_x;
      one[1][r][j][i] = from_y;
      one[2][r][j][i] = from_z;
    })
    FOR_THREADS(D1, D1, D1, i, j, k, {
      double from_x = 0.0;
      double from_y = 0.0;
      double from_z = 0.0;
      for (int r = 0; r < Q1; ++r) {
        from_x += b[r + Q1 * k] * one[0][r][j][i];
        from_y += b[r + Q1 * k] * one[1][r][j][i];
        from_z += g[r + Q1 * k] * one[2][r][j][i];
      }
      y[i + D1 * (j + D1 * (k + (long)D1 * e))] += from_x + from_y + from_z;
    })
  }
}
