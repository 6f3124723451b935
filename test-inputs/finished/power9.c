// The host can be another machine: the cycles are those of its processors.
// RUN: %clang --target=powerpc64le-linux-gnu -mcpu=pwr9 -O2 -fopenmp --offload-arch=sm_90 -nogpulib --offload-host-only -c -emit-llvm -Xclang -disable-llvm-passes -o - %s | env IPDA_REPORT=%t.yaml %opt -passes='default<O2>,print<ipda-model>' -disable-output 2>&1 | %FileCheck %s

void scale(int n, double a, const double *restrict x, double *restrict y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

// CHECK: code for the host's pwr9
// CHECK: of loop0 runs 1{{.*}}: instructions {{.*}} calls 0 {{.*}}pwr9 {{[1-9]}}
