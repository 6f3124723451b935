// Predictions as bytes, and their evaluator. Bytes are little-endian, as are all hosts that have this code. `ipda_models::table` writes (table/program.rs):
//
//   14 numbers of 16 bits: how many constants of 32 and of 64 bits, prepared numbers, captured variables and steps there are; the slot of the first step; the
//     slots of the seconds on the host, as they are and as they are weighed, and of what both spreads follow from; how many versions a launch may take on the device; three that only Rust reads
//   the constants, those of 32 bits first
//   the captured variables, 4 bytes each: entry of the launch's arrays (16 bits), kind of reading, bits; from IN_MEMORY on how far behind the address that the
//     entry is (16 bits), kind with how many bytes are read and whether they have a sign, entry
//   the steps, in runs of one operation: a byte with its number (upper 4 bits) and how many there are (lower 4 bits), and the operands of each
//   the versions, by their numbers, 4 bytes each: its number and the slot of its seconds (16 bits each)
//
// Slots are numbered in this order: constants, prepared numbers, captured variables, the host's threads, steps. An operand is a byte: below NEAR, how many
// steps are between it and the step that needs it; below FAR, NEAR above its slot; else, FAR above the upper 4 bits of its slot, whose lower 8 follow. Before the first launch this is
// spread to what is evaluated in a quarter of the time, numbers of 16 bits: for each run its operation (lower 8 bits) and length, and the slots of the
// operands; behind them the versions, as they are.
#ifndef IPDA_PROGRAM_H
#define IPDA_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

// What only this code calls, it calls by name, and needs no mark for calls by address. Launches may call what they enter either way.
#if defined(__CET__)
#define BY_NAME nocf_check
#else
#define BY_NAME
#endif
#define COLD __attribute__((cold, noinline, BY_NAME))
#define HOT __attribute__((noinline, BY_NAME))
#define ENTERED __attribute__((noinline))
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
enum reading { SIGNED, UNSIGNED, FLOAT, DOUBLE, SIZE, TRIPS, IN_MEMORY = 8 };

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

static inline double single(const void *at) {
  float value;
  __builtin_memcpy(&value, at, sizeof value);
  return value;
}

// Where the numbers of 16 bits stand, and what is behind them.
enum { SINGLES = 0, DOUBLES = 2, PREPARED = 4, CAPTURED = 6, STEPS = 8, FIRST = 10, HOST = 12, WEIGHED = 14, SQUARES = 16, VERSIONS = 20, HEADER = 28 };

// Of the bytes of operands.
enum { NEAR = 128, FAR = 240 };

static inline const uint8_t *captured_at(const uint8_t *program, uint32_t number) {
  return program + HEADER + 4 * u16(program + SINGLES) + 8 * u16(program + DOUBLES) + 4 * number;
}

// How many binary digits a number has.
LONE uint32_t magnitude(uint64_t number) { return number ? 64 - (uint32_t)__builtin_clzll(number) : 0; }

// How many variables a program reads.
static inline uint32_t captured_count(const uint8_t *program) { return u16(program + CAPTURED); }

// The bits that a launch has for a variable that is not in memory, without those of its entry that do not belong to it: they may be anything.
static inline uint64_t captured_bits(const uint8_t *program, uint32_t number, const struct ipda_launch *launch) {
  const uint8_t *captured = captured_at(program, number);
  uint32_t entry = u16(captured), bits = captured[3];
  if (captured[2] == TRIPS)
    return launch->trip_count;
  uint64_t word = captured[2] == SIZE ? (uint64_t)launch->sizes[entry] : launch->values[entry];
  return bits < 64 ? word & ((UINT64_C(1) << bits) - 1) : word;
}

// A number for all values of a variable that have the same sign and power of two.
static inline uint64_t captured_magnitude(const uint8_t *program, uint32_t number, uint64_t word) {
  const uint8_t *captured = captured_at(program, number);
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
  case IN_MEMORY:
    break;
  }
  return magnitude(word);
}

static inline double captured_number(const uint8_t *program, uint32_t number, uint64_t word) {
  const uint8_t *captured = captured_at(program, number);
  switch ((enum reading)captured[2]) {
  case SIGNED: {
    uint32_t unused = 64 - captured[3];
    return (double)((int64_t)(word << unused) >> unused);
  }
  case UNSIGNED:
  case TRIPS:
    return (double)word;
  case FLOAT:
    return single(&word);
  case DOUBLE:
    return as_double(word);
  case SIZE:
  case IN_MEMORY:
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

static inline void set_u16(uint16_t **at, uint32_t value) { __atomic_store_n((*at)++, (uint16_t)value, __ATOMIC_RELAXED); }

// Spreads the steps of a program. Several threads may do so at once: they write the same.
COLD void __ipda_spread(const uint8_t *program, uint16_t *steps) {
  const uint8_t *at = captured_at(program, u16(program + CAPTURED));
  uint32_t own = u16(program + FIRST);
  for (uint32_t end = own + u16(program + STEPS); own != end;) {
    uint32_t operation = *at >> 4, count = *at++ & 15;
    set_u16(&steps, operation | count << 8);
    uint32_t operands = 2 + (operation == SELECT) - ((1 << FLOOR | 1 << NOT) >> operation & 1);
    for (; count; --count, ++own) {
      uint32_t operand = operands;
      do {
        uint32_t slot = *at++;
        if (slot < NEAR)
          slot = own - 1 - slot;
        else if (slot < FAR)
          slot -= NEAR;
        else
          slot = (slot - FAR) << 8 | *at++;
        set_u16(&steps, slot);
      } while (--operand);
    }
  }
  uint32_t rest = 2 * u16(program + VERSIONS);
  do
    set_u16(&steps, u16(at)), at += 2;
  while (--rest);
}

// The prediction of a program for a launch with these values, with so many threads on the host: bit for bit what `Form::evaluate` and `Seconds::of` give. It needs rounding to the nearest,
// raises floating-point flags, reads only what it is given, and calls nothing. Where somebody wants them, it writes the squares of the logarithms of the spreads,
// the host's and the device's.
__attribute__((noinline)) struct ipda_times __ipda_evaluate(const uint8_t *program, const uint16_t *step, const uint64_t *prepared, const uint64_t *words, int32_t threads, double *squares) {
  uint32_t singles = u16(program + SINGLES), doubles = u16(program + DOUBLES), ready = u16(program + PREPARED), captured = u16(program + CAPTURED);
  uint32_t count = u16(program + FIRST) + u16(program + STEPS);
  // No more than are needed: a thread may have a small stack.
  double slots[count], *next = slots;
  const uint8_t *constant = program + HEADER;
  for (; singles; --singles, constant += 4)
    *next++ = single(constant);
  for (; doubles; --doubles, constant += 8)
    *next++ = as_double(u64(constant));
  for (uint32_t number = 0; number < ready; ++number)
    *next++ = as_double(__atomic_load_n(&prepared[number], __ATOMIC_RELAXED));
  for (uint32_t number = 0; number < captured; ++number)
    *next++ = captured_number(program, number, words[number]);
  *next++ = threads;
#define A slots[step[0]]
#define B slots[step[1]]
#define C slots[step[2]]
#define RUN(operands, value)                                                                                                                         \
  for (; next != run; ++next, step += (operands))                                                                                                \
    *next = (value);                                                                                                                                 \
  break
  while (next != slots + count) {
    enum operation operation = *step & 255;
    const double *run = next + (*step++ >> 8);
    switch (operation) {
    case ADD: RUN(2, A + B);
    case SUBTRACT: RUN(2, A - B);
    // Truths are 1 and 0.
    case AND:
    case MULTIPLY: RUN(2, A * B);
    case DIVIDE: RUN(2, A / B);
    case MIN: RUN(2, A < B ? A : B);
    case OR:
    case MAX: RUN(2, A > B ? A : B);
    case FLOOR: RUN(1, floor_of(A));
    case LESS: RUN(2, A < B);
    case EQUAL: RUN(2, A == B);
    case NOT: RUN(1, 1 - A);
    case SELECT: RUN(3, A != 0 ? B : C);
    default: __builtin_unreachable();
    }
  }
#undef A
#undef B
#undef C
#undef RUN
  if (squares)
    squares[0] = slots[u16(program + SQUARES)], squares[1] = slots[u16(program + SQUARES + 2)];
  // Behind the steps are the versions.
  const uint16_t *version = step, *end = step + 2 * u16(program + VERSIONS);
  struct ipda_times times = {slots[u16(program + HOST)], slots[u16(program + WEIGHED)], slots[version[1]], version[0]};
  while ((version += 2) != end) {
    double seconds = slots[version[1]];
    if (seconds < times.device) {
      times.device = seconds;
      times.version = version[0];
    }
  }
  return times;
}

#endif
