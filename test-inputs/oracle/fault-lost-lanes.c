// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml 2>&1 | %FileCheck %s
//
// A value handed from lane to lane by a mask that names lanes which never come.
// ARGS: launch: { teams: 1, threads: 32 }

int omp_get_thread_num(void);

void hand_over(int *x) {
#pragma omp target parallel num_threads(32) map(tofrom : x[0 : 32])
  {
    int thread = omp_get_thread_num();
#ifdef __NVPTX__
    if (thread < 16)
      x[thread] = __nvvm_shfl_sync_down_i32(0xffffffff, x[thread], 1, 31);
#endif
  }
}

// CHECK: the threads wait for each other without end: 16 at barrier 0, 16 for other lanes of their warp
