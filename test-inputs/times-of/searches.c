// Searches halve what they look through until one place is left: log2(1,048,576 + 1) = 20 steps in a table of `n` = 2^20 places, whatever is looked for, and in
// a row of 16 of a graph log2(16) = 4. Neither is a loop of 128 steps, nor one that ends at any place as likely as at another.
//
// The first places of a search are those of all others: of 20 levels, the level of all 2^20 * 8 bytes, 8.4 MB, and the one above do not fit into an L2 of 5 MB,
// all levels above do. 4,194,304 searches fetch no more than a sector for each of two levels, 268 MB, and read and write 67 MB in order: 300 MB, where 20 random
// places each would be 2.7 GB, and half of the table kept 1.3.
// REQUIRES: cuda
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu rtx3080 --clock base --cpu epyc-milan --resident -D n=1048576 -D q=4194304 -D rows=131072 -D edges=2097152 -D cells=32768 --width 200 --details | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=REPORT <%t.yaml

// REPORT: function: lower_bounds
// REPORT: halved: '[n]'
// CHECK: lower_bounds
// CHECK: memory bytes {{(1[5-9]|2[0-9]|3[0-4])[0-9](\.[0-9]+)?}} MB
// CHECK: table {{ *}}load {{ *}}32 {{ *}}20 {{ *}}8.3886 MB
// CHECK: loop {{.*}} halves the places that it searches in each iteration, until none is left
// CHECK-NOT: runs 128 iterations
void lower_bounds(const long *table, const long *keys, long *found, long n, long q) {
#pragma omp target teams distribute parallel for map(to : table[0 : n], keys[0 : q]) map(from : found[0 : q])
  for (long i = 0; i < q; i++) {
    long low = 0, high = n, key = keys[i];
    while (low < high) {
      long mid = low + (high - low) / 2;
      if (table[mid] < key)
        low = mid + 1;
      else
        high = mid;
    }
    found[i] = low;
  }
}

// Its twin goes to a third of what is left, and nobody knows in how many steps.
// REPORT: function: thirds
// REPORT-NOT: halved
// CHECK: thirds
// CHECK-NOT: halves the places
void thirds(const long *table, const long *keys, long *found, long n, long q) {
#pragma omp target teams distribute parallel for map(to : table[0 : n], keys[0 : q]) map(from : found[0 : q])
  for (long i = 0; i < q; i++) {
    long low = 0, high = n, key = keys[i];
    while (low < high) {
      long third = low + (high - low) / 3;
      if (table[third] < key)
        low = third + 1;
      else
        high = third;
    }
    found[i] = low;
  }
}

// Rows of the neighbours of a row's neighbours have 2,097,152 / 131,072 = 16 elements each, as the list of where rows begin says, and not 131,072, as would be
// of 2,097,152 elements for each of 16: for each edge, 16 searches of 4.1 steps.
// REPORT: function: common_neighbours
// CHECK: common_neighbours
// CHECK: to {{ *}}load {{ *}}32 {{ *}}{{10[0-9][0-9]}} {{ *}}8.3886 MB
// CHECK: as many iterations as what it walks along has elements for each beginning that is listed
void common_neighbours(const int *first, const int *to, int *common, int rows, int edges) {
#pragma omp target teams distribute parallel for map(to : first[0 : rows + 1], to[0 : edges]) map(from : common[0 : edges])
  for (int row = 0; row < rows; row++)
    for (int edge = first[row]; edge < first[row + 1]; edge++) {
      int other = to[edge], all = 0;
      for (int i = first[other]; i < first[other + 1]; i++) {
        int low = first[row], high = first[row + 1] - 1;
        while (low <= high) {
          int mid = (low + high) / 2;
          if (to[mid] > to[i])
            high = mid - 1;
          else if (to[mid] < to[i])
            low = mid + 1;
          else {
            all++;
            break;
          }
        }
      }
      common[edge] = all;
    }
}

// Particles of the cells around: n / cells = 1,048,576 / 32,768 = 32 in each of 27 cells, 864 in all, whichever cells a particle has around it.
// REPORT: function: densities
// CHECK: densities
// CHECK: place {{ *}}load {{ *}}32 {{ *}}864 {{ *}}4.1943 MB
// CHECK: as many iterations as what it walks along has elements for each beginning that is listed
void densities(const float *place, const int *start, const int *count, const int *cell, float *density, int n, int cells) {
#pragma omp target teams distribute parallel for map(to : place[0 : n], start[0 : cells], count[0 : cells], cell[0 : n]) map(from : density[0 : n])
  for (int i = 0; i < n; i++) {
    float sum = 0;
    for (int around = -13; around <= 13; around++) {
      int c = (cell[i] + around) & (cells - 1);
      for (int k = 0; k < count[c]; k++)
        sum += place[i] - place[start[c] + k];
    }
    density[i] = sum;
  }
}
