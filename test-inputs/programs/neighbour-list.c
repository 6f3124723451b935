// RUN: %clang -O2 -fopenmp -Wall -Wextra -Werror %s -o %t -lm && %t | %FileCheck %s
// RUN: %S/../plugin/by-versions.sh %plugin %llvm-lib %t %clang -O2 %s
// CHECK: lists made: 2
// CHECK: kinetic energy: 4.095479e+01
// CHECK: mean strain: -5.749813e+02
// CHECK: distances: 4.253000e+04
// CHECK: density: 2.100000e+02
//
// Molecular dynamics of a Lennard-Jones fluid in a periodic box: atoms are sorted into cells with a layer of ghost cells, each atom
// keeps a padded list of its neighbours of fixed width, by atom and transposed, made anew when atoms have moved far enough.
// Every few steps a map of the density and a histogram of distances are taken.
//
// ARGS: b: { struct: { nx: 5, ny: 6, nz: 7, cells: 4, n: 40, length: 16, cutoff: 4, skin: 0.5 } }
// ARGS: nx: 5
// ARGS: ny: 6
// ARGS: nz: 7
// ARGS: n: 40
// ARGS: row: 6
// ARGS: cells: 4
// ARGS: length: 16
// ARGS: cutoff: 4
// ARGS: reach: 5
// ARGS: dt: 0.5
// ARGS: x_min: 1
// ARGS: x_max: 19
// ARGS: y_min: 1
// ARGS: y_max: 14
// ARGS: width: 23
// ARGS: x: { type: f64, count: 210, fill: { modulo: 13 } }
// ARGS: y: { type: f64, count: 210, fill: { modulo: 11 } }
// ARGS: z: { type: f64, count: 210, fill: { modulo: 15 } }
// ARGS: r: { type: f64, count: 120, fill: { modulo: 14 } }
// ARGS: r_old: { type: f64, count: 120, fill: { modulo: 9 } }
// ARGS: atoms: { struct: { "v[0]": { type: f64, fill: { modulo: 7 } }, "v[1]": { type: f64, fill: { modulo: 5 } } }, count: 210 }
// ARGS: cell_of: { type: i32, count: 40, fill: { modulo: 64 } }
// ARGS: bin_count: { type: i32, count: 216, fill: { modulo: 4 } }
// ARGS: bins: { type: i32, count: 6912, fill: { modulo: 40 } }
// ARGS: neigh: { type: i32, count: 3840, fill: { modulo: 40 } }
// ARGS: neigh_t: { type: i32, count: 3840, fill: { modulo: 40 } }
// ARGS: count: { type: i32, count: 40, fill: { modulo: 37 } }
// ARGS: pull: { type: f64, count: 3840, fill: { modulo: 3 } }
// ARGS: force: { type: f64, count: 120, fill: { modulo: 8 } }
// ARGS: map: { type: f64, count: 414, fill: { modulo: 9 } }
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MAXN 96
#define SLOTS 32
#define SHELLS 24
#define HALO 2
#define EMPTY (-1)
#define LEAST(a, b) ((a) < (b) ? (a) : (b))
// Cells are counted from 0 to cells - 1 in each direction, with a ghost cell at both ends.
#define ROW(b) ((b)->cells + 2)
#define CELL(b, i, j, k) ((((k) + 1) * ROW(b) + (j) + 1) * ROW(b) + (i) + 1)
#define CELLS(b) (ROW(b) * ROW(b) * ROW(b))
#define AT(f, i, j) f[((j) - (y_min - HALO)) * width + ((i) - (x_min - HALO))]
#define MAP_SIZE ((y_max - y_min + 1 + 2 * HALO) * width)

struct box {
  int nx, ny, nz, cells, n;
  double length, cutoff, skin;
};

struct atom {
  double v[3];
  double mass;
};

// The nearest image of a distance in a periodic direction.
static inline double nearest(double d, double length) {
  if (d > 0.5 * length)
    return d - length;
  else if (d < -0.5 * length)
    return d + length;
  return d;
}

// What two atoms at a squared distance pull each other with, divided by the distance.
static inline double lennard_jones(double r2) {
  double s2 = 1.0 / (r2 + 0.01), s6 = s2 * s2 * s2;
  return 24.0 * s6 * (2.0 * s6 - 1.0) * s2;
}

static void place(const struct box *b, double *x, double *y, double *z, struct atom *atoms) {
  int nx = b->nx, ny = b->ny, nz = b->nz;
  double length = b->length;
#pragma omp target teams distribute parallel for collapse(3) map(from : x[0 : nx * ny * nz], y[0 : nx * ny * nz])              \
    map(from : z[0 : nx * ny * nz], atoms[0 : nx * ny * nz])
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      for (int k = 0; k < nz; ++k) {
        int a = (i * ny + j) * nz + k;
        x[a] = (i + 0.5 + 0.05 * sin(1.7 * a)) * length / nx;
        y[a] = (j + 0.5 + 0.05 * sin(2.3 * a + 1)) * length / ny;
        z[a] = (k + 0.5 + 0.05 * sin(3.1 * a + 2)) * length / nz;
        atoms[a].mass = 1.0;
        for (int d = 0; d < 3; ++d)
          atoms[a].v[d] = 0.4 * cos(5.3 * a + 1.9 * d);
      }
}

// Which cell each atom is in, without ghosts, then which atoms each cell has, then the ghosts.
static void sort_into_cells(const struct box *b, const double *x, const double *y, const double *z, int *cell_of, int *bin_count,
                            int *bins) {
#pragma omp target teams distribute parallel for map(to : b[0 : 1], x[0 : b->n], y[0 : b->n], z[0 : b->n])                     \
    map(from : cell_of[0 : b->n])
  for (int a = 0; a < b->n; ++a) {
    double per = b->cells / b->length;
    int i = (int)(x[a] * per), j = (int)(y[a] * per), k = (int)(z[a] * per), last = b->cells - 1;
    cell_of[a] = (LEAST(k, last) * b->cells + LEAST(j, last)) * b->cells + LEAST(i, last);
  }

#pragma omp target teams distribute parallel for collapse(3) map(to : b[0 : 1], cell_of[0 : b->n])                             \
    map(tofrom : bin_count[0 : CELLS(b)], bins[0 : CELLS(b) * SLOTS])
  for (int k = 0; k < b->cells; ++k)
    for (int j = 0; j < b->cells; ++j)
      for (int i = 0; i < b->cells; ++i) {
        int c = CELL(b, i, j, k), here = (k * b->cells + j) * b->cells + i, found = 0;
        for (int a = 0; a < b->n; ++a) {
          if (cell_of[a] != here)
            continue;
          if (found < SLOTS)
            bins[c * SLOTS + found++] = a;
        }
        bin_count[c] = found;
      }
}

// Ghost cells hold the atoms of the other end of the box: first along i, then along j, then along k.
static void fill_ghosts(const struct box *b, int *bin_count, int *bins) {
  int i, j, k, s;
  int cells = b->cells, row = ROW(b);
#pragma omp target teams distribute parallel for collapse(2) private(j, k, s) map(tofrom : bin_count[0 : row * row * row])     \
    map(tofrom : bins[0 : row * row * row * SLOTS])
  for (k = 0; k < cells; k++)
    for (j = 0; j < cells; j++) {
      int line = ((k + 1) * row + j + 1) * row;
      bin_count[line] = bin_count[line + cells];
      bin_count[line + cells + 1] = bin_count[line + 1];
      for (s = 0; s < SLOTS; s++) {
        bins[line * SLOTS + s] = bins[(line + cells) * SLOTS + s];
        bins[(line + cells + 1) * SLOTS + s] = bins[(line + 1) * SLOTS + s];
      }
    }

#pragma omp target teams distribute parallel for collapse(3) private(i, k, s) map(tofrom : bin_count[0 : row * row * row])     \
    map(tofrom : bins[0 : row * row * row * SLOTS])
  for (k = 0; k < cells; k++)
    for (i = 0; i < cells + 2; i++)
      for (s = 0; s < SLOTS; s++) {
        int low = (k + 1) * row * row + i, high = low + (cells + 1) * row;
        bins[low * SLOTS + s] = bins[(high - row) * SLOTS + s];
        bins[high * SLOTS + s] = bins[(low + row) * SLOTS + s];
        if (s == 0) {
          bin_count[low] = bin_count[high - row];
          bin_count[high] = bin_count[low + row];
        }
      }

#pragma omp target teams map(tofrom : bin_count[0 : row * row * row], bins[0 : row * row * row * SLOTS])
#pragma omp distribute parallel for collapse(2) private(i, j, s)
  for (j = 0; j < cells + 2; j++)
    for (i = 0; i < cells + 2; i++) {
      int low = j * row + i, high = low + (cells + 1) * row * row;
      bin_count[low] = bin_count[high - row * row];
      bin_count[high] = bin_count[low + row * row];
      for (s = 0; s < SLOTS; s++) {
        bins[low * SLOTS + s] = bins[(high - row * row) * SLOTS + s];
        bins[high * SLOTS + s] = bins[(low + row * row) * SLOTS + s];
      }
    }
}

// The padded list by atom, then the same transposed.
static void build_list(const struct box *b, const double *x, const double *y, const double *z, const int *cell_of,
                       const int *bin_count, const int *bins, int *neigh, int *neigh_t, int *count) {
  int n = b->n, cells = b->cells;
  double length = b->length, reach = b->cutoff + b->skin;
#pragma omp target map(to : x[0 : n], y[0 : n], z[0 : n], cell_of[0 : n], bin_count[0 : CELLS(b)], bins[0 : CELLS(b) * SLOTS]) \
    map(from : neigh[0 : n * MAXN], neigh_t[0 : n * MAXN]) map(tofrom : count[0 : n])
  {
#pragma omp parallel for
    for (int a = 0; a < n; ++a)
      count[a] = 0;

// wrong: collapse(2): the cells around an atom append to the same list
#pragma omp parallel for
    for (int a = 0; a < n; ++a)
      for (int o = 0; o < 27; ++o) {
        int i = cell_of[a] % cells + o % 3, j = cell_of[a] / cells % cells + o / 3 % 3, k = cell_of[a] / cells / cells + o / 9;
        int c = (k * (cells + 2) + j) * (cells + 2) + i;
        for (int s = 0; s < bin_count[c]; ++s) {
          int other = bins[c * SLOTS + s];
          double dx = nearest(x[a] - x[other], length), dy = nearest(y[a] - y[other], length);
          double dz = nearest(z[a] - z[other], length);
          if (other == a || dx * dx + dy * dy + dz * dz > reach * reach || count[a] >= MAXN)
            continue;
          neigh[a * MAXN + count[a]++] = other;
        }
      }

#pragma omp parallel for collapse(2)
    for (int a = 0; a < n; ++a)
      for (int s = 0; s < MAXN; ++s) {
        if (s < count[a])
          continue;
        neigh[a * MAXN + s] = EMPTY;
      }
  }

#pragma omp target teams distribute parallel for collapse(2) map(to : neigh[0 : n * MAXN]) map(from : neigh_t[0 : n * MAXN])
  for (int s = 0; s < MAXN; ++s)
    for (int a = 0; a < n; ++a)
      neigh_t[s * n + a] = neigh[a * MAXN + s];
}

// The pull of each pair in the list, then the force on each atom in each direction; r holds all x, then all y, then all z.
static void forces(size_t n, double length, double cutoff, const double *r, const int *neigh, const int *neigh_t, double *pull,
                   double *force, double *strain) {
#pragma omp target teams distribute parallel for collapse(2) map(to : r[0 : 3 * n], neigh[0 : n * MAXN])                       \
    map(from : pull[0 : n * MAXN])
  for (size_t a = 0; a < n; ++a)
    for (size_t s = 0; s < MAXN; ++s) {
      int other = neigh[a * MAXN + s];
      double r2 = 0;
      if (other >= 0)
        for (size_t d = 0; d < 3; ++d) {
          double by = nearest(r[d * n + a] - r[d * n + other], length);
          r2 += by * by;
        }
      if (other < 0 || r2 > cutoff * cutoff)
        pull[a * MAXN + s] = 0;
      else
        pull[a * MAXN + s] = lennard_jones(r2);
    }

#pragma omp target teams distribute parallel for collapse(2) map(to : r[0 : 3 * n], neigh_t[0 : n * MAXN], pull[0 : n * MAXN]) \
    map(from : force[0 : 3 * n])
  for (size_t d = 0; d < 3; ++d)
    for (size_t a = 0; a < n; ++a) {
      double sum = 0;
      for (size_t s = 0; s < MAXN; ++s) {
        int other = neigh_t[s * n + a];
        if (other < 0)
          break;
        sum += pull[a * MAXN + s] * nearest(r[d * n + a] - r[d * n + other], length);
      }
      force[d * n + a] = sum;
    }

// wrong: collapse(2): all pairs of an atom add to its strain
#pragma omp target teams distribute parallel for map(to : pull[0 : n * MAXN]) map(tofrom : strain[0 : n])
  for (size_t a = 0; a < n; ++a)
    for (size_t s = 0; s < MAXN; ++s)
      strain[a] += 0.5 * pull[a * MAXN + s];
}

// Velocities stand by atom, positions and forces by direction.
static void move(int n, double length, double dt, double *r, const double *force, struct atom *atoms) {
#pragma omp target teams loop collapse(2) map(to : force[0 : 3 * n]) map(tofrom : r[0 : 3 * n], atoms[0 : n])
  for (int a = 0; a < n; ++a)
    for (int d = 0; d < 3; ++d) {
      double speed = atoms[a].v[d] + dt * force[d * n + a] / (atoms[a].mass + 1e-30), to = r[d * n + a] + dt * speed;
      atoms[a].v[d] = speed;
      if (to < 0)
        to += length;
      else if (to >= length)
        to -= length;
      r[d * n + a] = to;
    }
}

// The largest displacement along any direction since the list was made.
static double displacement(int n, double length, const double *r, const double *r_old) {
  double most = 0;
#pragma omp target teams distribute parallel for collapse(2) map(to : r[0 : 3 * n], r_old[0 : 3 * n]) map(tofrom : most)       \
    reduction(max : most)
  for (int d = 0; d < 3; ++d)
    for (int a = 0; a < n; ++a)
      most = fmax(most, fabs(nearest(r[d * n + a] - r_old[d * n + a], length)));
  return most;
}

// Atoms above each column of a plane, with its edges mirrored twice, smoothed, and summed along each row.
static void density(int x_min, int x_max, int y_min, int y_max, int n, double length, const double *x, const double *y, double *map,
                    double *smooth, double *profile) {
  int i, j, a;
  int width = x_max - x_min + 1 + 2 * HALO;
#pragma omp target teams distribute parallel for collapse(2) private(i, j, a) map(to : x[0 : n], y[0 : n])                     \
    map(tofrom : map[0 : MAP_SIZE])
  for (j = y_min - 2; j <= y_max + 2; j++)
    for (i = x_min - 2; i <= x_max + 2; i++) {
      int column = i < x_min ? 2 * x_min - i - 1 : i > x_max ? 2 * x_max - i + 1 : i;
      int line = j < y_min ? 2 * y_min - j - 1 : j > y_max ? 2 * y_max - j + 1 : j;
      double atoms_here = 0, across = (x_max - x_min + 1) / length, along = (y_max - y_min + 1) / length;
      for (a = 0; a < n; a++)
        if ((int)(x[a] * across) == column - x_min && (int)(y[a] * along) == line - y_min)
          atoms_here += 1;
      AT(map, i, j) = atoms_here;
    }

#pragma omp target parallel for collapse(2) private(i, j) map(to : map[0 : MAP_SIZE]) map(tofrom : smooth[0 : MAP_SIZE])
  for (j = y_min; j <= y_max; j++)
    for (i = x_min; i <= x_max; i++)
      AT(smooth, i, j) = 0.4 * AT(map, i, j) + 0.1 * (AT(map, i - 1, j) + AT(map, i + 1, j)) +
                         0.1 * (AT(map, i, j - 1) + AT(map, i, j + 1)) +
                         0.05 * (AT(map, i - 2, j) + AT(map, i + 2, j) + AT(map, i, j - 2) + AT(map, i, j + 2));

// wrong: collapse(2): a row is summed from left to right
#pragma omp target teams distribute parallel for private(i, j) map(to : smooth[0 : MAP_SIZE]) map(tofrom : profile[0 : MAP_SIZE])
  for (j = y_min; j <= y_max; j++)
    for (i = x_min; i <= x_max; i++)
      AT(profile, i, j) = AT(profile, i - 1, j) + AT(smooth, i, j);
}

static void *zeros(size_t count, size_t size) {
  void *x = calloc(count, size);
  if (!x)
    exit(1);
  return x;
}

int main(int argc, char **argv) {
  struct box box = {.nx = 5, .ny = 6, .nz = 7, .cells = 3, .cutoff = 2.0, .skin = 0.3};
  int steps = argc > 1 ? atoi(argv[1]) : 30, built = 0;
  box.nx = argc > 2 ? atoi(argv[2]) : box.nx;
  box.n = box.nx * box.ny * box.nz;
  box.length = 9.0;
  int n = box.n, x_min = 1, x_max = 16, y_min = 1, y_max = 11;
  int map_size = (x_max - x_min + 5) * (y_max - y_min + 5);
  double length = box.length, kinetic = 0, strained = 0, around = 0, last = 0;
  double *r = zeros(3 * n, sizeof *r), *r_old = zeros(3 * n, sizeof *r), *force = zeros(3 * n, sizeof *r);
  double *strain = zeros(n, sizeof *r), *pull = zeros((size_t)n * MAXN, sizeof *r), *shells = zeros((size_t)n * SHELLS, sizeof *r);
  double *map = zeros(map_size, sizeof *r), *smooth = zeros(map_size, sizeof *r), *profile = zeros(map_size, sizeof *r);
  double *x = r, *y = r + n, *z = r + 2 * n;
  struct atom *atoms = zeros(n, sizeof *atoms);
  int *cell_of = zeros(n, sizeof(int)), *bin_count = zeros(CELLS(&box), sizeof(int)), *count = zeros(n, sizeof(int));
  int *bins = zeros((size_t)CELLS(&box) * SLOTS, sizeof(int)), *neigh = zeros((size_t)n * MAXN, sizeof(int));
  int *neigh_t = zeros((size_t)n * MAXN, sizeof(int));

#pragma omp target data map(tofrom : r[0 : 3 * n], atoms[0 : n], strain[0 : n], shells[0 : n * SHELLS], smooth[0 : map_size])  \
    map(to : box, profile[0 : map_size], bins[0 : CELLS(&box) * SLOTS], bin_count[0 : CELLS(&box)])                            \
    map(alloc : r_old[0 : 3 * n], force[0 : 3 * n], pull[0 : n * MAXN], map[0 : map_size], cell_of[0 : n], count[0 : n])       \
    map(alloc : neigh[0 : n * MAXN], neigh_t[0 : n * MAXN])
  {
    place(&box, x, y, z, atoms);
    for (int step = 0; step < steps; ++step) {
      if (step == 0 || displacement(n, length, r, r_old) > 0.5 * box.skin / sqrt(3.0)) {
        sort_into_cells(&box, x, y, z, cell_of, bin_count, bins);
        fill_ghosts(&box, bin_count, bins);
        build_list(&box, x, y, z, cell_of, bin_count, bins, neigh, neigh_t, count);
#pragma omp target update from(r[0 : 3 * n])
        for (int d = 0; d < 3 * n; ++d)
          r_old[d] = r[d];
#pragma omp target update to(r_old[0 : 3 * n])
        ++built;
      }
      forces(n, length, box.cutoff, r, neigh, neigh_t, pull, force, strain);
      move(n, length, 0.01, r, force, atoms);
      if (step % 10 == 9)
        density(x_min, x_max, y_min, y_max, n, length, x, y, map, smooth, profile);
    }

// Neighbours of each atom by their distance.
#pragma omp target teams distribute parallel for collapse(2) map(to : r[0 : 3 * n], neigh[0 : n * MAXN])                       \
    map(tofrom : shells[0 : n * SHELLS])
    for (int a = 0; a < n; ++a)
      for (int h = 0; h < SHELLS; ++h)
        for (int s = 0; s < MAXN && neigh[a * MAXN + s] >= 0; ++s) {
          int other = neigh[a * MAXN + s];
          double dx = nearest(r[a] - r[other], length), dy = nearest(r[n + a] - r[n + other], length);
          double dz = nearest(r[2 * n + a] - r[2 * n + other], length);
          if ((int)(sqrt(dx * dx + dy * dy + dz * dz) * 8) == h)
            shells[a * SHELLS + h] += 1;
        }

#pragma omp target teams distribute parallel for collapse(2) map(to : atoms[0 : n]) map(tofrom : kinetic) reduction(+ : kinetic)
    for (int a = 0; a < n; ++a)
      for (int d = 0; d < 3; ++d)
        kinetic += 0.5 * atoms[a].mass * atoms[a].v[d] * atoms[a].v[d];
#pragma omp target update from(profile[0 : map_size])
  }

  for (int a = 0; a < n; ++a)
    strained += strain[a] / steps;
  for (int i = 0; i < n * SHELLS; ++i)
    around += shells[i] * (i % SHELLS);
  for (int j = 0; j < y_max; ++j)
    last += profile[(j + 2) * (x_max + 4) + x_max + 1];
  printf("lists made: %d\n", built);
  printf("kinetic energy: %.6e\n", kinetic);
  printf("mean strain: %.6e\n", strained);
  printf("distances: %.6e\n", around);
  printf("density: %.6e\n", last);
  void *all[] = {r, r_old, force, strain, pull, shells, map, smooth, profile, atoms, cell_of,
                 bin_count, count, bins, neigh, neigh_t};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    free(all[i]);
}
