// RUN: %device | %FileCheck %s
//
// flang hands the body of a shared loop to the runtime as a function, which it calls for each iteration. That form is not analysed:
// no stride may be claimed for x. The call is written out here, since clang does not make it.

struct place;
void __kmpc_for_static_loop_4u(struct place *where, void *body, void *arg, unsigned iterations, unsigned threads, unsigned chunk);

static void body(unsigned i, float *x) {
  x[i] = 0.0f;
}

void clear(int n, float *x) {
#pragma omp target parallel map(from : x[0 : n])
  __kmpc_for_static_loop_4u(0, (void *)body, x, n, 64, 0);
}

void count_up(int n, int *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = i;
}

// CHECK: region 'clear'
// CHECK-NOT: class {{uniform|coalesced|strided|uncoalesced}}
// CHECK: reject LoopBodyCallback 'the loop's body is handed to the OpenMP runtime as a function, as flang does: this form is not analysed' at {{.*}}loop-body-callback.c:[[#@LINE-11]]:3
// CHECK-NOT: reject {{[A-Z]}}
// CHECK: region 'count_up'
// CHECK: stride constant 4 class coalesced
// CHECK-NOT: reject {{[A-Z]}}
