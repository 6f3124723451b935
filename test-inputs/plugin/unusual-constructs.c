// Constructs that are rare in kernels: whatever is made of them, nothing crashes, no region is lost, and the result does not change.
// RUN: env IPDA_TRANSFORM=off %same-result %clang -O0 -g -fopenmp --offload-arch=gfx90a -nogpulib --offload-device-only -S -w %remarks %s 2>&1 | %FileCheck %s
// RUN: env IPDA_TRANSFORM=off %same-result %clang -O2 -fopenmp --offload-arch=gfx90a -nogpulib --offload-device-only -S -w %remarks %s 2>&1 | %FileCheck %s
// RUN: env IPDA_TRANSFORM=off %same-result %clang -O2 -fopenmp --offload-arch=sm_90 -nogpulib --offload-host-only -S -w %remarks %s 2>&1 | %FileCheck %s

void ordered(int n, float *x) {
#pragma omp target parallel for ordered map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i) {
#pragma omp ordered
    x[i] = 1.0f;
  }
}

void sections(float *x) {
#pragma omp target map(tofrom : x[0 : 2])
#pragma omp parallel sections
  {
#pragma omp section
    x[0] = 1.0f;
#pragma omp section
    x[1] = 2.0f;
  }
}

void synchronised(int n, float *x) {
#pragma omp target parallel map(tofrom : x[0 : n])
  {
#pragma omp single
    x[0] = 1.0f;
#pragma omp barrier
#pragma omp master
    x[1] = 2.0f;
#pragma omp critical
    x[2] += 1.0f;
#pragma omp for nowait
    for (int i = 0; i < n; ++i)
      x[i] = 3.0f;
#pragma omp for
    for (int i = 0; i < n; ++i)
      x[i] = 4.0f;
  }
}

void parallel_in_parallel(int n, float *x) {
#pragma omp target map(tofrom : x[0 : n])
#pragma omp parallel
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

void last_value(int n, float *x) {
  float last = 0.0f;
#pragma omp target teams distribute parallel for lastprivate(last) map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i) {
    last = x[i];
    x[i] = 0.0f;
  }
  x[0] = last;
}

void clauses(int n, float *x, int device) {
#pragma omp target teams distribute parallel for if (target : n > 100) if (parallel : n > 3) num_threads(64) num_teams(4) \
    thread_limit(128) device(device) map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

void collapsed_triangle(int n, int m, float *x) {
#pragma omp target teams distribute parallel for collapse(3) map(tofrom : x[0 : n + m])
  for (int i = 0; i < n; ++i)
    for (long j = i; j < m; ++j)
      for (unsigned k = 0; k < 3; ++k)
        x[i + j + k] = 0.0f;
}

void tiled(int n, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
#pragma omp tile sizes(8)
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

void unrolled(int n, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
#pragma omp unroll partial(4)
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

void array_reduction(int n, float *x) {
  float sums[4] = {0};
#pragma omp target teams distribute parallel for reduction(+ : sums[0 : 4]) map(tofrom : x[0 : n], sums)
  for (int i = 0; i < n; ++i)
    sums[i & 3] += x[i];
  x[0] = sums[0];
}

void inside_target_data(int n, float *x) {
#pragma omp target data map(tofrom : x[0 : n])
  {
#pragma omp target
    for (int i = 0; i < n; ++i)
      x[i] = 1.0f;
#pragma omp target update from(x[0 : n])
#pragma omp target simd
    for (int i = 0; i < n; ++i)
      x[i] = 2.0f;
#pragma omp target teams
    x[0] = 3.0f;
#pragma omp target teams distribute simd
    for (int i = 0; i < n; ++i)
      x[i] = 4.0f;
#pragma omp target parallel
    x[1] = 5.0f;
#pragma omp target parallel loop
    for (int i = 0; i < n; ++i)
      x[i] = 6.0f;
  }
}

// CHECK-NOT: internal error
// CHECK-COUNT-16: target region in '{{[a-z_]+}}',
// CHECK-NOT: {{internal error|target region in '[a-z_]+',}}
