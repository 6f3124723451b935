// Rows of m elements of which the loops leave out two: x = (m - 2) i + j does not tell the address, m i + j does, and in the one loop over
// the product that clang makes of the clause, each iteration divides by m - 2. The host's version is a nest again: a thread that has the
// numbers x = low to high begins at (low / (m - 2), low % (m - 2)), ends at (high / (m - 2), high % (m - 2)), and goes over all of the rows between.
// RUN: %compile-host-nog %s | env IPDA_TRANSFORM=on %opt -passes=ipda,verify -S | %FileCheck %s
// RUN: %compile-host %s | env IPDA_TRANSFORM=on %opt -passes=ipda,verify -pass-remarks-analysis=ipda -disable-output 2>&1 | %FileCheck %s --check-prefix=REMARK
// Switched off, and on the device's side, nothing is done.
// RUN: %compile-host-nog %s | env IPDA_TRANSFORM=off %opt -passes=ipda -S | %FileCheck %s --check-prefix=ONE
// RUN: %compile-x86device-nog %s | env IPDA_TRANSFORM=on %opt -passes=ipda -S | %FileCheck %s --check-prefix=ONE
// Or only reported.
// RUN: %compile-host %s | env IPDA_TRANSFORM=report %opt -passes=ipda -pass-remarks-analysis=ipda -S 2>&1 | %FileCheck %s --check-prefixes=REMARK,ONE-WITH-NAMES
// What is a nest stays so.
// RUN: %compile-host-nog %s | env IPDA_TRANSFORM=on %opt -passes=ipda -S -o %t.once.ll
// RUN: env IPDA_TRANSFORM=on %opt -passes=ipda -S < %t.once.ll -o %t.twice.ll
// RUN: diff %t.once.ll %t.twice.ll

void rows(int n, int m, float *a, const float *b) {
#pragma omp target teams distribute parallel for collapse(2) map(from : a[0 : n * m]) map(to : b[0 : n * m])
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      a[i * m + j] = b[i * m + j - 1] + b[i * m + j + 1] + b[(i - 1) * m + j] + b[(i + 1) * m + j];
}

// REMARK: rows-of-a-stencil.c:[[# @LINE - 6]]:{{[0-9]+}}: the host's version of the collapsed loop {{is|could be}} a nest of 2 loops again

// CHECK-LABEL: define internal void @{{.*}}rows_l17.omp_outlined.omp_outlined(
// CHECK: [[LESS:%.*]] = sub nsw i32 {{%.*}}, 1
// CHECK: [[LENGTH:%.*]] = sext i32 {{%.*}} to i64
// CHECK: [[TOTAL:%.*]] = mul nsw i64 {{%.*}}, [[ROW:%.*]]
// CHECK: call void @__kmpc_for_static_init_8(
// CHECK: [[ANY:%.*]] = icmp sle i64 [[LOW:%.*]], [[HIGH:%.*]]
// CHECK: br i1 [[ANY]], label %[[SETUP:.*]], label %[[DONE:.*]]
// The loop over a row does not divide.
// CHECK: [[J:%.*]] = phi i32 [ [[FROM:%.*]], %[[OUTER:.*]] ], [ [[NEXT:%.*]], %{{.*}} ]
// CHECK: icmp sle i32 [[J]], [[TO:%.*]]
// CHECK-NOT: div
// CHECK: store float
// CHECK: [[NEXT]] = add nuw nsw i32 [[J]], 1
// CHECK: [[SETUP]]:
// CHECK: [[FIRST:%.*]] = udiv i64 [[LOW]], [[ROW]]
// CHECK: [[LAST:%.*]] = udiv i64 [[HIGH]], [[ROW]]
// CHECK: urem i64 [[LOW]], [[ROW]]
// CHECK: urem i64 [[HIGH]], [[ROW]]
// CHECK: [[OUTER]]:
// CHECK: [[I:%.*]] = phi i64 [ [[FIRST]], %[[SETUP]] ], [ [[MORE:%.*]], %[[BEHIND:.*]] ]
// CHECK: [[FROM]] = phi i32 [ {{%.*}}, %[[SETUP]] ], [ 0, %[[BEHIND]] ]
// CHECK: [[END:%.*]] = icmp eq i64 [[I]], [[LAST]]
// CHECK: [[TO]] = select i1 [[END]], i32
// CHECK: [[BEHIND]]:
// CHECK: [[MORE]] = add nuw nsw i64 [[I]], 1
// CHECK: br i1 [[END]], label %[[DONE]], label %[[OUTER]]

// ONE-LABEL: define internal void @{{.*}}rows_l17{{.*}}omp_outlined.omp_outlined(
// ONE: sdiv i64
// ONE-NOT: urem
// ONE: ret void

// ONE-WITH-NAMES-LABEL: define internal void @{{.*}}omp_outlined_debug__.omp_outlined_debug__(
// ONE-WITH-NAMES: sdiv i64
// ONE-WITH-NAMES-NOT: urem
// ONE-WITH-NAMES: ret void
