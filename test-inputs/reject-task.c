// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// A task inside a region runs at another time, on a thread that the runtime chooses: its accesses have no place among
// those of neighbouring threads.

void copy_by_tasks(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
#pragma omp task
    y[i] = x[i];
  }
}

// CHECK: region 'copy_by_tasks' at {{.*}}reject-task.c:{{[0-9]+}}
// DEVICE-SAME: (device
// CHECK-NOT: {{load x|store y}}
// CHECK: reject Task
