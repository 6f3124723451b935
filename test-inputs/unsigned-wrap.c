// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// i*m in unsigned 32-bit arithmetic wraps where the product passes 2^32, and the language defines that: the element
// moves by m from thread to thread except where it wraps. A plain stride of 4*m must not be claimed.
// size_t-loop.c is the twin in 64 bits, where the index wraps only where the address does.

void first_column(unsigned n, unsigned m, const float *A, float *b) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m]) map(from : b[0 : n])
  for (unsigned i = 0; i < n; ++i)
    b[i] = A[i * m];
}

// CHECK: region 'first_column' at {{.*}}unsigned-wrap.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load A 4 bytes
// CHECK: stride per-lane 4*u32([m]*[lane number] + 32*[m]*[warp number]) - 4*u32(32*[m]*[warp number]) class symbolic{{$}}
// CHECK: acc1 store b 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
