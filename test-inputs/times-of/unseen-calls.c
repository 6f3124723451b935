// What a function of another source does was not seen, and so not counted: the prediction says so, and by how much it may be off.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=1024 --width 200 --details | %FileCheck %s
#pragma omp declare target
float elsewhere(float);
#pragma omp end declare target

// CHECK: all
// CHECK: The kernel's time may be off by: {{.*}}calls into other sources (x 3.0)
// CHECK: elsewhere is not defined in this file: its accesses are not in the report, nor is its time in the prediction
void all(float *a, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] = elsewhere(a[i]);
}

// CHECK: none
// CHECK-NOT: {{nor is its time|calls into other sources}}
void none(float *a, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] += 1;
}
