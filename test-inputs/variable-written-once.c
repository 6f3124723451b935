// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
// RUN: %amdgcn | %FileCheck %s
//
// Each variable is written at one place of the code. `here` is written before all that reads it, so it is i + n*k, and A moves by 4 bytes.
// `before`, the negative twin, is read before that place, where it holds what the iteration before wrote: i + n*(k - 1). B moves
// by 4 bytes too, n elements behind A. On the first way around the loop nothing reads it.

void shift(int n, float *A, float *B) {
#pragma omp target teams distribute parallel for map(tofrom : A[0 : 8 * n], B[0 : 8 * n])
  for (int i = 0; i < n; ++i) {
    int before;
    for (int k = 0; k < 8; ++k) {
      int here = i + n * k;
      if (k > 0)
        B[before] = 1.0f;
      before = i + n * k;
      A[here] = 2.0f;
    }
  }
}

// CHECK: region 'shift' at {{.*}}variable-written-once.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 store B 4 bytes in loop1
// CHECK-NEXT: address [B] + 4*[n]*k - 4*[n] + 4*i{{$}}
// CHECK-NEXT: stride constant 4 class coalesced
// CHECK-NEXT: runs 8 if [k >= 1] active uniform
// CHECK: acc1 store A 4 bytes in loop1
// CHECK-NEXT: address [A] + 4*[n]*k + 4*i{{$}}
// CHECK-NEXT: stride constant 4 class coalesced
// CHECK-NEXT: runs 8{{$}}
// CHECK-NOT: {{acc[0-9]}}
// CHECK: without-count 0
