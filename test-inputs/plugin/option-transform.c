// IPDA_TRANSFORM says what is done with loops: nothing, a report, or the change; for all regions and for some.
// RUN: env IPDA_TRANSFORM=off IPDA_REMARKS=here %clang-device -Rpass=ipda -Rpass-missed=ipda %s -o %t.off.s 2>&1 | %FileCheck %s --check-prefix=OFF --allow-empty
// RUN: env IPDA_TRANSFORM=report IPDA_REMARKS=here %clang-device -Rpass=ipda -Rpass-missed=ipda %s -o %t.report.s 2>&1 | %FileCheck %s --check-prefix=REPORT
// RUN: env IPDA_REMARKS=here %clang-device -Rpass=ipda -Rpass-missed=ipda %s -o %t.on.s 2>&1 | %FileCheck %s --check-prefix=ON
// RUN: env IPDA_TRANSFORM=off,second=on IPDA_REMARKS=here %clang-device -Rpass=ipda -Rpass-missed=ipda %s -o %t.s 2>&1 | %FileCheck %s --check-prefix=SECOND
// RUN: env IPDA_TRANSFORM=on,first:19=off IPDA_REMARKS=here %clang-device -Rpass=ipda -Rpass-missed=ipda %s -o %t.s 2>&1 | %FileCheck %s --check-prefix=SECOND
// RUN: cmp %t.off.s %t.report.s
//
// Who wants the results of a build without the plugin gets its loops, whatever else is asked for.
// RUN: env IPDA_REPRODUCIBLE=1 IPDA_TRANSFORM=on IPDA_REMARKS=here %clang-device -Rpass=ipda -Rpass-missed=ipda %s -o %t.same.s 2>&1 | %FileCheck %s --check-prefix=REPORT
// RUN: cmp %t.off.s %t.same.s
// RUN: %not cmp -s %t.off.s %t.on.s
//
// The same as a pass parameter, and a wrong one.
// RUN: %compile-device %s | %opt -passes='ipda<transform=report;remarks=here>' -pass-remarks-missed=ipda -disable-output 2>&1 | %FileCheck %s --check-prefix=REPORT
// RUN: env IPDA_TRANSFORM=maybe %clang-device %s -o %t.s 2>&1 | %FileCheck %s --check-prefix=WRONG

void first(int n, int m, float *restrict A, const float *restrict x) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] = x[i] + j;
}

void second(int n, int m, float *restrict A, const float *restrict x) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] = x[i] - j;
}

// OFF-NOT: ollapsed
// REPORT: option-transform.c:[[#FIRST:]]:3: {{.*}}the loops over {{.*}} could be collapsed, which was not asked for: for sizes of 1021 a warp touches
// REPORT: option-transform.c:[[#FIRST + 7]]:3: {{.*}}the loops over {{.*}} could be collapsed, which was not asked for
// ON: option-transform.c:[[#FIRST:]]:3: {{.*}}collapsed the loops over
// ON: option-transform.c:[[#FIRST + 7]]:3: {{.*}}collapsed the loops over
// SECOND-NOT: option-transform.c:{{[0-9]+}}:3: {{.*}}collapsed
// SECOND: option-transform.c:27:3: {{.*}}collapsed the loops over
// SECOND-NOT: option-transform.c:{{[0-9]+}}:3: {{.*}}collapsed
// WRONG: warning: ipda: IPDA_TRANSFORM: "maybe" is not one of off, report, on; write for example on,main=off,main:42=report
