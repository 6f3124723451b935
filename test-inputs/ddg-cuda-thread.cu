// RUN: %compile-cuda %s | %dependences | %FileCheck %s
//
// A kernel's dependences are those within one thread: its number is one for all iterations.
//  - Elements a stride of the whole grid apart: parallel where that stride is not 0, which the machine's ranges say.
//  - A running position that never moves: all iterations write the thread's own element.

#define __global__ __attribute__((global))

extern "C" __global__ void apart(float *a, int n) {
// CHECK-LABEL: dependences of kernel 'apart' {{.*}} (within one thread)
// CHECK-NEXT: loop0 {{.*}}: parallel{{$}}
  int t = __nvvm_read_ptx_sreg_tid_x();
  for (int i = 0; i < n; ++i)
    a[1024 * i + t] = i;
}

extern "C" __global__ void together(float *a, int n) {
// CHECK-LABEL: dependences of kernel 'together' {{.*}} (within one thread)
// CHECK-NEXT: loop0 {{.*}}: {{unknown|serial}}: output dependence of a
  int t = __nvvm_read_ptx_sreg_tid_x();
  for (int i = 0; i < n; ++i)
    a[t] = i;
}

extern "C" __global__ void barriers(float *a, int n) {
// CHECK-LABEL: dependences of kernel 'barriers' {{.*}} (within one thread)
// CHECK-NEXT: loop0 {{.*}}: unknown: a barrier has effects that are not followed
  int t = __nvvm_read_ptx_sreg_tid_x();
  for (int i = 0; i < n; ++i) {
    a[1024 * i + t] = i;
    __syncthreads();
  }
}
