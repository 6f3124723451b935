// Rows above and below are m elements away, which a launch knows: what one reference has fetched the others find, as far as the cache keeps the rows
// between. Of 4096 x 4096 floats a is read once and b written once: 2 * 4 * 4096 * 4096 bytes = 134 MB, with a's first and last row 134.2 MB. (Without that,
// a comes three times: 268 MB.) Rows of 4 MB, of which an H100's L2 of 50 MB keeps what is between, are found as well; rows of 64 MB are not.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=4096 -D m=4096 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=64 -D m=16777216 --details | %FileCheck %s --check-prefix=FAR
// CHECK: memory bytes 13{{[4-6]}}.{{[0-9]+}} MB
// FAR: memory bytes 1{{[4-7]}}.{{[0-9]+}} GB
void star(const float *a, float *b, int n, int m) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * m]) map(tofrom : b[0 : n * m])
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      b[i * m + j] = a[i * m + j] + a[i * m + j - 1] + a[i * m + j + 1] + a[(i - 1) * m + j] + a[(i + 1) * m + j];
}
