// What helps where indices come from data, where the plugin leaves loops as they are, and what is reported about values that differ between threads.
// RUN: rm -rf %t && mkdir %t && sed '/^\/\/ /d' %s > %t/a.c
// RUN: cd %t && env IPDA_REPORT=a.yaml %clang-device -g -Xclang -debug-info-kind=constructor a.c -o a.s
// RUN: cd %t && %ipda explain a.c:7 --report a.yaml | %FileCheck %s --check-prefix=ATOMIC
// RUN: cd %t && %ipda explain a.c:14 --report a.yaml | %FileCheck %s --check-prefix=GATHER
// RUN: cd %t && %ipda explain a.c:24 --report a.yaml | %FileCheck %s --check-prefix=SUM
// RUN: cd %t && %ipda explain a.c:36 --report a.yaml | %FileCheck %s --check-prefix=OPAQUE
// RUN: cd %t && cat a.yaml | %FileCheck %s --check-prefix=VARIANT

void histogram(int n, const int *key, int *count) {
  int i;
#pragma omp target teams distribute parallel for map(to : key[0 : n]) map(tofrom : count[0 : 256])
  for (i = 0; i < n; i++)
#pragma omp atomic update
    count[key[i]]++;
}

void gather(int n, const int *key, const double *u, double *f) {
  int i;
#pragma omp target teams distribute parallel for map(to : key[0 : n], u[0 : n]) map(from : f[0 : n])
  for (i = 0; i < n; i++)
    f[i] = u[key[i]];
}

void sums(int n, int m, const double *u, double *f) {
  int i, j;
  double s;
#pragma omp target teams distribute parallel for private(j, s) map(to : u[0 : n * m]) map(from : f[0 : n])
  for (i = 0; i < n; i++) {
    s = 0;
    for (j = 0; j < m; j++)
      s += u[i * m + j];
    f[i] = s;
  }
}

#pragma omp begin declare variant match(implementation = {vendor(llvm)})
void shifted(int n, double s, const double *u, double *f) {
  int i;
#pragma omp target teams distribute parallel for map(to : u[0 : n]) map(from : f[0 : n])
  for (i = 0; i < n; i++) {
    int c = (int)(s * i);
    double x = 1;
    f[i] = x * u[i - 128 * c];
  }
}
#pragma omp end declare variant

// ATOMIC: atomic update of count
// ATOMIC: what helps {{ *}}give each team a private copy of count
// ATOMIC-NOT: sorting
// GATHER: load of u
// GATHER: what helps {{ *}}nothing in the loops; if the data can be sorted or grouped
// SUM: load of u
// SUM: what helps {{ *}}neighbouring iterations of the loop over j (line 23) use neighbouring elements, but the loops stay
// SUM-NOT: threads that share this loop
// SUM: because s goes from one iteration to the next
// OPAQUE: load of u
// OPAQUE: difference {{ *}}from thread 0 to thread t, [u] is the same and cancels; what is left is known only
// VARIANT: - function: shifted{{$}}
// VARIANT-NOT: ompvariant
