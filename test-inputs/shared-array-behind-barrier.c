// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// Threads of a team fill an array that they share, each its own element, and after a barrier each writes another's: what a thread finds in its
// element is what thread 31 - u has left, u' = 31 - u, and not 3 * u. The twin's threads have an array each.
// ORACLE: depends on the launch: turned

int omp_get_thread_num(void);

void turned(int n, const float *x, float *y) {
#pragma omp target teams distribute map(to : x[0 : 128]) map(tofrom : y[0 : 32 * n])
  for (int i = 0; i < n; ++i) {
    int a[32];
#pragma omp parallel num_threads(32)
    {
      int u = omp_get_thread_num();
      a[u] = 3 * u;
#pragma omp barrier
      a[31 - u] = u;
#pragma omp barrier
      y[32 * i + u] = x[a[u]];
    }
  }
}

void own(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 4 * n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int a[2];
    a[0] = 3 * i;
    a[1] = i;
    y[i] = x[a[0]];
  }
}

// CHECK: region 'turned'
// CHECK: load x 4 bytes
// CHECK: stride {{data-dependent|unknown}} '{{.+}}' class
// CHECK: region 'own'
// CHECK: load x 4 bytes
// CHECK: stride constant 12 class strided
