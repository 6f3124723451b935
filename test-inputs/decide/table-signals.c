// A program that wants signals for divisions by 0 and the like, rounds in another direction and looks at the flags that arithmetic leaves:
// predictions, which divide before they choose, end it never, and it finds all as it was. Nothing is launched: see table-cost.c.
// RUN: %clang -O2 -w -c -x c %S/table-cost-runtime.inc -o %t.runtime.o
// RUN: env IPDA_GPU=h200 %clang -O2 -w %x86-offload %load -Wl,-rpath,%llvm-lib %s %t.runtime.o -lm -o %t
// RUN: env IPDA_OFFLOAD=model IPDA_LOG=calls %t 2>&1 | %FileCheck %s
// CHECK-COUNT-9: predicted
// CHECK-NOT: changed
// CHECK: done 9
// Without a log, no flag is left.
// RUN: env IPDA_OFFLOAD=model %t 2>&1 | %FileCheck %s --check-prefix=FLAGS
// FLAGS-NOT: changed
// FLAGS: flags 0, done 9
#define _GNU_SOURCE
#include <fenv.h>
#include <limits.h>
#include <stdio.h>

extern long launched;

static void nest(long n, long m, long k, float *x, int length) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : length])
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; j += 3)
      for (long l = j; l < k; ++l)
        x[i * k + l * m] += x[j];
}

int main(void) {
  static float x[8];
  const long sizes[] = {0, 1, -1, 33, 1L << 31, LONG_MAX, LONG_MIN, 1000, -1000};
  feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
  fesetround(FE_UPWARD);
  int before = fegetexcept(), wrong = 0;
  // The data is there, so that the device is kept.
#pragma omp target enter data map(to : x)
  feclearexcept(FE_ALL_EXCEPT);
  for (int at = 0; at < 9; ++at) {
    nest(sizes[at], sizes[(at + 4) % 9], sizes[(at + 7) % 9], x, 8);
    wrong += fegetround() != FE_UPWARD || fegetexcept() != before;
  }
  if (wrong)
    puts("settings have changed");
  printf("flags %d, done %ld\n", fetestexcept(FE_ALL_EXCEPT), launched);
}
