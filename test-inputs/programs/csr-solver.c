// RUN: %clang -O2 -fopenmp -Wall -Wextra -Werror %s -o %t -lm && %t | %FileCheck %s
// RUN: %S/../plugin/by-versions.sh %plugin %llvm-lib %t %clang -O2 %s
// CHECK: coefficient: 7.670000e+02
// CHECK: entries: 730
// CHECK: largest residual: 5.868158e-03
// CHECK: largest value: 3.211783e+00
// CHECK: solution: 1.539395e+03
// CHECK: products: 1.572967e+03
// CHECK: second column: 2.544461e+02
// CHECK: pairs: 1.823074e+04
//
// A sparse system for several right-hand sides at once: diffusion on a grid of cells with two ghost layers, its matrix by rows (CSR), vectors with the
// right-hand sides of a row side by side. Conjugate gradients with small dense blocks as a preconditioner, then sweeps of Jacobi and Gauss-Seidel.
//
// ARGS: x_min: 3
// ARGS: x_max: 21
// ARGS: y_min: 2
// ARGS: y_max: 13
// ARGS: width: 23
// ARGS: n: 37
// ARGS: nrhs: 5
// ARGS: nblock: 13
// ARGS: nchunk: 19
// ARGS: chunk: 22
// ARGS: a: { struct: { n: 37 } }
// ARGS: row_ptr: { type: i64, values: [0, 4, 9, 14, 17, 21, 21, 23, 26, 30, 34, 39, 39, 45, 51, 57, 62, 68, 72, 77, 79, 85, 89, 89, 93, 98, 104, 109, 111, 115, 117, 119, 124, 129, 131, 131, 136, 140] }
// ARGS: col: { type: i32, count: 160, fill: { modulo: 37 } }
// ARGS: val: { type: f64, count: 160, fill: { modulo: 6 } }
// ARGS: dinv: { type: f64, count: 37, fill: { constant: 0.5 } }
// ARGS: block: { type: f64, count: 117, fill: { modulo: 4 } }
// ARGS: kappa: { type: f64, count: 368, fill: { modulo: 17 } }
// ARGS: scan: { type: i64, count: 418, fill: { modulo: 6 } }
// ARGS: base: { type: i64, count: 19, fill: index }
// ARGS: x: { type: f64, count: 185, fill: { modulo: 11 } }
// ARGS: b: { type: f64, count: 185, fill: { modulo: 13 } }
// ARGS: y: { type: f64, count: 185, fill: { modulo: 7 } }
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK 3
#define OMEGA 0.7

#define CELL(j, k) kappa[((k) - (y_min - 2)) * width + ((j) - (x_min - 2))]
#define AT(f, row, r) f[(row) * nrhs + (r)]
#define SMALLER(a, b) ((a) < (b) ? (a) : (b))

// Row i has the entries from row_ptr[i] up to row_ptr[i + 1].
struct csr {
  long n;
  long *row_ptr;
  int *col;
  double *val;
};

// What flows between two cells with a unit of difference.
static inline double conductance(double here, double there) { return 2 * here * there / (here + there); }

static inline double row_times(const long *restrict row_ptr, const int *restrict col, const double *restrict val, const double *restrict x, long nrhs,
                               long row, long r) {
  double sum = 0;
  for (long i = row_ptr[row]; i < row_ptr[row + 1]; ++i)
    sum += val[i] * AT(x, col[i], r);
  return sum;
}

static void coefficient(long x_min, long x_max, long y_min, long y_max, double *kappa) {
  const long width = x_max - x_min + 5, cells = width * (y_max - y_min + 5);
  long j, k, d;
#pragma omp target teams distribute parallel for collapse(2) private(j, k) map(tofrom : kappa[0 : cells])
  for (k = y_min; k <= y_max; k++)
    for (j = x_min; j <= x_max; j++)
      CELL(j, k) = 1 + 0.5 * ((j * k + 2 * j) % 5) + (k > j ? 2 : 0);

  // The ghost layers mirror what lies inside: left and right, then below and above with the corners.
#pragma omp target teams distribute parallel for collapse(2) private(k, d) map(tofrom : kappa[0 : cells])
  for (k = y_min; k <= y_max; k++)
    for (d = 0; d < 2; d++) {
      CELL(x_min - 1 - d, k) = CELL(x_min + d, k);
      CELL(x_max + 1 + d, k) = CELL(x_max - d, k);
    }
#pragma omp target teams distribute parallel for collapse(2) private(j, d) map(tofrom : kappa[0 : cells])
  for (d = 0; d < 2; d++)
    for (j = x_min - 2; j <= x_max + 2; j++) {
      CELL(j, y_min - 1 - d) = CELL(j, y_min + d);
      CELL(j, y_max + 1 + d) = CELL(j, y_max - d);
    }
}

// How many entries each row has, and from this where rows begin: sums within chunks, sums of chunks, both together.
static void row_starts(long x_min, long x_max, long y_min, long y_max, size_t nchunk, size_t chunk, long *scan, long *base) {
  long j, k;
#pragma omp target data map(tofrom : scan[0 : nchunk * chunk]) map(alloc : base[0 : nchunk])
  {
#pragma omp target teams distribute parallel for collapse(2) private(j, k)
    for (k = y_min; k <= y_max; k++)
      for (j = x_min; j <= x_max; j++) {
        const long row = (k - y_min) * (x_max - x_min + 1) + (j - x_min);
        scan[row] = 1 + (j > x_min) + (j < x_max) + (k > y_min) + (k < y_max);
      }

    // wrong: collapse(2): a chunk is summed from left to right
#pragma omp target teams distribute parallel for
    for (size_t c = 0; c < nchunk; ++c)
      for (size_t i = 1; i < chunk; ++i)
        scan[c * chunk + i] += scan[c * chunk + i - 1];

#pragma omp target
    {
      base[0] = 0;
      for (size_t c = 1; c < nchunk; ++c)
        base[c] = base[c - 1] + scan[c * chunk - 1];
    }

#pragma omp target teams distribute parallel for collapse(2)
    for (size_t c = 0; c < nchunk; ++c)
      for (size_t i = 0; i < chunk; ++i)
        scan[c * chunk + i] += base[c];
  }
}

static void multiply(const struct csr *a, size_t nrhs, const double *x, double *y) {
  const size_t n = a->n;
  const long *row_ptr = a->row_ptr;
  const int *col = a->col;
  const double *val = a->val;
#pragma omp target teams distribute parallel for collapse(2) map(to : row_ptr[0 : n + 1], x[0 : n * nrhs]) map(from : y[0 : n * nrhs])
  for (size_t row = 0; row < n; ++row)
    for (size_t r = 0; r < nrhs; ++r) {
      double sum = 0;
      for (long i = row_ptr[row]; i < row_ptr[row + 1]; ++i)
        sum += val[i] * AT(x, col[i], r);
      AT(y, row, r) = sum;
    }
}

static void residuals(const struct csr *a, long nrhs, const double *x, const double *b, double *res) {
  const long *row_ptr = a->row_ptr;
  const int *col = a->col;
  const double *val = a->val;
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : 1])
  for (long row = 0; row < a->n; ++row)
    for (long r = 0; r < nrhs; ++r)
      AT(res, row, r) = AT(b, row, r) - row_times(row_ptr, col, val, x, nrhs, row, r);
}

// Blocks at the diagonal: the first two terms of the series for their inverse.
static void make_blocks(const struct csr *a, long nblock, double *dinv, double *block) {
  const long n = a->n, *row_ptr = a->row_ptr;
  const int *col = a->col;
  const double *val = a->val;
#pragma omp target teams distribute parallel for
  for (long row = 0; row < n; ++row)
    for (long i = row_ptr[row]; i < row_ptr[row + 1]; ++i)
      if (col[i] == row)
        dinv[row] = 1 / val[i];

#pragma omp target teams distribute parallel for collapse(3)
  for (long p = 0; p < nblock; ++p)
    for (int i = 0; i < BLOCK; ++i)
      for (int j = 0; j < BLOCK; ++j) {
        const long row = p * BLOCK + i, other = p * BLOCK + j;
        if (row >= n || other >= n)
          continue;
        double entry = 0;
        for (long e = row_ptr[row]; e < row_ptr[row + 1]; ++e)
          if (col[e] == other)
            entry = val[e];
        block[(p * BLOCK + i) * BLOCK + j] = (i == j ? 2 * dinv[row] : 0) - dinv[row] * entry * dinv[other];
      }
}

static void precondition(long n, long nblock, long nrhs, const double *block, const double *x, double *y) {
  long p, i, j, r;
  double sum;
#pragma omp target teams distribute parallel for collapse(3) private(p, i, j, r, sum) map(to : x[0 : n * nrhs]) map(from : y[0 : n * nrhs])
  for (p = 0; p < nblock; p++)
    for (i = 0; i < BLOCK; i++)
      for (r = 0; r < nrhs; r++) {
        if (p * BLOCK + i >= n)
          continue;
        sum = 0;
        for (j = 0; j < BLOCK && p * BLOCK + j < n; j++)
          sum += block[(p * BLOCK + i) * BLOCK + j] * AT(x, p * BLOCK + j, r);
        AT(y, p * BLOCK + i, r) = sum;
      }
}

// A product for each right-hand side, first by chunks of rows.
static void products(size_t n, size_t nrhs, size_t nchunk, size_t chunk, const double *x, const double *y, double *part, double *product) {
#pragma omp target teams distribute parallel for collapse(2)
  for (size_t c = 0; c < nchunk; ++c)
    for (size_t r = 0; r < nrhs; ++r) {
      double sum = 0;
      for (size_t row = c * chunk; row < SMALLER(n, (c + 1) * chunk); ++row)
        sum += AT(x, row, r) * AT(y, row, r);
      AT(part, c, r) = sum;
    }
#pragma omp target teams distribute parallel for
  for (size_t r = 0; r < nrhs; ++r) {
    product[r] = 0;
    for (size_t c = 0; c < nchunk; ++c)
      product[r] += AT(part, c, r);
  }
#pragma omp target update from(product[0 : nrhs])
}

static void products_by_columns(size_t n, size_t nrhs, const double *x, const double *y, double *product) {
  // wrong: collapse(2): all rows of a right-hand side go into one sum
#pragma omp target teams distribute parallel for map(to : x[0 : n * nrhs], y[0 : n * nrhs]) map(tofrom : product[0 : nrhs])
  for (size_t r = 0; r < nrhs; ++r)
    for (size_t row = 0; row < n; ++row)
      product[r] += AT(x, row, r) * AT(y, row, r);
}

static double largest(size_t n, size_t nrhs, const double *x) {
  double most = 0;
#pragma omp target teams distribute parallel for collapse(2) reduction(max : most) map(tofrom : most) map(to : x[0 : n * nrhs])
  for (size_t row = 0; row < n; ++row)
    for (size_t r = 0; r < nrhs; ++r)
      most = fmax(most, fabs(AT(x, row, r)));
  return most;
}

// The solution and what is left of the right-hand sides, each with its own step.
static void step(long n, long nrhs, const double *alpha, const double *dir, const double *image, double *x, double *res) {
#pragma omp target teams map(to : alpha[0 : nrhs])
  {
#pragma omp distribute parallel for collapse(2)
    for (long row = 0; row < n; ++row)
      for (long r = 0; r < nrhs; ++r)
        AT(x, row, r) += alpha[r] * AT(dir, row, r);
#pragma omp distribute parallel for collapse(2)
    for (long row = 0; row < n; ++row)
      for (long r = 0; r < nrhs; ++r)
        AT(res, row, r) -= alpha[r] * AT(image, row, r);
  }
}

static void turn(long n, long nrhs, const double *beta, const double *prec, double *dir) {
#pragma omp target teams loop collapse(2) map(to : beta[0 : nrhs])
  for (long row = 0; row < n; ++row)
    for (long r = 0; r < nrhs; ++r)
      AT(dir, row, r) = AT(prec, row, r) + beta[r] * AT(dir, row, r);
}

static void jacobi(unsigned n, unsigned nrhs, const double *dinv, const double *res, double *x) {
  unsigned row, r;
#pragma omp target teams distribute parallel for collapse(2) private(row, r)
  for (row = 0; row < n; row++)
    for (r = 0; r < nrhs; r++)
      AT(x, row, r) += OMEGA * dinv[row] * AT(res, row, r);
}

static void gauss_seidel(const struct csr *a, long nrhs, const double *dinv, const double *b, double *x) {
  const long n = a->n, *row_ptr = a->row_ptr;
  const int *col = a->col;
  const double *val = a->val;
  long row, r, i;
  // wrong: collapse(2): a row takes what rows before it have just got
#pragma omp target teams distribute parallel for private(row, i)
  for (r = 0; r < nrhs; r++)
    for (row = 0; row < n; row++) {
      double left = AT(b, row, r);
      for (i = row_ptr[row]; i < row_ptr[row + 1]; i++)
        if (col[i] != row)
          left -= val[i] * AT(x, col[i], r);
      AT(x, row, r) = left * dinv[row];
    }
}

// Right-hand side after right-hand side instead of row after row, and the products of all pairs.
static void transpose_and_pair(long n, long nrhs, const double *x, double *columns, double *gram) {
#pragma omp target parallel for collapse(2) map(to : x[0 : n * nrhs]) map(from : columns[0 : n * nrhs])
  for (long r = 0; r < nrhs; ++r)
    for (long row = 0; row < n; ++row)
      columns[r * n + row] = AT(x, row, r);

#pragma omp target teams distribute parallel for collapse(2) map(to : columns[0 : n * nrhs]) map(from : gram[0 : nrhs * nrhs])
  for (long r = 0; r < nrhs; ++r)
    for (long s = 0; s < nrhs; ++s) {
      double sum = 0;
      for (long row = 0; row < n; ++row)
        sum += columns[r * n + row] * columns[s * n + row];
      gram[r * nrhs + s] = sum;
    }
}

static double total(size_t n, const double *values) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i)
    sum += values[i];
  return sum;
}

static double *numbers(size_t n) { return calloc(n, sizeof(double)); }

int main(int argc, char **argv) {
  const long nx = argc > 1 ? atol(argv[1]) : 13, ny = argc > 2 ? atol(argv[2]) : 12, nrhs = argc > 3 ? atol(argv[3]) : 6;
  const int iterations = argc > 4 ? atoi(argv[4]) : 12, sweeps = argc > 5 ? atoi(argv[5]) : 3;
  const long x_min = 1, x_max = nx, y_min = 1, y_max = ny, width = nx + 4, n = nx * ny;
  const long chunk = 16, nchunk = (n + chunk - 1) / chunk, nblock = (n + BLOCK - 1) / BLOCK, size = n * nrhs;
  double *kappa = numbers(width * (ny + 4)), *dinv = numbers(n), *block = numbers(nblock * BLOCK * BLOCK);
  double *x = numbers(size), *b = numbers(size), *res = numbers(size), *prec = numbers(size), *dir = numbers(size), *image = numbers(size);
  double *columns = numbers(size), *gram = numbers(nrhs * nrhs), *part = numbers(nchunk * nrhs);
  double *product = numbers(nrhs), *old = numbers(nrhs), *alpha = numbers(nrhs), *beta = numbers(nrhs);
  long *scan = calloc(nchunk * chunk, sizeof(long)), *base = calloc(nchunk, sizeof(long));

  coefficient(x_min, x_max, y_min, y_max, kappa);
  row_starts(x_min, x_max, y_min, y_max, nchunk, chunk, scan, base);
  const long entries = scan[n - 1];
  struct csr matrix = {n, calloc(n + 1, sizeof(long)), calloc(entries, sizeof(int)), numbers(entries)};
  const struct csr *a = &matrix;
  long *row_ptr = matrix.row_ptr;
  int *col = matrix.col;
  double *val = matrix.val;
  for (long row = 0; row < n; ++row) {
    const long steps[4] = {-nx, -1, 1, nx}, j = row % nx + x_min, k = row / nx + y_min;
    const double there[4] = {CELL(j, k - 1), CELL(j - 1, k), CELL(j + 1, k), CELL(j, k + 1)};
    const int inside[4] = {k > y_min, j > x_min, j < x_max, k < y_max};
    row_ptr[row + 1] = scan[row];
    long i = row_ptr[row];
    double middle = 0.2;
    for (int s = 0; s < 4; ++s) {
      if (inside[s]) {
        col[i] = (int)(row + steps[s]);
        val[i++] = -conductance(CELL(j, k), there[s]);
      }
      middle += conductance(CELL(j, k), there[s]);
    }
    col[i] = (int)row;
    val[i] = middle;
  }

#pragma omp target teams distribute parallel for collapse(2) map(from : b[0 : size])
  for (long row = 0; row < n; ++row)
    for (long r = 0; r < nrhs; ++r)
      AT(b, row, r) = r == 0 ? 1 : 1 + cos(0.1 * r * row) * exp(-0.01 * row);

  double left, most;
#pragma omp target data map(to : row_ptr[0 : n + 1], col[0 : entries], val[0 : entries], b[0 : size]) \
    map(tofrom : x[0 : size], product[0 : nrhs]) map(alloc : dinv[0 : n], block[0 : nblock * BLOCK * BLOCK], part[0 : nchunk * nrhs], old[0 : nrhs]) \
    map(alloc : res[0 : size], prec[0 : size], dir[0 : size], image[0 : size]) map(from : columns[0 : size], gram[0 : nrhs * nrhs])
  {
    make_blocks(a, nblock, dinv, block);
    residuals(a, nrhs, x, b, res);
    precondition(n, nblock, nrhs, block, res, dir);
    products(n, nrhs, nchunk, chunk, res, dir, part, old);
    for (int iteration = 0; iteration < iterations; ++iteration) {
      multiply(a, nrhs, dir, image);
      products(n, nrhs, nchunk, chunk, dir, image, part, product);
      for (long r = 0; r < nrhs; ++r)
        alpha[r] = old[r] / product[r];
      step(n, nrhs, alpha, dir, image, x, res);
      precondition(n, nblock, nrhs, block, res, prec);
      products(n, nrhs, nchunk, chunk, res, prec, part, product);
      for (long r = 0; r < nrhs; ++r) {
        beta[r] = product[r] / old[r];
        old[r] = product[r];
      }
      turn(n, nrhs, beta, prec, dir);
    }
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      residuals(a, nrhs, x, b, res);
      jacobi((unsigned)n, (unsigned)nrhs, dinv, res, x);
      gauss_seidel(a, nrhs, dinv, b, x);
    }
    residuals(a, nrhs, x, b, res);
    left = largest(n, nrhs, res);
    most = largest(n, nrhs, x);
    for (long r = 0; r < nrhs; ++r)
      product[r] = 0;
#pragma omp target update to(product[0 : nrhs])
    products_by_columns(n, nrhs, x, b, product);
    transpose_and_pair(n, nrhs, x, columns, gram);
  }
  printf("coefficient: %.6e\nentries: %ld\n", total(width * (ny + 4), kappa), entries);
  printf("largest residual: %.6e\nlargest value: %.6e\n", left, most);
  printf("solution: %.6e\nproducts: %.6e\n", total(size, x), total(nrhs, product));
  printf("second column: %.6e\npairs: %.6e\n", nrhs > 1 ? total(n, columns + n) : 0, total(nrhs * nrhs, gram));

  void *all[] = {kappa, dinv, block, x, b, res, prec, dir, image, columns, gram, part, product, old, alpha, beta, scan, base, row_ptr, col, val};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); ++i)
    free(all[i]);
  return 0;
}
