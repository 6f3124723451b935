// REQUIRES: cuda, libomp-device-bc
// Two objects, each with its device code and the facts in it, link into one program, with and without link-time optimisation.
// RUN: %clang -O2 %nvptx %remarks %load -c -DNAME=first %s -o %t.first.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 %nvptx %remarks %load -c -DMAIN %s -o %t.main.o
// RUN: %clang %nvptx %t.first.o %t.main.o -o %t.program -L%llvm-lib
// RUN: %clang -O2 -foffload-lto %nvptx %remarks %load -c -DNAME=first %s -o %t.first.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -foffload-lto %nvptx %remarks %load -c -DMAIN %s -o %t.main.o
// RUN: %clang -foffload-lto %nvptx %load %t.first.o %t.main.o -o %t.program -L%llvm-lib

#ifdef MAIN
void first(int n, float *x);
#define NAME second
#endif

void NAME(int n, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] += 1.0f;
}

#ifdef MAIN
int main(void) {
  float x[8] = {0};
  first(8, x);
  second(8, x);
  return x[7] != 2.0f;
}
#endif

// CHECK: target region in 'first'
