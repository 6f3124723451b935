// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// D = beta*D + (alpha*A*B)*C in two regions, one row of the result per thread; A is n x m, B is m x p, C is p x q.
//   tmp[i*p + j]: 4*p;  A[i*m + k]: 4*m;  D[i*q + j]: 4*q bytes between neighbouring rows i.
//   B[k*p + j] and C[k*q + j] do not depend on i: 0.
// 3mm.c is the collapsed relative.

void two_mm(int n, int m, int p, int q, float alpha, float beta, const float *A, const float *B,
            const float *C, float *D, float *tmp) {
#pragma omp target teams distribute parallel for \
    map(to : A[0 : n * m], B[0 : m * p]) map(from : tmp[0 : n * p])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < p; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < m; ++k)
        sum += alpha * A[i * m + k] * B[k * p + j];
      tmp[i * p + j] = sum;
    }

#pragma omp target teams distribute parallel for \
    map(to : tmp[0 : n * p], C[0 : p * q]) map(tofrom : D[0 : n * q])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < q; ++j) {
      float sum = beta * D[i * q + j];
      for (int k = 0; k < p; ++k)
        sum += tmp[i * p + k] * C[k * q + j];
      D[i * q + j] = sum;
    }
}

// CHECK: region 'two_mm' at {{.*}}2mm.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [p]{{$}}
// CHECK: loop2 in loop1 sequential k {{.*}}trips [m]{{$}}
// CHECK: acc0 load A 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
// CHECK: runs [p]*[m]{{$}}
// CHECK: acc1 load B 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs [p]*[m]{{$}}
// CHECK: acc2 store tmp 4 bytes
// CHECK: stride symbolic 4*[p] class symbolic
// CHECK: runs [p]{{$}}
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 2
// CHECK: region 'two_mm' at {{.*}}2mm.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [q]{{$}}
// CHECK: loop2 in loop1 sequential k {{.*}}trips [p]{{$}}
// CHECK: acc0 load D 4 bytes
// CHECK: stride symbolic 4*[q] class symbolic
// CHECK: runs [q]{{$}}
// CHECK: acc1 load tmp 4 bytes
// CHECK: stride symbolic 4*[p] class symbolic
// CHECK: runs [q]*[p]{{$}}
// CHECK: acc2 load C 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs [q]*[p]{{$}}
// CHECK: acc3 store D 4 bytes
// CHECK: stride symbolic 4*[q] class symbolic
// CHECK: runs [q]{{$}}
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 3

// ORACLE: by hand: transform/2mm-collapse2.c
