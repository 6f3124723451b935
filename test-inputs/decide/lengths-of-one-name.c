// clang calls the lengths of all rows `vla`: those of the second array and of further ones have a number, in expressions, in tables and for -D.
// RUN: env IPDA_GPU=h200 IPDA_CPU=epyc-milan IPDA_REPORT=%t.yaml %clang -O2 -g -w %x86-offload %load -Wl,-rpath,%llvm-lib %s -o %t
// RUN: %ipda show %t | %FileCheck %s --check-prefix=TABLE
// RUN: env IPDA_LOG=calls %t 2>&1 | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h200 --cpu epyc-milan -D n=100 -D m=300 -D vla=300 -D vla.2=100 | %FileCheck %s --check-prefix=PREDICT
// RUN: %FileCheck %s --check-prefix=REPORT <%t.yaml
// RUN: not %ipda predict %t.yaml --gpu h200 --cpu epyc-milan -D n=100 -D m=300 -D vla=300 2>&1 | %FileCheck %s --check-prefix=MISSING
#include <stdio.h>

// TABLE: region add
// TABLE-DAG: needs vla (i64, map entry {{[0-9]}})
// TABLE-DAG: needs vla.2 (i64, map entry {{[0-9]}})
// TABLE: prediction:
// PREDICT: add
// MISSING: -D vla.2=..
// REPORT-DAG: address: '[b] + 4*j*[vla.2] + 4*i'
// REPORT-DAG: address: '[a] + 4*i*[vla] + 4*j'
static void add(int n, int m, float (*a)[m], float (*b)[n]) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n]) map(to : b[0 : m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i][j] += b[j][i];
}

static float A[100][300], B[300][100];

int main(void) {
  add(100, 300, A, B);
  printf("%g\n", A[0][0]);
}

// In the order in which the region captures them, which is that of the parameters.
// CHECK: (n = 100, m = 300, vla = 300, vla.2 = 100)
