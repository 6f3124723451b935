// Three loops inside of a halo that a clause collapses: the number of an iteration is divided by products of counts less what the halo takes, written out as
// sums, and the slower loop's divisor comes first in the address. With 400 in each direction a halo of two leaves 396: of u 400 * 400 * 400 * 8 bytes = 512 MB
// are read, of v 396 * 396 * 396 * 8 = 497 MB written, but for ends of rows 1.01 GB. The rows and planes around lie in the L2. (As if 396 iterations of
// each loop were rows of the same plane, it was 2.5 MB.)
// On a V100 an L2 of 6 MB holds rows, but not all five planes of 1.28 MB: 2 * 512 MB and at most four planes more, 3.1 GB. (As if lanes lay apart, and each
// row and plane needed room of its own, all was lost: 6.6 GB.)
// In `populations` each of four arrays of 254 * 254 * 254 doubles is read and written: 8 * 131 MB = 1.05 GB.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D nx=400 -D ny=400 -D nz=400 -D line=400 -D plane=160000 --region star --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident -D nx=400 -D ny=400 -D nz=400 -D line=400 -D plane=160000 --region star --details | %FileCheck %s --check-prefix=ROWS
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D nx=256 -D ny=256 -D nz=256 -D n=16777216 --region populations --details | %FileCheck %s --check-prefix=ARRAYS
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D nx=256 -D ny=256 -D nz=256 -D line=256 -D plane=65536 -D n=16777216 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D nx=256 -D ny=256 -D nz=256 -D line=256 -D plane=65536 -D n=16777216 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

#define HALO 2

// ROWS: memory bytes {{[12]\.[0-9]+}} GB
// CHECK: memory bytes {{(99[0-9]\.[0-9]+ MB|1\.0[0-5][0-9]* GB)}}
void star(int nx, int ny, int nz, int line, int plane, const double *restrict u, double *restrict v, double near, double far) {
#pragma omp target teams distribute parallel for collapse(3) map(to : u[0 : plane * nz]) map(tofrom : v[0 : plane * nz])
  for (int z = HALO; z < nz - HALO; z++)
    for (int y = HALO; y < ny - HALO; y++)
      for (int x = HALO; x < nx - HALO; x++) {
        const double *at = u + z * plane + y * line + x;
        v[z * plane + y * line + x] = near * (at[1] + at[-1] + at[line] + at[-line] + at[plane] + at[-plane]) +
                                      far * (at[2] + at[-2] + at[2 * line] + at[-2 * line] + at[2 * plane] + at[-2 * plane]);
      }
}

// ARRAYS: memory bytes 1.0{{[3-8][0-9]*}} GB
void populations(int nx, int ny, int nz, int n, const double *restrict from, double *restrict to, double omega) {
#pragma omp target teams distribute parallel for collapse(3) map(to : from[0 : 4 * n]) map(from : to[0 : 4 * n])
  for (int z = 1; z < nz - 1; z++)
    for (int y = 1; y < ny - 1; y++)
      for (int x = 1; x < nx - 1; x++) {
        int at = (z * ny + y) * nx + x;
        double rest = from[at], east = from[n + at - 1], north = from[2 * n + at - nx], up = from[3 * n + at - nx * ny];
        double all = rest + east + north + up;
        to[at] = rest - omega * all;
        to[n + at] = east - omega * all;
        to[2 * n + at] = north - omega * all;
        to[3 * n + at] = up - omega * all;
      }
}
