// RUN: %device | %FileCheck %s
//
// covariance.c as an expert writes it: an element per thread, where no sum runs along.

void covariance(int n, int m, double *data, double *mean, double *cov) {
#pragma omp target teams distribute parallel for \
    map(to : data[0 : n * m]) map(from : mean[0 : m])
  for (int j = 0; j < m; ++j) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i)
      sum += data[i * m + j];
    mean[j] = sum / n;
  }

#pragma omp target teams distribute parallel for collapse(2) \
    map(tofrom : data[0 : n * m]) map(to : mean[0 : m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      data[i * m + j] -= mean[j];

#pragma omp target teams distribute parallel for collapse(2) \
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

// CHECK: region 'covariance' at {{.*}}covariance-by-hand.c
// CHECK: region 'covariance' at {{.*}}covariance-by-hand.c
// CHECK: region 'covariance' at {{.*}}covariance-by-hand.c
