// A thread for each row: the 32 lanes of a warp walk along 32 rows, each load touches 32 sectors, and what is left of these is in L1 when the warp comes
// back as far as all that the warps of a multiprocessor touch meanwhile fits there. clang takes four columns in one run of the loop: their loads are under
// way together, and find each other's sector whatever L1 holds, as a line that is on its way stays.
//
// `few_rows`: a team of 256 threads on each of a V100's 80 multiprocessors. Between two turns of four floats it touches 256 lines and parts of more,
// 36 kB of 128 kB: each sector comes once, 20480 rows of 2048 floats, 168 MB.
// `row_sums`: 2048 threads on each multiprocessor touch 290 kB between two turns, twice what L1 has, and those of all 23 MB, four times what L2 has: next
// to nothing is found again. A turn is half a sector, so that a sector comes twice, 2 * 1.34 GB, less what is found. (Where each load came alone,
// it was eight times as often: 8.6 GB in sums of rows of 8 kB.)
// `moments`: cells of 20 doubles, of which 19 are read; between two turns far more lies than fits. All 19 loads are in front of the only store, so that
// the five sectors of a cell come once: 160 bytes of each of 1048576 cells, 152 of these asked for, and 8 go back, 168 to 176 MB.
// `moments_in_turn`: stores lie between the loads, by which each of them waits for the one before, and what other threads touch meanwhile.
// Nothing but the caches keeps sectors: far more comes than the 320 MB that are there.
// REQUIRES: cuda
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident --region few_rows -D rows=20480 -D columns=2048 --details | %FileCheck --check-prefix=FEW %s
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident --region row_sums -D rows=163840 -D columns=2048 --details | %FileCheck --check-prefix=MANY %s
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident --region moments -D cells=1048576 --details | %FileCheck --check-prefix=CELLS %s
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident --region moments_in_turn -D cells=1048576 --details | %FileCheck --check-prefix=TURN %s
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident --region row_sums -D rows=163840 -D columns=2048 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident --region row_sums -D rows=163840 -D columns=2048 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch
#define CELL 20
#define VELOCITIES 19

// FEW: L2 bytes 16{{[78](\.[0-9]+)?}} MB
// FEW: memory bytes 16{{[78](\.[0-9]+)?}} MB
void few_rows(int rows, int columns, const float *restrict a, float *restrict sums) {
#pragma omp target teams distribute parallel for num_teams(80) thread_limit(256) map(to : a[0 : rows * columns]) map(from : sums[0 : rows])
  for (int i = 0; i < rows; i++) {
    float sum = 0;
    for (int k = 0; k < columns; k++)
      sum += a[i * columns + k];
    sums[i] = sum;
  }
}

// MANY: L2 bytes 2.{{[2-6][0-9]*}} GB
// MANY: memory bytes 2.{{[2-6][0-9]*}} GB
void row_sums(int rows, int columns, const float *restrict a, float *restrict sums) {
#pragma omp target teams distribute parallel for num_teams(1280) thread_limit(128) map(to : a[0 : rows * columns]) map(from : sums[0 : rows])
  for (int i = 0; i < rows; i++) {
    float sum = 0;
    for (int k = 0; k < columns; k++)
      sum += a[i * columns + k];
    sums[i] = sum;
  }
}

// CELLS: memory bytes 1{{[67][0-9](\.[0-9]+)?}} MB
void moments(int cells, const double *restrict f, double *restrict density) {
#pragma omp target teams distribute parallel for map(to : f[0 : cells * CELL]) map(from : density[0 : cells])
  for (int i = 0; i < cells; i++) {
    double sum = 0.0;
    for (int q = 0; q < VELOCITIES; q++)
      sum += f[i * CELL + q];
    density[i] = sum;
  }
}

// TURN: memory bytes {{[1-9]\.[0-9]+}} GB
void moments_in_turn(int cells, const double *f, double *g) {
#pragma omp target teams distribute parallel for map(to : f[0 : cells * CELL]) map(from : g[0 : cells * CELL])
  for (int i = 0; i < cells; i++)
    for (int q = 0; q < VELOCITIES; q++)
      g[i * CELL + q] = 0.5 * f[i * CELL + q];
}
