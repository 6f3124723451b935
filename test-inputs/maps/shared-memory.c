// RUN: %clang %x86-offload %load -O2 -g -Rpass=ipda -c %s -o %t.o 2>&1 | %FileCheck --allow-empty %s
// RUN: %clang %x86-offload %load -O2 -g -Rpass=ipda -DAPART -c %s -o %t.o 2>&1 | %FileCheck --check-prefix=APART %s
// Where host and device share their memory, nothing is copied, and a private copy would be one more.
// CHECK-NOT: remark
#ifndef APART
#pragma omp requires unified_shared_memory
#endif
double last(double *x, int n) {
  double found = 0;
  // APART: remark: {{.*}}:[[@LINE+1]]:{{[0-9]+}}: x is never written here
#pragma omp target map(tofrom : x[0 : n], found)
  found = x[n - 1];
  return found;
}
