// RUN: %clang -O2 -g -c -emit-llvm -Xclang -disable-llvm-passes -o - %s | %opt -passes='print<ipda-ddg-dot>' -disable-output 2>&1 | %FileCheck %s
//
// The graph of a shift for Graphviz: two accesses, and what the load of an iteration takes from the store of the one before.

// CHECK: digraph "shift" {
// CHECK-NEXT: 0 [ label="acc0 load a\nline [[#@LINE+6]]"]
// CHECK-NEXT: 1 [ label="acc1 store a\nline [[#@LINE+5]]"]
// CHECK-NEXT: 1 -> 0 [ label="flow (< 1) loop0" style=solid]
// CHECK-NEXT: }
void shift(float *a, int n) {
  for (int i = 1; i < n; ++i)
    a[i] = a[i - 1];
}
