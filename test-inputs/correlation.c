// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Correlation of m variables observed n times; data[i*m + j] is observation i of variable j.
//   Means and deviations: variable j per thread, everything 4 bytes apart.
//   Standardising, fused c = i*m + j: data 4 bytes apart throughout; mean[j], dev[j] 4 bytes apart, and 4 - 4*m where
//   a row of m lanes ends.
//   Products: variable a per thread, b = a + 1 + number of the inner iteration: data[i*m + b] is 4 bytes apart and
//   starts 4 bytes past data[i*m + a]: 5 sectors; corr[a*m + a], corr[a*m + b], corr[b*m + a] are 4*m + 4 apart.

float sqrtf(float);

void correlation(int n, int m, float *data, float *mean, float *dev, float *corr) {
#pragma omp target teams distribute parallel for \
    map(to : data[0 : n * m]) map(from : mean[0 : m], dev[0 : m])
  for (int j = 0; j < m; ++j) {
    float sum = 0.0f;
    for (int i = 0; i < n; ++i)
      sum += data[i * m + j];
    float average = sum / n;
    float squares = 0.0f;
    for (int i = 0; i < n; ++i) {
      float d = data[i * m + j] - average;
      squares += d * d;
    }
    mean[j] = average;
    dev[j] = sqrtf(squares / n);
  }

#pragma omp target teams distribute parallel for collapse(2) \
    map(tofrom : data[0 : n * m]) map(to : mean[0 : m], dev[0 : m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      data[i * m + j] = (data[i * m + j] - mean[j]) / dev[j];

#pragma omp target teams distribute parallel for \
    map(to : data[0 : n * m]) map(from : corr[0 : m * m])
  for (int a = 0; a < m; ++a) {
    corr[a * m + a] = 1.0f;
    for (int b = a + 1; b < m; ++b) {
      float sum = 0.0f;
      for (int i = 0; i < n; ++i)
        sum += data[i * m + a] * data[i * m + b];
      corr[a * m + b] = sum / n;
      corr[b * m + a] = sum / n;
    }
  }
}

// CHECK: region 'correlation' at {{.*}}correlation.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for j {{.*}}trips [m] schedule
// CHECK: loop1 in loop0 sequential i {{.*}}trips [n]{{$}}
// CHECK: loop2 in loop0 sequential i {{.*}}trips [n]{{$}}
// CHECK: acc0 load data 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs [n]{{$}}
// CHECK: acc1 load data 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs [n]{{$}}
// CHECK: acc2 store mean 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc3 store dev 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
// CHECK: region 'correlation' at {{.*}}correlation.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for {{.*}}trips [n]*[m] schedule
// CHECK: acc0 load data 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 load mean 4 bytes
// CHECK: stride row-ends 4 at row ends -4*[m] + 4 every [m] lanes class symbolic
// CHECK: acc2 load dev 4 bytes
// CHECK: stride row-ends 4 at row ends -4*[m] + 4 every [m] lanes class symbolic
// CHECK: acc3 store data 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 2
// CHECK: region 'correlation' at {{.*}}correlation.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for a {{.*}}trips [m] schedule
// CHECK: loop1 in loop0 sequential b {{.*}}trips 
// CHECK: loop2 in loop1 sequential i {{.*}}trips [n]{{$}}
// CHECK: acc0 store corr 4 bytes
// CHECK: stride symbolic 4*[m] + 4 class symbolic
// CHECK: acc1 load data 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc2 load data 4 bytes
// CHECK: stride constant 4 class coalesced sectors 5..5 lines 2..2
// CHECK: acc3 store corr 4 bytes
// CHECK: stride symbolic 4*[m] + 4 class symbolic
// CHECK: acc4 store corr 4 bytes
// CHECK: stride symbolic 4*[m] + 4 class symbolic
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 3
