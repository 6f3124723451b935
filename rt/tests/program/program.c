// A program as the plugin makes it, as far as the library sees it: two regions with the same table. Usage: program TABLE PREPARED THREADS
// [SECONDS,OPEN,LAUNCHES]...: what the launches' own choice takes, 1 if they may go to other devices. Prints where each launch ran (u for the usual
// device, or another's number), what the prepared numbers are, and of each region whose launches are kept how many classes were known before and
// their sums. Each launch is of a class of its own.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../../pass/support/learn.h"
#include "../../../pass/support/region.h"

__attribute__((weak)) int32_t __ipda_rt_region(struct ipda_region *);
__attribute__((weak)) int32_t __ipda_rt_device(struct ipda_region *, double, const double *, int32_t);
__attribute__((weak)) uint64_t __ipda_rt_seed(struct ipda_region *);
__attribute__((weak)) int32_t __ipda_rt_recall(struct ipda_region *, int32_t, struct ipda_kept *);
__attribute__((weak)) void __ipda_rt_keep(struct ipda_region *, const struct ipda_kept *);

static struct ipda_region regions[2] = {{.name = "first at program.c:1"}, {.name = "second at program.c:2"}};
static char choices[1 << 16];
static int made, count;
static char **launches;

static void *thread(void *unused) {
  for (int at = 0; at < count; at++) {
    double seconds;
    int is_open, times;
    sscanf(launches[at], "%lf,%d,%d", &seconds, &is_open, &times);
    for (int launch = 0; launch < times; launch++) {
      struct ipda_region *region = &regions[launch % 2 * (at % 2)];
      int wants = __ipda_rt_region(region), number = 0;
      double value = 1000 * (launch + 1);
      if (wants & 1 && is_open)
        number = __ipda_rt_device(region, seconds, &value, 1);
      if (wants & 2) {
        struct ipda_kept kept = {__ipda_rt_seed(region) + launch, {0.5, 1}, -7 * launch, {3, 0}, launch % 2, 0};
        __ipda_rt_keep(region, &kept);
      }
      choices[__atomic_fetch_add(&made, 1, __ATOMIC_RELAXED) % (sizeof choices - 1)] = number ? '0' + number - 1 : 'u';
    }
  }
  return unused;
}

static void tell_known(struct ipda_region *region) {
  struct ipda_kept kept;
  uint64_t keys = 0;
  long saved = 0, counts = 0, closed = 0;
  double factors = 0;
  int number = 0;
  for (; __ipda_rt_recall(region, number, &kept); ++number) {
    keys += kept.key - __ipda_rt_seed(region), saved += kept.saved, counts += kept.counts[0] + kept.counts[1], closed += kept.is_closed;
    factors += kept.factors[0] + kept.factors[1];
  }
  fprintf(stderr, "%d known: %ld %ld %ld %ld %g\n", number, (long)keys, saved, counts, closed, factors);
}

int main(int argc, char **argv) {
  static char table[1 << 20];
  static double prepared[2][64];
  FILE *file = fopen(argv[1], "rb");
  size_t length = file ? fread(table, 1, sizeof table, file) : 0;
  for (int at = 0; at < 2; at++) {
    regions[at].table = table;
    regions[at].table_length = length;
    regions[at].prepared = (uint64_t *)prepared[at];
    regions[at].prepared_count = atoi(argv[2]);
    for (int value = 0; value < 64; value++)
      prepared[at][value] = -1;
  }
  if (!__ipda_rt_region)
    return puts("no library"), 0;
  // What the library sets up once, it sets up before there are threads.
  if (getenv("TAKE_IN_FIRST")) {
    static double others[64];
    static struct ipda_region third;
    third = regions[0];
    third.name = "third at program.c:3";
    third.prepared = (uint64_t *)others;
    __ipda_rt_region(&third);
  }
  for (int at = 0; at < 2; at++)
    if (getenv("KNOWN") && __ipda_rt_region(&regions[at]) & 2)
      tell_known(&regions[at]);
  launches = argv + 4;
  count = argc - 4;
  pthread_t threads[64];
  int wanted = atoi(argv[3]);
  for (int at = 0; at < wanted; at++)
    pthread_create(&threads[at], 0, thread, 0);
  for (int at = 0; at < wanted; at++)
    pthread_join(threads[at], 0);
  puts(choices);
  for (int at = 0; at < 2; at++, puts(""))
    for (int value = 0; value < regions[at].prepared_count; value++)
      printf("%.17g ", prepared[at][value]);
  return 0;
}
