// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// G = (A*B)*(C*D) in three regions, each with its two outer loops fused.
// With fused index c = i*cols + j of a product X = L*R over cols columns and inner dimension d:
//   X[i*cols + j] = X[c]: 4 bytes between neighbouring threads.
//   L[i*d + k]: 0 within a row, 4*d where a row of cols lanes ends.
//   R[k*cols + j]: 4 within a row, 4 - 4*cols where it ends.
// A is n x m, B is m x p, C is p x q, D is q x r.

void three_mm(int n, int m, int p, int q, int r, const float *A, const float *B, const float *C,
              const float *D, float *E, float *F, float *G) {
#pragma omp target teams distribute parallel for collapse(2) \
    map(to : A[0 : n * m], B[0 : m * p]) map(from : E[0 : n * p])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < p; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < m; ++k)
        sum += A[i * m + k] * B[k * p + j];
      E[i * p + j] = sum;
    }

#pragma omp target teams distribute parallel for collapse(2) \
    map(to : C[0 : p * q], D[0 : q * r]) map(from : F[0 : p * r])
  for (int i = 0; i < p; ++i)
    for (int j = 0; j < r; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < q; ++k)
        sum += C[i * q + k] * D[k * r + j];
      F[i * r + j] = sum;
    }

#pragma omp target teams distribute parallel for collapse(2) \
    map(to : E[0 : n * p], F[0 : p * r]) map(from : G[0 : n * r])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < r; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < p; ++k)
        sum += E[i * p + k] * F[k * r + j];
      G[i * r + j] = sum;
    }
}

// CHECK: region 'three_mm' at {{.*}}3mm.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for {{.*}}trips [n]*[p] schedule
// CHECK: loop1 in loop0 sequential k {{.*}}trips [m]{{$}}
// CHECK: acc0 load A 4 bytes
// CHECK: stride row-ends 0 at row ends 4*[m] every [p] lanes class symbolic
// CHECK: runs [m]{{$}}
// CHECK: acc1 load B 4 bytes
// CHECK: stride row-ends 4 at row ends -4*[p] + 4 every [p] lanes class symbolic
// CHECK: runs [m]{{$}}
// CHECK: acc2 store E 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 2
// CHECK: region 'three_mm' at {{.*}}3mm.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for {{.*}}trips [p]*[r] schedule
// CHECK: loop1 in loop0 sequential k {{.*}}trips [q]{{$}}
// CHECK: acc0 load C 4 bytes
// CHECK: stride row-ends 0 at row ends 4*[q] every [r] lanes class symbolic
// CHECK: runs [q]{{$}}
// CHECK: acc1 load D 4 bytes
// CHECK: stride row-ends 4 at row ends -4*[r] + 4 every [r] lanes class symbolic
// CHECK: runs [q]{{$}}
// CHECK: acc2 store F 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 2
// CHECK: region 'three_mm' at {{.*}}3mm.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for {{.*}}trips [n]*[r] schedule
// CHECK: loop1 in loop0 sequential k {{.*}}trips [p]{{$}}
// CHECK: acc0 load E 4 bytes
// CHECK: stride row-ends 0 at row ends 4*[p] every [r] lanes class symbolic
// CHECK: runs [p]{{$}}
// CHECK: acc1 load F 4 bytes
// CHECK: stride row-ends 4 at row ends -4*[r] + 4 every [r] lanes class symbolic
// CHECK: runs [p]{{$}}
// CHECK: acc2 store G 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 2
