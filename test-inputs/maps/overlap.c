// RUN: %copied -g | %FileCheck %s
// What a kernel writes through one pointer it may read through another one: whether their sections lie apart is asked at each launch.
#include "copied.inc"
enum { N = 10000 };

static void shift(int *y, int *x, int n) {
#pragma omp target teams distribute parallel for map(tofrom : y[0 : n], x[0 : n])
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: x is never written here
  for (int i = 0; i < n; ++i)
    y[i] = x[i] + 1;
}

// The pointer has no section: the runtime looks for one that it leads into, or whose base lies before it.
static int first(int *x, int *inside, int n) {
  int found = 0;
#pragma omp target map(tofrom : x[0 : n], found)
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: x is never written here
  found = x[n - 1] + inside[0];
  return found;
}

static int behind_base(int *x, int *base, int n) {
  int found = 0;
#pragma omp target map(tofrom : x[100 : n], found)
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: x is never written here
  {
    base[110] += 1;
    found = x[110];
  }
  return found;
}

static int set(int *x, int *inside, int n) {
  int found = 0;
#pragma omp target map(tofrom : x[0 : n], found)
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: x is never written here
  {
    inside[0] = x[n - 1];
    found = x[3];
  }
  return found;
}

// One array in two entries: what is written through one is read through the other.
static int twice(int *x, int *same, int n) {
  int equal = 0;
#pragma omp target map(tofrom : x[0 : n], same[0 : n], equal)
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: x is never written here
  // CHECK-DAG: :[[@LINE-2]]:{{[0-9]+}}: remark: same is never written here
  equal = x == same;
  return equal;
}

static int a[N], b[N], c[2 * N];

int main(void) {
  for (int i = 0; i < N; ++i)
    a[i] = b[i] = i;
  shift(a, b, N);
  copied("apart");
  shift(a, a, N);
  copied("the same");
  shift(a, a + N / 2, N / 2);
  copied("halves");
  int sum = 0;
  sum += first(a, a + 5, N);
  copied("into it");
  sum += first(c, c + N, N);
  copied("right behind it");
#pragma omp target data map(to : b)
  sum += first(a, b + 5, N);
  copied("into another");
  sum += behind_base(a, a, N / 2);
  copied("behind its base");
  sum += set(a, a + 3, N);
  copied("written into it");
  sum += twice(a, a, N) + 2 * twice(a, b, N);
  copied("compared");
  long total = 0;
  for (int i = 0; i < N; ++i)
    total = total * 31 + a[i] + b[i];
  printf("%d %ld\n", sum, total);
}
// CHECK: without:
// CHECK-NEXT: apart: 80000 bytes there, 80000 back
// CHECK-NEXT: the same: 40000 bytes there, 40000 back
// CHECK-NEXT: halves: 40000 bytes there, 40000 back
// CHECK-NEXT: into it: 40004 bytes there, 40004 back
// CHECK-NEXT: right behind it: 40004 bytes there, 40004 back
// CHECK-NEXT: into another: 80004 bytes there, 40004 back
// CHECK-NEXT: behind its base: 20004 bytes there, 20004 back
// CHECK-NEXT: written into it: 40004 bytes there, 40004 back
// CHECK-NEXT: compared: 120008 bytes there, 120008 back
// CHECK-NEXT: with:
// CHECK-NEXT: apart: 40000 bytes there, 40000 back
// CHECK-NEXT: the same: 40000 bytes there, 40000 back
// CHECK-NEXT: halves: 20000 bytes there, 20000 back
// CHECK-NEXT: into it: 40004 bytes there, 40004 back
// CHECK-NEXT: right behind it: 40004 bytes there, 40004 back
// CHECK-NEXT: into another: 80004 bytes there, 40004 back
// CHECK-NEXT: behind its base: 20004 bytes there, 20004 back
// CHECK-NEXT: written into it: 40004 bytes there, 40004 back
// Where both pointers lead to one array, it is one on the device.
// CHECK-NEXT: compared: 120008 bytes there, 40008 back
