// RUN: %device | %FileCheck %s
//
// Keeps the positive elements of each row. The threads of a team take turns at one counter, so which slot a thread gets
// depends on the order of arrival: out[i*m + slot] has no stride that could be known, and must not be reported as
// coalesced. The reads move by 4 bytes.  private-counter.c is the twin in which each thread counts for itself.
//
// ORACLE: depends on the launch

void keep_positive(int n, int m, const float *in, float *out, int *kept) {
#pragma omp target teams distribute map(to : in[0 : n * m]) map(from : out[0 : n * m], kept[0 : n])
  for (int i = 0; i < n; ++i) {
    int count = 0;
#pragma omp parallel for
    for (int j = 0; j < m; ++j) {
      if (in[i * m + j] > 0.0f) {
        int slot;
#pragma omp critical
        slot = count++;
        out[i * m + slot] = in[i * m + j];
      }
    }
    kept[i] = count;
  }
}

// CHECK: region 'keep_positive' at {{.*}}shared-counter.c:{{[0-9]+}} (device, generic
// CHECK: loop0 distribute i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 for j {{.*}}trips [m] schedule
// CHECK: load in 4 bytes
// CHECK: stride constant 4
// CHECK: load in 4 bytes
// CHECK: stride constant 4
// CHECK: store out 4 bytes
// CHECK-NOT: class {{uniform|coalesced|strided|uncoalesced|symbolic}}
// CHECK: stride unknown '{{.+}}' class unknown
