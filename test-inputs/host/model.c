// What `scripts/bench host-model` times beside the time model's predictions: the host's versions of target regions that computing, waiting
// or memory bounds. As a test it only runs, with arrays of a kilobyte.
// RUN: %clang -O3 -fopenmp %s -o %t -L%llvm-lib -Wl,-rpath,%llvm-lib -lm && %t 1000 0.001 1 > %t.out && %FileCheck %s < %t.out
// CHECK: add 41 984
// CHECK: heat {{[0-9]+}}
//
// model BYTES SECONDS REPEATS: runs each region on arrays of about BYTES in all, and prints a line for each: its function, n, the bytes, and the
// times of one run in seconds. A region is run twice before, then SECONDS long, at least 3 and at most REPEATS times; short ones several times
// for each, so that the clock's steps do not show. Products that would take more than SECONDS for one run are left out.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define KERNEL(name) static __attribute__((noinline)) void name(int n, double *a, double *b, double *c)
// The same for floats.
#define KERNEL_OF_FLOATS(name) static __attribute__((noinline)) void name(int n, float *a, float *b, float *c)
#define SHARED _Pragma("omp target teams distribute parallel for")

// Vectors of n elements.

KERNEL(add) {
  SHARED for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
}
KERNEL(scaled_sum) {
  SHARED for (int i = 0; i < n; ++i) c[i] = a[i] + 3.0 * b[i];
}
KERNEL_OF_FLOATS(update) {
  SHARED for (int i = 0; i < n; ++i) c[i] += 0.5f * a[i];
}
KERNEL_OF_FLOATS(neighbours) {
  SHARED for (int i = 1; i < n - 1; ++i) c[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
}
KERNEL_OF_FLOATS(polynomial) {
  SHARED for (int i = 0; i < n; ++i) {
    float x = a[i];
    c[i] = (((((((((x * 0.1f + 0.2f) * x + 0.3f) * x + 0.4f) * x + 0.5f) * x + 0.6f) * x + 0.7f) * x + 0.8f) * x + 0.9f) * x + 1) * x;
  }
}
KERNEL(roots) {
  SHARED for (int i = 0; i < n; ++i) c[i] = __builtin_elementwise_sqrt(a[i]) / (1 + b[i]);
}
// Each step waits for the one before.
KERNEL(steps) {
  SHARED for (int i = 0; i < n; ++i) {
    double x = a[i];
    for (int step = 0; step < 64; ++step)
      x = x * 0.5 + b[i];
    c[i] = x;
  }
}

// Matrices of n rows and columns.

KERNEL_OF_FLOATS(row_sums) {
  SHARED for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = 0; j < n; ++j)
      sum += a[i * n + j];
    c[i] = sum;
  }
}
KERNEL_OF_FLOATS(column_sums) {
  SHARED for (int j = 0; j < n; ++j) {
    float sum = 0;
    for (int i = 0; i < n; ++i)
      sum += a[i * n + j];
    c[j] = sum;
  }
}
KERNEL_OF_FLOATS(matrix_by_vector) {
  SHARED for (int i = 0; i < n; ++i) {
    c[i] = 0;
    for (int j = 0; j < n; ++j)
      c[i] += a[i * n + j] * b[j];
  }
}
KERNEL_OF_FLOATS(transpose) {
  SHARED for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) c[j * n + i] = a[i * n + j];
}
KERNEL_OF_FLOATS(convolve) {
  SHARED for (int i = 1; i < n - 1; ++i) for (int j = 1; j < n - 1; ++j) c[i * n + j] =
      0.1f * a[(i - 1) * n + j - 1] + 0.2f * a[(i - 1) * n + j] + 0.3f * a[(i - 1) * n + j + 1] + 0.4f * a[i * n + j - 1] +
      0.5f * a[i * n + j] + 0.6f * a[i * n + j + 1] + 0.7f * a[(i + 1) * n + j - 1] + 0.8f * a[(i + 1) * n + j] +
      0.9f * a[(i + 1) * n + j + 1];
}
KERNEL_OF_FLOATS(product_in_memory) {
  SHARED for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) {
    c[i * n + j] = 0;
    for (int k = 0; k < n; ++k)
      c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}
KERNEL_OF_FLOATS(product_by_rows) {
  SHARED for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      c[i * n + j] = 0;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}
KERNEL_OF_FLOATS(products_of_rows) {
  SHARED for (int i = 0; i < n; ++i) for (int j = i; j < n; ++j) {
    float sum = 0;
    for (int k = 0; k < n; ++k)
      sum += a[i * n + k] * a[j * n + k];
    c[i * n + j] = sum;
  }
}

// Volumes of n planes, rows and columns.

KERNEL(heat) {
  SHARED for (int i = 1; i < n - 1; ++i) for (int j = 1; j < n - 1; ++j) for (int k = 1; k < n - 1; ++k) c[(i * n + j) * n + k] =
      0.4 * a[(i * n + j) * n + k] + 0.1 * (a[(i * n + j) * n + k - 1] + a[(i * n + j) * n + k + 1] + a[(i * n + j - 1) * n + k] +
                                            a[(i * n + j + 1) * n + k] + a[((i - 1) * n + j) * n + k] + a[((i + 1) * n + j) * n + k]);
}

// What kind of arrays a region has: how many in full, how many dimensions, and how many steps each element takes, as a power of n.
typedef struct {
  const char *name;
  void (*of_doubles)(int, double *, double *, double *);
  void (*of_floats)(int, float *, float *, float *);
  int arrays, dimensions, power;
} region;

#define DOUBLES(name) #name, name, NULL
#define FLOATS(name) #name, NULL, name

static const region regions[] = {
    {DOUBLES(add), 3, 1, 0},
    {DOUBLES(scaled_sum), 3, 1, 0},
    {FLOATS(update), 2, 1, 0},
    {FLOATS(neighbours), 2, 1, 0},
    {FLOATS(polynomial), 2, 1, 0},
    {DOUBLES(roots), 3, 1, 0},
    {DOUBLES(steps), 3, 1, 0},
    {FLOATS(row_sums), 1, 2, 0},
    {FLOATS(column_sums), 1, 2, 0},
    {FLOATS(matrix_by_vector), 1, 2, 0},
    {FLOATS(transpose), 2, 2, 0},
    {FLOATS(convolve), 2, 2, 0},
    {FLOATS(product_in_memory), 3, 2, 1},
    {FLOATS(product_by_rows), 3, 2, 1},
    {FLOATS(products_of_rows), 2, 2, 1},
    {DOUBLES(heat), 2, 3, 0},
};

static void run(const region *region, int n, void *memory[3]) {
  if (region->of_doubles)
    region->of_doubles(n, memory[0], memory[1], memory[2]);
  else
    region->of_floats(n, memory[0], memory[1], memory[2]);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// The least time between two looks at the clock.
#define SHORTEST 1e-4

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: %s BYTES SECONDS REPEATS\n", argv[0]);
    return 2;
  }
  double bytes = atof(argv[1]), most = atof(argv[2]);
  int repeats = atoi(argv[3]);
  for (const region *region = regions; region < regions + sizeof regions / sizeof *regions; ++region) {
    size_t element = region->of_doubles ? sizeof(double) : sizeof(float);
    double wanted = bytes / (double)element / region->arrays;
    int n = (int)pow(wanted * (1 + 1e-9), 1.0 / region->dimensions);
    if (n < 4)
      n = 4;
    size_t elements = 1;
    for (int dimension = 0; dimension < region->dimensions; ++dimension)
      elements *= (size_t)n;
    // A step of these takes no less than a tenth of a nanosecond.
    if ((double)elements * pow(n, region->power) * 1e-10 > most && region->power > 0)
      continue;
    void *memory[3];
    for (int array = 0; array < 3; ++array) {
      memory[array] = malloc(elements * element);
      if (!memory[array]) {
        fprintf(stderr, "there is no memory for %zu bytes\n", elements * element);
        return 1;
      }
      for (size_t at = 0; at < elements; ++at)
        if (region->of_doubles)
          ((double *)memory[array])[at] = 0.5 + 1.0 / (double)(at % 7 + 2);
        else
          ((float *)memory[array])[at] = 0.5f + 1.0f / (float)(at % 7 + 2);
    }
    run(region, n, memory);
    double start = now();
    run(region, n, memory);
    double once = now() - start;
    if (once <= most || region->power == 0) {
      int runs = once < SHORTEST ? (int)(SHORTEST / (once + 1e-7)) + 1 : 1;
      printf("%s %d %zu", region->name, n, elements * element * (size_t)region->arrays);
      start = now();
      for (int repeat = 0; repeat < repeats && (repeat < 3 || now() - start < most); ++repeat) {
        double before = now();
        for (int again = 0; again < runs; ++again)
          run(region, n, memory);
        printf(" %.9f", (now() - before) / runs);
      }
      printf("\n");
    }
    for (int array = 0; array < 3; ++array)
      free(memory[array]);
  }
  return 0;
}
