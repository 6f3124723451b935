// RUN: %c-dependences | %FileCheck %s
//
// What goes from one iteration to the next in registers.

float reductions(const float *a, const int *b, int n, int *count, float *most) {
// CHECK-LABEL: dependences of function 'reductions'
// CHECK-NEXT: loop0 {{.*}}: parallel if the reductions are made ones:
// CHECK-SAME: reduction(+ : positive)
// CHECK-SAME: reduction(max : greatest)
// CHECK-DAG: reduction of sum by float add, whose rounding depends on the order
// CHECK-DAG: reduction of bits by or{{( at .*)?$}}
// CHECK-DAG: reduction of positive by add{{( at .*)?$}}
// CHECK-DAG: reduction of greatest by float max
  float sum = 0, greatest = 0;
  int positive = 0, bits = 0;
  for (int i = 0; i < n; ++i) {
    sum += a[i];
    if (b[i] > 0)
      positive += b[i];
    bits |= b[i];
    greatest = a[i] > greatest ? a[i] : greatest;
  }
  *count = positive + bits;
  *most = greatest;
  return sum;
}

float nested(const float *a, int n, int m) {
// CHECK-LABEL: dependences of function 'nested'
// CHECK-NEXT: loop0 {{.*}}: parallel if the reduction is made one: reduction(+ : sum){{$}}
// CHECK-NEXT: reduction of {{.*}} by float add
// CHECK-NEXT: loop1 in loop0 {{.*}}: parallel if the reduction is made one: reduction(+ : sum){{$}}
// CHECK-NEXT: reduction of {{.*}} by float add
  float sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      sum += a[i * m + j];
  return sum;
}

void running(const float *restrict a, float *restrict b, int n) {
// Each value on the way is used.
// CHECK-LABEL: dependences of function 'running'
// CHECK-NEXT: loop0 {{.*}}: serial: sum is a running value that iterations use
// CHECK-NEXT: scan of sum by float add
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += a[i];
    b[i] = sum;
  }
}

float horner(const float *a, float x, int n) {
// Two operations in turn are none that may change their order.
// CHECK-LABEL: dependences of function 'horner'
// CHECK-NEXT: loop0 {{.*}}: serial: value is computed from what it was in the iteration before
// CHECK-NEXT: recurrence of value
  float value = 0;
  for (int i = 0; i < n; ++i)
    value = value * x + a[i];
  return value;
}

int until(const int *a, int n) {
// The sum decides how far the loop goes.
// CHECK-LABEL: dependences of function 'until'
// CHECK-NEXT: loop0 {{.*}}: {{unknown|serial}}:
  int sum = 0;
  for (int i = 0; i < n && sum < 100; ++i)
    sum += a[i];
  return sum;
}

int last(const int *a, int n) {
// CHECK-LABEL: dependences of function 'last'
// CHECK-NEXT: loop0 {{.*}}: parallel{{$}}
// CHECK-NEXT: last value of
  int value = 0;
  for (int i = 0; i < n; ++i)
    value = 2 * a[i];
  return value;
}

void in_memory(float *restrict s, const float *restrict a, int n) {
// CHECK-LABEL: dependences of function 'in_memory'
// CHECK-NEXT: loop0 {{.*}}: parallel if the reduction is made one: reduction(+ : s[0 : 1]){{$}}
// CHECK-NEXT: reduction of s by float add
  for (int i = 0; i < n; ++i)
    s[0] += a[i];
}

void in_memory_and_read(float *restrict s, float *restrict a, int n) {
// CHECK-LABEL: dependences of function 'in_memory_and_read'
// CHECK-NEXT: loop0 {{.*}}: {{unknown|serial}}: {{.*}} dependence of s
  for (int i = 0; i < n; ++i) {
    s[0] += a[i];
    a[i] = s[0];
  }
}

void scattered_updates(int *restrict h, const int *restrict x, int n) {
// Two iterations may add to one element, or to two: this loop's iterations cannot each have a copy of one value.
// CHECK-LABEL: dependences of function 'scattered_updates'
// CHECK-NEXT: loop0 {{.*}}: unknown: {{.*}} dependence of h
  for (int i = 0; i < n; ++i)
    h[x[i]]++;
}

int clamped(const int *low, const int *high, int n) {
// The greater of two, then the less of two: no one operation, and the order matters.
// CHECK-LABEL: dependences of function 'clamped'
// CHECK-NEXT: loop0 {{.*}}: serial: m is computed from what it was in the iteration before
  int m = 0;
  for (int i = 0; i < n; ++i) {
    int a = low[i], b = high[i];
    m = m < a ? a : m;
    m = m > b ? b : m;
  }
  return m;
}

int changing_places(const int *a, int n) {
// CHECK-LABEL: dependences of function 'changing_places'
// CHECK-NEXT: loop0 {{.*}}: serial: {{.*}} is computed from what it was in the iteration before
  int x = 1, y = 2;
  for (int i = 0; i < n; ++i) {
    int before = x;
    x = y;
    y = before + a[i];
  }
  return x * 3 + y;
}

union two_widths {
  unsigned narrow;
  unsigned long wide;
};

void sums_of_two_widths(union two_widths *u, int n) {
// The wide sum takes a carry that the narrow one drops.
// CHECK-LABEL: dependences of function 'sums_of_two_widths'
// CHECK-NEXT: loop0 {{.*}}: {{serial|unknown}}: {{.*}} dependence of u
  for (int i = 0; i < n; ++i) {
    u->narrow += 3000000000u;
    u->wide += 0x90000001;
  }
}
