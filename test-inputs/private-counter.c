// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Each thread fills a row of its own and counts for itself: the counter is the number of the inner iteration, equal in all
// lanes, so out[(i*m + j)*p + slot] moves by 4*p bytes. In shared-counter.c the threads share the counter.
//
// ARGS: n: 5
// ARGS: m: 70
// ARGS: p: 9

void fill_rows(int n, int m, int p, float *out) {
#pragma omp target teams distribute map(from : out[0 : n * m * p])
  for (int i = 0; i < n; ++i) {
#pragma omp parallel for
    for (int j = 0; j < m; ++j) {
      int slot = 0;
      for (int k = 0; k < p; ++k)
        out[(i * m + j) * p + slot++] = (float)k;
    }
  }
}

// CHECK: region 'fill_rows' at {{.*}}private-counter.c:{{[0-9]+}}
// DEVICE-SAME: (device, generic
// CHECK: loop0 distribute i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 for j {{.*}}trips [m] schedule
// CHECK: loop2 in loop1 sequential k {{.*}}trips [p]{{$}}
// CHECK: acc0 store out 4 bytes
// CHECK: stride symbolic 4*[p] class symbolic
// CHECK: runs [p]{{$}}
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
