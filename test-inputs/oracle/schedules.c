// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --teams 3 --check | %FileCheck %s
// RUN: %compile-device -DSEQUENTIAL %s > %t.sequential.bc
// RUN: %ipda-trace %t.sequential.bc --args %t.yaml --against %t.bc | %FileCheck %s --check-prefix=SAME
//
// ARGS: launch: { teams: 1 }
// All schedules, each in a kernel of its own, with loops of 32 and of 64 bits.

#ifdef SEQUENTIAL
#define AS(...)
#else
#define AS(...) __VA_ARGS__
#endif

void dynamic(int n, const float *x, float *y) {
#pragma omp target AS(teams distribute parallel for schedule(dynamic)) map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = 2.0f * x[i];
}

void dynamic_of_64_bits(long n, const float *x, float *y) {
#pragma omp target AS(teams distribute parallel for schedule(dynamic, 5)) map(to : x[0 : n]) map(from : y[0 : n])
  for (long i = 0; i < n; ++i)
    y[i] = 2.0f * x[i];
}

void guided(unsigned n, const float *x, float *y) {
#pragma omp target AS(teams distribute parallel for schedule(guided)) map(to : x[0 : n]) map(from : y[0 : n])
  for (unsigned i = 0; i < n; ++i)
    y[i] = 2.0f * x[i];
}

void chunks_of_64_bits(unsigned long n, const float *x, float *y) {
#pragma omp target AS(teams distribute parallel for schedule(static, 3)) map(to : x[0 : n]) map(from : y[0 : n])
  for (unsigned long i = 0; i < n; ++i)
    y[i] = 2.0f * x[i];
}

void downwards(int n, const float *x, float *y) {
#pragma omp target AS(teams distribute parallel for dist_schedule(static, 16)) map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = n - 1; i >= 0; i -= 3)
    y[i] = 2.0f * x[i];
}

// CHECK: kernel dynamic:{{[0-9]+}}: computes the same
// CHECK: kernel dynamic_of_64_bits:{{[0-9]+}}: computes the same
// CHECK: kernel guided:{{[0-9]+}}: computes the same
// CHECK: 38:19 load acc0 4 6 16.67 6.50 12..13 yes
// CHECK: kernel chunks_of_64_bits:{{[0-9]+}}: computes the same
// CHECK: 44:19 load acc0 4 3 11.33 5 6..7 yes
// CHECK: kernel downwards:{{[0-9]+}}: computes the same

// SAME-COUNT-5: computes the same in
