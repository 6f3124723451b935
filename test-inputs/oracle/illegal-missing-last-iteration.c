// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// A loop rewritten in blocks of four that leaves out what remains.
// ARGS: n: 50

void scale(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
#ifdef CHANGED
  for (int block = 0; block < n / 4; ++block)
    for (int i = 4 * block; i < 4 * block + 4; ++i)
#else
  for (int i = 0; i < n; ++i)
#endif
      y[i] = 3.0f * x[i] + 1.0f;
}

// CHECK: kernel scale:{{[0-9]+}}: {{[0-9]+}} found in {{[0-9]+}} launches
// CHECK-NOT: race
// CHECK: the changed kernel computes something else: y[48] is 145.0 in one and 48.0 in the other; 2 elements differ in all
