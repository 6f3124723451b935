// Either way a warp touches as much. Fused, the loops have threads enough for a device, so that is done where n alone is too little.
// RUN: %device | %FileCheck %s

struct Cell {
  float value, others[15];
};

void copy(int n, int m, const struct Cell *A, struct Cell *B) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m]) map(from : B[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      B[i * m + j].value = A[i * m + j].value;
}

// CHECK: transformation possible threads i j
// CHECK: if 'n <= 67583'
