// A team of 64 threads goes on at multiples of 64, so that each warp starts at a multiple of 32 and i % 32 moves by one from lane to
// lane. A team of 48 goes on at 48: the second warp starts at 32, the third at 48, in the middle of a row of 32.
// RUN: %device | %FileCheck %s
//
// ORACLE: has races

void whole_warps(int n, float *A) {
#pragma omp target teams distribute parallel for thread_limit(64) map(tofrom : A[0 : 32])
  for (int i = 0; i < n; i++)
    A[i % 32] = 1;
}

void part_of_a_warp(int n, float *A) {
#pragma omp target teams distribute parallel for thread_limit(48) map(tofrom : A[0 : 32])
  for (int i = 0; i < n; i++)
    A[i % 32] = 1;
}

void part_of_a_warp_by_num_threads(int n, float *A) {
#pragma omp target teams distribute parallel for num_threads(48) map(tofrom : A[0 : 32])
  for (int i = 0; i < n; i++)
    A[i % 32] = 1;
}

// CHECK: region 'whole_warps'
// CHECK: acc0 store A 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: region 'part_of_a_warp'
// CHECK: acc0 store A 4 bytes
// CHECK-NOT: stride constant
// CHECK: region 'part_of_a_warp_by_num_threads'
// CHECK: acc0 store A 4 bytes
// CHECK-NOT: stride constant
// CHECK: total
