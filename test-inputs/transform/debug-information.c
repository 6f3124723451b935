// What a debugger and a profiler need stays: instructions of the fused loops have their places in the source, the inner loop's variable is
// found in them, and the objects of devices, fused, hold valid debug information. The outer loop's variable has none in code as clang makes
// it, fused or not, since it moves it into its own number.
// RUN: %compile-device %s | %opt -passes='ipda,verify' -S -o %t.ll
// RUN: %FileCheck %s --check-prefix=IR < %t.ll
// RUN: sed -n '/^define .*outlined.*outlined.*\.ipda(/,/^}/p' %t.ll | sed -e '/!dbg/d' -e '/ alloca /d' -e '/^  store [a-z0-9]* %[0-9]*, ptr %[0-9]*, align 8/d' -e '/^  [a-z%]/!d' | %FileCheck %s --check-prefix=PLACES --allow-empty
// RUN: env IPDA_TEST_HOST_SHAPES=1 %clang -O2 -g %x86-offload --offload-device-only -c %s -o %t.o %load -Rpass=ipda 2>&1 | %FileCheck %s --check-prefix=DONE
// RUN: %dwarfdump --verify %t.o
// RUN: %dwarfdump --debug-line %t.o | %FileCheck %s --check-prefix=LINES
// RUN: %dwarfdump --debug-info %t.o | %FileCheck %s --check-prefix=VARIABLES

void fused(int n, int m, float *A, const float *x) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) {
    float at = x[i];
    for (int j = 0; j < m; ++j) {
      float sum = at + j;
      A[i * m + j] = sum;
    }
  }
}

void summed(int n, int m, const float *x, const float *B, float *out) {
  float s = *out;
#pragma omp target teams distribute parallel for reduction(+ : s) map(tofrom : s)
  for (int i = 0; i < n; ++i) {
    s += x[i];
    for (int j = 0; j < m; ++j)
      s += B[i * m + j];
  }
  *out = s;
}

// IR-LABEL: define internal void @{{.*}}_fused_{{.*}}outlined{{.*}}outlined{{.*}}.ipda(
// IR: call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
// IR: call i32 @llvm.nvvm.mulhi.ui({{.*}}, !dbg
// IR: [[REST:%.*]] = select i1 {{.*}}, !dbg
// IR: [[NUMBER:%.*]] = mul i32 1, [[REST]], !dbg
// IR: [[J:%.*]] = add i32 0, [[NUMBER]], !dbg
// IR: #dbg_value(i32 [[J]], [[VARIABLE:![0-9]+]],
// IR: = fadd float %{{.*}}, %{{.*}}, !dbg [[PLACE:![0-9]+]]
// IR: #dbg_value(float %{{.*}}, [[SUM:![0-9]+]],
// IR: store float %{{.*}}, ptr %{{.*}}, align 4, !dbg
// IR-DAG: [[VARIABLE]] = !DILocalVariable(name: "j",
// IR-DAG: [[SUM]] = !DILocalVariable(name: "sum",
// IR-DAG: [[PLACE]] = !DILocation(line: 17,

// What clang itself leaves without a place are its variables, the parameters that it stores in them, and the list of what is reduced.
// PLACES-NOT: {{.}}

// DONE-COUNT-2: remark: collapsed the loops over i and j

// The bodies of both loops, in the code as it was written and as it was fused.
// LINES-DAG: {{^0x[0-9a-f]+ +18 }}
// LINES-DAG: {{^0x[0-9a-f]+ +29 }}

// VARIABLES: DW_AT_name ("sum")
// VARIABLES: DW_AT_name ("j")
