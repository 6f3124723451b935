// What decides at a launch: one evaluator for all regions, which reads their predictions as data. It comes optimised; nobody works on it again but the
// code generator, and that on what each launch calls alone. A program has one of each function, whichever of its objects bring it, by names that
// tell versions apart.
// RUN: env IPDA_GPU=h200 %clang -O2 %x86-offload %load -S -emit-llvm %s -o - | %FileCheck %s
// RUN: env IPDA_GPU=h200 IPDA_CPU=grace %clang -O2 --target=aarch64-linux-gnu %x86-offload %load -S -emit-llvm %s -o - | %FileCheck %s
// RUN: env IPDA_GPU=h200 IPDA_CPU=power9 %clang -O2 --target=powerpc64le-linux-gnu %x86-offload %load -S -emit-llvm %s -o - | %FileCheck %s
// With link-time optimisation it goes on as it is.
// RUN: env IPDA_GPU=h200 %clang -O2 -flto %x86-offload %load -S -emit-llvm %s -o - | %FileCheck %s
// For other hosts there is none, which is told.
// RUN: env IPDA_GPU=h200 %clang -O2 --target=x86_64-unknown-freebsd %x86-offload %load -Rpass-missed=ipda -S -emit-llvm %s -o %t.ll 2>&1 | %FileCheck %s --check-prefix=OTHER
// RUN: %FileCheck %s --check-prefix=NONE --input-file %t.ll
// The program of the prediction lies within the table; the last value and its answer take seven words.
// CHECK: @__ipda_region_{{.*}} = private externally_initialized global %struct.ipda_region {{.*}} ptr getelementptr inbounds (i8, ptr @__ipda_table_{{[a-z0-9_]+}}, i64 {{[0-9]+}}), ptr @__ipda_memory_
// CHECK: @__ipda_memory_{{.*}} = private unnamed_addr global [7 x i64] zeroinitializer
// CHECK: define weak_odr hidden {{.*}} @__ipda_evaluate.[[VERSION:[0-9a-f]+]]({{.*}} #[[HOT:[0-9]+]] comdat
// CHECK: define weak_odr hidden {{.*}} @__ipda_read_policy.[[VERSION]]({{.*}} #[[COLD:[0-9]+]] comdat
// CHECK: define weak_odr hidden {{.*}} @__ipda_decide.[[VERSION]]({{.*}} comdat
// CHECK-NOT: define {{.*}}@__ipda_decide(
// CHECK: attributes #[[HOT]] = { {{([^o]|o[^p])*}}noinline{{([^o]|o[^p])*}} "
// CHECK: attributes #[[COLD]] = { cold noinline nounwind optnone "
// OTHER: remark: {{.*}}its launches stay on the device: launches can decide in programs for Linux on x86-64, AArch64 and 64-bit little-endian POWER alone [OtherHost]
// NONE-NOT: __ipda_decide
void scale(double *a, int n, double by) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] *= by;
}
