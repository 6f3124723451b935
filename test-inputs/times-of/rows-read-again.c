// A level of a search through a graph: what it stores may be where rows end, for all that the compiler knows, so that each turn of the inner loop reads the end
// anew. The rows are those of the array of edges all the same: 67,108,864 edges of 16,777,216 nodes are 4 for each. (It was the last resort, 128.)
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D nodes=16777216 -D edges=67108864 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D nodes=16777216 -D edges=67108864 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D nodes=16777216 -D edges=67108864 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

// CHECK: edge load {{[0-9]+}} 2 268.44 MB
// CHECK: loop e runs as many iterations as what it walks along has elements for each iteration of loop v
void level(int nodes, int edges, const int *first, const int *edge, int *cost, unsigned char *front, unsigned char *next, const unsigned char *seen) {
#pragma omp target teams distribute parallel for map(to : first[0 : nodes + 1], edge[0 : edges], seen[0 : nodes]) \
    map(tofrom : cost[0 : nodes], front[0 : nodes], next[0 : nodes])
  for (int v = 0; v < nodes; v++)
    if (front[v]) {
      front[v] = 0;
      for (int e = first[v]; e < first[v + 1]; e++)
        if (!seen[edge[e]]) {
          cost[edge[e]] = cost[v] + 1;
          next[edge[e]] = 1;
        }
    }
}
