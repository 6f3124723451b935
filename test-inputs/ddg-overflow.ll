; RUN: %dependences < %s | %FileCheck %s
;
; Addresses are residues modulo 2^64. Nothing here says that the index arithmetic stays in an object.
;  - Bytes -2 + 2k and -4 + 2k of 2^62 iterations: iteration k writes what iteration k - 1 has written by the other store.
;  - Words at 2^62 * k: iterations 4 apart meet.
;  - The same marked as staying in an object, but where it may not run: the mark says nothing of the accesses that do.
;  - 2^31 * k in 32 bits, without and with a mark that it does not overflow: with it, the second iteration has no meaning, so that
;    any answer is right.

define void @two_stores(ptr %p) {
; CHECK-LABEL: dependences of function 'two_stores'
; CHECK-NEXT: loop0 trips 4611686018427387904: serial: output dependence of p
; CHECK: output acc0 -> acc1 (< 1) carried by loop0, certain
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %twice = shl i64 %k, 1
  %a = add i64 %twice, -2
  %b = add i64 %twice, -4
  %pa = getelementptr i8, ptr %p, i64 %a
  %pb = getelementptr i8, ptr %p, i64 %b
  store i8 0, ptr %pa
  store i8 1, ptr %pb
  %next = add i64 %k, 1
  %go = icmp ne i64 %next, 4611686018427387904
  br i1 %go, label %loop, label %exit
exit:
  ret void
}

define void @around(ptr %p) {
; CHECK-LABEL: dependences of function 'around'
; CHECK-NEXT: loop0 trips 8: serial: output dependence of p
; CHECK: output acc0 -> acc0 (< 4) carried by loop0, certain
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %far = shl i64 %k, 62
  %at = getelementptr i8, ptr %p, i64 %far
  store i32 0, ptr %at
  %next = add i64 %k, 1
  %go = icmp ult i64 %next, 8
  br i1 %go, label %loop, label %exit
exit:
  ret void
}

define void @may_not_run(ptr %p, i1 %c) {
; CHECK-LABEL: dependences of function 'may_not_run'
; CHECK-NEXT: loop0 {{.*}}: {{unknown|serial}}: {{.*}} dependence of p
; CHECK: output acc0 -> acc0 (< 4) carried by loop0
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %latch ]
  %far = shl i64 %k, 62
  %at = getelementptr i8, ptr %p, i64 %far
  store i32 0, ptr %at
  br i1 %c, label %then, label %latch
then:
  %nsw = mul nsw i64 %k, 4611686018427387904
  %near = getelementptr inbounds i8, ptr %p, i64 %nsw
  store i32 1, ptr %near
  br label %latch
latch:
  %next = add i64 %k, 1
  %go = icmp ult i64 %next, 8
  br i1 %go, label %loop, label %exit
exit:
  ret void
}

define void @narrow(ptr %p) {
; CHECK-LABEL: dependences of function 'narrow'
; CHECK-NEXT: loop0 {{.*}}: {{unknown|serial}}: output dependence of p
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %far = shl i32 %k, 31
  %wide = zext i32 %far to i64
  %at = getelementptr inbounds i8, ptr %p, i64 %wide
  store i8 0, ptr %at
  %next = add nuw nsw i32 %k, 1
  %go = icmp ult i32 %next, 8
  br i1 %go, label %loop, label %exit
exit:
  ret void
}
