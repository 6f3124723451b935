// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %not %ipda-trace %t.bc --check | %FileCheck %s
//
// A function of the user whose name begins as those of the OpenMP runtime do: its accesses are the user's, and two of them race.

#pragma omp declare target
static void omp_mark(int *p, int i) {
  if (i == 20)
    p[1] = 5;
  if (i == 70)
    p[1] = 5;
}
#pragma omp end declare target

void mark(int n, int *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    omp_mark(a, i);
}

// CHECK: race: {{.*}}c:12:10 writes and {{.*}}c:10:10 writes, without order, byte 4 of 'a'
