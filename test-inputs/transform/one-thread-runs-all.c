// RUN: %device | %FileCheck %s
//
// Where the program asks for one thread, its iterations run in their order, and may rely on it: that of the shared loop counts, too.

void limited(int n, int m, int *A) {
#pragma omp target teams distribute parallel for num_teams(1) thread_limit(1)
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[j * n + i] = A[(j + 1) * n + i - 1] * 3 + 1;
}

void without_parallelism(int n, int m, int *A) {
#pragma omp target parallel for if (parallel : 0)
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[j * n + i] = A[(j + 1) * n + i - 1] * 3 + 1;
}

void as_many_as_are_asked_for(int n, int m, int threads, int *A) {
#pragma omp target teams distribute parallel for num_threads(threads)
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[j * n + i] = A[(j + 1) * n + i - 1] * 3 + 1;
}

// The same of iterations that do not need each other.
void independent(int n, int m, int threads, int *A) {
#pragma omp target teams distribute parallel for num_threads(threads)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] += 1;
}

// Where a launch says how many threads there are, the kernel asks whether there is more than one.
void as_many_as_a_launch_allows(int n, int m, int threads, int teams, int *A) {
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(threads)
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[j * n + i] = A[(j + 1) * n + i - 1] * 3 + 1;
}

// Not where there are several teams, nor where iterations do not need each other.
void in_several_teams(int n, int m, int threads, int *A) {
#pragma omp target teams distribute parallel for num_teams(4) thread_limit(threads)
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[j * n + i] = A[(j + 1) * n + i - 1] * 3 + 1;
}

void independent_of_each_other(int n, int m, int threads, int *A) {
#pragma omp target parallel for thread_limit(threads)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] += 1;
}

// CHECK: region 'limited'
// CHECK: transformation left
// CHECK-NEXT: because 'it may be one thread that runs all iterations in their order, and they may need each other'
// CHECK: region 'without_parallelism'
// CHECK: transformation left
// CHECK: region 'as_many_as_are_asked_for'
// CHECK: transformation left
// CHECK-NEXT: because 'it may be one thread
// CHECK: region 'independent'
// CHECK: transformation possible threads i j
// CHECK: region 'as_many_as_a_launch_allows'
// CHECK: transformation possible threads j i
// CHECK-NEXT: if 'several threads run its iterations'
// CHECK: region 'in_several_teams'
// CHECK: transformation possible threads j i
// CHECK-NOT: several threads
// CHECK: region 'independent_of_each_other'
// CHECK: transformation possible threads i j
// CHECK-NOT: several threads
