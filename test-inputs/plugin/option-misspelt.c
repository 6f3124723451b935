// A misspelt option is named in one warning with the valid ones; the compilation goes on.
// RUN: env IPDA_REPROT=%t.yaml %clang-device %s -o %t.s 2>&1 | %FileCheck %s
// RUN: test -s %t.s
// What is for the compiled program is no mistake.
// RUN: env IPDA_OFFLOAD=never IPDA_LOG=calls IPDA_REPRODUCIBLE=1 %clang-device -Werror %s -o %t.s 2>&1 | %not grep ipda

void clear(int n, float *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

// CHECK: warning: ipda: environment variable IPDA_REPROT is not an option; the options are IPDA_REPORT, IPDA_GPU, IPDA_CPU, IPDA_LINK, IPDA_REMARKS, IPDA_TRANSFORM, IPDA_MAPPING, IPDA_VERSION, IPDA_DECISION, IPDA_MAPS, IPDA_MODEL, IPDA_CONST, IPDA_PURE, IPDA_HOST_CODE, IPDA_CHECK, IPDA_TRACE, IPDA_CONFIG
// CHECK-NOT: warning: ipda
