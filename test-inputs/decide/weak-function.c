// A weak function may be another one when the program is linked: here it counts its calls, in a variable that the device has for itself. So nothing is
// taken for known of it, neither that the host may run the region nor that the function may be called more often.
// RUN: %clang -O2 -w -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -fpass-plugin=%plugin -c %s -o %t.o -Rpass-missed=ipda 2>&1 | %FileCheck %s
// RUN: %clang -O2 -w -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -fpass-plugin=%plugin -DOTHER -c %s -o %t.other.o
// RUN: %clang -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu %t.o %t.other.o -o %t -Wl,-rpath,%llvm-lib
// RUN: env IPDA_OFFLOAD=never %t | %FileCheck %s --check-prefix=OUTPUT
// RUN: %device | %FileCheck %s --check-prefix=LEFT
#ifdef OTHER
#pragma omp begin declare target
int calls;
double next(double x) {
#pragma omp atomic
  calls += 1;
  return x + 2;
}
#pragma omp end declare target
#else
extern int printf(const char *, ...);
#pragma omp begin declare target
extern int calls;
__attribute__((weak, noinline)) double next(double x) { return x + 1; }
#pragma omp end declare target
// CHECK: its launches stay on the device: {{.*}}next is weak
// LEFT: transformation left
// LEFT-NEXT: because 'next is weak, and another file may define the one that runs: its accesses are not in the report'
void fill(double *a, int n, int m) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * m])
  for (int i = 0; i < n; ++i) {
    double x = next(i);
    for (int j = 0; j < m; ++j)
      a[i * m + j] = x;
  }
}
int main(void) {
  static double a[100 * 10];
  fill(a, 100, 10);
  printf("on the host %d, ", calls);
#pragma omp target update from(calls)
  printf("on the device %d, %g\n", calls, a[999]);
}
// OUTPUT: on the host 0, on the device 100, 101
#endif
