// REQUIRES: cuda, libomp-device-bc
// The host's launches of kernels whose loops the device side has fused tell the runtime the iterations of the fused loop. Here the
// runtime's entry point is one that prints the number and refuses, so that the program takes the host's own code.
// RUN: %clang -c -DRUNTIME %s -o %t.runtime.o
// RUN: %clang -O2 %nvptx %load -c %s -o %t.o
// RUN: %clang -fopenmp %t.o %t.runtime.o -o %t.program -L%llvm-lib -Wl,-rpath,%llvm-lib
// RUN: %t.program | %FileCheck %s
// RUN: %clang -O1 -g %nvptx-two %load -c %s -o %t.o
// RUN: %clang -fopenmp %t.o %t.runtime.o -o %t.program -L%llvm-lib -Wl,-rpath,%llvm-lib
// RUN: %t.program | %FileCheck %s
// RUN: %clang -O2 -foffload-lto %nvptx %load -c %s -o %t.o
// RUN: %clang -fopenmp %t.o %t.runtime.o -o %t.program -L%llvm-lib -Wl,-rpath,%llvm-lib
// RUN: %t.program | %FileCheck %s
// The plugin may be loaded twice.
// RUN: %clang -O2 %nvptx %load -Xclang -load -Xclang %plugin -c %s -o %t.o
// RUN: %clang -fopenmp %t.o %t.runtime.o -o %t.program -L%llvm-lib -Wl,-rpath,%llvm-lib
// RUN: %t.program | %FileCheck %s
// So may the device's compilation be the one that speaks.
// RUN: env IPDA_REMARKS=here %clang -O2 %nvptx %load %remarks -c %s -o %t.o
// RUN: %clang -fopenmp %t.o %t.runtime.o -o %t.program -L%llvm-lib -Wl,-rpath,%llvm-lib
// RUN: %t.program | %FileCheck %s
// Loops that are not fused are launched as they were written; so are those that another image of the same launch leaves alone.
// RUN: env IPDA_TRANSFORM=off %clang -O2 %nvptx %load -c %s -o %t.o
// RUN: %clang -fopenmp %t.o %t.runtime.o -o %t.program -L%llvm-lib -Wl,-rpath,%llvm-lib
// RUN: %t.program | %FileCheck %s --check-prefix=WRITTEN
// RUN: %clang -O2 %nvptx-and-x86 %load -c %s -o %t.o
// RUN: %clang -fopenmp %t.o %t.runtime.o -o %t.program -L%llvm-lib -Wl,-rpath,%llvm-lib
// RUN: %t.program | %FileCheck %s --check-prefix=WRITTEN
// RUN: env IPDA_TEST_HOST_SHAPES=1 %clang -O2 %nvptx-and-x86 %load -c %s -o %t.o
// RUN: %clang -fopenmp %t.o %t.runtime.o -o %t.program -L%llvm-lib -Wl,-rpath,%llvm-lib
// RUN: %t.program | %FileCheck %s

int printf(const char *, ...);

#ifdef RUNTIME
// KernelArgsTy of libomptarget's interface.
struct Arguments {
  unsigned version, count;
  void **bases, **pointers;
  long *sizes, *types;
  void **names, **mappers;
  unsigned long trips;
};
int __tgt_target_kernel(void *place, long device, int teams, int threads, void *id, struct Arguments *arguments) {
  printf("launch of %lu\n", arguments->trips);
  // What is too long for the host counts as done.
  return arguments->trips < 1000;
}
void __tgt_register_requires(long flags) {}
// What launches ask that decide. There is no device.
int omp_target_is_present(const void *pointer, int device) { return 0; }
#else

void rows(int n, int m, double *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] += 1.0;
}

// The members of a structure are entries of the launch that are no arguments of the kernel. Variables of few bits share an entry with
// bits that mean nothing.
struct factors {
  double scale, shift;
};
void members(const struct factors *by, int n, short columns, double *a) {
#pragma omp target teams distribute parallel for map(to : by->scale, by->shift) map(tofrom : a[0 : n * 10])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < columns; ++j)
      a[i * 10 + j] = a[i * 10 + j] * by->scale + by->shift;
}

// A product that has no number of 64 bits.
void huge(int n, int m, int k, double *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : 1])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int l = 0; l < k; ++l)
        a[(i * m + j) * k + l] += 1.0;
}

// In the code of a task.
void task(int n, int m, double *a) {
#pragma omp target teams distribute parallel for nowait depend(inout : a[0]) map(tofrom : a[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] += 1.0;
#pragma omp taskwait
}

// One launch in a loop, with numbers that change; others at two places.
static inline void part(int n, int m, double *a) {
#pragma omp target teams distribute parallel for if (target : n > 1) map(tofrom : a[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] += 1.0;
}

// Other constructs; a triangle has as many iterations as its square. What is launched is the loop over teams: a loop that threads alone share
// has no count.
void constructs(int n, int m, int k, double *a) {
#pragma omp target teams loop map(tofrom : a[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] += 1.0;
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : a[0 : n * m * k])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int l = 0; l < k; ++l)
        a[(i * m + j) * k + l] += 1.0;
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      a[i * n + j] += 1.0;
#pragma omp target parallel for map(tofrom : a[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] += 1.0;
#pragma omp target teams distribute map(tofrom : a[0 : n * m * k])
  for (int i = 0; i < n; ++i)
#pragma omp parallel for
    for (int j = 0; j < m; ++j)
      for (int l = 0; l < k; ++l)
        a[(i * m + j) * k + l] += 1.0;
}

// Nothing to fuse.
void column(int n, double *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : 10 * n])
  for (int i = 0; i < n; ++i)
    a[10 * i] += 1.0;
}

int main(void) {
  static double a[60];
  printf("rows\n");
  rows(6, 10, a);
  rows(0, 10, a);
  rows(6, 0, a);
  rows(6, -1, a);
  printf("members\n");
  const struct factors by = {0.5, 2.0};
  members(&by, 6, 10, a);
  members(&by, 6, -1, a);
  printf("huge\n");
  huge(2147483647, 2147483647, 2147483647, a);
  huge(2147483647, 2147483647, 2, a);
  printf("task\n");
  task(5, 7, a);
  printf("part\n");
  for (int n = 4; n > 0; --n)
    part(n, n + 1, a);
  part(2, 9, a);
  printf("constructs\n");
  constructs(3, 4, 5, a);
  printf("column\n");
  column(6, a);
  double sum = 0.0;
  for (int i = 0; i < 60; ++i)
    sum += a[i];
  printf("sum %g\n", sum);
  return 0;
}
#endif

// CHECK-LABEL: rows
// CHECK-NEXT: launch of 60
// CHECK-NEXT: launch of 0
// CHECK-NEXT: launch of 6
// CHECK-NEXT: launch of 6
// CHECK-NEXT: members
// CHECK-NEXT: launch of 60
// CHECK-NEXT: launch of 6
// CHECK-NEXT: huge
// CHECK-NEXT: launch of 2147483647
// CHECK-NEXT: launch of 9223372028264841218
// CHECK-NEXT: task
// CHECK-NEXT: launch of 35
// CHECK-NEXT: part
// CHECK-NEXT: launch of 20
// CHECK-NEXT: launch of 12
// CHECK-NEXT: launch of 6
// CHECK-NEXT: launch of 18
// CHECK-NEXT: constructs
// CHECK-NEXT: launch of 12
// CHECK-NEXT: launch of 60
// CHECK-NEXT: launch of 9
// CHECK-NEXT: launch of 0
// CHECK-NEXT: launch of 3
// CHECK-NEXT: column
// CHECK-NEXT: launch of 6
// CHECK-NEXT: sum

// WRITTEN-LABEL: rows
// WRITTEN-NEXT: launch of 6
// WRITTEN-NEXT: launch of 0
// WRITTEN-NEXT: launch of 6
// WRITTEN-NEXT: launch of 6
// WRITTEN-NEXT: members
// WRITTEN-NEXT: launch of 6
// WRITTEN-NEXT: launch of 6
// WRITTEN-NEXT: huge
// WRITTEN-NEXT: launch of 2147483647
// WRITTEN-NEXT: launch of 2147483647
// WRITTEN-NEXT: task
// WRITTEN-NEXT: launch of 5
// WRITTEN-NEXT: part
// WRITTEN-NEXT: launch of 4
// WRITTEN-NEXT: launch of 3
// WRITTEN-NEXT: launch of 2
// WRITTEN-NEXT: launch of 2
// WRITTEN-NEXT: constructs
// WRITTEN-NEXT: launch of 3
// WRITTEN-NEXT: launch of 12
// WRITTEN-NEXT: launch of 3
// WRITTEN-NEXT: launch of 0
// WRITTEN-NEXT: launch of 3
// WRITTEN-NEXT: column
// WRITTEN-NEXT: launch of 6
// WRITTEN-NEXT: sum
