// RUN: %compile-host %s > %t.host.bc
// RUN: %compile-device %s | env IPDA_HOST_CODE=%t.host.bc %analyse | %FileCheck %s
// RUN: %compile-device %s | %analyse | %FileCheck %s --check-prefix=ALONE
// RUN: %clang-device -g %s -Rpass=ipda -o /dev/null 2>&1 | %FileCheck %s --check-prefix=DRIVER
//
// Gathers: what is touched of x cannot be bounded on the device, so no guard tests that y is another array. The host's code shows it. The twins
// are in perhaps-one-array.c.
#include <stdlib.h>

// Without the host's code nothing is shown.
// ALONE-NOT: transformation possible
// DRIVER: different-arrays.c:[[#]]:{{.*}}arg[[#]] and arg[[#]] are different arrays, as the host's code shows

#define N 37
#define M 11
#define GATHER(x, y) \
  _Pragma("omp target teams distribute parallel for") for (long i = 0; i < n; ++i) for (long j = 0; j < m; ++j) (y)[i * m + j] = 2 * (x)[col[i * m + j]];

// Each call hands over two arrays, not always in the same order.
// CHECK-LABEL: region 'of_callers'
// CHECK: transformation possible
// CHECK: because 'x and y are different arrays, as the host's code shows'
static void of_callers(long n, long m, const int *col, const double *x, double *y) { GATHER(x, y) }

// Through a function in between, each time with one of its own.
// CHECK-LABEL: region 'further_inside'
// CHECK: transformation possible
// CHECK: because 'x and y are different arrays, as the host's code shows'
static void further_inside(long n, long m, const int *col, const double *x, double *y) { GATHER(x, y) }
static void in_between(long n, long m, const int *col, const double *x, double *other) {
  double *own = malloc(n * m * sizeof(double));
  further_inside(n, m, col, x, own + 1 - 1);
  further_inside(n, m, col, x, n > m ? own : other);
  free(own);
}

// CHECK-LABEL: region 'of_variables'
// CHECK: transformation possible
// CHECK: because 'x and y are different arrays, as the host's code shows'
static double table[N * M];
double result[N * M];
static void of_variables(long n, long m, const int *col, const double *x, double *y) { GATHER(x, y) }

// Whoever calls it: these are new.
// CHECK-LABEL: region 'of_its_own'
// CHECK: transformation possible
// CHECK: because 'x and y are different arrays, as the host's code shows'
double of_its_own(long n, long m, const int *col, const double *x) {
  double local[n * m], *y = local;
  GATHER(x, y)
  return local[0];
}

// CHECK-LABEL: region 'by_restrict'
// CHECK: transformation possible
// CHECK: because 'x and y are different arrays, as restrict says in the host's code'
void by_restrict(long n, long m, const int *col, const double *x, double *restrict y) { GATHER(x, y) }

// CHECK-LABEL: region 'inside_of_restrict'
// CHECK: transformation possible
// CHECK: because 'x and y are different arrays, as restrict says in the host's code'
static void inside_of_restrict(long n, long m, const int *col, const double *x, double *y) { GATHER(x, y) }
void with_restrict(long n, long m, const int *col, const double *restrict x, double *y) {
  inside_of_restrict(n, m, col, x + 1 - 1, y);
}

// A structure whose address gets nowhere else.
struct matrix {
  long n, m;
  int *col;
  double *val, *out;
};
// CHECK-LABEL: region 'of_structure'
// CHECK: transformation possible
// CHECK: because 'x and y are different arrays, as the host's code shows'
static void of_structure(const struct matrix *a) {
  const long n = a->n, m = a->m;
  const int *col = a->col;
  const double *x = a->val;
  double *y = a->out;
  GATHER(x, y)
}
// The region has the structure itself, and only reads it.
// CHECK-LABEL: region 'with_structure'
// CHECK: transformation possible
// CHECK: because 'x and y are different arrays, as the host's code shows'
static void with_structure(const struct matrix *a) {
  const int *col = a->col;
  const double *x = a->val;
  double *y = a->out;
  const long n = a->n, m = a->m;
#pragma omp target teams distribute parallel for map(to : a[0 : 1])
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j)
      y[i * m + j] = x[col[i * m + j]] + a->m;
}
static double *numbers(long n) { return calloc(n, sizeof(double)); }
static double *more_numbers(long n) {
  double *all = numbers(n);
  return all ? all : NULL;
}
static void fill(struct matrix *a, double *out) { a->out = out; }
static struct matrix *make(void) {
  struct matrix *a = malloc(sizeof *a);
  a->n = N, a->m = M;
  a->col = calloc(N * M, sizeof(int));
  a->val = numbers(N * M);
  fill(a, more_numbers(N * M));
  return a;
}

// Pointers of the file's own.
static double *global_x, *global_y;
// CHECK-LABEL: region 'of_file'
// CHECK: transformation possible
// CHECK: because 'global_x and global_y are different arrays, as the host's code shows'
static void of_file(long n, long m, const int *col) { GATHER(global_x, global_y) }

// CHECK-LABEL: region 'aligned'
// CHECK: transformation possible
// CHECK: because 'x and y are different arrays, as the host's code shows'
static void aligned(long n, long m, const int *col, const double *x, double *y) { GATHER(x, y) }

// On the device from the beginning.
void *omp_target_alloc(size_t, int);
// CHECK-LABEL: region 'on_device'
// CHECK: transformation possible
// CHECK: because 'x and y are different arrays, as the host's code shows'
static void on_device(long n, long m, const int *col, const double *x, double *y) {
#pragma omp target teams distribute parallel for is_device_ptr(x, y)
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j)
      y[i * m + j] = x[col[i * m + j]];
}

int main(int argc, char **argv) {
  const long n = N, m = M;
  int *col = calloc(n * m, sizeof(int));
  double *a = malloc(n * m * sizeof(double)), *b = malloc(n * m * sizeof(double)), *c = numbers(n * m);
  for (int time = 0; time < argc; ++time) {
    of_callers(n, m, col, a, b);
    of_callers(n, m, col, b, c);
    of_callers(n, m, col, c, a + 0);
  }
  in_between(n, m, col, a, c);
  of_variables(n, m, col, table, result);
  of_variables(n, m, col, a, table);
  by_restrict(n, m, col, a, b);
  with_restrict(n, m, col, a, b);
  struct matrix local = {n, m, col, a, c}, *heap = make();
  of_structure(&local);
  with_structure(&local);
  of_structure(heap);
  with_structure(heap);
  global_x = numbers(n * m), global_y = numbers(n * m);
#pragma omp target data map(to : global_x[0 : n * m], col[0 : n * m]) map(from : global_y[0 : n * m])
  of_file(n, m, col);
  void *first = NULL, *second = NULL;
  if (posix_memalign(&first, 64, n * m * sizeof(double)) || posix_memalign(&second, 64, n * m * sizeof(double)))
    return 1;
  aligned(n, m, col, first, second);
  on_device(n, m, col, omp_target_alloc(n * m * sizeof(double), 0), omp_target_alloc(n * m * sizeof(double), 0));
  return of_its_own(n, m, col, a) > 0;
}
