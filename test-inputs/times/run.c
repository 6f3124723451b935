// Times the kernels of this folder on a GPU, for `scripts/gpu-check times`: compiled with -DBLOCK=.. and linked with all kernels, compiled likewise.
//
// run [--repeats R] [--seconds S] <CASES: each line of CASES has a kernel's name and a size. Kernels are first compared with the host, in a small size. Then
// a line `kernel block size seconds` has the median of R runs, or of as many as take S seconds, but at least 3, with the data on the device. One run before
// is not counted. Exit status 1 if a kernel is wrong, which is not timed.

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void product_e(int n, const double *A, const double *B, double *E);
void product_f(int n, const double *C, const double *D, double *F);
void product_g(int n, const double *E, const double *F, double *G);
void add(long n, const double *a, const double *b, double *c);
void atax(long n, const double *A, const double *x, double *y, double *tmp);
void convection(int ne, double *y, const double *x, const double *b, const double *g, const double *w);
void daxpy(long n, const double *x, double *y, double a);
void diff_predict(long n, double *px, const double *cx);
void diffusion(int ne, double *y, const double *x, const double *b, const double *g, const double *tensor);
double dot(long n, const double *a, const double *b);
void fir(long n, double *out, const double *in, const double *coefficient);
void first_diff(long n, double *x, const double *y);
void first_sum(long n, double *x, const double *y);
void floyd_warshall(int n, int k, const double *in, double *out);
void gemver(int n, double alpha, double beta, double *A, const double *u1, const double *v1, const double *u2, const double *v2, double *w, double *x,
            const double *y, const double *z);
void heat(int n, double *A, double *B);
void hydro_1d(long n, double *x, const double *y, const double *z, double q, double r, double t);
void if_quad(long n, const double *a, const double *b, const double *c, double *x1, double *x2);
void init_view1d(long n, double *a, double v);
void int_predict(long n, double *px, double dm22, double dm23, double dm24, double dm25, double dm26, double dm27, double dm28, double c0);
void jacobi(int n, double *A, double *B);
void ltimes(int nz, double *phi, const double *ell, const double *psi);
void mass(int ne, double *y, const double *x, const double *b, const double *w);
void product(int n, const double *A, const double *B, double *C);
void copy(long n, const double *x, double *y);
void nested_init(int n, double *a);
double pi_reduce(long n, double dx);
void pressure(long n, double *p_new, double *bvc, const double *compression, const double *e_old, const double *vnewc, double cls, double p_cut, double p_min,
              double eosvmax);
void reduce_struct(long n, const double *x, const double *y, double *result);
double reduce_sum(long n, const double *x);
void triad(long n, double *a, const double *b, const double *c, double alpha);
void tridiag_elim(long n, double *xout, const double *xin, const double *y, const double *z);
void zonal_accumulation(long n, long jp, long kp, long all, double *zonal, const double *x, const long *zones);

enum { ARRAYS = 9, RESULTS = 6 };

// What the kernel at hand works on. A run makes each array when it first asks for it.
static struct {
  void *data;
  long bytes;
  int has_numbers;
} arrays[ARRAYS];
static double results[RESULTS];

// Makes array `at`, here and on the device, without contents.
static void *new_array(int at, long elements, int has_numbers) {
  char *data = malloc((size_t)elements * 8);
  if (!data) {
    fprintf(stderr, "there is no memory for %ld bytes\n", elements * 8);
    exit(1);
  }
  arrays[at].data = data, arrays[at].bytes = elements * 8, arrays[at].has_numbers = has_numbers;
#pragma omp target enter data map(alloc : data[0 : elements * 8])
  return data;
}

// Array `at`, of small numbers, with neighbours and arrays that differ. The device writes them, as nothing is to be copied then.
static double *numbers(int at, long elements) {
  if (!arrays[at].data) {
    double *data = new_array(at, elements, 1);
#pragma omp target teams distribute parallel for map(alloc : data[0 : elements])
    for (long i = 0; i < elements; ++i)
      data[i] = 0.25 + (double)((i + at) % 5);
  }
  return arrays[at].data;
}

// Array `at`, of the places of a mesh's zones in order: two layers of nodes lie before the first in each dimension.
static const long *zones(int at, long edge, long jp, long kp) {
  if (!arrays[at].data) {
    long elements = edge * edge * edge, *data = new_array(at, elements, 0);
#pragma omp target teams distribute parallel for map(alloc : data[0 : elements])
    for (long i = 0; i < elements; ++i)
      data[i] = i % edge + 2 + (i / edge % edge + 2) * jp + (i / edge / edge + 2) * kp;
  }
  return arrays[at].data;
}

static void drop_arrays(void) {
  for (int at = 0; at < ARRAYS; ++at) {
    char *data = arrays[at].data;
    if (data) {
#pragma omp target exit data map(delete : data[0 : arrays[at].bytes])
    }
    free(data);
  }
  memset(arrays, 0, sizeof arrays);
}

// A run of each kernel, with all its launches. How extents follow from the size and how often there is a launch say EXTENTS and LAUNCHES in the head of
// the kernel's file; arrays are as long as its map clauses ask.

static int edge_of_square(long size) { return (int)lround(sqrt((double)size)); }

static int edge_of_cube(long size) { return (int)lround(cbrt((double)size)); }

static void run_3mm(long size) {
  int n = edge_of_square(size);
  long all = (long)n * n;
  product_e(n, numbers(0, all), numbers(1, all), numbers(4, all));
  product_f(n, numbers(2, all), numbers(3, all), numbers(5, all));
  product_g(n, numbers(4, all), numbers(5, all), numbers(6, all));
}

static void run_add(long n) { add(n, numbers(0, n), numbers(1, n), numbers(2, n)); }

static void run_atax(long size) {
  long n = edge_of_square(size);
  atax(n, numbers(0, n * n), numbers(1, n), numbers(2, n), numbers(3, n));
}

static void run_convection(long size) {
  enum { COEFFICIENTS = 3 * 3 * 3, POINTS = 4 * 4 * 4, OF_AXIS = 4 * 3 };
  long ne = size / POINTS;
  convection((int)ne, numbers(0, COEFFICIENTS * ne), numbers(1, COEFFICIENTS * ne), numbers(2, OF_AXIS), numbers(3, OF_AXIS), numbers(4, 3 * POINTS * ne));
}

static void run_daxpy(long n) { daxpy(n, numbers(0, n), numbers(1, n), 0.5); }

static void run_diff_predict(long n) { diff_predict(n, numbers(0, 14 * n), numbers(1, 14 * n)); }

static void run_diffusion(long size) {
  enum { COEFFICIENTS = 3 * 3 * 3, POINTS = 4 * 4 * 4, OF_AXIS = 4 * 3 };
  long ne = size / POINTS;
  diffusion((int)ne, numbers(0, COEFFICIENTS * ne), numbers(1, COEFFICIENTS * ne), numbers(2, OF_AXIS), numbers(3, OF_AXIS), numbers(4, 6 * POINTS * ne));
}

static void run_dot(long n) { results[0] = dot(n, numbers(0, n), numbers(1, n)); }

static void run_fir(long size) {
  long n = size - 16;
  fir(n, numbers(0, n), numbers(1, n + 16), numbers(2, 16));
}

static void run_first_diff(long n) { first_diff(n, numbers(0, n), numbers(1, n + 1)); }

static void run_first_sum(long n) { first_sum(n, numbers(0, n), numbers(1, n)); }

// Each step reads what the one before wrote.
static void run_floyd_warshall(long size) {
  int n = edge_of_square(size);
  long all = (long)n * n;
  for (int k = 0; k < n; ++k)
    floyd_warshall(n, k, numbers(k % 2, all), numbers((k + 1) % 2, all));
}

static void run_gemver(long size) {
  int n = edge_of_square(size);
  gemver(n, 0.5, 0.25, numbers(0, (long)n * n), numbers(1, n), numbers(2, n), numbers(3, n), numbers(4, n), numbers(5, n), numbers(6, n), numbers(7, n),
         numbers(8, n));
}

static void run_heat(long size) {
  int n = edge_of_cube(size) + 2;
  for (int step = 0; step < 20; ++step)
    heat(n, numbers(0, (long)n * n * n), numbers(1, (long)n * n * n));
}

static void run_hydro_1d(long n) { hydro_1d(n, numbers(0, n), numbers(1, n), numbers(2, n + 12), 0.5, 0.25, 0.125); }

static void run_if_quad(long n) { if_quad(n, numbers(0, n), numbers(1, n), numbers(2, n), numbers(3, n), numbers(4, n)); }

static void run_init_view1d(long n) { init_view1d(n, numbers(0, n), 0.001); }

static void run_int_predict(long n) { int_predict(n, numbers(0, 13 * n), 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8); }

static void run_jacobi(long size) {
  int n = edge_of_square(size) + 2;
  for (int step = 0; step < 40; ++step)
    jacobi(n, numbers(0, (long)n * n), numbers(1, (long)n * n));
}

static void run_ltimes(long size) {
  enum { DIRECTIONS = 64, GROUPS = 32, MOMENTS = 25 };
  long nz = size / (DIRECTIONS * GROUPS);
  ltimes((int)nz, numbers(0, MOMENTS * GROUPS * nz), numbers(1, MOMENTS * DIRECTIONS), numbers(2, DIRECTIONS * GROUPS * nz));
}

static void run_mass(long size) {
  enum { COEFFICIENTS = 4 * 4 * 4, POINTS = 5 * 5 * 5, OF_AXIS = 5 * 4 };
  long ne = size / POINTS;
  mass((int)ne, numbers(0, COEFFICIENTS * ne), numbers(1, COEFFICIENTS * ne), numbers(2, OF_AXIS), numbers(3, POINTS * ne));
}

static void run_product(long size) {
  int n = edge_of_square(size);
  long all = (long)n * n;
  product(n, numbers(0, all), numbers(1, all), numbers(2, all));
}

static void run_copy(long n) { copy(n, numbers(0, n), numbers(1, n)); }

static void run_nested_init(long size) {
  int n = edge_of_cube(size);
  nested_init(n, numbers(0, (long)n * n * n));
}

static void run_pi_reduce(long n) { results[0] = pi_reduce(n, 1.0 / (double)n); }

static void run_pressure(long n) { pressure(n, numbers(0, n), numbers(1, n), numbers(2, n), numbers(3, n), numbers(4, n), 0.5, 1.0, 0.125, 4.0); }

static void run_reduce_struct(long n) { reduce_struct(n, numbers(0, n), numbers(1, n), results); }

static void run_reduce_sum(long n) { results[0] = reduce_sum(n, numbers(0, n)); }

static void run_triad(long n) { triad(n, numbers(0, n), numbers(1, n), numbers(2, n), 0.5); }

static void run_tridiag_elim(long n) { tridiag_elim(n, numbers(0, n), numbers(1, n), numbers(2, n), numbers(3, n)); }

static void run_zonal_accumulation(long size) {
  long edge = edge_of_cube(size), jp = edge + 5, kp = jp * jp, all = jp * jp * jp;
  zonal_accumulation(edge * edge * edge, jp, kp, all, numbers(0, all), numbers(1, all), zones(2, edge, jp, kp));
}

static struct kernel {
  const char *name;
  void (*run)(long size);
  enum { UNKNOWN, RIGHT, WRONG } is;
} kernels[] = {
    {"Algorithm_MEMCPY", run_copy, UNKNOWN},
    {"Algorithm_REDUCE_SUM", run_reduce_sum, UNKNOWN},
    {"Apps_CONVECTION3DPA", run_convection, UNKNOWN},
    {"Apps_DIFFUSION3DPA", run_diffusion, UNKNOWN},
    {"Apps_FIR", run_fir, UNKNOWN},
    {"Apps_LTIMES_NOVIEW", run_ltimes, UNKNOWN},
    {"Apps_MASS3DPA", run_mass, UNKNOWN},
    {"Apps_PRESSURE", run_pressure, UNKNOWN},
    {"Apps_ZONAL_ACCUMULATION_3D", run_zonal_accumulation, UNKNOWN},
    {"Basic_DAXPY", run_daxpy, UNKNOWN},
    {"Basic_IF_QUAD", run_if_quad, UNKNOWN},
    {"Basic_INIT_VIEW1D", run_init_view1d, UNKNOWN},
    {"Basic_MAT_MAT_SHARED", run_product, UNKNOWN},
    {"Basic_NESTED_INIT", run_nested_init, UNKNOWN},
    {"Basic_PI_REDUCE", run_pi_reduce, UNKNOWN},
    {"Basic_REDUCE_STRUCT", run_reduce_struct, UNKNOWN},
    {"Lcals_DIFF_PREDICT", run_diff_predict, UNKNOWN},
    {"Lcals_FIRST_DIFF", run_first_diff, UNKNOWN},
    {"Lcals_FIRST_SUM", run_first_sum, UNKNOWN},
    {"Lcals_HYDRO_1D", run_hydro_1d, UNKNOWN},
    {"Lcals_INT_PREDICT", run_int_predict, UNKNOWN},
    {"Lcals_TRIDIAG_ELIM", run_tridiag_elim, UNKNOWN},
    {"Polybench_3MM", run_3mm, UNKNOWN},
    {"Polybench_ATAX", run_atax, UNKNOWN},
    {"Polybench_FLOYD_WARSHALL", run_floyd_warshall, UNKNOWN},
    {"Polybench_GEMVER", run_gemver, UNKNOWN},
    {"Polybench_HEAT_3D", run_heat, UNKNOWN},
    {"Polybench_JACOBI_2D", run_jacobi, UNKNOWN},
    {"Stream_ADD", run_add, UNKNOWN},
    {"Stream_DOT", run_dot, UNKNOWN},
    {"Stream_TRIAD", run_triad, UNKNOWN},
};

// Whether numbers are the same but for the rounding of sums in another order: where elements cancel, the largest tells how far that goes. What is no
// number is wrong.
static int same_numbers(const double *found, const double *expected, long elements) {
  double largest = 0;
  for (long element = 0; element < elements; ++element)
    largest = fmax(largest, fabs(expected[element]));
  for (long element = 0; element < elements; ++element)
    if (!(fabs(found[element] - expected[element]) <= 1e-9 * largest))
      return 0;
  return 1;
}

// Whether host and device compute the same, in a size in which no extent is a multiple of a block.
static int same_as_on_host(void (*run)(long size)) {
  enum { CHECKED_SIZE = 8009 };
  double *found[ARRAYS], found_results[RESULTS];
  int same, device = omp_get_default_device();
  memset(results, 0, sizeof results);
  run(CHECKED_SIZE);
  for (int at = 0; at < ARRAYS; ++at) {
    char *data = arrays[at].data;
    if (data) {
#pragma omp target exit data map(from : data[0 : arrays[at].bytes])
    }
    found[at] = arrays[at].data;
  }
  memset(arrays, 0, sizeof arrays);
  memcpy(found_results, results, sizeof results);

  memset(results, 0, sizeof results);
  omp_set_default_device(omp_get_initial_device());
  run(CHECKED_SIZE);
  same = same_numbers(found_results, results, RESULTS);
  for (int at = 0; at < ARRAYS; ++at) {
    if (arrays[at].has_numbers)
      same = same_numbers(found[at], arrays[at].data, arrays[at].bytes / 8) && same;
    free(found[at]);
  }
  drop_arrays();
  omp_set_default_device(device);
  return same;
}

static int by_value(const void *left, const void *right) {
  double difference = *(const double *)left - *(const double *)right;
  return (difference > 0) - (difference < 0);
}

enum { MOST_REPEATS = 99 };

static double median_time(void (*run)(long size), long size, int repeats, double seconds) {
  double times[MOST_REPEATS];
  int count = 0;
  run(size);
  double start = omp_get_wtime();
  while (count < repeats && (count < 3 || omp_get_wtime() - start < seconds)) {
    double before = omp_get_wtime();
    run(size);
    times[count++] = omp_get_wtime() - before;
  }
  drop_arrays();
  qsort(times, (size_t)count, sizeof *times, by_value);
  return (times[(count - 1) / 2] + times[count / 2]) / 2;
}

static struct kernel *kernel_called(const char *name) {
  for (size_t at = 0; at < sizeof kernels / sizeof *kernels; ++at)
    if (!strcmp(kernels[at].name, name))
      return &kernels[at];
  fprintf(stderr, "there is no kernel %s\n", name);
  exit(2);
}

int main(int argc, char **argv) {
  int repeats = 11, status = 0;
  double seconds = 1;
  for (int at = 1; at + 1 < argc; at += 2) {
    if (!strcmp(argv[at], "--repeats"))
      repeats = atoi(argv[at + 1]);
    else if (!strcmp(argv[at], "--seconds"))
      seconds = atof(argv[at + 1]);
  }
  if (repeats < 1 || repeats > MOST_REPEATS) {
    fprintf(stderr, "usage: %s [--repeats R] [--seconds S] <CASES\n", argv[0]);
    return 2;
  }
  int on_host = 1;
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  printf("ran on %s\n", on_host ? "host" : "device");
  fflush(stdout);
  char name[64];
  long size;
  while (scanf("%63s %ld", name, &size) == 2) {
    struct kernel *kernel = kernel_called(name);
    if (kernel->is == UNKNOWN) {
      kernel->is = same_as_on_host(kernel->run) ? RIGHT : WRONG;
      if (kernel->is == WRONG) {
        fprintf(stderr, "%s in blocks of %d threads: the host computes something else\n", name, BLOCK);
        status = 1;
      }
    }
    if (kernel->is == RIGHT) {
      printf("%s %d %ld %.9f\n", name, BLOCK, size, median_time(kernel->run, size, repeats, seconds));
      fflush(stdout);
    }
  }
  return status;
}
