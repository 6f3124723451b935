// RUN: %device | %FileCheck %s
//
// The thread asks the hardware for its number instead of using the loop's: a[threadIdx.x] moves by 4 bytes, whatever iteration
// the thread works on. thread-register-times-iteration.c is the twin, in which the number alone does not decide.
// Which iteration of a thread writes last, the launch decides.
// ORACLE: depends on the launch

int __nvvm_read_ptx_sreg_tid_x(void);

void number(int n, int *a) {
#pragma omp target teams distribute parallel for map(from : a[0 : 1024])
  for (int i = 0; i < n; ++i)
    a[__nvvm_read_ptx_sreg_tid_x()] = i;
}

// CHECK: region 'number' at {{.*}}thread-register.c:[[#]]
// CHECK: acc0 store a 4 bytes
// CHECK: address [a] + 4*[threadIdx.x]{{$}}
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: reject
