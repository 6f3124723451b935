// What decides at a launch: one evaluator for all regions, which reads their predictions as data. It comes as text for the assembler, and nobody works
// on it again. A program has one of each function, whichever of its objects bring it, by names that tell versions apart.
// RUN: env IPDA_GPU=h200 %clang -O2 %x86-offload %load -S -emit-llvm %s -o - | %FileCheck %s
// RUN: env IPDA_GPU=h200 IPDA_CPU=grace %clang -O2 --target=aarch64-linux-gnu %x86-offload %load -S -emit-llvm %s -o - | %FileCheck %s
// RUN: env IPDA_GPU=h200 IPDA_CPU=power9 %clang -O2 --target=powerpc64le-linux-gnu %x86-offload %load -S -emit-llvm %s -o - | %FileCheck %s
// With link-time optimisation it goes on as it is.
// RUN: env IPDA_GPU=h200 %clang -O2 -flto %x86-offload %load -S -emit-llvm %s -o - | %FileCheck %s
// Programs of several objects, with and without it, in another syntax: the same answer to the same question.
// RUN: %clang -O2 -DMAIN -c %s -o %t.main.o
// RUN: sh -c 'for flags in "-O2" "-O2 -flto" "-O2 -flto=thin" "-O0" "-O2 -fPIC -mcmodel=large" "-O2 -masm=intel" "-O2 -fcf-protection=full"; do for name in scale other; do env IPDA_GPU=h200 %clang $flags -DSCALE=$name %x86-offload %load -w -c %s -o %t.$name.o || exit 1; done; %clang $flags %x86-offload -fuse-ld=lld %t.main.o %t.scale.o %t.other.o -o %t -Wl,-rpath,%llvm-lib && env IPDA_OFFLOAD=model IPDA_LOG=calls %t 2>&1 || exit 1; done' | %FileCheck %s --check-prefix=RUNS
// RUNS-COUNT-14: {{(scale|other) at .*: on the (host; predicted 5[.]|device).*$}}
// RUNS-NOT: {{: on the}}
// Objects of several kinds in one program, in each order, by each linker. (ld.bfd drops a group of a thin object for one of a full object whose names it
// has dropped for the thin one's.)
// RUN: sh -c 'for flags in "" -flto -flto=thin; do for name in scale other; do env IPDA_GPU=h200 %clang -O2 $flags -DSCALE=$name %x86-offload %load -w -c %s -o %t.$name$flags.o || exit 1; done; done; for linker in lld bfd; do for one in "" -flto -flto=thin; do for two in "" -flto -flto=thin; do test $linker$one$two = bfd-flto=thin-flto && continue; %clang -O2 -flto %x86-offload -fuse-ld=$linker %t.main.o %t.scale$one.o %t.other$two.o -o %t -Wl,-rpath,%llvm-lib && env IPDA_OFFLOAD=model IPDA_LOG=calls %t 2>&1 || exit 1; done; done; done' | %FileCheck %s --check-prefix=MIXED
// MIXED-COUNT-34: {{(scale|other) at .*: on the host; predicted 5[.].*$}}
// MIXED-NOT: {{: on the}}
// Another assembler reads it, too. (Programs that clang 19 makes so end early, also without the plugin.)
// RUN: env IPDA_GPU=h200 %clang -O2 -fno-integrated-as %x86-offload %load -w -c %s -o %t.gas.o && nm %t.gas.o | %FileCheck %s --check-prefix=GAS
// GAS: W __ipda_decide.
// For other hosts there is none, which is reported.
// RUN: env IPDA_GPU=h200 %clang -O2 --target=x86_64-unknown-freebsd %x86-offload %load -Rpass-missed=ipda -S -emit-llvm %s -o %t.ll 2>&1 | %FileCheck %s --check-prefix=OTHER
// RUN: %FileCheck %s --check-prefix=NONE --input-file %t.ll
// CHECK: module asm ".ifndef .Lipda.[[VERSION:[0-9a-f]+]]"
// CHECK: module asm {{.*}},comdat"
// CHECK: module asm "__ipda_evaluate.[[VERSION]]:
// CHECK-NOT: module asm ".ifndef
// CHECK: module asm ".endif"
// CHECK: $__ipda_decide.[[VERSION]] = comdat any
// CHECK-DAG: @__ipda_group.[[VERSION]] = weak_odr hidden {{.*}} comdat($__ipda_decide.[[VERSION]])
// The program of the prediction lies within the table; the last value and its answer take eight words.
// CHECK: @__ipda_region_{{.*}} = private externally_initialized global %struct.ipda_region {{.*}} ptr getelementptr inbounds (i8, ptr @__ipda_table_{{[a-z0-9_]+}}, i64 {{[0-9]+}}), ptr @__ipda_memory_
// CHECK: @__ipda_memory_{{.*}} = private unnamed_addr global [9 x i64] zeroinitializer
// CHECK: declare hidden signext i32 @__ipda_read_policy.[[VERSION]]()
// CHECK: declare hidden signext i32 @__ipda_decide.[[VERSION]](ptr, i32 signext, i64, ptr, ptr)
// OTHER: remark: {{.*}}its launches stay on the device: launches can decide in programs for Linux on x86-64, AArch64 and 64-bit little-endian POWER alone [OtherHost]
// NONE-NOT: __ipda_decide
#if defined(MAIN)
void scale(double *, int, double);
void other(double *, int, double);
int main(void) {
  double a[4] = {1, 2, 3, 4};
  scale(a, 4, 2);
  other(a, 4, 2);
  return 0;
}
#else
#ifndef SCALE
#define SCALE scale
#endif
void SCALE(double *a, int n, double by) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] *= by;
}
#endif
