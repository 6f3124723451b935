// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// The largest input: the parts of a multigrid solver for the Poisson equation on an n x n grid, 20 regions.
// Of a grid element u[i*n + j], a loop over i moves by 8*n bytes and a loop over j by 8. The comment at each function gives
// the strides between its neighbouring threads.

double sqrt(double);

// Plain vectors of length n: 8 bytes for each array.
void fill(int n, double value, double *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = value;
}

void copy(int n, const double *x, double *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
}

void axpy(int n, double a, const double *x, double *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

void scale(int n, double a, double *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] *= a;
}

void multiply(int n, const double *x, const double *y, double *z) {
#pragma omp target teams distribute parallel for map(to : x[0 : n], y[0 : n]) map(from : z[0 : n])
  for (int i = 0; i < n; ++i)
    z[i] = x[i] * y[i];
}

double dot(int n, const double *x, const double *y) {
  double sum = 0.0;
#pragma omp target teams distribute parallel for map(to : x[0 : n], y[0 : n]) map(tofrom : sum) \
    reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    sum += x[i] * y[i];
  return sum;
}

double norm(int n, const double *x) {
  double sum = 0.0;
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i];
  return sqrt(sum);
}

// Rows across threads: u and f move by 8*n, the rows' sums by 8.
void row_sums(int n, const double *u, double *sums) {
#pragma omp target teams distribute parallel for map(to : u[0 : n * n]) map(from : sums[0 : n])
  for (int i = 0; i < n; ++i) {
    double sum = 0.0;
    for (int j = 0; j < n; ++j)
      sum += u[i * n + j];
    sums[i] = sum;
  }
}

// Columns across threads: u moves by 8.
void column_sums(int n, const double *u, double *sums) {
#pragma omp target teams distribute parallel for map(to : u[0 : n * n]) map(from : sums[0 : n])
  for (int j = 0; j < n; ++j) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i)
      sum += u[i * n + j];
    sums[j] = sum;
  }
}

// Interior points, fused: 8 bytes, and 3 elements, 24 bytes, where a row of n - 2 lanes ends.
void relax(int n, double h2, const double *u, const double *f, double *next) {
#pragma omp target teams distribute parallel for collapse(2) \
    map(to : u[0 : n * n], f[0 : n * n]) map(tofrom : next[0 : n * n])
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j)
      next[i * n + j] = 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] +
                                u[i * n + j + 1] + h2 * f[i * n + j]);
}

// One row of interior points per thread: 8*n.
void residual(int n, double h2, const double *u, const double *f, double *r) {
#pragma omp target teams distribute parallel for \
    map(to : u[0 : n * n], f[0 : n * n]) map(tofrom : r[0 : n * n])
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j)
      r[i * n + j] = f[i * n + j] - (4.0 * u[i * n + j] - u[(i - 1) * n + j] - u[(i + 1) * n + j] -
                                     u[i * n + j - 1] - u[i * n + j + 1]) / h2;
}

// Every other point of a row per thread, step 2: 16 bytes.
void relax_even_points(int n, double *line, const double *f) {
#pragma omp target teams distribute parallel for map(tofrom : line[0 : n]) map(to : f[0 : n])
  for (int i = 2; i < n - 1; i += 2)
    line[i] = 0.5 * (line[i - 1] + line[i + 1] + f[i]);
}

// Injection of a line to a grid of half the points: reads move by 16, writes by 8.
void restrict_line(int coarse, const double *fine, double *line) {
#pragma omp target teams distribute parallel for \
    map(to : fine[0 : 2 * coarse]) map(from : line[0 : coarse])
  for (int i = 0; i < coarse; ++i)
    line[i] = fine[2 * i];
}

// Linear interpolation back: reads move by 8, both writes by 16.
void prolong_line(int coarse, const double *line, double *fine) {
#pragma omp target teams distribute parallel for \
    map(to : line[0 : coarse + 1]) map(from : fine[0 : 2 * coarse])
  for (int i = 0; i < coarse; ++i) {
    fine[2 * i] = line[i];
    fine[2 * i + 1] = 0.5 * (line[i] + line[i + 1]);
  }
}

// Top boundary, along a row: 8.  Left boundary, along a column: 8*n.
void boundary_top(int n, double *u) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n * n])
  for (int j = 0; j < n; ++j)
    u[j] = 0.0;
}

void boundary_left(int n, double *u) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n * n])
  for (int i = 0; i < n; ++i)
    u[i * n] = 0.0;
}

// Reads along rows, 8*n; writes along columns, 8.
void transpose(int n, const double *u, double *v) {
#pragma omp target teams distribute parallel for map(to : u[0 : n * n]) map(from : v[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      v[j * n + i] = u[i * n + j];
}

// Where x is read, or y written, is decided by the data.
void gather(int n, const int *idx, const double *x, double *y) {
#pragma omp target teams distribute parallel for map(to : idx[0 : n], x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = x[idx[i]];
}

void scatter(int n, const int *idx, const double *x, double *y) {
#pragma omp target teams distribute parallel for map(to : idx[0 : n], x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[idx[i]] = x[i];
}

// A team per row, its threads along the row: 8.
void scale_rows(int n, const double *factor, double *u) {
#pragma omp target teams distribute map(to : factor[0 : n]) map(tofrom : u[0 : n * n])
  for (int i = 0; i < n; ++i) {
#pragma omp parallel for
    for (int j = 0; j < n; ++j)
      u[i * n + j] *= factor[i];
  }
}

// CHECK: region 'fill' at {{.*}}many-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 store x 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: region 'copy' at {{.*}}many-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 load x 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc1 store y 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: region 'axpy' at {{.*}}many-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 load x 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc1 load y 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc2 store y 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: region 'scale' at {{.*}}many-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 load x 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc1 store x 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: region 'multiply' at {{.*}}many-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 load x 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc1 load y 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc2 store z 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: region 'dot' at {{.*}}many-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: load x 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: load y 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: region 'norm' at {{.*}}many-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: load x 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: region 'row_sums' at {{.*}}many-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 load u 8 bytes
// CHECK: stride symbolic 8*[n] class symbolic
// CHECK: acc1 store sums 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: region 'column_sums' at {{.*}}many-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 load u 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc1 store sums 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: region 'relax' at {{.*}}many-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 load u 8 bytes
// CHECK: stride row-ends 8 at row ends 24 every [n] - 2 lanes class symbolic
// CHECK: acc1 load u 8 bytes
// CHECK: stride row-ends 8 at row ends 24 every [n] - 2 lanes class symbolic
// CHECK: acc2 load u 8 bytes
// CHECK: stride row-ends 8 at row ends 24 every [n] - 2 lanes class symbolic
// CHECK: acc3 load u 8 bytes
// CHECK: stride row-ends 8 at row ends 24 every [n] - 2 lanes class symbolic
// CHECK: acc4 load f 8 bytes
// CHECK: stride row-ends 8 at row ends 24 every [n] - 2 lanes class symbolic
// CHECK: acc5 store next 8 bytes
// CHECK: stride row-ends 8 at row ends 24 every [n] - 2 lanes class symbolic
// CHECK: region 'residual' at {{.*}}many-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 load f 8 bytes
// CHECK: stride symbolic 8*[n] class symbolic
// CHECK: acc1 load u 8 bytes
// CHECK: stride symbolic 8*[n] class symbolic
// CHECK: acc2 load u 8 bytes
// CHECK: stride symbolic 8*[n] class symbolic
// CHECK: acc3 load u 8 bytes
// CHECK: stride symbolic 8*[n] class symbolic
// CHECK: acc4 load u 8 bytes
// CHECK: stride symbolic 8*[n] class symbolic
// CHECK: acc5 load u 8 bytes
// CHECK: stride symbolic 8*[n] class symbolic
// CHECK: acc6 store r 8 bytes
// CHECK: stride symbolic 8*[n] class symbolic
// CHECK: region 'relax_even_points' at {{.*}}many-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 load line 8 bytes
// CHECK: stride constant 16 class strided sectors 16..17 lines 4..5
// CHECK: acc1 load line 8 bytes
// CHECK: stride constant 16 class strided sectors 17..17 lines 5..5
// CHECK: acc2 load f 8 bytes
// CHECK: stride constant 16 class strided sectors 17..17 lines 5..5
// CHECK: acc3 store line 8 bytes
// CHECK: stride constant 16 class strided sectors 17..17 lines 5..5
// CHECK: region 'restrict_line' at {{.*}}many-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 load fine 8 bytes
// CHECK: stride constant 16 class strided sectors 16..17 lines 4..5
// CHECK: acc1 store line 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: region 'prolong_line' at {{.*}}many-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 load line 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc1 store fine 8 bytes
// CHECK: stride constant 16 class strided sectors 16..17 lines 4..5
// CHECK: acc2 load line 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc3 load line 8 bytes
// CHECK: stride constant 8 class coalesced sectors 9..9 lines 3..3
// CHECK: acc4 store fine 8 bytes
// CHECK: stride constant 16 class strided sectors 16..17 lines 4..5
// CHECK: region 'boundary_top' at {{.*}}many-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 store u 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: region 'boundary_left' at {{.*}}many-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 store u 8 bytes
// CHECK: stride symbolic 8*[n] class symbolic
// CHECK: region 'transpose' at {{.*}}many-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 load u 8 bytes
// CHECK: stride symbolic 8*[n] class symbolic
// CHECK: acc1 store v 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: region 'gather' at {{.*}}many-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 load idx 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 load x 8 bytes
// CHECK: stride data-dependent 'index loaded from idx (stride 4 there)' class data-dependent
// CHECK: acc2 store y 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: region 'scatter' at {{.*}}many-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 load x 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc1 load idx 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc2 store y 8 bytes
// CHECK: stride data-dependent 'index loaded from idx (stride 4 there)' class data-dependent
// CHECK: region 'scale_rows' at {{.*}}many-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, generic
// CHECK: acc0 load factor 8 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: acc1 load u 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc2 store u 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK-NOT: {{^ *}}region '
