// RUN: %device | %FileCheck %s
//
// The runtime call hands over one captured value, and the parallel code takes two: which belongs to which is not guessed. The call is
// written out here; clang makes only matching ones.

struct place;
void __kmpc_parallel_51(struct place *where, int thread, int condition, int threads, int bind, void *body, void *wrapper, void **args,
                        unsigned long count);

static void body(int *thread, int *bound, float *x, float *y) {
  x[*thread] = y[*thread];
}

void copy(float *x) {
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

// CHECK: region 'copy'
// CHECK-NOT: {{(load|store) x}}
// CHECK: reject ArgumentMismatch 'the code of a parallel construct takes other arguments than it is given' at {{.*}}argument-mismatch.c:[[#@LINE-12]]:5
// CHECK-NOT: reject {{[A-Z]}}
// CHECK: region 'count_up'
// CHECK: stride constant 4 class coalesced
// CHECK-NOT: reject {{[A-Z]}}
