// What launches took, and what that says of launches alike: a policy without memory of its own, which `pass/tests/learning.rs` runs on simulated machines.
//
// Launches are alike if they are of one class: same region, device, version and host threads, the same side by prediction, and the same powers of two of
// the values that the prediction reads and of the bytes that are moved. In each class:
//   1. The side that the prediction chooses runs, until ENOUGH of its launches are measured. The least of them over its prediction is what counts:
//      nothing that disturbs a launch makes it shorter.
//   2. If by then the other side is expected to take less, it is tried once. As long as it was not measured, the host's time is the weighed one, which
//      says how far the predictions may be off (`models/src/policy.rs`).
//   3. The trial corrects the other side's own prediction. Where it still takes less, it goes on, and what each of its launches took is set off against what
//      the first side took at least. Where the sum becomes a loss, the class keeps to the prediction for good.
//   4. Of the other side's launches, the 16th, 64th, 256th and 1024th go to the first side, which may not be as slow any more as it was.
// So a class loses one launch at most for each thread that launches, those under way when the sum became a loss; launches that overlap are not held
// against a side.
#ifndef IPDA_LEARN_H
#define IPDA_LEARN_H

#include "program.h"

// Measured launches that count: of fewer all may have been disturbed.
enum { ENOUGH = 3 };

// What is known of a class is one word, which threads exchange as a whole, without a lock. From bit 0 on: for the device and for the host the least of
// measured over predicted times, the upper bits of a float without its sign, and how many measurements there are, at most ENOUGH; whether the other side is
// being tried, whether the class keeps to the prediction for good, how seldom one asks whether a launch counts, how many launches went to the other side.
enum { FACTOR_BITS = 21, FLOAT_BITS_LEFT_OUT = 10, COUNTS = 42, SELDOM = 48, MAX_SELDOM = 7, RUNS = 52 };
#define TRYING (UINT64_C(1) << 46)
#define CLOSED (UINT64_C(1) << 47)
#define ONE_RUN (UINT64_C(1) << RUNS)

// Sides by their numbers.
enum { DEVICE_SIDE = 0, HOST_SIDE = 1 };

struct ipda_verdict {
  int32_t side;
  bool is_turned; // not as predicted
  bool is_trial;  // for the first time
  bool counts;    // what it takes is worth knowing
};

LONE uint32_t measured_count(uint64_t state, int32_t side) { return state >> (COUNTS + 2 * side) & 3; }

// Of what was measured; else 1.
LONE double factor_of(uint64_t state, int32_t side) {
  if (!measured_count(state, side))
    return 1;
  uint32_t bits = (uint32_t)(state >> (FACTOR_BITS * side) & ((1 << FACTOR_BITS) - 1)) << FLOAT_BITS_LEFT_OUT;
  float factor;
  __builtin_memcpy(&factor, &bits, sizeof factor);
  return factor;
}

// With one more measurement.
static inline uint64_t with_measured(uint64_t state, int32_t side, double factor) {
  if (!(factor > 1e-30 && factor < 1e30))
    return state;
  uint32_t count = measured_count(state, side);
  if (count < ENOUGH)
    state += UINT64_C(1) << (COUNTS + 2 * side);
  if (count && factor_of(state, side) <= factor)
    return state;
  float least = (float)factor;
  uint32_t bits;
  __builtin_memcpy(&bits, &least, sizeof bits);
  uint64_t mask = (UINT64_C(1) << FACTOR_BITS) - 1;
  int32_t at = FACTOR_BITS * side;
  return (state & ~(mask << at)) | (uint64_t)(bits >> FLOAT_BITS_LEFT_OUT) << at;
}

// Whether the launch that comes goes to the first side, to see what it takes now: after so many of the other side's.
static inline bool is_looked_at_again(uint64_t state) {
  uint64_t runs = state >> RUNS;
  return runs == 16 || runs == 64 || runs == 256 || runs == 1024;
}

// Where a launch is to run. To try a device that the program has not used yet would cost what it takes to start it.
static inline struct ipda_verdict verdict_of(uint64_t state, struct ipda_times times, bool is_device_started) {
  int32_t plain = __builtin_isless(times.weighed, times.device) ? HOST_SIDE : DEVICE_SIDE, other = !plain;
  struct ipda_verdict as_predicted = {.side = plain};
  if (measured_count(state, plain) < ENOUGH) {
    as_predicted.counts = true;
    return as_predicted;
  }
  bool is_trial = !measured_count(state, other);
  if (state & (TRYING | CLOSED) || (is_trial && other == DEVICE_SIDE && !is_device_started))
    return as_predicted;
  double host = (is_trial ? times.weighed : times.host) * factor_of(state, HOST_SIDE);
  double device = times.device * factor_of(state, DEVICE_SIDE);
  if (other == HOST_SIDE ? !__builtin_isless(host, device) : !__builtin_isless(device, host))
    return as_predicted;
  if (!is_trial && is_looked_at_again(state)) {
    as_predicted.counts = true;
    return as_predicted;
  }
  return (struct ipda_verdict){other, true, is_trial, true};
}

// What is kept of a class by whoever keeps it.
struct ipda_kept {
  uint64_t key;
  double factors[2]; // of the device and the host, where there is a count
  int64_t saved;     // nanoseconds that the other side saved
  int32_t counts[2];
  int32_t is_closed;
  int32_t unused;
};

#endif
