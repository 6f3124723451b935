// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// A sum for each row. With the loop over a row made parallel, many threads add to one element.
// ARGS: n: 5
// ARGS: m: 30

void row_sums(int n, int m, const float *x, float *sums) {
#ifdef CHANGED
#pragma omp target teams distribute parallel for collapse(2) map(to : x[0 : n * m]) map(tofrom : sums[0 : n])
#else
#pragma omp target teams distribute parallel for map(to : x[0 : n * m]) map(tofrom : sums[0 : n])
#endif
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      sums[i] += x[i * m + j];
}

// CHECK: race: {{.*}}illegal-collapse-of-row-sums.c:19:{{[0-9]+}} writes{{.*}} and {{.*}}illegal-collapse-of-row-sums.c:19:{{[0-9]+}} reads{{.*}}, without order, byte {{[0-9]+}} of 'sums'
// CHECK: race: {{.*}}illegal-collapse-of-row-sums.c:19:{{[0-9]+}} writes{{.*}} and {{.*}}illegal-collapse-of-row-sums.c:19:{{[0-9]+}} writes{{.*}}, without order, byte {{[0-9]+}} of 'sums'
// CHECK: the changed kernel computes something else: sums[{{[0-9]+}}] is {{.+}} in one and {{.+}} in the other
