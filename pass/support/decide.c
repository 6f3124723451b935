// What all launches of a program or a shared object have in common: which policy holds, what is on the device already, what is predicted, what launches
// took, what is printed, what is not copied back. It is compiled when the plugin is built, for each kind of host, and comes as text for the assembler into modules whose regions may run on the
// host: nobody compiles it again. Nothing of libm is called, and no other library's but OpenMP's and the system's.
#include "learn.h"
#include "program.h"
#include "region.h"

#define WEAK __attribute__((weak))

typedef struct ipda_region region;

char *getenv(const char *);
char *secure_getenv(const char *);
int strcasecmp(const char *, const char *);
int strncasecmp(const char *, const char *, unsigned long);
char *strpbrk(const char *, const char *);
unsigned long strcspn(const char *, const char *);
void *calloc(unsigned long, unsigned long);
int dprintf(int, const char *, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *, unsigned long, const char *, ...) __attribute__((format(printf, 3, 4)));
unsigned long strlen(const char *);
int atexit(void (*)(void));
int atoi(const char *);
int omp_get_num_devices(void);
int omp_get_default_device(void);
int omp_get_max_threads(void);
int omp_get_level(void);
int omp_get_active_level(void);
int omp_get_max_active_levels(void);
int omp_get_max_teams(void);
int omp_get_num_procs(void);
int omp_get_thread_limit(void);
int omp_get_teams_thread_limit(void);
int omp_target_is_present(const void *, int);

// The system's clock, of which setting the time changes nothing.
struct instant {
  int64_t seconds, nanoseconds;
};
int clock_gettime(int, struct instant *);
enum { MONOTONIC = 1 };

// The library's, where the program has it: it finds machines, names another device than the default one, and keeps what launches took from run to run.
WEAK int32_t __ipda_rt_region(region *);
WEAK int32_t __ipda_rt_device(region *, double, const double *, int32_t);
WEAK uint64_t __ipda_rt_seed(region *);
WEAK int32_t __ipda_rt_recall(region *, int32_t, struct ipda_kept *);
WEAK void __ipda_rt_keep(region *, const struct ipda_kept *);

// Where the runtime that launches is not in the sight of all objects, libomp does not find it, and says that there is no device.
struct names {
  const char *file;
  void *base;
  const char *symbol;
  void *address;
};
WEAK int dladdr(const void *, struct names *);
WEAK void *dlopen(const char *, int);
WEAK void *dlsym(void *, const char *);

// libomptarget's for `target update`, which moves no more than it is asked to: the numbers of the device and of what is moved, and that.
WEAK void __tgt_target_data_update_mapper(void *, int64_t, int32_t, void **, void **, int64_t *, int64_t *, void **, void **);

// The type of the regions that the plugin makes, for whoever asks the compiler how it looks.
#ifdef IPDA_LAYOUT
const region __ipda_layout;
#endif

// What holds: 0 not read yet, else one of the first three; and added to it the others.
enum policy {
  DEVICE_ONLY = 1,
  HOST_WHERE_ALLOWED = 2,
  AS_PREDICTED = 3,
  KIND = 3,
  LOG_CALLS = 4,
  LOG_SUMMARY = 8,
  LOGGED = LOG_CALLS | LOG_SUMMARY,
  OFFLOAD_DISABLED = 16,
  LEARNS = 32
};
int32_t __ipda_policy;

region *__ipda_launched;

// Of how many threads all teams of a host version consist at most, and in the upper half one of them; 0 not asked yet.
int64_t __ipda_teams;

static inline int32_t min(int32_t a, int32_t b) { return a < b ? a : b; }
static inline int32_t max(int32_t a, int32_t b) { return a > b ? a : b; }

// The processor's settings for floating point: a program may have asked for signals where a number is divided by 0, for another rounding, or may look at
// the flags that arithmetic leaves. A prediction, which divides before it chooses, must neither end the program nor be noticed.
#if defined(__x86_64__)
typedef uint32_t settings;
static inline settings set_default(void) {
  settings before, reset = 0x1f80;
  __asm__ volatile("stmxcsr %0" : "=m"(before)::"memory");
  __asm__ volatile("ldmxcsr %0" ::"m"(reset) : "memory");
  return before;
}
static inline void set_back(settings before) { __asm__ volatile("ldmxcsr %0" ::"m"(before) : "memory"); }
#elif defined(__aarch64__)
typedef struct {
  uint64_t control, status;
} settings;
static inline settings set_default(void) {
  settings before;
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr\n\tmsr fpcr, xzr" : "=r"(before.control), "=r"(before.status)::"memory");
  return before;
}
static inline void set_back(settings before) {
  __asm__ volatile("msr fpsr, %1\n\tmsr fpcr, %0" ::"r"(before.control), "r"(before.status) : "memory");
}
#elif defined(__powerpc64__)
typedef double settings;
static inline settings set_default(void) { return __builtin_setflm(0.0); }
static inline void set_back(settings before) { __builtin_setflm(before); }
#endif

// A variable of the environment; an empty one is as good as none, and one that whoever starts a program with more rights than theirs has set.
// OpenMP's own are read as OpenMP's runtime reads them.
COLD const char *__ipda_variable(const char *name) {
  const char *word = secure_getenv(name);
  return word && *word ? word : 0;
}

// The number of a variable's value among words, with a comma and a blank between them, or `otherwise`; a value that is none of them is reported.
COLD int32_t __ipda_word(const char *name, const char *words, int32_t otherwise) {
  const char *value = __ipda_variable(name);
  if (!value)
    return otherwise;
  int32_t number = 0;
  for (const char *word = words;; ++number, word += 2) {
    unsigned long length = strcspn(word, ",");
    if (!strncasecmp(value, word, length) && !value[length])
      return number;
    word += length;
    if (!*word)
      break;
  }
  dprintf(2, "ipda: %s=%s: not one of %s; it is taken as if it had not been set\n", name, value, words);
  return otherwise;
}

// How many devices the runtime that launches has. omp_get_num_devices is libomp's in a program that is linked with it, which asks libomptarget
// where all objects of the program can see that; in an object that was opened later, they need not.
COLD int __ipda_devices(void) {
  int count = omp_get_num_devices();
  if (count > 0 || !dladdr || !dlopen || !dlsym)
    return count;
  struct names names;
  // A function that no other library has.
  if (!dladdr((const void *)omp_target_is_present, &names))
    return count;
  // RTLD_LAZY and RTLD_NOLOAD: it is there already, and stays.
  void *library = dlopen(names.file, 1 | 4);
  int (*own)(void) = library ? (int (*)(void))dlsym(library, "omp_get_num_devices") : 0;
  return own ? own() : count;
}

// Whether launches are measured to choose by that. The library reports files and misspelt words.
COLD bool __ipda_learns(void) {
  const char *word = __ipda_variable("IPDA_LEARN");
  if (!word || !strcasecmp(word, "on") || !strcasecmp(word, "1"))
    return true;
  if (!strcasecmp(word, "off") || !strcasecmp(word, "0"))
    return false;
  bool is_file = strpbrk(word, "/.");
  if (!__ipda_rt_seed)
    dprintf(2, is_file ? "ipda: IPDA_LEARN=%s: without libipda_rt.so nothing is kept in a file\n"
                       : "ipda: IPDA_LEARN=%s: not on, off, or a file with a / or . in its name; it is taken as if it had not been set\n",
            word);
  return true;
}

// What only launches that choose make use of, where nobody says that they do.
COLD void __ipda_tell_unused(void) {
  const char *learned = __ipda_variable("IPDA_LEARN"), *devices = __ipda_variable("IPDA_DEVICES");
  bool is_kept = learned && strpbrk(learned, "/.");
  if (is_kept || (devices && !strcasecmp(devices, "any")))
    dprintf(2, "ipda: IPDA_%s=%s: launches stay on the device without IPDA_OFFLOAD=model\n", is_kept ? "LEARN" : "DEVICES", is_kept ? learned : devices);
}

ENTERED __attribute__((cold)) int32_t __ipda_read_policy(void) {
  const char *required = getenv("OMP_TARGET_OFFLOAD");
  bool is_disabled = required && !strcasecmp(required, "disabled");
  bool is_settled = is_disabled || (required && !strcasecmp(required, "mandatory")) || __ipda_devices() < 1;
  int32_t policy = __ipda_word("IPDA_OFFLOAD", "always, never, model", DEVICE_ONLY - 1) + 1;
  bool is_reproducible = __ipda_word("IPDA_REPRODUCIBLE", "0, 1", 0) == 1;
  if (is_settled || is_reproducible)
    policy = DEVICE_ONLY;
  else if (!__ipda_variable("IPDA_OFFLOAD"))
    __ipda_tell_unused();
  if (policy == AS_PREDICTED && __ipda_learns())
    policy |= LEARNS;
  int32_t logged = __ipda_word("IPDA_LOG", "calls, summary", -1);
  if (logged >= 0)
    policy |= (logged == 0 ? LOG_CALLS : LOG_SUMMARY) | (is_disabled ? OFFLOAD_DISABLED : 0);
  // Of several threads that come here at once, the first one's word counts; all read the same.
  __atomic_store_n(&__ipda_policy, policy, __ATOMIC_RELAXED);
  return policy;
}

// The first number of a variable of the environment, or as good as no limit.
COLD int32_t __ipda_limit(const char *name) {
  const char *word = __ipda_variable(name);
  int32_t number = word ? atoi(word) : 0;
  return number > 0 ? number : INT32_MAX;
}

// What stays as it is while the program runs: libomp has as many threads in teams as processors, unless a variable of the environment sets fewer.
// Of omp_set_num_threads they take no notice.
COLD int64_t __ipda_count_teams(void) {
  int64_t all = max(min(omp_get_num_procs(), __ipda_limit("KMP_TEAMS_THREAD_LIMIT")), 1);
  int64_t one = max(min(__ipda_limit("OMP_NUM_THREADS"), omp_get_thread_limit()), 1);
  int64_t both = all | one << 32;
  __atomic_store_n(&__ipda_teams, both, __ATOMIC_RELAXED);
  return both;
}

// How many threads run a region's host version, as libomp of LLVM 19 counts them where no clause says it.
static inline int32_t threads_of(const region *region) {
  if (region->has_teams) {
    int64_t both = __atomic_load_n(&__ipda_teams, __ATOMIC_RELAXED);
    if (!both)
      both = __ipda_count_teams();
    int32_t one = (int32_t)(both >> 32), limit = omp_get_teams_thread_limit();
    if (limit > 0)
      one = min(one, limit);
    // Each team has at least one thread, and no product is larger than 64 bits.
    uint64_t teams = (uint64_t)max(omp_get_max_teams(), 1), most = (uint64_t)max((int32_t)both, (int32_t)teams);
    uint64_t product = (uint64_t)one * teams;
    return (int32_t)(product < most ? product : most);
  }
  if (omp_get_active_level() >= omp_get_max_active_levels())
    return 1;
  return min(omp_get_max_threads(), omp_get_thread_limit());
}

// Whether what a launch maps keeps it on the device: something of it is there already, or a section is empty, so that its pointer may be the device's.
HOT bool __ipda_is_bound(const region *region, const struct ipda_launch *launch, int device) {
  for (int32_t number = 0; number < region->entry_count; ++number) {
    int32_t entry = region->entries[number];
    if (launch->sizes[entry] < 1 || omp_target_is_present(launch->pointers[entry], device))
      return true;
  }
  return false;
}

// How many devices launches may use, and one more; 0 not asked yet. Where the environment says that none is used, none must be touched.
int32_t __ipda_usable;

COLD int32_t __ipda_count_usable(void) {
  const char *required = getenv("OMP_TARGET_OFFLOAD");
  int32_t count = required && !strcasecmp(required, "disabled") ? 0 : max(__ipda_devices(), 0);
  __atomic_store_n(&__ipda_usable, count + 1, __ATOMIC_RELAXED);
  return count + 1;
}

static inline int64_t usable_devices(void) {
  int32_t usable = __atomic_load_n(&__ipda_usable, __ATOMIC_RELAXED);
  return (usable ? usable : __ipda_count_usable()) - 1;
}

// Whether a launch's device has nothing of what is at an address. Asked of a device that there is not, OpenMP's runtime ends the program.
HOT bool __ipda_is_absent(const void *address, int64_t device) {
  if (device == -1)
    device = omp_get_default_device();
  return device >= 0 && device < usable_devices() && !omp_target_is_present(address, (int)device);
}

// Bits of a map type: what is copied, and what stands in an entry that is no section of the host's memory.
enum { TO = 1, FROM = 2, PRIVATE = 0x80, LITERAL = 0x100 };

// What stands for a value that is not found in memory, as `table::UNREAD`.
static const uint64_t UNREAD = UINT64_C(1) << 63;

// The integer of a variable in memory. It is read only where the launch copies all of its bytes to the device: the program says that they are there, and that
// the host's are what counts. `absent` is the last entry of which the device was found to have nothing: of one section all or nothing is there.
HOT uint64_t __ipda_loaded(const uint8_t *captured, const struct ipda_launch *launch, int64_t device, uint32_t *absent) {
  uint32_t entry = captured[3], kind = captured[2], bytes = 1 << (kind >> 1 & 3), unused = 64 - 8 * bytes;
  uint64_t address = launch->values[entry] + (uint64_t)(int16_t)u16(captured), within = address - (uintptr_t)launch->pointers[entry];
  int64_t size = launch->sizes[entry];
  if ((launch->types[entry] & (TO | LITERAL)) != TO || size < (int64_t)bytes || within > (uint64_t)size - bytes)
    return UNREAD;
  if (entry != *absent && !__ipda_is_absent(launch->pointers[entry], device))
    return UNREAD;
  *absent = entry;
  uint64_t word = 0;
  for (const uint8_t *at = (const uint8_t *)address + bytes; bytes; --bytes)
    word = word << 8 | *--at;
  word <<= unused;
  return kind & 1 ? word >> unused : (uint64_t)((int64_t)word >> unused);
}

static inline void read_words(const uint8_t *program, const struct ipda_launch *launch, int64_t device, uint64_t *words, uint32_t count) {
  uint32_t absent = UINT32_MAX;
  for (uint32_t number = 0; number < count; ++number) {
    const uint8_t *captured = captured_at(program, number);
    words[number] = captured[2] & IN_MEMORY ? __ipda_loaded(captured, launch, device, &absent) : captured_bits(program, number, launch);
  }
}

// Whether the runtime runs a launch on the host: it is not to use devices or has none, or a device clause or the default device names the host.
COLD bool __ipda_is_at_home(int32_t policy, int64_t asked) {
  if (policy & OFFLOAD_DISABLED)
    return true;
  int32_t number = asked == -1 ? omp_get_default_device() : (int32_t)asked;
  // The host's number is that of devices.
  int32_t devices = __ipda_devices();
  return number == devices || devices < 1;
}

// What is known of launches that are alike. The table is the program's for as long as it runs; what finds no place in it is not learned.
struct ipda_class {
  uint64_t key; // 0 where nothing is there
  uint64_t state;
  int64_t saved; // nanoseconds that the side saved that was not predicted
};
enum { CLASSES = 1024, MAX_PROBES = 8 };
struct ipda_class __ipda_classes[CLASSES];

LONE uint64_t mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 32;
}

// The place of a key, which is given to it where it has none; null where all that it could have are others'.
COLD struct ipda_class *__ipda_class_at(uint64_t key) {
  key += !key;
  for (uint32_t probe = 0; probe < MAX_PROBES; ++probe) {
    struct ipda_class *class = &__ipda_classes[(key + probe) % CLASSES];
    uint64_t there = __atomic_load_n(&class->key, __ATOMIC_RELAXED);
    if (!there && __atomic_compare_exchange_n(&class->key, &there, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return class;
    if (there == key)
      return class;
  }
  return 0;
}

// Before a region's first decision: its prediction is spread, and the library may put in numbers of the machines that it found, says what it wants, and what it has kept.
COLD void __ipda_offer(region *region) {
  int32_t wants = __ipda_rt_region ? __ipda_rt_region(region) : 0;
  if (!__ipda_rt_device || !__ipda_rt_seed || !__ipda_rt_recall || !__ipda_rt_keep)
    wants = 0;
  if (wants & 2) {
    __atomic_store_n(&region->seed, __ipda_rt_seed(region), __ATOMIC_RELAXED);
    settings before = set_default();
    struct ipda_kept kept;
    for (int32_t number = 0; __ipda_rt_recall(region, number, &kept); ++number) {
      struct ipda_class *class = __ipda_class_at(kept.key);
      uint64_t state = kept.is_closed ? CLOSED : 0;
      for (int32_t side = DEVICE_SIDE; side <= HOST_SIDE; ++side)
        for (int32_t count = 0; count < kept.counts[side]; ++count)
          state = with_measured(state, side, kept.factors[side]);
      // Another thread may have been here before, and measured already.
      uint64_t nothing = 0;
      if (class && __atomic_compare_exchange_n(&class->state, &nothing, state, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        __atomic_store_n(&class->saved, kept.saved, __ATOMIC_RELAXED);
    }
    set_back(before);
  }
  __atomic_store_n(&region->wants, wants, __ATOMIC_RELAXED);
  if (region->program)
    __ipda_spread(region->program, region->steps);
  __atomic_store_n(&region->is_ready, 1, __ATOMIC_RELEASE);
}

// The words of a region's memory.
enum { SEQUENCE, THREADS_AND_DEVICE, GENERATION, TIME_ON_HOST, WEIGHED_TIME, TIME_ON_DEVICE, VERSION, CLASS };

static inline uint64_t as_bits(double value) {
  uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline uint64_t word(const uint64_t *at) { return __atomic_load_n(at, __ATOMIC_RELAXED); }
static inline void set_word(uint64_t *at, uint64_t value) { __atomic_store_n(at, value, __ATOMIC_RELAXED); }

// What is predicted for a launch, and its class where it has one.
struct ipda_predicted {
  struct ipda_times times;
  struct ipda_class *class;
};

// The answer for the same values as last time: a sequence lock without waiting, whose number is odd while somebody writes (Boehm, Can seqlocks get along
// with programming language memory models?, 2012, figure 6).
static inline bool recall(const region *region, const uint64_t *words, uint32_t count, uint64_t who, struct ipda_predicted *predicted) {
  struct ipda_times *times = &predicted->times;
  const uint64_t *memory = region->memory;
  uint64_t sequence = __atomic_load_n(&memory[SEQUENCE], __ATOMIC_ACQUIRE);
  if (sequence == 0 || sequence & 1 || word(&memory[THREADS_AND_DEVICE]) != who ||
      word(&memory[GENERATION]) != (uint32_t)__atomic_load_n(&region->generation, __ATOMIC_RELAXED))
    return false;
  for (uint32_t number = 0; number < count; ++number)
    if (word(&memory[IPDA_MEMORY + number]) != words[number])
      return false;
  times->host = as_double(word(&memory[TIME_ON_HOST]));
  times->weighed = as_double(word(&memory[WEIGHED_TIME]));
  times->device = as_double(word(&memory[TIME_ON_DEVICE]));
  times->version = (uint32_t)word(&memory[VERSION]);
  predicted->class = (struct ipda_class *)word(&memory[CLASS]);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return word(&memory[SEQUENCE]) == sequence;
}

// Where somebody else is writing, nothing is remembered.
static inline void remember(const region *region, const uint64_t *words, uint64_t who, uint32_t generation, struct ipda_predicted predicted) {
  struct ipda_times times = predicted.times;
  uint64_t *memory = region->memory;
  uint64_t sequence = word(&memory[SEQUENCE]);
  if (sequence & 1 || !__atomic_compare_exchange_n(&memory[SEQUENCE], &sequence, sequence + 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return;
  __atomic_thread_fence(__ATOMIC_RELEASE);
  set_word(&memory[THREADS_AND_DEVICE], who);
  set_word(&memory[GENERATION], generation);
  uint32_t captured = captured_count(region->program);
  for (uint32_t number = 0; number < captured; ++number)
    set_word(&memory[IPDA_MEMORY + number], words[number]);
  set_word(&memory[TIME_ON_HOST], as_bits(times.host));
  set_word(&memory[WEIGHED_TIME], as_bits(times.weighed));
  set_word(&memory[TIME_ON_DEVICE], as_bits(times.device));
  set_word(&memory[VERSION], times.version);
  set_word(&memory[CLASS], (uint64_t)predicted.class);
  __atomic_store_n(&memory[SEQUENCE], sequence + 2, __ATOMIC_RELEASE);
}

// The class of a launch whose data is not on the device, so that all that it maps moves.
HOT struct ipda_class *__ipda_class_of(const region *region, const struct ipda_launch *launch, const uint64_t *words, uint64_t who, struct ipda_times times) {
  uint64_t seed = __atomic_load_n(&region->seed, __ATOMIC_RELAXED);
  uint64_t key = mixed(mixed(seed ? seed : (uint64_t)region, who), times.version * 2 + __builtin_isless(times.weighed, times.device));
  uint32_t captured = captured_count(region->program);
  for (uint32_t number = 0; number < captured; ++number)
    key = mixed(key, captured_magnitude(region->program, number, words[number]));
  uint64_t to = 0, from = 0;
  for (uint32_t entry = 0; entry < launch->entry_count; ++entry) {
    uint64_t type = (uint64_t)launch->types[entry], size = type & LITERAL ? 0 : (uint64_t)launch->sizes[entry];
    to += type & TO ? size : 0;
    from += type & FROM ? size : 0;
  }
  return __ipda_class_at(mixed(key, magnitude(to) << 8 | magnitude(from)));
}

HOT struct ipda_predicted __ipda_predict(const region *region, const struct ipda_launch *launch, const uint64_t *words, int32_t threads, uint64_t who, bool has_class) {
  // Before the prepared numbers are read: what another generation's give is not remembered as this one's.
  uint32_t generation = (uint32_t)__atomic_load_n(&region->generation, __ATOMIC_ACQUIRE);
  settings before = set_default();
  struct ipda_predicted predicted = {__ipda_evaluate(region->program, region->steps, region->prepared, words, threads, 0), 0};
  set_back(before);
  if (has_class && __builtin_isgreater(predicted.times.host, 0) && __builtin_isgreater(predicted.times.device, 0))
    predicted.class = __ipda_class_of(region, launch, words, who, predicted.times);
  remember(region, words, who, generation, predicted);
  return predicted;
}

// A call, so that none of it leaves the place between settings.
HOT void __ipda_convert(const region *region, const uint64_t *words, double *values, uint32_t count) {
  for (uint32_t number = 0; number < count; ++number)
    values[number] = captured_number(region->program, number, words[number]);
}

// The variables that a prediction reads, as numbers.
static inline void read_values(const region *region, const uint64_t *words, double *values, uint32_t count) {
  settings before = set_default();
  __ipda_convert(region, words, values, count);
  set_back(before);
}

// Writes those as " (n = 1, m = 2)", what was not found in memory as "?"; what does not fit is cut.
COLD void __ipda_write_values(const region *region, const double *values, uint32_t count, char *text, unsigned long size) {
  const char *name = region->value_names;
  unsigned long used = 0, room = size - 1;
  *text = 0;
  for (uint32_t number = 0; number < count; ++number, name += strlen(name) + 1) {
    bool is_read = values[number] != (double)(int64_t)UNREAD;
    int written = snprintf(text + used, room - used, is_read ? "%s%s = %.15g" : "%s%s = ?", number ? ", " : " (", name, values[number]);
    if (written < 0 || (unsigned long)written >= room - used)
      break;
    used += (unsigned long)written;
  }
  used = strlen(text);
  if (used) {
    text[used] = ')';
    text[used + 1] = 0;
  }
}

// What a region's launches on one side took, in picoseconds.
struct ipda_sum {
  int64_t launches, timed, took;
  // Of those with a prediction: how many, what they took, what was predicted, and what they took less than the other side would have, as far as that is
  // known.
  int64_t compared, compared_took, predicted, won;
};
struct ipda_sums {
  struct ipda_sum sides[2];
};

static inline void add(int64_t *sum, int64_t number) { __atomic_fetch_add(sum, number, __ATOMIC_RELAXED); }
LONE double seconds_of(const int64_t *sum) { return (double)__atomic_load_n(sum, __ATOMIC_RELAXED) * 1e-12; }

// Whole picoseconds; more than a day counts as one.
LONE int64_t picoseconds(double seconds) { return seconds > 86400 ? 86400 * INT64_C(1000000000000) : (int64_t)(seconds * 1e12); }

static inline const char *name_of(int32_t side) { return side == HOST_SIDE ? "host" : "device"; }

// The system calls it by its address.
ENTERED __attribute__((cold)) void __ipda_tell_sums(void) {
  settings before = set_default();
  region *first = __atomic_load_n(&__ipda_launched, __ATOMIC_ACQUIRE);
  int32_t width = 6;
  for (region *region = first; region; region = region->next)
    width = max(width, (int32_t)strlen(region->name));
  dprintf(2, "ipda: %-*s  where   launches   predicted    measured  measured/predicted\n", width, "region");
  for (region *region = first; region; region = region->next)
    for (int32_t side = HOST_SIDE; side >= DEVICE_SIDE; --side) {
      const struct ipda_sum *sum = &region->sums->sides[side];
      long launches = __atomic_load_n(&sum->launches, __ATOMIC_RELAXED);
      if (!launches)
        continue;
      // Not cleared as a whole, which would be a call of libc.
      char texts[3][32], won[48];
      for (int32_t text = 0; text < 3; ++text)
        texts[text][0] = '-', texts[text][1] = 0;
      won[0] = 0;
      double timed = (double)__atomic_load_n(&sum->timed, __ATOMIC_RELAXED), compared = (double)__atomic_load_n(&sum->compared, __ATOMIC_RELAXED);
      if (compared > 0) {
        double gain = seconds_of(&sum->won);
        snprintf(texts[0], sizeof texts[0], "%.4g s", seconds_of(&sum->predicted) / compared);
        snprintf(texts[2], sizeof texts[2], "%.4g", seconds_of(&sum->compared_took) / seconds_of(&sum->predicted));
        snprintf(won, sizeof won, "  %s %.4g s", gain < 0 ? "lost" : "won", __builtin_fabs(gain));
      }
      if (timed > 0)
        snprintf(texts[1], sizeof texts[1], "%.4g s", seconds_of(&sum->took) / timed);
      dprintf(2, "ipda: %-*s  %-6s  %8ld  %10s  %10s  %18s%s\n", width, region->name, name_of(side), launches, texts[0], texts[1], texts[2], won);
    }
  set_back(before);
}

// The sums of a region, from its first launch on; null without memory for them.
COLD struct ipda_sums *__ipda_sums_of(region *region) {
  struct ipda_sums *sums = __atomic_load_n(&region->sums, __ATOMIC_ACQUIRE);
  if (sums || !(sums = calloc(1, sizeof *sums)))
    return sums;
  struct ipda_sums *there = 0;
  // Of two threads that come here at once, one keeps in vain what it got.
  if (!__atomic_compare_exchange_n(&region->sums, &there, sums, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return there;
  struct ipda_region *head = __atomic_load_n(&__ipda_launched, __ATOMIC_RELAXED);
  do
    region->next = head;
  while (!__atomic_compare_exchange_n(&__ipda_launched, &head, region, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
  if (!head)
    atexit(__ipda_tell_sums);
  return sums;
}

// The name of a version, which is printed unless it is the one as written.
COLD const char *__ipda_version_name(const region *region, uint32_t version) {
  const char *name = region->version_names;
  for (; version; --version)
    name += strlen(name) + 1;
  return name;
}

// The factor whose logarithm has this square. Nothing of libm is called.
COLD double __ipda_factor(double square) {
  double root = 1 + square;
  // Newton's method, from above.
  for (int32_t turn = 0; turn < 16; ++turn)
    root = (root + square / root) / 2;
  // The exponential by its limit.
  double power = 1 + root * 0x1p-20;
  for (int32_t turn = 0; turn < 20; ++turn)
    power *= power;
  return power;
}

// The factors within which the times of a launch are predicted to lie.
COLD void __ipda_spreads(const region *region, const uint64_t *words, double *factors) {
  int32_t threads = threads_of(region);
  settings before = set_default();
  __ipda_evaluate(region->program, region->steps, region->prepared, words, threads, factors);
  factors[0] = __ipda_factor(factors[0]), factors[1] = __ipda_factor(factors[1]);
  set_back(before);
}

COLD void __ipda_tell(const region *region, const uint64_t *words, const char *where, const char *why, bool is_doubted,
                      struct ipda_times times) {
  uint32_t count = region->program ? captured_count(region->program) : 0;
  double values[count + 1];
  read_values(region, words, values, count);
  char text[258];
  __ipda_write_values(region, values, count, text, sizeof text);
  char doubt[64];
  doubt[0] = 0;
  if (is_doubted)
    snprintf(doubt, sizeof doubt, ", in doubt counted as %.4g s on the host", times.weighed);
  bool is_known = times.host == times.host && times.device == times.device;
  if (is_known) {
    double factors[2];
    __ipda_spreads(region, words, factors);
    dprintf(2, "ipda: %s%s: on the %s; predicted %.4g s on the host, %.4g s there%s%s%s, within factors of %.3g and %.3g%s%s\n", region->name, text, where,
            times.host, times.device, times.version ? " with " : "", times.version ? __ipda_version_name(region, times.version) : "",
            region->granted ? region->granted : "", factors[0], factors[1], doubt, why);
  }
  else
    dprintf(2, "ipda: %s%s: on the %s%s\n", region->name, text, where, why);
}

// What a decision says: 1 to run on the host; 2 where a ticket is to be given back at the end; from bit 2 on the version that takes least on the device, 0
// without a prediction; and from bit 8 on the number of another device than the default one, and one more.
enum { ON_HOST = 1, TICKET = 2, TAKEN_VERSION = 2, OTHER_DEVICE = 8 };

// What a launch knows of itself until it ends: eight words of the stack of whoever launches.
struct ipda_ticket {
  struct ipda_class *class; // null where nothing is learned of it
  struct ipda_times times;
  uint64_t start;  // nanoseconds
  uint64_t begun;  // how many launches there were, and were under way, when it began
  uint32_t marks;
};
_Static_assert(sizeof(struct ipda_ticket) == 64, "pass/src/decision/launch.rs makes room for it");

// Marks of tickets. One that has an end takes itself out of those under way. What is learned of launches follows from the others.
enum { HAS_END = 1, IS_CLOCKED = 2, IS_ON_HOST = 4, IS_TURNED = 8, IS_TRIAL = 16, IS_FIRST = 32 };

// Launches of regions that may run on the host: in the lower half how many are under way, in the upper one how many there were. One that returns before
// its work is done counts as under way for good.
uint64_t __ipda_launches;
static const uint64_t BEGINS = (UINT64_C(1) << 32) + 1, UNDER_WAY = UINT32_MAX;

// Where launches have run, a bit each: the host's, then devices'. The first one anywhere does more than its work, such as to start the device.
uint64_t __ipda_ran;
// Devices that have a bit together count as one.
static inline uint64_t place_bit(int64_t device) { return UINT64_C(2) << (device & 31); }

static inline uint64_t now(void) {
  struct instant instant;
  clock_gettime(MONOTONIC, &instant);
  return (uint64_t)instant.seconds * 1000000000 + (uint64_t)instant.nanoseconds;
}

// A call, so that no arithmetic leaves the place between settings.
HOT struct ipda_verdict __ipda_verdict(uint64_t state, struct ipda_times times, bool is_device_started) {
  settings before = set_default();
  struct ipda_verdict verdict = verdict_of(state, times, is_device_started);
  set_back(before);
  return verdict;
}

// Takes what the verdict of a class is from now on, where the launch may run on either side: of several threads, one tries.
HOT struct ipda_verdict __ipda_take(struct ipda_class *class, struct ipda_times times, bool is_device_started) {
  uint64_t state = __atomic_load_n(&class->state, __ATOMIC_RELAXED), next;
  struct ipda_verdict verdict;
  do {
    verdict = __ipda_verdict(state, times, is_device_started);
    next = state & ~((UINT64_C(15)) << SELDOM);
    if (verdict.is_trial)
      next |= TRYING;
    bool is_run = verdict.is_turned || (verdict.counts && is_looked_at_again(state));
    if (is_run && next < UINT64_MAX - ONE_RUN)
      next += ONE_RUN;
  } while (next != state && !__atomic_compare_exchange_n(&class->state, &state, next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return verdict;
}

// Whether it is time to ask if a launch counts: to ask what is on the device takes as long as all else, and of data that stays there the answer is always
// the same.
static inline bool is_time_to_ask(uint64_t state, uint64_t begun) {
  uint32_t seldom = state >> SELDOM & 15;
  uint64_t lot = (begun >> 32) * UINT64_C(0x9e3779b97f4a7c15);
  return !seldom || !(lot >> (64 - seldom));
}

COLD void __ipda_ask_less(struct ipda_class *class) {
  uint64_t state = __atomic_load_n(&class->state, __ATOMIC_RELAXED);
  if ((state >> SELDOM & 15) < MAX_SELDOM)
    __atomic_compare_exchange_n(&class->state, &state, state + (UINT64_C(1) << SELDOM), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

// Asks the library for another device than the default one, which is to take less: its number and one more, or 0.
COLD int32_t __ipda_other_device(region *region, const struct ipda_launch *launch, const uint64_t *words, double seconds) {
  uint32_t count = region->program ? captured_count(region->program) : 0;
  double values[count + 1];
  read_values(region, words, values, count);
  int32_t other = __ipda_rt_device(region, seconds, values, (int32_t)count);
  return other > 0 && !__ipda_is_bound(region, launch, other - 1) ? other : 0;
}

ENTERED int32_t __ipda_decide(region *region, int32_t policy, int64_t asked, const struct ipda_launch *launch, struct ipda_ticket *ticket) {
  if (!__atomic_load_n(&region->is_ready, __ATOMIC_ACQUIRE))
    __ipda_offer(region);
  bool is_modelled = (policy & KIND) == AS_PREDICTED, is_logged = policy & LOGGED, learns = policy & LEARNS;
  // A device clause decides.
  bool is_open = asked == -1;
  int64_t device = is_open && learns ? omp_get_default_device() : asked;
  struct ipda_predicted predicted = {{__builtin_nan(""), __builtin_nan(""), __builtin_nan(""), 0}, 0};
  // Where nobody looks at it, nothing is predicted. Memory is read once, so that all that is made of it is made of the same.
  uint32_t count = (is_modelled || is_logged) && region->program ? captured_count(region->program) : 0;
  uint64_t words[count + 1];
  read_words(region->program, launch, asked, words, count);
  if ((is_modelled || is_logged) && region->program) {
    int32_t threads = threads_of(region);
    uint64_t who = (uint32_t)threads | (uint64_t)device << 32;
    if (!recall(region, words, count, who, &predicted))
      predicted = __ipda_predict(region, launch, words, threads, who, learns && is_open);
  }
  struct ipda_times times = predicted.times;
  struct ipda_class *class = is_open ? predicted.class : 0;
  uint32_t marks = 0;
  uint64_t begun = 0, state = 0;
  bool is_wanted = (policy & KIND) == HOST_WHERE_ALLOWED || (is_modelled && __builtin_isless(times.weighed, times.device)), counts = false;
  if (learns) {
    begun = __atomic_fetch_add(&__ipda_launches, BEGINS, __ATOMIC_RELAXED);
    marks = HAS_END;
  }
  bool is_device_started = learns && __atomic_load_n(&__ipda_ran, __ATOMIC_RELAXED) & place_bit(device);
  if (class && !(launch->flags & NOWAIT)) {
    state = __atomic_load_n(&class->state, __ATOMIC_RELAXED);
    counts = measured_count(state, is_wanted) < ENOUGH;
    bool is_turned = false;
    if (!counts && !(state & CLOSED)) {
      struct ipda_verdict verdict = __ipda_verdict(state, times, is_device_started);
      is_wanted = verdict.side == HOST_SIDE, is_turned = verdict.is_turned, counts = verdict.counts;
    }
    counts = counts && (is_turned || is_wanted || is_time_to_ask(state, begun));
  }
  // Where the library may name another device, it must be known whether the launch may run anywhere.
  bool may_go_elsewhere = is_modelled && __atomic_load_n(&region->wants, __ATOMIC_RELAXED) & 1;
  bool is_candidate = is_open && (is_wanted || counts || may_go_elsewhere);
  const char *kept = 0;
  if (is_candidate) {
    // LLVM 19's libomp loses what teams compute within a parallel region, as teams.rs tells.
    if (region->has_teams && omp_get_level() > 0)
      kept = ", since teams start on the host only outside of parallel regions and nowait";
    // Where the default device is the host, the runtime runs the host's version, whatever comes of the question: to ask for the host's number costs
    // more than it.
    else if (__ipda_is_bound(region, launch, omp_get_default_device()))
      kept = ", since its data is already there or empty";
  }
  bool is_free = is_candidate && !kept;
  if (counts && !is_free) {
    if (!is_wanted)
      __ipda_ask_less(class);
    counts = false;
  }
  if (counts) {
    struct ipda_verdict verdict = __ipda_take(class, times, is_device_started);
    is_wanted = verdict.side == HOST_SIDE;
    marks |= (verdict.is_turned ? IS_TURNED : 0) | (verdict.is_trial ? IS_TRIAL : 0);
    counts = verdict.counts;
  }
  int32_t version = (int32_t)(times.version << TAKEN_VERSION);
  bool is_on_host = is_free && is_wanted;
  if (!is_logged && !may_go_elsewhere && !learns)
    return version | is_on_host;
  bool is_at_home = is_logged && __ipda_is_at_home(policy, asked);
  int32_t other = 0;
  if (may_go_elsewhere && is_free && !is_at_home)
    other = __ipda_other_device(region, launch, words, is_on_host ? times.host : times.device);
  if (other) {
    if (counts && marks & IS_TRIAL)
      __atomic_fetch_and(&class->state, ~TRYING, __ATOMIC_RELAXED);
    is_on_host = counts = false;
  }
  // What is printed is run here also where the runtime would give it back, so that its time is that of its work.
  bool is_run_here = is_on_host || is_at_home;
  if (is_logged && policy & LOG_CALLS) {
    bool is_turned = marks & IS_TURNED && !other;
    bool is_doubted = is_modelled && is_open && !is_run_here && !is_turned && !__builtin_isless(times.weighed, times.device) &&
                      __builtin_isless(times.host, times.device);
    const char *learned = !is_turned ? "" : marks & IS_TRIAL ? ", to try it for what launches took" : ", for what launches took";
    const char *why = is_at_home ? "" : kept && is_wanted ? kept : learned;
    __ipda_tell(region, words, is_at_home ? "host, by the runtime" : is_on_host ? "host" : "device", why, is_doubted, times);
  }
  if (learns) {
    uint64_t place = is_run_here ? 1 : place_bit(other ? other - 1 : device);
    if (!(__atomic_load_n(&__ipda_ran, __ATOMIC_RELAXED) & place) && !(__atomic_fetch_or(&__ipda_ran, place, __ATOMIC_RELAXED) & place))
      marks |= IS_FIRST;
  }
  // It returns before its work is done.
  bool is_left = launch->flags & NOWAIT && !is_run_here;
  ticket->class = counts ? class : 0;
  ticket->times = times;
  ticket->begun = begun;
  ticket->marks = (is_left ? marks & ~HAS_END : marks) | (is_run_here ? IS_ON_HOST : 0);
  if (counts || is_logged) {
    if (!is_left)
      ticket->marks |= IS_CLOCKED;
    ticket->start = now();
  }
  return version | is_run_here | TICKET | other << OTHER_DEVICE;
}

// What is left in the class of a launch that took so many seconds, or that the device has failed to run.
COLD void __ipda_learn(region *region, const struct ipda_ticket *ticket, double seconds, bool has_failed, bool is_alone) {
  struct ipda_class *class = ticket->class;
  uint32_t marks = ticket->marks;
  int32_t side = marks & IS_ON_HOST ? HOST_SIDE : DEVICE_SIDE;
  const double predicted[] = {ticket->times.device, ticket->times.host};
  // What a first launch does beside is nobody's fault, unless the other side was tried and failed.
  bool is_first = marks & IS_FIRST, is_trial = marks & IS_TRIAL, counts = !is_first && !has_failed;
  uint64_t state = __atomic_load_n(&class->state, __ATOMIC_RELAXED), next;
  bool is_loss = marks & IS_TURNED && has_failed;
  int64_t saved = 0;
  // What others disturb is not held against it.
  if (marks & IS_TURNED && counts && is_alone) {
    double least = predicted[!side] * factor_of(state, !side);
    saved = picoseconds(least) / 1000 - picoseconds(seconds) / 1000;
    saved = __atomic_add_fetch(&class->saved, saved, __ATOMIC_RELAXED);
    is_loss = saved < 0;
  }
  do {
    next = (state & ~(is_trial ? TRYING : 0)) | (is_loss ? CLOSED : 0);
    // A trial tells something also where others ran beside it: there is no other.
    if (counts && (is_alone || is_trial))
      next = with_measured(next, side, seconds / predicted[side]);
  } while (next != state && !__atomic_compare_exchange_n(&class->state, &state, next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  if ((counts || is_loss) && __atomic_load_n(&region->wants, __ATOMIC_RELAXED) & 2) {
    struct ipda_kept kept = {.key = __atomic_load_n(&class->key, __ATOMIC_RELAXED),
                             .saved = __atomic_load_n(&class->saved, __ATOMIC_RELAXED),
                             .is_closed = (next & CLOSED) != 0};
    for (int32_t of = DEVICE_SIDE; of <= HOST_SIDE; ++of) {
      kept.factors[of] = factor_of(next, of);
      kept.counts[of] = (int32_t)measured_count(next, of);
    }
    __ipda_rt_keep(region, &kept);
  }
}

// What is printed of a launch that has ended: its time, where it has one.
COLD void __ipda_tell_end(region *region, const struct ipda_ticket *ticket, int32_t policy, bool has_time, double seconds) {
  struct ipda_times times = ticket->times;
  int32_t side = ticket->marks & IS_ON_HOST ? HOST_SIDE : DEVICE_SIDE;
  double predicted[] = {times.device, times.host};
  bool is_known = predicted[side] > 0 && predicted[!side] > 0;
  if (policy & LOG_CALLS) {
    char text[64];
    text[0] = 0;
    if (is_known)
      snprintf(text, sizeof text, ", %.4g times the predicted %.4g s", seconds / predicted[side], predicted[side]);
    if (has_time)
      dprintf(2, "ipda: %s: took %.4g s on the %s%s\n", region->name, seconds, name_of(side), text);
    return;
  }
  struct ipda_sums *sums = __ipda_sums_of(region);
  if (!sums)
    return;
  struct ipda_sum *sum = &sums->sides[side];
  add(&sum->launches, 1);
  if (!has_time)
    return;
  add(&sum->timed, 1);
  add(&sum->took, picoseconds(seconds));
  if (!is_known)
    return;
  uint64_t state = ticket->class ? __atomic_load_n(&ticket->class->state, __ATOMIC_RELAXED) : 0;
  add(&sum->compared, 1);
  add(&sum->compared_took, picoseconds(seconds));
  add(&sum->predicted, picoseconds(predicted[side]));
  add(&sum->won, picoseconds(predicted[!side] * factor_of(state, !side)) - picoseconds(seconds));
}

// The end of a launch whose time somebody wants; the result is not 0 where the device has failed to run it.
COLD void __ipda_end_timed(region *region, const struct ipda_ticket *ticket, uint64_t end, bool is_alone, int32_t result) {
  settings before = set_default();
  int32_t policy = __atomic_load_n(&__ipda_policy, __ATOMIC_RELAXED);
  double seconds = (double)(end - ticket->start) * 1e-9;
  if (ticket->class)
    __ipda_learn(region, ticket, seconds, result != 0, is_alone);
  if (policy & LOGGED)
    __ipda_tell_end(region, ticket, policy, ticket->marks & IS_CLOCKED && result == 0, seconds);
  set_back(before);
}

// After a launch that has a ticket.
ENTERED void __ipda_end(region *region, const struct ipda_ticket *ticket, int32_t result) {
  uint32_t marks = ticket->marks;
  bool is_timed = ticket->class || __atomic_load_n(&__ipda_policy, __ATOMIC_RELAXED) & LOGGED;
  uint64_t end = is_timed ? now() : 0, launches = ticket->begun;
  if (marks & HAS_END)
    launches = __atomic_fetch_sub(&__ipda_launches, 1, __ATOMIC_RELAXED);
  // Nobody else was under way when it began, nor has begun since.
  if (is_timed)
    __ipda_end_timed(region, ticket, end, !(ticket->begun & UNDER_WAY) && launches == ticket->begun + BEGINS, result);
}

// Sections of so many bytes and fewer are packed into one allocation when they are private copies, with less alignment than they have by themselves.
enum { LARGEST_PACKED = 1024 };

// The devices that an object of the program has used, a bit each.
uint64_t __ipda_started;
enum { MAX_STARTED = 64 };

// The variables of an object's `declare target` are on a device from its first use on, and asking what is there is none. Whether they are there now.
COLD bool __ipda_start(int64_t device) {
  if (device >= MAX_STARTED || !__tgt_target_data_update_mapper)
    return false;
  __tgt_target_data_update_mapper(0, device, 0, 0, 0, 0, 0, 0, 0);
  __atomic_fetch_or(&__ipda_started, UINT64_C(1) << device, __ATOMIC_RELEASE);
  return true;
}

static inline bool is_started(int64_t device) {
  return device < MAX_STARTED && __atomic_load_n(&__ipda_started, __ATOMIC_ACQUIRE) >> device & 1;
}

// Whether memory is a variable of another object, which may have been opened in the meantime, so that its variables are not on the device yet.
COLD bool __ipda_is_of_another(const void *memory) {
  struct names there, here;
  return dladdr && dladdr(memory, &there) && dladdr(&__ipda_started, &here) && there.base != here.base;
}

// Whether no other section that a launch maps shares a byte with an entry's. Pointers without a section get their places by all that is mapped: by a section
// that they lead into or whose base lies before them (OpenMP 5.1, 5.8.6), and libomptarget asks the sections next to them alone. None may be missing then.
static inline bool is_apart(const struct ipda_launch *launch, uint32_t entry) {
  uintptr_t begin = (uintptr_t)launch->pointers[entry], end = begin + (uintptr_t)launch->sizes[entry];
  for (uint32_t other = 0; other < launch->entry_count; ++other) {
    if (other == entry || launch->types[other] & (LITERAL | PRIVATE))
      continue;
    uintptr_t other_begin = (uintptr_t)launch->pointers[other], other_end = other_begin + (uintptr_t)launch->sizes[other];
    if (launch->sizes[other] < 1 || (other_begin < end && begin < other_end))
      return false;
  }
  return true;
}

// A store that a kernel makes in all iterations of some loops: `pass/src/decision/read_only.rs` writes it.
enum { MAX_LOOPS = 4 };
struct ipda_store {
  int64_t is_known;
  int64_t entry;
  int64_t bytes;
  int64_t start; // in bytes from where its pointer leads
  int64_t loop_count;
  struct {
    int64_t stride, trips;
  } loops[MAX_LOOPS];
};

// Whether a store leaves no byte of its entry's section as it was. Beginning with the smallest stride, what the loops so far have written is one piece,
// and one more leaves it one if it moves that on by no more than its length. Nothing here may overflow.
COLD bool __ipda_fills(const struct ipda_launch *launch, const struct ipda_store *store) {
  if (!store->is_known || store->loop_count > MAX_LOOPS)
    return false;
  int64_t low = store->start, length = store->bytes;
  bool is_done[MAX_LOOPS] = {false};
  for (int64_t turn = 0; turn < store->loop_count; ++turn) {
    int64_t next = -1, least = INT64_MAX;
    for (int64_t number = 0; number < store->loop_count; ++number) {
      int64_t stride = store->loops[number].stride;
      if (stride == INT64_MIN || store->loops[number].trips < 1)
        return false;
      // One that runs once moves nothing.
      int64_t way = store->loops[number].trips == 1 ? 0 : stride < 0 ? -stride : stride;
      if (!is_done[number] && way < least)
        least = way, next = number;
    }
    if (next < 0 || least > length)
      return false;
    is_done[next] = true;
    int64_t way;
    if (__builtin_mul_overflow(least, store->loops[next].trips - 1, &way) || __builtin_add_overflow(length, way, &length))
      return false;
    if (store->loops[next].stride < 0 && __builtin_sub_overflow(low, way, &low))
      return false;
  }
  int64_t begin = (int64_t)((uintptr_t)launch->pointers[store->entry] - launch->values[store->entry]), end, filled;
  return !__builtin_add_overflow(begin, launch->sizes[store->entry], &end) && !__builtin_add_overflow(low, length, &filled) && low <= begin &&
         end <= filled;
}

// The map types of a launch whose kernel never writes through some entries, which are mapped to and from the device: where it can, it gets private copies of
// their sections, which nobody copies back. `types` has room for them.
//
// With the copy back alone taken out of the types it would not do: whoever takes a section's count to zero copies by its own types, and that may be this
// launch for a section that a kernel has written which ran beside it, by `nowait` or in another thread. A private copy has no count, and nothing that
// others do with the section changes. It holds what the mapped section would, since the section is not on the device, so that the host's memory is what
// counts; the kernel's other pointers do not lead there, as they lead into memory that is apart (what is written through them is not seen through this one,
// and no address compares as equal); and the kernel, which does not write through this pointer, leaves the copy as it was. A thread that maps the section in the
// meantime writes nothing there that the kernel reads, or it would be a race as well without this.
//
// What a kernel overwrites entirely, and reads nowhere before, is mapped as it was, but not brought to the device. Whoever else maps it has what the kernel
// leaves there, or would read what the kernel writes at the same time. Where the kernel cannot be started, nothing is copied back.
ENTERED const int64_t *__ipda_map_types(int64_t asked, const struct ipda_launch *launch, const int32_t *entries, int32_t count, int64_t *types,
                                    const struct ipda_store *stores, int32_t store_count) {
  int64_t device = asked == -1 ? omp_get_default_device() : asked;
  // In parallel regions and tasks others are likely to map the same: that would then be copied once for each.
  if (device < 0 || device >= usable_devices() || omp_get_level() > 0 || !(is_started(device) || __ipda_start(device)))
    return launch->types;
  for (uint32_t entry = 0; entry < launch->entry_count; ++entry)
    types[entry] = launch->types[entry];
  for (int32_t number = 0; number < count; ++number) {
    uint32_t entry = (uint32_t)entries[number];
    void *begin = launch->pointers[entry];
    if (launch->sizes[entry] <= LARGEST_PACKED || !is_apart(launch, entry) || __ipda_is_of_another(begin) || omp_target_is_present(begin, (int)device))
      continue;
    types[entry] = (types[entry] & ~FROM) | PRIVATE;
  }
  for (int32_t number = 0; number < store_count; ++number) {
    uint32_t entry = (uint32_t)stores[number].entry;
    if (launch->sizes[entry] > LARGEST_PACKED && is_apart(launch, entry) && __ipda_fills(launch, &stores[number]))
      types[entry] &= ~TO;
  }
  return types;
}
