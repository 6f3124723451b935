// RUN: %policies | %FileCheck %s
// A declared mapper says what is mapped of a structure: here not the member that the region writes, which the launch does not show.
#include <stdio.h>
struct part {
  int in[10], out[10], scratch[10];
};
#pragma omp declare mapper(struct part p) map(to : p.in) map(from : p.out) map(alloc : p.scratch)
static void mapped(struct part *p) {
#pragma omp target map(tofrom : *p)
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: a declared mapper says what is mapped
  for (int i = 0; i < 10; ++i) {
    p->scratch[i] = 2 * p->in[i];
    p->out[i] = p->scratch[i];
  }
}
struct plain {
  int in[10], out[10];
};
static void plain(struct plain *p) {
#pragma omp target map(tofrom : *p)
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < 10; ++i)
    p->out[i] = 2 * p->in[i];
}
int main(void) {
  struct part p = {{1, 2, 3}, {0}, {-1, -1}};
  struct plain q = {{1, 2, 3}, {0}};
  mapped(&p);
  plain(&q);
  printf("%d %d %d\n", p.out[1], p.scratch[1], q.out[2]);
}
// CHECK: under never:
// CHECK-NEXT: plain at {{.*}}: on the host
// CHECK-NOT: on the
