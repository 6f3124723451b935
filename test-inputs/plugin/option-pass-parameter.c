// Pass parameters under opt, for both passes.
// RUN: %compile-device %s -o %t.bc
// RUN: %opt -passes='print<ipda>' -disable-output %t.bc 2>&1 | %FileCheck %s --check-prefix=H200
// RUN: %opt -passes='print<ipda;gpu=mi210>' -disable-output %t.bc 2>&1 | %FileCheck %s --check-prefix=MI210
// RUN: %opt -passes='ipda<report=%t.yaml;gpu=mi210;remarks=here>' -pass-remarks-analysis=ipda -disable-output %t.bc 2>&1 | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=REPORT < %t.yaml
//
// They count before the environment.
// RUN: env IPDA_GPU=h200 %opt -passes='print<ipda;gpu=mi210>' -disable-output %t.bc 2>&1 | %FileCheck %s --check-prefix=MI210
//
// Wrong ones: a sentence with the valid ones, and opt refuses the pipeline.
// RUN: %not %opt -passes='ipda<raport=%t.yaml>' -disable-output %t.bc 2>&1 | %FileCheck %s --check-prefix=NAME
// RUN: %not %opt -passes='print<ipda;report>' -disable-output %t.bc 2>&1 | %FileCheck %s --check-prefix=NO-VALUE
// RUN: %not %opt -passes='print<ipda;gpu=h2000>' -disable-output %t.bc 2>&1 | %FileCheck %s --check-prefix=GPU
// RUN: %not %opt -passes='ipda<remarks=loud>' -disable-output %t.bc 2>&1 | %FileCheck %s --check-prefix=REMARKS
// RUN: %not %opt -passes='ipdax' -disable-output %t.bc 2>&1 | %FileCheck %s --check-prefix=OTHER

void clear(int n, float *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

// 32 lanes write 128 bytes, one cache line; 64 lanes 256 bytes, two.
// H200: stride constant 4 class coalesced {{.*}}lines 1..2
// MI210: stride constant 4 class coalesced {{.*}}lines 2..3
// CHECK: target region in 'clear'{{.*}}counted for mi210 with 64 threads a warp
// REPORT: name: mi210
// REPORT: warp_lanes: 64
// NAME: ipda: pass parameter "raport" is not one of report=PATH, gpu=NAME, cpu=NAME, link=NAME, remarks=auto|here|off, transform=off|report|on, mapping=MAPPING, version=VERSION, decision=off|on
// NO-VALUE: ipda: pass parameter "report" is not one of report=PATH, gpu=NAME, cpu=NAME, link=NAME, remarks=auto|here|off, transform=off|report|on, mapping=MAPPING, version=VERSION, decision=off|on
// GPU: ipda: pass parameter gpu: unknown GPU `h2000`: did you mean `h200`? the known ones are {{.*}}mi210
// REMARKS: ipda: pass parameter remarks: "loud" is not one of auto, here, off
// OTHER-NOT: ipda:
// OTHER: unknown pass name 'ipdax'
