// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --teams 3 --check | %FileCheck %s
// RUN: %compile-device -DSEQUENTIAL %s > %t.sequential.bc
// RUN: %ipda-trace %t.sequential.bc --args %t.yaml --against %t.bc | %FileCheck %s --check-prefix=SAME
//
// Sums and maxima over all teams, over the threads of a team, and in generic mode.
// ARGS: launch: { teams: 1 }
// ARGS: n: 90
// ARGS: m: 20

#ifdef SEQUENTIAL
#define AS(...)
#else
#define AS(...) __VA_ARGS__
#endif

void over_teams(int n, const int *x, int *sum, int *most) {
  int s = *sum, t = *most;
#pragma omp target AS(teams distribute parallel for reduction(+ : s) reduction(max : t)) map(to : x[0 : n]) map(tofrom : s, t)
  for (int i = 0; i < n; ++i) {
    s += x[i];
    t = x[i] > t ? x[i] : t;
  }
  *sum = s;
  *most = t;
}

void over_a_team(int n, int m, const int *x, int *sums) {
#pragma omp target AS(teams distribute) map(to : x[0 : n * m]) map(from : sums[0 : n])
  for (int i = 0; i < n; ++i) {
    int sum = 0;
#ifndef SEQUENTIAL
#pragma omp parallel for reduction(+ : sum)
#endif
    for (int j = 0; j < m; ++j)
      sum += x[i * m + j];
    sums[i] = sum;
  }
}

void over_teams_in_generic_mode(int n, const double *x, double *result) {
  double sum = 0;
#pragma omp target AS(teams distribute reduction(+ : sum)) map(to : x[0 : n]) map(tofrom : sum)
  for (int i = 0; i < n; ++i)
    sum += x[i];
  *result = sum;
}

// CHECK: kernel over_teams:{{[0-9]+}}, 3 teams of 64 threads
// CHECK: kernel over_teams:{{[0-9]+}}: computes the same
// CHECK: kernel over_a_team:{{[0-9]+}}: computes the same
// CHECK: kernel over_teams_in_generic_mode:{{[0-9]+}}: computes the same

// SAME: kernel over_teams:{{[0-9]+}}: computes the same
// SAME: kernel over_a_team:{{[0-9]+}}: computes the same
// SAME: kernel over_teams_in_generic_mode:{{[0-9]+}}: computes the same
