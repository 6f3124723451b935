// Where a clause names what members lead to, the launch has entries of their own for that: what they move is moved of the structure, and predictions count
// it. Where not all is moved the same way, how much is not known.
// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c sections-of-members.cpp
// RUN: %FileCheck %s < %t.yaml
// RUN: %ipda predict %t.yaml --gpu h200 -D n=10000000 | %FileCheck %s --check-prefix=PREDICTED
struct Field {
  int n;
  double *u;
  double of[4];
};

// CHECK: function: scale
// CHECK: name: f
// CHECK-NEXT: type: pointer
// CHECK-NEXT: map:
// CHECK-NEXT: kind: tofrom
// CHECK-NEXT: bytes: 8*[n]
// PREDICTED: scale,
// PREDICTED: transfers {{[0-9.]+}} ms {{.*}} f
void scale(int n, Field &f) {
#pragma omp target teams distribute parallel for map(tofrom : f.u[0 : n])
  for (int i = 0; i < n; ++i)
    f.u[i] *= 2;
}

// CHECK: function: shift
// CHECK: name: f
// CHECK-NEXT: type: pointer
// CHECK-NEXT: map:
// CHECK-NEXT: kind: tofrom
// CHECK-NEXT: loops:
// PREDICTED: shift,
// PREDICTED: How much f maps is not known
void shift(int n, Field *f) {
#pragma omp target teams distribute parallel for map(to : f[0 : 1]) map(tofrom : f->u[0 : n])
  for (int i = 0; i < n; ++i)
    f->u[i] += f->of[1];
}
