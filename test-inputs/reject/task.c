// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// A task runs at another time, on a thread that the runtime chooses: its accesses have no place among those of neighbouring threads,
// and what clang writes down for the runtime is no access of the program.

void copy_by_tasks(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
#pragma omp task
    y[i] = x[i];
  }
}

void copy(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
}

// CHECK: region 'copy_by_tasks'
// CHECK-NOT: {{acc[0-9]}}
// CHECK: reject Task 'a task construct inside of a target region is not analysed' at {{.*}}task.c:[[#@LINE-13]]:
// CHECK: region 'copy'
// CHECK: load x 4 bytes
// CHECK: store y 4 bytes
// CHECK-NOT: reject {{[A-Z]}}
