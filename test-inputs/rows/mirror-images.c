// RUN: %compile-device %s | %dependences | %FileCheck %s
// RUN: %ipda-oracle transform %s | %FileCheck %s --check-prefix=CHANGED
//
// What is written one element behind its place needs the same as what is written one element before it. With rows of 100 and j < m, the places j + 1 of
// row i and j' of row i + 1 are one where 100 + j' - (j + 1) = 0, for which m has to be more than 101, and those of row i - 1 where it is more than 99.
// Loops of rows are parallel where both cannot be; those of elements never are, since each element is written beside where it is read.

// CHANGED: 9 kernels
// CHANGED: launches compared, 0 wrong

void behind(int n, int m, double b[][100]) {
// CHECK-LABEL: dependences of region 'behind'
// CHECK-NEXT: loop0 shared i {{.*}}: parallel if m <= 99{{$}}
// CHECK-NEXT: loop1 in loop0 j {{.*}}: {{unknown|serial}}: flow dependence of b
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      b[i][j + 1] = b[i][j];
}

void before(int n, int m, double b[][100]) {
// CHECK-LABEL: dependences of region 'before'
// CHECK-NEXT: loop0 shared i {{.*}}: parallel if m <= 99{{$}}
// CHECK-NEXT: loop1 in loop0 j {{.*}}: {{unknown|serial}}: anti dependence of b
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      b[i][j - 1] = b[i][j];
}

// Ghost cells on both sides.
#define HALO 2
#define AT(f, i, j) f[(i) * 128 + (j) + HALO]

void from_the_left(int rows, int columns, double *u) {
// CHECK-LABEL: dependences of region 'from_the_left'
// CHECK-NEXT: loop0 shared i {{.*}}: parallel if columns <= 126{{$}}
  int i, j;
#pragma omp target teams distribute parallel for private(j)
  for (i = 0; i < rows; i++)
    for (j = 0; j < columns; j++)
      AT(u, i, j) = 0.5 * AT(u, i, j - 2);
}

void from_the_right(int rows, int columns, double *u) {
// CHECK-LABEL: dependences of region 'from_the_right'
// CHECK-NEXT: loop0 shared i {{.*}}: parallel if columns <= 126{{$}}
  int i, j;
#pragma omp target teams distribute parallel for private(j)
  for (i = 0; i < rows; i++)
    for (j = 0; j < columns; j++)
      AT(u, i, j) = 0.5 * AT(u, i, j + 2);
}

// From the row above or below: rows wait for each other, unless there is one alone.
void from_above(int n, int m, double b[][100]) {
// CHECK-LABEL: dependences of region 'from_above'
// CHECK-NEXT: loop0 shared i {{.*}}: parallel if m <= 100, m + 100*n <= 300{{$}}
#pragma omp target teams distribute parallel for
  for (int i = 1; i < n; i++)
    for (int j = 0; j < m; j++)
      b[i][j + 1] = b[i - 1][j + 1];
}

void from_below(int n, int m, double b[][100]) {
// CHECK-LABEL: dependences of region 'from_below'
// CHECK-NEXT: loop0 shared i {{.*}}: parallel if m + 100*n <= 200, m <= 100{{$}}
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      b[i][j - 1] = b[i + 1][j - 1];
}

// Columns, each of which a sweep goes along: threads share planes and columns, provided that a column does not go on in the next row.
#define ROWS 66

void sweep_down(int planes, int n, int m, double b[][ROWS][100]) {
// CHECK-LABEL: dependences of region 'sweep_down'
// CHECK-NEXT: loop0 shared k {{.*}}: parallel if m <= 100, n <= 65{{$}}
// CHECK-NEXT: loop1 in loop0 i {{.*}}: parallel if {{m <= 100, m [+] 100[*]n <= 200|m [+] 100[*]n <= 200, m <= 100}}{{$}}
// CHECK-NEXT: loop2 in loop1 j {{.*}}: parallel if m <= 100{{$}}
#pragma omp target teams distribute parallel for
  for (int k = 0; k < planes; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        b[k][i + 1][j] = 0.5 * b[k][i][j];
}

void sweep_up(int planes, int n, int m, double b[][ROWS][100]) {
// CHECK-LABEL: dependences of region 'sweep_up'
// CHECK-NEXT: loop0 shared k {{.*}}: parallel if m <= 100, n <= 65{{$}}
// CHECK-NEXT: loop1 in loop0 i {{.*}}: parallel if {{m <= 100, m [+] 100[*]n <= 200|m [+] 100[*]n <= 200, m <= 100}}{{$}}
// CHECK-NEXT: loop2 in loop1 j {{.*}}: parallel if m <= 100{{$}}
#pragma omp target teams distribute parallel for
  for (int k = 0; k < planes; k++)
    for (int i = n; i > 0; i--)
      for (int j = 0; j < m; j++)
        b[k][i - 1][j] = 0.5 * b[k][i][j];
}

void sweep_up_forwards(int planes, int n, int m, double b[][ROWS][100]) {
// CHECK-LABEL: dependences of region 'sweep_up_forwards'
// CHECK-NEXT: loop0 shared k {{.*}}: parallel if m <= 100, n <= 65{{$}}
// CHECK-NEXT: loop1 in loop0 i {{.*}}: parallel if {{m <= 100, m [+] 100[*]n <= 200|m [+] 100[*]n <= 200, m <= 100}}{{$}}
// CHECK-NEXT: loop2 in loop1 j {{.*}}: parallel if m <= 100{{$}}
#pragma omp target teams distribute parallel for
  for (int k = 0; k < planes; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        b[k][i][j] = 0.5 * b[k][i + 1][j];
}
