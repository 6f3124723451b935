// Kernels whose threads find their parts by their numbers, as those that come from CUDA: no loop is shared, and they are predicted of the teams and threads that
// clauses ask for. scaled_sum moves 12 bytes for each of 16M elements: 201 MB at 3 TB a second (h100-sxm) are 67 us. blur moves half of the bytes of an
// element that scaled_sum does not write twice: 8 of them, 45 us. Their warps wait about as long (62 and 43 us), for 43 and 33 % of that for the memory, which they share: by
// T = P + D / (1 - M / T) * M / T, 107 and 69 us, and what is found is at most 6 % less. In `header` one thread of one team adds up 100 numbers.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=16777216 -D num_teams=65536 | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=16777216 -D num_teams=65536 --region blur --details \
// RUN:   | %FileCheck %s --check-prefix WHY
// Without a number of teams there is nothing to say:
// RUN: not %ipda predict %t.yaml --region unsaid 2>&1 | %FileCheck %s --check-prefix UNSAID
// UNSAID: unsaid at {{.*}} has no prediction: its threads find their parts by their numbers, and no clause num_teams says how many teams there are
#include <omp.h>
#define BLOCK 256

// CHECK: scaled_sum
// CHECK: 65536 teams of 256 threads
// CHECK: kernel {{10[0-7]\.[0-9]+}} us x {{[0-9.]+}} memory bandwidth
void scaled_sum(int n, float a, const float *x, float *y) {
#pragma omp target teams num_teams((n + BLOCK - 1) / BLOCK) thread_limit(BLOCK) map(to : x[0 : n]) map(tofrom : y[0 : n])
  {
#pragma omp parallel
    {
      int i = omp_get_team_num() * omp_get_num_threads() + omp_get_thread_num();
      if (i < n)
        y[i] += a * x[i];
    }
  }
}

// CHECK: blur
// CHECK: 65536 teams of 256 threads
// CHECK: kernel {{6[5-9]\.[0-9]+}} us
// WHY: assumed {{.*}}no loop is shared: each thread that clauses ask for is as an iteration of one
void blur(int n, int teams, const float *in, float *out) {
#pragma omp target teams num_teams(teams) thread_limit(BLOCK) map(to : in[0 : n]) map(from : out[0 : n])
  {
    float tile[BLOCK];
#pragma omp parallel num_threads(BLOCK) shared(tile)
    {
      int lane = omp_get_thread_num();
      int i = omp_get_team_num() * BLOCK + lane;
      tile[lane] = i < n ? in[i] : 0;
#pragma omp barrier
      if (i < n && lane > 0 && lane < BLOCK - 1)
        out[i] = 0.25f * tile[lane - 1] + 0.5f * tile[lane] + 0.25f * tile[lane + 1];
    }
  }
}

// CHECK: header
// CHECK: 1 teams of
void header(float *sums) {
#pragma omp target map(tofrom : sums[0 : 101])
  for (int i = 0; i < 100; ++i)
    sums[100] += sums[i];
}

void unsaid(float *a) {
#pragma omp target teams map(tofrom : a[0 : 1000])
#pragma omp parallel
  a[omp_get_team_num()] += 1;
}

// A team gets no more threads than its limit: 128, not 256. So half of 16M elements have a thread: 8 bytes of each at 3 TB a second are 22 us,
// as are the waits (a third of them for the memory): 35 us.
// CHECK: limited
// CHECK: 65536 teams of 128 threads
// CHECK: kernel {{3[3-5]\.[0-9]+}} us
void limited(int n, int teams, float *a) {
#pragma omp target teams num_teams(teams) thread_limit(128) map(tofrom : a[0 : n])
#pragma omp parallel num_threads(256)
  {
    int i = omp_get_team_num() * omp_get_num_threads() + omp_get_thread_num();
    if (i < n)
      a[i] += 1;
  }
}
