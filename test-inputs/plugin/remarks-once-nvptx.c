// REQUIRES: cuda, libomp-device-bc
// Several devices and the host compile the region; one of them speaks.
// RUN: %clang -O2 %nvptx %remarks %load -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 %nvptx-two %remarks %load -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 %nvptx-and-x86 %remarks %load -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -foffload-lto %nvptx %remarks %load -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 %nvptx %remarks %load %s -o %t.program -L%llvm-lib 2>&1 | %FileCheck %s
//
// With -S nothing is embedded, so the host's side does not know how the device runs the region.
// RUN: %clang -O2 %nvptx %remarks %load -S %s -o %t.s 2>&1 | %FileCheck %s --check-prefix=ASSEMBLY
//
// The compiler under another name.
// RUN: ln -sf %clang %t.cc
// RUN: %t.cc -O2 %nvptx %remarks %load -c %s -o %t.o 2>&1 | %FileCheck %s

void clear(int n, float *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

int main(void) {
  float x[8];
  clear(8, x);
  return 0;
}

// CHECK-COUNT-1: target region in 'clear', SPMD mode
// CHECK-NOT: target region in
// ASSEMBLY-COUNT-1: target region in 'clear'
// ASSEMBLY-NOT: target region in
