// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// switch-index.c with cases that move by 1, 2 and 3 elements: 4*[plane is 0] + 8*[plane is 1] + 12*[otherwise] bytes, known
// when the program runs.

void select(int n, int plane, const float *a, float *b) {
#pragma omp target teams distribute parallel for map(to : a[0 : 3 * n]) map(from : b[0 : n])
  for (int i = 0; i < n; ++i) {
    int idx;
    switch (plane) {
    case 0:
      idx = i;
      break;
    case 1:
      idx = 2 * i;
      break;
    default:
      idx = 3 * i;
      break;
    }
    b[i] = a[idx];
  }
}

// CHECK: region 'select' at {{.*}}switch-index-mixed.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load a 4 bytes
// CHECK: stride symbolic {{.*}}[plane]{{.*}} class symbolic
// CHECK: acc1 store b 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
