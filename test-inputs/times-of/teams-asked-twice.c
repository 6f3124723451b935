// Threads find their tile by the number of their team, which the program asks for twice: the same number. 16 threads of a row of a tile read 64 bytes beside each other, two
// sectors, and write as many: 4096 * 4096 floats are read once and written once, 134.2 MB. (The second number was taken for one that nobody knows: each thread went
// anywhere, 1.04 GB.)
// REQUIRES: cuda
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident --region turned -D n=4096 -D tiles=256 -D num_teams=65536 --details | %FileCheck --check-prefix=TURNED %s
#include <omp.h>
#define EDGE 16

// TURNED: memory bytes 134.{{[0-9]+}} MB
void turned(const float *in, float *out, int n) {
  int tiles = n / EDGE;
#pragma omp target teams num_teams(tiles * tiles) thread_limit(EDGE * EDGE) map(to : in[0 : n * n]) map(from : out[0 : n * n])
  {
    float tile[EDGE * (EDGE + 1)];
#pragma omp parallel
    {
      int x = omp_get_thread_num() % EDGE, y = omp_get_thread_num() / EDGE;
      int column = omp_get_team_num() % tiles, row = omp_get_team_num() / tiles;
      tile[y * (EDGE + 1) + x] = in[(row * EDGE + y) * n + column * EDGE + x];
#pragma omp barrier
      out[(column * EDGE + y) * n + row * EDGE + x] = tile[x * (EDGE + 1) + y];
    }
  }
}
