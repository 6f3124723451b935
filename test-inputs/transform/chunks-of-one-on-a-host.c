// RUN: %x86device | %FileCheck %s
//
// In clang 19's code for a host as the device, `schedule(static, 1)` with distribute leaves out iterations where a team has one thread. Other loops would leave
// out others: the loops stay as they are.

// CHECK-LABEL: region 'add_one'
// CHECK: transformation left
// CHECK-NEXT: because 'of schedule(static, 1) with distribute, clang 19's code for such a device leaves out iterations where a team has one thread
void add_one(int n, int m, int (*restrict u)[m]) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n]) schedule(static, 1)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      u[i][j] += 1;
}
