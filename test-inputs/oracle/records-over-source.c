// Records are written over records, an empty file, or nothing: a source that is named by mistake stays what it is.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/a.c && %compile-device %s > %t/a.bc
// RUN: %not %ipda-trace %t/a.bc --records %t/a.c 2>&1 | %FileCheck %s --check-prefix=KEPT
// RUN: cmp %s %t/a.c
// KEPT: a.c is not records of ipda trace, and stays as it is
//
// RUN: %ipda-trace %t/a.bc --records %t/r.json && cp %t/r.json %t/first && grep -q team %t/first
// RUN: %ipda-trace %t/a.bc --records %t/r.json && cmp %t/r.json %t/first
// RUN: %ipda-trace %t/a.bc --records /dev/null && test -c /dev/null
void scale(int n, float *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] *= 2;
}
