// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform --schedules --optimised %s | %FileCheck %s --check-prefix=JUDGE
//
// Arrays of three dimensions with a stride for each, as libraries of structured grids keep them: strides are numbers of their own, of which no sign is
// known. Rows are apart where a stride is as long as what is used of a row, and planes where theirs is as long as what is used of a plane: then both are positive.
//
// JUDGE: {{[0-9]+}} launches compared, 0 wrong

void scaled(int kstride, int jstride, int nk, int nj, int ni, double *restrict a) {
#pragma omp target teams distribute parallel for
  for (int k = 0; k < nk; ++k)
    for (int j = 0; j < nj; ++j)
      for (int i = 0; i < ni; ++i)
        a[k * kstride + j * jstride + i] *= 0.5;
}

// CHECK: region 'scaled'
// CHECK: transformation possible threads k j i sectors
// CHECK: if 'ni <= jstride'
// CHECK-NOT: if 'jstride >= 0'

// A box of it.
void in_box(int kstride, int jstride, int klo, int khi, int jlo, int jhi, int ilo, int ihi, double *restrict a) {
#pragma omp target teams distribute parallel for
  for (int k = klo; k <= khi; ++k)
    for (int j = jlo; j <= jhi; ++j)
      for (int i = ilo; i <= ihi; ++i)
        a[k * kstride + j * jstride + i] += 1;
}

// CHECK: region 'in_box'
// CHECK: transformation possible threads k j i sectors
// CHECK: if 'ihi < ilo + jstride'

// Each row of a plane needs the one before, whatever the strides are.
void swept(int kstride, int jstride, int nk, int nj, int ni, double *restrict a) {
#pragma omp target teams distribute parallel for
  for (int k = 0; k < nk; ++k)
    for (int j = 1; j < nj; ++j)
      for (int i = 0; i < ni; ++i)
        a[k * kstride + j * jstride + i] += a[k * kstride + (j - 1) * jstride + i];
}

// CHECK: region 'swept'
// CHECK-NOT: transformation possible threads k j
