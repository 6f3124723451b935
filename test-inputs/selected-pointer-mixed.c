// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Even threads read a, odd threads read b: an even lane t is 4t bytes from lane 0, an odd one b - a more. How far apart the arrays are
// is not known, so no constant stride and no count may be reported.

void interleave(int n, const float *a, const float *b, float *c) {
#pragma omp target teams distribute parallel for map(to : a[0 : n], b[0 : n]) map(from : c[0 : n])
  for (int i = 0; i < n; ++i) {
    const float *src = i % 2 ? b : a;
    c[i] = src[i];
  }
}

// CHECK: region 'interleave' at {{.*}}selected-pointer-mixed.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load {{a or b|b or a}} 4 bytes
// CHECK: stride per-lane [b] - [b]*[2*floor([lane number] / 2) == [lane number]]
// CHECK-SAME: + [a]*[2*floor([lane number] / 2) == [lane number]] - [a] + 4*[lane number] class symbolic{{$}}
// CHECK: acc1 store c 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
