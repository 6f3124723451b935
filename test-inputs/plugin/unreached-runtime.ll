; Of the device runtime, only what the module's calls reach is left before LLVM looks at it.
; RUN: %opt -passes=ipda -S %s 2>/dev/null | %FileCheck %s
; RUN: env IPDA_TRANSFORM=off %opt -passes=ipda -S %s 2>/dev/null | %FileCheck --check-prefix=OFF %s
; OFF-COUNT-2: i64 64, label
; OFF: define internal void @__kmpc_unused
; OFF: i64 64, label
target triple = "nvptx64-nvidia-cuda"

declare void @use(i64)

; Two calls, with 1 and -1.
; CHECK-LABEL: define internal void @__kmpc_parallel_51(
; CHECK: switch i64 %count, label %default [
; CHECK-NEXT: i64 -1, label %last
; CHECK-NEXT: i64 1, label %one
; CHECK-NEXT: ]
; CHECK: %which = phi i64 [ 1, %one ], [ 2, %many ], [ 3, %last ], [ 4, %default ]
define internal void @__kmpc_parallel_51(ptr %function, i64 %count) {
  switch i64 %count, label %default [
    i64 0, label %join
    i64 1, label %one
    i64 64, label %many
    i64 -1, label %last
    i64 2, label %join
  ]
one:
  br label %join
many:
  br label %join
last:
  br label %join
default:
  br label %join
join:
  %which = phi i64 [ 0, %0 ], [ 0, %0 ], [ 1, %one ], [ 2, %many ], [ 3, %last ], [ 4, %default ]
  call void @use(i64 %which)
  ret void
}

; What is passed is known to nobody.
; CHECK-LABEL: define internal void @__kmpc_of_number(
; CHECK: i64 64, label
define internal void @__kmpc_of_number(i64 %count) {
  switch i64 %count, label %end [
    i64 64, label %many
  ]
many:
  call void @use(i64 %count)
  br label %end
end:
  ret void
}

; Nobody calls these.
; CHECK-NOT: @__kmpc_unused
; CHECK-NOT: @__kmpc_of_unused
define internal void @__kmpc_unused() {
  call void @__kmpc_of_unused(i64 3)
  ret void
}
define internal void @__kmpc_of_unused(i64 %count) {
  ret void
}

; Somebody else may call this one.
; CHECK-LABEL: define internal void @__kmpc_by_pointer(
; CHECK: i64 64, label
@pointer = global ptr @__kmpc_by_pointer
define internal void @__kmpc_by_pointer(i64 %count) {
  switch i64 %count, label %end [
    i64 64, label %many
  ]
many:
  call void @use(i64 %count)
  br label %end
end:
  ret void
}

; And this one, from another module.
; CHECK-LABEL: define void @__kmpc_of_all(
; CHECK: i64 64, label
define void @__kmpc_of_all(i64 %count) {
  switch i64 %count, label %end [
    i64 64, label %many
  ]
many:
  call void @use(i64 %count)
  br label %end
end:
  ret void
}

; The program's functions stay as they are.
; CHECK-LABEL: define internal void @function(
; CHECK: i64 64, label
define internal void @function(i64 %count) {
  switch i64 %count, label %end [
    i64 64, label %many
  ]
many:
  call void @use(i64 %count)
  br label %end
end:
  ret void
}

define weak_odr protected void @__omp_offloading_10_20_kernel_l5(ptr %dynamic, i64 %number) {
  call void @__kmpc_parallel_51(ptr null, i64 1)
  call void @__kmpc_parallel_51(ptr @function, i64 -1)
  call void @__kmpc_of_number(i64 %number)
  call void @__kmpc_by_pointer(i64 1)
  call void @__kmpc_of_all(i64 1)
  call void @function(i64 1)
  ret void
}

!llvm.module.flags = !{!0, !1}
!nvvm.annotations = !{!2}
!0 = !{i32 7, !"openmp", i32 51}
!1 = !{i32 7, !"openmp-device", i32 51}
!2 = !{ptr @__omp_offloading_10_20_kernel_l5, !"kernel", i32 1}
