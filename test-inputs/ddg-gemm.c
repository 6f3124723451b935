// RUN: %compile-device %s | %dependences | %FileCheck %s
//
// C += A*B with three matrices that the device sees as plain pointers.
//  - C[i*NJ + j] with j < NJ is another element for each i and each j: of C alone, neither loop carries anything. A and B are read only.
//    So i and j are parallel where C overlaps neither of them: A is touched from its start to before 4*NI*NK bytes behind it, and so on.
//  - k adds to one element of C in all of its iterations: a reduction, which rounds by the order.

void gemm(int NI, int NJ, int NK, const float *A, const float *B, float *C) {
// CHECK-LABEL: dependences of region 'gemm'
// CHECK: loop0 shared i at {{.*}} trips [NI]: parallel if A and C do not overlap, B and C do not overlap{{$}}
// CHECK-NEXT: loop1 in loop0 j at {{.*}} trips [NJ]: parallel if A and C do not overlap, B and C do not overlap{{$}}
// CHECK-NEXT: loop2 in loop1 k at {{.*}} trips [NK]: parallel if A and C do not overlap, B and C do not overlap, and if the reduction is made one: reduction(+ : C[...]){{$}}
// CHECK-NEXT: reduction of C by float add, whose rounding depends on the order: acc[[LOAD:[0-9]+]] acc[[STORE:[0-9]+]]
#pragma omp target teams distribute parallel for map(to : A[0 : NI * NK], B[0 : NK * NJ]) map(tofrom : C[0 : NI * NJ])
  for (int i = 0; i < NI; ++i)
    for (int j = 0; j < NJ; ++j)
      for (int k = 0; k < NK; ++k)
        C[i * NJ + j] += A[i * NK + k] * B[k * NJ + j];
// CHECK: flow acc[[STORE]] -> acc[[LOAD]] (=, =, <) carried by loop2, of a reduction
// CHECK-NOT: carried by loop{{[01]}}
// CHECK-DAG: footprint C from [C] to before [C] + 4*[NI]*[NJ]
// CHECK-DAG: footprint A from [A] to before [A] + 4*[NI]*[NK]
// CHECK-DAG: footprint B from [B] to before [B] + 4*[NJ]*[NK]
}
