// RUN: %clang -O2 -g -c -emit-llvm -Xclang -disable-llvm-passes -o - %s | %opt -passes='print<ipda-ddg-dot>' -disable-output 2>&1 | %FileCheck %s
//
// Graphs for Graphviz. A shift: two accesses, what the load of an iteration takes from the store of the one before, and what the store has
// from the load in a register. Sums of rows: each goes from iteration to iteration of the inner loop, and then into the store.

// CHECK: digraph "shift" {
// CHECK-NEXT: 0 [ label="acc0 load a\nline [[#@LINE+7]]"]
// CHECK-NEXT: 1 [ label="acc1 store a\nline [[#@LINE+6]]"]
// CHECK-NEXT: 1 -> 0 [ label="flow (< 1) loop0" style=solid]
// CHECK-NEXT: 0 -> 1 [ style=dotted]
// CHECK-NEXT: }
void shift(float *a, int n) {
  for (int i = 1; i < n; ++i)
    a[i] = a[i - 1];
}

// CHECK: digraph "sums" {
// CHECK-NEXT: 0 [ label="acc0 load a\nline [[#@LINE+12]]"]
// CHECK-NEXT: 1 [ label="acc1 store s\nline [[#@LINE+12]]"]
// CHECK-NEXT: 2 [ label="reduction of sum by float add, whose rounding depends on the order\nin loop1" shape=box]
// CHECK-NOT: label
// CHECK: 2 -> 1 [ style=dotted]
// CHECK-NEXT: 0 -> 2 [ style=dotted]
// CHECK-NEXT: 2 -> 2 [ style=dotted]
// CHECK-NEXT: }
void sums(const float *restrict a, float *restrict s, int n, int m) {
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = 0; j < m; ++j)
      sum += a[i * m + j];
    s[i] = sum;
  }
}
