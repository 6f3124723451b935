// RUN: %compile-host %s > %t.host.bc
// RUN: %compile-device %s | env IPDA_HOST_CODE=%t.host.bc %analyse | %FileCheck %s
// REQUIRES: libomp-device-bc
// RUN: %ipda-oracle transform %s
//
// The twins of different-arrays.c: the host's code does not show that x and y are different arrays, so the loops stay.
//
// ARGS: n: 37
// ARGS: m: 11
// ARGS: col: { type: i32, count: 4096, fill: { modulo: 64 } }
// ARGS: x: { type: f64, count: 131072, fill: { modulo: 7 } }
#include <stdlib.h>

#define N 37
#define M 11
#define GATHER(x, y) \
  _Pragma("omp target teams distribute parallel for") for (long i = 0; i < n; ++i) for (long j = 0; j < m; ++j) (y)[i * m + j] = 2 * (x)[col[i * m + j]];
#define PARAMETERS long n, long m, const int *col, const double *x, double *y

// Others may call it.
// CHECK-LABEL: region 'of_others'
// CHECK: transformation left
void of_others(PARAMETERS) { GATHER(x, y) }

// CHECK-LABEL: region 'once_the_same'
// CHECK: transformation left
static void once_the_same(PARAMETERS) { GATHER(x, y) }

// CHECK-LABEL: region 'two_parts'
// CHECK: transformation left
static void two_parts(PARAMETERS) { GATHER(x, y) }

// In each step they are two, but the names go round.
// CHECK-LABEL: region 'changing_places'
// CHECK: transformation left
static void changing_places(PARAMETERS) { GATHER(x, y) }

// CHECK-LABEL: region 'of_unknown_structure'
// CHECK: transformation left
struct pair {
  double *x, *y;
};
void fill(struct pair *);
static void of_unknown_structure(PARAMETERS) { GATHER(x, y) }

// CHECK-LABEL: region 'called_by_pointer'
// CHECK: transformation left
static void called_by_pointer(PARAMETERS) { GATHER(x, y) }
void (*handler)(PARAMETERS) = called_by_pointer;

// CHECK-LABEL: region 'grown'
// CHECK: transformation left
static void grown(PARAMETERS) { GATHER(x, y) }

// One instruction allocates both, or none.
// CHECK-LABEL: region 'of_one_instruction'
// CHECK: transformation left
static void of_one_instruction(PARAMETERS) { GATHER(x, y) }

// A function that hands out again what it has.
// CHECK-LABEL: region 'handed_out_again'
// CHECK: transformation left
static void handed_out_again(PARAMETERS) { GATHER(x, y) }
static double *kept;
static double *buffer(long n) {
  if (!kept)
    kept = malloc(n * sizeof(double));
  return kept;
}

// The same memory by the name of the call and by that of the instruction inside.
// CHECK-LABEL: region 'by_two_names'
// CHECK: transformation left
static void by_two_names(PARAMETERS) { GATHER(x, y) }
static double *last;
static double *noted(long n) {
  double *all = malloc(n * sizeof(double));
  last = all;
  return all;
}

// The variable is declared restrict, not the parameter.
// CHECK-LABEL: region 'restrict_inside'
// CHECK: transformation left
void restrict_inside(long n, long m, const int *col, const double *x, double *given) {
  double *restrict y = given;
  GATHER(x, y)
}

// What was declared restrict is another value now.
// CHECK-LABEL: region 'restrict_lost'
// CHECK: transformation left
void restrict_lost(long n, long m, const int *col, double *x, double *restrict y) {
  if (n > m)
    y = x;
  GATHER(x, y)
}

// Both are based on what is declared restrict.
// CHECK-LABEL: region 'restrict_of_both'
// CHECK: transformation left
static void restrict_of_both(PARAMETERS) { GATHER(x, y) }
void parts_of_restrict(long n, long m, const int *col, double *restrict all) { restrict_of_both(n, m, col, all, all + m); }

// A pointer that is read may be based on it, too.
// CHECK-LABEL: region 'restrict_and_read'
// CHECK: transformation left
void restrict_and_read(long n, long m, const int *col, const double *restrict x, double **all) {
  double *y = all[0];
  GATHER(x, y)
}

// Other files know of these variables.
double *open_x, *open_y;
// CHECK-LABEL: region 'of_program'
// CHECK: transformation left
static void of_program(long n, long m, const int *col) { GATHER(open_x, open_y) }

// Known to this file alone, but to one function by its address.
static double *shown_x, *shown_y;
void show(double **);
// CHECK-LABEL: region 'of_file_shown'
// CHECK: transformation left
static void of_file_shown(long n, long m, const int *col) { GATHER(shown_x, shown_y) }

// One of the structure's pointers comes from both arrays.
// CHECK-LABEL: region 'of_structure'
// CHECK: transformation left
static void of_structure(long n, long m, const int *col, const struct pair *p) {
  const double *x = p->x;
  double *y = p->y;
  GATHER(x, y)
}
static void turn(struct pair *p, double *other) { p->y = other; }

// The region writes the structure's pointers, where memory is shared.
// CHECK-LABEL: region 'of_written_structure'
// CHECK: transformation left
// CHECK-LABEL: region 'writes_structure'
static void of_written_structure(long n, long m, const int *col, const struct pair *p) {
  const double *x = p->x;
  double *y = p->y;
  GATHER(x, y)
}
static void writes_structure(struct pair *p) {
#pragma omp target map(to : p[0 : 1])
  p->y = p->x;
}

// It comes back from the device.
// CHECK-LABEL: region 'of_returned_structure'
// CHECK: transformation left
static void of_returned_structure(long n, long m, const int *col, const struct pair *p) {
  const double *x = p->x;
  double *y = p->y;
  GATHER(x, y)
}

// An address of the device and one that is looked up: the program may have put one after the other.
void *omp_target_alloc(size_t, int);
// CHECK-LABEL: region 'of_two_kinds'
// CHECK: transformation left
static void of_two_kinds(PARAMETERS) {
#pragma omp target teams distribute parallel for is_device_ptr(x)
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j)
      y[i * m + j] = x[col[i * m + j]];
}

// What is known of the host's pointer is not known of what the runtime puts in its place.
// CHECK-LABEL: region 'of_replaced_pointers'
// CHECK: transformation left
static void of_replaced_pointers(long n, long m, const int *col) {
  double *x = malloc(n * m * sizeof(double)), *y = malloc(n * m * sizeof(double));
#pragma omp target data map(x[0 : n * m], y[0 : n * m]) use_device_ptr(x, y)
  {
#pragma omp target teams distribute parallel for is_device_ptr(x, y)
    for (long i = 0; i < n; ++i)
      for (long j = 0; j < m; ++j)
        y[i * m + j] = x[col[i * m + j]];
  }
}

// It may run when its caller has gone on.
// CHECK-LABEL: region 'later'
// CHECK: transformation left
void later(long n, long m, const int *col, const double *restrict x, double *restrict y) {
#pragma omp target teams distribute parallel for nowait
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j)
      y[i * m + j] = x[col[i * m + j]];
}

// It calls itself, with what it was given the other way round.
// CHECK-LABEL: region 'calls_itself'
// CHECK: transformation left
static void calls_itself(long n, long m, const int *col, double *x, double *y) {
  GATHER(x, y)
  if (n > 1)
    calls_itself(n - 1, m, col, y, x);
}

// Addresses that are numbers in between.
// CHECK-LABEL: region 'by_numbers'
// CHECK: transformation left
static void by_numbers(long n, long m, const int *col, const double *x) {
  double *y = (double *)((size_t)x & ~(size_t)63);
  GATHER(x, y)
}

// Other files may have functions of this name, of which one is taken.
// CHECK-LABEL: region 'one_of_several'
// CHECK: transformation left
__attribute__((weak)) void one_of_several(PARAMETERS) { GATHER(x, y) }

// Equal constants, and variables that the linker joins, may be one; only the latter are ever written.
__attribute__((common)) double joined[N * M];
__attribute__((weak)) double other_joined[N * M];
// CHECK-LABEL: region 'of_joined'
// CHECK: transformation left
static void of_joined(PARAMETERS) { GATHER(x, y) }

// All of this does not stand in the way of others.
// CHECK-LABEL: region 'two_arrays'
// CHECK: transformation possible
static void two_arrays(PARAMETERS) { GATHER(x, y) }

int main(int argc, char **argv) {
  const long n = N, m = M;
  int *col = calloc(n * m, sizeof(int));
  double *a = malloc(2 * n * m * sizeof(double)), *b = malloc(n * m * sizeof(double)), *c = malloc(n * m * sizeof(double));
  of_others(n, m, col, a, b);
  once_the_same(n, m, col, a, b);
  once_the_same(n, m, col, c, c);
  two_parts(n, m, col, a, a + n * m);
  double *now = b, *then = c;
  for (int time = 0; time < argc; ++time) {
    changing_places(n, m, col, now, then);
    double *swapped = now;
    now = then;
    then = swapped;
  }
  struct pair pair = {a, b};
  fill(&pair);
  of_unknown_structure(n, m, col, pair.x, pair.y);
  called_by_pointer(n, m, col, a, b);
  double *more = realloc(c, 2 * n * m * sizeof(double));
  grown(n, m, col, c, more);
  double *before = a;
  for (int time = 0; time < argc; ++time) {
    double *next = malloc(n * m * sizeof(double));
    of_one_instruction(n, m, col, before, next);
    before = next;
  }
  handed_out_again(n, m, col, buffer(n * m), buffer(n * m));
  double *one = noted(n * m);
  by_two_names(n, m, col, one, last);
  restrict_inside(n, m, col, a, b);
  restrict_lost(n, m, col, a, b);
  parts_of_restrict(n, m, col, a);
  restrict_and_read(n, m, col, a, &b);
  open_x = malloc(n * m * sizeof(double)), open_y = malloc(n * m * sizeof(double));
  of_program(n, m, col);
  shown_x = malloc(n * m * sizeof(double)), shown_y = malloc(n * m * sizeof(double));
  show(&shown_y);
  of_file_shown(n, m, col);
  struct pair turned = {a, b}, written = {a, b}, returned = {a, b};
  of_structure(n, m, col, &turned);
  turn(&turned, a);
  of_structure(n, m, col, &turned);
  of_written_structure(n, m, col, &written);
  writes_structure(&written);
  of_written_structure(n, m, col, &written);
#pragma omp target data map(tofrom : returned)
  of_returned_structure(n, m, col, &returned);
  of_returned_structure(n, m, col, &returned);
  of_two_kinds(n, m, col, omp_target_alloc(n * m * sizeof(double), 0), b);
  of_replaced_pointers(n, m, col);
  later(n, m, col, a, b);
  calls_itself(n, m, col, a, b);
  by_numbers(n, m, col, a);
  one_of_several(n, m, col, a, b);
  of_joined(n, m, col, joined, other_joined);
  two_arrays(n, m, col, a, b);
  return 0;
}
