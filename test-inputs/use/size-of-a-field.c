// A field with a halo: its size names each variable once, as people give it.
// RUN: rm -f %t.yaml && env IPDA_REPORT=%t.yaml %clang -O2 -g -fopenmp --offload-arch=sm_90 -nogpulib %load -c %s -o %t.o
// RUN: %FileCheck --check-prefix=REPORT %s < %t.yaml
// RUN: %ipda predict %t.yaml -D nx=2000 -D ny=1500 > %t.txt
// RUN: %FileCheck --check-prefix=PREDICT %s < %t.txt

// 8 * (nx + 2) * (ny + 2).
// REPORT: bytes: 8*[nx]*[ny] + 16*[nx] + 16*[ny] + 32
// PREDICT-NOT: not known
void smooth(int nx, int ny, double *u) {
  int size = (nx + 2) * (ny + 2);
#pragma omp target teams distribute parallel for map(tofrom : u[0 : size])
  for (int i = 1; i <= nx; ++i)
    for (int j = 1; j <= ny; ++j)
      u[i * (ny + 2) + j] *= 0.25;
}
