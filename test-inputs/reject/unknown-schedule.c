// RUN: %compile-device -S %s | sed 's/i32 34, ptr/i32 99, ptr/' | %analyse | %FileCheck %s
//
// A loop shared by schedule number 99, which the runtime does not document (put in place of schedule(static)'s 34): which thread runs
// which iteration is not known, and no stride of x may be claimed.

void clear(int n, float *x) {
#pragma omp target teams distribute parallel for schedule(static) map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

void count_up(int n, int *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = i;
}

// CHECK: region 'clear'
// CHECK-NOT: class {{uniform|coalesced|strided|uncoalesced}}
// CHECK: reject UnknownSchedule 'the loop's schedule has the unknown number 99' at {{.*}}unknown-schedule.c:[[#@LINE-13]]
// CHECK: region 'count_up'
// CHECK: stride constant 4 class coalesced
// CHECK-NOT: reject {{[A-Z]}}
