// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// Each row's running sum, with the loop over a row made parallel as well. With a thread for each iteration, run in the order of the
// source, it still gives the right sums.
// ARGS: launch: { teams: 1, threads: 128 }
// ARGS: n: 6
// ARGS: m: 20
// ARGS: a: { type: f32, count: 120, fill: { modulo: 7 } }

void scan(int n, int m, float *a) {
#ifdef CHANGED
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : a[0 : n * m])
#else
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * m])
#endif
  for (int i = 0; i < n; ++i)
    for (int j = 1; j < m; ++j)
      a[i * m + j] +=
          a[i * m + j - 1];
}

// CHECK: race: {{.*}}illegal-collapse-of-prefix-scan.c:22:{{[0-9]+}} writes{{.*}} and {{.*}}illegal-collapse-of-prefix-scan.c:23:{{[0-9]+}} reads{{.*}}, without order, byte {{[0-9]+}} of 'a'
// CHECK: computes something else: a[{{.*}}order warps]
// CHECK-NOT: {{computes something else.*128 threads, order forward}}
// CHECK: computes something else: a[{{.*}}1 team of 128 threads, order reversed]
