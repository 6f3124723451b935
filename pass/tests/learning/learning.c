// A simulated machine for launches that learn: reads the program of a prediction and launches, carries out what is decided, and prints where each ran and how
// long it took, in nanoseconds of a clock that only the launches let go on. All that it reads are numbers of 64 bits: the program's length, how many numbers it is spread to, its bytes, what
// the first launch takes beside on the device and on the host, how many regions there are; then for each launch three entries, the nanoseconds that it takes on the
// device and on the host, what happens, and the region. Launches leave no flag of floating point, with which a program could see them.
#include "../../support/decide.c"

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>

// What happens at a launch.
enum { PRESENT = 1, NO_WAIT = 2, FAILS = 4, STAYS_UNDER_WAY = 8, WITH_CLAUSE = 16 };

static uint64_t clock_now = 1000, extra[2];
static bool is_there, has_run[2];
int clock_gettime(int clock, struct instant *instant) {
  instant->seconds = (int64_t)(clock_now / 1000000000);
  instant->nanoseconds = (int64_t)(clock_now % 1000000000);
  return clock != MONOTONIC;
}

// A runtime with one device.
int omp_get_num_devices(void) { return 1; }
int omp_get_default_device(void) { return 0; }
int omp_get_max_threads(void) { return 4; }
int omp_get_level(void) { return 0; }
int omp_get_active_level(void) { return 0; }
int omp_get_max_active_levels(void) { return 1; }
int omp_get_max_teams(void) { return 0; }
int omp_get_num_procs(void) { return 4; }
int omp_get_thread_limit(void) { return INT32_MAX; }
int omp_get_teams_thread_limit(void) { return 0; }
int omp_target_is_present(const void *address, int device) { return is_there; }

static uint64_t number(void) {
  uint64_t value;
  if (fread(&value, sizeof value, 1, stdin) != 1)
    exit(0);
  return value;
}

// A launch that began before another one, and ends after it.
static struct {
  region *region;
  struct ipda_ticket ticket;
} outer;

static void launch(region *region, const uint64_t *entries, const uint64_t *takes, uint64_t happens) {
  static void *pointers[4];
  static const int64_t sizes[] = {8, 8, 8, 4096}, types[] = {LITERAL, LITERAL, LITERAL, TO | FROM};
  pointers[3] = pointers;
  is_there = happens & PRESENT;
  struct ipda_launch launch = {3, 4, entries, pointers, sizes, types, .flags = happens & NO_WAIT ? NOWAIT : 0};
  int32_t policy = __ipda_policy ? __ipda_policy : __ipda_read_policy();
  uint64_t begin = clock_now;
  struct ipda_ticket ticket;
  int32_t decided = policy == DEVICE_ONLY ? 0 : __ipda_decide(region, policy, happens & WITH_CLAUSE ? 0 : -1, &launch, &ticket);
  bool is_on_host = decided & ON_HOST, has_failed = !is_on_host && happens & FAILS;
  clock_now += takes[is_on_host] + (has_run[is_on_host] ? 0 : extra[is_on_host]);
  has_run[is_on_host] = true;
  if (decided & TICKET && happens & STAYS_UNDER_WAY) {
    outer.region = region;
    outer.ticket = ticket;
  } else if (decided & TICKET) {
    __ipda_end(region, &ticket, has_failed);
    if (outer.region)
      __ipda_end(outer.region, &outer.ticket, 0);
    outer.region = 0;
  }
  if (fetestexcept(FE_ALL_EXCEPT))
    exit(2);
  printf("%c %llu\n", is_on_host ? 'h' : 'd', (unsigned long long)(clock_now - begin));
}

int main(void) {
  uint64_t length = number(), spread = number();
  uint8_t *program = malloc(length);
  if (fread(program, 1, length, stdin) != length)
    return 1;
  extra[DEVICE_SIDE] = number(), extra[HOST_SIDE] = number();
  static const int32_t entries[] = {3};
  uint64_t count = number();
  region *regions = calloc(count, sizeof *regions);
  for (uint64_t at = 0; at < count; ++at) {
    uint64_t *memory = calloc(IPDA_MEMORY + captured_count(program), sizeof *memory);
    uint16_t *steps = calloc(spread, sizeof *steps);
    regions[at] = (region){.name = "region", .program = program, .memory = memory, .entries = entries, .entry_count = 1, .steps = steps};
  }
  for (;;) {
    uint64_t values[4] = {number(), number(), number()}, takes[2] = {number(), number()}, happens = number();
    launch(&regions[number()], values, takes, happens);
  }
}
