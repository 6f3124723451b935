// Each flag shows its own remarks, with line and column, also without -g; none without a flag.
// RUN: %clang-device -Rpass-analysis=ipda %s -o %t.s 2>&1 | %FileCheck %s --check-prefixes=ANALYSIS --implicit-check-not=pass-missed
// RUN: %clang-device -Rpass-missed=ipda %s -o %t.s 2>&1 | %FileCheck %s --check-prefixes=MISSED --implicit-check-not=pass-analysis
// RUN: %clang -O2 %x86-offload %remarks %load -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=HOST
// RUN: %clang-device -g -Rpass-missed=ipda %s -o %t.s 2>&1 | %FileCheck %s --check-prefixes=MISSED --implicit-check-not=pass-analysis
// RUN: %clang-device %s -o %t.s > %t.out 2>&1
// RUN: test ! -s %t.out

void column(int n, const float *a, float *x) {
#pragma omp target teams distribute parallel for map(to : a[0 : 16 * n]) map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = a[16 * i];
}

// ANALYSIS: remarks-by-flag.c:[[#@LINE-5]]:1: remark: target region in 'column'
// ANALYSIS: remarks-by-flag.c:[[#@LINE-5]]:3: remark: loop
// ANALYSIS: remarks-by-flag.c:[[#@LINE-5]]:12: remark: load from
// ANALYSIS: remarks-by-flag.c:[[#@LINE-6]]:10: remark: store to
//
// Column 1 of the matrix's rows, 64 bytes apart: a sector for each of the 32 threads.
// MISSED: remarks-by-flag.c:[[#@LINE-9]]:12: remark: load from {{.*}} is not coalesced: neighbouring threads are 64 bytes apart; 32 sectors a warp instead of 4
// MISSED-NOT: remark:
//
// HOST: remarks-by-flag.c:[[#@LINE-14]]:{{[0-9]+}}: target region in 'column'
// HOST: remarks-by-flag.c:[[#@LINE-14]]:3: loop
// HOST: remarks-by-flag.c:[[#@LINE-14]]:12: load from {{.*}}[-Rpass-analysis=ipda]
// HOST: remarks-by-flag.c:[[#@LINE-15]]:12: load from {{.*}}[-Rpass-missed=ipda]
// HOST: remarks-by-flag.c:[[#@LINE-16]]:10: store to {{.*}}[-Rpass-analysis=ipda]
