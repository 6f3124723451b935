// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// conditional-index.c with the threshold at 40: in the warp of i = 32..63, lanes 0..7 write 64 elements further on than
// lanes 8..31. The distances are not the same for all warps (those of warp w decide by 32w + t >= 40), so no constant and no count may be reported.

void fill(int n, long *B) {
#pragma omp target teams distribute parallel for map(from : B[0 : n + 64])
  for (int i = 0; i < n; ++i) {
    int idx = 0;
    if (i < 40)
      idx = 64 + i;
    else
      idx = i;
    B[idx] = 3L * i;
  }
}

// CHECK: region 'fill' at {{.*}}conditional-index-unaligned.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 store B 8 bytes
// CHECK: stride per-lane 8*[lane number] - 512*{{\[\[}}lane number] + 32*[warp number] >= 40] + 512*{{\[\[}}warp number] >= 2]
// CHECK-SAME: class symbolic{{$}}
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
