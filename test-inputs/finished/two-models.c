// What a run of a loop's body takes on the host, by LLVM's cost model and by its machine-code analyser: both see what an iteration waits for, what
// keeps a unit busy, and how many iterations are under way at a time.
// RUN: %compile-host-nog %s -o %t.bc
// RUN: %opt -passes='default<O2>,print<ipda-model>' -disable-output %t.bc 2>&1 | %FileCheck %s --check-prefixes=BOTH,TTI
// RUN: %opt -passes='default<O2>,print<ipda-model;model=mca>' -disable-output %t.bc 2>&1 | %FileCheck %s --check-prefixes=BOTH,MCA
// The variable of the environment, and the file of options.
// RUN: env IPDA_MODEL=mca %opt -passes='default<O2>,print<ipda-model>' -disable-output %t.bc 2>&1 | %FileCheck %s --check-prefixes=BOTH,MCA
// RUN: rm -rf %t && mkdir %t && cd %t && echo 'model: mca' > ipda.yaml
// RUN: %opt -passes='default<O2>,print<ipda-model>' -disable-output %t.bc 2>&1 | %FileCheck %s --check-prefixes=BOTH,MCA
//
// Other processors, of which LLVM has models as well.
// RUN: %clang --target=powerpc64le-linux-gnu -mcpu=pwr9 -O2 -fopenmp --offload-arch=sm_90 -nogpulib --offload-host-only -c -emit-llvm -Xclang -disable-llvm-passes -o - %s | %opt -passes='default<O2>,print<ipda-model;model=tti>' -disable-output 2>&1 | %FileCheck %s --check-prefix=POWER
// RUN: %clang --target=aarch64-linux-gnu -mcpu=neoverse-v2 -O2 -fopenmp --offload-arch=sm_90 -nogpulib --offload-host-only -c -emit-llvm -Xclang -disable-llvm-passes -o - %s | %opt -passes='default<O2>,print<ipda-model;model=tti>' -disable-output 2>&1 | %FileCheck %s --check-prefix=ARM

double exp(double);
double sin(double);
double sqrt(double);

// Eight additions, each of which waits for the one before.
// BOTH: region 'sums'
// BOTH: runs floor([arg1] / 8) {{.*}}loads 8 stores 0 calls 0 {{.*}}skylake-avx512 32 {{.*}}znver3 24
// POWER: region 'sums'
// POWER: runs floor([arg1] / 8) {{.*}}loads 8 stores 0 calls 0 {{.*}}pwr9 56
void sums(int n, int m, const double *restrict a, double *restrict y) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < m; ++j)
      sum += a[i * m + j];
    y[i] = sum;
  }
}

// A divider is busy with the vectors of an iteration.
// BOTH: region 'quotients'
// BOTH: loads 8 stores 4 calls 0 cycles {{.*}}skylake-avx512 12 x86-64 56 znver2 20 znver3 12
// ARM: region 'quotients'
// ARM: loads 4 stores 2 calls 0 cycles {{.*}}neoverse-v2 10
void quotients(int n, const float *restrict a, float *restrict y) {
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = a[i] / y[i];
}

// Calls are counted, and not looked at; a root is none.
// TTI: region 'powers'
// TTI: of loop0 runs 1 {{.*}}stores 1 calls 2 cycles {{.*}}znver3 9 
void powers(int n, double *restrict y) {
#pragma omp target teams distribute parallel for map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = exp(y[i]) + sin(y[i]) + sqrt(y[i]);
}

// An atomic update is a load and a store.
// TTI: region 'sum'
// TTI: loads 2 stores 1 calls 0 cycles {{.*}}skylake-avx512 {{[1-9][0-9]?}}
void sum(int n, const int *restrict a, int *restrict total) {
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(tofrom : total[0 : 1])
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    total[0] += a[i];
  }
}

// Eight multiplications and additions wait for each other. On POWER9 all 64 are one body, and a few bodies are under way at a time.
// The analyser counts the machine's instructions.
// BOTH: region 'steps'
// TTI: runs 8 {{.*}}instructions 19 {{.*}}skylake-avx512 64 {{.*}}znver3 48
// MCA: runs 8 {{.*}}instructions 18 {{.*}}skylake-avx512 64 {{.*}}znver3 48
// POWER: region 'steps'
// POWER: instructions 7{{[0-9]}} {{.*}}pwr9 28{{[0-9]}}
void steps(int n, const double *restrict a, double *restrict y) {
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    double x = a[i];
    for (int step = 0; step < 64; ++step)
      x = x * 0.5 + a[i];
    y[i] = x;
  }
}
