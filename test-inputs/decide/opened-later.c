// A library with a region that a program opens while it runs. The program is linked with libomp alone, which then answers what is asked of OpenMP,
// and does not see the libomptarget that only the library brings along: it says that there is no device. Launches go there all the same.
//
// Where the region ran shows by an element that it does not write although it says so: fresh memory of the device holds something else.
// RUN: %clang -O2 -fPIC -shared %x86-offload %load -DLIBRARY %s -o %t.so -Wl,-rpath,%llvm-lib
// RUN: %clang -O2 -fopenmp %s -o %t -ldl -Wl,-rpath,%llvm-lib
// RUN: env IPDA_OFFLOAD=model IPDA_LOG=calls %t %t.so 2>&1 | %FileCheck %s --check-prefixes=ANY,AWAY
// RUN: env IPDA_LOG=calls IPDA_OFFLOAD=always %t %t.so 2>&1 | %FileCheck %s --check-prefixes=ANY,AWAY
// RUN: env IPDA_LOG=calls IPDA_OFFLOAD=never %t %t.so 2>&1 | %FileCheck %s --check-prefixes=ANY,HERE
// RUN: env IPDA_LOG=calls IPDA_OFFLOAD=never OMP_TARGET_OFFLOAD=disabled %t %t.so 2>&1 | %FileCheck %s --check-prefixes=ANY,NONE
// RUN: env IPDA_LOG=summary IPDA_OFFLOAD=never %t %t.so 2>&1 | %FileCheck %s --check-prefixes=SUM
// RUN: env IPDA_OFFLOAD=never %t %t.so again 2>&1 | %FileCheck %s --check-prefixes=AGAIN
// The same where all objects see it, as in a program that has regions itself.
// RUN: env IPDA_LOG=calls IPDA_OFFLOAD=never LD_PRELOAD=%llvm-lib/libomptarget.so.19.1 %t %t.so 2>&1 | %FileCheck %s --check-prefixes=ANY,HERE
// ANY: 2 threads in the program
// AWAY: on the device
// AWAY: element is lost
// HERE: on the host{{$}}
// HERE: element is kept
// NONE: on the host, by the runtime
// NONE: element is kept
// SUM: {{ host  +1 }}
// AGAIN: element is kept
// AGAIN: element is kept
enum { N = 100 };
#ifdef LIBRARY
int region(int *a, int *last) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N]) map(from : last[0 : 2])
  for (int i = 0; i < N; ++i) {
    a[i] += 1;
    last[0] = 1;
  }
  return last[1];
}
#else
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
static int opened(const char *name) {
  static int a[N];
  int last[2] = {0, 7123};
  void *object = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!object)
    return printf("%s\n", dlerror());
  int (*region)(int *, int *) = (int (*)(int *, int *))dlsym(object, "region");
  printf("the element is %s\n", region(a, last) == 7123 ? "kept" : "lost");
  return dlclose(object);
}
int main(int count, char **arguments) {
  int threads = 0;
  setvbuf(stdout, 0, _IONBF, 0);
  omp_set_num_threads(2);
#pragma omp parallel reduction(+ : threads)
  threads += 1;
  printf("%d threads in the program\n", threads);
  int status = opened(arguments[1]);
  return count > 2 ? opened(arguments[1]) : status;
}
#endif
