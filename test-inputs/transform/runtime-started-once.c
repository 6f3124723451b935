// REQUIRES: libomp-device-bc
// A kernel starts the device's runtime in one place, fused or not. Where variables are described for debuggers, clang wraps the kernel's code in
// a function `..._debug__`, which does that: there is one of it, too. Were there two, the optimiser would move what both ways have in common, such
// as the question for the thread's number, before the start.
// Six kernels, so six starts. What the optimiser makes of them computes what the program says.
// RUN: %compile-device %s > %t.written.bc
// RUN: %optimise-device %s -fpass-plugin=%plugin -Rpass=ipda 2>&1 > %t.bc | %FileCheck %s --check-prefix=DONE
// RUN: %opt -S %t.bc -o - | %FileCheck %s
// RUN: %ipda-trace %t.written.bc --no-predictions --against %t.bc | %FileCheck %s --check-prefix=SAME
// So it is with the runtime in the module, in the other forms of debug information, and for AMD's GPUs.
// RUN: %optimise-device-with-runtime %s -fpass-plugin=%plugin -o %t.runtime.bc
// RUN: %ipda-trace %t.written.bc --no-predictions --against %t.runtime.bc | %FileCheck %s --check-prefix=SAME
// RUN: %optimise-device %s -fpass-plugin=%plugin -fopenmp-target-debug | %opt -S -o - | %FileCheck %s
// RUN: %compile-device-nog %s | %opt -passes='default<O2>' -S -o - | %FileCheck %s
// RUN: %compile-amdgcn %s | %opt -passes='default<O2>' -S -o - | %FileCheck %s
// Before optimisation, the kernels that are fused lead to one function with the start.
// RUN: %opt -passes='ipda,verify' -S %t.written.bc -o - | %FileCheck %s --check-prefix=FRONT

// A module in which a second place starts the runtime, below the kernel, is left as it is.
// RUN: %compile-device-nog %s | %opt -S -o %t.once.ll
// RUN: sed 's/^ *call void @__kmpc_distribute_static_init_.*/&\n%%twice = call i32 @__kmpc_target_init(ptr null, ptr null)/' %t.once.ll > %t.twice.ll
// RUN: %opt -passes='ipda,verify' -pass-remarks-missed=ipda -S %t.twice.ll -o %t.left.ll 2>&1 | %FileCheck %s --check-prefix=TWICE
// RUN: %FileCheck %s --check-prefix=LEFT < %t.left.ll

void guarded(int n, int m, const float *row, float *A) {
#pragma omp target teams distribute parallel for map(to : row[0 : m]) map(tofrom : A[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] += row[j];
}

void without_guard(const float *restrict row, float *restrict A) {
#pragma omp target teams distribute parallel for map(to : row[0 : 64]) map(tofrom : A[0 : 6400])
  for (int i = 0; i < 100; ++i)
    for (int j = 0; j < 64; ++j)
      A[i * 64 + j] += row[j];
}

void one_team(int n, int m, const float *row, float *A) {
#pragma omp target parallel for map(to : row[0 : m]) map(tofrom : A[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] += row[j];
}

void led_by_one(int n, int m, const float *row, float *A) {
#pragma omp target teams map(to : row[0 : m]) map(tofrom : A[0 : n * m])
  {
#pragma omp distribute parallel for
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j)
        A[i * m + j] += row[j];
  }
}

void reduced(int n, int m, const int *B, int *out) {
  int s = *out;
#pragma omp target teams distribute parallel for reduction(+ : s) map(tofrom : s) map(to : B[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      s += B[i * m + j];
  *out = s;
}

// Nothing to fuse.
void straight(int n, float *A) {
#pragma omp target teams distribute parallel for map(tofrom : A[0 : n])
  for (int i = 0; i < n; ++i)
    A[i] += 1;
}

// DONE-COUNT-5: remark: collapsed the loops over i and j

// CHECK-COUNT-6: call{{.*}} @__kmpc_target_init(
// CHECK-NOT: call{{.*}} @__kmpc_target_init(

// SAME-COUNT-6: computes the same in
// SAME-NOT: found

// FRONT-COUNT-5: call void @{{.*}}_debug__.ipda(
// FRONT: define internal void @{{.*}}guarded{{.*}}_debug__.ipda(
// FRONT: call i32 @__kmpc_target_init(

// TWICE: runtime-started-once.c:{{.*}} the kernel would start the device's runtime in 2 places
// LEFT-NOT: {{_guarded_.*[.]ipda}}
// LEFT: {{_one_team_.*[.]ipda}}
