; RUN: %dependences < %s | %FileCheck %s
;
; Addresses are residues modulo 2^64, and all of these meet by going around, though as integers the subscripts never do. Pointers are
; not marked as staying in an object, and sums and products not as staying in their type. M is 2^63 - 1, so that 2*M is -2.
;  - strong:        bytes M*k + 100 and M*k + 102: two iterations later the second store is where the first was.
;  - strong_apart:  bytes M*k + 100 and M*k + 400: even k reach from 100 down to 92, odd k lie half the addresses away.
;  - weak_zero:     byte 2^62 * k and byte 0: every fourth iteration.
;  - weak_crossing: bytes 2^62 * k and 2^63 - 2^62 * k: in one iteration for k = 1 and 3, and from k = 0 to 2 and back.
;  - two_loops:     bytes 2^61 * k of the first loop and 2^63 + 2^61 * k of the second: k + 4 and k.
;  - gcd:           bytes 6*i + M*j and 4 + M*j for i of 0 and 1: two iterations of j earlier (M*2 is -2) 4 is 6, four later 4 is 0.
;  - product:       bytes n*i + j for j < n: rows do not overlap as integers, but for n = 2^63 rows 0 and 2 are one.
;  - some_paths:    as in strong, for even k only: 100, 98, ... and 102, 100, ...: the pointers stay in an object there, M*k does not.
;  - negative_stride: bytes s*k and s*(k + 1): the second is where the first is one iteration later, whatever the sign of s.

define void @strong(ptr %p) {
; CHECK-LABEL: dependences of function 'strong'
; CHECK-NEXT: loop0 trips 10: serial: output dependence of p
; CHECK: output acc0 -> acc1 (< 2) carried by loop0, certain
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %far = mul i64 %k, 9223372036854775807
  %a = add i64 %far, 100
  %b = add i64 %far, 102
  %pa = getelementptr i8, ptr %p, i64 %a
  %pb = getelementptr i8, ptr %p, i64 %b
  store i8 0, ptr %pa
  store i8 1, ptr %pb
  %next = add nuw nsw i64 %k, 1
  %go = icmp ult i64 %next, 10
  br i1 %go, label %loop, label %exit
exit:
  ret void
}

define void @strong_apart(ptr %p) {
; CHECK-LABEL: dependences of function 'strong_apart'
; CHECK-NEXT: loop0 trips 10: parallel
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %far = mul i64 %k, 9223372036854775807
  %a = add i64 %far, 100
  %b = add i64 %far, 400
  %pa = getelementptr i8, ptr %p, i64 %a
  %pb = getelementptr i8, ptr %p, i64 %b
  store i8 0, ptr %pa
  store i8 1, ptr %pb
  %next = add nuw nsw i64 %k, 1
  %go = icmp ult i64 %next, 10
  br i1 %go, label %loop, label %exit
exit:
  ret void
}

define void @weak_zero(ptr %p) {
; CHECK-LABEL: dependences of function 'weak_zero'
; CHECK-NEXT: loop0 trips 10: {{unknown|serial}}: {{.*}} dependence of p
; CHECK-DAG: output acc0 -> acc0 (<{{.*}}) carried by loop0
; CHECK-DAG: output acc0 -> acc1 (<{{.*}}) carried by loop0
; CHECK-DAG: output acc1 -> acc0 (<{{.*}}) carried by loop0
; CHECK-DAG: output acc0 -> acc1 (=) in one iteration
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %far = shl i64 %k, 62
  %pa = getelementptr i8, ptr %p, i64 %far
  store i8 0, ptr %pa
  store i8 1, ptr %p
  %next = add nuw nsw i64 %k, 1
  %go = icmp ult i64 %next, 10
  br i1 %go, label %loop, label %exit
exit:
  ret void
}

define void @weak_crossing(ptr %p) {
; CHECK-LABEL: dependences of function 'weak_crossing'
; CHECK-NEXT: loop0 trips 4: {{unknown|serial}}: {{.*}} dependence of p
; CHECK-DAG: output acc0 -> acc1 (<{{.*}}) carried by loop0
; CHECK-DAG: output acc1 -> acc0 (<{{.*}}) carried by loop0
; CHECK-DAG: output acc0 -> acc1 (=) in one iteration
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %far = shl i64 %k, 62
  %crossing = sub i64 -9223372036854775808, %far
  %pa = getelementptr i8, ptr %p, i64 %far
  %pb = getelementptr i8, ptr %p, i64 %crossing
  store i8 0, ptr %pa
  store i8 1, ptr %pb
  %next = add nuw nsw i64 %k, 1
  %go = icmp ult i64 %next, 4
  br i1 %go, label %loop, label %exit
exit:
  ret void
}

define void @two_loops(ptr %p, i64 %n) {
; CHECK-LABEL: dependences of function 'two_loops'
; CHECK: output acc0 -> acc1 {{.*}} in one iteration
entry:
  %some = icmp ugt i64 %n, 0
  br i1 %some, label %one, label %exit
one:
  %k = phi i64 [ 0, %entry ], [ %k.next, %one ]
  %far = shl i64 %k, 61
  %pa = getelementptr i8, ptr %p, i64 %far
  store i8 0, ptr %pa
  %k.next = add i64 %k, 1
  %go = icmp ult i64 %k.next, %n
  br i1 %go, label %one, label %two
two:
  %j = phi i64 [ 0, %one ], [ %j.next, %two ]
  %near = shl i64 %j, 61
  %other = add i64 %near, -9223372036854775808
  %pb = getelementptr i8, ptr %p, i64 %other
  store i8 1, ptr %pb
  %j.next = add i64 %j, 1
  %again = icmp ult i64 %j.next, %n
  br i1 %again, label %two, label %exit
exit:
  ret void
}

define void @gcd(ptr %p) {
; CHECK-LABEL: dependences of function 'gcd'
; CHECK: output acc0 -> acc1 (< 4, {{.*}}) carried by loop0
; CHECK: output acc1 -> acc0 (< 2, {{.*}}) carried by loop0
entry:
  br label %outer
outer:
  %j = phi i64 [ 0, %entry ], [ %j.next, %latch ]
  %far = mul i64 %j, 9223372036854775807
  br label %inner
inner:
  %i = phi i64 [ 0, %outer ], [ %i.next, %inner ]
  %six = mul i64 %i, 6
  %a = add i64 %six, %far
  %b = add i64 %far, 4
  %pa = getelementptr i8, ptr %p, i64 %a
  %pb = getelementptr i8, ptr %p, i64 %b
  store i8 0, ptr %pa
  store i8 1, ptr %pb
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %i.next, 2
  br i1 %more, label %inner, label %latch
latch:
  %j.next = add nuw nsw i64 %j, 1
  %go = icmp ult i64 %j.next, 6
  br i1 %go, label %outer, label %exit
exit:
  ret void
}

define void @product(ptr %p, i64 %m, i64 %n) {
; CHECK-LABEL: dependences of function 'product'
; CHECK-NEXT: loop0 trips [m]: {{unknown|parallel if}}
; CHECK: output acc0 -> acc0 (<, {{.*}}) carried by loop0
entry:
  %some = icmp ugt i64 %m, 0
  %any = icmp ugt i64 %n, 0
  %both = and i1 %some, %any
  br i1 %both, label %outer, label %exit
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %row = mul i64 %i, %n
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %at = add i64 %row, %j
  %pa = getelementptr i8, ptr %p, i64 %at
  store i8 0, ptr %pa
  %j.next = add nuw i64 %j, 1
  %more = icmp ult i64 %j.next, %n
  br i1 %more, label %inner, label %latch
latch:
  %i.next = add nuw i64 %i, 1
  %go = icmp ult i64 %i.next, %m
  br i1 %go, label %outer, label %exit
exit:
  ret void
}

define void @some_paths(ptr %p) {
; CHECK-LABEL: dependences of function 'some_paths'
; CHECK-NEXT: loop0 trips 10: {{unknown|serial}}: {{.*}} dependence of p
; CHECK: output acc0 -> acc1 (< {{.*}}) carried by loop0
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %latch ]
  %odd = and i64 %k, 1
  %is.even = icmp eq i64 %odd, 0
  br i1 %is.even, label %even, label %latch
even:
  %far = mul i64 %k, 9223372036854775807
  %a = add i64 %far, 100
  %b = add i64 %far, 102
  %pa = getelementptr inbounds i8, ptr %p, i64 %a
  %pb = getelementptr inbounds i8, ptr %p, i64 %b
  store i8 0, ptr %pa
  store i8 1, ptr %pb
  br label %latch
latch:
  %next = add nuw nsw i64 %k, 1
  %go = icmp ult i64 %next, 10
  br i1 %go, label %loop, label %exit
exit:
  ret void
}

define void @negative_stride(ptr %p, i64 %s) {
; CHECK-LABEL: dependences of function 'negative_stride'
; CHECK-NEXT: loop0 trips 10000: {{unknown|serial}}: output dependence of p
; CHECK: output acc1 -> acc0 (<{{.*}}) carried by loop0
entry:
  %none = icmp eq i64 %s, 0
  br i1 %none, label %exit, label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %k, 1
  %a = mul i64 %k, %s
  %b = mul i64 %next, %s
  %pa = getelementptr i8, ptr %p, i64 %a
  %pb = getelementptr i8, ptr %p, i64 %b
  store i8 0, ptr %pa
  store i8 1, ptr %pb
  %stop = icmp eq i64 %next, 10000
  br i1 %stop, label %exit, label %loop
exit:
  ret void
}
