// Classes with pointers as members, by `this`, by a pointer and by value: a kernel reads its counts and pointers before it runs, and compares what
// they lead to, where nothing in the region writes them.
// REQUIRES: libomp-device-bc
// RUN: %compile-device %s | %analyse | %FileCheck %s
// RUN: %ipda-oracle transform --optimised --schedules %s | %FileCheck %s --check-prefix=RUNS
// RUN: %not %ipda-oracle transform --mutant dropped-pair %s | %FileCheck %s --check-prefix=DROPPED
// RUNS: launches compared, 0 wrong
// ARGS: shifted: { struct: { nx: 20, ny: 10, ld: 16, a: { same-as: pool, at: 8 }, b: { same-as: pool } } }
// ARGS: pool: { type: f64, count: 1000 }

struct Mesh {
  int nx, ny;
  double *u, *v;
  int at(int i, int j) const { return i * ny + j; }
  void step();
  double norm() const;
};

// CHECK: region 'Mesh::step'
// CHECK: transformation possible threads i j
// CHECK-NEXT: this->u and this->v do not overlap
void Mesh::step() {
#pragma omp target teams distribute parallel for map(to : this[0 : 1])
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      v[at(i, j)] = u[at(i, j)] * 0.5;
}

// The runtime combines threads' sums, and writes nothing else.
// CHECK: region 'Mesh::norm'
// CHECK: transformation possible threads i j
// CHECK-NEXT: this->ny >= 1
double Mesh::norm() const {
  double s = 0;
#pragma omp target teams distribute parallel for map(to : this[0 : 1]) reduction(+ : s)
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      s += u[at(i, j)] * u[at(i, j)];
  return s;
}

struct Grid {
  int nx, ny, ld;
  double *a, *b;
};

// Rows lie apart, and each element of one needs the element before: the kernel finds that, and runs the loops as they are written. `pool` is what both
// members lead to.
// CHECK: region {{.*}}by_value
// CHECK: transformation possible threads i j
// CHECK: shifted->b and shifted->a do not overlap
// DROPPED: WRONG {{.*}}by_value
void by_value(Grid shifted, const double *pool, int k) {
#pragma omp target teams distribute parallel for firstprivate(shifted)
  for (int i = 0; i < shifted.nx; ++i)
    for (int j = 0; j < shifted.ny; ++j)
      shifted.a[i * shifted.ld + j] = shifted.b[i * shifted.ld + j] * 0.5 + (k == 77 ? pool[0] : 0);
}

// CHECK: region {{.*}}by_pointer
// CHECK: transformation possible threads i j
// CHECK: shifted->b and shifted->a do not overlap
// DROPPED: WRONG {{.*}}by_pointer
void by_pointer(Grid *shifted, const double *pool, int k) {
#pragma omp target teams distribute parallel for map(to : shifted[0 : 1])
  for (int i = 0; i < shifted->nx; ++i)
    for (int j = 0; j < shifted->ny; ++j)
      shifted->a[i * shifted->ld + j] = shifted->b[i * shifted->ld + j] * 0.5 + (k == 77 ? pool[0] : 0);
}

struct Level {
  Grid *grid;
  int n;
};

// A pointer that a pointer leads to.
// CHECK: region {{.*}}two_steps
// CHECK: transformation possible threads i j
// CHECK: level->grid->b and level->grid->a do not overlap
void two_steps(Level level) {
#pragma omp target teams distribute parallel for firstprivate(level)
  for (int i = 0; i < level.n; ++i)
    for (int j = 0; j < level.grid->ny; ++j)
      level.grid->a[i * level.grid->ld + j] = level.grid->b[i * level.grid->ld + j] * 0.5;
}

// The region leads a member elsewhere.
// CHECK: region {{.*}}moves
// CHECK: transformation left
void moves(Grid *g, double *other) {
#pragma omp target teams distribute parallel for map(tofrom : g[0 : 1])
  for (int i = 0; i < g->nx; ++i)
    for (int j = 0; j < g->ny; ++j) {
      g->a[i * g->ld + j] = g->b[i * g->ld + j] * 0.5;
      if (i == 7 && j == 3)
        g->b = other;
    }
}

struct Bytes {
  int nx, ny;
  unsigned char *a, *b;
};

// Bytes that are written may be those of a member.
// CHECK: region {{.*}}bytes
// CHECK: transformation left
void bytes(Bytes *g) {
#pragma omp target teams distribute parallel for map(to : g[0 : 1])
  for (int i = 0; i < g->nx; ++i)
    for (int j = 0; j < g->ny; ++j)
      g->a[i * g->ny + j] = g->b[i * g->ny + j];
}

// Pointers that are another one in each row.
// CHECK: region {{.*}}by_row
// CHECK: transformation left
void by_row(int n, int m, double **rows, double **from) {
#pragma omp target teams distribute parallel for map(to : rows[0 : n], from[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      rows[i][j] = from[i][j];
}

// A member is counted down: the sum is one of the region's own, and its copies are not the member's.
// CHECK: region 'Tally::count'
// CHECK: transformation left
struct Tally {
  int n, m;
  void count(const int *x);
};

void Tally::count(const int *x) {
#pragma omp target teams distribute parallel for map(tofrom : this[0 : 1]) reduction(+ : m)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      m += x[i * 64 + j];
}
