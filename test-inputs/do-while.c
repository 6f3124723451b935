// A loop that tests at its end runs once more than its test says to go on, and at least once; what a header does before its test runs
// once more than the body.
// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s

void at_the_end(int n, int m, float *A) {
#pragma omp target teams distribute parallel for map(tofrom : A[0 : n * m])
  for (int i = 0; i < n; i++) {
    int k = 0;
    do {
      A[k * n + i] = 0;
      k++;
    } while (k < m);
  }
}

void never_again(int n, float *A) {
#pragma omp target teams distribute parallel for map(tofrom : A[0 : n])
  for (int i = 0; i < n; i++) {
    int k = 0;
    do {
      A[k * n + i] = 0;
      k++;
    } while (k < -5);
  }
}

void in_the_header(int n, int m, float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n * (m + 1)]) map(from : y[0 : n])
  for (int i = 0; i < n; i++) {
    float s = 0;
    for (int k = 0; s += x[k * n + i], k < m; k++)
      y[k * n + i] = s;
  }
}

// CHECK: region 'at_the_end'
// CHECK: loop1 in loop0 sequential k {{.*}}trips max({{1, \[m\]|\[m\], 1}}){{$}}
// CHECK: acc0 store A 4 bytes in loop1
// CHECK: runs max({{1, \[m\]|\[m\], 1}}){{$}}
// CHECK: region 'never_again'
// CHECK: acc0 store A 4 bytes
// CHECK: runs 1{{$}}
// CHECK: region 'in_the_header'
// CHECK: loop1 in loop0 sequential k {{.*}}trips [m]{{$}}
// CHECK: acc0 load x 4 bytes in loop1
// CHECK: runs [m] + 1{{$}}
// CHECK: acc1 store y 4 bytes in loop1
// CHECK: runs [m]{{$}}
