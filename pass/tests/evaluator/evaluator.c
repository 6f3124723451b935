// Evaluates predictions as launches do, and decides by them: reads one after the other, and prints the bits of the three times, the version that takes least,
// what is decided when nothing is remembered and when the same launch comes again, the bits of what both spreads follow from, and those of the variables, a line for each. All that it reads are
// numbers of 64 bits: how many bytes a program has, how many numbers it is spread to, how many prepared numbers, entries and sizes there are, these, and the
// host's threads.
#include "../../support/decide.c"

#include <stdio.h>
#include <stdlib.h>

// A runtime with one device, on which nothing is.
static int threads;
int omp_get_num_devices(void) { return 1; }
int omp_get_default_device(void) { return 0; }
int omp_get_max_threads(void) { return threads; }
int omp_get_level(void) { return 0; }
int omp_get_active_level(void) { return 0; }
int omp_get_max_active_levels(void) { return 1; }
int omp_get_max_teams(void) { return 0; }
int omp_get_num_procs(void) { return threads; }
int omp_get_thread_limit(void) { return INT32_MAX; }
int omp_get_teams_thread_limit(void) { return 0; }
int omp_target_is_present(const void *address, int device) { return 0; }

static uint64_t number(void) {
  uint64_t value;
  if (fread(&value, sizeof value, 1, stdin) != 1)
    exit(0);
  return value;
}

static uint64_t *numbers(uint64_t count) {
  uint64_t *values = malloc((count + 1) * sizeof *values);
  for (uint64_t at = 0; at < count; ++at)
    values[at] = number();
  return values;
}

static void print(double value) { printf("%llx ", (unsigned long long)as_bits(value)); }

int main(void) {
  for (;;) {
    uint64_t length = number(), spread = number(), prepared_count = number(), entry_count = number();
    uint8_t *program = malloc(length + 1);
    if (fread(program, 1, length, stdin) != length)
      return 1;
    uint64_t *prepared = numbers(prepared_count), *values = numbers(entry_count);
    int64_t *sizes = (int64_t *)numbers(entry_count);
    struct ipda_ticket ticket;
    // Nothing is copied to the device, so that no entry leads to what may be read.
    int64_t *types = calloc(entry_count + 1, sizeof *types);
    struct ipda_launch launch = {3, (uint32_t)entry_count, values, (void *const *)values, sizes, types, .trip_count = number()};
    threads = (int)number();
    enum { UNTOUCHED = 0x5555 };
    uint16_t *steps = malloc((spread + 1) * sizeof *steps);
    steps[spread - 1] = steps[spread] = UNTOUCHED;
    __ipda_spread(program, steps);
    // As many as the plugin makes room for.
    if (steps[spread - 1] == UNTOUCHED || steps[spread] != UNTOUCHED)
      return 1;
    uint32_t captured = captured_count(program);
    uint64_t words[captured + 1];
    read_words(program, &launch, -1, words, captured);
    double squares[2];
    struct ipda_times times = __ipda_evaluate(program, steps, prepared, words, threads, squares);
    uint64_t *memory = calloc(IPDA_MEMORY + captured, sizeof *memory);
    region region = {.program = program, .prepared = prepared, .memory = memory, .steps = steps};
    print(times.host), print(times.weighed), print(times.device), printf("%x ", times.version);
    for (int again = 0; again < 2; ++again)
      printf("%x ", __ipda_decide(&region, AS_PREDICTED, -1, &launch, &ticket));
    print(squares[0]), print(squares[1]);
    for (uint32_t at = 0; at < captured; ++at)
      print(captured_number(program, at, words[at]));
    puts("");
    free(program), free(prepared), free(values), free(sizes), free(types), free(memory), free(steps);
  }
}
