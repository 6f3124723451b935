// Loops that a clause collapsed and the plugin reordered are counted and predicted as they run: neighbouring threads are as many iterations of the
// one loop apart as the fastest of its loops takes. Remarks on what is missed are silent.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %remarks %load -c %s -o %t.o 2> %t.remarks
// RUN: %FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// RUN: %ipda report %t.yaml --width 300 | %FileCheck %s
// RUN: %ipda predict %t.yaml --resident -D nx=8192 -D ny=8192 -D nz=8 --width 300 | %FileCheck %s --check-prefix=TIME
//
// What the program decides with counts the same.
// RUN: %ipda predict %t.yaml --resident -D nx=8192 -D ny=8192 -D nz=8 --width 300 --as-at-launch | %FileCheck %s --check-prefix=LAUNCH

#define AT(f, x, y) f[(y) * nx + (x)]

// REMARK-NOT: [SymbolicStride]
// CHECK: region function line excess
// CHECK: columns {{[0-9]+}} 0 0 0 0 0 0 interchanged
// CHECK: three {{[0-9]+}} 0 0 0 0 0 0 interchanged
void columns(int nx, int ny, const float *restrict a, float *restrict b) {
  int x, y;
#pragma omp target teams distribute parallel for collapse(2) private(x, y) map(to : a[0 : nx * ny]) map(from : b[0 : nx * ny])
  for (x = 1; x < nx - 1; x++)
    for (y = 0; y < ny; y++)
      AT(b, x, y) = AT(a, x, y) + 1;
}

// TIME: columns,
// TIME: device, loops as written 4{{[0-9.]+}} us x {{[0-9.]+}} L2 throughput
// TIME: device, loops interchanged 2{{[0-9.]+}} us x {{[0-9.]+}} memory bandwidth
// LAUNCH: columns,
// LAUNCH: device 2{{[0-9.]+}} us

void three(long nx, long ny, long nz, const double *restrict a, double *restrict b) {
#pragma omp target teams distribute parallel for collapse(3) map(to : a[0 : nx * ny * nz]) map(from : b[0 : nx * ny * nz])
  for (long x = 0; x < nx; x++)
    for (long y = 0; y < ny; y++)
      for (long z = 0; z < nz; z++)
        b[(z * ny + y) * nx + x] = a[(z * ny + y) * nx + x] + 1;
}
