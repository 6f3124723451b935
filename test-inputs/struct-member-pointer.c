// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// An array behind a structure's member. The member itself is read from one address by all threads; the array moves by 8
// bytes. The store could change the member for all that the compiler knows, so it is read in each iteration.

struct field {
  int n;
  double *data;
};

void scale(struct field *p, double a) {
  int n = p->n;
#pragma omp target teams distribute parallel for map(to : p[0 : 1]) map(tofrom : p->data[0 : n])
  for (int i = 0; i < n; ++i)
    p->data[i] = a * i;
}

// CHECK: region 'scale' at {{.*}}struct-member-pointer.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load {{p[^ ]*}} 8 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: acc1 store {{p->data|p\.data}} 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
