// RUN: %device | %FileCheck %s
// RUN: %amdgcn | %FileCheck %s
//
// A variable that a team's threads share, written by one thread where its name is not seen: by a function that is given its address, through a
// pointer, through a structure that holds the pointer, and through a copy of that structure. Behind the barrier all threads find the 50, so nothing
// may be known from what each thread has stored itself. In the twin the same ways only read it: it is 5 in all threads, so neighbours
// are 5 elements apart.
//
// ARGS: n: 96
// ORACLE: depends on the launch

int omp_get_thread_num(void);

struct holder {
  int number;
  int *place;
};

static void put(int *place, int value) { *place = value; }
static void put_held(struct holder *holder, int value) { *holder->place = value; }
static int get(const int *place) { return *place; }
static int get_held(const struct holder *holder) { return *holder->place; }

void by_function(int n, const float *x, float *y) {
#pragma omp target teams distribute map(to : x[0 : 2000]) map(from : y[0 : n])
  for (int i = 0; i < 3; ++i) {
    int k = 5;
#pragma omp parallel num_threads(32)
    {
      int t = omp_get_thread_num();
      if (t == 3)
        put(&k, 50);
#pragma omp barrier
      y[32 * i + t] = x[k * t];
    }
  }
}

void by_pointer(int n, const float *x, float *y) {
#pragma omp target teams distribute map(to : x[0 : 2000]) map(from : y[0 : n])
  for (int i = 0; i < 3; ++i) {
    int k = 5;
#pragma omp parallel num_threads(32)
    {
      int t = omp_get_thread_num();
      int *place = &k;
      if (t == 3)
        *place = 50;
#pragma omp barrier
      y[32 * i + t] = x[k * t];
    }
  }
}

void by_structure(int n, const float *x, float *y) {
#pragma omp target teams distribute map(to : x[0 : 2000]) map(from : y[0 : n])
  for (int i = 0; i < 3; ++i) {
    int k = 5;
#pragma omp parallel num_threads(32)
    {
      int t = omp_get_thread_num();
      struct holder holder = {t, &k};
      if (t == 3)
        put_held(&holder, 50);
#pragma omp barrier
      y[32 * i + t] = x[k * t];
    }
  }
}

void by_copy(int n, const float *x, float *y) {
#pragma omp target teams distribute map(to : x[0 : 2000]) map(from : y[0 : n])
  for (int i = 0; i < 3; ++i) {
    int k = 5;
#pragma omp parallel num_threads(32)
    {
      int t = omp_get_thread_num();
      struct holder first = {t, &k};
      struct holder holder = first;
      if (t == 3)
        *holder.place = 50;
#pragma omp barrier
      y[32 * i + t] = x[k * t];
    }
  }
}

void only_read(int n, const float *x, float *y) {
#pragma omp target teams distribute map(to : x[0 : 2000]) map(from : y[0 : n])
  for (int i = 0; i < 3; ++i) {
    int k = 5;
#pragma omp parallel num_threads(32)
    {
      int t = omp_get_thread_num();
      struct holder first = {t, &k};
      struct holder holder = first;
      int *place = &k;
#pragma omp barrier
      y[32 * i + t] = x[(get(&k) + *place + get_held(&holder) - 2 * k) * t];
    }
  }
}

// CHECK: region 'by_function'
// CHECK: load x 4 bytes
// CHECK: stride {{unknown|data-dependent}}
// CHECK: region 'by_pointer'
// CHECK: load x 4 bytes
// CHECK: stride {{unknown|data-dependent}}
// CHECK: region 'by_structure'
// CHECK: load x 4 bytes
// CHECK: stride {{unknown|data-dependent}}
// CHECK: region 'by_copy'
// CHECK: load x 4 bytes
// CHECK: stride {{unknown|data-dependent}}
// CHECK: region 'only_read'
// CHECK: load x 4 bytes
// CHECK: stride constant 20 class strided

// RIVALS: 81:23 83:23: a store to k, which ipda has in a register
// RIVALS: 81:23 83:21: a store to k, which ipda has in a register
