// RUN: %clang -O2 -fopenmp -Wall -Wextra -Werror %s -o %t -lm && %t | %FileCheck %s
// RUN: %S/../plugin/by-versions.sh %plugin %llvm-lib %t %clang -O2 %s
// CHECK: time: 9.754301e-02
// CHECK: mass: 3.111111e-01
// CHECK: internal energy: 4.921046e-01
// CHECK: kinetic energy: 1.944789e-02
// CHECK: heaviest column: 4.578291e+00
// CHECK: height of the centre: 3.877610e-01
// CHECK: last pressure: 8.865283e-02
//
// Compressible hydrodynamics of an ideal gas on a staggered grid: density and energy in cells, velocities on nodes. A
// step moves the cells with the gas, then carries mass, energy and momentum back to the fixed grid, along x and then
// along y. Two rows of ghost cells on each side mirror the gas at the walls.
//
// ARGS: x_min: 2
// ARGS: x_max: 27
// ARGS: y_min: 2
// ARGS: y_max: 20
// ARGS: dx: 0.5
// ARGS: dy: 0.25
// ARGS: dt: 0.125
// ARGS: density: { type: f64, count: 690, fill: { constant: 2 } }
// ARGS: energy: { type: f64, count: 690, fill: { constant: 4 } }
// ARGS: pressure: { type: f64, count: 690, fill: { modulo: 11 } }
// ARGS: viscosity: { type: f64, count: 690, fill: { modulo: 5 } }
// ARGS: volume: { type: f64, count: 690, fill: { constant: 8 } }
// ARGS: mass: { type: f64, count: 690, fill: { constant: 16 } }
// ARGS: weight: { type: f64, count: 690, fill: zero }
// ARGS: field: { type: f64, count: 690, fill: { modulo: 61 } }
// ARGS: xvel: { type: f64, count: 744, fill: { modulo: 7 } }
// ARGS: yvel: { type: f64, count: 744, fill: { modulo: 4 } }
// ARGS: width: 30
// ARGS: node: 0
// ARGS: vel: { type: f64, count: 744, fill: { modulo: 13 } }
// ARGS: flux_x: { type: f64, count: 744, fill: { modulo: 3 } }
// ARGS: flux_y: { type: f64, count: 744, fill: { modulo: 4 } }
// ARGS: mass_flux: { type: f64, count: 744, fill: { modulo: 5 } }
// ARGS: other_flux: { type: f64, count: 744, fill: { modulo: 9 } }
// ARGS: node_flux: { type: f64, count: 744, fill: { modulo: 6 } }
// ARGS: profile: { type: f64, count: 23, fill: zero }
// ARGS: sign_x: -1
// ARGS: sign_y: 1
// ARGS: step_k: 0
// ARGS: step_j: 1
// ARGS: tile: { struct: { x_min: 2, x_max: 27, y_min: 2, y_max: 20, dx: 0.5, dy: 0.25 } }

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define GAMMA 1.4
#define COURANT 0.4
#define GRAVITY 9.81
#define TINY 1.0e-30

// Cells go from x_min - 2 to x_max + 2, nodes and faces one further.
#define CELL_WIDTH (x_max - x_min + 5)
#define NODE_WIDTH (x_max - x_min + 6)
#define CELL(f, k, j) f[((k) - (y_min - 2)) * CELL_WIDTH + ((j) - (x_min - 2))]
#define NODE(f, k, j) f[((k) - (y_min - 2)) * NODE_WIDTH + ((j) - (x_min - 2))]

typedef struct {
  int x_min, x_max, y_min, y_max;
  double dx, dy;
  double *density, *energy, *pressure, *viscosity, *volume, *mass;
  double *xvel, *yvel, *flux_x, *flux_y, *mass_flux, *other_flux, *node_flux;
} Tile;

static void equation_of_state(int x_min, int x_max, int y_min, int y_max, const double *density, const double *energy,
                              double *pressure) {
  int j, k;
#pragma omp target teams distribute parallel for collapse(2) private(j, k)
  for (k = y_min; k <= y_max; k++)
    for (j = x_min; j <= x_max; j++)
      CELL(pressure, k, j) = (GAMMA - 1.0) * CELL(density, k, j) * CELL(energy, k, j);
}

// Only gas that is being compressed is viscous.
static void artificial_viscosity(int x_min, int x_max, int y_min, int y_max, double dx, double dy,
                                 const double *density, const double *xvel, const double *yvel, double *viscosity) {
  int j, k;
#pragma omp target teams distribute parallel for private(j, k) collapse(2)
  for (k = y_min; k <= y_max; k++)
    for (j = x_min; j <= x_max; j++) {
      double du = 0.5 * (NODE(xvel, k, j + 1) + NODE(xvel, k + 1, j + 1) - NODE(xvel, k, j) - NODE(xvel, k + 1, j));
      double dv = 0.5 * (NODE(yvel, k + 1, j) + NODE(yvel, k + 1, j + 1) - NODE(yvel, k, j) - NODE(yvel, k, j + 1));
      double spread = du / dx + dv / dy;
      double jump;
      CELL(viscosity, k, j) = 0.0;
      if (spread >= 0.0)
        continue;
      jump = spread * fmin(dx, dy);
      CELL(viscosity, k, j) = 2.0 * CELL(density, k, j) * jump * jump;
    }

  // The front of a shock is widened along its row.
// wrong: collapse(2): a cell takes the smoothed value of its left neighbour
#pragma omp target teams distribute parallel for private(j)
  for (k = y_min; k <= y_max; k++)
    for (j = x_min; j <= x_max; j++)
      CELL(viscosity, k, j) =
          0.8 * CELL(viscosity, k, j) + 0.1 * (CELL(viscosity, k, j - 1) + CELL(viscosity, k, j + 1));
}

static double time_step(const Tile *tile) {
  const int x_min = tile->x_min, x_max = tile->x_max, y_min = tile->y_min, y_max = tile->y_max;
  const double dx = tile->dx, dy = tile->dy;
  const double *density = tile->density, *viscosity = tile->viscosity, *pressure = tile->pressure;
  const double *xvel = tile->xvel, *yvel = tile->yvel;
  double dt = 0.1;
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : dt) reduction(min : dt)
  for (int k = y_min; k <= y_max; k++)
    for (int j = x_min; j <= x_max; j++) {
      double wave = sqrt((GAMMA * CELL(pressure, k, j) + 2.0 * CELL(viscosity, k, j)) / CELL(density, k, j));
      double u = fmax(fabs(NODE(xvel, k, j)), fabs(NODE(xvel, k + 1, j + 1)));
      double v = fmax(fabs(NODE(yvel, k, j)), fabs(NODE(yvel, k + 1, j + 1)));
      double shortest = fmin(dx / (wave + u + TINY), dy / (wave + v + TINY));
      if (COURANT * shortest < dt)
        dt = COURANT * shortest;
    }
  return dt;
}

// The gradient of the pressure moves the nodes.
static void accelerate(const Tile *tile, double dt) {
  const int x_min = tile->x_min, x_max = tile->x_max, y_min = tile->y_min, y_max = tile->y_max;
  const double *density = tile->density, *pressure = tile->pressure, *viscosity = tile->viscosity;
  double *xvel = tile->xvel, *yvel = tile->yvel;
  const double dx = tile->dx, dy = tile->dy;
#define STRESS(k, j) (CELL(pressure, k, j) + CELL(viscosity, k, j))
#pragma omp target teams distribute parallel for collapse(2)
  for (int k = y_min; k <= y_max + 1; k++)
    for (int j = x_min; j <= x_max + 1; j++) {
      double rho = 0.25 * (CELL(density, k, j) + CELL(density, k, j - 1) + CELL(density, k - 1, j) +
                           CELL(density, k - 1, j - 1));
      double left = STRESS(k, j - 1) + STRESS(k - 1, j - 1), right = STRESS(k, j) + STRESS(k - 1, j);
      double below = STRESS(k - 1, j) + STRESS(k - 1, j - 1), above = STRESS(k, j) + STRESS(k, j - 1);
      NODE(xvel, k, j) -= 0.5 * dt * (right - left) / (dx * rho);
      NODE(yvel, k, j) -= 0.5 * dt * (above - below) / (dy * rho);
    }
}

// No gas goes through the walls.
static void stop_at_walls(int x_min, int x_max, int y_min, int y_max, double *xvel, double *yvel) {
  int j, k;
#pragma omp target
  {
#pragma omp parallel for private(k)
    for (k = y_min - 2; k <= y_max + 3; k++) {
      NODE(xvel, k, x_min) = 0.0;
      NODE(xvel, k, x_max + 1) = 0.0;
    }
#pragma omp parallel for private(j)
    for (j = x_min - 2; j <= x_max + 3; j++) {
      NODE(yvel, y_min, j) = 0.0;
      NODE(yvel, y_max + 1, j) = 0.0;
    }
  }
}

// The volumes that the faces sweep, ghost cells included.
static void face_fluxes(int x_min, int x_max, int y_min, int y_max, double dx, double dy, double dt, const double *xvel,
                        const double *yvel, double *flux_x, double *flux_y) {
  int j, k;
#pragma omp target teams
  {
#pragma omp distribute parallel for collapse(2) private(j, k)
    for (k = y_min - 2; k <= y_max + 2; k++)
      for (j = x_min - 2; j <= x_max + 3; j++)
        NODE(flux_x, k, j) = 0.5 * dt * dy * (NODE(xvel, k, j) + NODE(xvel, k + 1, j));
#pragma omp distribute parallel for collapse(2) private(j, k)
    for (k = y_min - 2; k <= y_max + 3; k++)
      for (j = x_min - 2; j <= x_max + 2; j++)
        NODE(flux_y, k, j) = 0.5 * dt * dx * (NODE(yvel, k, j) + NODE(yvel, k, j + 1));
  }
}

// Density and energy after the cells have moved with their faces.
static void move_cells(const Tile *tile) {
  const double *pressure = tile->pressure, *viscosity = tile->viscosity;
  const double *flux_x = tile->flux_x, *flux_y = tile->flux_y;
  double *density = tile->density, *energy = tile->energy;
#pragma omp target teams distribute parallel for collapse(2) map(to : tile[0 : 1])
  for (int k = tile->y_min; k <= tile->y_max; k++)
    for (int j = tile->x_min; j <= tile->x_max; j++) {
      int width = tile->x_max - tile->x_min + 5;
      int cell = (k - (tile->y_min - 2)) * width + (j - (tile->x_min - 2));
      int face = (k - (tile->y_min - 2)) * (width + 1) + (j - (tile->x_min - 2));
      double before = tile->dx * tile->dy;
      double growth = flux_x[face + 1] - flux_x[face] + flux_y[face + width + 1] - flux_y[face];
      energy[cell] -= (pressure[cell] + viscosity[cell]) * growth / (before * density[cell]);
      density[cell] *= before / (before + growth);
    }
}

// Mirrors cells, or nodes (one more in each direction). A velocity changes its sign at the walls that it points to.
static void mirror(int x_min, int x_max, int y_min, int y_max, int node, double sign_x, double sign_y, double *field) {
  int j, k, width = x_max - x_min + 5 + node;
#define AT(f, k, j) f[((k) - (y_min - 2)) * width + ((j) - (x_min - 2))]
#pragma omp target teams distribute parallel for private(j, k) collapse(2)
  for (j = x_min; j <= x_max + node; j++)
    for (k = 0; k < 2; k++) {
      AT(field, y_min - 1 - k, j) = sign_y * AT(field, y_min + node + k, j);
      AT(field, y_max + 1 + node + k, j) = sign_y * AT(field, y_max - k, j);
    }
#pragma omp target teams distribute parallel for private(j, k) collapse(2)
  for (k = y_min - 2; k <= y_max + 2 + node; k++)
    for (j = 0; j < 2; j++) {
      AT(field, k, x_min - 1 - j) = sign_x * AT(field, k, x_min + node + j);
      AT(field, k, x_max + 1 + node + j) = sign_x * AT(field, k, x_max - j);
    }
}

static void mirror_all(const Tile *t) {
  mirror(t->x_min, t->x_max, t->y_min, t->y_max, 0, 1.0, 1.0, t->density);
  mirror(t->x_min, t->x_max, t->y_min, t->y_max, 0, 1.0, 1.0, t->energy);
  mirror(t->x_min, t->x_max, t->y_min, t->y_max, 1, -1.0, 1.0, t->xvel);
  mirror(t->x_min, t->x_max, t->y_min, t->y_max, 1, 1.0, -1.0, t->yvel);
}

// The limited difference by which the value on a face departs from that of its donor.
static inline double limited(double up, double donor, double down, double part) {
  double behind = donor - up, ahead = down - donor;
  if (behind * ahead <= 0.0)
    return 0.0;
  return copysign(0.5 * (1.0 - part) * fmin(fabs(behind), fabs(ahead)), ahead);
}

static void advect_x(const Tile *tile) {
  const int x_min = tile->x_min, x_max = tile->x_max, y_min = tile->y_min, y_max = tile->y_max;
  const double dx = tile->dx, dy = tile->dy, *flux_x = tile->flux_x, *flux_y = tile->flux_y;
  double *density = tile->density, *energy = tile->energy, *volume = tile->volume;
  double *mass = tile->mass, *mass_flux = tile->mass_flux, *other_flux = tile->other_flux;
  int j, k;
#pragma omp target teams distribute parallel for collapse(2) private(j, k)
  for (k = y_min - 2; k <= y_max + 2; k++)
    for (j = x_min - 2; j <= x_max + 2; j++)
      CELL(volume, k, j) =
          dx * dy + NODE(flux_x, k, j + 1) - NODE(flux_x, k, j) + NODE(flux_y, k + 1, j) - NODE(flux_y, k, j);

#pragma omp target teams distribute parallel for collapse(2) private(j, k)
  for (k = y_min - 2; k <= y_max + 2; k++)
    for (j = x_min; j <= x_max + 1; j++) {
      int forward = NODE(flux_x, k, j) > 0.0;
      int donor = forward ? j - 1 : j, up = forward ? j - 2 : j + 1, down = forward ? j : j - 1;
      double part = fabs(NODE(flux_x, k, j)) / CELL(volume, k, donor);
      double rho = limited(CELL(density, k, up), CELL(density, k, donor), CELL(density, k, down), part);
      double e = limited(CELL(energy, k, up), CELL(energy, k, donor), CELL(energy, k, down), part);
      NODE(mass_flux, k, j) = NODE(flux_x, k, j) * (CELL(density, k, donor) + rho);
      NODE(other_flux, k, j) = NODE(mass_flux, k, j) * (CELL(energy, k, donor) + e);
    }

#pragma omp target teams distribute parallel for collapse(2) private(j, k)
  for (k = y_min - 2; k <= y_max + 2; k++)
    for (j = x_min; j <= x_max; j++) {
      double before = CELL(density, k, j) * CELL(volume, k, j);
      double after = before + NODE(mass_flux, k, j) - NODE(mass_flux, k, j + 1);
      CELL(energy, k, j) = (before * CELL(energy, k, j) + NODE(other_flux, k, j) - NODE(other_flux, k, j + 1)) / after;
      CELL(density, k, j) = after / (CELL(volume, k, j) + NODE(flux_x, k, j) - NODE(flux_x, k, j + 1));
      CELL(mass, k, j) = after;
    }
}

// What is left of the movement, a line of faces below and above each cell.
static void advect_y(int x_min, int x_max, int y_min, int y_max, double dx, double dy, const double *restrict flux_y,
                     double *restrict density, double *restrict energy, double *restrict mass,
                     double *restrict mass_flux, double *restrict other_flux) {
  int j, k;
#pragma omp target teams distribute parallel for collapse(2) private(j, k)
  for (k = y_min; k <= y_max + 1; k++)
    for (j = x_min - 2; j <= x_max + 2; j++) {
      int forward = NODE(flux_y, k, j) > 0.0;
      int donor = forward ? k - 1 : k, up = forward ? k - 2 : k + 1, down = forward ? k : k - 1;
      double part = fabs(NODE(flux_y, k, j)) / (dx * dy);
      double rho = limited(CELL(density, up, j), CELL(density, donor, j), CELL(density, down, j), part);
      double e = limited(CELL(energy, up, j), CELL(energy, donor, j), CELL(energy, down, j), part);
      NODE(mass_flux, k, j) = NODE(flux_y, k, j) * (CELL(density, donor, j) + rho);
      NODE(other_flux, k, j) = NODE(mass_flux, k, j) * (CELL(energy, donor, j) + e);
    }

#pragma omp target parallel for collapse(2) private(j, k)
  for (k = y_min; k <= y_max; k++)
    for (j = x_min - 2; j <= x_max + 2; j++) {
      double moved = dx * dy + NODE(flux_y, k + 1, j) - NODE(flux_y, k, j);
      double before = CELL(density, k, j) * moved;
      double after = before + NODE(mass_flux, k, j) - NODE(mass_flux, k + 1, j);
      CELL(energy, k, j) = (before * CELL(energy, k, j) + NODE(other_flux, k, j) - NODE(other_flux, k + 1, j)) / after;
      CELL(density, k, j) = after / (dx * dy);
      CELL(mass, k, j) = after;
    }
}

// One component of the velocity is carried along x (step_j = 1) or y (step_k = 1) with the mass of the nodes.
static void advect_velocity(const Tile *tile, int step_k, int step_j, double *vel) {
  const int x_min = tile->x_min, x_max = tile->x_max, y_min = tile->y_min, y_max = tile->y_max;
  const double *mass = tile->mass, *mass_flux = tile->mass_flux;
  double *node_flux = tile->node_flux, *other_flux = tile->other_flux;
#pragma omp target teams distribute parallel for collapse(2)
  for (int k = y_min; k <= y_max + step_j; k++)
    for (int j = x_min; j <= x_max + step_k; j++) {
      double flux =
          0.25 * (NODE(mass_flux, k, j) + NODE(mass_flux, k - step_j, j - step_k) +
                  NODE(mass_flux, k + step_k, j + step_j) + NODE(mass_flux, k + step_k - step_j, j + step_j - step_k));
      NODE(node_flux, k, j) = flux;
      NODE(other_flux, k, j) = flux * (flux > 0.0 ? NODE(vel, k, j) : NODE(vel, k + step_k, j + step_j));
    }

#pragma omp target teams distribute parallel for collapse(2)
  for (int k = y_min + step_k; k <= y_max + step_j; k++)
    for (int j = x_min + step_j; j <= x_max + step_k; j++) {
      double after = 0.25 * (CELL(mass, k, j) + CELL(mass, k - 1, j) + CELL(mass, k, j - 1) + CELL(mass, k - 1, j - 1));
      double before = after + NODE(node_flux, k, j) - NODE(node_flux, k - step_k, j - step_j);
      NODE(vel, k, j) =
          (before * NODE(vel, k, j) + NODE(other_flux, k - step_k, j - step_j) - NODE(other_flux, k, j)) / after;
    }
}

// Mass, internal and kinetic energy.
static void summary(int x_min, int x_max, int y_min, int y_max, double dx, double dy, const double *density,
                    const double *energy, const double *xvel, const double *yvel, double total[3]) {
  double sum = 0.0, internal = 0.0, kinetic = 0.0;
  int j, k;
#pragma omp target teams distribute parallel for collapse(2) private(j, k) map(tofrom : sum, internal, kinetic)        \
    reduction(+ : sum, internal, kinetic)
  for (k = y_min; k <= y_max; k++)
    for (j = x_min; j <= x_max; j++) {
      double square = 0.0, m = CELL(density, k, j) * dx * dy;
      for (int corner = 0; corner < 4; corner++) {
        double u = NODE(xvel, k + corner / 2, j + corner % 2);
        double v = NODE(yvel, k + corner / 2, j + corner % 2);
        square += 0.25 * (u * u + v * v);
      }
      sum += m;
      internal += m * CELL(energy, k, j);
      kinetic += 0.5 * m * square;
    }
  total[0] = sum, total[1] = internal, total[2] = kinetic;
}

// The weight of the gas above each cell, and the mass of each row.
static void weigh(int x_min, int x_max, int y_min, int y_max, double dx, double dy, const double *density,
                  double *weight, double *profile) {
  int j, k;
// wrong: collapse(2): the weight of a column is summed from the top
#pragma omp target teams distribute parallel for private(k)
  for (j = x_min; j <= x_max; j++)
    for (k = y_max; k >= y_min; k--)
      CELL(weight, k, j) = CELL(weight, k + 1, j) + GRAVITY * dy * CELL(density, k, j);

// wrong: collapse(2): all cells of a row add to one element
#pragma omp target teams distribute parallel for private(j)
  for (k = y_min; k <= y_max; k++)
    for (j = x_min; j <= x_max; j++)
      profile[k - (y_min - 2)] += dx * dy * CELL(density, k, j);
}

int main(int argc, char **argv) {
  const int nx = argc > 1 ? atoi(argv[1]) : 24, ny = argc > 2 ? atoi(argv[2]) : 18;
  const int steps = argc > 3 ? atoi(argv[3]) : 10;
  const int x_min = 2, x_max = nx + 1, y_min = 2, y_max = ny + 1;
  const size_t cells = (size_t)(nx + 4) * (ny + 4), nodes = (size_t)(nx + 5) * (ny + 5);
  const double dx = 1.0 / nx, dy = 1.0 / ny;
  double *block = calloc(7 * cells + 7 * nodes + ny + 4, sizeof(double)), *at = block;
  if (!block || nx < 4 || ny < 4)
    return 1;
  double *density = at, *energy = at += cells, *pressure = at += cells, *viscosity = at += cells;
  double *volume = at += cells, *mass = at += cells, *weight = at += cells;
  double *xvel = at += cells, *yvel = at += nodes, *flux_x = at += nodes, *flux_y = at += nodes;
  double *mass_flux = at += nodes, *other_flux = at += nodes, *node_flux = at += nodes;
  double *profile = at += nodes;
  Tile tile = {x_min,  x_max, y_min, y_max, dx,     dy,     density,   energy,     pressure, viscosity,
               volume, mass,  xvel,  yvel,  flux_x, flux_y, mass_flux, other_flux, node_flux};
  double time = 0.0, total[3], heaviest = 0.0, middle = 0.0;

#pragma omp target data map(tofrom : density[0 : cells], energy[0 : cells], xvel[0 : nodes])                           \
    map(tofrom : yvel[0 : nodes], weight[0 : cells], profile[0 : ny + 4], pressure[0 : cells])                         \
    map(to : viscosity[0 : cells], volume[0 : cells], mass[0 : cells])                                                 \
    map(to : flux_x[0 : nodes], flux_y[0 : nodes], mass_flux[0 : nodes], other_flux[0 : nodes])                        \
    map(to : node_flux[0 : nodes])
  {
    // A corner of hot, dense gas.
#pragma omp target teams distribute parallel for collapse(2)
    for (int k = y_min - 2; k <= y_max + 2; k++)
      for (int j = x_min - 2; j <= x_max + 2; j++) {
        int inside = (j - x_min) * dx < 0.4 && (k - y_min) * dy < 0.3;
        CELL(density, k, j) = inside ? 1.0 : 0.2;
        CELL(energy, k, j) = inside ? 2.5 : 1.0;
      }

    for (int step = 0; step < steps; step++) {
      double dt;
      equation_of_state(x_min, x_max, y_min, y_max, density, energy, pressure);
      artificial_viscosity(x_min, x_max, y_min, y_max, dx, dy, density, xvel, yvel, viscosity);
      mirror(x_min, x_max, y_min, y_max, 0, 1.0, 1.0, pressure);
      mirror(x_min, x_max, y_min, y_max, 0, 1.0, 1.0, viscosity);
      mirror_all(&tile);
      dt = time_step(&tile);
      accelerate(&tile, dt);
      stop_at_walls(x_min, x_max, y_min, y_max, xvel, yvel);
      mirror_all(&tile);
      face_fluxes(x_min, x_max, y_min, y_max, dx, dy, dt, xvel, yvel, flux_x, flux_y);
      move_cells(&tile);
      mirror_all(&tile);
      advect_x(&tile);
      advect_velocity(&tile, 0, 1, xvel);
      advect_velocity(&tile, 0, 1, yvel);
      mirror_all(&tile);
      advect_y(x_min, x_max, y_min, y_max, dx, dy, flux_y, density, energy, mass, mass_flux, other_flux);
      advect_velocity(&tile, 1, 0, xvel);
      advect_velocity(&tile, 1, 0, yvel);
      stop_at_walls(x_min, x_max, y_min, y_max, xvel, yvel);
      time += dt;
    }
    summary(x_min, x_max, y_min, y_max, dx, dy, density, energy, xvel, yvel, total);
    weigh(x_min, x_max, y_min, y_max, dx, dy, density, weight, profile);
#pragma omp target update from(weight[0 : cells], profile[0 : ny + 4])
  }

  for (int j = x_min; j <= x_max; j++)
    heaviest = fmax(heaviest, CELL(weight, y_min, j));
  for (int k = 0; k < ny + 4; k++)
    middle += (k - 1.5) * dy * profile[k];
  printf("time: %.6e\nmass: %.6e\ninternal energy: %.6e\nkinetic energy: %.6e\n", time, total[0], total[1], total[2]);
  printf("heaviest column: %.6e\nheight of the centre: %.6e\n", heaviest, middle / total[0]);
  printf("last pressure: %.6e\n", CELL(pressure, (y_min + y_max) / 2, (x_min + x_max) / 2));
  free(block);
  return 0;
}
