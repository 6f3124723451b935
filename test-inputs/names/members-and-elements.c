// Fields and elements are called as the source calls them, in tables, in remarks, and for -D; in the report's own texts the address stays.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %remarks %load -c %s -o %t.o 2> %t.remarks
// RUN: %FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// RUN: %ipda report %t.yaml --as-written | %FileCheck %s
// RUN: %ipda report %t.yaml --as-written -D 'g->ny=3' | %FileCheck %s --check-prefix=GIVEN
// RUN: %ipda predict %t.yaml -D n=1000 -D 'g->ny=100' | %FileCheck %s --check-prefix=PREDICT
// RUN: %FileCheck %s --check-prefix=FILE --input-file %t.yaml
// Without types there are no fields.
// RUN: env IPDA_REPORT=%t.nog.yaml %clang -O2 %nvptx %load -c %s -o %t.o
// RUN: %ipda report %t.nog.yaml | %FileCheck %s --check-prefix=NAMELESS

struct grid {
  int nx, ny;
  double *cell;
};

void relax(struct grid *g, int n) {
  int i, j;
#pragma omp target teams distribute parallel for private(j) map(tofrom : g[0 : 1], g->cell[0 : n])
  for (i = 1; i < n; ++i)
    for (j = 0; j < g->ny; ++j)
      g->cell[i * g->ny + j] += 1.0;
}

void rows(int n, const int *row, const double *val, double *y) {
#pragma omp target teams distribute parallel for map(to : row[0 : n + 1], val[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = row[i]; k < row[i + 1]; ++k)
      sum += val[k];
    y[i] = sum;
  }
}

// REMARK: remark: loop over j: sequential in each thread, g->ny iterations
// REMARK: load from g->cell
// REMARK: neighbouring threads are 8*g->ny bytes apart
// REMARK: loop over k: sequential in each thread, {{.*}}row[i + 1]{{.*}} iterations
// FILE: value: load4`g->ny`([g] + 4)
// CHECK-DAG: load g->cell 8 j 8*g->ny symbolic
// CHECK-DAG: loop1 j, line {{[0-9]+}}: g->ny iterations in each thread
// CHECK-DAG: loop1 k, line {{[0-9]+}}: {{.*}}row[i + 1]{{.*}}row[i]{{.*}} iterations in each thread
// GIVEN: load g->cell 8 j 8*g->ny strided 24
// PREDICT: relax
// NAMELESS: relax,
// NAMELESS-NOT: ->
