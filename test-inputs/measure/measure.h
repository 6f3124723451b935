// What the measuring programs share: command line, clock, inputs, checks, and what is printed.
//
// A program includes this file and defines the functions that are declared first. main then
//   1. makes the inputs and lets the program run as a user's would: for each of --launches, data to the device, kernels, results back.
//      `whole SECONDS` is the time from the process's start to the last results (device start, transfers and kernels), without the
//      making of inputs. The start is in $MEASURE_STARTED (seconds since 1970), else main's.
//   2. compares the results with what the same formulas give on the host, serially; --check 0 leaves that to another run, whose
//      `checksum` must be the same.
//   3. keeps the data on the device and runs the kernels --repeats times, `kernel SECONDS` each: the clock is read around synchronous target
//      regions that transfer nothing. --seconds ends it earlier, but never before the third; one run before is not counted. The results must
//      be those of step 1, bit by bit.
// Inputs are small whole numbers of both signs, so that sums of products are exact in any order and the check needs no tolerance.
//
// With -DBY_HAND the kernels have what an expert would write instead of the plain pragma.
#ifndef MEASURE_H
#define MEASURE_H

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Allocates arrays for problems of this size and fills those that the kernels only read.
static void make(int size);
// Gives the arrays that the kernels write their first contents, on the host.
static void reset(void);
// The same on the device, from the host's.
static void reset_device(void);
// Calls `work` with the data on the device, and brings the results back.
static void with_data(void (*work)(void));
// The target regions.
static void kernels(void);
// Compares with `expect` what is computed anew on the host, by one thread.
static void check(void);
// Gives all results to `result`.
static void results(void);

#ifdef BY_HAND
#define COLLAPSE(LOOPS) collapse(LOOPS)
#else
#define COLLAPSE(LOOPS)
#endif

#define NUMBER_OF(ARRAY, ELEMENTS) ((ARRAY) = allocate((size_t)(ELEMENTS) * sizeof *(ARRAY)))

static void *allocate(size_t bytes) {
  void *memory = malloc(bytes);
  if (!memory) {
    fprintf(stderr, "there is no memory for %zu bytes\n", bytes);
    exit(1);
  }
  return memory;
}

// A number from -2 to 2 that is different from element to element without a pattern.
static int small(size_t array, size_t element) {
  uint64_t bits = (element + 1) * 0x9e3779b97f4a7c15u + array * 0xd1b54a32d192ed03u;
  bits = (bits ^ (bits >> 31)) * 0xbf58476d1ce4e5b9u;
  return (int)((bits >> 40) % 5) - 2;
}

#define FILL(ARRAY, ELEMENTS, NUMBER)                                                                                          \
  for (size_t element_ = 0; element_ < (size_t)(ELEMENTS); ++element_)                                                         \
    (ARRAY)[element_] = small(NUMBER, element_)

// What no kernel computes: a result that was never written is a wrong one.
#define POISON(ARRAY, ELEMENTS) memset(ARRAY, 0xff, (size_t)(ELEMENTS) * sizeof *(ARRAY))

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// The host computes so many innermost iterations for a check at the most; beyond, it takes every n-th row.
#define CHECKED_ITERATIONS 2e9

static size_t compared, differences;
static uint64_t checksum;

// The distance of rows that are checked, where `rows` rows take `iterations` innermost iterations each.
__attribute__((unused)) static int row_step(int rows, double iterations) {
  double affordable = CHECKED_ITERATIONS / iterations;
  return affordable >= rows ? 1 : affordable < 8 ? (rows + 7) / 8 : (int)(rows / affordable) + 1;
}

// Rows 0, step, 2*step, .. and the last one, where what is wrong at the edge shows.
#define CHECKED_ROWS(ROW, FIRST, END, STEP)                                                                                    \
  for (int ROW = (FIRST), end_ = (END); ROW < end_; ROW = ROW + 1 == end_ ? end_ : ROW + (STEP) < end_ ? ROW + (STEP) : end_ - 1)

static void expect(const char *array, size_t element, double found, double expected) {
  ++compared;
  if (found == expected)
    return;
  if (++differences <= 3)
    fprintf(stderr, "%s[%zu] is %.17g, expected %.17g\n", array, element, found, expected);
}

// All results go into one number, those too that are not checked.
static void result(double value) {
  uint64_t bits;
  value += 0.0;  // -0 is 0
  memcpy(&bits, &value, sizeof bits);
  checksum = ((checksum << 9 | checksum >> 55) ^ bits ^ (bits >> 31)) * 0x9e3779b97f4a7c15u;
}

#define RESULTS(ARRAY, ELEMENTS)                                                                                               \
  for (size_t element_ = 0; element_ < (size_t)(ELEMENTS); ++element_)                                                         \
    result((ARRAY)[element_])

static uint64_t checksum_now(void) {
  checksum = 0;
  results();
  return checksum;
}

static int repeats = 5;
static double most_seconds = 10;

static void time_kernels(void) {
  double first = now();
  for (int repeat = -1; repeat < repeats; ++repeat) {
    reset();
    reset_device();
    double start = omp_get_wtime();
    kernels();
    double seconds = omp_get_wtime() - start;
    if (repeat >= 0)
      printf("kernel %.9f\n", seconds);
    if (repeat >= 2 && now() - first > most_seconds)
      break;
  }
}

static void usage(const char *program) {
  printf("usage: %s --size N [--launches N] [--repeats N] [--seconds S] [--check 0|1]\n"
         "--launches runs of the whole work with its transfers (1), --repeats timed runs with the data on the device (5; 0: none),\n"
         "ended after --seconds (10). --check 0 leaves the comparison with the host out.\n",
         program);
}

int main(int argc, char **argv) {
  const char *started = getenv("MEASURE_STARTED");
  double start = started ? atof(started) : now();
  int size = 0, launches = 1, checking = 1;
  if (argc == 2 && !strcmp(argv[1], "--help")) {
    usage(argv[0]);
    return 0;
  }
  for (int arg = 1; arg < argc; arg += 2) {
    const char *value = arg + 1 < argc ? argv[arg + 1] : "";
    char *end;
    double number = strtod(value, &end);
    int good = *value && !*end && number >= 0 && number < 1e6;
    if (good && !strcmp(argv[arg], "--size"))
      size = (int)number;
    else if (good && !strcmp(argv[arg], "--launches"))
      launches = (int)number;
    else if (good && !strcmp(argv[arg], "--repeats"))
      repeats = (int)number;
    else if (good && !strcmp(argv[arg], "--seconds"))
      most_seconds = number;
    else if (good && !strcmp(argv[arg], "--check"))
      checking = number != 0;
    else {
      fprintf(stderr, "%s %s is no argument of this program; --help lists them\n", argv[arg], value);
      return 2;
    }
  }
  if (size < 4) {
    fprintf(stderr, "--size is 4 or more\n");
    return 2;
  }

  double other = 0, before = now();
  make(size);
  other += now() - before;
  int on_host = 1;
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  for (int launch = 0; launch < launches; ++launch) {
    before = now();
    reset();
    other += now() - before;
    with_data(kernels);
  }
  double whole = now() - start - other;
  printf("ran on %s\n", on_host ? "host" : "device");
  printf("whole %.9f\n", whole);

  uint64_t first = checksum_now();
  if (checking)
    check();
  if (repeats > 0) {
    with_data(time_kernels);
    if (checksum_now() != first) {
      fprintf(stderr, "two runs differ in their results\n");
      ++differences;
    }
  }
  printf("checksum %016llx\n", (unsigned long long)first);
  if (checking || differences)
    printf("check %s, %zu elements compared\n", differences ? "wrong" : "exact", compared);
  return differences != 0;
}

#endif
