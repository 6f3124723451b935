; RUN: %analyse %s | %FileCheck %s
;
; Kernels whose teams are known to be 16 x 16 threads: a warp of 32 is two rows. With tx in 0..15 and ty the row:
;  - x[1024*ty + tx] is 4 bytes apart in a row, the second row is 4096 bytes from the first: 2 sectors in each row.
;  - x[1024*tx + ty] is 4096 bytes apart, and lane 16 is next to lane 0: 16 sectors, in each of which two lanes meet,
;    or 32 where the two are on both sides of a border.
;  - x[16*ty + tx] is 4 bytes apart all the way.
;  - ty % 2 divides each warp in its halves; tx < 16 always holds, so nothing is a choice there.
; The twin without the known shape cannot tell rows from each other: teams are taken to be as wide as warps, and the report says so.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()

define ptx_kernel void @rows(ptr %x) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul nsw i32 %ty, 1024
  %element = add nsw i32 %row, %tx
  %at = getelementptr float, ptr %x, i32 %element
  %value = load float, ptr %at, align 4
  %column = mul nsw i32 %tx, 1024
  %other = add nsw i32 %column, %ty
  %to = getelementptr float, ptr %x, i32 %other
  store float %value, ptr %to, align 4
  %tight = mul nsw i32 %ty, 16
  %next = add nsw i32 %tight, %tx
  %there = getelementptr float, ptr %x, i32 %next
  store float %value, ptr %there, align 4
  ret void
}

; CHECK: kernel 'rows'
; CHECK: load arg0 4 bytes
; CHECK: stride vector 0 4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 4096 4100
; CHECK-SAME: sectors 4..6 lines 2..4
; CHECK: store arg0 4 bytes
; CHECK: stride vector 0 4096 8192
; CHECK-SAME: class strided sectors 16..32
; CHECK: store arg0 4 bytes
; CHECK: stride constant 4 class coalesced sectors 4..5
; CHECK-NOT: assumes

define ptx_kernel void @halves(ptr %x) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %tight = mul nsw i32 %ty, 16
  %element = add nsw i32 %tight, %tx
  %at = getelementptr float, ptr %x, i32 %element
  %bit = and i32 %ty, 1
  %even = icmp eq i32 %bit, 0
  br i1 %even, label %first, label %second

first:
  store float 1.0, ptr %at, align 4
  br label %second

second:
  %inside = icmp slt i32 %tx, 16
  br i1 %inside, label %third, label %end

third:
  %behind = getelementptr float, ptr %at, i32 1024
  store float 2.0, ptr %behind, align 4
  br label %end

end:
  ret void
}

; CHECK: kernel 'halves'
; CHECK: store arg0 4 bytes
; CHECK: stride constant 4 class coalesced sectors 2..3
; CHECK: active fixed 0-15{{$}}
; CHECK: store arg0 4 bytes
; CHECK: stride constant 4 class coalesced sectors 4..5
; CHECK: runs 1{{$}}
; CHECK: branch fixed 0-15{{$}}

define ptx_kernel void @shape_not_known(ptr %x) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul nsw i32 %ty, 1024
  %element = add nsw i32 %row, %tx
  %at = getelementptr float, ptr %x, i32 %element
  store float 1.0, ptr %at, align 4
  ret void
}

; CHECK: kernel 'shape_not_known'
; CHECK: stride constant 4 class coalesced sectors 4..5
; CHECK: assumes 'teams are a multiple of 32 threads wide in x: a warp's threads are neighbours in x'

!nvvm.annotations = !{!0, !1}
!0 = !{ptr @rows, !"kernel", i32 1, !"reqntidx", i32 16, !"reqntidy", i32 16, !"reqntidz", i32 1}
!1 = !{ptr @halves, !"kernel", i32 1, !"reqntidx", i32 16, !"reqntidy", i32 16, !"reqntidz", i32 1}
