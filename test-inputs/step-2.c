// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// A loop with step 2: neighbouring threads have neighbouring iterations, whose i differ by 2: 8 bytes between floats.
// Each of the two loads alone touches 8 sectors and uses half of them; the even and the odd element together use all of the same 8
// sectors, in which the odd one starts at byte 4. A loop over n elements has ceil(n / 2) iterations.

void pair_sums(int n, const float *a, float *b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n + 1]) map(from : b[0 : n])
  for (int i = 0; i < n; i += 2)
    b[i] = a[i] + a[i + 1];
}

// CHECK: region 'pair_sums' at {{.*}}step-2.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips {{.*\[n\].*}} schedule
// CHECK: acc0 load a 4 bytes
// CHECK: stride constant 8 class coalesced, alone strided sectors 8..9 lines 2..3
// CHECK: group0 of acc0 acc1 sectors 8..9 lines 2..3 least 8
// CHECK: acc1 load a 4 bytes
// CHECK: stride constant 8 class coalesced, alone strided sectors 8..9 lines 2..3
// CHECK: acc2 store b 4 bytes
// CHECK: stride constant 8 class strided sectors 8..9 lines 2..3
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors 16 without-count 0
