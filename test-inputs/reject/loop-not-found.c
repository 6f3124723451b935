// RUN: %device | %FileCheck %s
//
// The runtime is asked for a thread's part of 64 iterations, and then there is no loop over them. The calls are written out here;
// clang makes them only around a loop.

struct place;
void __kmpc_for_static_init_4(struct place *where, int thread, int schedule, int *last, int *lower, int *upper, int *stride, int step,
                              int chunk);
void __kmpc_for_static_fini(struct place *where, int thread);

void first_only(float *x) {
#pragma omp target parallel map(tofrom : x[0 : 64])
  {
    int last = 0, lower = 0, upper = 63, stride = 1;
    __kmpc_for_static_init_4(0, 0, 33, &last, &lower, &upper, &stride, 1, 1);
    x[lower] += 1.0f;
    __kmpc_for_static_fini(0, 0);
  }
}

void count_up(int n, int *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = i;
}

// The element depends on the thread in a way that is not known.
// CHECK: region 'first_only'
// CHECK-NOT: class {{uniform|coalesced|strided|uncoalesced}}
// CHECK: reject LoopNotFound 'a loop that threads share was not found in the code' at {{.*}}loop-not-found.c:[[#@LINE-15]]:5
// CHECK-NOT: reject {{[A-Z]}}
// CHECK: region 'count_up'
// CHECK: stride constant 4 class coalesced
// CHECK-NOT: reject {{[A-Z]}}
