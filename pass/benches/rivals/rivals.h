// What `scripts/bench dependence` asks of LLVM's dependence analysis and of Polly, in terms that all rivals share.
//
// All functions number the loops and the loads and stores of a module alike: those of functions with loops, in the module's order. Nothing
// but debug locations of the module is changed, so that the same IR is before everyone.

#ifndef IPDA_RIVALS_H
#define IPDA_RIVALS_H

#include "llvm-c/Core.h"
#include <cstdint>

// Loops around an access that are distinguished; pairs with more in common are left out.
constexpr unsigned MostLoops = 8;
constexpr uint32_t None = ~0u;

// What is said of a dependence.
enum Answer : uint8_t { Possible = 0, ExcludedUnderConditions = 1, Excluded = 2 };

struct LoopFact {
  uint32_t Function;
  // The loop around it, or None.
  uint32_t Parent;
  // Its place in the source, 0 where that is not known.
  uint32_t Line;
  // Whether it holds effects on memory that are no load or store, or such that are volatile or atomic.
  uint32_t Opaque;
};

struct AccessFact {
  uint32_t Function;
  // The innermost loop around it, or None.
  uint32_t Loop;
  uint32_t Writes;
  // Place in the source.
  uint32_t Line;
  uint32_t Column;
  // The local variable that it is in, by its number in the function, or None.
  uint32_t Local;
};

struct PairFact {
  uint32_t First;
  uint32_t Second;
  // Whether the two ever touch a common byte in two executions.
  uint8_t Independent;
  // By loop around both, outermost first: whether they do in two of its iterations, in one iteration of the loops outside of it.
  uint8_t Carried[MostLoops];
};

struct Times {
  // The least of several runs, with all analyses that it needs made anew, and with those kept.
  uint64_t ColdNanoseconds;
  uint64_t WarmNanoseconds;
};

extern "C" {
typedef void (*LoopSink)(void *State, const LoopFact *);
typedef void (*AccessSink)(void *State, const AccessFact *);
typedef void (*PairSink)(void *State, const PairFact *);

// Reads options of LLVM; once, before all others.
void rivals_start();
// Lists loops and accesses, then gives each access the source line 1 + its number, by which it is found again in any copy.
void rivals_list(LLVMModuleRef, void *State, LoopSink, AccessSink);
// Answers for all pairs of accesses of a function, at least one of which writes; without a sink (`rivals_da`) the time alone.
void rivals_da(LLVMModuleRef, unsigned Runs, void *State, PairSink, Times *);
void rivals_polly(LLVMModuleRef, unsigned Runs, void *State, PairSink, Times *);
}

#endif
