// What computes a prediction at a launch: on x86-64 with Linux bytes of machine code in a function without a frame, which is told the
// number of threads and calls nothing; for a system that is not known to call functions in the same way, instructions of LLVM's, which nobody optimises.
// Who calls it is one function for all objects that the same version made, by its name.
// RUN: env IPDA_GPU=h200 %clang -O2 %x86-offload %load -S -emit-llvm %s -o - | %FileCheck %s --check-prefixes=CHECK,BYTES
// RUN: env IPDA_GPU=h200 %clang -O2 --target=x86_64-unknown-freebsd %x86-offload %load -S -emit-llvm %s -o - | %FileCheck %s --check-prefixes=CHECK,STEPS
// CHECK: define {{.*}}i32 @__ipda_decide.[[VERSION:[0-9a-f]+]](
// CHECK: call { double, double } %{{.*}}(ptr %arguments, ptr %prepared, ptr %values, ptr %scratch, double %threads)
// CHECK: define internal { double, double } @__ipda_predict_{{.*}}(ptr %0, ptr %1, ptr %2, ptr %3, double %4) #[[OWN:[0-9]+]] {
// BYTES-NEXT: call void asm sideeffect ".ascii \22{{(\\\\[0-7][0-7][0-7])+}}\22", ""()
// BYTES-NEXT: unreachable
// STEPS-NOT: asm
// STEPS: fmul double
// STEPS-NOT: call {{.*}}omp_
// STEPS: ret { double, double }
// CHECK-NOT: define {{.*}}@__ipda_decide(
// BYTES: attributes #[[OWN]] = { naked noinline nounwind {{.*}}}
// STEPS: attributes #[[OWN]] = { noinline nounwind optnone {{.*}}}
void scale(double *a, int n, double by) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] *= by;
}
