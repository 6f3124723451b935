// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// What a function of another file touches is not known. All other accesses of its region are still described.

float weight(int i);

void weigh(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = weight(i) * x[i];
}

void copy(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
}

// CHECK: region 'weigh' at {{.*}}unknown-call.c:[[#@LINE-11]]
// CHECK: load x 4 bytes
// CHECK: store y 4 bytes
// CHECK: reject UnknownCall 'weight is not defined in this file: its accesses are not in the report' at {{.*}}unknown-call.c:[[#@LINE-12]]:12
// CHECK-NOT: reject {{[A-Z]}}
// CHECK: region 'copy'
// CHECK: load x 4 bytes
// CHECK: store y 4 bytes
// CHECK-NOT: reject {{[A-Z]}}
