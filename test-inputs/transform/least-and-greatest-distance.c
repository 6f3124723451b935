// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// An array is read at a distance that nobody knows: what is touched of it begins at the lesser and ends at the greater of two places, which the
// guard computes.
//
// ARGS: distance: 1

#define REGION _Pragma("omp target teams distribute parallel for")

void differences(int n, int distance, const float *p, float *v) {
  REGION
  for (int y = 0; y < n - 1; ++y)
    for (int x = 0; x < n - 1; ++x)
      v[y * n + x] -= p[y * n + x + distance + 64] - p[y * n + x];
}

// Within one array, the distance decides which iteration reads what another one writes: none where rows are shorter.
void within_one_array(int n, int distance, float *v) {
  REGION
  for (int y = 0; y < n - 1; ++y)
    for (int x = 0; x < n - 1; ++x)
      v[y * n + x] -= v[y * n + x + distance + 64];
}

// CHECK: region 'differences'
// CHECK: transformation possible threads y x
// CHECK: if 'p and v do not overlap'
// CHECK: region 'within_one_array'
// CHECK: if 'n <= distance + 65'
