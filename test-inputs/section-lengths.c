// RUN: %host | %FileCheck %s
// RUN: %host-nog | %FileCheck %s --check-prefix=NAMELESS
// RUN: %device | %FileCheck %s --check-prefix=DEVICE
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %x86-offload %load -c %s -o %t.o
// RUN: %FileCheck %s --check-prefix=REPORT --input-file=%t.yaml
//
// An array section's length is no negative number, and where it is a captured variable the host's launch shows so: a counter without sign
// that runs to m takes m steps, and t % m is t - m * floor(t / m). The device's code does not show the sections. Where the size is a product, or
// m is the length of none, m may be negative, and as a number of 64 bits without sign m is not m then. The report says where the
// lengths make a difference.
//
// REPORT: function: steps
// REPORT: id: acc0
// REPORT: - section-lengths
// REPORT: function: wrapped_index
// REPORT: id: acc0
// REPORT: - section-lengths
// REPORT: id: acc1
// REPORT: function: records
// REPORT: - section-lengths
// REPORT: function: only_extents
// REPORT-NOT: - section-lengths
//
// ARGS: m: 20

void steps(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : m]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (unsigned long j = 0; j < m; ++j)
      y[t] += x[j];
}

// CHECK: region 'steps'
// CHECK: loop1 in loop0 sequential j {{.*}}trips [m]{{$}}
// CHECK: total sectors 9*[m]
// NAMELESS: region 'steps'
// NAMELESS: loop1 in loop0 sequential {{.*}}trips [arg{{[0-9]}}]{{$}}
// DEVICE: region 'steps'
// DEVICE: loop1 in loop0 sequential j {{.*}}trips u64([m]){{$}}

void wrapped_index(int n, long m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : m]) map(from : y[0 : n])
  for (int t = 0; t < n; ++t)
    y[t] = x[t % m];
}

// CHECK: region 'wrapped_index'
// CHECK: load x 4 bytes
// CHECK: stride row-ends 4 at row ends -4*[m] + 4 every [m] lanes
// DEVICE: region 'wrapped_index'
// DEVICE: load x 4 bytes
// DEVICE: stride per-lane 4*rem({{.*}}, [m])

void records(int n, int m, const double (*x)[3], float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : m]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (unsigned long j = 0; j < m; ++j)
      y[t] += x[j][0];
}

// CHECK: region 'records'
// CHECK: loop1 in loop0 sequential j {{.*}}trips [m]{{$}}

// Nothing is asked of the signs.
void only_extents(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : m]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (int j = 0; j < m; ++j)
      y[t] += x[j];
}

// CHECK: region 'only_extents'
// CHECK: loop1 in loop0 sequential j {{.*}}trips [m]{{$}}

// n * m is not negative where both are.
void length_is_product(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n * m]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (unsigned long j = 0; j < m; ++j)
      y[t] += x[t * m + j];
}

// CHECK: region 'length_is_product'
// CHECK: loop1 in loop0 sequential j {{.*}}trips u64([m]){{$}}

// m is -1 at the least.
void length_is_one_more(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : m + 1]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (unsigned long j = 0; j < m; ++j)
      y[t] += x[j];
}

// CHECK: region 'length_is_one_more'
// CHECK: loop1 in loop0 sequential j {{.*}}trips u64([m]){{$}}

// As a number without sign the length is never negative, whatever m is.
void length_without_sign(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : (unsigned)m]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (unsigned long j = 0; j < m; ++j)
      y[t] += x[j];
}

// CHECK: region 'length_without_sign'
// CHECK: loop1 in loop0 sequential j {{.*}}trips u64([m]){{$}}

// The low 32 bits of a length of 64 bits may have the sign.
void length_is_cut(int n, long m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : m]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (unsigned long j = 0; j < (int)m; ++j)
      y[t] += x[j];
}

// CHECK: region 'length_is_cut'
// CHECK: loop1 in loop0 sequential j {{.*}}trips u64([m]){{$}}

// The section's length is what m was before.
int g;
void length_of_another_time(int n, int m, const float *x, float *y) {
  const int before = m;
  m = g;
#pragma omp target teams distribute parallel for map(to : x[0 : before]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (unsigned long j = 0; j < m; ++j)
      y[t] += x[j];
}

// CHECK: region 'length_of_another_time'
// CHECK: loop1 in loop0 sequential j {{.*}}trips u64([m]){{$}}

void start_of_section(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[m : n]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (unsigned long j = 0; j < m; ++j)
      y[t] += x[j];
}

// CHECK: region 'start_of_section'
// CHECK: loop1 in loop0 sequential j {{.*}}trips u64([m]){{$}}
