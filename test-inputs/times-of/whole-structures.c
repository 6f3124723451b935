// Threads that copy structures touch all sectors of theirs, whether as a whole or field by field: a line holds nothing that nobody asks for. 16777216
// structures of 48 bytes are 805.3 MB, which come once and go once: 1.61 GB from and to memory. The teams that an H100 runs at a time hold 132 * 2048 structures
// of each array, 26 MB, in an L2 of 50 MB, so that the fields of a structure find what the first one brought. (Lines counted four times what is used of them:
// 5.17 GB, field by field.) Structures of 64 bytes of which 12 are read have one of their two sectors touched: 16777216 * (32 + 4) bytes, 0.6 GB.
// REQUIRES: cuda
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=16777216 --details | %FileCheck %s
struct particle {
  double x, y, z, vx, vy, vz;
};

struct cell {
  float x, y, z, others[13];
};

// CHECK: whole,
// CHECK: memory bytes 1.6106 GB
void whole(const struct particle *from, struct particle *to, int n) {
#pragma omp target teams distribute parallel for map(to : from[0 : n]) map(from : to[0 : n])
  for (int i = 0; i < n; i++)
    to[i] = from[i];
}

// CHECK: by_field,
// CHECK: memory bytes 1.6{{[0-9]*}} GB
void by_field(const struct particle *from, struct particle *to, int n) {
#pragma omp target teams distribute parallel for map(to : from[0 : n]) map(from : to[0 : n])
  for (int i = 0; i < n; i++) {
    to[i].x = from[i].x;
    to[i].y = from[i].y;
    to[i].z = from[i].z;
    to[i].vx = from[i].vx;
    to[i].vy = from[i].vy;
    to[i].vz = from[i].vz;
  }
}

// CHECK: lengths,
// CHECK: memory bytes 60{{[0-9.]*}} MB
void lengths(const struct cell *from, float *to, int n) {
#pragma omp target teams distribute parallel for map(to : from[0 : n]) map(from : to[0 : n])
  for (int i = 0; i < n; i++)
    to[i] = from[i].x * from[i].x + from[i].y * from[i].y + from[i].z * from[i].z;
}
