// Loops as layers of portability write them: a function takes a lambda, by value or by reference, and calls it in a loop that threads share. What the lambda
// holds is copied to each thread, where it stays what it is.
// REQUIRES: libomp-device-bc
// RUN: %compile-device %s | %analyse > %t 2>&1
// RUN: %FileCheck %s < %t
// RUN: %FileCheck %s --check-prefix=OF-ITS-TYPE < %t
// RUN: %FileCheck %s --check-prefix=INNER-BY-VALUE < %t
// RUN: %FileCheck %s --check-prefix=INNER < %t
// RUN: %FileCheck %s --check-prefix=PLAIN < %t
// RUN: %FileCheck %s --check-prefix=VIEWS < %t
// RUN: %FileCheck %s --check-prefix=CARRIES < %t
// RUN: %FileCheck %s --check-prefix=SHRINKS < %t
// RUN: %ipda-oracle transform --optimised --schedules %s | %FileCheck %s --check-prefix=RUNS
// RUNS: 13 kernels, {{.*}}of these new code ran in 10,
// RUNS: launches compared, 0 wrong

template <typename T> struct View {
  T *data;
  int n0, n1;
  T &operator()(int i, int j) const { return data[(long)i * n1 + j]; }
  int rows() const { return n0; }
  int columns() const { return n1; }
};

template <typename Body> static inline void parallel_for(int n, Body body) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    body(i);
}

template <typename Body> static inline void parallel_for_by_reference(int n, const Body &body) {
#pragma omp target teams distribute parallel for firstprivate(body)
  for (int i = 0; i < n; ++i)
    body(i);
}

template <typename Body> static inline void parallel_for(int n, int m, Body body) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      body(i, j);
}

template <typename Body> static inline void for_each(int m, const Body &body) {
  for (int j = 0; j < m; ++j)
    body(j);
}

// The inner loop's count and both arrays are in the closure.
// PLAIN: region {{.*}}<plain(
// PLAIN: transformation possible threads i j sectors 120 to 27
// PLAIN-NEXT: body->x and body->y do not overlap
void plain(int n, int m, const double *x, double *y) {
  parallel_for(n, [=](int i) {
    for (int j = 0; j < m; ++j)
      y[(long)i * m + j] += x[(long)i * m + j];
  });
}

// CHECK: region {{.*}}<by_reference(
// CHECK: transformation possible threads i j sectors 120 to 27
void by_reference(int n, int m, const double *x, double *y) {
  parallel_for_by_reference(n, [=](int i) {
    for (int j = 0; j < m; ++j)
      y[(long)i * m + j] += x[(long)i * m + j];
  });
}

// Structures in the closure, whose functions take them by their addresses: clang allocates what is passed on where other threads could see it.
// VIEWS: region {{.*}}<views(
// VIEWS: transformation possible threads i j sectors 120 to 27
void views(View<const double> x, View<double> y) {
  parallel_for(x.rows(), [=](int i) {
    for (int j = 0; j < x.columns(); ++j)
      y(i, j) += x(i, j);
  });
}

// INNER: region {{.*}}<inner(
// INNER: transformation possible threads i j
void inner(int n, int m, const double *x, double *y) {
  parallel_for(n, [=](int i) { for_each(m, [&](int j) { y[(long)i * m + j] = x[(long)i * m + j]; }); });
}

// INNER-BY-VALUE: region {{.*}}<inner_by_value(
// INNER-BY-VALUE: transformation possible threads i j
void inner_by_value(View<double> a, View<double> b) {
  parallel_for(a.rows(), [=](int i) { for_each(a.columns(), [=](int j) { a(i, j) = b(i, j); }); });
}

// CHECK: region {{.*}}<two_loops(
// CHECK: transformation possible threads j i
void two_loops(View<const double> x, View<double> y) {
  parallel_for(x.columns(), x.rows(), [=](int j, int i) { y(i, j) += x(i, j); });
}

// CHECK: region {{.*}}called_inside
// CHECK: transformation possible threads i j sectors 64 to 16
void called_inside(int n, int m, const double *x, double *y) {
  auto move = [&](int i, int j) { y[(long)i * m + j] = x[(long)i * m + j]; };
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      move(i, j);
}

// CHECK: region {{.*}}made_between
// CHECK: transformation possible threads i j sectors 64 to 16
void made_between(int n, int m, const double *x, double *y) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) {
    auto move = [&](int j) { y[(long)i * m + j] = x[(long)i * m + j]; };
    for (int j = 0; j < m; ++j)
      move(j);
  }
}

// A sum by a function that is given what to add up.
template <typename Term> static inline void sum_up(int p, const Term &term, double &result) {
  double sum = 0;
  for (int k = 0; k < p; ++k)
    term(k, sum);
  result = sum;
}

// CHECK: region {{.*}}product
// CHECK: transformation possible threads i j
void product(int n, int m, int p, const double *x, double *y) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      double result;
      sum_up(p, [&](int k, double &sum) { sum += x[(long)i * p + k] * x[(long)k * m + j]; }, result);
      y[(long)i * m + j] = result;
    }
}

// A lambda in a member function holds a pointer to the object, which the kernel follows.
struct Solver {
  int n, m;
  double *a, *b;
  void run() {
    parallel_for(n, [=](int i) {
      for (int j = 0; j < m; ++j)
        a[(long)i * m + j] = b[(long)i * m + j];
    });
  }
};

// RUN: %FileCheck %s --check-prefix=SOLVER < %t
// SOLVER: region {{.*}}Solver::run
// SOLVER: transformation possible threads i j
// SOLVER-NEXT: body->this->b and body->this->a do not overlap
void of_object(Solver solver) { solver.run(); }

// A closure that each call changes: a thread's later iterations have a shorter loop.
// SHRINKS: region {{.*}}<shrinks(
// SHRINKS-NOT: {{^region}}
// SHRINKS: transformation left
void shrinks(int n, int m, double *y) {
  parallel_for(n, [=](int i) mutable {
    for (int j = 0; j < m; ++j)
      y[(long)i * 64 + j] += 1;
    --m;
  });
}

// A count that the loop may change where the closure was copied from: it writes numbers of that type.
// OF-ITS-TYPE: region {{.*}}<of_its_type(
// OF-ITS-TYPE-NOT: {{^region}}
// OF-ITS-TYPE: transformation left
// OF-ITS-TYPE-NEXT: from memory whenever it begins
void of_its_type(int n, int m, int *y) {
  parallel_for(n, [=](int i) {
    for (int j = 0; j < m; ++j)
      y[(long)i * m + j] += 1;
  });
}

// A sum that lives on from one iteration of the inner loop to the next.
// CARRIES: region {{.*}}<carries(
// CARRIES-NOT: {{^region}}
// CARRIES: transformation left
void carries(int n, int m, double *y) {
  parallel_for(n, [=](int i) {
    double sum = 0;
    for_each(m, [&](int j) {
      sum = sum * 0.5 + y[(long)i * m + j];
      y[(long)i * m + j] = sum;
    });
  });
}
