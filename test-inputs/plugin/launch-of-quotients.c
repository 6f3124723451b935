// REQUIRES: libomp-device-bc
// How often fused loops run is a quotient, a constant, a size of 64 bits, or begins elsewhere than at 0: the host computes it as the kernel does.
// RUN: %clang -c -DRUNTIME %S/launch-counts.c -o %t.runtime.o
// RUN: env IPDA_TEST_HOST_SHAPES=1 %clang -O2 %x86-offload %load -c %s -o %t.o
// RUN: %clang -fopenmp %t.o %t.runtime.o -o %t.program -L%llvm-lib -Wl,-rpath,%llvm-lib
// RUN: %t.program | %FileCheck %s --check-prefixes=COUNT,CHECK
// RUN: env IPDA_TEST_HOST_SHAPES=1 %clang -O2 %x86-offload %load %s -o %t.program -L%llvm-lib -Wl,-rpath,%llvm-lib
// RUN: env OMP_TARGET_OFFLOAD=MANDATORY %t.program | %FileCheck %s

int printf(const char *, ...);

static double a[4096], expected[4096];

// The loops for a device, and for the host alone.
#define BOTH(NAME, PARAMETERS, LOOPS)                                                                                                    \
  static void NAME PARAMETERS {                                                                                                          \
    _Pragma("omp target teams distribute parallel for map(tofrom : a[0 : 4096])") LOOPS                                                   \
  }                                                                                                                                      \
  static void plain_##NAME PARAMETERS { LOOPS }

BOTH(constant, (int m, double *a),
     for (int i = 0; i < 24; ++i)
       for (int j = 0; j < m; ++j)
         a[i * 64 + j] += i + 2.0 * j;)

BOTH(steps, (int n, int m, double *a),
     for (int i = 0; i < n; i += 2)
       for (int j = 1; j <= m; j += 3)
         a[i * 64 + j] += i + 2.0 * j;)

BOTH(wide, (unsigned long n, long m, long from, double *a),
     for (unsigned long i = 0; i < n; ++i)
       for (long j = from; j < m; ++j)
         a[i * 64 + j] += i + 2.0 * j;)

BOTH(downward, (int n, int m, double *a),
     for (int i = n - 1; i >= 0; i -= 2)
       for (int j = m - 1; j > 0; j -= 2)
         a[i * 64 + j] += i + 2.0 * j;)

static void compare(const char *name) {
  int differences = 0;
  for (int at = 0; at < 4096; ++at)
    differences += a[at] != expected[at];
  printf("%s: %d differences\n", name, differences);
}

#define TRY(NAME, ...) NAME(__VA_ARGS__, a), plain_##NAME(__VA_ARGS__, expected), compare(#NAME)

int main(void) {
  // COUNT: launch of 960
  // CHECK: constant: 0 differences
  TRY(constant, 40);
  // A loop inside that does not run changes nothing.
  // COUNT: launch of 24
  // CHECK: constant: 0 differences
  TRY(constant, 0);
  // COUNT: launch of 272
  // CHECK: steps: 0 differences
  TRY(steps, 33, 46);
  // COUNT: launch of 460
  // CHECK: wide: 0 differences
  TRY(wide, 20, 30, 7);
  // COUNT: launch of 20
  // CHECK: wide: 0 differences
  TRY(wide, 20, 7, 7);
  // COUNT: launch of 260
  // CHECK: downward: 0 differences
  TRY(downward, 25, 41);
}
