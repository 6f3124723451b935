// RUN: %device | %FileCheck %s
//
// A runtime call with one argument more than clang 19 passes, as another version of the compiler may make it: what the argument
// means is not guessed. The region's code after the call is left alone.

struct place;
void __kmpc_parallel_51(struct place *where, int thread, int condition, int threads, int bind, void *body, void *wrapper, void **args,
                        unsigned long count, int extra);

static void body(int *thread, int *bound, float *x) {
  x[*thread] = 0.0f;
}

void clear(float *x) {
#pragma omp target map(from : x[0 : 64])
  {
    void *args[] = {x};
    __kmpc_parallel_51(0, 0, 1, -1, -1, (void *)body, 0, args, 1, 0);
  }
}

void count_up(int n, int *x) {
#pragma omp target map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = i;
}

// CHECK: region 'clear'
// CHECK-NOT: store x
// CHECK: reject UnknownRuntimeShape 'a parallel construct is compiled into a form that is not known (__kmpc_parallel_51 has 10 arguments instead of 9): by another version of the compiler?' at {{.*}}unknown-runtime-shape.c:[[#@LINE-12]]:5
// CHECK-NOT: reject {{[A-Z]}}
// CHECK: region 'count_up'
// CHECK: store x 4 bytes
// CHECK-NOT: reject {{[A-Z]}}
