// What all launches of a program or a shared object have in common: which policy holds, what is on the device already, what is predicted, what people are
// told, what is not copied back. It is compiled when the plugin is built, for each kind of host, and comes as text for the assembler into modules whose regions may run on the
// host: nobody compiles it again. Nothing of libm is called, and no other library's but OpenMP's and the system's.
#include "program.h"
#include "region.h"

#define COLD __attribute__((cold, noinline))
#define HOT __attribute__((noinline))
#define WEAK __attribute__((weak))

typedef struct ipda_region region;

char *getenv(const char *);
char *secure_getenv(const char *);
int strcasecmp(const char *, const char *);
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

// The library's, where the program has it.
WEAK int32_t __ipda_rt_region(region *);
WEAK int64_t __ipda_rt_choose(region *, int32_t, double, double, const double *, int32_t);
WEAK void __ipda_rt_end(region *, int64_t);

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

// libomptarget's for `target update`, which moves no more than it is told: the numbers of the device and of what is moved, and that.
WEAK void __tgt_target_data_update_mapper(void *, int64_t, int32_t, void **, void **, int64_t *, int64_t *, void **, void **);

// The type of the regions that the plugin makes, for whoever asks the compiler how it looks.
#ifdef IPDA_LAYOUT
const region __ipda_layout;
#endif

// What holds: 0 not read yet, else one of the first three; and added to it the others.
enum policy { DEVICE_ONLY = 1, HOST_WHERE_ALLOWED = 2, AS_PREDICTED = 3, KIND = 3, LOG_CALLS = 4, LOG_SUMMARY = 8, OFFLOAD_DISABLED = 16 };
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

// The number of a variable's value in a list of words that ends with null, or `otherwise`; a value that is none of them is told.
COLD int32_t __ipda_word(const char *name, const char *const *words, int32_t otherwise) {
  const char *value = __ipda_variable(name);
  if (!value)
    return otherwise;
  int32_t number = 0;
  for (; words[number]; ++number)
    if (!strcasecmp(value, words[number]))
      return number;
  // The list of them in one text stands behind their end.
  dprintf(2, "ipda: %s=%s: not one of %s; it is taken as if it had not been set\n", name, value, words[number + 1]);
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

COLD int32_t __ipda_read_policy(void) {
  static const char *const offload[] = {"always", "never", "model", 0, "always, never, model"};
  static const char *const reproducible[] = {"0", "1", 0, "0, 1"};
  static const char *const log[] = {"calls", "summary", 0, "calls, summary"};
  const char *required = getenv("OMP_TARGET_OFFLOAD");
  bool is_disabled = required && !strcasecmp(required, "disabled");
  bool is_settled = is_disabled || (required && !strcasecmp(required, "mandatory")) || __ipda_devices() < 1;
  int32_t policy = __ipda_word("IPDA_OFFLOAD", offload, AS_PREDICTED - 1) + 1;
  bool is_reproducible = __ipda_word("IPDA_REPRODUCIBLE", reproducible, 0) == 1;
  if (is_settled || is_reproducible)
    policy = DEVICE_ONLY;
  int32_t logged = __ipda_word("IPDA_LOG", log, -1);
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

// Whether the runtime runs a launch on the host: it is not to use devices or has none, or a device clause or the default device names the host.
COLD bool __ipda_is_at_home(int32_t policy, int64_t asked) {
  if (policy & OFFLOAD_DISABLED)
    return true;
  int32_t number = asked == -1 ? omp_get_default_device() : (int32_t)asked;
  // The host's number is that of devices.
  int32_t devices = __ipda_devices();
  return number == devices || devices < 1;
}

// Before a region's first decision: the library may put in numbers of the machines that it found, and says what it wants.
COLD void __ipda_offer(region *region) {
  if (__ipda_rt_region) {
    int32_t wants = __ipda_rt_region(region);
    __atomic_store_n(&region->wants, __ipda_rt_choose && __ipda_rt_end ? wants : 0, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&region->is_ready, 1, __ATOMIC_RELEASE);
}

// The words of a region's memory.
enum { SEQUENCE, THREADS_AND_DEVICE, GENERATION, TIME_ON_HOST, WEIGHED_TIME, TIME_ON_DEVICE, VERSION };

static inline uint64_t as_bits(double value) {
  uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline uint64_t word(const uint64_t *at) { return __atomic_load_n(at, __ATOMIC_RELAXED); }
static inline void set_word(uint64_t *at, uint64_t value) { __atomic_store_n(at, value, __ATOMIC_RELAXED); }

// The answer for the same values as last time: a sequence lock without waiting, whose number is odd while somebody writes (Boehm, Can seqlocks get along
// with programming language memory models?, 2012, figure 6).
static inline bool recall(const region *region, const struct ipda_launch *launch, uint64_t who, struct ipda_times *times) {
  const uint64_t *memory = region->memory;
  uint64_t sequence = __atomic_load_n(&memory[SEQUENCE], __ATOMIC_ACQUIRE);
  if (sequence == 0 || sequence & 1 || word(&memory[THREADS_AND_DEVICE]) != who ||
      word(&memory[GENERATION]) != (uint32_t)__atomic_load_n(&region->generation, __ATOMIC_RELAXED))
    return false;
  uint32_t captured = captured_count(region->program);
  for (uint32_t number = 0; number < captured; ++number)
    if (word(&memory[IPDA_MEMORY + number]) != captured_bits(region->program, number, launch))
      return false;
  times->host = as_double(word(&memory[TIME_ON_HOST]));
  times->weighed = as_double(word(&memory[WEIGHED_TIME]));
  times->device = as_double(word(&memory[TIME_ON_DEVICE]));
  times->version = (uint32_t)word(&memory[VERSION]);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return word(&memory[SEQUENCE]) == sequence;
}

// Where somebody else is writing, nothing is remembered.
static inline void remember(const region *region, const struct ipda_launch *launch, uint64_t who, uint32_t generation, struct ipda_times times) {
  uint64_t *memory = region->memory;
  uint64_t sequence = word(&memory[SEQUENCE]);
  if (sequence & 1 || !__atomic_compare_exchange_n(&memory[SEQUENCE], &sequence, sequence + 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return;
  __atomic_thread_fence(__ATOMIC_RELEASE);
  set_word(&memory[THREADS_AND_DEVICE], who);
  set_word(&memory[GENERATION], generation);
  uint32_t captured = captured_count(region->program);
  for (uint32_t number = 0; number < captured; ++number)
    set_word(&memory[IPDA_MEMORY + number], captured_bits(region->program, number, launch));
  set_word(&memory[TIME_ON_HOST], as_bits(times.host));
  set_word(&memory[WEIGHED_TIME], as_bits(times.weighed));
  set_word(&memory[TIME_ON_DEVICE], as_bits(times.device));
  set_word(&memory[VERSION], times.version);
  __atomic_store_n(&memory[SEQUENCE], sequence + 2, __ATOMIC_RELEASE);
}

HOT struct ipda_times __ipda_predict(const region *region, const struct ipda_launch *launch, int32_t threads, uint64_t who) {
  // Before the prepared numbers are read: what another generation's give is not remembered as this one's.
  uint32_t generation = (uint32_t)__atomic_load_n(&region->generation, __ATOMIC_ACQUIRE);
  settings before = set_default();
  struct ipda_times times = __ipda_evaluate(region->program, region->prepared, launch, threads);
  set_back(before);
  remember(region, launch, who, generation, times);
  return times;
}

// A call, so that none of it leaves the place between settings.
HOT void __ipda_convert(const region *region, const struct ipda_launch *launch, double *values, uint32_t count) {
  for (uint32_t number = 0; number < count; ++number)
    values[number] = captured_number(region->program, number, launch);
}

// The variables that a prediction reads, as numbers.
static inline void read_values(const region *region, const struct ipda_launch *launch, double *values, uint32_t count) {
  settings before = set_default();
  __ipda_convert(region, launch, values, count);
  set_back(before);
}

// Writes those as " (n = 1, m = 2)"; what does not fit is cut.
COLD void __ipda_write_values(const region *region, const double *values, uint32_t count, char *text, unsigned long size) {
  const char *name = region->value_names;
  unsigned long used = 0, room = size - 1;
  *text = 0;
  for (uint32_t number = 0; number < count; ++number, name += strlen(name) + 1) {
    int written = snprintf(text + used, room - used, "%s%s = %.15g", number ? ", " : " (", name, values[number]);
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

COLD void __ipda_tell_sums(void) {
  for (region *region = __atomic_load_n(&__ipda_launched, __ATOMIC_ACQUIRE); region; region = region->next)
    dprintf(2, "ipda: %s: %lld launches on the host, %lld on the device\n", region->name,
            (long long)__atomic_load_n(&region->launches_on_host, __ATOMIC_RELAXED),
            (long long)__atomic_load_n(&region->launches_on_device, __ATOMIC_RELAXED));
}

COLD void __ipda_count(region *region, bool is_on_host) {
  __atomic_fetch_add(is_on_host ? &region->launches_on_host : &region->launches_on_device, 1, __ATOMIC_RELAXED);
  if (__atomic_exchange_n(&region->is_listed, 1, __ATOMIC_RELAXED))
    return;
  struct ipda_region *head = __atomic_load_n(&__ipda_launched, __ATOMIC_RELAXED);
  do
    region->next = head;
  while (!__atomic_compare_exchange_n(&__ipda_launched, &head, region, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
  if (!head)
    atexit(__ipda_tell_sums);
}

// The name of a version, which people are told unless it is the one as written.
COLD const char *__ipda_version_name(const region *region, uint32_t version) {
  const char *name = region->version_names;
  for (; version; --version)
    name += strlen(name) + 1;
  return name;
}

COLD void __ipda_tell(const region *region, const struct ipda_launch *launch, const char *where, const char *why, bool is_doubted,
                      struct ipda_times times) {
  uint32_t count = region->program ? captured_count(region->program) : 0;
  double values[count + 1];
  read_values(region, launch, values, count);
  char text[258];
  __ipda_write_values(region, values, count, text, sizeof text);
  char doubt[64] = "";
  if (is_doubted)
    snprintf(doubt, sizeof doubt, ", in doubt counted as %.4g s on the host", times.weighed);
  bool is_known = times.host == times.host && times.device == times.device;
  if (is_known)
    dprintf(2, "ipda: %s%s: on the %s; predicted %.4g s on the host, %.4g s there%s%s%s%s%s\n", region->name, text, where, times.host, times.device,
            times.version ? " with " : "", times.version ? __ipda_version_name(region, times.version) : "", region->granted ? region->granted : "",
            doubt, why);
  else
    dprintf(2, "ipda: %s%s: on the %s%s\n", region->name, text, where, why);
}

// What a decision says: 1 to run on the host; 2 where the library wants the time, and a token is given; from bit 2 on the version that takes least on the
// device, 0 without a prediction; and from bit 8 on the number of another device than the default one, and one more.
enum { ON_HOST = 1, TIMED = 2, TAKEN_VERSION = 2, OTHER_DEVICE = 8 };

// Asks the library where a launch is to run: it turns the choice, or names another device.
COLD int32_t __ipda_ask_library(region *region, const struct ipda_launch *launch, bool is_on_host, bool may_turn, struct ipda_times times, int64_t *token) {
  uint32_t count = region->program ? captured_count(region->program) : 0;
  double values[count + 1];
  read_values(region, launch, values, count);
  // Nothing that it maps is anywhere but in the host's memory: it may be turned to the host (2), and to another device (4).
  int64_t answer = __ipda_rt_choose(region, is_on_host | (may_turn ? 2 | 4 : 0), times.host, times.device, values, (int32_t)count);
  *token = answer;
  if (!may_turn)
    return is_on_host;
  if (answer >> 62 & 1)
    return ON_HOST;
  int32_t other = (int32_t)(answer >> 48) & 0x3fff;
  return other && !__ipda_is_bound(region, launch, other - 1) ? other << OTHER_DEVICE : 0;
}

HOT int32_t __ipda_decide(region *region, int32_t policy, int64_t asked, const struct ipda_launch *launch, int64_t *token) {
  if (!__atomic_load_n(&region->is_ready, __ATOMIC_ACQUIRE))
    __ipda_offer(region);
  bool is_timed = __atomic_load_n(&region->wants, __ATOMIC_RELAXED) & 1;
  bool is_modelled = (policy & KIND) == AS_PREDICTED, is_told = policy > KIND;
  struct ipda_times times = {__builtin_nan(""), __builtin_nan(""), __builtin_nan(""), 0};
  // Where nobody looks at it, nothing is predicted.
  if ((is_modelled || is_told || is_timed) && region->program) {
    int32_t threads = threads_of(region);
    uint64_t who = (uint32_t)threads | (uint64_t)asked << 32;
    if (!recall(region, launch, who, &times))
      times = __ipda_predict(region, launch, threads, who);
  }
  // A device clause decides.
  bool is_open = asked == -1;
  bool is_wanted = (policy & KIND) == HOST_WHERE_ALLOWED || (is_modelled && __builtin_isless(times.weighed, times.device));
  // Where the library may turn the choice, it must know whether the host is allowed.
  bool is_candidate = is_open && (is_wanted || (is_timed && is_modelled));
  const char *kept = 0;
  if (is_candidate) {
    // LLVM 19's libomp loses what teams compute within a parallel region, as teams.rs tells.
    if (region->has_teams && omp_get_level() > 0)
      kept = ", since teams start on the host only outside of parallel regions and nowait";
    // Where the default device is the host, the runtime runs the host's version, whatever comes of the question: to ask for the host's number costs
    // more than it.
    else if (__ipda_is_bound(region, launch, omp_get_default_device()))
      kept = ", since its data is already there";
  }
  bool is_free = is_candidate && !kept;
  int32_t version = (int32_t)(times.version << TAKEN_VERSION);
  if (!is_told && !is_timed)
    return version | (is_free && is_wanted ? ON_HOST : 0);
  bool is_at_home = __ipda_is_at_home(policy, asked);
  bool is_allowed = is_free && !is_at_home;
  int32_t decided = is_allowed && is_wanted ? ON_HOST : 0;
  if (is_timed) {
    // What the runtime would give back is run here, so that its time is that of its work.
    decided = __ipda_ask_library(region, launch, decided || is_at_home, is_allowed && is_modelled, times, token) | TIMED;
  }
  bool is_on_host = decided & ON_HOST;
  bool is_doubted = is_modelled && is_open && !is_wanted && !is_on_host && __builtin_isless(times.host, times.device);
  if (policy & LOG_SUMMARY) {
    // The library tells sums with the times that it measured.
    if (!is_timed)
      __ipda_count(region, is_on_host || is_at_home);
  } else if (is_told) {
    const char *where = is_at_home ? "host, by the runtime" : is_on_host ? "host" : "device";
    __ipda_tell(region, launch, where, kept && is_wanted && !is_at_home ? kept : "", is_doubted && !is_at_home, times);
  }
  return decided | version;
}

// Bits of a map type: what is copied, and what stands in an entry that is no section of the host's memory.
enum { TO = 1, FROM = 2, PRIVATE = 0x80, LITERAL = 0x100 };

// Sections of so many bytes and fewer are packed into one allocation when they are private copies, with less alignment than they have by themselves.
enum { LARGEST_PACKED = 1024 };

// How many devices launches may use, and one more; 0 not asked yet. Where the environment says that none is used, none must be touched.
int32_t __ipda_usable;

COLD int32_t __ipda_count_usable(void) {
  const char *required = getenv("OMP_TARGET_OFFLOAD");
  int32_t count = required && !strcasecmp(required, "disabled") ? 0 : max(__ipda_devices(), 0);
  __atomic_store_n(&__ipda_usable, count + 1, __ATOMIC_RELAXED);
  return count + 1;
}

// The devices that an object of the program has used, a bit each.
uint64_t __ipda_started;
enum { MOST_STARTED = 64 };

// The variables of an object's `declare target` are on a device from its first use on, and asking what is there is none. Whether they are there now.
COLD bool __ipda_start(int64_t device) {
  if (device >= MOST_STARTED || !__tgt_target_data_update_mapper)
    return false;
  __tgt_target_data_update_mapper(0, device, 0, 0, 0, 0, 0, 0, 0);
  __atomic_fetch_or(&__ipda_started, UINT64_C(1) << device, __ATOMIC_RELEASE);
  return true;
}

static inline bool is_started(int64_t device) {
  return device < MOST_STARTED && __atomic_load_n(&__ipda_started, __ATOMIC_ACQUIRE) >> device & 1;
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
HOT const int64_t *__ipda_map_types(int64_t asked, const struct ipda_launch *launch, const int32_t *entries, int32_t count, int64_t *types,
                                    const struct ipda_store *stores, int32_t store_count) {
  int32_t usable = __atomic_load_n(&__ipda_usable, __ATOMIC_RELAXED);
  if (!usable)
    usable = __ipda_count_usable();
  int64_t device = asked == -1 ? omp_get_default_device() : asked;
  // In parallel regions and tasks others are likely to map the same: that would then be copied once for each.
  if (device < 0 || device >= usable - 1 || omp_get_level() > 0 || !(is_started(device) || __ipda_start(device)))
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

// After work whose time the library wants.
COLD void __ipda_end(region *region, int64_t token) { __ipda_rt_end(region, token); }
