// REQUIRES: libomp-device-bc
// RUN: %clang-device -emit-llvm %s -o - | %FileCheck %s
// RUN: env IPDA_TRANSFORM=off %clang-device -emit-llvm %s -o - | %FileCheck %s --check-prefix=OFF
// RUN: %ptx-with-runtime-90 %s | %FileCheck %s --check-prefix=PTX
// RUN: %ipda-oracle transform --schedules --optimised %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %not %ipda-oracle transform --schedules --optimised --mutant untested-overlap %s | %FileCheck %s --check-prefix=MUTANT
//
// Threads whose iterations load little do several at once, so that the loads are under way together: three of 4 bytes on an H100, two of 8 bytes.

#include <omp.h>

// OFF: define {{.*}}scale_l{{[0-9]+}}_omp_outlined_omp_outlined(
// OFF-COUNT-1: load float
// OFF-NOT: load float
// OFF: {{^[}]}}
// PTX: .entry {{.*}}scale_l
// PTX-COUNT-4: ld.global{{.*}}.f32
// PTX: .entry {{.*}}add_l
// CHECK: define {{.*}}scale_l{{[0-9]+}}_omp_outlined_omp_outlined(
// CHECK: %[[OTHERS:[0-9]+]] = icmp ne i32 %{{.*}}, 1
// CHECK: select i1 %[[OTHERS]], i1 %{{.*}}, i1 false
// CHECK-COUNT-3: load float
// CHECK-NOT: load float
// CHECK-COUNT-3: store float
// CHECK-NOT: store float
// CHECK: br i1
void scale(int n, float a, const float *x, float *y) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    y[i] = a * x[i];
}

// CHECK: define {{.*}}add_l{{[0-9]+}}_omp_outlined_omp_outlined(
// CHECK: select i1
// CHECK-COUNT-4: load float
// CHECK-NOT: load float
// CHECK: br i1
void add(long n, const float *x, float *y) {
#pragma omp target teams distribute parallel for
  for (long i = 0; i < n; ++i)
    y[i] += x[i];
}

// What a thread adds up keeps its order, and nothing is stored that a load might meet.
float sum(int n, const float *x, const int *at) {
  float sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
  for (int i = 0; i < n; ++i)
    sum += x[at[i]];
  return sum;
}

double longest(int n, const double *x) {
  double most = 0;
#pragma omp target teams distribute parallel for reduction(max : most) map(tofrom : most)
  for (int i = 0; i < n; ++i)
    most = x[i] > most ? x[i] : most;
  return most;
}

void by_stride(int n, int step, const float *x, float *y) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i += 2)
    y[i * step] = x[i] + 1;
}

// Nobody numbers threads here but for memory of their own.
// CHECK: define {{.*}}own_slot_l{{[0-9]+}}_omp_outlined_omp_outlined(
// CHECK-COUNT-1: store float
// CHECK-NOT: store float
// CHECK: {{^[}]}}
void own_slot(int n, long step, const float *x, float *y) {
#pragma omp target teams distribute parallel for num_teams(1)
  for (int i = 0; i < n; ++i)
    y[omp_get_thread_num() + i * step] += x[i];
}

// A step that may be nothing.
// CHECK: define {{.*}}by_step_l{{[0-9]+}}_omp_outlined_omp_outlined(
// CHECK-COUNT-1: store float
// CHECK-NOT: store float
// CHECK: {{^[}]}}
void by_step(int n, long step, const float *x, float *y) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    y[i * step] += x[i];
}

// Where one team has all iterations, its threads may rely on those that they get.
void round_robin(int n, int *x, int *y) {
#pragma omp target teams distribute parallel for num_teams(1) thread_limit(32) schedule(static, 1)
  for (int i = 0; i < n; ++i)
    y[i] = x[i] + 1;
}

void alone(int n, const int *bin, int *count) {
#pragma omp target teams distribute parallel for num_teams(1) thread_limit(1)
  for (int i = 0; i < n; ++i)
    count[bin[i] & 3] += 1;
}

void shifted_alone(int n, int *x, int *y) {
#pragma omp target teams distribute parallel for num_teams(1) thread_limit(1)
  for (int i = 0; i < n; ++i)
    y[i] = x[i] + 1;
}

void slots(int n, const unsigned char *bin, int *count) {
#pragma omp target teams distribute parallel for num_teams(1) thread_limit(1)
  for (int i = 0; i < n; ++i)
    count[(unsigned char)i & 7] += bin[i];
}

void neighbours_alone(int n, float *x) {
#pragma omp target teams distribute parallel for num_teams(1) thread_limit(1)
  for (int i = 1; i < n; ++i)
    x[i] = x[i - 1] + 1;
}

// JUDGE: launches compared, 0 wrong
// MUTANT: {{[1-9][0-9]*}} wrong
