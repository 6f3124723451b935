// RUN: %clang -O2 -fopenmp -Wall -Wextra -Werror %s -o %t -lm && %t | %FileCheck %s
// RUN: %S/../plugin/by-versions.sh %plugin %llvm-lib %t %clang -O2 %s
// CHECK: time: 2.972114e-01
// CHECK: mass of elements: 1.250000e+00
// CHECK: mass of nodes: 1.250000e+00
// CHECK: volume: 1.155227e+00
// CHECK: energy: 9.968362e+01
// CHECK: velocity: 5.727830e+01
// CHECK: load: 4.035714e+00
// CHECK: tracer: 1.763892e+02
// CHECK: sent: 5.690757e+01
//
// Gas of three materials on an unstructured mesh of hexahedra, moving with its nodes: coordinates are gathered to the corners of the elements, forces
// are gathered back by a list of the corners at each node. Pressure, density and more are kept component by component, gradients and forces of the
// corners element by element. Columns of elements carry a load and a settling tracer.
//
// ARGS: nelem: 27
// ARGS: nnode: 56
// ARGS: nmat: 3
// ARGS: nplane: 20
// ARGS: ncolumn: 22
// ARGS: nlayer: 17
// ARGS: dt: 0.5
// ARGS: first: 0
// ARGS: last: 7
// ARGS: z: { struct: { nelem: 27, nnode: 56, nmat: 3, nghost: 19, nplane: 20, ncolumn: 22, nlayer: 17 } }
// ARGS: nodelist: { type: i32, count: 216, fill: { modulo: 56 } }
// ARGS: corner_start: { type: i32, values: [0, 3, 11, 13, 18, 25, 26, 26, 33, 37, 45, 48, 51, 58, 66, 74, 81, 87, 89, 92, 94, 102, 108, 108, 109, 111, 111, 115, 115, 119, 126, 132, 138, 144, 151, 153, 158, 159, 159, 161, 168, 171, 175, 181, 185, 191, 199, 205, 210, 218, 224, 224, 224, 224, 224, 224, 224] }
// ARGS: corner_list: { type: i32, count: 224, fill: { modulo: 211 } }
// ARGS: colour_elem: { type: i32, count: 27, fill: index }
// ARGS: ghost_elem: { type: i32, count: 19, fill: { modulo: 27 } }
// ARGS: plane_node: { type: i32, count: 60, fill: { modulo: 56 } }
// ARGS: column_elem: { type: i32, count: 374, fill: { modulo: 27 } }
// ARGS: state: { type: f64, count: 135, fill: { constant: 2 } }
// ARGS: elem_mass: { type: f64, count: 27, fill: { constant: 3 } }
// ARGS: node_mass: { type: f64, count: 56, fill: { constant: 4 } }
// ARGS: frac: { type: f64, count: 81, fill: { modulo: 2 } }
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CORNERS 8
#define DIMS 3
#define FIELDS 5
#define COLOURS 8

enum { DENSITY, PRESSURE, VISCOSITY, VOLUME, SOUND };

// Where a value stands: of a node, a corner of an element, a direction of an element, an element.
#define NODE(c, n) ((c) * nnode + (n))
#define CORNER(c, k, e) (((c) * CORNERS + (k)) * nelem + (e))
#define DIRECTION(i, c, e) (((i) * DIMS + (c)) * nelem + (e))
#define GRADIENT(e, c, d) (((e) * DIMS + (c)) * DIMS + (d))
#define FORCE(e, k, c) (((e) * CORNERS + (k)) * DIMS + (c))
#define STATE(f, e) ((f) * nelem + (e))

struct sizes {
  int nelem, nnode, nmat, nghost, nplane, ncolumn, nlayer;
};

// On which side of the element a corner lies in the direction i.
static inline double side(int k, int i) { return (k >> i & 1) ? 1.0 : -1.0; }
static inline double cofactor(const double *restrict jac, int nelem, int i, int c, int e) {
  const int i1 = (i + 1) % DIMS, i2 = (i + 2) % DIMS, c1 = (c + 1) % DIMS, c2 = (c + 2) % DIMS;
  return jac[DIRECTION(i1, c1, e)] * jac[DIRECTION(i2, c2, e)] - jac[DIRECTION(i1, c2, e)] * jac[DIRECTION(i2, c1, e)];
}

static void gather_coordinates(int nelem, int nnode, const int *nodelist, const double *coord, double *xe) {
  int c, k, e;
#pragma omp target teams distribute parallel for collapse(3) private(c, k, e) \
    map(to : nodelist[0 : CORNERS * nelem], coord[0 : DIMS * nnode]) map(from : xe[0 : DIMS * CORNERS * nelem])
  for (c = 0; c < DIMS; c++)
    for (k = 0; k < CORNERS; k++)
      for (e = 0; e < nelem; e++)
        xe[CORNER(c, k, e)] = coord[NODE(c, nodelist[CORNERS * e + k])];
}

// Derivatives of the mapping at the middle of each element, their cofactors, and what they say about the volume.
static void geometry(const struct sizes *z, const double *xe, double *jac, double *cof, double *bmat, double *state, const double *elem_mass) {
  const int nelem = z->nelem;
#pragma omp target teams distribute parallel for collapse(3) map(to : xe[0 : DIMS * CORNERS * nelem]) \
    map(from : jac[0 : DIMS * DIMS * nelem])
  for (int i = 0; i < DIMS; ++i)
    for (int c = 0; c < DIMS; ++c)
      for (int e = 0; e < nelem; ++e) {
        double sum = 0;
        for (int k = 0; k < CORNERS; ++k)
          sum += side(k, i) * xe[CORNER(c, k, e)];
        jac[DIRECTION(i, c, e)] = 0.125 * sum;
      }

#pragma omp target teams distribute parallel for collapse(3) map(to : jac[0 : DIMS * DIMS * nelem]) \
    map(from : cof[0 : DIMS * DIMS * nelem])
  for (int i = 0; i < DIMS; ++i)
    for (int c = 0; c < DIMS; ++c)
      for (int e = 0; e < nelem; ++e)
        cof[DIRECTION(i, c, e)] = cofactor(jac, nelem, i, c, e);

#pragma omp target teams distribute parallel for map(to : jac[0 : DIMS * DIMS * nelem], cof[0 : DIMS * DIMS * nelem]) \
    map(to : elem_mass[0 : nelem]) map(tofrom : state[0 : FIELDS * nelem])
  for (int e = 0; e < nelem; ++e) {
    double det = 0;
    for (int c = 0; c < DIMS; ++c)
      det += jac[DIRECTION(0, c, e)] * cof[DIRECTION(0, c, e)];
    state[STATE(VOLUME, e)] = 8 * det;
    state[STATE(DENSITY, e)] = elem_mass[e] / (8 * det);
  }

#pragma omp target teams distribute parallel for collapse(2) map(to : cof[0 : DIMS * DIMS * nelem]) \
    map(from : bmat[0 : DIMS * CORNERS * nelem])
  for (int k = 0; k < CORNERS; ++k)
    for (int e = 0; e < nelem; ++e)
      for (int c = 0; c < DIMS; ++c)
        bmat[CORNER(c, k, e)] = side(k, 0) * cof[DIRECTION(0, c, e)] + side(k, 1) * cof[DIRECTION(1, c, e)] +
                                side(k, 2) * cof[DIRECTION(2, c, e)];
}

// The mass of each element from densities that are given at nodes.
static void masses_of_elements(int nelem, int nnode, const int *nodelist, const double *node_rho, const double *state, double *elem_mass) {
  // wrong: collapse(2): the corners of an element add to the same mass
#pragma omp target teams distribute parallel for map(to : nodelist[0 : CORNERS * nelem], node_rho[0 : nnode]) \
    map(to : state[0 : FIELDS * nelem]) map(tofrom : elem_mass[0 : nelem])
  for (int e = 0; e < nelem; ++e)
    for (int k = 0; k < CORNERS; ++k)
      elem_mass[e] += 0.125 * state[STATE(VOLUME, e)] * node_rho[nodelist[CORNERS * e + k]];
}

// No two elements of a colour have a node in common.
static void masses_of_nodes(int first, int last, const int *colour_elem, const int *nodelist, const double *elem_mass, double *node_mass) {
#pragma omp target teams distribute parallel for collapse(2)
  for (int i = first; i < last; ++i)
    for (int k = 0; k < CORNERS; ++k) {
      const int e = colour_elem[i];
      node_mass[nodelist[CORNERS * e + k]] += 0.125 * elem_mass[e];
    }
}

static void gradients(int nelem, const int *nodelist, const double *vel, const double *bmat, const double *state, double *grad) {
  int e, c, d, k, n;
  double sum;
#pragma omp target teams distribute parallel for collapse(3) private(e, c, d, k, n, sum)
  for (e = 0; e < nelem; e++)
    for (c = 0; c < DIMS; c++)
      for (d = 0; d < DIMS; d++) {
        sum = 0;
        for (k = 0; k < CORNERS; k++) {
          n = nodelist[CORNERS * e + k];
          sum += vel[DIMS * n + c] * bmat[CORNER(d, k, e)];
        }
        grad[GRADIENT(e, c, d)] = sum / state[STATE(VOLUME, e)];
      }
}

// Pressure of each material, then of the mixture; the sizes are read where they are used.
static void equation_of_state(const struct sizes *z, const double *frac, const double *energy, double *pmat, double *state, const double *grad) {
  const int nelem = z->nelem;
#pragma omp target teams loop collapse(2) map(to : z[0 : 1])
  for (int m = 0; m < z->nmat; ++m)
    for (int e = 0; e < z->nelem; ++e) {
      const int at = m * nelem + e;
      const double rho = state[STATE(DENSITY, e)];
      if (frac[at] < 1e-10) {
        pmat[at] = 0;
        continue;
      }
      if (m == 0)
        pmat[at] = 0.4 * rho * energy[at];
      else if (m == 1)
        pmat[at] = 0.6 * rho * energy[at] + 0.05 * rho * rho;
      else
        pmat[at] = fmax(0.3 * rho * energy[at] - 0.02, 0.0);
    }

#pragma omp target teams distribute parallel for map(to : z[0 : 1])
  for (int e = 0; e < z->nelem; ++e) {
    const double rho = state[STATE(DENSITY, e)], size = cbrt(state[STATE(VOLUME, e)]);
    double p = 0;
    for (int m = 0; m < z->nmat; ++m)
      p += frac[m * nelem + e] * pmat[m * nelem + e];
    const double sound = sqrt(1.6 * p / rho + 1e-8);
    const double widening = grad[GRADIENT(e, 0, 0)] + grad[GRADIENT(e, 1, 1)] + grad[GRADIENT(e, 2, 2)];
    state[STATE(PRESSURE, e)] = p;
    state[STATE(SOUND, e)] = sound;
    state[STATE(VISCOSITY, e)] = widening < 0 ? rho * size * widening * (2 * size * widening - 0.5 * sound) : 0.0;
  }
}

static double time_step(int nelem, int nmat, const double *state, const double *frac, const double *energy) {
  double limit = 0.05;
#pragma omp target teams distribute parallel for collapse(2) reduction(min : limit) map(tofrom : limit)
  for (int m = 0; m < nmat; ++m)
    for (int e = 0; e < nelem; ++e) {
      if (frac[m * nelem + e] < 1e-10)
        continue;
      const double fast = state[STATE(SOUND, e)] + sqrt(0.4 * energy[m * nelem + e]);
      limit = fmin(limit, 0.3 * cbrt(state[STATE(VOLUME, e)]) / (fast + 1e-6));
    }
  return limit;
}

static void forces(const struct sizes *z, const double *state, const double *bmat, const int *corner_start, const int *corner_list,
                   double *corner_force, double *force) {
  const int nelem = z->nelem, nnode = z->nnode;
#pragma omp target teams distribute parallel for collapse(3)
  for (int e = 0; e < nelem; ++e)
    for (int k = 0; k < CORNERS; ++k)
      for (int c = 0; c < DIMS; ++c)
        corner_force[FORCE(e, k, c)] = (state[STATE(PRESSURE, e)] + state[STATE(VISCOSITY, e)]) * bmat[CORNER(c, k, e)];

#pragma omp target teams distribute parallel for collapse(2)
  for (int n = 0; n < nnode; ++n)
    for (int c = 0; c < DIMS; ++c) {
      double sum = 0;
      for (int i = corner_start[n]; i < corner_start[n + 1]; ++i)
        sum += corner_force[DIMS * corner_list[i] + c];
      force[DIMS * n + c] = sum;
    }
}

// New velocities of nodes and energies of materials in one region; then the nodes move.
static void advance(const struct sizes *z, double dt, const double *force, const double *node_mass, const int *plane_node, double *vel,
                    double *coord, const double *grad, const double *state, const double *elem_mass, double *energy) {
  const int nelem = z->nelem, nnode = z->nnode, nmat = z->nmat, nplane = z->nplane;
#pragma omp target teams
  {
#pragma omp distribute parallel for collapse(2)
    for (int n = 0; n < nnode; ++n)
      for (int c = 0; c < DIMS; ++c)
        vel[DIMS * n + c] += dt * force[DIMS * n + c] / node_mass[n];

#pragma omp distribute parallel for collapse(2)
    for (int m = 0; m < nmat; ++m)
      for (int e = 0; e < nelem; ++e) {
        const double widening = grad[GRADIENT(e, 0, 0)] + grad[GRADIENT(e, 1, 1)] + grad[GRADIENT(e, 2, 2)];
        const double work = (state[STATE(PRESSURE, e)] + state[STATE(VISCOSITY, e)]) * widening * state[STATE(VOLUME, e)];
        energy[m * nelem + e] = fmax(energy[m * nelem + e] - dt * work / elem_mass[e], 0.0);
      }
  }

  // No node leaves a plane of symmetry; lists of planes are filled up with -1.
#pragma omp target parallel for collapse(2)
  for (int p = 0; p < DIMS; ++p)
    for (int i = 0; i < nplane; ++i) {
      const int n = plane_node[p * nplane + i];
      if (n < 0)
        continue;
      vel[DIMS * n + p] = 0;
    }

#pragma omp target teams distribute parallel for collapse(2) map(to : vel[0 : DIMS * nnode]) map(tofrom : coord[0 : DIMS * nnode])
  for (int c = 0; c < DIMS; ++c)
    for (int n = 0; n < nnode; ++n)
      coord[NODE(c, n)] += dt * vel[DIMS * n + c];
}

// What lies above each element of a column, and a tracer that settles into the layer below.
static void columns(const struct sizes *z, const int *column_elem, const double *elem_mass, double *load, double *tracer) {
  const int ncolumn = z->ncolumn, nlayer = z->nlayer;
  int q, l;
  // wrong: collapse(2): a column is summed from its top down
#pragma omp target teams distribute parallel for private(l)
  for (q = 0; q < ncolumn; q++)
    for (l = 1; l < nlayer; l++)
      load[q * nlayer + l] = load[q * nlayer + l - 1] + elem_mass[column_elem[q * nlayer + l - 1]];

  // wrong: collapse(2): a layer takes from the layer above what that one has got just before
#pragma omp target teams distribute parallel for private(l)
  for (q = 0; q < ncolumn; q++)
    for (l = 1; l < nlayer; l++)
      tracer[l * ncolumn + q] += 0.25 * (tracer[(l - 1) * ncolumn + q] - tracer[l * ncolumn + q]);
}

static void pack(const struct sizes *z, const int *ghost_elem, const double *state, double *buffer) {
#pragma omp target teams distribute parallel for collapse(2) map(to : z[0 : 1])
  for (int f = 0; f < FIELDS; ++f)
    for (int g = 0; g < z->nghost; ++g)
      buffer[f * z->nghost + g] = state[f * z->nelem + ghost_elem[g]];
}

// A number that has no divisor in common with n: its multiples reach each number below n once.
static int common_divisor(int a, int b) { return b ? common_divisor(b, a % b) : a; }
static int stride_for(int n) {
  int s = n / 3 + 1;
  while (common_divisor(s, n) != 1)
    ++s;
  return s;
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
  const int nx = argc > 1 ? atoi(argv[1]) : 6, ny = argc > 2 ? atoi(argv[2]) : 5, nz = argc > 3 ? atoi(argv[3]) : 7;
  const int steps = argc > 4 ? atoi(argv[4]) : 12;
  const int nelem = nx * ny * nz, nnode = (nx + 1) * (ny + 1) * (nz + 1), nmat = 3, nghost = ny * nz;
  const int ncolumn = nx * ny, nlayer = nz, nplane = nnode / ((nx < ny ? (nx < nz ? nx : nz) : (ny < nz ? ny : nz)) + 1);
  const struct sizes sizes = {nelem, nnode, nmat, nghost, nplane, ncolumn, nlayer}, *z = &sizes;
  int *nodelist = integers(CORNERS * nelem), *corner_start = integers(nnode + 2), *corner_list = integers(CORNERS * nelem);
  int *colour_elem = integers(nelem), *ghost_elem = integers(nghost), *plane_node = integers(DIMS * nplane), *column_elem = integers(nelem);
  double *coord = numbers(DIMS * nnode), *vel = numbers(DIMS * nnode), *force = numbers(DIMS * nnode), *node_mass = numbers(nnode);
  double *xe = numbers(DIMS * CORNERS * nelem), *bmat = numbers(DIMS * CORNERS * nelem), *corner_force = numbers(DIMS * CORNERS * nelem);
  double *jac = numbers(DIMS * DIMS * nelem), *cof = numbers(DIMS * DIMS * nelem), *grad = numbers(DIMS * DIMS * nelem);
  double *state = numbers(FIELDS * nelem), *elem_mass = numbers(nelem), *node_rho = numbers(nnode);
  double *frac = numbers(nmat * nelem), *energy = numbers(nmat * nelem), *pmat = numbers(nmat * nelem);
  double *load = numbers(nelem), *tracer = numbers(nelem), *buffer = numbers(FIELDS * nghost);

  // Nodes and elements in an order that says nothing about where they are.
  const int node_stride = stride_for(nnode), elem_stride = stride_for(nelem);
  int colour_start[COLOURS + 1] = {0}, on_plane[DIMS] = {0}, placed = 0;
  for (int i = 0; i < DIMS * nplane; ++i)
    plane_node[i] = -1;
  for (int k = 0, s = 0; k <= nz; ++k)
    for (int j = 0; j <= ny; ++j)
      for (int i = 0; i <= nx; ++i, ++s) {
        const int n = (int)((long)s * node_stride % nnode), place[DIMS] = {i, j, k};
        coord[NODE(0, n)] = (i + 0.1 * sin(1.3 * j)) / nx;
        coord[NODE(1, n)] = (j + 0.1 * sin(0.7 * k)) / ny;
        coord[NODE(2, n)] = (double)k / nz;
        node_rho[n] = 1 + 0.5 * k / nz;
        for (int p = 0; p < DIMS; ++p)
          if (place[p] == 0)
            plane_node[p * nplane + on_plane[p]++] = n;
      }
  for (int colour = 0; colour < COLOURS; ++colour) {
    for (int k = colour >> 2 & 1; k < nz; k += 2)
      for (int j = colour >> 1 & 1; j < ny; j += 2)
        for (int i = colour & 1; i < nx; i += 2) {
          const int e = (int)((long)((k * ny + j) * nx + i) * elem_stride % nelem);
          for (int q = 0; q < CORNERS; ++q) {
            const int s = ((k + (q >> 2)) * (ny + 1) + j + (q >> 1 & 1)) * (nx + 1) + i + (q & 1);
            nodelist[CORNERS * e + q] = (int)((long)s * node_stride % nnode);
            corner_start[nodelist[CORNERS * e + q] + 2]++;
          }
          colour_elem[placed++] = e;
          column_elem[(j * nx + i) * nlayer + nz - 1 - k] = e;
          if (i == nx - 1)
            ghost_elem[k * ny + j] = e;
          frac[e] = i < nx / 2 ? 1 - (double)i / nx : 0;
          frac[nelem + e] = i < nx / 2 ? (double)i / nx : 0.75;
          frac[2 * nelem + e] = i < nx / 2 ? 0 : 0.25;
          energy[e] = i + j + k == 0 ? 4.0 : 0.1;
          energy[nelem + e] = energy[2 * nelem + e] = 0.2;
          tracer[(nz - 1 - k) * ncolumn + j * nx + i] = k == nz - 1 ? 1 + 0.1 * i : 0;
        }
    colour_start[colour + 1] = placed;
  }
  for (int n = 0; n < nnode; ++n)
    corner_start[n + 2] += corner_start[n + 1];
  for (int q = 0; q < CORNERS * nelem; ++q)
    corner_list[corner_start[nodelist[q] + 1]++] = q;

  double time = 0;
#pragma omp target data map(to : nodelist[0 : CORNERS * nelem], corner_start[0 : nnode + 1], corner_list[0 : CORNERS * nelem]) \
    map(to : colour_elem[0 : nelem], ghost_elem[0 : nghost], plane_node[0 : DIMS * nplane], column_elem[0 : nelem]) \
    map(to : node_rho[0 : nnode], frac[0 : nmat * nelem]) map(tofrom : coord[0 : DIMS * nnode], vel[0 : DIMS * nnode]) \
    map(tofrom : energy[0 : nmat * nelem], state[0 : FIELDS * nelem], elem_mass[0 : nelem], node_mass[0 : nnode]) \
    map(tofrom : load[0 : nelem], tracer[0 : nelem], grad[0 : DIMS * DIMS * nelem]) map(from : buffer[0 : FIELDS * nghost]) \
    map(alloc : xe[0 : DIMS * CORNERS * nelem], bmat[0 : DIMS * CORNERS * nelem], corner_force[0 : DIMS * CORNERS * nelem]) \
    map(alloc : jac[0 : DIMS * DIMS * nelem], cof[0 : DIMS * DIMS * nelem], pmat[0 : nmat * nelem], force[0 : DIMS * nnode])
  {
    gather_coordinates(nelem, nnode, nodelist, coord, xe);
    geometry(z, xe, jac, cof, bmat, state, elem_mass);
    masses_of_elements(nelem, nnode, nodelist, node_rho, state, elem_mass);
    for (int colour = 0; colour < COLOURS; ++colour)
      masses_of_nodes(colour_start[colour], colour_start[colour + 1], colour_elem, nodelist, elem_mass, node_mass);

    for (int step = 0; step < steps; ++step) {
      gather_coordinates(nelem, nnode, nodelist, coord, xe);
      geometry(z, xe, jac, cof, bmat, state, elem_mass);
      gradients(nelem, nodelist, vel, bmat, state, grad);
      equation_of_state(z, frac, energy, pmat, state, grad);
      const double dt = time_step(nelem, nmat, state, frac, energy);
      forces(z, state, bmat, corner_start, corner_list, corner_force, force);
      advance(z, dt, force, node_mass, plane_node, vel, coord, grad, state, elem_mass, energy);
      columns(z, column_elem, elem_mass, load, tracer);
      time += dt;
      if (step % 4 == 0) {
        pack(z, ghost_elem, state, buffer);
#pragma omp target update from(buffer[0 : FIELDS * nghost])
      }
    }
  }

  printf("time: %.6e\nmass of elements: %.6e\n", time, total(nelem, elem_mass));
  printf("mass of nodes: %.6e\nvolume: %.6e\n", total(nnode, node_mass), total(nelem, state + STATE(VOLUME, 0)));
  printf("energy: %.6e\nvelocity: %.6e\n", total(nmat * nelem, energy), total(DIMS * nnode, vel));
  printf("load: %.6e\ntracer: %.6e\n", total(nelem, load), total(nelem, tracer));
  printf("sent: %.6e\n", total(FIELDS * nghost, buffer));

  void *all[] = {nodelist, corner_start, corner_list, colour_elem, ghost_elem, plane_node, column_elem, coord, vel, force, node_mass, xe, bmat,
                 corner_force, jac, cof, grad, state, elem_mass, node_rho, frac, energy, pmat, load, tracer, buffer};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); ++i)
    free(all[i]);
  return 0;
}
