// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml | %FileCheck %s
//
// The lanes of a warp add up their elements by handing values from lane to lane: 0 + 1 + .. + 31 = 496, then 1520.
// ARGS: launch: { teams: 1, threads: 64 }
// ARGS: x: { type: i32, count: 64, fill: index }
// ARGS: sums: { type: i32, count: 2 }

int omp_get_thread_num(void);

void warp_sums(const int *x, int *sums) {
#pragma omp target parallel num_threads(64) map(to : x[0 : 64]) map(tofrom : sums[0 : 2])
  {
    int thread = omp_get_thread_num();
    int sum = x[thread];
#ifdef __NVPTX__
    for (int distance = 16; distance > 0; distance /= 2)
      sum += __nvvm_shfl_sync_down_i32(0xffffffff, sum, distance, 31);
#endif
    if (thread % 32 == 0) {
      sums[thread / 32] = sum;
      __builtin_printf("warp %d: %d\n", thread / 32, sum);
    }
  }
}

// CHECK: 23:25 store acc1 4 2 1 1
// CHECK: lanes go different ways at {{.*}}:22:9: 2 of 2 times
// CHECK: the kernel printed:
// CHECK-DAG: warp 0: 496
// CHECK-DAG: warp 1: 1520
