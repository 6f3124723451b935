// RUN: %device | %FileCheck %s
//
// The thread asks the hardware for its number. The analysis knows OpenMP's ways to number threads only: the access may be any
// distance from its neighbour's, and certainly not 0.

int __nvvm_read_ptx_sreg_tid_x(void);

void number(int n, int *a) {
#pragma omp target teams distribute parallel for map(from : a[0 : 1024])
  for (int i = 0; i < n; ++i)
    a[__nvvm_read_ptx_sreg_tid_x()] = i;
}

// CHECK: region 'number' at {{.*}}thread-register.c:[[#]]
// CHECK-NOT: stride
// CHECK: reject ThreadRegister
// CHECK-SAME: asks the hardware for the thread's number (tid.x)
