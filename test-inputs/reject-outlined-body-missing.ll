; RUN: %analyse %s | %FileCheck %s
;
; The parallel code is defined in another module, so that its loops and accesses cannot be seen.

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
declare void @body(ptr noalias, ptr noalias, i64, ptr)

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

; CHECK: region 'fill'
; CHECK-NOT: acc0
; CHECK: reject OutlinedBodyMissing '{{.*}}__kmpc_parallel_51{{.*}}'
