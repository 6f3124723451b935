// The CPU as the offload target: the same objects, and a program that does the same.
// RUN: %same-result %clang -O0 %x86-offload -c %s
// RUN: %same-result %clang -O1 %x86-offload -c %s
// RUN: %same-result %clang -O3 -g %x86-offload -c %s
// RUN: %same-result %clang -O2 -foffload-lto %x86-offload -c %s
// RUN: %same-result %clang++ -O2 %x86-offload -c -x c++ %s
// RUN: %clang -O2 %x86-offload %remarks %s -o %t.program %load -L%llvm-lib -Wl,-rpath,%llvm-lib 2> %t.remarks
// RUN: %t.program | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=REMARK < %t.remarks

#ifdef __cplusplus
extern "C"
#endif
int printf(const char *, ...);

int main(void) {
  int squares[10];
#pragma omp target teams distribute parallel for map(from : squares)
  for (int i = 0; i < 10; ++i)
    squares[i] = i * i;
  for (int i = 0; i < 10; ++i)
    printf("%d ", squares[i]);
  return 0;
}

// CHECK: 0 1 4 9 16 25 36 49 64 81
// REMARK: target region in 'main'
