// A program with more rights than whoever starts it (set-user-id) takes no word of theirs: no policy, no log, no library to open, no file to write or
// to read. What is said of OpenMP itself is for OpenMP's runtime, which reads it.
// REQUIRES: set-user-id
// RUN: %clang -O2 -g -w %x86-offload %load -Wl,-rpath,%llvm-lib %s -o %t
// RUN: %clang -shared -fPIC -DDRIVER %s -o %t-driver.so
// The folder is one that others may look into, with the library beside the program: the loader takes no path from them, either.
// RUN: rm -rf %t.log && sh %S/more-rights.sh %t %t-driver.so %ipda-rt %clang %llvm-lib %s "%x86-offload %load" | %FileCheck %s
// CHECK: own rights:
// CHECK: the driver was opened
// CHECK: ipda: {{.*}}on the host
// CHECK: learned: yes
// CHECK: more rights:
// CHECK-NOT: ipda
// CHECK-NOT: the driver
// CHECK: learned: no
#ifdef DRIVER
#include <unistd.h>
__attribute__((constructor)) static void opened(void) { write(2, "the driver was opened\n", 22); }
#else
int main(void) {
  static float x[100];
#pragma omp target teams distribute parallel for map(tofrom : x[0 : 100])
  for (int i = 0; i < 100; ++i)
    x[i] += 1;
  return x[7] != 1;
}
#endif
