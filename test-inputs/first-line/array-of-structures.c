// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c array-of-structures.c
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
//
// A thread uses 8 of the 32 bytes of its structure; the fewest sectors are 8 for the loads and 4 for the store, 64
// are touched.
//
// CHECK: [1] {{.*}}, array-of-structures.c:
// CHECK-NEXT: store each member of p in an array of its own: threads are 32 bytes apart and use 8 of them: 81 % of the traffic is waste, with 128 for n

struct point { float x, y, z, w, vx, vy, vz, vw; };
void move(int n, struct point *restrict p) {
#pragma omp target teams distribute parallel for map(tofrom : p[0 : n])
  for (int i = 0; i < n; ++i)
    p[i].x += p[i].vx;
}
