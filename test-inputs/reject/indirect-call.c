// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// Which function a pointer leads to is not known, so what it touches is not either.

typedef float function(float);

void map_array(int n, function *f, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = f(x[i]);
}

static float twice(float x) { return x + x; }

void map_array_by_twice(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = twice(x[i]);
}

// CHECK: region 'map_array' at {{.*}}indirect-call.c:[[#@LINE-13]]
// CHECK: load x 4 bytes
// CHECK: store y 4 bytes
// CHECK: reject IndirectCall 'a function is called through a pointer: its accesses are not in the report' at {{.*}}indirect-call.c:[[#@LINE-14]]:12
// CHECK-NOT: reject {{[A-Z]}}
// CHECK: region 'map_array_by_twice'
// CHECK: load x 4 bytes
// CHECK: store y 4 bytes
// CHECK-NOT: reject {{[A-Z]}}
