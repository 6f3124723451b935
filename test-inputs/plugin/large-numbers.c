// Fused loops have up to 2^31 - 2^20 iterations, numbered in 32 bits: a thread's next number, which may be nearly 2^32, is computed before it is compared.
// Neither is done with a sign, where threads go through their iterations in one loop as where LLVM's device runtime hands them out.
// RUN: %clang-device -emit-llvm -w -o - %s | %FileCheck %s --check-prefix=ONE
// RUN: %clang -O2 -w -fopenmp --offload-arch=gfx90a -nogpulib --offload-device-only -S -emit-llvm %load -o - %s | %FileCheck %s --check-prefix=HANDED
//
// Two teams of a processor have half of 46000 * 46000 = 2116000000 each: the second begins at 1058000000, and its next number, as many further on as there
// are in all, is 3174000000, above 2^31.
// The sum of 2 * i + j over both is 46000 * (2 + 1) * (0 + 1 + ... + 45999) = 46000 * 3 * 1057977000 = 146000826000000.
// RUN: env IPDA_TEST_HOST_SHAPES=1 IPDA_MAPPING='sum=i j' %clang -O2 -g -w %x86-offload %load -Rpass=ipda %s -o %t.program -L%llvm-lib -Wl,-rpath,%llvm-lib 2>&1 | %FileCheck %s --check-prefix=DONE
// RUN: env OMP_TARGET_OFFLOAD=MANDATORY IPDA_OFFLOAD=always %t.program 46000 46000 | %FileCheck %s --check-prefix=SUM
// DONE: collapsed the loops over i and j: {{.*}} n*m < 2^31 - 2^20, as the kernel tests
// SUM: 146000826000000

#include <stdio.h>
#include <stdlib.h>

#define AT(i, j, k) (((i) * ny + (j)) * nz + (k))

struct grid {
  int nx, ny, nz;
  float *now, *next;
};

// ONE: define internal void @{{.*}}smooth{{.*}}_omp_outlined_omp_outlined.ipda(
// ONE: [[NUMBER:%.*]] = phi i32
// ONE: [[NEXT:%.*]] = add nuw i32 [[NUMBER]],
// ONE-NEXT: [[WIDE:%.*]] = zext i32 [[NEXT]] to i64
// ONE-NEXT: icmp ugt i64 [[WIDE]],
//
// HANDED: call void @__kmpc_distribute_static_init_4(
// HANDED: [[LAST:%.*]] = call i32 @llvm.umin.i32(
// HANDED: icmp ult i32
// HANDED: [[FIRST:%.*]] = add nuw i32
// HANDED: add nuw i32
// HANDED: call i32 @llvm.umin.i32(
// HANDED: icmp ult i32 [[FIRST]],
// HANDED: define internal void @{{.*}}smooth{{.*}}_omp_outlined_omp_outlined.ipda(
// HANDED: [[WIDE:%.*]] = phi i64
// HANDED: [[NUMBER:%.*]] = trunc {{.*}}i64 [[WIDE]] to i32
// HANDED: [[NEXT:%.*]] = add nuw i32 {{.*}}[[NUMBER]]
// HANDED: [[AGAIN:%.*]] = zext i32 [[NEXT]] to i64
// HANDED: icmp ugt i64 [[AGAIN]],
static void smooth(struct grid *g) {
  int nx = g->nx, ny = g->ny, nz = g->nz;
  float *restrict to = g->next;
  const float *restrict from = g->now;
#pragma omp target teams distribute parallel for map(from : to[0 : nx * ny * nz]) map(to : from[0 : nx * ny * nz])
  for (int i = 1; i < nx - 1; ++i)
    for (int j = 1; j < ny - 1; ++j)
      for (int k = 1; k < nz - 1; ++k)
        to[AT(i, j, k)] = 0.25f * (from[AT(i, j, k - 1)] + from[AT(i, j, k + 1)] + from[AT(i - 1, j, k)] + from[AT(i, j + 1, k)]);
}

static unsigned long sum(int n, int m) {
  unsigned long s = 0;
#pragma omp target teams distribute parallel for num_teams(2) reduction(+ : s) map(tofrom : s)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      s += 2 * i + j;
  return s;
}

int main(int argc, char **argv) {
  struct grid g = {8, 8, 8, calloc(512, sizeof(float)), calloc(512, sizeof(float))};
  smooth(&g);
  printf("%lu\n", sum(atoi(argv[1]), atoi(argv[2])));
}
