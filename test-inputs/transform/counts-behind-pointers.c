// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Counts and row lengths that the kernel finds in memory: members of structures, and variables that a clause maps. Where nothing in the region may
// write them, and they are read whenever the loops around run, the kernel reads them before all else, what lies after a loop only if that loop
// has iterations.
//
// ARGS: grid: { struct: { rows: 13, columns: 21, step: 0.5 } }

struct grid {
  int rows, columns;
  double step;
};

#define REGION _Pragma("omp target teams distribute parallel for")

void of_members(const struct grid *grid, const double *in, double *out) {
  REGION
  for (int i = 0; i < grid->rows; i++)
    for (int j = 0; j < grid->columns; j++)
      out[i * grid->columns + j] = in[i * grid->columns + j] * grid->step;
}

// CHECK: region 'of_members'
// CHECK: transformation possible threads i j
// CHECK-NEXT: if 'in and out do not overlap'
// CHECK-NEXT: if 'grid and out do not overlap'
// CHECK-NEXT: if 'grid->columns >= 1'

void of_mapped_variables(int n, int m, const float *in, float *out) {
#pragma omp target teams distribute parallel for map(to : n, m)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      out[i * m + j] = 2 * in[i * m + j];
}

// CHECK: region 'of_mapped_variables'
// CHECK: transformation possible threads i j

// The counts are arguments, the length of rows is not.
void length_of_rows(int n, int m, int length, const float *in, float *out) {
#pragma omp target teams distribute parallel for map(to : length)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      out[i * length + j] = 2 * in[i * length + j];
}

// CHECK: region 'length_of_rows'
// CHECK: transformation possible threads i j
// CHECK-NEXT: if 'length[0] >= 0'
// CHECK-NEXT: if 'in and out do not overlap'

// The count may be one of the numbers that are written.
void written(int n, int m, int *out) {
#pragma omp target teams distribute parallel for map(to : m)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      out[i * 64 + j] = i + j;
}

// CHECK: region 'written'
// CHECK: transformation left

// Where no row is chosen, the count may not be there.
void not_reached(int n, const float *row, const struct grid *grid, float *out) {
  REGION
  for (int i = 0; i < n; i++)
    if (row[i] > 0)
      for (int j = 0; j < grid->columns; j++)
        out[i * 64 + j] = 1;
}

// CHECK: region 'not_reached'
// CHECK: transformation left
// CHECK-NEXT: because 'how often the loop runs is read from memory whenever it begins: load4`grid->columns`([grid] + 4)'

// A packed structure's members are not where one instruction reads them.
struct __attribute__((packed, aligned(2))) header {
  short version;
  int rows, columns;
};

void of_packed_members(int n, const struct header *header, float *out) {
  REGION
  for (int i = 0; i < n; i++)
    for (int j = 0; j < header->columns; j++)
      out[i * 64 + j] = 3;
}

// CHECK: region 'of_packed_members'
// CHECK: transformation left
