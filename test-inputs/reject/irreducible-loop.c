// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// A loop with two entries: no iteration of it can be numbered, so how often its accesses run is not claimed.

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

void walk_in(int n, int m, float *y) {
#pragma omp target teams distribute parallel for map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < m; ++k)
      y[i] *= 2.0f;
}

// CHECK: region 'jump_in' at {{.*}}irreducible-loop.c:[[#@LINE-21]]
// CHECK-NOT: runs [m]
// CHECK: reject IrreducibleLoop 'a jump (goto) leads into the middle of a loop' at {{.*}}irreducible-loop.c:{{[0-9]+}}
// CHECK-NOT: reject {{[A-Z]}}
// CHECK: region 'walk_in'
// CHECK: store y 4 bytes
// CHECK: runs [m]
// CHECK-NOT: reject {{[A-Z]}}
