// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// A pointer walks below an end in the same array: m elements, or as many as there are steps of two. Where the end moves too, as what was
// loaded says, the number of steps is not known.
//
// ARGS: n: 40
// ARGS: m: 13

void rows(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n * m]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (const float *p = x + t * m; p < x + t * m + m; ++p)
      y[t] += *p;
}

// CHECK: region 'rows'
// DEVICE-SAME: (device, spmd
// CHECK: loop1 in loop0 sequential p {{.*}}trips [m]{{$}}
// CHECK: stride symbolic 4*[m] class symbolic

void every_second(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n + m + 1]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (const float *p = x + t; p < x + t + m; p += 2)
      y[t] += *p;
}

// CHECK: region 'every_second'
// CHECK: loop1 in loop0 sequential p {{.*}}trips floor(([m] + 1) / 2){{$}}

void moving_end(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n + m + 1]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t) {
    const float *end = x + t + m;
    for (const float *p = x + t; p < end; ++p) {
      y[t] += *p;
      if (*p > 0.5f)
        --end;
    }
  }
}

// CHECK: region 'moving_end'
// CHECK: loop1 in loop0 sequential p {{.*}}trips unknown
