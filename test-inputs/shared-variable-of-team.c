// RUN: %device | %FileCheck %s
//
// A variable of the team's own part that its threads share: after the barrier all find the 50 that one thread has stored, so nothing may be
// known from what the thread itself has stored. In the twin each thread has its own: 50 in thread 3 alone.
//
// ARGS: n: 96
// ORACLE: depends on the launch

int omp_get_thread_num(void);

void shared_by_team(int n, const float *x, float *y) {
#pragma omp target teams distribute map(to : x[0 : 2000]) map(from : y[0 : n])
  for (int i = 0; i < 3; ++i) {
    int k = 5;
#pragma omp parallel num_threads(32)
    {
      int t = omp_get_thread_num();
      if (t == 3)
        k = 50;
#pragma omp barrier
      y[32 * i + t] = x[k * t];
    }
  }
}

void of_each_thread(int n, const float *x, float *y) {
#pragma omp target teams distribute map(to : x[0 : 2000]) map(from : y[0 : n])
  for (int i = 0; i < 3; ++i) {
    int k = 5;
#pragma omp parallel num_threads(32) firstprivate(k)
    {
      int t = omp_get_thread_num();
      if (t == 3)
        k = 50;
#pragma omp barrier
      y[32 * i + t] = x[k * t];
    }
  }
}

// CHECK: region 'shared_by_team'
// CHECK: load x 4 bytes
// CHECK: stride data-dependent
// CHECK: region 'of_each_thread'
// CHECK: load x 4 bytes
// CHECK: stride {{vector|per-lane|symbolic}}
