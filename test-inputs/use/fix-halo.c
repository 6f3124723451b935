// What a change rests on stands above the directive, also that of map clauses: the borders of w stay as they were, so that map(from) is wrong unless the
// loops have all of it. A test that would be too long to read is not written.
// REQUIRES: cuda
// RUN: rm -rf %t && mkdir %t && sed '/^\/\/ /d' %s > %t/a.c
// RUN: cd %t && env IPDA_REPORT=a.yaml %clang %load -O2 -g -w %nvptx -c a.c -o a.o
// RUN: cd %t && %ipda fix --assume --dry-run a.yaml | %FileCheck %s
// RUN: cd %t && %not %ipda fix --guard --dry-run a.yaml 2>&1 | %FileCheck %s --check-prefix=GUARD
// RUN: cd %t && %ipda fix --assume a.yaml && %clang -fsyntax-only -fopenmp a.c
// RUN: cd %t && env IPDA_REPORT=b.yaml %clang %load -O2 -g -w %nvptx -c a.c -o a.o
// RUN: cd %t && %ipda fix --assume --dry-run b.yaml | %FileCheck %s --check-prefix=AGAIN --allow-empty
// CHECK: map(from) for w, right only where the loops overwrite all of it and no other array shares its bytes, which nothing tests
// CHECK: {{^}}+/* right only where the loops overwrite all of w and no other array shares its bytes */
// CHECK-NEXT: {{^}}+/* right only where {{.*}}a and w do not overlap
// CHECK-NEXT: {{^}}+#pragma omp target {{.*}}collapse({{.*}}map(from : w[0 : len])
// GUARD: `a and w do not overlap` cannot be tested there: its test would be a line of {{[0-9]+}} characters
// AGAIN-NOT: right only

void differences(int xdim, int ydim, int x_m, int x_M, int y_m, int y_M, int z_m, int z_M, int base, int len,
                 const double *restrict a, double *restrict w) {
#pragma omp target teams distribute parallel for map(to : a[0 : len]) map(tofrom : w[0 : len])
  for (int x = x_m; x < x_M; ++x)
    for (int y = y_m; y < y_M; ++y)
      for (int z = z_m; z < z_M; ++z)
        w[base + x + y * xdim + z * xdim * ydim] =
            a[base + x + 1 + y * xdim + z * xdim * ydim] - a[base + x - 1 + y * xdim + z * xdim * ydim] +
            a[base + x + (y + 1) * xdim + z * xdim * ydim] - a[base + x + (y - 1) * xdim + z * xdim * ydim] +
            a[base + x + y * xdim + (z + 1) * xdim * ydim] - a[base + x + y * xdim + (z - 1) * xdim * ydim];
}
