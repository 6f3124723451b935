// Two shared objects, one of them opened while the program runs, each with its own copy of the decision's code.
// RUN: %clang -O2 -fPIC -shared %x86-offload %load -DPART=one %s -o %t-one.so
// RUN: %clang -O2 -fPIC -shared %x86-offload %load -DPART=two %s -o %t-two.so
// RUN: %clang -O2 %x86-offload %load -DMAIN %s -o %t %t-one.so -ldl -Wl,-rpath,%llvm-lib
// RUN: env IPDA_OFFLOAD=always IPDA_LOG=summary %t %t-two.so 2>&1 | %FileCheck %s --check-prefixes=CHECK,ALWAYS
// RUN: env IPDA_OFFLOAD=never IPDA_LOG=summary %t %t-two.so 2>&1 | %FileCheck %s --check-prefixes=CHECK,NEVER
// RUN: env IPDA_OFFLOAD=model %t %t-two.so 2>&1 | %FileCheck %s --implicit-check-not=ipda
// CHECK-DAG: 7 21
// ALWAYS-DAG: main at {{.* device  +}}3 
// ALWAYS-DAG: one at {{.* device  +}}2 
// ALWAYS-DAG: two at {{.* device  +}}1 
// NEVER-DAG: main at {{.* host  +}}3 
// NEVER-DAG: one at {{.* host  +}}2 
// NEVER-DAG: two at {{.* host  +}}1 
enum { N = 100 };
#ifndef MAIN
void PART(int *a, int by) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N])
  for (int i = 0; i < N; ++i)
    a[i] += by;
}
#else
#include <dlfcn.h>
#include <stdio.h>
void one(int *a, int by);
int main(int count, char **arguments) {
  static int a[N], b[N];
  void *object = dlopen(arguments[count - 1], RTLD_NOW);
  void (*two)(int *, int) = (void (*)(int *, int))dlsym(object, "two");
  one(a, 1);
  two(b, 10);
  one(b, 2);
  for (int k = 0; k < 3; ++k) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N], b[0 : N])
    for (int i = 0; i < N; ++i) {
      a[i] += 1 + i * 2 / N;
      b[i] += 1 + i * 5 / N;
    }
  }
  printf("%d %d\n", a[N / 2], b[N / 2]);
}
#endif
