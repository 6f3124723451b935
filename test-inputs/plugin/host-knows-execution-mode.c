// REQUIRES: cuda, libomp-device-bc
// How the device runs a region stands in its finished object: as clang made it, or as the optimiser changed it.
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 %nvptx %remarks %load -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefixes=CHECK,O2
// RUN: %ipda report %t.yaml | %FileCheck %s --check-prefix=TABLE
// RUN: %clang -O2 -foffload-lto %nvptx %remarks %load -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefixes=CHECK,O2
// RUN: %clang -O0 %nvptx %remarks %load -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefixes=CHECK,O0

void log_row(int i);

void together(int n, float *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

// The call of an unknown function keeps the other threads out.
void one_thread_first(int n, float *x) {
#pragma omp target teams distribute map(from : x[0 : n * n])
  for (int i = 0; i < n; ++i) {
    log_row(i);
#pragma omp parallel for
    for (int j = 0; j < n; ++j)
      x[i * n + j] = 0.0f;
  }
}

// All threads may run the outer loop as well: the optimiser sees that.
void made_to_run_together(int n, float *x) {
#pragma omp target teams distribute map(from : x[0 : n * n])
  for (int i = 0; i < n; ++i) {
#pragma omp parallel for
    for (int j = 0; j < n; ++j)
      x[i * n + j] = 0.0f;
  }
}

// CHECK: target region in 'together', SPMD mode: all threads start the region together
// CHECK: target region in 'one_thread_first', generic mode: one thread of each team
// O0: target region in 'made_to_run_together', generic mode
// O2: target region in 'made_to_run_together', generic mode
// O2: target region in 'made_to_run_together' was {{.*}}generic{{.*}}optimiser
// TABLE: together
// TABLE: mode {{.*}}SPMD
// TABLE: one_thread_first
// TABLE: mode {{.*}}generic
// TABLE: made_to_run_together
// TABLE: mode {{.*}}SPMD{{.*}}optimiser
