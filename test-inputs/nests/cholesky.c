// RUN: %nests %s | %FileCheck %s
//
// Cholesky's factorisation L of a symmetric matrix, right-looking: in step k the column below the diagonal is scaled, then the triangle
// right of it loses the column's outer product with itself. In a step the triangle's rows (i) and columns (j) are parallel, and the
// column's elements are; k is not.

double sqrt(double);

void cholesky(int n, double l[restrict n][n]) {
  for (int k = 0; k < n; ++k) {
    double pivot = sqrt(l[k][k]);
    l[k][k] = pivot;
    for (int i = k + 1; i < n; ++i)
      l[i][k] /= pivot;
    for (int i = k + 1; i < n; ++i)
      for (int j = k + 1; j <= i; ++j)
        l[i][j] -= l[i][k] * l[j][k];
  }
}
