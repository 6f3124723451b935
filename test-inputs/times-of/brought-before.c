// What another access has brought is not brought again.
// `wave`: a loop over a few distances takes neighbours in three directions. 256^3 floats; of the fields `u` and `before` 248^3 elements and more, 61 to 67 MB each, are read, and
// 61 MB written; nine planes of 262 kB are less than L2's 5 MB. 183 to 201 MB, and up to a quarter more of `u` comes again at the planes' edges. (Each direction came by itself: 567 MB.)
// `slopes`: differences are stored, and loaded again at once, as the compiler cannot know that the arrays lie apart: L2 has them. 16777216 floats in and three arrays
// out are 268 MB. (The loads counted as others: 470 MB.)
// `swap_some`: each pair of 4194304 integers is looked at by one of its threads, in one of the two directions: 16.8 MB are read, and, where half of the lanes
// swap, nearly each sector is written: 25 to 34 MB. (Warps that do not look at any pair were counted as well: 75 MB.)
// `frontier`: a node's edges begin where its entry says, and it says how many: both are read anew for each edge, as a byte that is stored may change them. 1000000 nodes
// have 6000000 edges, 6 for each. (128 were taken: 6 GB.)
// REQUIRES: cuda
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident --region wave -D nx=256 -D ny=256 -D nz=256 --details | %FileCheck --check-prefix=WAVE %s
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident --region slopes -D rows=4096 -D columns=4096 --details | %FileCheck --check-prefix=SLOPES %s
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident --region swap_some -D n=4194304 -D apart=1024 -D up=4096 --details | %FileCheck --check-prefix=SWAP %s
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident --region frontier -D nodes=1000000 -D edges=6000000 --details --width 200 | %FileCheck --check-prefix=EDGES %s
#define FAR 4
#define AT(z, y, x) (((z) * ny + (y)) * nx + (x))

// WAVE: memory bytes {{(1[89]|2[0-6])[0-9](\.[0-9]+)?}} MB
void wave(const float *u, const float *before, float *next, const float *c, int nx, int ny, int nz) {
#pragma omp target teams distribute parallel for collapse(3) map(to : u[0 : nx * ny * nz], before[0 : nx * ny * nz], c[0 : FAR + 1]) map(from : next[0 : nx * ny * nz])
  for (int z = FAR; z < nz - FAR; z++)
    for (int y = FAR; y < ny - FAR; y++)
      for (int x = FAR; x < nx - FAR; x++) {
        float sum = 3.0f * c[0] * u[AT(z, y, x)];
        for (int r = 1; r <= FAR; r++)
          sum += c[r] * (u[AT(z - r, y, x)] + u[AT(z + r, y, x)] + u[AT(z, y - r, x)] + u[AT(z, y + r, x)] + u[AT(z, y, x - r)] + u[AT(z, y, x + r)]);
        next[AT(z, y, x)] = 2.0f * u[AT(z, y, x)] - before[AT(z, y, x)] + 0.1f * sum;
      }
}

// SLOPES: memory bytes 26{{[89](\.[0-9]+)?}} MB
void slopes(const float *a, float *down, float *right, float *size, int rows, int columns) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : rows * columns]) map(from : down[0 : rows * columns], right[0 : rows * columns], size[0 : rows * columns])
  for (int i = 0; i < rows - 1; i++)
    for (int j = 0; j < columns - 1; j++) {
      int k = i * columns + j;
      down[k] = a[k + columns] - a[k];
      right[k] = a[k + 1] - a[k];
      size[k] = down[k] * down[k] + right[k] * right[k];
    }
}

// SWAP: memory bytes {{(2[5-9]|3[0-4])(\.[0-9]+)?}} MB
void swap_some(int *a, int n, int apart, int up) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; i++) {
    int other = i ^ apart;
    if (other > i) {
      if ((i & up) == 0 && a[i] > a[other]) {
        int t = a[i];
        a[i] = a[other];
        a[other] = t;
      }
      if ((i & up) != 0 && a[i] < a[other]) {
        int t = a[i];
        a[i] = a[other];
        a[other] = t;
      }
    }
  }
}

struct node {
  int first, count;
};

// EDGES: runs as many iterations as what it walks along has elements for each iteration of loop v
void frontier(const struct node *node, const int *edge, char *now, char *next, const char *seen, int *cost, int nodes, int edges) {
#pragma omp target teams distribute parallel for map(to : node[0 : nodes], edge[0 : edges], seen[0 : nodes]) map(tofrom : now[0 : nodes], next[0 : nodes], cost[0 : nodes])
  for (int v = 0; v < nodes; v++)
    if (now[v]) {
      now[v] = 0;
      for (int e = node[v].first; e < node[v].first + node[v].count; e++) {
        int to = edge[e];
        if (!seen[to]) {
          cost[to] = cost[v] + 1;
          next[to] = 1;
        }
      }
    }
}
