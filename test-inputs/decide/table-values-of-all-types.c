// Predictions read the variables that a launch carries by value, as their types say, and tell them with the choice.
// RUN: env IPDA_GPU=h200 %clang -O2 -g -w %x86-offload %load -Wl,-rpath,%llvm-lib %s -o %t
// RUN: %ipda show %t | %FileCheck %s --check-prefix=TABLE
// RUN: env IPDA_LOG=calls %t 2>&1 | %FileCheck %s
#include <stdio.h>

// TABLE: region of_int
// TABLE: needs n (i32, map entry {{[0-9]}})
static void of_int(int n, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] += 1;
}

// Nobody reads it with a sign.
// TABLE: region of_unsigned
// TABLE: needs n (u32, map entry {{[0-9]}})
static void of_unsigned(unsigned n, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : 100])
  for (unsigned i = 4000000000; i < n; ++i)
    x[i - 4000000000] += 1;
}

// TABLE: region of_long
// TABLE: needs n (i64, map entry {{[0-9]}})
static void of_long(long n, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : 100])
  for (long i = 0; i < n; ++i)
    x[i] += 1;
}

// TABLE: region of_short
// TABLE: needs n (i16, map entry {{[0-9]}})
static void of_short(short n, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : 100])
  for (int i = 0; i < n; ++i)
    x[i] += 1;
}

// What is mapped by its address may be on the device, with another value: it is not read. How many iterations that makes the launch says: 3.
// TABLE: region in_memory
// TABLE: needs trips(i) (the launch's iterations)
// TABLE-NOT: needs
// TABLE: region of_float
static void in_memory(int *n, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : 100]) map(to : n[0 : 1])
  for (int i = 0; i < *n; ++i)
    x[i] += 1;
}

// The number of iterations depends on no float.
// TABLE: needs n (i32, map entry {{[0-9]}})
// TABLE-NOT: needs factor
static void of_float(int n, double factor, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] *= factor;
}

// CHECK: of_int at {{.*}} (n = 7): on the {{host|device}}; predicted {{[0-9.e+-]+}} s on the host, {{[0-9.e+-]+}} s there
// CHECK: of_unsigned at {{.*}} (n = 4000000010): on the {{host|device}}; predicted
// CHECK: of_long at {{.*}} (n = -1): on the {{host|device}}; predicted
// CHECK: of_short at {{.*}} (n = -3): on the {{host|device}}; predicted
// CHECK: in_memory at {{.*}}.c:{{[0-9]+}} (trips(i) = 3): on the {{host|device}}; predicted
// CHECK: of_float at {{.*}} (n = 9): on the {{host|device}}; predicted
// CHECK: done
int main(void) {
  static float x[100];
  int three = 3;
  of_int(7, x);
  of_unsigned(4000000010, x);
  of_long(-1, x);
  of_short(-3, x);
  in_memory(&three, x);
  of_float(9, 0.5, x);
  puts("done");
}
