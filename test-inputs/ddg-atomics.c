// RUN: %compile-device %s | %dependences | %FileCheck %s
// ARGS: bins: { permutation: 64 }
//
// Atomic updates by one operation are right in any order, where nobody asks what was there before. Their result, and other accesses to the
// same memory, bring the order back.

void counted(int *counter, int n) {
// CHECK-LABEL: dependences of region 'counted'
// CHECK-NEXT: loop0 {{.*}}: parallel{{$}}
// CHECK: atomic by add counter
#pragma omp target teams distribute parallel for map(tofrom : counter[0 : 1])
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    counter[0] += i;
  }
}

void slots(int *counter, int *list, int n) {
// CHECK-LABEL: dependences of region 'slots'
// CHECK-NEXT: loop0 {{.*}}: unknown: an atomic update whose result is used has effects that are not followed
#pragma omp target teams distribute parallel for map(tofrom : counter[0 : 1], list[0 : n])
  for (int i = 0; i < n; ++i) {
    int slot;
#pragma omp atomic capture
    slot = counter[0]++;
    list[slot] = i;
  }
}

void ordered(int *counter, int n) {
// CHECK-LABEL: dependences of region 'ordered'
// CHECK-NEXT: loop0 {{.*}}: unknown: an atomic update that orders other accesses has effects that are not followed
#pragma omp target teams distribute parallel for map(tofrom : counter[0 : 1])
  for (int i = 0; i < n; ++i) {
#pragma omp atomic seq_cst
    counter[0] += i;
  }
}
