// RUN: %clang -O2 -fopenmp -Wall -Wextra -Werror %s -o %t -lm && %t | %FileCheck %s
// RUN: %S/../plugin/by-versions.sh %plugin %llvm-lib %t %clang -O2 %s
// CHECK: solution: 9.562390e+00
// CHECK: residual: 4.374219e-04
// CHECK: energy: 2.041868e-01
// CHECK: matrix: 1.241789e+02
// CHECK: load: 2.495574e+00
// CHECK: flux: 7.450567e-01
// CHECK: mean flux: 7.310940e-01
// CHECK: relaxed: 9.205424e+00
//
// Diffusion with reaction by finite elements: stiffness on bilinear quadrilaterals, mass on the triangles into which they are cut. The coefficient
// lies on a grid of cells with two ghost layers. The matrix has nine slots for each row, one slot after the other; stiffness is gathered into it,
// mass is added atomically. Conjugate gradients solve it, then fluxes are found.
//
// ARGS: x_min: 1
// ARGS: x_max: 21
// ARGS: y_min: 1
// ARGS: y_max: 13
// ARGS: width: 25
// ARGS: nx: 23
// ARGS: ny: 17
// ARGS: nelem: 37
// ARGS: ntri: 29
// ARGS: nrow: 45
// ARGS: rows: 45
// ARGS: parity: 0
// ARGS: slot_list: { type: i32, count: 1620, fill: { modulo: 592 } }
// ARGS: fixed: { type: i32, count: 100, fill: { modulo: 2 } }
// ARGS: geo: { type: f64, count: 740, fill: { modulo: 5 } }
// ARGS: mat: { type: f64, count: 405, fill: { modulo: 9 } }
// ARGS: diag: { type: f64, count: 45, fill: { constant: 4 } }
// ARGS: u: { type: f64, count: 432, fill: { modulo: 11 } }
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NODES 4  // of a quadrilateral; as many points of the quadrature
#define POINTS 4
#define SLOTS 9
#define SHARED 4 // elements at a node
#define PARTS 5  // of what is kept of the geometry: weight, and the inverse of the mapping's derivative

#define CELL(f, j, k) f[((k) - (y_min - 2)) * width + ((j) - (x_min - 2))]
#define GEO(q, part, e) geo[((q) * PARTS + (part)) * nelem + (e)]
#define STIFF(e, i, j) stiff[((e) * NODES + (i)) * NODES + (j)]
#define MASS(t, i, j) mass[((t) * 3 + (i)) * 3 + (j)]
#define SLOT(s, row) ((s) * nrow + (row))

// What the solver works on.
static int nrow, *col, *fixed;
static double *mat, *b, *u, *res, *dir, *image, *prec, *diag;

static inline double source(double x, double y) { return 10 * x * (1 - y) + sin(3 * x); }

// A component of the slope of shape function a at point q.
static inline double slope(const double *restrict dshape, const double *restrict geo, int nelem, int q, int a, int d, int e) {
  return dshape[(q * NODES + a) * 2] * GEO(q, 1 + d, e) + dshape[(q * NODES + a) * 2 + 1] * GEO(q, 3 + d, e);
}

static void coefficient(int x_min, int x_max, int y_min, int y_max, double *kappa, double *kappa_new) {
  const int width = x_max - x_min + 5, cells = width * (y_max - y_min + 5);
  int j, k;
#pragma omp target teams distribute parallel for collapse(2) private(j, k) map(from : kappa[0 : cells])
  for (k = y_min - 2; k <= y_max + 2; k++)
    for (j = x_min - 2; j <= x_max + 2; j++)
      CELL(kappa, j, k) = (j + k) % 3 == 0 ? 2.0 : 1.0 + 0.25 * ((j * j + 3 * k + 12) % 4);

  // wrong: collapse(2): a streak is drawn along a row from cell to cell
#pragma omp target teams distribute parallel for private(j) map(tofrom : kappa[0 : cells])
  for (k = y_min - 2; k <= y_max + 2; k++)
    for (j = x_min - 1; j <= x_max + 2; j++)
      CELL(kappa, j, k) = 0.5 * (CELL(kappa, j - 1, k) + CELL(kappa, j, k));

#pragma omp target teams distribute parallel for collapse(2) private(j, k) map(to : kappa[0 : cells]) map(tofrom : kappa_new[0 : cells])
  for (k = y_min - 1; k <= y_max + 1; k++)
    for (j = x_min - 1; j <= x_max + 1; j++)
      CELL(kappa_new, j, k) = 0.5 * CELL(kappa, j, k) + 0.125 * (CELL(kappa, j - 1, k) + CELL(kappa, j + 1, k) + CELL(kappa, j, k - 1) +
                                                                 CELL(kappa, j, k + 1));
}

static void geometry(int nelem, int nnode, const int *elem_node, const double *xy, const double *dshape, double *geo) {
  int q, e;
#pragma omp target teams distribute parallel for collapse(2) private(q, e) map(to : elem_node[0 : NODES * nelem], xy[0 : 2 * nnode]) \
    map(to : dshape[0 : POINTS * NODES * 2]) map(from : geo[0 : POINTS * PARTS * nelem])
  for (q = 0; q < POINTS; q++)
    for (e = 0; e < nelem; e++) {
      double xs = 0, xt = 0, ys = 0, yt = 0, det;
      for (int a = 0; a < NODES; ++a) {
        const int n = elem_node[NODES * e + a];
        xs += dshape[(q * NODES + a) * 2] * xy[2 * n];
        xt += dshape[(q * NODES + a) * 2 + 1] * xy[2 * n];
        ys += dshape[(q * NODES + a) * 2] * xy[2 * n + 1];
        yt += dshape[(q * NODES + a) * 2 + 1] * xy[2 * n + 1];
      }
      det = xs * yt - xt * ys;
      GEO(q, 0, e) = det;
      GEO(q, 1, e) = yt / det;
      GEO(q, 2, e) = -xt / det;
      GEO(q, 3, e) = -ys / det;
      GEO(q, 4, e) = xs / det;
    }
}

static void element_matrices(int nelem, int ntri, double sigma, const int *elem_cell, const int *tri_node, const double *xy, const double *kappa,
                             const double *dshape, const double *geo, double *stiff, double *mass) {
#pragma omp target teams distribute parallel for collapse(3)
  for (int e = 0; e < nelem; ++e)
    for (int i = 0; i < NODES; ++i)
      for (int j = 0; j < NODES; ++j) {
        double sum = 0;
        for (int q = 0; q < POINTS; ++q)
          for (int d = 0; d < 2; ++d)
            sum += GEO(q, 0, e) * slope(dshape, geo, nelem, q, i, d, e) * slope(dshape, geo, nelem, q, j, d, e);
        STIFF(e, i, j) = kappa[elem_cell[e]] * sum;
      }

#pragma omp target teams distribute parallel for collapse(2)
  for (int t = 0; t < ntri; ++t)
    for (int i = 0; i < 3; ++i) {
      const double *p0 = xy + 2 * tri_node[3 * t], *p1 = xy + 2 * tri_node[3 * t + 1], *p2 = xy + 2 * tri_node[3 * t + 2];
      const double area = 0.5 * fabs((p1[0] - p0[0]) * (p2[1] - p0[1]) - (p2[0] - p0[0]) * (p1[1] - p0[1]));
      for (int j = 0; j < 3; ++j)
        MASS(t, i, j) = sigma * area / 12 * (i == j ? 2 : 1);
    }
}

static void load_vector(int nelem, int rows, const int *elem_node, const int *node_elem, const double *xy, const double *shape, const double *geo,
                        double *elem_load, double *rhs) {
#pragma omp target teams distribute parallel for collapse(2)
  for (int e = 0; e < nelem; ++e)
    for (int a = 0; a < NODES; ++a) {
      double sum = 0;
      for (int q = 0; q < POINTS; ++q) {
        double x = 0, y = 0;
        for (int c = 0; c < NODES; ++c) {
          x += shape[q * NODES + c] * xy[2 * elem_node[NODES * e + c]];
          y += shape[q * NODES + c] * xy[2 * elem_node[NODES * e + c] + 1];
        }
        sum += GEO(q, 0, e) * shape[q * NODES + a] * source(x, y);
      }
      elem_load[NODES * e + a] = sum;
    }

#pragma omp target teams distribute parallel for
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int c = 0; c < SHARED; ++c) {
      const int at = node_elem[SHARED * row + c];
      if (at < 0)
        continue;
      sum += elem_load[at];
    }
    rhs[row] = sum;
  }
}

static void assemble(int ntri, const int *slot_list, const int *tri_slot, const double *stiff, const double *mass) {
#pragma omp target teams distribute parallel for collapse(2)
  for (int s = 0; s < SLOTS; ++s)
    for (int row = 0; row < nrow; ++row) {
      double sum = 0;
      for (int c = 0; c < SHARED; ++c) {
        const int at = slot_list[SLOT(s, row) * SHARED + c];
        if (at >= 0)
          sum += stiff[at];
      }
      mat[SLOT(s, row)] = sum;
    }

#pragma omp target teams distribute parallel for collapse(3)
  for (int t = 0; t < ntri; ++t)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
#pragma omp atomic
        mat[tri_slot[(t * 3 + i) * 3 + j]] += MASS(t, i, j);
      }

  // Values at the boundary are zero: nothing comes from there, and there the matrix is the identity.
#pragma omp target teams loop collapse(2)
  for (int s = 0; s < SLOTS; ++s)
    for (int row = 0; row < nrow; ++row) {
      if (fixed[row])
        mat[SLOT(s, row)] = s == SLOTS / 2 ? 1 : 0;
      else if (fixed[col[SLOT(s, row)]])
        mat[SLOT(s, row)] = 0;
    }

#pragma omp target teams distribute parallel for
  for (int row = 0; row < nrow; ++row) {
    diag[row] = mat[SLOT(SLOTS / 2, row)];
    if (fixed[row])
      b[row] = 0;
  }
}

// y = A x, a slot of the row after the other.
static void multiply(const double *x, double *y) {
  int row, s;
#pragma omp target teams distribute parallel for
  for (row = 0; row < nrow; row++)
    y[row] = 0;
  // wrong: collapse(2): the slots of a row add to the same element
#pragma omp target teams distribute parallel for private(s)
  for (row = 0; row < nrow; row++)
    for (s = 0; s < SLOTS; s++)
      y[row] += mat[SLOT(s, row)] * x[col[SLOT(s, row)]];
}

static double dot(const double *x, const double *y) {
  double sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
  for (int row = 0; row < nrow; ++row)
    sum += x[row] * y[row];
  return sum;
}

static double solve(int iterations) {
  multiply(u, image);
#pragma omp target teams distribute parallel for
  for (int row = 0; row < nrow; ++row) {
    res[row] = b[row] - image[row];
    dir[row] = prec[row] = res[row] / diag[row];
  }
  double old = dot(res, prec);
  for (int iteration = 0; iteration < iterations; ++iteration) {
    multiply(dir, image);
    const double alpha = old / dot(dir, image);
#pragma omp target
#pragma omp parallel
    {
#pragma omp for
      for (int row = 0; row < nrow; ++row) {
        u[row] += alpha * dir[row];
        res[row] -= alpha * image[row];
      }
#pragma omp for
      for (int row = 0; row < nrow; ++row)
        prec[row] = res[row] / diag[row];
    }
    const double now = dot(res, prec), beta = now / old;
#pragma omp target teams distribute parallel for
    for (int row = 0; row < nrow; ++row)
      dir[row] = prec[row] + beta * dir[row];
    old = now;
  }
  return sqrt(dot(res, res));
}

// Relaxes every second line of nodes, each from left to right; then the lines between.
static void relax_lines(int nx, int ny, double h, double *u) {
  int j, k, parity;
  for (parity = 0; parity < 2; parity++) {
    // wrong: collapse(2): a node takes the new value of the node to its left
#pragma omp target teams distribute parallel for private(j)
    for (k = 1 + parity; k < ny; k += 2)
      for (j = 1; j < nx; j++)
        u[k * (nx + 1) + j] = (u[k * (nx + 1) + j - 1] + u[k * (nx + 1) + j + 1] + u[(k - 1) * (nx + 1) + j] + u[(k + 1) * (nx + 1) + j] + h * h) / 4;
  }
}

static void fluxes(int nelem, int rows, const int *elem_node, const int *node_elem, const double *dshape, const double *geo, double *flux, double *mean) {
  int d, e, a, row, c;
  double sum;
#pragma omp target parallel for collapse(2) private(a, sum)
  for (d = 0; d < 2; d++)
    for (e = 0; e < nelem; e++) {
      sum = 0;
      for (a = 0; a < NODES; a++)
        sum -= slope(dshape, geo, nelem, 0, a, d, e) * u[elem_node[NODES * e + a]];
      flux[d * nelem + e] = sum;
    }

#pragma omp target teams distribute parallel for collapse(2) private(row, d, c, sum)
  for (row = 0; row < rows; row++)
    for (d = 0; d < 2; d++) {
      sum = 0;
      for (c = 0; c < SHARED; c++)
        if (node_elem[SHARED * row + c] >= 0)
          sum += 0.25 * flux[d * nelem + node_elem[SHARED * row + c] / NODES];
      mean[2 * row + d] = sum;
    }
}

static double energy(int nelem, const int *elem_node, const int *elem_cell, const double *kappa, const double *dshape, const double *geo) {
  double sum = 0;
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : sum) map(tofrom : sum)
  for (int q = 0; q < POINTS; ++q)
    for (int e = 0; e < nelem; ++e)
      for (int d = 0; d < 2; ++d) {
        double gradient = 0;
        for (int a = 0; a < NODES; ++a)
          gradient += slope(dshape, geo, nelem, q, a, d, e) * u[elem_node[NODES * e + a]];
        sum += GEO(q, 0, e) * kappa[elem_cell[e]] * gradient * gradient;
      }
  return sum;
}

static double *numbers(int n) { return calloc(n, sizeof(double)); }
static int *integers(int n) { return calloc(n, sizeof(int)); }
static double total(int n, const double *values) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += values[i];
  return sum;
}

int main(int argc, char **argv) {
  const int nx = argc > 1 ? atoi(argv[1]) : 14, ny = argc > 2 ? atoi(argv[2]) : 11, iterations = argc > 3 ? atoi(argv[3]) : 15;
  const int nelem = nx * ny, ntri = 2 * nelem, x_min = 1, x_max = nx, y_min = 1, y_max = ny, width = nx + 4, cells = width * (ny + 4);
  const double h = 1.0 / nx, sigma = 0.8, root = 1 / sqrt(3.0);
  nrow = (nx + 1) * (ny + 1);
  int *elem_node = integers(NODES * nelem), *elem_cell = integers(nelem), *tri_node = integers(3 * ntri), *tri_slot = integers(9 * ntri);
  int *slot_list = integers(SHARED * SLOTS * nrow), *node_elem = integers(SHARED * nrow);
  double *xy = numbers(2 * nrow), *kappa = numbers(cells), *kappa_new = numbers(cells), *geo = numbers(POINTS * PARTS * nelem);
  double *stiff = numbers(NODES * NODES * nelem), *mass = numbers(9 * ntri), *elem_load = numbers(NODES * nelem);
  double *flux = numbers(2 * nelem), *mean = numbers(2 * nrow), shape[POINTS * NODES], dshape[POINTS * NODES * 2];
  col = integers(SLOTS * nrow), fixed = integers(nrow), mat = numbers(SLOTS * nrow), b = numbers(nrow), u = numbers(nrow);
  res = numbers(nrow), dir = numbers(nrow), image = numbers(nrow), prec = numbers(nrow), diag = numbers(nrow);

  for (int q = 0; q < POINTS; ++q)
    for (int a = 0; a < NODES; ++a) {
      const double sa = a & 1 ? 1 : -1, ta = a & 2 ? 1 : -1, s = q & 1 ? root : -root, t = q & 2 ? root : -root;
      shape[q * NODES + a] = 0.25 * (1 + sa * s) * (1 + ta * t);
      dshape[(q * NODES + a) * 2] = 0.25 * sa * (1 + ta * t);
      dshape[(q * NODES + a) * 2 + 1] = 0.25 * ta * (1 + sa * s);
    }
  for (int i = 0; i < SHARED * SLOTS * nrow; ++i)
    slot_list[i] = -1;
  for (int row = 0; row < nrow; ++row) {
    const int j = row % (nx + 1), k = row / (nx + 1);
    fixed[row] = j == 0 || k == 0 || j == nx || k == ny;
    for (int s = 0; s < SLOTS; ++s) {
      const int jn = j + s % 3 - 1, kn = k + s / 3 - 1;
      col[SLOT(s, row)] = jn < 0 || jn > nx || kn < 0 || kn > ny ? row : kn * (nx + 1) + jn;
    }
    for (int c = 0; c < SHARED; ++c) {
      const int je = j - (c & 1), ke = k - (c >> 1);
      node_elem[SHARED * row + c] = je < 0 || je >= nx || ke < 0 || ke >= ny ? -1 : NODES * (ke * nx + je) + c;
    }
  }
  for (int e = 0; e < nelem; ++e) {
    static const int corners[2][3] = {{0, 1, 3}, {0, 3, 2}};
    const int j = e % nx, k = e / nx;
    elem_cell[e] = (k + 2) * width + j + 2;
    for (int a = 0; a < NODES; ++a)
      elem_node[NODES * e + a] = (k + (a >> 1)) * (nx + 1) + j + (a & 1);
    for (int a = 0; a < NODES; ++a)
      for (int c = 0; c < NODES; ++c) {
        const int s = ((c >> 1) - (a >> 1) + 1) * 3 + (c & 1) - (a & 1) + 1;
        slot_list[SLOT(s, elem_node[NODES * e + a]) * SHARED + a] = (e * NODES + a) * NODES + c;
      }
    for (int half = 0; half < 2; ++half)
      for (int i = 0; i < 3; ++i) {
        const int a = corners[half][i];
        tri_node[3 * (2 * e + half) + i] = elem_node[NODES * e + a];
        for (int l = 0; l < 3; ++l) {
          const int c = corners[half][l], s = ((c >> 1) - (a >> 1) + 1) * 3 + (c & 1) - (a & 1) + 1;
          tri_slot[((2 * e + half) * 3 + i) * 3 + l] = SLOT(s, elem_node[NODES * e + a]);
        }
      }
  }

#pragma omp target teams distribute parallel for collapse(2) map(from : xy[0 : 2 * nrow])
  for (int k = 0; k <= ny; ++k)
    for (int j = 0; j <= nx; ++j) {
      xy[2 * (k * (nx + 1) + j)] = h * (j + 0.3 * sin(0.5 * k) * (j > 0 && j < nx));
      xy[2 * (k * (nx + 1) + j) + 1] = h * (k + 0.2 * sin(0.9 * j) * (k > 0 && k < ny));
    }

  double residual, stored;
#pragma omp target data map(to : elem_node[0 : NODES * nelem], elem_cell[0 : nelem], tri_node[0 : 3 * ntri], tri_slot[0 : 9 * ntri]) \
    map(to : slot_list[0 : SHARED * SLOTS * nrow], node_elem[0 : SHARED * nrow], col[0 : SLOTS * nrow], fixed[0 : nrow]) \
    map(to : xy[0 : 2 * nrow], shape, dshape, kappa_new[0 : cells]) map(alloc : geo[0 : POINTS * PARTS * nelem], mass[0 : 9 * ntri]) \
    map(alloc : stiff[0 : NODES * NODES * nelem], elem_load[0 : NODES * nelem], kappa[0 : cells], res[0 : nrow], dir[0 : nrow]) \
    map(alloc : image[0 : nrow], prec[0 : nrow], diag[0 : nrow]) map(from : mat[0 : SLOTS * nrow], b[0 : nrow], flux[0 : 2 * nelem]) \
    map(from : mean[0 : 2 * nrow]) map(tofrom : u[0 : nrow])
  {
    coefficient(x_min, x_max, y_min, y_max, kappa, kappa_new);
    geometry(nelem, nrow, elem_node, xy, dshape, geo);
    element_matrices(nelem, ntri, sigma, elem_cell, tri_node, xy, kappa_new, dshape, geo, stiff, mass);
    load_vector(nelem, nrow, elem_node, node_elem, xy, shape, geo, elem_load, b);
    assemble(ntri, slot_list, tri_slot, stiff, mass);
    residual = solve(iterations);
#pragma omp target update from(u[0 : nrow])
    printf("solution: %.6e\n", total(nrow, u));
    fluxes(nelem, nrow, elem_node, node_elem, dshape, geo, flux, mean);
    stored = energy(nelem, elem_node, elem_cell, kappa_new, dshape, geo);
    relax_lines(nx, ny, h, u);
  }
  printf("residual: %.6e\nenergy: %.6e\n", residual, stored);
  printf("matrix: %.6e\nload: %.6e\n", total(SLOTS * nrow, mat), total(nrow, b));
  printf("flux: %.6e\nmean flux: %.6e\n", total(nelem, flux), total(2 * nrow, mean));
  printf("relaxed: %.6e\n", total(nrow, u));

  void *all[] = {elem_node, elem_cell, tri_node, tri_slot, slot_list, node_elem, col, fixed, xy, kappa, kappa_new, geo, stiff, mass, elem_load, flux, mean,
                 mat, b, u, res, dir, image, prec, diag};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); ++i)
    free(all[i]);
  return 0;
}
