// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Each thread looks for the first negative element of its row. While they search, the lanes are at the same k: A[i*m + k]
// moves by 4*m bytes. After the loop each lane has stopped at a k of its own, so weight[k] is not uniform.
// The loop runs at most m times; how often is not known. What follows it runs in any case.

void first_negative(int n, int m, const float *A, const float *weight, float *y) {
#pragma omp target teams distribute parallel for \
    map(to : A[0 : n * m], weight[0 : m + 1]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int k = 0;
    while (k < m && A[i * m + k] >= 0.0f)
      ++k;
    y[i] = weight[k];
  }
}

// CHECK: region 'first_negative' at {{.*}}early-exit.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential k {{.*}}trips unknown '{{.+}}'
// CHECK: acc0 load A 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
// CHECK: runs unknown '{{.+}}'
// CHECK: acc1 load weight 4 bytes
// CHECK: stride {{unknown|data-dependent}} '{{.+}}' class {{unknown|data-dependent}}
// CHECK: runs 1{{$}}
// CHECK: acc2 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs 1{{$}}
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 2
