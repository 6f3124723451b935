// RUN: %device | %FileCheck %s
//
// The parallel code that the runtime is to start is in another file. The call is written out here; clang makes it only together with
// the code.

struct place;
void __kmpc_parallel_51(struct place *where, int thread, int condition, int threads, int bind, void *body, void *wrapper, void **args,
                        unsigned long count);

void body(int *thread, int *bound, float *x);

void clear(float *x) {
#pragma omp target map(from : x[0 : 64])
  {
    void *args[] = {x};
    __kmpc_parallel_51(0, 0, 1, -1, -1, (void *)body, 0, args, 1);
  }
}

void count_up(int n, int *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = i;
}

// CHECK: region 'clear'
// CHECK-NOT: {{(load|store) x}}
// CHECK: reject OutlinedBodyMissing 'the code of a parallel construct is not in this file' at {{.*}}outlined-body-missing.c:[[#@LINE-12]]:5
// CHECK-NOT: reject {{[A-Z]}}
// CHECK: region 'count_up'
// CHECK: stride constant 4 class coalesced
// CHECK-NOT: reject {{[A-Z]}}
