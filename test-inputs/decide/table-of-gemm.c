// The decision table that an object carries of each region: printed from the object, with the steps of the prediction, and from the IR.
// RUN: env IPDA_GPU=h200 %clang -O2 -g -w %x86-offload %load -c %s -o %t.o
// RUN: %ipda show %t.o | %FileCheck %s --match-full-lines --implicit-check-not='{{^region}}'
// RUN: %ipda show --steps %t.o | %FileCheck %s --check-prefixes=CHECK,STEPS
// RUN: env IPDA_GPU=h200 %clang -O2 -g -w %x86-offload %load -Wl,-rpath,%llvm-lib %s -o %t
// RUN: %ipda show %t | %FileCheck %s --match-full-lines --implicit-check-not='{{^region}}'
// In IR, as it is before optimisation and after it:
// RUN: %objcopy --dump-section .llvm.offloading=%t.images %t.o
// RUN: %compile-host -fopenmp-targets=x86_64-pc-linux-gnu -w -Xclang -fembed-offload-object=%t.images %s >%t.bc
// RUN: env IPDA_GPU=h200 %opt -passes='print<ipda-table>' -disable-output %t.bc 2>&1 | %FileCheck %s --match-full-lines
// RUN: env IPDA_GPU=h200 %opt -passes='default<O2>,print<ipda-table>' -disable-output %t.bc 2>&1 | %FileCheck %s --match-full-lines
// Where the optimiser does not come to its end, launches find no prediction.
// RUN: env IPDA_GPU=h200 %opt -passes=ipda -S %t.bc | %FileCheck %s --check-prefix=ALONE
// ALONE: @__ipda_region___omp_offloading_{{.*}}_gemm_{{.*}} = private externally_initialized global %struct.ipda_region { ptr @{{[^,]*}}, ptr null, ptr null, i64 0, ptr @{{[^,]*}}, i32 3, i32 0, ptr null, i64 0, ptr null,
// ALONE-NOT: @__ipda_table
//
// Without a GPU among the targets, and without one that is named, there is nothing to predict.
// RUN: %clang -O2 -g -w %x86-offload %load -c %s -o %t.o
// RUN: %ipda show %t.o | %FileCheck %s --check-prefix=NO-GPU
//
// What is not optimised is not predicted.
// RUN: env IPDA_GPU=h200 %clang -O0 -w %x86-offload %load -c %s -o %t.o
// RUN: %ipda show %t.o | %FileCheck %s --check-prefix=NOT-OPTIMISED
//
// Nobody decides where it is not wanted.
// RUN: env IPDA_DECISION=off %clang -O2 -w %x86-offload %load -c %s -o %t.o
// RUN: %not %ipda show %t.o 2>&1 | %FileCheck %s --check-prefix=OFF
// RUN: env IPDA_DECISION=off %clang -O2 -w %x86-offload %load --offload-host-only -S -o - %s | %FileCheck %s --check-prefix=NO-CODE

void gemm(int NI, int NJ, int NK, float ALPHA, float BETA, const float *A, const float *B, float *C) {
#pragma omp target teams distribute parallel for \
    map(to : A[0 : NI * NK], B[0 : NK * NJ]) map(tofrom : C[0 : NI * NJ])
  for (int i = 0; i < NI; ++i)
    for (int j = 0; j < NJ; ++j) {
      C[i * NJ + j] *= BETA;
      for (int k = 0; k < NK; ++k)
        C[i * NJ + j] += ALPHA * A[i * NK + k] * B[k * NJ + j];
    }
}

// CHECK: region gemm at {{.*}}table-of-gemm.c:[[@LINE-10]]
// CHECK-NEXT:   kernel __omp_offloading_{{.*}}_gemm_l{{[0-9]+}}
// CHECK-NEXT:   may run on the host unless the device holds data of map entry 2, 6, 7
// CHECK-NEXT:   on the device, version 0: as written
// CHECK-NEXT:   machines: h200, x86_64, {{.*}}
// CHECK-DAG:   needs NI (i32, map entry 0)
// CHECK-DAG:   needs NJ (i32, map entry 1)
// CHECK-DAG:   needs NK (i32, map entry 4)
// CHECK:   prediction: host, version 0; {{[0-9]+}} steps for the machines, {{[0-9]+}} at each launch, of which {{[0-9]+}} divide
// CHECK:   {{[0-9]+}} bytes in the object: {{[0-9]+}} of names, {{[0-9]+}} of constants, {{[0-9]+}} of steps
// STEPS:     once   t{{[0-9]+}} =
// STEPS:     launch t{{[0-9]+}} =
// STEPS:     host seconds = t{{[0-9]+}}
// STEPS:     transfers seconds = t{{[0-9]+}}
// STEPS:     version 0 seconds = t{{[0-9]+}}

// Somebody else's memory: no section says how much. It stays on the device, and has a table.
void clear(int n, float *x) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    x[i] = 0;
}

// CHECK: region clear at {{.*}}table-of-gemm.c:[[@LINE-5]]
// CHECK:   stays on the device: NoSection: {{.*}}
// CHECK:   no prediction: it stays on the device

// NO-GPU: region gemm
// NO-GPU: no prediction: no GPU is known for its device's processor: IPDA_GPU names one
// NOT-OPTIMISED: region gemm
// NOT-OPTIMISED: no prediction: it is compiled without optimisation
// OFF: it has no decision tables
// NO-CODE-NOT: __ipda_

int main(void) {}
