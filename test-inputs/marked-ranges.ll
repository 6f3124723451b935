; RUN: %analyse %s | %FileCheck %s
; RUN: echo '{ x: { type: f32, count: 50000 }, y: { type: f32, count: 2000 }, n: 13, launch: { teams: 1, threads: 64 } }' > %t.yaml
; RUN: %ipda-trace %s --kernel bounded_argument --args %t.yaml | %FileCheck %s --check-prefix=RUNS
; RUN: %ipda-trace %s --kernel bounded_result --args %t.yaml | %FileCheck %s --check-prefix=RUNS
; RUN: %ipda-trace %s --kernel argument_too_large --args %t.yaml | %FileCheck %s --check-prefix=RUNS
;
; Threads 0 to 1023 read x[t * n], where the product has 32 bits and no mark that says that it does not wrap, and is widened as a natural
; number. Attributes say what n may be: below 65536 nothing wraps, as 1023 * 65535 is below 2^32, and lanes are 4*n bytes apart. Below
; 2^24 it may wrap, and so may it where n can be negative, as 2^32 - 1 for one.
;
; RUNS: kernel
; RUNS: 4 accesses of warps: 4 as predicted, 0 not, 0 with nothing to compare

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.ctpop.i32(i32)

define ptx_kernel void @bounded_argument(ptr %x, ptr %y, i32 range(i32 0, 65536) %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %product = mul i32 %t, %n
  %index = zext i32 %product to i64
  %from = getelementptr float, ptr %x, i64 %index
  %value = load float, ptr %from, align 4
  %to = getelementptr float, ptr %y, i32 %t
  store float %value, ptr %to, align 4
  ret void
}

; CHECK: kernel 'bounded_argument'
; CHECK: load arg0 4 bytes
; CHECK-NEXT: address [arg0] + 4*[threadIdx.x]*[arg2]
; CHECK-NEXT: stride symbolic 4*[arg2] class symbolic

define ptx_kernel void @argument_too_large(ptr %x, ptr %y, i32 range(i32 0, 16777216) %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %product = mul i32 %t, %n
  %index = zext i32 %product to i64
  %from = getelementptr float, ptr %x, i64 %index
  %value = load float, ptr %from, align 4
  %to = getelementptr float, ptr %y, i32 %t
  store float %value, ptr %to, align 4
  ret void
}

; CHECK: kernel 'argument_too_large'
; CHECK: load arg0 4 bytes
; CHECK-NEXT: address [arg0] + 4*u32([threadIdx.x]*[arg2])
; CHECK-NEXT: stride per-lane

; From -16 up to 65535: around zero, which as a range of natural numbers goes around the end.
define ptx_kernel void @argument_with_sign(ptr %x, ptr %y, i32 range(i32 -16, 65536) %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %product = mul i32 %t, %n
  %index = zext i32 %product to i64
  %from = getelementptr float, ptr %x, i64 %index
  %value = load float, ptr %from, align 4
  %to = getelementptr float, ptr %y, i32 %t
  store float %value, ptr %to, align 4
  ret void
}

; CHECK: kernel 'argument_with_sign'
; CHECK: load arg0 4 bytes
; CHECK-NEXT: address [arg0] + 4*[threadIdx.x]*[arg2] - 17179869184*{{.*}} + 17179869184
; CHECK-NEXT: stride per-lane

; From 65536 through the greatest number and zero up to 15: everything but what lies between, in either reading.
define ptx_kernel void @argument_around_the_end(ptr %x, ptr %y, i32 range(i32 65536, 16) %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %product = mul i32 %t, %n
  %index = zext i32 %product to i64
  %from = getelementptr float, ptr %x, i64 %index
  %value = load float, ptr %from, align 4
  %to = getelementptr float, ptr %y, i32 %t
  store float %value, ptr %to, align 4
  ret void
}

; CHECK: kernel 'argument_around_the_end'
; CHECK: load arg0 4 bytes
; CHECK-NEXT: address [arg0] + 4*u32([threadIdx.x]*[arg2])
; CHECK-NEXT: stride per-lane

; The bits that are set among the lowest three are 0 to 3, and 1023 * 3 * 1000000 is below 2^32; times 32 it would not be.
define ptx_kernel void @bounded_result(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %low = and i32 %n, 7
  %bits = call range(i32 0, 4) i32 @llvm.ctpop.i32(i32 %low)
  %product = mul i32 %t, %bits
  %large = mul i32 %product, 1000000
  %index = zext i32 %large to i64
  %element = udiv i64 %index, 1000000
  %from = getelementptr float, ptr %x, i64 %element
  %value = load float, ptr %from, align 4
  %to = getelementptr float, ptr %y, i32 %t
  store float %value, ptr %to, align 4
  ret void
}

; CHECK: kernel 'bounded_result'
; CHECK: load arg0 4 bytes
; CHECK-NEXT: address [arg0] + 4*[threadIdx.x]*[a value]
; CHECK-NEXT: stride symbolic 4*[a value] class symbolic

define ptx_kernel void @result_not_bounded(ptr %x, ptr %y, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bits = call i32 @llvm.ctpop.i32(i32 %n)
  %product = mul i32 %t, %bits
  %large = mul i32 %product, 1000000
  %index = zext i32 %large to i64
  %element = udiv i64 %index, 1000000
  %from = getelementptr float, ptr %x, i64 %element
  %value = load float, ptr %from, align 4
  %to = getelementptr float, ptr %y, i32 %t
  store float %value, ptr %to, align 4
  ret void
}

; CHECK: kernel 'result_not_bounded'
; CHECK: load arg0 4 bytes
; CHECK-NEXT: address [arg0] + 4*floor(u32(1000000*[threadIdx.x]*[a value]) / 1000000)
; CHECK-NEXT: stride per-lane

; What metadata says of a loaded value: several ranges are read as the one from the first to the last.
define ptx_kernel void @bounded_load(ptr %x, ptr %y, ptr %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %n = load i32, ptr %p, align 4, !range !0
  %product = mul i32 %t, %n
  %index = zext i32 %product to i64
  %from = getelementptr float, ptr %x, i64 %index
  %value = load float, ptr %from, align 4
  %to = getelementptr float, ptr %y, i32 %t
  store float %value, ptr %to, align 4
  ret void
}

; CHECK: kernel 'bounded_load'
; CHECK: load arg0 4 bytes
; CHECK-NEXT: address [arg0] + 4*[threadIdx.x]*load4[1, 3999]([arg2])
; CHECK-NEXT: stride symbolic 4*load4[1, 3999]([arg2]) class symbolic

!0 = !{i32 1, i32 10, i32 2000, i32 4000}
