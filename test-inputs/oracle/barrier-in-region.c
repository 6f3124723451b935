// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --check | %FileCheck %s
//
// Threads of a team exchange elements through memory, with a barrier of the source's own between. Neighbouring threads have
// neighbouring elements; that of b begins one element further, and the remainder may end in a warp.
// ARGS: launch: { teams: 1, threads: 64 }
// ARGS: n: 64

int omp_get_thread_num(void);
int omp_get_num_threads(void);

void rotate(int n, float *a, float *b) {
#pragma omp target parallel num_threads(64) map(tofrom : a[0 : n], b[0 : n])
  {
    int threads = omp_get_num_threads();
    for (int i = omp_get_thread_num(); i < n; i += threads)
      b[i] = a[i] + 1.0f;
#pragma omp barrier
    for (int i = omp_get_thread_num(); i < n; i += threads)
      a[i] = b[(i + 1) % n];
  }
}

// CHECK: kernel rotate
// CHECK: 19:14 load acc0 4 2 32 4 4..5 yes
// CHECK: 19:12 store acc1 4 2 32 4 4..5 yes
// CHECK: 22:14 load acc2 4 2 32 5 {{.+}}
// CHECK: 22:12 store acc3 4 2 32 4 4..5 yes
// CHECK: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race
