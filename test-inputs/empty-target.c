// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s --check-prefix=HOST
//
// A region that does nothing with its scalar: it is found, and there is no loop and no access to report.

void nothing(int x) {
#pragma omp target
  x = x + 1;
}

// HOST: region 'nothing' at {{.*}}empty-target.c:[[#@LINE-4]]

// CHECK: region 'nothing' at {{.*}}empty-target.c:[[#@LINE-6]]
// CHECK-NOT: {{loop[0-9]|acc[0-9]}}
// CHECK: total
