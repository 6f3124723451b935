// Where the device's compilation tells people by itself, the host's learns from it all the same: launches decide.
// RUN: env IPDA_REMARKS=here IPDA_GPU=h200 IPDA_CPU=epyc-milan %clang -O2 -w %x86-offload %load -c %s -o %t.o
// RUN: %ipda show %t.o | %FileCheck %s
// CHECK: region scale at
// CHECK: may run on the host
void scale(int n, double *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] *= 2;
}
