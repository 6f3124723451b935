// Predictions as bytes, and their evaluator. Bytes are little-endian, as are all hosts that have this code. `ipda_models::table` writes (table/program.rs):
//
//   10 numbers of 16 bits: how many constants, prepared numbers, captured variables and steps there are; the slots of the seconds on the host, as they
//     are and as they are weighed; how many versions a launch may take on the device; three that only Rust reads
//   the constants, 8 bytes each
//   the captured variables, 4 bytes each: entry of the launch's arrays (16 bits), kind of reading, bits
//   the steps, in runs of one operation: its number (8 bits), how many there are (8 bits), the slots of the operands of each (16 bits)
//   the versions, by their numbers, 4 bytes each: its number and the slot of its seconds (16 bits each)
//
// Slots are numbered in this order: constants, prepared numbers, captured variables, the host's threads, steps.
#ifndef IPDA_PROGRAM_H
#define IPDA_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

// One copy, which is called, where time is not what counts.
#define LONE static __attribute__((noinline))

// The arrays of a launch, as libomptarget's KernelArgsTy has them.
struct ipda_launch {
  uint32_t version;
  uint32_t entry_count;
  const uint64_t *values;
  void *const *pointers;
  const int64_t *sizes;
  const int64_t *types;
  void *const *names;
  void *const *mappers;
  uint64_t trip_count;
  uint64_t flags; // bit 0: the launch may return before its work is done (`nowait`)
};

struct ipda_times {
  double host;
  double weighed;   // on the host, as it is compared with the device: longer where the prediction is in doubt
  double device;    // of the version that takes least
  uint32_t version; // that one
};

// Words of a region's memory before the values: sequence number, threads and device, generation, the three times, version, class.
enum { IPDA_MEMORY = 8 };

// Bits of a launch's flags.
enum { NOWAIT = 1 };

// As `table/program.rs` numbers them.
enum operation { ADD, SUBTRACT, MULTIPLY, DIVIDE, MIN, MAX, FLOOR, LESS, EQUAL, AND, OR, NOT, SELECT };
enum reading { SIGNED, UNSIGNED, FLOAT, DOUBLE, SIZE, TRIPS };

// All hosts that have this code are little-endian.
static inline uint32_t u16(const uint8_t *at) {
  uint16_t value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

static inline uint64_t u64(const uint8_t *at) {
  uint64_t value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

static inline double as_double(uint64_t bits) {
  double value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

// Where the numbers of 16 bits stand, and what is behind them.
enum { CONSTANTS = 0, PREPARED = 2, CAPTURED = 4, STEPS = 6, HOST = 8, WEIGHED = 10, VERSIONS = 12, HEADER = 20 };

static inline const uint8_t *captured_at(const uint8_t *program, uint32_t number) {
  return program + HEADER + 8 * u16(program + CONSTANTS) + 4 * number;
}

// How many binary digits a number has.
LONE uint32_t magnitude(uint64_t number) { return number ? 64 - (uint32_t)__builtin_clzll(number) : 0; }

// How many variables a program reads.
static inline uint32_t captured_count(const uint8_t *program) { return u16(program + CAPTURED); }

// The bits that a launch has for a variable, without those of its entry that do not belong to it: they may be anything.
static inline uint64_t captured_bits(const uint8_t *program, uint32_t number, const struct ipda_launch *launch) {
  const uint8_t *captured = captured_at(program, number);
  uint32_t entry = u16(captured), bits = captured[3];
  if (captured[2] == TRIPS)
    return launch->trip_count;
  uint64_t word = captured[2] == SIZE ? (uint64_t)launch->sizes[entry] : launch->values[entry];
  return bits < 64 ? word & ((UINT64_C(1) << bits) - 1) : word;
}

// A number for all values of a variable that have the same sign and power of two.
static inline uint64_t captured_magnitude(const uint8_t *program, uint32_t number, const struct ipda_launch *launch) {
  const uint8_t *captured = captured_at(program, number);
  uint64_t word = captured_bits(program, number, launch);
  switch ((enum reading)captured[2]) {
  case SIGNED: {
    uint32_t unused = 64 - captured[3];
    int64_t value = (int64_t)(word << unused) >> unused;
    return value < 0 ? 128 | magnitude(-(uint64_t)value) : magnitude(word);
  }
  case FLOAT:
    return word >> 23;
  case DOUBLE:
    return word >> 52;
  case UNSIGNED:
  case TRIPS:
  case SIZE:
    break;
  }
  return magnitude(word);
}

static inline double captured_number(const uint8_t *program, uint32_t number, const struct ipda_launch *launch) {
  const uint8_t *captured = captured_at(program, number);
  uint64_t word = captured_bits(program, number, launch);
  switch ((enum reading)captured[2]) {
  case SIGNED: {
    uint32_t unused = 64 - captured[3];
    return (double)((int64_t)(word << unused) >> unused);
  }
  case UNSIGNED:
  case TRIPS:
    return (double)word;
  case FLOAT: {
    float value;
    __builtin_memcpy(&value, &word, sizeof value);
    return value;
  }
  case DOUBLE:
    return as_double(word);
  case SIZE:
    break;
  }
  return (double)(int64_t)word;
}

// Without the instruction that not all processors have, and without libm. What is whole stays as it is, with its sign.
static inline double floor_of(double x) {
  if (!(__builtin_fabs(x) < 0x1p52))
    return x;
  double towards_0 = (double)(int64_t)x;
  if (towards_0 == x)
    return x;
  return towards_0 > x ? towards_0 - 1 : towards_0;
}

// The prediction of a program for a launch, with so many threads on the host: bit for bit what `Form::evaluate` and `Seconds::of` give. It needs rounding to the nearest,
// raises floating-point flags, reads only what it is given, and calls nothing.
__attribute__((noinline)) struct ipda_times __ipda_evaluate(const uint8_t *program, const uint64_t *prepared, const struct ipda_launch *launch, int32_t threads) {
  uint32_t constants = u16(program + CONSTANTS), ready = u16(program + PREPARED), captured = u16(program + CAPTURED);
  // No more than are needed: a thread may have a small stack.
  double slots[constants + ready + captured + 1 + u16(program + STEPS)], *next = slots;
  for (uint32_t number = 0; number < constants; ++number)
    *next++ = as_double(u64(program + HEADER + 8 * number));
  for (uint32_t number = 0; number < ready; ++number)
    *next++ = as_double(__atomic_load_n(&prepared[number], __ATOMIC_RELAXED));
  for (uint32_t number = 0; number < captured; ++number)
    *next++ = captured_number(program, number, launch);
  *next++ = threads;
  const uint8_t *step = captured_at(program, captured);
#define A slots[u16(step)]
#define B slots[u16(step + 2)]
#define C slots[u16(step + 4)]
#define RUN(operands, value)                                                                                                                         \
  for (; next != run; ++next, step += 2 * (operands))                                                                                                \
    *next = (value);                                                                                                                                 \
  break
  for (const double *end = next + u16(program + STEPS); next != end;) {
    enum operation operation = step[0];
    const double *run = next + step[1];
    step += 2;
    switch (operation) {
    case ADD: RUN(2, A + B);
    case SUBTRACT: RUN(2, A - B);
    case MULTIPLY: RUN(2, A * B);
    case DIVIDE: RUN(2, A / B);
    case MIN: RUN(2, A < B ? A : B);
    case MAX: RUN(2, A > B ? A : B);
    case FLOOR: RUN(1, floor_of(A));
    case LESS: RUN(2, A < B);
    case EQUAL: RUN(2, A == B);
    case AND: RUN(2, A != 0 && B != 0);
    case OR: RUN(2, A != 0 || B != 0);
    case NOT: RUN(1, A == 0);
    case SELECT: RUN(3, A != 0 ? B : C);
    default: __builtin_unreachable();
    }
  }
#undef A
#undef B
#undef C
#undef RUN
  // Behind the steps are the versions.
  const uint8_t *version = step, *end = step + 4 * u16(program + VERSIONS);
  struct ipda_times times = {slots[u16(program + HOST)], slots[u16(program + WEIGHED)], slots[u16(version + 2)], u16(version)};
  while ((version += 4) != end) {
    double seconds = slots[u16(version + 2)];
    if (seconds < times.device) {
      times.device = seconds;
      times.version = u16(version);
    }
  }
  return times;
}

#endif
