// RUN: %clang -O2 -fopenmp -Wall -Wextra -Werror %s -o %t -lm && %t | %FileCheck %s
// RUN: %S/../plugin/by-versions.sh %plugin %llvm-lib %t %clang -O2 %s
// CHECK: flux by diagonals: 7.537436e+01
// CHECK: flux by rows: 7.537436e+01
// CHECK: converged: yes
// CHECK: absorbed: 4.757399e+00
// CHECK: leaked: 2.404204e+00
// CHECK: emitted: 7.142857e+00
// CHECK: fastest group: 3.308635e+01
// CHECK: slowest group: 1.911861e+01
// CHECK: share above the slowest: 7.475030e-01
// CHECK: apart from diffusion: 3.540773e-02
//
// Transport of neutral particles by discrete ordinates: a flux for each group of energy, direction and cell of a plane,
// with isotropic scattering between the groups and nothing coming in from outside. Each direction is swept through the
// plane, row by row or diagonal by diagonal; both orders must give the same. At the end the currents are compared with
// those of diffusion.
//
// ARGS: nx: 26
// ARGS: ny: 19
// ARGS: groups: 3
// ARGS: angles: 5
// ARGS: cells: 494
// ARGS: quadrant: 1
// ARGS: g: 1
// ARGS: row: 7
// ARGS: diagonal: 20
// ARGS: first: 2
// ARGS: last: 18
// ARGS: dx: 0.5
// ARGS: dy: 0.25
// ARGS: material: { type: i32, count: 494, fill: { modulo: 3 } }
// ARGS: table: { type: f64, count: 9, fill: { constant: 2 } }
// ARGS: scatter: { type: f64, count: 9, fill: { modulo: 4 } }
// ARGS: total: { type: f64, count: 1482, fill: { constant: 4 } }
// ARGS: fixed: { type: f64, count: 1482, fill: { modulo: 3 } }
// ARGS: source: { type: f64, count: 1482, fill: { modulo: 5 } }
// ARGS: phi: { type: f64, count: 1482, fill: { modulo: 7 } }
// ARGS: old: { type: f64, count: 1482, fill: { constant: 8 } }
// ARGS: current: { type: f64, count: 1482, fill: { modulo: 6 } }
// ARGS: psi: { type: f64, count: 29640, fill: { modulo: 13 } }
// ARGS: edge_x: { type: f64, count: 285, fill: { modulo: 3 } }
// ARGS: edge_y: { type: f64, count: 390, fill: { modulo: 5 } }
// ARGS: mu: { type: f64, values: [0.25, 0.5, 0.75, 1, 2] }
// ARGS: eta: { type: f64, values: [1, 0.75, 0.5, 0.25, 2] }
// ARGS: weight: { type: f64, values: [1, 2, 1, 2, 1] }
// ARGS: smooth: { type: f64, count: 690, fill: { modulo: 9 } }
// ARGS: spectrum: { type: f64, count: 1482, fill: { modulo: 10 } }
// ARGS: in_group: { type: f64, count: 3, fill: zero }
// ARGS: largest: 0
// ARGS: sides: 0
// ARGS: ends: 0
// ARGS: sum: 0

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MATERIALS 3
#define HALF_PI 1.57079632679489662
#define FIELD(f, g, k, j) f[((size_t)(g) * ny + (k)) * nx + (j)]
// Directions of the four quadrants come one quadrant after the other.
#define FLUX(f, g, d, k, j) f[(((size_t)(g) * 4 * angles + (d)) * ny + (k)) * nx + (j)]
// Two ghost cells on each side.
#define WIDE(f, k, j) f[((k) + 2) * (nx + 4) + ((j) + 2)]

struct problem {
  int nx, ny, groups, angles;
  double dx, dy;
  const double *mu, *eta, *weight, *scatter;
  double *total, *fixed, *source, *phi, *old, *current, *psi, *edge_x, *edge_y;
};

// A source in one corner, a shield across the plane, and scattering matter around.
static void place_materials(int nx, int ny, int *material) {
  int j, k;
#pragma omp target teams distribute parallel for collapse(2) private(j, k)
  for (k = 0; k < ny; k++)
    for (j = 0; j < nx; j++) {
      int here = 0;
      if (4 * j < nx && 3 * k < ny)
        here = 1;
      else if (2 * j > nx && 2 * j < nx + 8)
        here = 2;
      material[k * nx + j] = here;
    }
}

static void cross_sections(int nx, int ny, int groups, const int *material, const double *table, double *total,
                           double *fixed) {
  int g, j, k;
#pragma omp target teams distribute parallel for collapse(3) private(g, j, k)
  for (g = 0; g < groups; g++)
    for (k = 0; k < ny; k++)
      for (j = 0; j < nx; j++) {
        FIELD(total, g, k, j) = table[material[k * nx + j] * groups + g];
        FIELD(fixed, g, k, j) = material[k * nx + j] == 1 ? 1.0 / (g + 1) : 0.0;
      }
}

// What is emitted, and scattered from all groups into this one.
static void scattering_source(int nx, int ny, int groups, const double *scatter, const double *fixed, const double *phi,
                              double *source) {
  int g, from, j, k;
#pragma omp target teams distribute parallel for collapse(3) private(g, from, j, k)
  for (g = 0; g < groups; g++)
    for (k = 0; k < ny; k++)
      for (j = 0; j < nx; j++) {
        double sum = FIELD(fixed, g, k, j);
        for (from = 0; from < groups; from++)
          sum += scatter[g * groups + from] * FIELD(phi, from, k, j);
        FIELD(source, g, k, j) = sum;
      }
}

// The mean flux of a cell by diamond differences; the fluxes on its edges are replaced by those that leave it.
static inline double cross_cell(double source, double total, double along_x, double along_y, double *edge_x,
                                double *edge_y) {
  double mean = (source + along_x * *edge_x + along_y * *edge_y) / (total + along_x + along_y);
  *edge_x = fmax(0.0, 2.0 * mean - *edge_x);
  *edge_y = fmax(0.0, 2.0 * mean - *edge_y);
  return mean;
}

static void no_incoming(int nx, int ny, int groups, int angles, double *edge_x, double *edge_y) {
  int line, j, k;
#pragma omp target teams
  {
#pragma omp distribute parallel for collapse(2) private(line, k)
    for (line = 0; line < groups * angles; line++)
      for (k = 0; k < ny; k++)
        edge_x[line * ny + k] = 0.0;
#pragma omp distribute parallel for collapse(2) private(line, j)
    for (line = 0; line < groups * angles; line++)
      for (j = 0; j < nx; j++)
        edge_y[line * nx + j] = 0.0;
  }
}

// One row of cells to the right, for all groups and the angles of a quadrant.
static void sweep_right(const struct problem *p, int quadrant, int row) {
  const int nx = p->nx, ny = p->ny, groups = p->groups, angles = p->angles;
  const double dx = p->dx, dy = p->dy, *mu = p->mu, *eta = p->eta, *total = p->total, *source = p->source;
  double *psi = p->psi, *edge_x = p->edge_x, *edge_y = p->edge_y;
  int line, j;
// wrong: collapse(2): a cell takes the flux that leaves the cell on its left
#pragma omp target teams distribute parallel for private(line, j)
  for (line = 0; line < groups * angles; line++)
    for (j = 0; j < nx; j++) {
      int g = line / angles, a = line % angles;
      FLUX(psi, g, quadrant * angles + a, row, j) =
          cross_cell(FIELD(source, g, row, j), FIELD(total, g, row, j), 2.0 * mu[a] / dx, 2.0 * eta[a] / dy,
                     &edge_x[line * ny + row], &edge_y[line * nx + j]);
    }
}

// The same to the left: groups and angles are independent, the cells are not.
static void sweep_left(const struct problem *p, int quadrant, int row) {
  const int nx = p->nx, ny = p->ny, groups = p->groups, angles = p->angles;
  const double dx = p->dx, dy = p->dy, *mu = p->mu, *eta = p->eta, *total = p->total, *source = p->source;
  double *psi = p->psi, *edge_x = p->edge_x, *edge_y = p->edge_y;
#pragma omp target teams distribute parallel for collapse(2)
  for (int g = 0; g < groups; g++)
    for (int a = 0; a < angles; a++) {
      double along_x = 2.0 * mu[a] / dx, along_y = 2.0 * eta[a] / dy;
      int line = g * angles + a;
      for (int j = nx - 1; j >= 0; j--)
        FLUX(psi, g, quadrant * angles + a, row, j) =
            cross_cell(FIELD(source, g, row, j), FIELD(total, g, row, j), along_x, along_y, &edge_x[line * ny + row],
                       &edge_y[line * nx + j]);
    }
}

// The cells of a diagonal are independent: from column `first` to `last`, counted in the direction of flight.
static void sweep_diagonal(const struct problem *p, int quadrant, int diagonal, int first, int last) {
  const int nx = p->nx, ny = p->ny, groups = p->groups, angles = p->angles;
  const double dx = p->dx, dy = p->dy, *mu = p->mu, *eta = p->eta, *total = p->total, *source = p->source;
  double *psi = p->psi, *edge_x = p->edge_x, *edge_y = p->edge_y;
#pragma omp target teams distribute parallel for collapse(3)
  for (int g = 0; g < groups; g++)
    for (int a = 0; a < angles; a++)
      for (int c = first; c <= last; c++) {
        int j = quadrant % 2 ? nx - 1 - c : c, line = g * angles + a;
        int k = quadrant / 2 ? ny - 1 - (diagonal - c) : diagonal - c;
        FLUX(psi, g, quadrant * angles + a, k, j) =
            cross_cell(FIELD(source, g, k, j), FIELD(total, g, k, j), 2.0 * mu[a] / dx, 2.0 * eta[a] / dy,
                       &edge_x[line * ny + k], &edge_y[line * nx + j]);
      }
}

// What leaves the plane with the directions of a quadrant.
static double leakage(const struct problem *p) {
  const int nx = p->nx, ny = p->ny, groups = p->groups, angles = p->angles;
  const double dx = p->dx, dy = p->dy, *mu = p->mu, *eta = p->eta, *weight = p->weight;
  const double *edge_x = p->edge_x, *edge_y = p->edge_y;
  double sides = 0.0, ends = 0.0;
  int line, j, k;
#pragma omp target teams distribute parallel for collapse(2) private(line, k) map(tofrom : sides) reduction(+ : sides)
  for (line = 0; line < groups * angles; line++)
    for (k = 0; k < ny; k++)
      sides += weight[line % angles] * mu[line % angles] * dy * edge_x[line * ny + k];
#pragma omp target teams distribute parallel for collapse(2) private(line, j) map(tofrom : ends) reduction(+ : ends)
  for (line = 0; line < groups * angles; line++)
    for (j = 0; j < nx; j++)
      ends += weight[line % angles] * eta[line % angles] * dx * edge_y[line * nx + j];
  return sides + ends;
}

// Scalar flux and the current along x from the fluxes of all directions.
static void moments(int nx, int ny, int groups, int angles, const double *restrict mu, const double *restrict weight,
                    const double *restrict psi, double *restrict phi, double *restrict current) {
  int g, d, j, k;
#pragma omp target teams loop collapse(3) private(g, d, j, k)
  for (g = 0; g < groups; g++)
    for (k = 0; k < ny; k++)
      for (j = 0; j < nx; j++) {
        double sum = 0.0, net = 0.0;
        for (d = 0; d < 4 * angles; d++) {
          double part = weight[d % angles] * FLUX(psi, g, d, k, j);
          sum += part;
          net += d / angles % 2 ? -mu[d % angles] * part : mu[d % angles] * part;
        }
        FIELD(phi, g, k, j) = sum;
        FIELD(current, g, k, j) = net;
      }
}

// The largest relative change of the scalar flux; the old one is replaced.
static double change(size_t cells, unsigned groups, const double *phi, double *old) {
  double largest = 0.0;
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : largest) reduction(max : largest)
  for (unsigned g = 0; g < groups; g++)
    for (size_t i = 0; i < cells; i++) {
      double now = phi[g * cells + i], was = old[g * cells + i];
      old[g * cells + i] = now;
      if (now <= 0.0)
        continue;
      largest = fmax(largest, fabs(now - was) / now);
    }
  return largest;
}

static double solve(const struct problem *p, int by_rows, int most, double *lost) {
  const int nx = p->nx, ny = p->ny;
  double largest = 1.0;
  for (int iteration = 0; iteration < most && largest > 1.0e-6; iteration++) {
    scattering_source(nx, ny, p->groups, p->scatter, p->fixed, p->phi, p->source);
    *lost = 0.0;
    for (int quadrant = 0; quadrant < 4; quadrant++) {
      no_incoming(nx, ny, p->groups, p->angles, p->edge_x, p->edge_y);
      for (int step = 0; step < (by_rows ? ny : nx + ny - 1); step++) {
        int row = quadrant / 2 ? ny - 1 - step : step;
        if (!by_rows)
          sweep_diagonal(p, quadrant, step, step < ny ? 0 : step - ny + 1, step < nx ? step : nx - 1);
        else if (quadrant % 2)
          sweep_left(p, quadrant, row);
        else
          sweep_right(p, quadrant, row);
      }
      *lost += leakage(p);
    }
    moments(nx, ny, p->groups, p->angles, p->mu, p->weight, p->psi, p->phi, p->current);
    largest = change((size_t)nx * ny, p->groups, p->phi, p->old);
  }
  return largest;
}

static double absorption(const struct problem *p, const double *scatter) {
  const int nx = p->nx, ny = p->ny, groups = p->groups;
  const double *total = p->total, *phi = p->phi;
  double sum = 0.0;
#pragma omp target teams distribute parallel for collapse(3) map(tofrom : sum) reduction(+ : sum)
  for (int g = 0; g < groups; g++)
    for (int k = 0; k < ny; k++)
      for (int j = 0; j < nx; j++) {
        double left = FIELD(total, g, k, j);
        for (int to = 0; to < groups; to++)
          left -= scatter[to * groups + g];
        sum += left * FIELD(phi, g, k, j);
      }
  return sum * p->dx * p->dy;
}

// Fick's law in a group: its flux with two mirrored ghost cells on each side, then a gradient of fourth order.
static double diffusion_error(int nx, int ny, int g, double dx, const double *phi, const double *total,
                              const double *current, double *smooth) {
  double largest = 0.0;
  int j, k;
#pragma omp target teams distribute parallel for collapse(2) private(j, k)
  for (k = -2; k < ny + 2; k++)
    for (j = -2; j < nx + 2; j++) {
      int from_k = k < 0 ? -1 - k : k >= ny ? 2 * ny - 1 - k : k;
      int from_j = j < 0 ? -1 - j : j >= nx ? 2 * nx - 1 - j : j;
      WIDE(smooth, k, j) = FIELD(phi, g, from_k, from_j);
    }
#pragma omp target parallel for collapse(2) private(j, k) map(tofrom : largest) reduction(max : largest)
  for (k = 0; k < ny; k++)
    for (j = 0; j < nx; j++) {
      double slope =
          (8.0 * (WIDE(smooth, k, j + 1) - WIDE(smooth, k, j - 1)) - WIDE(smooth, k, j + 2) + WIDE(smooth, k, j - 2)) /
          (12.0 * dx);
      largest = fmax(largest, fabs(FIELD(current, g, k, j) + slope / (3.0 * FIELD(total, g, k, j))));
    }
  return largest;
}

// How much of the flux of a cell is in this group or above, and the sum of each group.
static void spectra(size_t cells, int groups, const double *phi, double *spectrum, double *in_group) {
  size_t i;
  int g;
// wrong: collapse(2): the groups of a cell are summed one after the other
#pragma omp target teams distribute parallel for private(g)
  for (i = 0; i < cells; i++)
    for (g = 1; g < groups; g++)
      spectrum[i * groups + g] += spectrum[i * groups + g - 1];

// wrong: collapse(2): all cells add to the element of their group
#pragma omp target teams distribute parallel for private(i)
  for (g = 0; g < groups; g++)
    for (i = 0; i < cells; i++)
      in_group[g] += phi[g * cells + i];
}

int main(int argc, char **argv) {
  const int nx = argc > 1 ? atoi(argv[1]) : 22, ny = argc > 2 ? atoi(argv[2]) : 14, groups = 3;
  const int angles = argc > 3 ? atoi(argv[3]) : 4, most = argc > 4 ? atoi(argv[4]) : 60;
  if (nx < 3 || ny < 3 || angles < 1)
    return 1;
  const double dx = 8.0 / nx, dy = 5.0 / ny;
  const size_t cells = (size_t)nx * ny, fields = cells * groups, lines = (size_t)groups * angles;
  const double scatter[9] = {0.3, 0.0, 0.0, 0.2, 0.4, 0.0, 0.05, 0.2, 0.6};
  const double table[MATERIALS * 3] = {0.8, 0.9, 1.0, 1.0, 1.2, 1.4, 2.5, 3.0, 4.0};
  double *block = calloc(7 * fields + 4 * angles * fields + lines * (nx + ny) + 3 * angles + groups, sizeof *block);
  double *smooth = calloc((size_t)(nx + 4) * (ny + 4), sizeof *smooth);
  int *material = malloc(cells * sizeof *material);
  double *total = block, *fixed = total + fields, *source = fixed + fields, *phi = source + fields;
  double *old = phi + fields, *current = old + fields, *spectrum = current + fields, *psi = spectrum + fields;
  double *edge_x = psi + 4 * angles * fields, *edge_y = edge_x + lines * ny, *mu = edge_y + lines * nx;
  double *eta = mu + angles, *weight = eta + angles, *in_group = weight + angles;
  struct problem p = {nx,    ny,    groups, angles, dx,  dy,      mu,  eta,    weight, scatter,
                      total, fixed, source, phi,    old, current, psi, edge_x, edge_y};
  double lost[2], error[2], sum[2] = {0.0, 0.0}, absorbed, emitted = 0.0, apart, share = 0.0;

  for (int a = 0; a < angles; a++) {
    double angle = HALF_PI * (a + 0.5) / angles;
    mu[a] = 0.8 * cos(angle), eta[a] = 0.8 * sin(angle), weight[a] = 0.25 / angles;
  }

#pragma omp target data map(to : mu[0 : angles], eta[0 : angles], weight[0 : angles], scatter, table)                  \
    map(tofrom : total[0 : fields], fixed[0 : fields], source[0 : fields], phi[0 : fields], old[0 : fields])           \
    map(tofrom : current[0 : fields], spectrum[0 : fields], in_group[0 : groups], smooth[0 : (nx + 4) * (ny + 4)])     \
    map(alloc : psi[0 : 4 * angles * fields], edge_x[0 : lines * ny], edge_y[0 : lines * nx], material[0 : cells])
  {
    place_materials(nx, ny, material);
    cross_sections(nx, ny, groups, material, table, total, fixed);
    for (int by_rows = 0; by_rows < 2; by_rows++) {
      for (size_t i = 0; i < fields; i++)
        phi[i] = old[i] = 0.0;
#pragma omp target update to(phi[0 : fields], old[0 : fields])
      error[by_rows] = solve(&p, by_rows, most, &lost[by_rows]);
#pragma omp target update from(phi[0 : fields], fixed[0 : fields])
      for (size_t i = 0; i < fields; i++)
        sum[by_rows] += phi[i];
    }
    absorbed = absorption(&p, scatter);
    apart = diffusion_error(nx, ny, groups - 1, dx, phi, total, current, smooth);

    // The flux with the groups of a cell side by side.
#pragma omp target teams distribute parallel for collapse(2)
    for (int g = 0; g < groups; g++)
      for (size_t i = 0; i < cells; i++)
        spectrum[i * groups + g] = phi[g * cells + i];
    spectra(cells, groups, phi, spectrum, in_group);
  }

  for (size_t i = 0; i < fields; i++)
    emitted += fixed[i] * dx * dy;
  for (size_t i = 0; i < cells; i++)
    share += spectrum[i * groups + 1] / spectrum[i * groups + groups - 1] / cells;
  printf("flux by diagonals: %.6e\nflux by rows: %.6e\n", sum[0], sum[1]);
  printf("converged: %s\n", error[0] <= 1.0e-6 && error[1] <= 1.0e-6 ? "yes" : "no");
  printf("absorbed: %.6e\nleaked: %.6e\nemitted: %.6e\n", absorbed, lost[1], emitted);
  printf("fastest group: %.6e\nslowest group: %.6e\n", in_group[0], in_group[groups - 1]);
  printf("share above the slowest: %.6e\n", share);
  printf("apart from diffusion: %.6e\n", apart);
  free(block), free(smooth), free(material);
  return 0;
}
