// Structures of 19 doubles, a thread for each, which several loops of the thread go through. What a thread has touched in one loop it finds in the next, and the
// caches hold it once: 1188 teams of 128 threads at a time have 19 * 8 bytes each of `from` and as many of `to`, 46.2 MB, which the L2 of 50 MB holds. So all
// 128 * 128 * 254 cells are read once and written once, 2 * 4.16 M * 152 bytes = 1.265 GB. (As if each loop had data of its own, 7.7 GB.)
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D nx=128 -D ny=128 -D nz=256 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D nx=128 -D ny=128 -D nz=256 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D nx=128 -D ny=128 -D nz=256 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

enum { DIRECTIONS = 19 };

struct cell {
  double f[DIRECTIONS];
};

// CHECK: memory bytes 1.2{{[5-9][0-9]*}} GB
void collide(int nx, int ny, int nz, const struct cell *restrict from, struct cell *restrict to, double omega) {
#pragma omp target teams distribute parallel for map(to : from[0 : nx * ny * nz]) map(from : to[0 : nx * ny * nz])
  for (int i = nx * ny; i < nx * ny * (nz - 1); i++) {
    const double *f = from[i].f;
    double all = 0;
    for (int q = 0; q < DIRECTIONS; q++)
      all += f[q];
    double x = f[1] - f[2] + f[7] - f[8], y = f[3] - f[4] + f[9] - f[10], z = f[5] - f[6] + f[11] - f[12];
    double squares = 1.5 * (x * x + y * y + z * z);
    for (int q = 0; q < DIRECTIONS; q++)
      to[i].f[q] = (1.0 - omega) * f[q] + omega * all * (1.0 / DIRECTIONS) * (1.0 + 3.0 * (x + y + z) - squares);
  }
}
