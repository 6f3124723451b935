// RUN: %compile-device %s | %dependences | %FileCheck %s
//
// Pointers and lengths in a record that the region reads again and again: nothing writes them, since they are of other types than what is
// written. The twin writes integers, and the length is one.

struct matrix {
  int columns;
  double *from, *to;
  int *counts;
};

void copied(struct matrix *m, int n) {
// CHECK-LABEL: dependences of region 'copied'
// CHECK-NEXT: loop0 shared i {{.*}}: parallel if m->from and m->to do not overlap
// CHECK-NEXT: loop1 in loop0 j {{.*}}: parallel if m->from and m->to do not overlap
#pragma omp target teams distribute parallel for is_device_ptr(m)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m->columns; ++j)
      m->to[i * m->columns + j] = m->from[j];
}

void counted(struct matrix *m, int n) {
// CHECK-LABEL: dependences of region 'counted'
// CHECK-NEXT: loop0 shared i {{.*}}: unknown:
#pragma omp target teams distribute parallel for is_device_ptr(m)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m->columns; ++j)
      m->counts[i * m->columns + j] = j;
}
