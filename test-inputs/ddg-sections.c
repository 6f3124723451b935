// RUN: %compile-host %s | %dependences | %FileCheck %s
// RUN: %compile-device %s | %dependences | %FileCheck %s --check-prefix=DEVICE
// RUN: %compile-host -DSHARED_MEMORY %s | %dependences | %FileCheck %s --check-prefix=SHARED --implicit-check-not='map clauses'
//
// Two list items of one construct's map clauses share no storage, so that accesses that stay in different ones never meet. The host's
// launch shows the clauses. What may lie outside of a section, or is mapped without being named, may be anything; where host and device share their memory, clauses are not counted on.

#ifdef SHARED_MEMORY
#pragma omp requires unified_shared_memory
#endif

void products(int n, int m, const float *a, const float *b, float *c) {
// CHECK-LABEL: dependences of region 'products'
// CHECK-NEXT: loop0 {{.*}}: parallel{{$}}
// CHECK: assumes 'list items of one construct's map clauses share no storage
// SHARED-LABEL: dependences of region 'products'
// SHARED-NEXT: loop0 {{.*}}: parallel if {{.*}} do not overlap
// DEVICE-LABEL: dependences of region 'products'
// DEVICE-NEXT: loop0 {{.*}}: parallel if {{.*}} do not overlap
// DEVICE-NOT: map clauses
#pragma omp target teams distribute parallel for map(to : a[0 : n * m], b[0 : m]) map(from : c[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = 0; j < m; ++j)
      sum += a[i * m + j] * b[j];
    c[i] = sum;
  }
}

void lower_bounds(long n, const float *x, float *y) {
// Elements 2 to n + 1 of y.
// CHECK-LABEL: dependences of region 'lower_bounds'
// CHECK-NEXT: loop0 {{.*}}: parallel{{$}}
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[2 : n])
  for (long i = 0; i < n; ++i)
    y[i + 2] = x[i];
}

void one_too_few(long n, const float *x, float *y) {
// x[n] is not in its section.
// CHECK-LABEL: dependences of region 'one_too_few'
// CHECK-NEXT: loop0 {{.*}}: parallel if x and y do not overlap
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (long i = 0; i < n; ++i)
    y[i] = x[i + 1];
}

void one_too_low(long n, const float *x, float *y) {
// y[1] is not in its section.
// CHECK-LABEL: dependences of region 'one_too_low'
// CHECK-NEXT: loop0 {{.*}}: parallel if x and y do not overlap
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[2 : n])
  for (long i = 0; i < n; ++i)
    y[i + 1] = x[i];
}

void device_pointers(long n, const float *x, float *y) {
// What comes from elsewhere may overlap.
// CHECK-LABEL: dependences of region 'device_pointers'
// CHECK-NEXT: loop0 {{.*}}: parallel if x and y do not overlap
#pragma omp target teams distribute parallel for is_device_ptr(x) map(tofrom : y[0 : n])
  for (long i = 0; i < n; ++i)
    y[i] = x[i];
}

void unnamed(long n, const float *x, float *y) {
// x is mapped without a clause: as a section of no length.
// CHECK-LABEL: dependences of region 'unnamed'
// CHECK-NEXT: loop0 {{.*}}: parallel if x and y do not overlap
#pragma omp target teams distribute parallel for map(tofrom : y[0 : n])
  for (long i = 0; i < n; ++i)
    y[i] = x[i];
}

struct grid {
  float *cells;
  float *next;
};

void members(long n, struct grid grid) {
// Pointers in structures are not followed.
// CHECK-LABEL: dependences of region 'members'
// CHECK-NEXT: loop0 {{.*}}: {{unknown|parallel if}}
#pragma omp target teams distribute parallel for map(to : grid.cells[0 : n]) map(from : grid.next[0 : n])
  for (long i = 0; i < n; ++i)
    grid.next[i] = grid.cells[i];
}

void unsigned_extent(unsigned n, unsigned m, const float *x, float *y) {
// n * m may wrap in 32 bits: then the section is a short one.
// CHECK-LABEL: dependences of region 'unsigned_extent'
// CHECK-NEXT: loop0 {{.*}}: {{unknown|parallel if}}
#pragma omp target teams distribute parallel for map(to : x[0 : n * m]) map(tofrom : y[0 : n])
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < m; ++j)
      y[i] += x[(unsigned long)i * m + j];
}
