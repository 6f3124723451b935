// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c idle-teams.c
// RUN: %ipda report %t.yaml --width 220 | %FileCheck %s
// RUN: %ipda explain idle-teams.c:52 --report %t.yaml --width 220 | %FileCheck %s --check-prefix=EXPLAIN
//
// What is to be written stands in every place: a construct for teams is all that its target region has in it, and nothing stands beside `loop`. One team that
// a clause asks for is said to be one; where there is little to do, one will do.
//
// CHECK-LABEL: ] ramp_and_mirror, idle-teams.c:
// CHECK-NEXT: give each of the loops a region of its own, and write target teams distribute parallel for: one team shares the loops over i (line {{[0-9]+}}) and i (line {{[0-9]+}}), and the rest of the GPU is idle
//
// CHECK-LABEL: ] spread, idle-teams.c:
// CHECK-NEXT: write distribute parallel for in place of distribute or loop: teams share the loop over i, and one thread of each works
//
// CHECK-LABEL: ] sweep_rows, idle-teams.c:
// CHECK-NEXT: give the loop a region of its own, and write target teams distribute parallel for: one team shares the loop over x, and the rest of the GPU is idle
//
// CHECK-LABEL: ] blur, idle-teams.c:
// CHECK-NEXT: leave out num_teams, which asks for one team: it alone runs the loop over y, and the rest of the GPU is idle
// CHECK: loop0 y, {{.*}} iterations over all threads of one team (distribute parallel for)
// EXPLAIN: runs [h] - 2 iterations, shared among all threads of one team
//
// CHECK-LABEL: ] palette, idle-teams.c:
// CHECK-NOT: leave out num_teams

#pragma omp declare target
static int weight_of(int k) { int w = 1; while (k > 0) { w = w * 5 % 23; k -= 2; } return w; }
#pragma omp end declare target
void ramp_and_mirror(int n, double *restrict a, double *restrict c) {
#pragma omp target map(tofrom : a[0 : n], c[0 : n])
  {
    int i;
#pragma omp parallel for
    for (i = 0; i < n; i++) a[i] = 0.5 * i;
#pragma omp parallel for
    for (i = 0; i < n; i++) c[i] = a[n - 1 - i];
  }
}
void spread(int n, const double *restrict a, double *restrict c) {
#pragma omp target teams loop map(to : a[0 : n]) map(tofrom : c[0 : n])
  for (int i = 0; i < n; i++) c[i] = a[i] + weight_of(i);
}
void sweep_rows(int w, int h, float *restrict u) {
#pragma omp target map(tofrom : u[0 : w * h])
  for (int y = 1; y < h; y++) {
#pragma omp parallel for
    for (int x = 0; x < w; x++) u[y * w + x] += 0.5f * u[(y - 1) * w + x];
  }
}
void blur(int w, int h, const float *restrict u, float *restrict v) {
  int x, y;
#pragma omp target teams distribute parallel for num_teams(1) private(x) map(to : u[0 : w * h]) map(tofrom : v[0 : w * h])
  for (y = 1; y < h - 1; y++)
    for (x = 1; x < w - 1; x++) v[y * w + x] = 0.25f * (u[y * w + x - 1] + u[y * w + x + 1] + u[(y - 1) * w + x] + u[(y + 1) * w + x]);
}
void palette(float *restrict p) {
#pragma omp target teams distribute parallel for num_teams(1) map(tofrom : p[0 : 64])
  for (int c = 0; c < 64; c++) p[c] *= 0.5f;
}
