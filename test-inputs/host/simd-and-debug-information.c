// What is promised of a simd loop's iterations holds for any part of them: the loop over a row keeps the promise, the loop around it makes none.
// The program's variables stay described, and what the loops are made of has the directive's place.
// RUN: %compile-host %s | env IPDA_TRANSFORM=on %opt -passes=ipda,verify -S | %FileCheck %s --implicit-check-not='!annotation'

void rows(int n, int m, float *a, const float *b) {
#pragma omp target teams distribute parallel for simd collapse(2) map(tofrom : a[0 : n * m]) map(to : b[0 : n * m])
  for (int i = 1; i < n; ++i)
    for (int j = 1; j < m; ++j)
      a[i * m + j] += b[i * m + j - 1];
}

// CHECK-LABEL: define internal void @{{.*}}.omp_outlined_debug__.omp_outlined_debug__(
// CHECK: [[J:%.*]] = phi i32 [ {{%.*}}, %{{.*}} ], [ [[NEXT:%.*]], %{{.*}} ], !dbg [[PLACE:![0-9]+]]
// CHECK: #dbg_value(i32 {{%.*}}, [[VARIABLE_I:![0-9]+]],
// CHECK: #dbg_value(i32 {{%.*}}, [[VARIABLE_J:![0-9]+]],
// CHECK: store float {{.*}}, !llvm.access.group [[GROUP:![0-9]+]]
// CHECK: [[NEXT]] = add nuw nsw i32 [[J]], 1, !dbg [[PLACE]]
// CHECK: br label %{{.*}}, !dbg [[PLACE]], !llvm.loop [[LOOP:![0-9]+]]
// CHECK: udiv
// CHECK-NOT: !llvm.loop
// CHECK: }
// CHECK-DAG: [[PLACE]] = !DILocation(line: 6,
// CHECK-DAG: [[VARIABLE_I]] = !DILocalVariable(name: "i",
// CHECK-DAG: [[VARIABLE_J]] = !DILocalVariable(name: "j",
// CHECK-DAG: [[LOOP]] = distinct !{[[LOOP]], {{.*}}[[ACCESSES:![0-9]+]], {{.*}}}
// CHECK-DAG: [[ACCESSES]] = !{!"llvm.loop.parallel_accesses", [[GROUP]]}
