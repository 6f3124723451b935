// REQUIRES: cuda, libomp-device-bc
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
// RUN: %clang-device -emit-llvm %s -o - | %FileCheck %s --check-prefix=CODE
// RUN: %ipda-oracle transform --optimised %s | %FileCheck %s --check-prefix=JUDGE
//
// A launch of one team takes its iterations one at a time, as the program may count on who runs what. Where the directive asks for one team by a constant, the
// device's code knows that, and has no other way to go; where it asks for a number that only the host knows, the report says on what it depends. What else the kernel tests is
// said as well.
//
// CODE: read.ptx.sreg.nctaid
// CODE-NOT: define {{.*}}one_team_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
//
// CHECK-LABEL: [1] one_team
// CHECK-NOT: in lockstep
// CHECK-LABEL: [2] eight_teams
// CHECK: where there are enough, n >= 1 and m >= 1, each thread takes 4 iterations in lockstep
// CHECK-LABEL: [3] some_teams
// CHECK: where there are enough, num_teams is more than 1, n >= 1 and m >= 1, each thread takes 4 iterations in lockstep
//
// JUDGE: {{[1-9][0-9]*}} launches compared, 0 wrong
//
// ARGS: n: 40
// ARGS: m: 33
// ARGS: l: 17
// ARGS: teams: 2

#define PRODUCT(c, a, b) \
  for (int i = 0; i < n; ++i) \
    for (int j = 0; j < m; ++j) { \
      float sum = 0; \
      for (int k = 0; k < l; ++k) \
        sum += a[i * l + k] * b[k * m + j]; \
      c[i * m + j] = sum; \
    }

void one_team(int n, int m, int l, const float *a, const float *b, float *c) {
#pragma omp target teams distribute parallel for collapse(2) num_teams(1) map(to : a[0 : n * l], b[0 : l * m]) map(from : c[0 : n * m])
  PRODUCT(c, a, b)
}

void eight_teams(int n, int m, int l, const float *a, const float *b, float *c) {
#pragma omp target teams distribute parallel for collapse(2) num_teams(8) map(to : a[0 : n * l], b[0 : l * m]) map(from : c[0 : n * m])
  PRODUCT(c, a, b)
}

void some_teams(int n, int m, int l, int teams, const float *a, const float *b, float *c) {
#pragma omp target teams distribute parallel for collapse(2) num_teams(teams) map(to : a[0 : n * l], b[0 : l * m]) map(from : c[0 : n * m])
  PRODUCT(c, a, b)
}
