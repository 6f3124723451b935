// What IPDA_CHECK warns of: a module that is no valid IR, and facts that speak of another region than the module has. Twins: the same modules
// without the faults, and the faults without the option.
// RUN: rm -rf %t && mkdir %t
// RUN: %compile-device-nog %s -o %t/m.bc
// RUN: %opt -passes=ipda -S %t/m.bc -o %t/good.ll
// RUN: env IPDA_CHECK=1 %opt -passes=ipda -disable-output %t/good.ll > %t/said 2>&1
// RUN: test ! -s %t/said
//
// A value is used where it is not computed.
// RUN: printf 'define internal i32 @f(i1 %%%%c) {\na:\nbr i1 %%%%c, label %%%%b, label %%%%d\nb:\n%%%%x = add i32 1, 2\nbr label %%%%d\nd:\nret i32 %%%%x\n}\n' > %t/fault.ll
// RUN: cat %t/good.ll %t/fault.ll > %t/invalid.ll
// RUN: env IPDA_CHECK=1 %opt -disable-verify -passes=ipda -disable-output %t/invalid.ll 2>&1 | %FileCheck %s --check-prefix=INVALID
// RUN: %opt -disable-verify -passes=ipda -disable-output %t/invalid.ll > %t/said 2>&1
// RUN: test ! -s %t/said
// INVALID: warning: ipda: the check after look: the module is no valid IR: {{.*}}dominate
//
// The facts are of a kernel with another name.
// RUN: sed '/^@__ipda_facts_/s/_scale_l/_scalf_l/' %t/good.ll > %t/foreign.ll
// RUN: %not cmp -s %t/good.ll %t/foreign.ll
// RUN: env IPDA_CHECK=1 %opt -passes=ipda -disable-output %t/foreign.ll 2>&1 | %FileCheck %s --check-prefix=FOREIGN
// FOREIGN: warning: ipda: the check after look: it has facts of {{.*}}_scalf_l{{.*}}, which is none of its regions
//
// They are no facts.
// RUN: sed '/^@__ipda_facts_/s/c"ipda facts/c"ipda fakts/' %t/good.ll > %t/no-facts.ll
// RUN: env IPDA_CHECK=1 %opt -passes=ipda -disable-output %t/no-facts.ll 2>&1 | %FileCheck %s --check-prefix=UNREADABLE
// UNREADABLE: warning: ipda: the check after look: its facts cannot be read back

void scale(int n, double (*a)[n]) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      a[i][j] = 2.0 * a[i][j];
}
