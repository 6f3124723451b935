// What is reported of a version that somebody asked for: by its mapping, in the words of IPDA_MAPPING, or by its number, which IPDA_VERSION takes. What a warp touches
// is counted where it is a row or a tile, and else said not to be; times are predicted, those of all that threads run through.
// DEFINE: %{compile} = %clang-device -g -Xclang -debug-info-kind=constructor a.c -o a.s
// RUN: rm -rf %t && mkdir %t && sed '/^\/\/ /d; /^$/d' %s > %t/a.c
// RUN: cd %t && env IPDA_MAPPING='blocks=i/8 j | i%%8,axes=i/16%%4 j/16%%4 i%%16 j%%16 | i/64 j/64,launch=i%%gang0 j/rest%%worker0 | i/gang0 j%%rest' IPDA_REPORT=mapped.yaml %{compile} -Rpass=ipda 2>remarks
// RUN: %FileCheck %s --check-prefix=REMARK --input-file %t/remarks
// RUN: cd %t && %ipda report mapped.yaml | %FileCheck %s --check-prefix=REPORT
// RUN: cd %t && %ipda explain a.c:5 --report mapped.yaml | %FileCheck %s --check-prefix=BLOCKS
// RUN: cd %t && %ipda explain a.c:11 --report mapped.yaml | %FileCheck %s --check-prefix=AXES
// RUN: cd %t && %ipda explain a.c:17 --report mapped.yaml | %FileCheck %s --check-prefix=LAUNCH
// RUN: cd %t && %ipda predict mapped.yaml --gpu v100 --cpu x86_64 --link pcie3 -D n=1000 -D m=1000 2>&1 | %FileCheck %s --check-prefix=PREDICT
// RUN: cd %t && %ipda report --html pages --source . mapped.yaml && %FileCheck %s --check-prefix=PAGE --input-file pages/a.c.html
// RUN: cd %t && env IPDA_VERSION=blocks=2,axes=3 IPDA_REPORT=numbered.yaml %{compile} && %FileCheck %s --check-prefix=NUMBER --input-file numbered.yaml

// REMARK: a.c:3:3: remark: mapped the loops over i and j by i/8 j | i%8: for sizes of 1021 a warp touches 9.75 sectors instead of 64
// REMARK-SAME: write #pragma omp tile sizes(8, 1)
// REMARK: a.c:9:3: remark: mapped the loops over i and j by i/16%4 j/16%4 i%16 j%16 | i/64 j/64: for sizes of 1021 a warp touches {{[0-9.]+}} sectors instead of 64, and 4096 threads
// REMARK: a.c:15:3: remark: mapped the loops over i and j by i%gang0 j/rest%worker0 | i/gang0 j%rest: what that gains is not counted; where

// Of blocks, lanes of a warp are neighbours in j. Of two axes, a warp has two rows of 16, each two sectors of a row, or three.
// REPORT: no excessive sectors
// REPORT: not in it: 2 accesses
// REPORT-NOT: let neighbouring threads
// REPORT-NOT: can be followed
// REPORT: {{[?] 17:26 *load *a *4 *j *[?] *unknown *[?] *4 *[?]}}
// REPORT-NEXT: because {{ *}}threads run digits of the loops' iterations
// BLOCKS: changed {{ *}}the plugin mapped the loops over i and j by i/8 j | i%8: then neighbouring threads are 4 bytes apart, 4
// AXES: changed {{ *}}the plugin mapped the loops over i and j by i/16%4 j/16%4 i%16 j%16 | i/64 j/64: then the threads of a
// AXES-NEXT: warp go along several loops, 4 sectors a warp within its tile
// AXES-NOT: what helps
// LAUNCH: changed {{ *}}the plugin mapped the loops over i and j by i%gang0 j/rest%worker0 | i/gang0 j%rest: what a warp touches
// LAUNCH-NEXT: then is not counted
// LAUNCH-NOT: what helps
// PREDICT: device, loops mapped
// PREDICT: device, loops mapped {{.*}} 32 teams of 32 threads
// PREDICT: device, loops mapped
// PAGE: The plugin mapped the loops over i and j by i/8 j | i%8.</b>
// PAGE: The plugin mapped the loops over i and j by i/16%4 j/16%4 i%16 j%16 | i/64 j/64.</b>
// NUMBER: function: blocks
// NUMBER: - id: v2
// NUMBER-NEXT: state: made
// NUMBER: function: axes
// NUMBER: - id: v3
// NUMBER-NEXT: state: made

void blocks(int n, int m, const float *a, float *b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      b[i * m + j] = 2 * a[i * m + j];
}

void axes(int n, int m, const float *a, float *b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      b[i * m + j] = 2 * a[i * m + j];
}

void launch(int n, int m, const float *a, float *b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      b[i * m + j] = 2 * a[i * m + j];
}
