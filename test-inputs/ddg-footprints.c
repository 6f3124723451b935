// RUN: %c-dependences | %FileCheck %s
//
// What is touched of an array where the index is rounded, starts again, is brought between bounds, or is chosen: a footprint needs the least and
// the greatest index alone. For i from 0 to n - 1, i / 2 is at most floor((n - 1) / 2) = floor((n + 1) / 2) - 1; i % 24 at most 23; i cut
// to 8 bits at most 255; i + 1 or n - 1, whichever is less, at most n - 1. Writes lie elsewhere if they do not overlap that.
// Where another iteration's writes lie in between, the guard must fail; where the index is read from memory, nothing is known.
//
// ARGS: n: 61
// ARGS: k: 7

void halved(int n, const float *x, float *y) {
// CHECK-LABEL: dependences of function 'halved'
// CHECK-NEXT: loop0 i {{.*}}: parallel if x and y do not overlap{{$}}
// CHECK: footprint x from [x] to before [x] + 4*floor(([n] + 1) / 2){{$}}
  for (int i = 0; i < n; ++i)
    y[i] = x[i / 2];
}

void repeated(int n, const float *x, float *y) {
// CHECK-LABEL: dependences of function 'repeated'
// CHECK-NEXT: loop0 i {{.*}}: parallel if x and y do not overlap{{$}}
// CHECK: footprint x from [x] to before [x] + 96{{$}}
  for (int i = 0; i < n; ++i)
    y[i] = x[i % 24];
}

void repeated_by_size(int n, unsigned k, const float *x, float *y) {
// CHECK-LABEL: dependences of function 'repeated_by_size'
// CHECK-NEXT: loop0 i {{.*}}: parallel if x and y do not overlap{{$}}
// CHECK: footprint x from [x] to before [x] + 4*[k]{{$}}
  if (k == 0)
    return;
  for (int i = 0; i < n; ++i)
    y[i] = x[(unsigned)i % k];
}

void cut(int n, const float *x, float *y) {
// CHECK-LABEL: dependences of function 'cut'
// CHECK-NEXT: loop0 i {{.*}}: parallel if x and y do not overlap{{$}}
// CHECK: footprint x from [x] to before [x] + 1024{{$}}
  for (int i = 0; i < n; ++i)
    y[i] = x[(unsigned char)(3 * i)];
}

void next_or_last(int n, const float *x, float *y) {
// CHECK-LABEL: dependences of function 'next_or_last'
// CHECK-NEXT: loop0 i {{.*}}: parallel if x and y do not overlap{{$}}
// CHECK: footprint x from {{.*}} to before [x] + 4*[n]{{$}}
  for (int i = 0; i < n; ++i)
    y[i] = x[i + 1 < n ? i + 1 : n - 1];
}

void last_one_first(int n, const float *x, float *y) {
// The first iteration has n - 1 from before, the others i - 1.
// CHECK-LABEL: dependences of function 'last_one_first'
// CHECK-NEXT: loop0 i {{.*}}: parallel if x and y do not overlap{{$}}
  int before = n - 1;
  for (int i = 0; i < n; ++i) {
    y[i] = x[before];
    before = i;
  }
}

void read_once_more(int n, const float *x, float *y) {
// The test that ends the loop reads x[n], too.
// CHECK-LABEL: dependences of function 'read_once_more'
// CHECK-NEXT: loop0 i {{.*}}: parallel if x and y do not overlap{{$}}
// CHECK: footprint x from [x] to before [x] + 4*max([n], 0) + 4{{$}}
// CHECK-NEXT: footprint y from [y] to before [y] + 4*[n]{{$}}
  float next;
  for (int i = 0; next = x[i], i < n; ++i)
    y[i] = next;
}

void of_data(int n, const int *at, const float *x, float *y) {
// CHECK-LABEL: dependences of function 'of_data'
// CHECK-NEXT: loop0 i {{.*}}: unknown: {{.*}}what is touched is not known
// CHECK: footprint x unknown
  for (int i = 0; i < n; ++i)
    y[i] = x[at[i] / 2];
}

void within_one_array(int n, float *x) {
// x[i / 2] is of an earlier iteration: no guard helps.
// CHECK-LABEL: dependences of function 'within_one_array'
// CHECK-NEXT: loop0 i {{.*}}: {{unknown|serial}}: flow dependence of x
// CHECK: footprint x from [x] to before [x] + 4*[n]{{$}}
  for (int i = 0; i < n; ++i)
    x[i] = x[i / 2] + 1;
}

void sometimes_further(int n, int z, const float *x, float *y) {
// Behind x[n - 1] lies x[n], and where that is read, x[z] further still; where it is not, z may be 0.
// CHECK-LABEL: dependences of function 'sometimes_further'
// CHECK-NEXT: loop0 i {{.*}}: parallel if x and y do not overlap{{$}}
// CHECK: footprint x from {{.*}} to before [x] + max({{.*}}4*[n]{{.*}})
  for (int i = 0; i < n; ++i) {
    float sum = x[i] + x[z];
    if (z > n)
      sum += x[n];
    y[i] = sum;
  }
}
