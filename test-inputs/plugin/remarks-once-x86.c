// The host and the CPU as the offload target compile the region: one of them speaks, when compiling and when linking.
// RUN: %clang -O2 %x86-offload %remarks %load -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 %x86-offload %remarks %load %s -o %t.program -L%llvm-lib 2>&1 | %FileCheck %s
// RUN: %clang -O2 -fopenmp %remarks %load -c %s -o %t.o 2>&1 | %FileCheck %s

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

// CHECK-COUNT-1: target region in 'clear'
// CHECK-NOT: target region in
