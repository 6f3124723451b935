// Times one of the kernels beside it on a GPU, for `scripts/gpu-check model`: compiled with -DINPUT='"gemm.c"' -DFUNCTION=gemm -DARRAYS=4.
//
// run --size N [--repeats R] [--seconds S] [--check 0] [--resident 0]: first compares with the host, in a small size, unless --check is 0; then
// prints the times of R runs, or of as many as take S seconds, but at least 3: `whole` with transfers, by the kernel's own map clauses, and,
// unless --resident is 0, `kernel` with the data on the device. One run of each before is not counted.

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A variable here, so that one program does for all sizes.
static int size;
#define SIZE size
#include INPUT

// Neither a size of few teams nor one that is a multiple of a warp.
#define CHECKED_SIZE 150

static float *arrays[5];

// What the largest array of any kernel has: 3DCONV's are volumes, the others at most tables with a row and a column more.
static size_t elements(void) {
  size_t n = (size_t)size;
  return strstr(INPUT, "3dconv") ? n * n * n : (n + 1) * (n + 1);
}

static void make(void) {
  for (int array = 0; array < ARRAYS; ++array) {
    arrays[array] = malloc(elements() * sizeof(float));
    if (!arrays[array]) {
      fprintf(stderr, "there is no memory for %zu bytes\n", elements() * sizeof(float));
      exit(1);
    }
    for (size_t element = 0; element < elements(); ++element)
      arrays[array][element] = 0.25f + (float)((element + (size_t)array) % 5);
  }
}

static void drop(void) {
  for (int array = 0; array < ARRAYS; ++array)
    free(arrays[array]);
}

static void run(void) {
#if ARRAYS == 2
  FUNCTION(arrays[0], arrays[1]);
#elif ARRAYS == 3
  FUNCTION(arrays[0], arrays[1], arrays[2]);
#elif ARRAYS == 4
  FUNCTION(arrays[0], arrays[1], arrays[2], arrays[3]);
#else
  FUNCTION(arrays[0], arrays[1], arrays[2], arrays[3], arrays[4]);
#endif
}

static void to_device(void) {
  for (int array = 0; array < ARRAYS; ++array) {
    float *data = arrays[array];
#pragma omp target enter data map(to : data[0 : elements()])
  }
}

static void from_device(void) {
  for (int array = 0; array < ARRAYS; ++array) {
    float *data = arrays[array];
#pragma omp target exit data map(from : data[0 : elements()])
  }
}

// Whether two arrays are the same but for the rounding of sums in another order: where elements cancel, the largest tells how far that goes.
// What is no number is wrong.
static int same_array(const float *found, const float *expected) {
  double largest = 0;
  for (size_t element = 0; element < elements(); ++element)
    largest = fmax(largest, fabs(expected[element]));
  for (size_t element = 0; element < elements(); ++element)
    if (!(fabs((double)found[element] - expected[element]) <= 1e-4 * largest))
      return 0;
  return 1;
}

// Whether host and device compute the same. What clauses do not bring back is looked at, too.
static int same_as_on_host(void) {
  float *found[ARRAYS];
  int same = 1;
  size = strstr(INPUT, "3dconv") ? 40 : CHECKED_SIZE;
  int device = omp_get_default_device();
  make();
  to_device();
  run();
  from_device();
  memcpy(found, arrays, sizeof found);
  make();
  omp_set_default_device(omp_get_initial_device());
  run();
  omp_set_default_device(device);
  for (int array = 0; array < ARRAYS; ++array) {
    same = same_array(found[array], arrays[array]) && same;
    free(found[array]);
  }
  drop();
  return same;
}

static void time_runs(const char *name, int repeats, double seconds) {
  run();
  double start = omp_get_wtime();
  for (int repeat = 0; repeat < repeats && (repeat < 3 || omp_get_wtime() - start < seconds); ++repeat) {
    double before = omp_get_wtime();
    run();
    printf("%s %.9f\n", name, omp_get_wtime() - before);
  }
}

int main(int argc, char **argv) {
  int repeats = 11, wanted = 0, check = 1, resident = 1;
  double seconds = 5;
  for (int at = 1; at + 1 < argc; at += 2) {
    if (!strcmp(argv[at], "--size"))
      wanted = atoi(argv[at + 1]);
    else if (!strcmp(argv[at], "--repeats"))
      repeats = atoi(argv[at + 1]);
    else if (!strcmp(argv[at], "--check"))
      check = atoi(argv[at + 1]);
    else if (!strcmp(argv[at], "--resident"))
      resident = atoi(argv[at + 1]);
    else if (!strcmp(argv[at], "--seconds"))
      seconds = atof(argv[at + 1]);
  }
  if (wanted < 4) {
    fprintf(stderr, "usage: %s --size N [--repeats R] [--seconds S] [--check 0] [--resident 0]\n", argv[0]);
    return 2;
  }
  int on_host = 1;
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  printf("ran on %s\n", on_host ? "host" : "device");
  if (check && !same_as_on_host()) {
    fprintf(stderr, "the host computes something else\n");
    return 1;
  }
  size = wanted;
  make();
  time_runs("whole", repeats, seconds);
  if (resident) {
    to_device();
    time_runs("kernel", repeats, seconds);
    from_device();
  }
  drop();
  return 0;
}
