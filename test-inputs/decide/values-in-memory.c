// Counts that the kernel reads from memory are read there at the launch, for its prediction: by map(to: m) of a variable, of members of a structure, behind
// and before where a pointer leads. A count that is not read counts 128, so that one of 128 that is read gives the same times.
// RUN: env IPDA_GPU=h200 IPDA_CPU=epyc-milan IPDA_REPORT=%t.yaml %clang -O2 -g -w %x86-offload %load -Wl,-rpath,%llvm-lib %s -o %t
// RUN: env IPDA_LOG=calls %t 2>&1 | grep -v ': took ' | %FileCheck %s
// RUN: %ipda show %t | %FileCheck %s --check-prefix=TABLE
// Where the host is what launches use, nothing says that sections are there.
// RUN: env IPDA_LOG=calls OMP_TARGET_OFFLOAD=disabled %t 2>&1 | grep -v ': took ' | %FileCheck %s --check-prefix=HOME
// RUN: env IPDA_LOG=calls %t host 2>&1 | grep -v ': took ' | %FileCheck %s --check-prefix=HOME
// HOME-COUNT-4: scalar at {{.*}} m[0] = ?): on the host, by the runtime
// HOME: all is done
// RUN: %ipda predict %t.yaml --region scalar --gpu h200 --cpu epyc-milan -D 'load4([n])=1000' --as-at-launch >%t.unknown
// RUN: %ipda predict %t.yaml --region scalar --gpu h200 --cpu epyc-milan -D 'load4([n])=1000' -D 'm[0]=128' --as-at-launch >%t.known
// RUN: %ipda predict %t.yaml --region scalar --gpu h200 --cpu epyc-milan -D 'load4([n])=1000' -D 'm[0]=50' --as-at-launch >%t.other
// RUN: sh -c 'grep -hE "^ *(host|kernel) +[0-9]" %t.unknown %t.known | sort -u | wc -l; grep -hE "^ *(host|kernel) +[0-9]" %t.unknown %t.other | sort -u | wc -l' \
// RUN:   | %FileCheck %s --check-prefix=AS-AT-LAUNCH
// AS-AT-LAUNCH: {{^}}2{{$}}
// AS-AT-LAUNCH: {{^}}4{{$}}
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// TABLE-LABEL: region scalar
// TABLE: needs trips(i)
// TABLE: needs m[0] (i32 in memory at byte 0, map entry 1)
// TABLE: assumed: where a launch does not find it in memory, loop j runs 128 iterations
static void scalar(int n, int m, double *a) {
#pragma omp target teams distribute parallel for map(to : n, m) map(tofrom : a[0 : 1000])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i] = a[i] * 0.5 + j;
}

struct grid {
  double spacing;
  int nx, ny, nz;
};

// TABLE-LABEL: region member
// TABLE: needs g[3] (i32 in memory at byte 12, map entry 0)
// TABLE: needs g[4] (i32 in memory at byte 16, map entry 0)
static void member(const struct grid *g, double *a) {
#pragma omp target teams distribute parallel for map(to : g[0 : 1]) map(tofrom : a[0 : 1000])
  for (int i = 0; i < g->nx; ++i)
    for (int j = 0; j < g->ny; ++j)
      for (int k = 0; k < g->nz; ++k)
        a[i] = a[i] * 0.5 + g->spacing;
}

// No count is handed to a launch without teams.
// TABLE-LABEL: region plain
// TABLE: needs n[0] (i64 in memory at byte 0, map entry 0)
static void plain(long n, double *a) {
#pragma omp target parallel for map(to : n) map(tofrom : a[0 : 1000])
  for (long i = 0; i < n; ++i)
    a[i] += 1;
}

struct __attribute__((packed)) header {
  char kind;
  int rows;
};

// The section begins before its pointer, and the last integer lies where none of 32 bits may.
// TABLE-LABEL: region narrow
// TABLE-DAG: needs words[-1] (i16 in memory at byte -2, map entry
// TABLE-DAG: needs offsets[3] (i16 in memory at byte 6, map entry
// TABLE-DAG: needs load4([header] + 1) (i32 in memory at byte 1, map entry
static void narrow(int n, const unsigned short *words, const short *offsets, const struct header *header, double *a) {
#pragma omp target teams distribute parallel for map(to : words[-2 : 4], offsets[0 : 4], header[0 : 1]) map(tofrom : a[0 : 1000])
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < words[-1]; ++j)
      a[i] = a[i] * 0.5 + j;
    for (int j = 0; j < offsets[3]; ++j)
      a[i] = a[i] * 0.25 + j;
    for (int j = 0; j < header->rows; ++j)
      a[i] = a[i] * 0.75 + j;
  }
}

// Only of two integers does the section have the second, and only then the kernel reads it.
static void part(int n, int k, const int *length, double *a) {
#pragma omp target teams distribute parallel for map(to : length[0 : k]) map(tofrom : a[0 : 1000])
  for (int i = 0; i < n; ++i)
    if (k == 2)
      for (int j = 0; j < length[1]; ++j)
        a[i] = a[i] * 0.5 + j;
}

// What the device has, what comes back from it alone, and what the region writes, is not the host's.
// TABLE-LABEL: region device
// TABLE-NEXT: kernel
// TABLE-NEXT: stays on the device: DevicePointer
// TABLE-NOT: in memory at
static void device(int n, const int *m, double *a) {
#pragma omp target teams distribute parallel for is_device_ptr(m) map(tofrom : a[0 : 1000])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < *m; ++j)
      a[i] = a[i] * 0.5 + j;
}

// TABLE-LABEL: region back
// TABLE-NOT: in memory at
// TABLE: assumed: loop j runs 128 iterations
static void back(int n, int *m, double *a) {
#pragma omp target teams distribute parallel for map(from : m[0 : 1]) map(tofrom : a[0 : 1000])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < *m; ++j)
      a[i] = a[i] * 0.5 + j;
}

// TABLE-LABEL: region written
// TABLE-NOT: in memory at
// TABLE: assumed: loop j runs 128 iterations
static void written(int n, int *m, double *a) {
#pragma omp target teams distribute parallel for map(tofrom : m[0 : 1]) map(tofrom : a[0 : 1000])
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < *m; ++j)
      a[i] = a[i] * 0.5 + j;
    if (a[i] > 1e9)
      *m = 0;
  }
}

// The launch waits in a task until another one has set what counts: that is what it reads.
static void later(long *n, double *a) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : n[0])
    {
      usleep(20000);
      *n = 500;
    }
#pragma omp target parallel for map(to : n[0 : 1]) map(tofrom : a[0 : 1000]) nowait depend(in : n[0])
    for (long i = 0; i < *n; ++i)
      a[i] += 1;
  }
}

static void by_pointer(int n, const int *m, double *a) {
#pragma omp target teams distribute parallel for map(to : m[0 : 1]) map(tofrom : a[0 : 1000])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < *m; ++j)
      a[i] = a[i] * 0.5 + j;
}

int main(int count, char **words) {
  static double a[1000];
  if (count > 1)
    omp_set_default_device(omp_get_initial_device());
  // CHECK: scalar at {{.*}} (trips(i) = 1000, m[0] = 128): on the {{.*}} predicted [[HOST:[^ ]*]] s on the host, [[DEVICE:[^ ]*]] s there
  scalar(1000, 128, a);
  // Of 50 iterations, the launch takes less; what is remembered of 128 holds for 128 alone.
  // CHECK-NEXT: scalar at {{.*}} (trips(i) = 1000, m[0] = 50): on the {{.*}} predicted
  // CHECK-NOT: [[HOST]] s on the host
  // CHECK-NEXT: scalar at {{.*}} (trips(i) = 1000, m[0] = 128): on the {{.*}} predicted [[HOST]] s on the host, [[DEVICE]] s there
  // CHECK-NEXT: scalar at {{.*}} (trips(i) = 1000, m[0] = 128): on the {{.*}} predicted [[HOST]] s on the host, [[DEVICE]] s there
  scalar(1000, 50, a);
  scalar(1000, 128, a);
  scalar(1000, 128, a);

  // CHECK-NEXT: member at {{.*}} (trips(i) = 1000, g[3] = 50, g[4] = 20): on the
  struct grid grid = {0.5, 1000, 50, 20};
  member(&grid, a);

  // CHECK-NEXT: plain at {{.*}} (n[0] = 900): on the
  plain(900, a);

  // CHECK-NEXT: narrow at {{.*}} words[-1] = 4000, offsets[3] = -3, load4([header] + 1) = 3): on the
  unsigned short widths[] = {1, 4000, 3, 4};
  short offsets[] = {9, 9, 9, -3};
  struct header header = {7, 3};
  narrow(1000, widths + 2, offsets, &header, a);

  // The section has none, one and both of the integers; an address where nothing is, is not looked at.
  // CHECK-NEXT: part at {{.*}} length[1] = ?): on the
  // CHECK-NEXT: part at {{.*}} length[1] = ?): on the
  // CHECK-NEXT: part at {{.*}} length[1] = ?): on the
  // CHECK-NEXT: part at {{.*}} length[1] = 70): on the
  int length[] = {60, 70};
  part(1000, 0, (const int *)16, a);
  part(1000, 0, length, a);
  part(1000, 1, length, a);
  part(1000, 2, length, a);

  // Within target data, the device may have another value: it counts as 128.
  // CHECK-NEXT: by_pointer at {{.*}} m[0] = 128): on the {{.*}} predicted [[HOST:[^ ]*]] s on the host, [[DEVICE:[^ ]*]] s there
  // CHECK-NEXT: by_pointer at {{.*}} m[0] = 40): on the {{.*}} predicted
  // CHECK-NOT: [[HOST]] s on the host
  // CHECK-NEXT: by_pointer at {{.*}} m[0] = ?): on the {{.*}} predicted [[HOST]] s on the host, [[DEVICE]] s there
  // CHECK-NEXT: by_pointer at {{.*}} m[0] = 40): on the
  int m = 128;
  by_pointer(1000, &m, a);
  m = 40;
  by_pointer(1000, &m, a);
#pragma omp target data map(to : m)
  by_pointer(1000, &m, a);
  by_pointer(1000, &m, a);

  // CHECK-NEXT: later at {{.*}}n[0] = 500{{[,)]}}
  long n = 7;
  later(&n, a);
  // CHECK-NEXT: all is done
  puts("all is done");
  if (count > 9) {
    device(1000, &m, a);
    back(1000, &m, a);
    written(1000, &m, a);
  }
}
