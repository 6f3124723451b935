// What a launch maps is part of its prediction, whatever makes the lengths: captured variables have names in a table, and other sizes are
// read from the launch. `ipda predict` takes those by -D.
// RUN: env IPDA_GPU=h200 IPDA_CPU=epyc-milan IPDA_REPORT=%t.yaml %clang -O2 -g -w %x86-offload %load -Wl,-rpath,%llvm-lib %s -o %t
// RUN: %FileCheck %s --check-prefix=REPORT <%t.yaml
// RUN: %ipda show %t | %FileCheck %s --check-prefix=TABLE
// RUN: env IPDA_LOG=calls %t 1000 2>&1 | %FileCheck %s
// RUN: %ipda predict %t.yaml --region halves --gpu h200 --cpu epyc-milan -D n=1000 | %FileCheck %s --check-prefix=UNKNOWN
// RUN: %ipda predict %t.yaml --region halves --gpu h200 --cpu epyc-milan -D n=1000 -D 'bytes(a)=8000' | %FileCheck %s --check-prefix=GIVEN
// RUN: %ipda predict %t.yaml --region halves --gpu h200 --cpu epyc-milan -D n=1000 -D 'bytes(a)=8000' --as-at-launch \
// RUN:   | %FileCheck %s --check-prefix=AS-AT-LAUNCH
#include <stdio.h>
#include <stdlib.h>

// The length shrinks from launch to launch.
// REPORT: function: halves
// REPORT: bytes: 8*shr([n], loop0)
// TABLE: region halves
// TABLE-DAG: needs n (i32, map entry 0)
// TABLE-DAG: needs bytes(a) (size, map entry 1)
// TABLE: prediction:
// UNKNOWN: ow much a maps is not known
// GIVEN-NOT: ow much a maps is not known
// AS-AT-LAUNCH: transfers {{ *[0-9.]+ .?s}}
static void halves(int n, int steps, double *a) {
  for (int t = 0; t < steps; ++t) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n >> t])
    for (int i = 0; i < n / 8; ++i)
      a[i] += 1;
  }
}

// CHECK: halves at {{.*}} (n = 1000, bytes(a) = 8000): on the {{.*}} [[FIRST:[^ ]*]] s there
// CHECK: halves at {{.*}} (n = 1000, bytes(a) = 4000)
// CHECK: halves at {{.*}} (n = 1000, bytes(a) = 2000)
// CHECK-NOT: [[FIRST]] s there
// CHECK: main at {{.*}} (n = 1000): on the
// CHECK: main at {{.*}} (all = 1000000): on the
// CHECK: 1003
int main(int count, char **words) {
  setvbuf(stdout, NULL, _IONBF, 0);
  // REPORT: function: main
  // REPORT: bytes: 8*[n]^2
  // TABLE: region main
  // TABLE: needs n (i32, map entry 0)
  // TABLE-NEXT: prediction:
  int n = count > 1 ? atoi(words[1]) : 500;
  double *a = malloc(sizeof(double) * n * n);
  for (int i = 0; i < n * n; ++i)
    a[i] = i % n;
  halves(n, 3, a);
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      a[i * n + j] += 1;

  // REPORT: function: main
  // REPORT: bytes: 8*[all]
  // TABLE: region main
  // TABLE: needs all (u64, map entry 0)
  // TABLE-NEXT: prediction:
  size_t all = (size_t)n * n;
#pragma omp target teams distribute parallel for map(tofrom : a[0 : all])
  for (size_t i = 0; i < all; ++i)
    a[i] -= 1;

  // Of several variables that are computed there the last one is the length.
  // REPORT: function: main
  // REPORT: bytes: 8*[last]
  // TABLE: region main
  // TABLE-NOT: needs bytes
  // TABLE: prediction:
  int p = count > 1 ? 1 : atoi(words[0]), q = count > 2 ? 2 : atoi(words[0]), r = count > 3 ? 3 : atoi(words[0]);
  int last = count > 4 ? 4 : n;
#pragma omp target teams distribute parallel for map(tofrom : a[0 : last])
  for (int i = 0; i < 4; ++i)
    a[i] += p * q * r * last;
  printf("%g\n", a[n + 3] + n);
  free(a);
}
