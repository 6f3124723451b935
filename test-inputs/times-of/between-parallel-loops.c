// Two parallel loops within a loop of each team. What lies between them, where all threads wait for each other, counts once for each iteration of the loop, and not
// in each of both, as often again as that loop has iterations: a team of 256 goes 64 times through some hundred instructions, 8 warps * 4096 teams * 64 rounds * 300
// instructions / (132 multiprocessors * 4 a cycle * 1.98 GHz) = 0.6 ms and not 40.
// REQUIRES: cuda
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D teams=4096 -D rounds=64 | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D teams=4096 -D rounds=64 --as-at-launch | %FileCheck %s

// CHECK: both
// CHECK: kernel {{[0-9.]+ us|[01].[0-9]+ ms}}
void both(float *a, const float *b, int teams, int rounds) {
#pragma omp target teams distribute thread_limit(256) map(tofrom : a[0 : teams * 256]) map(to : b[0 : rounds * 256])
  for (int team = 0; team < teams; ++team) {
    float shared[256];
    for (int k = 0; k < rounds; ++k) {
#pragma omp parallel for
      for (int t = 0; t < 256; ++t)
        shared[t] = b[k * 256 + t];
#pragma omp parallel for
      for (int t = 0; t < 256; ++t)
        a[team * 256 + t] += shared[255 - t];
    }
  }
}
