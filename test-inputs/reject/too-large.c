// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// Each function calls the one before it twice: short to write, and more than 50000 instructions when all calls are followed.

static unsigned step0(unsigned x) { return x * 5u ^ 7u; }
#define TWICE(f, g) \
  static unsigned f(unsigned x) { return g(g(x)) ^ x; }
TWICE(step1, step0)
TWICE(step2, step1)
TWICE(step3, step2)
TWICE(step4, step3)
TWICE(step5, step4)
TWICE(step6, step5)
TWICE(step7, step6)
TWICE(step8, step7)
TWICE(step9, step8)
TWICE(step10, step9)
TWICE(step11, step10)
TWICE(step12, step11)
TWICE(step13, step12)
TWICE(step14, step13)
TWICE(step15, step14)
TWICE(step16, step15)

void scramble(int n, unsigned *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = step16(x[i]);
}

void scramble_less(int n, unsigned *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = step4(x[i]);
}

// CHECK: region 'scramble' at {{.*}}too-large.c:[[#@LINE-11]]
// CHECK-NOT: {{acc[0-9]}}
// CHECK: reject TooLarge 'the region has more than {{[0-9]+}} instructions, those of the functions that it calls among them' at {{.*}}too-large.c:[[#@LINE-13]]
// CHECK-NOT: reject {{[A-Z]}}
// CHECK: region 'scramble_less'
// CHECK: load x 4 bytes
// CHECK: store x 4 bytes
// CHECK-NOT: reject {{[A-Z]}}
