// REQUIRES: cuda, libomp-device-bc
// Launches in functions that are inlined or exist once a type: each kernel's launch has the trip count of its fused loop, at -O0 too. Without
// a GPU the program runs the host's code, and prints what it does without the plugin.
// RUN: %clang++ -O0 -c -DRUNTIME %s -o %t.runtime.o
// RUN: %clang++ -O2 %nvptx %load -c %s -o %t.o
// RUN: %clang++ -fopenmp %t.o %t.runtime.o -o %t.program -L%llvm-lib -Wl,-rpath,%llvm-lib
// RUN: %t.program | %FileCheck %s --check-prefixes=CHECK,LAUNCH
// RUN: %clang++ -O3 -g %nvptx %load %s -o %t.program -L%llvm-lib -Wl,-rpath,%llvm-lib
// RUN: %t.program | %FileCheck %s

extern "C" int printf(const char *, ...);

#ifdef RUNTIME
extern "C" int __tgt_target_kernel(void *, long, int, int, void *, void *arguments) {
  printf("launch of %lu\n", static_cast<unsigned long *>(arguments)[7]);
  return 1;
}
extern "C" void __tgt_register_requires(long) {}
extern "C" int omp_target_is_present(const void *, int) { return 0; }
#else

template <typename T> inline __attribute__((always_inline)) void add(int n, int m, T *a, T b) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] += b;
}

struct Grid {
  double *cells;
  void clear(int n, int m) {
    double *cells = this->cells;
#pragma omp target teams distribute parallel for map(from : cells[0 : n * m])
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j)
        cells[i * m + j] = 0.5;
  }
};

int main() {
  static double a[100];
  static float b[100];
  add(4, 20, a, 1.0);
  printf("double %g\n", a[79]);
  add(3, 30, b, 2.0f);
  printf("float %g\n", b[89]);
  add(2, 50, a, 1.0);
  printf("double %g %g\n", a[79], a[99]);
  auto twice = [&](int n) { add(n, n, b, 1.0f); };
  twice(5);
  twice(6);
  printf("float %g %g\n", b[24], b[35]);
  Grid{a}.clear(10, 9);
  printf("double %g %g\n", a[89], a[90]);
}
#endif

// LAUNCH: launch of 80
// CHECK: double 1
// LAUNCH: launch of 90
// CHECK: float 2
// LAUNCH: launch of 100
// CHECK: double 2 1
// LAUNCH: launch of 25
// LAUNCH: launch of 36
// CHECK: float 4 3
// LAUNCH: launch of 90
// CHECK: double 0.5 1
