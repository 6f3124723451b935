// RUN: %clang -O2 -fopenmp -Wall -Wextra -Werror %s -o %t -lm && %t | %FileCheck %s
// RUN: %S/../plugin/by-versions.sh %plugin %llvm-lib %t %clang -O2 %s
// CHECK: flow at half height: 4.036012e-02
// CHECK: mass: 1.055618e+03
// CHECK: drag: 4.120411e-01
// CHECK: lift: -1.951141e-02
// CHECK: speed: 4.220565e-02
// CHECK: density: 9.996382e-01
// CHECK: vorticity: 9.300958e+00
// CHECK: strain: 8.097789e+00
// CHECK: stream function: 4.918717e+02
// CHECK: dye: 4.011097e+01
//
// Flow through a channel with an obstacle by the lattice Boltzmann method with nine velocities. The distributions are
// stored one velocity after the other; a step relaxes them towards equilibrium and moves them to the neighbours, into a
// second array.
//
// ARGS: nx: 37
// ARGS: ny: 21
// ARGS: cells: 777
// ARGS: f: { type: f64, count: 6993, fill: { random: { seed: 1, below: 9 } } }
// ARGS: next: { type: f64, count: 6993, fill: zero }
// ARGS: solid: { type: i8, count: 777, fill: { modulo: 2 } }
// ARGS: rho: { type: f64, count: 777, fill: { constant: 2 } }
// ARGS: ux: { type: f64, count: 777, fill: { modulo: 5 } }
// ARGS: uy: { type: f64, count: 777, fill: { modulo: 7 } }
// ARGS: speed: { type: f64, count: 777, fill: zero }
// ARGS: vorticity: { type: f64, count: 777, fill: zero }
// ARGS: strain: { type: f64, count: 777, fill: zero }
// ARGS: psi: { type: f64, count: 777, fill: zero }
// ARGS: dye: { type: f64, count: 777, fill: { modulo: 11 } }
// ARGS: profile: { type: f64, count: 21, fill: zero }
// ARGS: omega: 0.5
// ARGS: u_in: 0.25
// ARGS: carried: 0.25
// ARGS: drag_x: 0
// ARGS: drag_y: 0
// ARGS: total: 0
// ARGS: lattice: { struct: { nx: 37, ny: 21, centre_x: 9, centre_y: 10, radius: 4 } }

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define Q 9
#define AT(y, x) ((size_t)(y) * nx + (x))
#define F(f, q, y, x) f[((size_t)(q) * ny + (y)) * nx + (x)]

#pragma omp declare target
// The velocities, the weights of their populations, and where each comes back from a wall.
static const int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int opposite[Q] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
static const double share[Q] = {4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36};

static inline double equilibrium(int q, double rho, double ux, double uy) {
  double along = cx[q] * ux + cy[q] * uy;
  return share[q] * rho * (1.0 + 3.0 * along + 4.5 * along * along - 1.5 * (ux * ux + uy * uy));
}
#pragma omp end declare target

struct lattice {
  int nx, ny;
  int centre_x, centre_y, radius;
};

// Inverse of the time of relaxation, and the velocity with which the fluid comes in.
static double omega = 1.2, u_in = 0.08;

// A disc that is cut off at the right, and walls below and above.
static void mark_obstacle(const struct lattice *lattice, signed char *solid) {
#pragma omp target teams distribute parallel for collapse(2) map(to : lattice[0 : 1])
  for (int y = 0; y < lattice->ny; ++y)
    for (int x = 0; x < lattice->nx; ++x) {
      int right = x - lattice->centre_x, up = y - lattice->centre_y;
      int inside = right * right + up * up <= lattice->radius * lattice->radius;
      if (right > lattice->radius / 2)
        inside = 0;
      if (y == 0 || y == lattice->ny - 1)
        inside = 1;
      solid[y * lattice->nx + x] = (signed char)inside;
    }
}

static void collide(int nx, int ny, const signed char *restrict solid, double *restrict f) {
#pragma omp target teams distribute parallel for collapse(2)
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      double rho = 0.0, ux = 0.0, uy = 0.0;
      if (solid[AT(y, x)])
        continue;
      for (int q = 0; q < Q; ++q) {
        double now = F(f, q, y, x);
        rho += now;
        ux += cx[q] * now;
        uy += cy[q] * now;
      }
      ux /= rho;
      uy /= rho;
      for (int q = 0; q < Q; ++q)
        F(f, q, y, x) += omega * (equilibrium(q, rho, ux, uy) - F(f, q, y, x));
    }
}

// Each population is taken from where it comes from: round the ends along x, back from walls and the obstacle.
static void stream(int nx, int ny, const signed char *restrict solid, const double *restrict f, double *restrict next) {
  int q, x, y;
#pragma omp target teams distribute parallel for collapse(3) private(q, x, y)
  for (q = 0; q < Q; q++)
    for (y = 0; y < ny; y++)
      for (x = 0; x < nx; x++) {
        int from_x = x - cx[q], from_y = y - cy[q];
        if (from_x < 0)
          from_x += nx;
        else if (from_x >= nx)
          from_x -= nx;
        if (from_y < 0 || from_y >= ny || solid[AT(from_y, from_x)])
          F(next, q, y, x) = F(f, opposite[q], y, x);
        else
          F(next, q, y, x) = F(f, q, from_y, from_x);
      }
}

// The first column is fed, the last one copies its neighbour.
static void open_ends(int nx, int ny, double *next) {
  int q, y;
#pragma omp target teams
  {
#pragma omp distribute parallel for collapse(2) private(q, y)
    for (q = 0; q < Q; q++)
      for (y = 1; y < ny - 1; y++)
        F(next, q, y, 0) = equilibrium(q, 1.0, u_in, 0.0);

#pragma omp distribute parallel for collapse(2) private(q, y)
    for (y = 1; y < ny - 1; y++)
      for (q = 0; q < Q; q++)
        F(next, q, y, nx - 1) = F(next, q, y, nx - 2);
  }
}

static void moments(int nx, int ny, const signed char *solid, const double *f, double *rho, double *ux, double *uy,
                    double *speed) {
#pragma omp target teams loop collapse(2)
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      size_t at = AT(y, x);
      double sum = 0.0, along_x = 0.0, along_y = 0.0;
      for (int q = 0; q < Q; ++q) {
        sum += F(f, q, y, x);
        along_x += cx[q] * F(f, q, y, x);
        along_y += cy[q] * F(f, q, y, x);
      }
      rho[at] = sum;
      ux[at] = solid[at] ? 0.0 : along_x / sum;
      uy[at] = solid[at] ? 0.0 : along_y / sum;
      speed[at] = sqrt(ux[at] * ux[at] + uy[at] * uy[at]);
    }
}

// The momentum that the fluid leaves at the obstacle when it comes back.
static void drag(int nx, int ny, const signed char *solid, const double *f, double force[2]) {
  double drag_x = 0.0, drag_y = 0.0;
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : drag_x, drag_y) reduction(+ : drag_x, drag_y)
  for (int y = 1; y < ny - 1; ++y)
    for (int x = 1; x < nx - 1; ++x) {
      if (solid[AT(y, x)])
        continue;
      for (int q = 1; q < Q; ++q) {
        int to_y = y + cy[q];
        if (to_y == 0 || to_y == ny - 1 || !solid[AT(to_y, x + cx[q])])
          continue;
        drag_x += 2.0 * cx[q] * F(f, q, y, x);
        drag_y += 2.0 * cy[q] * F(f, q, y, x);
      }
    }
  force[0] = drag_x;
  force[1] = drag_y;
}

static double mass(size_t cells, const double *f) {
  double total = 0.0;
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : total) reduction(+ : total)
  for (int q = 0; q < Q; ++q)
    for (size_t i = 0; i < cells; ++i)
      total += f[q * cells + i];
  return total;
}

// The curl of the velocity, then how fast it changes in space.
static void derivatives(long nx, long ny, const double *ux, const double *uy, double *vorticity, double *strain) {
  long x, y;
#pragma omp target map(to : ux[0 : nx * ny], uy[0 : nx * ny]) map(tofrom : vorticity[0 : nx * ny], strain[0 : nx * ny])
#pragma omp parallel
  {
#pragma omp for collapse(2) private(x, y)
    for (y = 1; y < ny - 1; y++)
      for (x = 1; x < nx - 1; x++)
        vorticity[AT(y, x)] = 0.5 * (uy[AT(y, x + 1)] - uy[AT(y, x - 1)]) - 0.5 * (ux[AT(y + 1, x)] - ux[AT(y - 1, x)]);

#pragma omp for collapse(2) private(x, y)
    for (y = 2; y < ny - 2; y++)
      for (x = 2; x < nx - 2; x++)
        strain[AT(y, x)] = fmax(fabs(vorticity[AT(y, x + 1)] - vorticity[AT(y, x - 1)]),
                                fabs(vorticity[AT(y + 1, x)] - vorticity[AT(y - 1, x)]));
  }
}

// The stream function, from the lower wall up, and the flow through each row.
static void integrals(int nx, int ny, const double *ux, double *psi, double *profile) {
// wrong: collapse(2): a column is integrated from below
#pragma omp target teams distribute parallel for
  for (int x = 0; x < nx; ++x)
    for (int y = 1; y < ny; ++y)
      psi[AT(y, x)] = psi[AT(y - 1, x)] + 0.5 * (ux[AT(y, x)] + ux[AT(y - 1, x)]);

// wrong: collapse(2): all cells of a row add to one element
#pragma omp target teams distribute parallel for
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x)
      profile[y] += ux[AT(y, x)];
}

// Dye moves to the right with the incoming velocity, in place, from the right end to the left one.
static void carry_dye(int nx, int ny, double carried, const signed char *solid, double *dye) {
  int x, y;
// wrong: collapse(2): a cell is overwritten after its right neighbour has read it
#pragma omp target teams distribute parallel for private(x)
  for (y = 0; y < ny; y++)
    for (x = nx - 1; x > 0; x--)
      dye[AT(y, x)] += carried * (dye[AT(y, x - 1)] - dye[AT(y, x)]);

  // The obstacle takes half of what comes to it.
#pragma omp target parallel for collapse(2) private(x, y)
  for (y = 0; y < ny; y++)
    for (x = 0; x < nx; x++)
      if (solid[AT(y, x)])
        dye[AT(y, x)] *= 0.5;
}

static double sum_of(const double *field, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; ++i)
    sum += fabs(field[i]);
  return sum;
}

int main(int argc, char **argv) {
  const int nx = argc > 1 ? atoi(argv[1]) : 48, ny = argc > 2 ? atoi(argv[2]) : 22;
  const int steps = argc > 3 ? atoi(argv[3]) : 60;
  if (nx < 8 || ny < 6)
    return 1;
  const struct lattice lattice = {nx, ny, nx / 4, ny / 2, ny / 5};
  const size_t cells = (size_t)nx * ny;
  double *f = malloc(Q * cells * sizeof *f), *next = malloc(Q * cells * sizeof *next);
  double *rho = calloc(cells, sizeof *rho), *ux = calloc(cells, sizeof *ux);
  double *uy = calloc(cells, sizeof *uy), *speed = calloc(cells, sizeof *speed);
  double *vorticity = calloc(cells, sizeof *rho), *strain = calloc(cells, sizeof *rho);
  double *psi = calloc(cells, sizeof *psi), *dye = calloc(cells, sizeof *dye);
  double *profile = calloc(ny, sizeof *profile);
  signed char *solid = malloc(cells);
  double force[2] = {0.0, 0.0}, total;

  for (int y = ny / 3; y < 2 * ny / 3; ++y)
    dye[AT(y, 0)] = 1.0;

#pragma omp target data map(alloc : f[0 : Q * cells], next[0 : Q * cells])                                             \
    map(from : rho[0 : cells], ux[0 : cells], uy[0 : cells], speed[0 : cells], solid[0 : cells])                       \
    map(tofrom : psi[0 : cells], dye[0 : cells], profile[0 : ny])                                                      \
    map(tofrom : vorticity[0 : cells], strain[0 : cells])
  {
    mark_obstacle(&lattice, solid);

    // The fluid moves everywhere as it comes in; what is inside the obstacle rests.
#pragma omp target teams distribute parallel for collapse(2)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        for (int q = 0; q < Q; ++q)
          F(f, q, y, x) = equilibrium(q, 1.0, solid[AT(y, x)] ? 0.0 : u_in, 0.0);

    for (int step = 0; step < steps; ++step) {
      double *swap = f;
      collide(nx, ny, solid, f);
      if (step == steps - 1)
        drag(nx, ny, solid, f, force);
      stream(nx, ny, solid, f, next);
      open_ends(nx, ny, next);
      f = next;
      next = swap;
      carry_dye(nx, ny, u_in, solid, dye);
    }
    moments(nx, ny, solid, f, rho, ux, uy, speed);
    derivatives(nx, ny, ux, uy, vorticity, strain);
    integrals(nx, ny, ux, psi, profile);
    total = mass(cells, f);
#pragma omp target update from(profile[0 : ny])
    printf("flow at half height: %.6e\n", profile[ny / 2] / nx);
  }

  printf("mass: %.6e\n", total);
  printf("drag: %.6e\nlift: %.6e\n", force[0], force[1]);
  printf("speed: %.6e\n", sum_of(speed, cells) / cells);
  printf("density: %.6e\n", sum_of(rho, cells) / cells);
  printf("vorticity: %.6e\n", sum_of(vorticity, cells));
  printf("strain: %.6e\n", sum_of(strain, cells));
  printf("stream function: %.6e\n", sum_of(psi, cells));
  printf("dye: %.6e\n", sum_of(dye, cells));
  free(f), free(next), free(rho), free(ux), free(uy), free(speed);
  free(vorticity), free(strain), free(psi), free(dye), free(profile), free(solid);
  return 0;
}
