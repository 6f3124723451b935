// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform --optimised --schedules %s | %FileCheck %s --check-prefix=JUDGE
// ARGS: n: 19
// ARGS: m: 13
// JUDGE: of these new code ran in 2,
// JUDGE: launches compared, 0 wrong
//
// Functions of a program that leave results where pointers lead, and are given a structure: its copy for each call is written as a whole before parts of it are
// read, or not read at all.

struct grid {
  double dx, dy;
  int n, m;
};

static void centre(struct grid g, int i, int j, double *x, double *y) {
  *x = (i + 0.5) * g.dx;
  *y = (j + 0.5) * g.dy;
}

void fill(struct grid g, int n, int m, double *restrict field) {
#pragma omp target teams distribute parallel for map(from : field[0 : n * m]) firstprivate(g)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double x, y;
      centre(g, i, j, &x, &y);
      field[i * m + j] = x * x + y;
    }
}

// CHECK: region 'fill'
// CHECK: transformation possible threads i j

struct pair {
  double low, high;
};

static struct pair around(const double *values, int at) {
  struct pair found = {values[at], values[at + 1]};
  return found;
}

void slopes(int n, int m, double *restrict slope, const double *restrict values) {
#pragma omp target teams distribute parallel for map(from : slope[0 : n * m]) map(to : values[0 : n * m + 1])
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++) {
      struct pair found = around(values, i * m + j);
      slope[i * m + j] = found.high - found.low;
    }
}

// CHECK: region 'slopes'
// CHECK: transformation possible threads i j

// A structure of which a part is kept from one iteration to the next is each iteration's own in no order of them.
void last(int n, int m, double *restrict first, const double *restrict values) {
#pragma omp target teams distribute parallel for map(from : first[0 : n * m]) map(to : values[0 : n * m])
  for (int j = 0; j < m; j++) {
    struct pair kept;
    for (int i = 0; i < n; i++) {
      volatile double *low = &kept.low;
      kept.high = values[i * m + j];
      if (i % 3 == 0)
        kept.low = kept.high;
      first[i * m + j] = *low;
    }
  }
}

// CHECK: region 'last'
// CHECK: transformation left
