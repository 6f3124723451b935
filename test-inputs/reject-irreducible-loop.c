// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// A jump into the middle of a loop: the loop has two entries, so no iteration can be numbered. Nothing may be claimed
// about how often its accesses run.

void jump_in(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int k = 0;
    if (x[i] > 0.0f)
      goto middle;
    while (k < m) {
      y[i] += 1.0f;
    middle:
      y[i] *= 2.0f;
      ++k;
    }
  }
}

// CHECK: region 'jump_in' at {{.*}}reject-irreducible-loop.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: reject IrreducibleLoop
