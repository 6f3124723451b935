// RUN: %device | %FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: %host | %FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: %compile-device %s -o %t.bc
// RUN: env IPDA_CONST=weight,far IPDA_PURE=look %opt -passes='print<ipda>' -disable-output %t.bc > %t.environment 2>&1
// RUN: %FileCheck %s --check-prefixes=CHECK,TOLD < %t.environment
// RUN: %FileCheck %s --check-prefix=LOOPS < %t.environment
// RUN: %opt -passes='print<ipda;const=far weight;pure=look>' -disable-output %t.bc > %t.parameter 2>&1 && diff %t.environment %t.parameter
// RUN: mkdir -p %t && printf 'const: weight\npure: look\n' > %t/ipda.yaml
// RUN: cd %t && %opt -passes='print<ipda>' -disable-output %t.bc > %t.file 2>&1 && diff %t.environment %t.file
//
// Functions of other files. What is known of them, their attributes or options say: const, they touch no memory; pure, they write none.

#pragma omp declare target
double weight(int i);
double look(int i);
double scale(double x) __attribute__((const));
double average(const double *at) __attribute__((pure));
#pragma omp end declare target

#define REGION _Pragma("omp target teams distribute parallel for")

void by_option(int n, int m, double *A) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] *= weight(j);
}

void by_attribute(int n, int m, double *A, const double *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] = scale(B[i * m + j]);
}

// What it reads may be what an iteration writes.
void reads_what_is_written(int n, int m, double *A) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] = average(&A[j]);
}

void looks_anywhere(int n, int m, double *A) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] += look(j);
}

// Each thread writes to its own variable alone, of which nobody else knows.
void writes_its_own(int n, int m, double *A, const double *B) {
  double all = 0;
#pragma omp target teams distribute parallel for reduction(+ : all) map(tofrom : all)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      all += average(&B[i * m + j]) + A[i * m + j];
  A[0] = all;
}

// CHECK: region 'by_option'
// PLAIN: reject UnknownCall 'weight is not defined in this file
// TOLD: relies on 'weight touches no memory, by the option const'
// CHECK: region 'by_attribute'
// CHECK-NOT: reject
// CHECK: relies on 'scale touches no memory, by its attribute const'
// CHECK: region 'reads_what_is_written'
// CHECK-NOT: reject
// CHECK: relies on 'average writes no memory, by its attribute pure; what it reads is not counted'
// CHECK: region 'looks_anywhere'
// PLAIN: reject UnknownCall 'look is not defined in this file
// TOLD: relies on 'look writes no memory, by the option pure; what it reads is not counted'
// CHECK: region 'writes_its_own'
// CHECK-NOT: reject
// CHECK: relies on 'average writes no memory, by its attribute pure; what it reads is not counted'

// LOOPS: region 'by_option'
// LOOPS: transformation possible threads i j
// LOOPS: region 'by_attribute'
// LOOPS: transformation possible threads i j
// LOOPS: region 'reads_what_is_written'
// LOOPS: transformation left
// LOOPS: because '{{.*}}dependence of {{(A and memory|memory and A)}}
// LOOPS: region 'looks_anywhere'
// LOOPS: transformation left
// LOOPS: because '{{.*}}dependence of {{(A and memory|memory and A)}}
// LOOPS: region 'writes_its_own'
// LOOPS: transformation possible threads i j
