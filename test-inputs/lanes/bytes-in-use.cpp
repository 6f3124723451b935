// What a warp uses of the sectors that it touches, and a thread of what lies between it and its neighbour: each byte once.
// RUN: env IPDA_REPORT=%t.yaml %clang-device++ -w -g -Xclang -debug-info-kind=constructor %s -o %t.s
// RUN: %ipda report %t.yaml --all --width 300 | %FileCheck %s
// RUN: %ipda report %t.yaml --region moved --width 300 | %FileCheck %s --check-prefix=MOVED

// Distances that the program gives may be any: nothing is known of how many sectors a warp needs.
// CHECK: {{^}}[{{[0-9]}}] given
// CHECK-NOT: an array of the team
// CHECK: load b 8 {{.*}} symbolic
void given(long n, long m, long s, long t, const double *b, double *a) {
#pragma omp target teams distribute parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j)
      a[i * m + j] += b[i * s + j * t];
}

// Four threads share each element, 32 bytes from the next one.
// CHECK: {{^}}[{{[0-9]}}] shared
// CHECK: let neighbouring threads use neighbouring elements of x: 38 % of the traffic is waste
// CHECK: load x 8 {{.*}} 224 strided 8 2
void shared(int n, const double *x, double *o) {
#pragma omp target teams distribute parallel for collapse(2) map(to : x[0 : n * 4]) map(tofrom : o[0 : n * 4])
  for (int i = 0; i < n; ++i)
    for (int c = 0; c < 4; ++c)
      o[i * 4 + c] = x[i * 4];
}

// Two vectors of three, of 64 bytes.
// MOVED: threads are 64 bytes apart and use 48 of them
struct Vector {
  double of[3];
};
static Vector operator*(double factor, const Vector &v) {
  Vector result;
  for (int d = 0; d < 3; ++d)
    result.of[d] = factor * v.of[d];
  return result;
}
struct Particle {
  Vector place, speed;
  double mass;
  int id;
};
void moved(int n, Particle *p) {
#pragma omp target teams distribute parallel for map(tofrom : p[0 : n])
  for (int i = 0; i < n; ++i)
    p[i].place = 0.1 * p[i].speed;
}
