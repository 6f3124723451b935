// Counts of loops and what stands around them by the functions of small classes, as layers of portability write them. Before LLVM's inliner has run these
// are calls, of functions that only compute and read, or leave what they compute in a thread's own variable.
// REQUIRES: libomp-device-bc
// RUN: %compile-device %s | %analyse | %FileCheck %s
// RUN: %ipda-oracle transform --optimised --schedules %s | %FileCheck %s --check-prefix=RUNS
// RUNS: 12 kernels, {{.*}}of these new code ran in 8,
// RUNS: launches compared, 0 wrong
// ARGS: rows: { struct: { lo: 2, hi: 40 } }
// ARGS: columns: { struct: { lo: 1, hi: 30 } }

template <typename T> struct View {
  T *data;
  int n0, n1;
  T &operator()(int i, int j) const { return data[(long)i * n1 + j]; }
  int extent(int rank) const { return rank == 0 ? n0 : n1; }
  int rows() const { return n0; }
  int columns() const { return n1; }
};

// Both counts are read by functions: that of the shared loop wherever a team or a thread prepares it. Of 32 threads that have neighbouring i, each has two
// doubles in sectors of its own, and of those that have neighbouring j, 8 sectors have all.
// CHECK: region {{.*}}scaled
// CHECK: transformation possible threads i j
// CHECK: b->data and a->data do not overlap
void scaled(View<double> a, View<double> b) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < a.rows(); ++i)
    for (int j = 0; j < a.columns(); ++j)
      a(i, j) = 2 * b(i, j);
}

// CHECK: region {{.*}}by_rank
// CHECK: transformation possible threads i j
void by_rank(View<double> a, View<double> b) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < a.extent(0); ++i)
    for (int j = 0; j < a.extent(1); ++j)
      a(i, j) = 2 * b(i, j);
}

struct Row {
  const double *begin;
  int length;
  Row(const double *x, int i, int m) : begin(x + (long)i * m), length(m) {}
  int size() const { return length; }
  double operator[](int j) const { return begin[j]; }
};

// A constructor between the loops.
// CHECK: region {{.*}}by_rows
// CHECK: transformation possible threads i j sectors 64 to 16
void by_rows(int n, int m, const double *x, double *y) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) {
    Row row(x, i, m);
    for (int j = 0; j < row.size(); ++j)
      y[(long)i * m + j] = row[j];
  }
}

struct Range {
  int lo, hi;
  int begin() const { return lo; }
  int end() const { return hi; }
};

// CHECK: region {{.*}}ranges
// CHECK: transformation possible threads i j sectors 65 to
void ranges(Range rows, Range columns, int m, double *y) {
#pragma omp target teams distribute parallel for
  for (int i = rows.begin(); i < rows.end(); ++i)
    for (int j = columns.begin(); j < columns.end(); ++j)
      y[(long)i * m + j] += 1;
}

// The inner loop is in a function, its body in another one.
template <typename Body> static inline void each(int m, const Body &body) {
  for (int j = 0; j < m; ++j)
    body(j);
}

// CHECK: region {{.*}}nested
// CHECK: transformation possible threads i j sectors 64 to 16
void nested(int n, int m, const double *x, double *y) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    each(m, [&](int j) { y[(long)i * m + j] = x[(long)i * m + j]; });
}

struct Sum {
  double of[3];
  Sum(double a, double b, double c) : of{a, b, c} {}
  Sum operator+(const Sum &other) const { return Sum(of[0] + other.of[0], of[1] + other.of[1], of[2] + other.of[2]); }
};

// Structures that functions return.
// CHECK: region {{.*}}returned
// CHECK: transformation possible threads i j
void returned(int n, int m, const double *x, double *y) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) {
    Sum sum = Sum(x[i], x[i + 1], 1) + Sum(1, 2, x[i]);
    for (int j = 0; j < m; ++j)
      y[(long)i * m + j] = sum.of[j % 3];
  }
}

struct Counted {
  int *calls, n;
  int size() const { return ++*calls, n; }
};

// An accessor that counts its calls: each must be made as often as before.
// CHECK: region {{.*}}counted
// CHECK: transformation left
void counted(int n, int m, int *calls, double *y) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) {
    Counted counted{calls + i, m};
    for (int j = 0; j < counted.size(); ++j)
      y[(long)i * 16 + j % 16] = 1;
  }
}

struct Spent {
  int *left, n;
  int size() const { return --*left, n; }
};

// The same of the shared loop's count, which each team asks for.
// CHECK: region {{.*}}spent
// CHECK: transformation left
void spent(Spent s, int m, double *y) {
#pragma omp target teams
  {
    Spent own = s;
#pragma omp distribute parallel for
    for (int i = 0; i < own.size(); ++i)
      for (int j = 0; j < m; ++j)
        y[(long)i * m + j] += 1;
  }
}

static inline int noted(int *log, int n) {
  log[0] = 1;
  return n;
}

// One that leaves something where others may read it.
// CHECK: region {{.*}}notes
// CHECK: transformation left
// CHECK-NEXT: it runs other code around the loop
void notes(int n, int m, int *log, double *y) {
#pragma omp target teams
  {
    int count = noted(log, m);
#pragma omp distribute parallel for
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < count; ++j)
        y[(long)i * m + j] += 1;
  }
}

// The same function, if it leaves nothing.
static inline int doubled(const int *log, int n) { return 2 * n; }

// CHECK: region {{.*}}reads
// CHECK: transformation possible threads i j
void reads(int n, int m, const int *log, double *y) {
#pragma omp target teams
  {
    int count = doubled(log, m);
#pragma omp distribute parallel for
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < count; ++j)
        y[(long)i * 2 * m + j] += 1;
  }
}

struct Registered {
  int m;
  Registered(int *log, int i, int m) : m(m) { log[i % 8] += i; }
};

// A constructor that leaves something behind where threads of other iterations do, too.
// CHECK: region {{.*}}registered
// CHECK: transformation left
void registered(int n, int m, int *log, double *y) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) {
    Registered registered(log + 8 * i, i, m);
    for (int j = 0; j < registered.m; ++j)
      y[(long)i * m + j] = log[8 * i + j % 8];
  }
}

// A count that a function reads from what the loop writes.
// CHECK: region {{.*}}shrinking
// CHECK: transformation left
void shrinking(int n, View<int> *lengths, double *y) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < lengths[0].rows(); ++j) {
      lengths[0].n0 = 5;
      y[(long)i * 64 + j] = 1;
    }
}
