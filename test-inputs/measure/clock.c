// A library to preload: takes the time of each launch of a target region and prints `launch FUNCTION:LINE SECONDS` when the process ends. A program
// that prints one time for all its kernels stays as it is. Built with -rdynamic, so that dladdr finds the regions' names.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Further ones are not kept.
#define MOST_LAUNCHES 65536

static struct {
  const void *region;
  double seconds;
} launches[MOST_LAUNCHES];
static int count;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int __tgt_target_kernel(void *place, long device, int teams, int threads, void *region, void *arguments) {
  static int (*launch)(void *, long, int, int, void *, void *);
  if (!launch)
    *(void **)&launch = dlsym(RTLD_NEXT, "__tgt_target_kernel");
  double start = now();
  int status = launch(place, device, teams, threads, region, arguments);
  if (count < MOST_LAUNCHES) {
    launches[count].seconds = now() - start;
    launches[count++].region = region;
  }
  return status;
}

// `.__omp_offloading_DEVICE_FILE_FUNCTION_lLINE.region_id`
static void print_name(const void *region) {
  Dl_info found;
  const char *name = dladdr(region, &found) && found.dli_saddr == region ? found.dli_sname : NULL;
  const char *prefix = ".__omp_offloading_";
  if (name && !strncmp(name, prefix, strlen(prefix))) {
    name += strlen(prefix);
    for (int fields = 0; fields < 2 && name; ++fields)
      name = strchr(name, '_') ? strchr(name, '_') + 1 : NULL;
    const char *line = NULL;
    for (const char *at = name; at && (at = strstr(at, "_l")); ++at)
      line = at;
    if (line) {
      printf("%.*s:%d", (int)(line - name), name, atoi(line + 2));
      return;
    }
  }
  printf("unknown:0");
}

__attribute__((destructor)) static void print_launches(void) {
  for (int at = 0; at < count; ++at) {
    printf("launch ");
    print_name(launches[at].region);
    printf(" %.9f\n", launches[at].seconds);
  }
  fflush(stdout);
}
