// A counter in mapped memory that threads take in turn under critical: each lane reads another value from one address, without a race.
// So what is loaded may not count as equal in all lanes. The twin reads a value that nobody writes: one for all lanes.
// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
// RUN: %amdgcn | %FileCheck %s
//
// ORACLE: has races: fixed_slot

void take_slots(int n, int *next, float *A) {
#pragma omp target teams distribute parallel for map(tofrom : next[0 : 1], A[0 : n])
  for (int i = 0; i < n; i++) {
    int slot;
#pragma omp critical
    {
      slot = *next;
      *next = slot + 1;
    }
    A[slot] = 1;
  }
}

void fixed_slot(int n, int *first, float *A) {
#pragma omp target teams distribute parallel for map(to : first[0 : 1]) map(tofrom : A[0 : n])
  for (int i = 0; i < n; i++) {
    int slot = *first;
    A[slot] = 1;
  }
}

// CHECK: region 'take_slots'
// CHECK: store A 4 bytes
// CHECK: stride data-dependent '{{.+}}' class data-dependent
// CHECK: region 'fixed_slot'
// CHECK: store A 4 bytes
// CHECK: stride constant 0 class uniform
