// RUN: %device | %FileCheck %s
//
// A box of a grid whose bounds are members of a structure. As an example each of its loops has many iterations, though the number of both together is a
// product of differences, none of which shows while another is 0: it is not said that threads would be a thousand in place of one.

struct box {
  int x_m, x_M, y_m, y_M, z_m, z_M, ny, nz;
};

double energy(const struct box *b, const double *restrict u) {
  double sum = 0;
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : sum) map(to : b[0 : 1])
  for (int x = b->x_m; x < b->x_M; ++x)
    for (int y = b->y_m; y < b->y_M; ++y)
      for (int z = b->z_m; z < b->z_M; ++z)
        sum += u[(x * b->ny + y) * b->nz + z];
  return sum;
}

// CHECK: region 'energy'
// CHECK-NOT: of 1 to
