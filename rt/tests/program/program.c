// A program as the plugin makes it, as far as the library sees it: two regions with the same table, and launches that take as long as they are
// told. Usage: program TABLE PREPARED THREADS [HOST,DEVICE,TOOK_ON_HOST,TOOK_ON_DEVICE,OPEN,LAUNCHES]...; all times in ms; OPEN is 1 if the
// host may run it, and 2 more if any device may. Prints where each launch ran: h, d, or the number of the device and one more.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../../pass/support/region.h"

__attribute__((weak)) int32_t __ipda_rt_region(struct ipda_region *);
__attribute__((weak)) int64_t __ipda_rt_choose(struct ipda_region *, int32_t, double, double, const double *, int32_t);
__attribute__((weak)) void __ipda_rt_end(struct ipda_region *, int64_t);

static struct ipda_region regions[2] = {{.name = "first at program.c:1"}, {.name = "second at program.c:2"}};
static char choices[1 << 16];
static int made, count;
static char **launches;

static void work(double milliseconds) {
  struct timespec time = {milliseconds / 1e3, (int64_t)(milliseconds * 1e6) % 1000000000};
  nanosleep(&time, 0);
}

static void *thread(void *unused) {
  for (int at = 0; at < count; at++) {
    double host, device, took[2];
    int may, times;
    sscanf(launches[at], "%lf,%lf,%lf,%lf,%d,%d", &host, &device, &took[0], &took[1], &may, &times);
    for (int launch = 0; launch < times; launch++) {
      struct ipda_region *region = &regions[launch % 2 * (at % 2)];
      int wants_times = __ipda_rt_region(region) & 1, on_host = may & 1 && host < device, number = 0;
      int64_t token = 0;
      if (wants_times) {
        double value = 1000 * (launch + 1);
        token = __ipda_rt_choose(region, on_host | may << 1, host / 1e3, device / 1e3, &value, 1);
        on_host = token >> 62 & 1;
        number = token >> 48 & 0x3fff;
      }
      work(took[!on_host]);
      if (wants_times)
        __ipda_rt_end(region, token);
      choices[__atomic_fetch_add(&made, 1, __ATOMIC_RELAXED) % (sizeof choices - 1)] = number ? '0' + number : on_host ? 'h' : 'd';
    }
  }
  return unused;
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
