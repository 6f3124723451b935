// What is updated atomically is read and goes back: 131,072 * 64 = 8.4 million places that nobody knows, of 537 MB, are a sector of 32 bytes each, 268 MB, and
// as much again.
// REQUIRES: cuda
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu rtx3080 --clock base --cpu epyc-milan --resident -D size=67108864 -D streams=131072 -D per=64 --width 200 --details | %FileCheck %s
// CHECK: memory bytes {{(4[89][0-9]|5[0-4][0-9])(\.[0-9]+)?}} MB
void scattered(unsigned long *table, const unsigned long *seed, long size, int streams, int per) {
#pragma omp target teams distribute parallel for map(tofrom : table[0 : size]) map(to : seed[0 : streams])
  for (int s = 0; s < streams; ++s) {
    unsigned long r = seed[s];
    for (int k = 0; k < per; ++k) {
      r = r << 1 ^ ((long)r < 0 ? 7 : 0);
#pragma omp atomic update
      table[r & (size - 1)] ^= r;
    }
  }
}
