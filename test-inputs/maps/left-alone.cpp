// RUN: %copied -g | %FileCheck %s
// Clauses that ask for more than the copy of a section, and kinds of variables whose maps are more than one entry: what the kernel only reads is copied as
// they say, and so is all else that the launch maps. The last region, a twin of each, shows that nothing else keeps it.
#include "copied.inc"
#include <stdlib.h>
enum { N = 1000 };

static double modifiers(double *x, double *y, int n) {
  double found = 0;
  // CHECK-NOT: remark
#pragma omp target map(always, tofrom : x[0 : n]) map(tofrom : y[0 : n], found)
  found += x[n - 1] + y[0];
#pragma omp target map(close, tofrom : x[0 : n]) map(tofrom : y[0 : n], found)
  found += x[n - 1] + y[0];
#pragma omp target data map(to : x[0 : n])
  {
#pragma omp target map(present, tofrom : x[0 : n]) map(tofrom : y[0 : n], found)
    found += x[n - 1] + y[0];
  }
#pragma omp target map(ompx_hold, tofrom : x[0 : n]) map(tofrom : y[0 : n], found)
  found += x[n - 1] + y[0];
  return found;
}

struct series {
  double *values;
  int count;
  double sum() {
    double found = 0;
    // A member, with the structure that it is of.
#pragma omp target map(tofrom : this->values[0 : count], found)
    for (int i = 0; i < count; ++i)
      found += values[i];
    return found;
  }
};

static double rows(double **rows, int n) {
  double found = 0;
  // Pointers in mapped memory.
#pragma omp target map(tofrom : rows[0 : n], rows[0][0 : n], rows[n - 1][0 : n], found)
  found = rows[0][1] + rows[n - 1][2];
  return found;
}

static double *everywhere;
static double of_variable(int n) {
  double found = 0;
  // A pointer that is a variable of the file.
#pragma omp target map(tofrom : everywhere[0 : n], found)
  found = everywhere[n - 1];
  return found;
}

typedef struct {
  int count;
  double *values;
} list;
#pragma omp declare mapper(whole : list l) map(tofrom : l, l.values[0 : l.count])
static double mapper(list l) {
  double found = 0;
#pragma omp target map(mapper(whole), tofrom : l) map(tofrom : found)
  found = l.values[l.count - 1];
  return found;
}

static double twin(double *x, double *y, int n) {
  double found = 0;
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: remark: x is never written here
  // CHECK-NEXT: :[[@LINE+1]]:{{[0-9]+}}: remark: y is never written here
#pragma omp target map(tofrom : x[0 : n]) map(tofrom : y[0 : n], found)
  found += x[n - 1] + y[0];
  return found;
}

int main() {
  double *x = (double *)malloc(N * sizeof *x), *y = (double *)malloc(N * sizeof *y);
  for (int i = 0; i < N; ++i)
    x[i] = y[i] = i + 1;
  double *both[N];
  for (int i = 0; i < N; ++i)
    both[i] = i ? y : x;
  series s = {x, N};
  list l = {N, y};
  everywhere = y;
  double found = modifiers(x, y, N);
  printf("%g %g %g %g %g %g\n", found, s.sum(), rows(both, N), of_variable(N), mapper(l), twin(x, y, N));
  free(x), free(y);
}
// CHECK: 4004 500500 5 1000 1000 1001
