// What launches have in common comes into modules as text for the assembler. A program may have functions and variables of any names: `now`, `sides` and
// others that are not OpenMP's stand for what they are in its sources.
// RUN: env IPDA_GPU=h200 %clang -O2 -w %x86-offload %load -DOTHER -c %s -o %t.other.o
// RUN: env IPDA_GPU=h200 %clang -O2 -w %x86-offload %load -Wl,-rpath,%llvm-lib %s %t.other.o -o %t
// RUN: %t | %FileCheck %s
// RUN: env IPDA_OFFLOAD=never IPDA_LOG=calls %t 2>/dev/null | %FileCheck %s
// CHECK: 20 42 7 3
#include <stdio.h>

#ifdef OTHER
double now(void) { return 42; }
double mixed(double x) { return x + 3; }
int sides = 7;
double add_up(const double *x, int n) {
  double sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : x[0 : n])
  for (int i = 0; i < n; ++i)
    sum += x[i];
  return sum;
}
#else
double now(void), mixed(double), add_up(const double *, int);
extern int sides;
static double magnitude(double x) { return x * 2; }
double (*volatile keep)(double) = magnitude;

int main(void) {
  double x[10];
#pragma omp target teams distribute parallel for map(from : x)
  for (int i = 0; i < 10; ++i)
    x[i] = 1;
  printf("%g %g %d %g\n", keep(add_up(x, 10)), now(), sides, mixed(0));
}
#endif
