// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// All threads add to one variable.

#ifdef CHANGED
#define REDUCTION
#else
#define REDUCTION reduction(+ : sum)
#endif

int sum_of(int n, const int *x) {
  int sum = 0;
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : sum) REDUCTION
  for (int i = 0; i < n; ++i)
    sum += x[i];
  return sum;
}

// CHECK: race: {{.*}}illegal-sum-without-reduction.c:19:{{[0-9]+}} writes{{.*}} and {{.*}}illegal-sum-without-reduction.c:19:{{[0-9]+}} reads{{.*}}, without order, byte {{[0-9]+}} of 'sum'
// CHECK: race: {{.*}}illegal-sum-without-reduction.c:19:{{[0-9]+}} writes{{.*}} and {{.*}}illegal-sum-without-reduction.c:19:{{[0-9]+}} writes{{.*}}, without order, byte {{[0-9]+}} of 'sum'
// CHECK: the changed kernel computes something else: sum[{{[0-9]+}}] is {{.+}} in one and {{.+}} in the other
