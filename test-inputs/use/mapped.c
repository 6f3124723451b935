// What is reported of a version that somebody asked for: by its mapping, in the words of IPDA_MAPPING, and by its number, which IPDA_VERSION takes. What a warp touches
// where it is a row is counted, times are not predicted where threads run through digits of iteration numbers by themselves, and nothing says otherwise.
// DEFINE: %{compile} = %clang-device -g -Xclang -debug-info-kind=constructor a.c -o a.s
// RUN: rm -rf %t && mkdir %t && sed '/^\/\/ /d' %s > %t/a.c
// RUN: cd %t && env IPDA_MAPPING='blocks=i/8 j | i%%8,axes=i/16%%4 j/16%%4 i%%16 j%%16 | i/64 j/64' IPDA_REPORT=mapped.yaml %{compile} -Rpass=ipda 2>remarks
// RUN: %FileCheck %s --check-prefix=REMARK --input-file %t/remarks
// RUN: cd %t && %ipda report mapped.yaml | %FileCheck %s --check-prefix=REPORT
// RUN: cd %t && %ipda explain a.c:6 --report mapped.yaml | %FileCheck %s --check-prefix=BLOCKS
// RUN: cd %t && %ipda explain a.c:13 --report mapped.yaml | %FileCheck %s --check-prefix=AXES
// RUN: cd %t && %not %ipda predict mapped.yaml --gpu v100 -D n=1000 -D m=1000 2>&1 | %FileCheck %s --check-prefix=PREDICT
// RUN: cd %t && %ipda report --html pages --source . mapped.yaml && cat pages/*.html | %FileCheck %s --check-prefix=PAGE
// RUN: cd %t && env IPDA_VERSION=blocks=2,axes=3 IPDA_REPORT=numbered.yaml %{compile} && cat numbered.yaml | %FileCheck %s --check-prefix=NUMBER
// RUN: cd %t && %ipda predict numbered.yaml --gpu v100 -D n=1000 -D m=1000 2>&1 | %FileCheck %s --check-prefix=TIMES

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
