// RUN: %device | %FileCheck %s
//
// thread-register.c with a product: a[threadIdx.x * i]. Lane t of a warp whose first thread is T and whose first iteration is I (both
// multiples of 32) writes element (T + t)(I + t), which is t(T + I) + t*t from lane 0's: no multiple of t, and nothing to count.
// Different threads write one element, and which is last, nothing decides.
// ARGS: n: 60
// ORACLE: has races

int __nvvm_read_ptx_sreg_tid_x(void);

void number(int n, int *a) {
#pragma omp target teams distribute parallel for map(from : a[0 : 4096])
  for (int i = 0; i < n; ++i)
    a[__nvvm_read_ptx_sreg_tid_x() * i] = i;
}

// CHECK: region 'number'
// CHECK: acc0 store a 4 bytes
// CHECK: stride per-lane {{.*}}[lane number]^2{{.*}} class symbolic{{$}}
