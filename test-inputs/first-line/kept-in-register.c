// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c kept-in-register.c
// RUN: %ipda report %t.yaml --width 200 -D n=1024 -D m=100 | %FileCheck %s
// RUN: %ipda report %t.yaml --width 200 -D n=1024 -D m=100 --as-written | %FileCheck %s --check-prefix=WRITTEN
// RUN: cd %S && env IPDA_TRANSFORM=off IPDA_REPORT=%t.off.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c kept-in-register.c
// RUN: %ipda report %t.off.yaml --width 200 -D n=1024 -D m=100 | %FileCheck %s --check-prefix=OFF
//
// The sum stays in a register while the inner loop runs: y[i] is read and written once. 32 warps read 4 sectors of A a hundred times, and 4 of
// y twice: 32*(100*4 + 2*4) sectors, and 32*(100*4 + 200*4) where y is read and written each time.
//
// CHECK: [1] {{.*}}, kept-in-register.c:
// CHECK-NEXT: done by the plugin: values of y kept in registers
// CHECK: load    A {{.*}} [m]{{$}}
// CHECK: load    y {{.*}} 1{{$}}
// CHECK-NEXT: register  stays in one while the loop over j runs
// CHECK-NEXT: store   y {{.*}} 1{{$}}
// CHECK: traffic {{ *}}no excessive sectors (of 13,056)
// WRITTEN: load    y {{.*}} [m]{{$}}
// WRITTEN-NOT: register  stays
// WRITTEN: store   y {{.*}} [m]{{$}}
// OFF: load    y {{.*}} [m]{{$}}
// OFF: store   y {{.*}} [m]{{$}}
// OFF: traffic {{ *}}no excessive sectors (of 38,400)

void sum(int n, int m, const float *A, float *y) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      y[i] += A[j * n + i];
}
