// RUN: %compile-device-nog %s | %opt -passes='ipda,verify' -S | %FileCheck %s
// RUN: %ipda-oracle transform --schedules %s | %FileCheck %s --check-prefix=JUDGE
//
// What a reference leads to may be kept from one iteration to the next: each chunk begins with a new copy, and goes on being one.

// CHECK: define {{.*}}counted{{.*}}_omp_outlined(
// CHECK: call void @__kmpc_distribute_static_init
// CHECK: define {{.*}}counted{{.*}}_omp_outlined_omp_outlined(
// CHECK: call void @__kmpc_for_static_init
void counted(int n, int &seen, int *a) {
#pragma omp target teams distribute parallel for firstprivate(seen) map(from : a[0 : n])
  for (int i = 0; i < n; ++i) {
    a[i] = seen;
    seen = i;
  }
}

// JUDGE: launches compared, 0 wrong
