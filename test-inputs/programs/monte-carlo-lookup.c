// RUN: %clang -O2 -fopenmp -Wall -Wextra -Werror %s -o %t -lm && %t | %FileCheck %s
// RUN: %S/../plugin/by-versions.sh %plugin %llvm-lib %t %clang -O2 %s
// CHECK: energies: 1.027439e+02
// CHECK: tables: 2.597452e+03
// CHECK: cumulative absorption: 1.120812e+02
// CHECK: mean of tallies: 7.004784e+01
// CHECK: variance of tallies: 3.203329e+03
// CHECK: spectrum: 3.181807e+04
// CHECK: nuclides: 4.252038e+04
// CHECK: mesh: 1.937697e+04
//
// Transport of particles by Monte Carlo, reduced to its lookups of cross sections: tables over nuclides, energies and reactions, a
// unionized grid of energies with an index table, microscopic and macroscopic cross sections by interpolation, tallies by particle,
// by group and on a mesh with ghost cells, and their statistics over several batches.
//
// ARGS: in: { struct: { n_nuclides: 11, n_grid: 14, n_materials: 4, n_particles: 21, n_segments: 9, n_lookups: 189, n_union: 154 } }
// ARGS: n_nuclides: 11
// ARGS: n_grid: 14
// ARGS: n_materials: 4
// ARGS: n_particles: 21
// ARGS: n_segments: 9
// ARGS: n_lookups: 189
// ARGS: n_groups: 19
// ARGS: batch: 3
// ARGS: n_cells: 221
// ARGS: width: 21
// ARGS: x_min: 1
// ARGS: x_max: 17
// ARGS: y_min: 1
// ARGS: y_max: 13
// ARGS: mean: 2
// ARGS: energy: { type: f64, count: 154, fill: index }
// ARGS: xs: { type: f64, count: 770, fill: { modulo: 23 } }
// ARGS: cumulative: { type: f64, count: 154, fill: { modulo: 7 } }
// ARGS: union_energy: { type: f64, count: 154, fill: index }
// ARGS: index: { type: i32, count: 1694, fill: { modulo: 13 } }
// ARGS: density: { type: f64, count: 44, fill: { modulo: 3 } }
// ARGS: lookup_energy: { type: f64, count: 189, fill: { modulo: 151 } }
// ARGS: lookup_material: { type: i32, count: 189, fill: { modulo: 4 } }
// ARGS: lookup_cell: { type: i32, count: 189, fill: { modulo: 221 } }
// ARGS: micro: { type: f64, count: 10395, fill: { modulo: 31 } }
// ARGS: macro: { type: f64, count: 945, fill: { modulo: 17 } }
// ARGS: weight: { type: f64, count: 210, fill: { modulo: 5 } }
// ARGS: tally: { type: f64, count: 105, fill: { modulo: 11 } }
// ARGS: mesh: { type: f64, count: 357, fill: { modulo: 37 } }
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TOTAL 0
#define ELASTIC 1
#define ABSORPTION 2
#define FISSION 3
#define NU_FISSION 4
#define REACTIONS 5
#define HALO 2
#define NUMBERS(count) zeros(count, sizeof(double))
#define INTEGERS(count) zeros(count, sizeof(int))
#define XS(n, g, r) xs[((n) * n_grid + (g)) * REACTIONS + (r)]
#define MESH(f, j, k) f[((k) - (y_min - HALO)) * width + ((j) - (x_min - HALO))]
#define MESH_SIZE(x_min, x_max, y_min, y_max) (((x_max) - (x_min) + 1 + 2 * HALO) * ((y_max) - (y_min) + 1 + 2 * HALO))

struct input {
  int n_nuclides, n_grid, n_materials;
  int n_particles, n_segments, n_lookups;
  int n_union;
};

// A number from 0 to 1 that depends on the key alone.
static inline double uniform(unsigned long key) {
  key = key * 6364136223846793005UL + 1442695040888963407UL;
  key ^= key >> 29;
  key = key * 2862933555777941757UL + 3037000493UL;
  key ^= key >> 32;
  return (double)(key & 0xffffffUL) / 16777216.0;
}

// The interval of a sorted grid that holds an energy.
static inline int interval_of(const double *restrict grid, int length, double e) {
  int low = 0, high = length - 1;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (grid[middle] > e)
      high = middle;
    else
      low = middle;
  }
  return low;
}

static void fill_grids(const struct input *in, double *energy) {
  int n_nuclides = in->n_nuclides, n_grid = in->n_grid;
#pragma omp target teams distribute parallel for collapse(2) map(from : energy[0 : n_nuclides * n_grid])
  for (int n = 0; n < n_nuclides; ++n)
    for (int g = 0; g < n_grid; ++g) {
      double at = (g + 0.8 * uniform(1000UL * n + g)) / n_grid;
      energy[n * n_grid + g] = at * at;
    }
}

// All reactions but the first, then the first as their sum.
static void fill_tables(int n_nuclides, int n_grid, const double *energy, double *xs) {
  int n, g, r;
#pragma omp target map(to : energy[0 : n_nuclides * n_grid]) map(from : xs[0 : n_nuclides * n_grid * REACTIONS])
#pragma omp parallel private(n, g, r)
  {
#pragma omp for collapse(3)
    for (n = 0; n < n_nuclides; n++)
      for (g = 0; g < n_grid; g++)
        for (r = 0; r < REACTIONS; r++) {
          double slow = 1.0 / (1.0 + sqrt(energy[n * n_grid + g]));
          if (r == TOTAL)
            XS(n, g, r) = 0;
          else if (r == ELASTIC)
            XS(n, g, r) = 2.0 + uniform(77UL * n + g);
          else if (r == ABSORPTION)
            XS(n, g, r) = slow * (1.0 + 0.1 * n);
          else
            XS(n, g, r) = n % 3 ? 0.0 : slow * (r - 2);
        }
#pragma omp for collapse(2)
    for (n = 0; n < n_nuclides; n++)
      for (g = 0; g < n_grid; g++)
        XS(n, g, TOTAL) = XS(n, g, ELASTIC) + XS(n, g, ABSORPTION) + XS(n, g, FISSION);
  }
}

// The same table with the energies of a reaction side by side, and what a nuclide has absorbed up to an energy.
static void prepare_tables(int n_nuclides, int n_grid, const double *energy, const double *xs, double *by_reaction,
                           double *cumulative) {
#pragma omp target teams distribute parallel for collapse(3) map(to : xs[0 : n_nuclides * n_grid * REACTIONS])                 \
    map(from : by_reaction[0 : n_nuclides * n_grid * REACTIONS])
  for (int r = 0; r < REACTIONS; ++r)
    for (int n = 0; n < n_nuclides; ++n)
      for (int g = 0; g < n_grid; ++g)
        by_reaction[(r * n_nuclides + n) * n_grid + g] = XS(n, g, r);

// wrong: collapse(2): the sum up to an energy continues the one before it
#pragma omp target teams distribute parallel for map(to : energy[0 : n_nuclides * n_grid])                                     \
    map(to : by_reaction[0 : n_nuclides * n_grid * REACTIONS]) map(tofrom : cumulative[0 : n_nuclides * n_grid])
  for (int n = 0; n < n_nuclides; ++n)
    for (int g = 1; g < n_grid; ++g) {
      const double *row = by_reaction + (ABSORPTION * n_nuclides + n) * n_grid;
      double step = energy[n * n_grid + g] - energy[n * n_grid + g - 1];
      cumulative[n * n_grid + g] = cumulative[n * n_grid + g - 1] + 0.5 * step * (row[g] + row[g - 1]);
    }
}

// For each energy of the unionized grid, the interval in each nuclide's own grid.
static void build_index(const struct input *in, const double *energy, const double *union_energy, int *index) {
#pragma omp target teams distribute parallel for collapse(2) map(to : in[0 : 1], energy[0 : in->n_nuclides * in->n_grid])      \
    map(to : union_energy[0 : in->n_union]) map(from : index[0 : in->n_union * in->n_nuclides])
  for (int u = 0; u < in->n_union; ++u)
    for (int n = 0; n < in->n_nuclides; ++n)
      index[u * in->n_nuclides + n] = interval_of(energy + n * in->n_grid, in->n_grid, union_energy[u]);
}

// Energy, material and mesh cell of each segment of each particle's track.
static void sample(const struct input *in, int batch, int n_cells, double *lookup_energy, int *lookup_material, int *lookup_cell) {
  int p, s;
  int n_particles = in->n_particles, n_segments = in->n_segments, n_materials = in->n_materials;
#pragma omp target teams distribute parallel for collapse(2) private(p, s) map(from : lookup_energy[0 : n_particles * n_segments])\
    map(from : lookup_material[0 : n_particles * n_segments], lookup_cell[0 : n_particles * n_segments])
  for (p = 0; p < n_particles; p++)
    for (s = 0; s < n_segments; s++) {
      unsigned long key = ((unsigned long)batch * n_particles + p) * n_segments + s;
      double at = uniform(3 * key);
      lookup_energy[p * n_segments + s] = at * at;
      lookup_material[p * n_segments + s] = (int)(uniform(3 * key + 1) * n_materials);
      lookup_cell[p * n_segments + s] = (int)(uniform(3 * key + 2) * n_cells);
    }
}

// Microscopic cross sections of the nuclides that the material of a lookup contains.
static void look_up(const struct input *in, const double *energy, const double *xs, const double *union_energy, const int *index,
                    const double *density, const double *lookup_energy, const int *lookup_material, double *micro) {
#pragma omp target teams distribute parallel for collapse(2) map(to : in[0 : 1], energy[0 : in->n_nuclides * in->n_grid])      \
    map(to : xs[0 : in->n_nuclides * in->n_grid * REACTIONS], union_energy[0 : in->n_union])                                   \
    map(to : index[0 : in->n_union * in->n_nuclides], density[0 : in->n_materials * in->n_nuclides])                           \
    map(to : lookup_energy[0 : in->n_lookups], lookup_material[0 : in->n_lookups])                                             \
    map(from : micro[0 : in->n_lookups * in->n_nuclides * REACTIONS])
  for (int l = 0; l < in->n_lookups; ++l)
    for (int n = 0; n < in->n_nuclides; ++n) {
      int n_grid = in->n_grid;
      double *out = micro + (l * in->n_nuclides + n) * REACTIONS;
      if (density[lookup_material[l] * in->n_nuclides + n] == 0) {
        for (int r = 0; r < REACTIONS; ++r)
          out[r] = 0;
        continue;
      }
      double e = lookup_energy[l];
      int g = index[interval_of(union_energy, in->n_union, e) * in->n_nuclides + n];
      double low = energy[n * n_grid + g], high = energy[n * n_grid + g + 1];
      double part = (e - low) / (high - low);
      if (part < 0)
        part = 0;
      else if (part > 1)
        part = 1;
      for (int r = 0; r < REACTIONS; ++r)
        out[r] = XS(n, g, r) + part * (XS(n, g + 1, r) - XS(n, g, r));
    }
}

static void combine(int n_lookups, int n_nuclides, int n_materials, const double *density, const int *lookup_material,
                    const double *micro, double *macro) {
#pragma omp target teams distribute parallel for collapse(2) map(to : density[0 : n_materials * n_nuclides])                   \
    map(to : lookup_material[0 : n_lookups], micro[0 : n_lookups * n_nuclides * REACTIONS])                                    \
    map(from : macro[0 : n_lookups * REACTIONS])
  for (int l = 0; l < n_lookups; ++l)
    for (int r = 0; r < REACTIONS; ++r) {
      double sum = 0;
      for (int n = 0; n < n_nuclides; ++n)
        sum += density[lookup_material[l] * n_nuclides + n] * micro[(l * n_nuclides + n) * REACTIONS + r];
      macro[l * REACTIONS + r] = sum;
    }
}

// The weight that is left after each segment, then the reactions of each particle.
static void tally_particles(int n_particles, int n_segments, const double *macro, double *weight, double *tally) {
  int p, s, r;
// wrong: collapse(2): absorption reduces the weight segment by segment
#pragma omp target teams distribute parallel for private(p, s) map(to : macro[0 : n_particles * n_segments * REACTIONS])       \
    map(tofrom : weight[0 : n_particles * (n_segments + 1)])
  for (p = 0; p < n_particles; p++)
    for (s = 0; s < n_segments; s++) {
      const double *m = macro + (p * n_segments + s) * REACTIONS;
      weight[p * (n_segments + 1) + s + 1] = weight[p * (n_segments + 1) + s] * (1 - m[ABSORPTION] / (1 + m[TOTAL]));
    }

#pragma omp target teams distribute parallel for collapse(2) private(p, s, r) map(tofrom : tally[0 : n_particles * REACTIONS]) \
    map(to : macro[0 : n_particles * n_segments * REACTIONS], weight[0 : n_particles * (n_segments + 1)])
  for (p = 0; p < n_particles; p++)
    for (r = 0; r < REACTIONS; r++)
      for (s = 0; s < n_segments; s++)
        tally[p * REACTIONS + r] += weight[p * (n_segments + 1) + s] * macro[(p * n_segments + s) * REACTIONS + r];
}

// Reaction rates by energy group, and how much of each nuclide took part.
static void tally_groups(int n_groups, int n_lookups, int n_nuclides, const double *lookup_energy, const double *macro,
                         const double *micro, double *spectrum, double *used) {
#pragma omp target teams loop collapse(2) map(to : lookup_energy[0 : n_lookups], macro[0 : n_lookups * REACTIONS])             \
    map(tofrom : spectrum[0 : n_groups * REACTIONS])
  for (int b = 0; b < n_groups; ++b)
    for (int r = 0; r < REACTIONS; ++r)
      for (int l = 0; l < n_lookups; ++l) {
        if ((int)(lookup_energy[l] * n_groups) != b)
          continue;
        spectrum[b * REACTIONS + r] += macro[l * REACTIONS + r];
      }

// wrong: collapse(2): all lookups add to the one number of a nuclide
#pragma omp target teams distribute parallel for map(to : micro[0 : n_lookups * n_nuclides * REACTIONS])                       \
    map(tofrom : used[0 : n_nuclides])
  for (int n = 0; n < n_nuclides; ++n)
    for (int l = 0; l < n_lookups; ++l)
      used[n] += micro[(l * n_nuclides + n) * REACTIONS + TOTAL];
}

// Collisions on a mesh; what is outside mirrors the cells at the edge; then the mesh is smoothed, one ghost cell included.
static void tally_mesh(int x_min, int x_max, int y_min, int y_max, int n_lookups, const int *lookup_cell, const double *macro,
                       double *mesh, double *smooth) {
  int j, k, l;
  int width = x_max - x_min + 1 + 2 * HALO;
#pragma omp target teams distribute parallel for collapse(2) private(j, k, l)                                                  \
    map(to : lookup_cell[0 : n_lookups], macro[0 : n_lookups * REACTIONS])                                                     \
    map(tofrom : mesh[0 : MESH_SIZE(x_min, x_max, y_min, y_max)])
  for (k = y_min; k <= y_max; k++)
    for (j = x_min; j <= x_max; j++) {
      double rate = 0;
      for (l = 0; l < n_lookups; l++)
        if (lookup_cell[l] == (k - y_min) * (x_max - x_min + 1) + (j - x_min))
          rate += macro[l * REACTIONS + TOTAL];
      MESH(mesh, j, k) = rate;
    }

#pragma omp target teams distribute parallel for collapse(2) private(j, k)                                                     \
    map(tofrom : mesh[0 : MESH_SIZE(x_min, x_max, y_min, y_max)])
  for (k = y_min; k <= y_max; k++)
    for (j = 0; j < HALO; j++) {
      MESH(mesh, x_min - 1 - j, k) = MESH(mesh, x_min + j, k);
      MESH(mesh, x_max + 1 + j, k) = MESH(mesh, x_max - j, k);
    }

#pragma omp target teams distribute parallel for collapse(2) private(j, k)                                                     \
    map(tofrom : mesh[0 : MESH_SIZE(x_min, x_max, y_min, y_max)])
  for (k = 0; k < HALO; k++)
    for (j = x_min - HALO; j <= x_max + HALO; j++) {
      MESH(mesh, j, y_min - 1 - k) = MESH(mesh, j, y_min + k);
      MESH(mesh, j, y_max + 1 + k) = MESH(mesh, j, y_max - k);
    }

#pragma omp target parallel for collapse(2) private(j, k) map(to : mesh[0 : MESH_SIZE(x_min, x_max, y_min, y_max)])            \
    map(tofrom : smooth[0 : MESH_SIZE(x_min, x_max, y_min, y_max)])
  for (k = y_min - 1; k <= y_max + 1; k++)
    for (j = x_min - 1; j <= x_max + 1; j++)
      MESH(smooth, j, k) += 0.5 * MESH(mesh, j, k) + 0.125 * (MESH(mesh, j - 1, k) + MESH(mesh, j + 1, k)) +
                            0.125 * (MESH(mesh, j, k - 1) + MESH(mesh, j, k + 1));
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void *zeros(int count, size_t size) {
  void *x = calloc(count, size);
  if (!x)
    exit(1);
  return x;
}

static double total_of(const double *x, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += x[i];
  return sum;
}

int main(int argc, char **argv) {
  struct input in = {.n_nuclides = 13, .n_grid = 24, .n_materials = 5, .n_particles = 40, .n_segments = 8};
  in.n_particles = argc > 1 ? atoi(argv[1]) : in.n_particles;
  in.n_grid = argc > 2 ? atoi(argv[2]) : in.n_grid;
  in.n_lookups = in.n_particles * in.n_segments;
  in.n_union = in.n_nuclides * in.n_grid;
  int batches = argc > 3 ? atoi(argv[3]) : 4;
  int n_particles = in.n_particles, n_lookups = in.n_lookups, n_nuclides = in.n_nuclides, n_union = in.n_union, n_groups = 12;
  int n_segments = in.n_segments, n_materials = in.n_materials;
  int x_min = 1, x_max = 18, y_min = 1, y_max = 11;
  int n_cells = (x_max - x_min + 1) * (y_max - y_min + 1), mesh_size = MESH_SIZE(x_min, x_max, y_min, y_max);
  double *energy = NUMBERS(n_union), *xs = NUMBERS(n_union * REACTIONS), *by_reaction = NUMBERS(n_union * REACTIONS);
  double *cumulative = NUMBERS(n_union), *union_energy = NUMBERS(n_union), *density = NUMBERS(n_materials * n_nuclides);
  double *lookup_energy = NUMBERS(n_lookups), *micro = NUMBERS(n_lookups * n_nuclides * REACTIONS);
  double *macro = NUMBERS(n_lookups * REACTIONS), *weight = NUMBERS(n_particles * (n_segments + 1));
  double *tally = NUMBERS(n_particles * REACTIONS), *spectrum = NUMBERS(n_groups * REACTIONS), *used = NUMBERS(n_nuclides);
  double *mesh = NUMBERS(mesh_size), *smooth = NUMBERS(mesh_size);
  int *index = INTEGERS(n_union * n_nuclides), *lookup_material = INTEGERS(n_lookups), *lookup_cell = INTEGERS(n_lookups);
  double sum = 0, squares = 0, mean;

  for (int m = 0; m < n_materials; ++m)
    for (int n = 0; n < n_nuclides; ++n)
      density[m * n_nuclides + n] = (m + n) % 3 == 0 ? 0 : 0.1 * (1 + (m * n) % 7);

#pragma omp target data map(alloc : energy[0 : n_union], xs[0 : n_union * REACTIONS], index[0 : n_union * n_nuclides])         \
    map(alloc : union_energy[0 : n_union], lookup_energy[0 : n_lookups], lookup_material[0 : n_lookups])                       \
    map(alloc : lookup_cell[0 : n_lookups], micro[0 : n_lookups * n_nuclides * REACTIONS], macro[0 : n_lookups * REACTIONS])   \
    map(to : density[0 : n_materials * n_nuclides], weight[0 : n_particles * (n_segments + 1)])                                \
    map(tofrom : tally[0 : n_particles * REACTIONS], spectrum[0 : n_groups * REACTIONS], used[0 : n_nuclides])                 \
    map(tofrom : smooth[0 : mesh_size], mesh[0 : mesh_size], cumulative[0 : n_union], by_reaction[0 : n_union * REACTIONS])
  {
    fill_grids(&in, energy);
#pragma omp target update from(energy[0 : n_union])
    for (int u = 0; u < n_union; ++u)
      union_energy[u] = energy[u];
    qsort(union_energy, n_union, sizeof *union_energy, ascending);
#pragma omp target update to(union_energy[0 : n_union])
    fill_tables(n_nuclides, in.n_grid, energy, xs);
    prepare_tables(n_nuclides, in.n_grid, energy, xs, by_reaction, cumulative);
    build_index(&in, energy, union_energy, index);

    for (int batch = 0; batch < batches; ++batch) {
      for (int p = 0; p < n_particles; ++p)
        weight[p * (n_segments + 1)] = 1;
#pragma omp target update to(weight[0 : n_particles * (n_segments + 1)])
      sample(&in, batch, n_cells, lookup_energy, lookup_material, lookup_cell);
      look_up(&in, energy, xs, union_energy, index, density, lookup_energy, lookup_material, micro);
      combine(n_lookups, n_nuclides, n_materials, density, lookup_material, micro, macro);
      tally_particles(n_particles, n_segments, macro, weight, tally);
      tally_groups(n_groups, n_lookups, n_nuclides, lookup_energy, macro, micro, spectrum, used);
      tally_mesh(x_min, x_max, y_min, y_max, n_lookups, lookup_cell, macro, mesh, smooth);
    }

#pragma omp target teams distribute parallel for collapse(2) map(to : tally[0 : n_particles * REACTIONS])                      \
    map(tofrom : sum) reduction(+ : sum)
    for (int p = 0; p < n_particles; ++p)
      for (int r = 0; r < REACTIONS; ++r)
        sum += tally[p * REACTIONS + r];
    mean = sum / (n_particles * REACTIONS);

#pragma omp target teams distribute parallel for collapse(2) map(to : tally[0 : n_particles * REACTIONS])                      \
    map(tofrom : squares) reduction(+ : squares)
    for (int p = 0; p < n_particles; ++p)
      for (int r = 0; r < REACTIONS; ++r) {
        double off = tally[p * REACTIONS + r] - mean;
        squares += off * off;
      }
  }

  printf("energies: %.6e\n", total_of(union_energy, n_union));
  printf("tables: %.6e\n", total_of(by_reaction, n_union * REACTIONS));
  printf("cumulative absorption: %.6e\n", total_of(cumulative, n_union));
  printf("mean of tallies: %.6e\n", mean);
  printf("variance of tallies: %.6e\n", squares / (n_particles * REACTIONS - 1));
  printf("spectrum: %.6e\n", total_of(spectrum, n_groups * REACTIONS));
  printf("nuclides: %.6e\n", total_of(used, n_nuclides));
  printf("mesh: %.6e\n", total_of(smooth, mesh_size));

  void *all[] = {energy, xs, by_reaction, cumulative, union_energy, density, lookup_energy, micro, macro,
                 weight, tally, spectrum, used, mesh, smooth, index, lookup_material, lookup_cell};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    free(all[i]);
}
