// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml 2>&1 | %FileCheck %s
//
// Half of the threads wait at a barrier of its own number, the others at the end of the region.
// ARGS: launch: { teams: 1, threads: 64 }

int omp_get_thread_num(void);

void wait_for_half(int *a) {
#pragma omp target parallel num_threads(64) map(tofrom : a[0 : 64])
  {
    int thread = omp_get_thread_num();
#ifdef __NVPTX__
    if (thread % 2 == 0)
      __nvvm_barrier_sync(5);
#endif
    a[thread] = 2;
  }
}

// CHECK: the threads wait for each other without end: 32 at barrier 0, 32 at barrier 5
