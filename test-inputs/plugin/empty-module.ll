; A module without anything in it: no output, no change, no report, in every way of asking.
; RUN: echo "" > %t.ll
; RUN: %opt -S %t.ll -o %t.without.ll
; RUN: %opt -passes='ipda<report=%t.yaml;remarks=here>,ipda,print<ipda>,default<O2>' -S %t.ll -o %t.with.ll > %t.out 2>&1
; RUN: cmp %t.without.ll %t.with.ll
; RUN: test ! -s %t.out
; RUN: test ! -e %t.yaml
