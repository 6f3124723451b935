// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device %s -DCHANGED > %t.changed.bc
// RUN: %not %ipda-trace %t.bc --against %t.changed.bc | %FileCheck %s
//
// Memory is the same afterwards, what is printed is not.

int printf(const char *, ...);

void tell(int n, int *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    if (i == 3)
#ifdef CHANGED
      printf("second %d\n", i);
#else
      printf("first %d\n", i);
#endif
}

// CHECK: computes something else: printed lines, sorted: [0] is "first 3" in one and "second 3" in the other
