// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform --schedules --optimised %s | %FileCheck %s --check-prefix=JUDGE
//
// Stencils as they are generated for finite differences: grids whose rows have so many points as their sizes say, and loops over the points from
// one number to another, both of which are given.
//
// JUDGE: {{[0-9]+}} launches compared, 0 wrong

struct grid {
  void *restrict data;
  int *size;
};

// Points of one box, z_m to z_M of a row, are different places if the row has as many: z_M - z_m < size[2]. That each loop runs once would do, too,
// and is no reason to test it.
void damped(struct grid *u_grid, struct grid *damp_grid, int x_m, int x_M, int y_m, int y_M, int z_m, int z_M) {
  float(*restrict u)[u_grid->size[1]][u_grid->size[2]] = (float(*)[u_grid->size[1]][u_grid->size[2]])u_grid->data;
  float(*restrict damp)[damp_grid->size[1]][damp_grid->size[2]] =
      (float(*)[damp_grid->size[1]][damp_grid->size[2]])damp_grid->data;
#pragma omp target teams distribute parallel for
  for (int x = x_m; x <= x_M; x += 1)
    for (int y = y_m; y <= y_M; y += 1)
      for (int z = z_m; z <= z_M; z += 1)
        u[x + 2][y + 2][z + 2] += 0.5F * damp[x + 1][y + 1][z + 1];
}

// CHECK: region 'damped'
// CHECK: transformation possible threads x y z sectors
// CHECK: if 'z_M < z_m + vla{{.*}}'
// CHECK: if 'y_M < y_m + vla{{.*}}'

// The same up to before the last number, with sizes of more bits.
void copied(long rows, long points, int from_x, int to_x, int from_y, int to_y, int from_z, int to_z,
            double (*restrict field)[rows][points], double (*restrict kept)[rows][points]) {
#pragma omp target teams distribute parallel for map(tofrom : field[0 : to_x]) map(to : kept[0 : to_x])
  for (int x = from_x; x < to_x; ++x)
    for (int y = from_y; y < to_y; ++y)
      for (int z = from_z; z < to_z; ++z)
        field[x][y][z] = kept[x][y][z] - 2 * field[x][y][z];
}

// CHECK: region 'copied'
// CHECK: transformation possible threads x y z sectors

// Rows of one plane, each of which needs the one before: whatever the sizes are.
void swept(int rows, int points, int x_m, int x_M, int y_m, int y_M, int z_m, int z_M,
           float (*restrict u)[rows][points]) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : x_M + 1])
  for (int x = x_m; x <= x_M; x += 1)
    for (int y = y_m; y <= y_M; y += 1)
      for (int z = z_m; z <= z_M; z += 1)
        u[x][y + 1][z] += 0.5F * u[x][y][z];
}

// CHECK: region 'swept'
// CHECK-NOT: transformation possible threads x y
// CHECK: transformation possible threads x z sectors
