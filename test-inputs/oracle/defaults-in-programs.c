// REQUIRES: libomp-device-bc
// Kernels of programs run without a word about their arguments: arrays are as long as the kernel reaches.
// RUN: %compile-device -w %s > %t.bc
// RUN: %ipda-trace %t.bc --no-predictions | %FileCheck %s
// No index leads from a row's margin to another row, whatever the sizes: so there is no race.
// RUN: %ipda-trace %t.bc --no-predictions --kernel heat --check | %FileCheck %s --check-prefix=HEAT
// RUN: %ipda-trace %t.bc --no-predictions --kernel seismic --check | %FileCheck %s --check-prefix=SEISMIC
// RUN: %ipda-trace %t.bc --kernel heat --print-args | %FileCheck %s --check-prefix=HEAT-ARGS
// RUN: %ipda-trace %t.bc --kernel seismic --print-args | %FileCheck %s --check-prefix=SEISMIC-ARGS
// RUN: %ipda-trace %t.bc --kernel sums --print-args | %FileCheck %s --check-prefix=SUMS-ARGS
// RUN: %ipda-trace %t.bc --kernel transpose --print-args | %FileCheck %s --check-prefix=TRANSPOSE-ARGS
// RUN: %ipda-trace %t.bc --kernel one_type --print-args | %FileCheck %s --check-prefix=TYPE-ARGS
// What is printed is what --args takes.
// RUN: %ipda-trace %t.bc --kernel heat --print-args > %t.yaml
// RUN: %ipda-trace %t.bc --no-predictions --kernel heat --args %t.yaml --check | %FileCheck %s --check-prefix=HEAT
// What a description gives, keeps its length: 100 rows of 100 need more than 1000 numbers.
// RUN: echo 'u: { type: f64, count: 1000 }' > %t.short.yaml
// RUN: %not %ipda-trace %t.bc --no-predictions --kernel heat --args %t.short.yaml 2>&1 | %FileCheck %s --check-prefix=SHORT

// Variable-length arrays with a margin around.
int heat(int argc) {
  int n = 64 * argc, m = n + 16;
  double u[n + 2][m + 2], v[n + 2][m + 2];
#pragma omp target teams distribute parallel for collapse(2) map(to : u) map(from : v)
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++)
      v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
  return v[1][1] > 0;
}

// Three dimensions, and a margin whose width is a variable: 100 of each would be rows of 400, 400 of them in each of 200 planes, or 128 MB.
int seismic(void) {
  int nx = 60, ny = 50, nz = 40, r = 4;
  float p[nz + 2 * r][ny + 2 * r][nx + 2 * r], q[nz + 2 * r][ny + 2 * r][nx + 2 * r], c[r + 1];
#pragma omp target teams distribute parallel for map(tofrom : p) map(to : q, c)
  for (int z = r; z < nz + r; z++)
    for (int y = r; y < ny + r; y++)
      for (int x = r; x < nx + r; x++) {
        float s = c[0] * q[z][y][x];
        for (int d = 1; d <= r; d++)
          s += c[d] * (q[z - d][y][x] + q[z + d][y][x] + q[z][y - d][x] + q[z][y + d][x] + q[z][y][x - d] + q[z][y][x + d]);
        p[z][y][x] = 2 * q[z][y][x] - p[z][y][x] + s;
      }
  return p[r][r][r] > 0;
}

// A number that is mapped is one number, beside arrays.
int sums(int argc) {
  int n = 1000 * argc;
  double a[n], sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum) map(to : a)
  for (int i = 0; i < n; i++)
    sum += a[i];
  return sum > 0;
}

// Extents are handed on once for both arrays.
int one_type(int n) {
  typedef double row[n];
  row a, b;
#pragma omp target teams distribute parallel for map(to : a) map(tofrom : b)
  for (int i = 0; i < n; i++)
    b[i] += a[i];
  return b[0] > 0;
}

// As large as constants say, and more than defaults have.
void transpose(double (*restrict a)[300], double (*restrict b)[300]) {
#pragma omp target teams distribute parallel for map(to : a[0 : 300]) map(from : b[0 : 300])
  for (int i = 0; i < 300; i++)
    for (int j = 0; j < 300; j++)
      b[j][i] = a[i][j];
}

// C89, and flat.
void cube(float *q, int nx, int ny, int nz) {
  int i, j, k;
#pragma omp target teams distribute parallel for private(j, k) map(tofrom : q[0 : nx * ny * nz])
  for (i = 0; i < nx; i++)
    for (j = 0; j < ny; j++)
      for (k = 0; k < nz; k++)
        q[(i * ny + j) * nz + k] *= 0.5f;
}

typedef struct { double re, im; } cplx;
int butterflies(void) {
  int n = 512;
  cplx z[n], w[n / 2];
#pragma omp target teams distribute parallel for map(tofrom : z) map(to : w)
  for (int k = 0; k < n / 2; k++)
    z[k + n / 2].re = w[k].re * z[k].re - w[k].im * z[k].im;
  return z[0].re > 0;
}

int rows_of_a_pool(void) {
  int rows = 40, cols = 70;
  float pool[rows * cols], *row[rows];
  for (int i = 0; i < rows; i++)
    row[i] = pool + i * cols;
#pragma omp target teams distribute parallel for map(to : row) map(tofrom : pool)
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++)
      row[i][j] += 1;
  return pool[3] > 0;
}

int padded(void) {
  int n = 100, bs = 16, nblk = (n + bs - 1) / bs, ld = nblk * bs;
  float a[ld][ld], b[ld * ld];
#pragma omp target teams distribute parallel for collapse(2) map(to : a) map(from : b)
  for (int bi = 0; bi < nblk; bi++)
    for (int bj = 0; bj < nblk; bj++)
      for (int i = bi * bs; i < (bi + 1) * bs && i < n; i++)
        for (int j = bj * bs; j < (bj + 1) * bs && j < n; j++)
          b[j * ld + i] = a[i][j];
  return b[3] > 0;
}

struct field { int nx, ny; double *data; };
void member(struct field f) {
#pragma omp target teams distribute parallel for map(tofrom : f.data[0 : f.nx * f.ny * 8])
  for (int j = 0; j < f.ny * 8; j++)
    for (int i = 0; i < f.nx; i++)
      f.data[j * f.nx + i] += 1;
}

int tensor(void) {
  int b = 4, c = 8, h = 30, w = 30;
  float x[b][c][h][w], y[b][c][h][w], bias[c];
#pragma omp target teams distribute parallel for collapse(2) map(to : x, bias) map(from : y)
  for (int i = 0; i < b; i++)
    for (int j = 0; j < c; j++)
      for (int k = 0; k < h; k++)
        for (int l = 0; l < w; l++)
          y[i][j][k][l] = x[i][j][k][l] + bias[j];
  return y[0][0][0][0] > 0;
}

// CHECK-COUNT-11: accesses of warps:

// HEAT: computes the same in 12 launches
// SEISMIC: computes the same in 12 launches

// The last element is that of row 101 and column 100: 101 * 400 + 100 is less than the 65536 of any array.
// HEAT-ARGS: {{^}}'n': 100
// HEAT-ARGS: {{^}}m: 100
// HEAT-ARGS: {{^}}arg3: 400
// HEAT-ARGS: {{^}}arg4: 400
// HEAT-ARGS: count: 65536

// All sizes are the same, and less than 100; an extent is four of them. Of c, r + 1 elements are read, which is less than the usual.
// SEISMIC-ARGS-DAG: {{^}}nx: [[#N:]]
// SEISMIC-ARGS-DAG: {{^}}r: [[#N]]
// SEISMIC-ARGS-DAG: {{^}}arg{{[0-9]+}}: [[#mul(N,4)]]
// SEISMIC-ARGS-NOT: : 100

// SUMS-ARGS: {{^}}sum: 1.5
// SUMS-ARGS: {{^}}a:

// TRANSPOSE-ARGS-COUNT-2: count: 90000

// TYPE-ARGS-NOT: {{^}}{{[ab]}}: 1.5
// TYPE-ARGS: {{^}}a:
// TYPE-ARGS: count: 100

// SHORT: the access reads 8 bytes at byte {{[0-9]+}} of 'u', which has 8000 bytes
