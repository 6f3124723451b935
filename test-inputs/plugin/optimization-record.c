// The same remarks in LLVM's optimisation record, which other viewers read.
// RUN: rm -rf %t && mkdir %t && cd %S
// RUN: %clang -O2 %x86-offload %load -c optimization-record.c -o %t/a.o -fsave-optimization-record -foptimization-record-passes=ipda
// RUN: %FileCheck %s --input-file=%t/a.opt.yaml
// RUN: %clang-device optimization-record.c -o %t/b.s -fsave-optimization-record -foptimization-record-passes=ipda
// RUN: %FileCheck %s --input-file=%t/b.opt.yaml
//
// Another pass alone: nothing of the plugin.
// RUN: %clang -O2 %x86-offload %load -c optimization-record.c -o %t/a.o -fsave-optimization-record -foptimization-record-passes=inline
// RUN: %FileCheck %s --check-prefix=OTHER --allow-empty --input-file=%t/a.opt.yaml

void column(int n, const float *a, float *x) {
#pragma omp target teams distribute parallel for map(to : a[0 : 16 * n]) map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = a[16 * i];
}

// CHECK: --- !Analysis
// CHECK-NEXT: Pass: ipda
// CHECK-NEXT: Name: Region
// CHECK-NEXT: DebugLoc: { File: optimization-record.c, Line: [[#@LINE-8]]
// CHECK-NEXT: Function: {{.*}}column
// CHECK: --- !Missed
// CHECK-NEXT: Pass: ipda
// CHECK-NEXT: Name: Uncoalesced
// CHECK-NEXT: DebugLoc: { File: optimization-record.c, Line: [[#@LINE-11]], Column: 12 }
// OTHER-NOT: Pass: ipda
