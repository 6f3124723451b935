// RUN: %compile-device %s | %dependences | %FileCheck %s
// ORACLE: has races: counted, in_element, members, member_of_variable
//
// A loop that updates a variable of all threads is parallel once a clause makes that a reduction, and not before.

int counted(int n) {
// CHECK-LABEL: dependences of region 'counted'
// CHECK-NEXT: loop0 {{.*}}: parallel if the reduction is made one: reduction(+ : var){{$}}
  int var = 0;
#pragma omp target teams distribute parallel for map(tofrom : var)
  for (int i = 0; i < n; ++i)
    var++;
  return var;
}

// The clause is there.
int summed(int n, const int *a) {
// CHECK-LABEL: dependences of region 'summed'
// CHECK-NEXT: loop0 {{.*}}: parallel{{$}}
  int var = 0;
#pragma omp target teams distribute parallel for map(tofrom : var) reduction(+ : var)
  for (int i = 0; i < n; ++i)
    var += a[i];
  return var;
}

void in_element(int n, int *c) {
// CHECK-LABEL: dependences of region 'in_element'
// CHECK-NEXT: loop0 {{.*}}: parallel if the reduction is made one: reduction(^ : c[0 : 1]){{$}}
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    c[0] ^= i;
}

// Each thread has a sum of its own: the shared loop needs no clause, the other one would.
void rows(int n, int m, float *restrict c, const float *restrict a) {
// CHECK-LABEL: dependences of region 'rows'
// CHECK-NEXT: loop0 shared {{.*}}: parallel
// CHECK-NOT: reduction(
// CHECK: loop1 in loop0 {{.*}} if the reduction is made one: reduction(+ : s){{$}}
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) {
    float s = 0;
    for (int j = 0; j < m; ++j)
      s += a[i * m + j];
    c[i] = s;
  }
}

// An atomic update is right as it is.
void atomic(int n, int *c) {
// CHECK-LABEL: dependences of region 'atomic'
// CHECK-NEXT: loop0 {{.*}}: parallel{{$}}
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    c[0] += i;
  }
}

struct total {
  int count;
  float sum;
};

// Each update is one, but a clause names variables, no members.
void members(int n, struct total *total) {
// CHECK-LABEL: dependences of region 'members'
// CHECK-NEXT: loop0 {{.*}}: parallel if the reduction is made one: reduction(+ : a variable in place of a member of total){{$}}
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) {
    total->count++;
    total->sum += i;
  }
}

float member_of_variable(int n) {
// CHECK-LABEL: dependences of region 'member_of_variable'
// CHECK-NEXT: loop0 {{.*}}: parallel if the reduction is made one: reduction(+ : a variable in place of a member of all){{$}}
  struct total all = {0, 0};
#pragma omp target teams distribute parallel for map(tofrom : all)
  for (int i = 0; i < n; ++i)
    all.sum += i;
  return all.sum;
}
