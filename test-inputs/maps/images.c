// REQUIRES: cuda, libomp-device-bc
// One launch serves all images: what one of them writes comes back, and where one says nothing, all may be written.
// RUN: %clang %nvptx-and-x86 %load -O2 -g -Rpass=ipda -c %s -o %t.o 2>&1 | %FileCheck --allow-empty %s
// RUN: %clang %nvptx-and-x86 %load -O2 -g -Rpass=ipda -DALIKE -c %s -o %t.o 2>&1 | %FileCheck --check-prefix=ALIKE %s
// CHECK-NOT: x is never written
double last(double *x, int n) {
  double found = 0;
  // ALIKE: remark: {{.*}}:[[@LINE+1]]:{{[0-9]+}}: x is never written here
#pragma omp target map(tofrom : x[0 : n], found)
  {
#if defined(__NVPTX__) && !defined(ALIKE)
    x[0] = 1;
#endif
    found = x[n - 1];
  }
  return found;
}
