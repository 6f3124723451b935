// Assembly code that takes values may touch memory: it is named, and the rest of the region is described. A compiler barrier is not.
// RUN: %device | %FileCheck %s

void fence(int n, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++) {
    x[i] = 1;
    __asm__ volatile("" ::: "memory");
  }
}

void opaque(int n, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; i++) {
    x[i] = 1;
    __asm__ volatile("// %0" ::"l"(x));
  }
}

// CHECK: region 'fence'
// CHECK: acc0 store x 4 bytes
// CHECK-NOT: {{^ +reject}}
// CHECK: region 'opaque'
// CHECK: acc0 store x 4 bytes
// CHECK-NEXT: address [x] + 4*i
// CHECK: reject Assembly 'assembly code: its accesses are not in the report' at {{.*}}inline-assembly.c:16
