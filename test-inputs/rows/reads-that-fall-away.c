// RUN: %ipda-oracle transform %s | %FileCheck %s
// RUN: %device | %FileCheck %s --check-prefix=TOLD
//
// Where loops are fused, their tests are gone, and with them what was read for these alone; and what is read twice lies in one body then, so that the
// compiler reads it once. What nothing needs goes, too. The changed code is right all the same. Behind them are twins that stay as they are: the
// loops look the same, but their count changes, or an iteration needs what the one before has found.
//
// CHECK: 7 kernels, 5 transformed
// CHECK: launches compared, 0 wrong

// TOLD-NOT: not as expected

// The numbers are where the host has mapped them.
void scores(int positions_a, int positions_b, int diagonals, const unsigned char *match, short *score) {
  int i, j, t;
#pragma omp target parallel for private(i, j, t) map(to : positions_a, positions_b, diagonals)                                          \
    map(to : match[0 : positions_a * positions_b]) map(tofrom : score[0 : positions_a * positions_b])
  for (i = 0; i < positions_a - diagonals; i++)
    for (j = 0; j < positions_b - diagonals; j++) {
      short run = 0;
      for (t = 0; t < diagonals; t++)
        run += match[(i + t) * positions_b + (j + t)];
      score[i * positions_b + j] = run;
    }
}

#define COLUMNS 256
#define CELL(f, i, j) f[(i) * COLUMNS + (j)]

// The number of columns is asked for by the inner loop's test alone.
void clear(int rows, const int *columns, float *f) {
  int i, j;
#pragma omp target teams distribute parallel for private(j)
  for (i = 0; i < rows; i++)
    for (j = 0; j < *columns; j++)
      CELL(f, i, j) = 0;
}

struct grid {
  int nx, ny, halo, stride;
  double dx, dy;
};

#define AT(i, j) (((i) + g->halo) * g->stride + (j) + g->halo)

// A value that is computed and not used; and three ways, of which two ask for the same.
void upwind(const struct grid *g, const double *restrict u, const double *restrict q, double *restrict flux, double *restrict slope) {
  int i, j;
#pragma omp target teams distribute parallel for private(j) map(to : g[0 : 1])
  for (i = 0; i < g->ny; i++)
    for (j = 0; j < g->nx; j++) {
      double from = q[AT(i, j)] * u[AT(i, j + 1)] + u[AT(i + 1, j)], unused = (q[AT(i, j + 1)] - q[AT(i + 1, j)]) * g->dy;
      if (u[AT(i, j)] > 0.0) {
        from = q[AT(i, j - 1)];
        slope[AT(i, j)] = q[AT(i, j)] - q[AT(i, j - 1)];
      } else if (u[AT(i, j)] < 0.0) {
        from = q[AT(i, j + 1)];
        slope[AT(i, j)] = q[AT(i, j + 1)] - q[AT(i, j)];
      } else {
        from = 0.5 * (q[AT(i, j)] + q[AT(i, j - 1)]);
        slope[AT(i, j)] = 0.0;
      }
      unused = g->dx;
      flux[AT(i, j)] = from * u[AT(i, j)] * unused;
    }
}

void replaced(const struct grid *g, const double *a, const double *e, const double *f, double *b, double *d) {
  int i, j;
#pragma omp target teams distribute parallel for private(j) map(to : g[0 : 1])
  for (i = 0; i < g->ny; i++)
    for (j = 0; j < g->nx; j++) {
      double x = 0, y = 1;
      d[AT(i, j)] = e[AT(i, j + 1)];
      y = a[AT(i, j + 1)];
      x = (b[AT(i, j)] - e[AT(i + 1, j)]) * a[AT(i, j)] + f[AT(i + 1, j)];
      x = (double)j;
      b[AT(i, j)] += x * y;
    }
}

void boundary(const struct grid *g, double *p, double *q, double *r, const int *type) {
  int i, j;
#pragma omp target teams distribute parallel for private(j) map(to : g[0 : 1])
  for (i = 0; i < g->ny; i++)
    for (j = 0; j < g->nx; j++) {
      const int at = AT(i, j);
      if (type[at] == 0) {
        p[at] = q[at] + r[at] * g->dx;
        q[at] = p[at] * g->dy;
      } else if (type[at] == 1) {
        p[at] = -q[at] + r[at] * g->dx;
        q[at] = 2.0 * p[at] * g->dy;
      } else {
        p[at] = 0.0;
        q[at] = r[at];
      }
      r[at] = p[at] * g->dx + q[at] * g->dy;
    }
}

// The count is what the loop writes.
void clear_and_count(int rows, int *columns, int *f) {
  int i, j;
#pragma omp target teams distribute parallel for private(j)
  for (i = 0; i < rows; i++)
    for (j = 0; j < columns[i]; j++) {
      CELL(f, i, j) = 0;
      columns[i] = CELL(f, i, j + 1) & 127;
    }
}

// The value that looks as if nothing needed it is what the next column begins with.
void upwind_carried(const struct grid *g, const double *restrict u, const double *restrict q, double *restrict flux) {
  int i, j;
#pragma omp target teams distribute parallel for private(j) map(to : g[0 : 1])
  for (i = 0; i < g->ny; i++) {
    double from = 0.0;
    for (j = 0; j < g->nx; j++) {
      flux[AT(i, j)] = from * u[AT(i, j)];
      if (u[AT(i, j)] > 0.0)
        from = q[AT(i, j - 1)];
      else if (u[AT(i, j)] < 0.0)
        from = q[AT(i, j + 1)];
      else
        from = 0.5 * (q[AT(i, j)] + q[AT(i, j - 1)]);
    }
  }
}
