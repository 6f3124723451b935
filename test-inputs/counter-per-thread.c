// A private variable that each thread counts up by itself is not affine in the shared iteration number: thread t has its own count, so
// no constant stride holds. (With one iteration a thread, all lanes would even use one address.) The twin, a counter equal to the loop's
// variable, is affine.
// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// ORACLE: has races: own_count, walking_pointer

void own_count(int n, float *A) {
  long c = 0;
#pragma omp target teams distribute parallel for firstprivate(c) map(tofrom : A[0 : n])
  for (int i = 0; i < n; i++) {
    A[c] = i;
    c++;
  }
}

void walking_pointer(int n, float *A, float *B) {
#pragma omp target teams distribute parallel for firstprivate(B) map(to : A[0 : n])
  for (int i = 0; i < n; i++)
    *B++ = A[i];
}

void loop_variable(int n, float *A) {
#pragma omp target teams distribute parallel for map(tofrom : A[0 : n])
  for (int i = 0; i < n; i++) {
    long c = i;
    A[c] = i;
  }
}

// CHECK: region 'own_count'
// CHECK: acc0 store A 4 bytes
// CHECK: stride unknown
// DEVICE-SAME: 'each thread counts its own iterations' class unknown
// CHECK: region 'walking_pointer'
// CHECK: load A 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: store {{.*}} 4 bytes
// CHECK: stride unknown
// DEVICE-SAME: 'each thread counts its own iterations' class unknown
// CHECK: region 'loop_variable'
// CHECK: acc0 store A 4 bytes
// CHECK: stride constant 4 class coalesced
