// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// The two products of a biconjugate-gradient step, s = A^T * r and q = A * p, in double precision.
// Columns across threads: A[i*m + j], s[j] 8 bytes apart (32 lanes fill 8 sectors), r[i] uniform.
// Rows across threads: A[i*m + j] 8*m bytes apart, p[j] uniform, q[i] 8 bytes apart.

void bicg(int n, int m, const double *A, const double *r, const double *p, double *s, double *q) {
#pragma omp target teams distribute parallel for \
    map(to : A[0 : n * m], r[0 : n]) map(from : s[0 : m])
  for (int j = 0; j < m; ++j) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i)
      sum += A[i * m + j] * r[i];
    s[j] = sum;
  }

#pragma omp target teams distribute parallel for \
    map(to : A[0 : n * m], p[0 : m]) map(from : q[0 : n])
  for (int i = 0; i < n; ++i) {
    double sum = 0.0;
    for (int j = 0; j < m; ++j)
      sum += A[i * m + j] * p[j];
    q[i] = sum;
  }
}

// CHECK: region 'bicg' at {{.*}}bicg.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for j {{.*}}trips [m] schedule
// CHECK: loop1 in loop0 sequential i {{.*}}trips [n]{{$}}
// CHECK: acc0 load A 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: runs [n]{{$}}
// CHECK: acc1 load r 8 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs [n]{{$}}
// CHECK: acc2 store s 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
// CHECK: region 'bicg' at {{.*}}bicg.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [m]{{$}}
// CHECK: acc0 load A 8 bytes
// CHECK: stride symbolic 8*[m] class symbolic
// CHECK: runs [m]{{$}}
// CHECK: acc1 load p 8 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs [m]{{$}}
// CHECK: acc2 store q 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
