// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Covariance of m variables observed n times; data[i*m + j] is observation i of variable j.
//   Means: variable j per thread, data and mean 8 bytes apart.
//   Centring: observation i per thread, data 8*m bytes apart, mean[j] uniform.
//   Products: variable a per thread, b = a + number of the inner iteration, and all lanes of a warp are at the same
//   number. So data[i*m + b] is 8 bytes apart like data[i*m + a], and cov[a*m + b], cov[b*m + a] are 8*m + 8.
// The loop over b runs m - a times.

void covariance(int n, int m, double *data, double *mean, double *cov) {
#pragma omp target teams distribute parallel for \
    map(to : data[0 : n * m]) map(from : mean[0 : m])
  for (int j = 0; j < m; ++j) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i)
      sum += data[i * m + j];
    mean[j] = sum / n;
  }

#pragma omp target teams distribute parallel for \
    map(tofrom : data[0 : n * m]) map(to : mean[0 : m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      data[i * m + j] -= mean[j];

#pragma omp target teams distribute parallel for \
    map(to : data[0 : n * m]) map(from : cov[0 : m * m])
  for (int a = 0; a < m; ++a)
    for (int b = a; b < m; ++b) {
      double sum = 0.0;
      for (int i = 0; i < n; ++i)
        sum += data[i * m + a] * data[i * m + b];
      cov[a * m + b] = sum / (n - 1);
      cov[b * m + a] = sum / (n - 1);
    }
}

// CHECK: region 'covariance' at {{.*}}covariance.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for j {{.*}}trips [m] schedule
// CHECK: loop1 in loop0 sequential i {{.*}}trips [n]{{$}}
// CHECK: acc0 load data 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: runs [n]{{$}}
// CHECK: acc1 store mean 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
// CHECK: region 'covariance' at {{.*}}covariance.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [m]{{$}}
// CHECK: acc0 load mean 8 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs [m]{{$}}
// CHECK: acc1 load data 8 bytes
// CHECK: stride symbolic 8*[m] class symbolic
// CHECK: runs [m]{{$}}
// CHECK: acc2 store data 8 bytes
// CHECK: stride symbolic 8*[m] class symbolic
// CHECK: runs [m]{{$}}
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 2
// CHECK: region 'covariance' at {{.*}}covariance.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for a {{.*}}trips [m] schedule
// CHECK: loop1 in loop0 sequential b {{.*}}trips {{\[m\] - a|-a \+ \[m\]}}{{$}}
// CHECK: loop2 in loop1 sequential i {{.*}}trips [n]{{$}}
// CHECK: acc0 load data 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc1 load data 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc2 store cov 8 bytes
// CHECK: stride symbolic 8*[m] + 8 class symbolic
// CHECK: acc3 store cov 8 bytes
// CHECK: stride symbolic 8*[m] + 8 class symbolic
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 2

// ORACLE: by hand: transform/covariance-by-hand.c
