; RUN: %analyse %s | %FileCheck %s
;
; A loop shared with schedule number 99, which the runtime does not document. Which thread runs which iteration is not known,
; so no stride of x may be claimed. C cannot produce the number.
; schedule-static-4.c and its relatives show known schedules.

target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%ident = type { i32, i32, i32, i32, ptr }
%configuration = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %configuration, ptr, ptr }

@place = private constant %ident zeroinitializer
@__omp_offloading_1_2_fill_l3_kernel_environment = constant %environment { %configuration { i8 0, i8 0, i8 2, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr @place, ptr null }

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare i32 @__kmpc_global_thread_num(ptr)
declare void @__kmpc_parallel_51(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64)
declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
declare void @__kmpc_for_static_fini(ptr, i32)

define weak_odr protected void @__omp_offloading_1_2_fill_l3(ptr noalias %dyn, i64 %n, ptr %x) {
  %captured = alloca [2 x ptr], align 8
  %state = call i32 @__kmpc_target_init(ptr @__omp_offloading_1_2_fill_l3_kernel_environment, ptr %dyn)
  %works = icmp eq i32 %state, -1
  br i1 %works, label %start, label %exit

start:
  %thread = call i32 @__kmpc_global_thread_num(ptr @place)
  %n.pointer = inttoptr i64 %n to ptr
  store ptr %n.pointer, ptr %captured, align 8
  %second = getelementptr inbounds [2 x ptr], ptr %captured, i64 0, i64 1
  store ptr %x, ptr %second, align 8
  call void @__kmpc_parallel_51(ptr @place, i32 %thread, i32 1, i32 -1, i32 -1, ptr @body, ptr null, ptr %captured, i64 2)
  call void @__kmpc_target_deinit()
  br label %exit

exit:
  ret void
}

; for (int i = 0; i < n; ++i) x[i] = 1.0f; with schedule 99.
define internal void @body(ptr noalias %thread, ptr noalias %team, i64 %n, ptr %x) {
entry:
  %last = alloca i32, align 4
  %lower = alloca i32, align 4
  %upper = alloca i32, align 4
  %stride = alloca i32, align 4
  %count = trunc i64 %n to i32
  %end = sub nsw i32 %count, 1
  %any = icmp slt i32 0, %count
  br i1 %any, label %share, label %exit

share:
  store i32 0, ptr %lower, align 4
  store i32 %end, ptr %upper, align 4
  store i32 1, ptr %stride, align 4
  store i32 0, ptr %last, align 4
  %number = load i32, ptr %thread, align 4
  call void @__kmpc_for_static_init_4(ptr @place, i32 %number, i32 99, ptr %last, ptr %lower, ptr %upper, ptr %stride, i32 1, i32 1)
  br label %chunk

chunk:
  %from = load i32, ptr %lower, align 4
  %asked = load i32, ptr %upper, align 4
  %beyond = icmp sgt i32 %asked, %end
  %to = select i1 %beyond, i32 %end, i32 %asked
  store i32 %to, ptr %upper, align 4
  %some = icmp sle i32 %from, %to
  br i1 %some, label %loop, label %done

loop:
  %i = phi i32 [ %from, %chunk ], [ %next, %loop ]
  %index = sext i32 %i to i64
  %element = getelementptr inbounds float, ptr %x, i64 %index
  store float 1.000000e+00, ptr %element, align 4
  %next = add nsw i32 %i, 1
  %more = icmp sle i32 %next, %to
  br i1 %more, label %loop, label %advance

advance:
  %step = load i32, ptr %stride, align 4
  %lower.next = add nsw i32 %from, %step
  store i32 %lower.next, ptr %lower, align 4
  %upper.next = add nsw i32 %to, %step
  store i32 %upper.next, ptr %upper, align 4
  br label %chunk

done:
  call void @__kmpc_for_static_fini(ptr @place, i32 %number)
  br label %exit

exit:
  ret void
}

; CHECK: region 'fill'
; CHECK-NOT: class {{uniform|coalesced|strided|uncoalesced}}
; CHECK: reject UnknownSchedule '{{.*}}99{{.*}}'
