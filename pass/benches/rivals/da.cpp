// LLVM's DependenceAnalysis (Goff, Kennedy and Tseng 1991), as `print<da>` runs it.

#include "module.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/DependenceAnalysis.h"
#include "llvm/IR/Instructions.h"
#include <algorithm>

using namespace llvm;

// A loop carries the dependence where the loops around it can have equal directions and its own can be another.
static PairFact factOf(const Dependence *D, uint32_t First, uint32_t Second, unsigned Common) {
  PairFact Fact{First, Second, D ? Possible : Excluded, {}};
  bool Reaches = D;
  for (unsigned Level = 1; Level <= Common; ++Level) {
    unsigned Directions =
        !D || D->isConfused() || Level > D->getLevels() ? unsigned(Dependence::DVEntry::ALL) : D->getDirection(Level);
    Fact.Carried[Level - 1] = Reaches && (Directions & ~Dependence::DVEntry::EQ) ? Possible : Excluded;
    Reaches = Reaches && (Directions & Dependence::DVEntry::EQ);
  }
  return Fact;
}

void rivals_da(LLVMModuleRef Ref, unsigned Runs, void *State, PairSink Sink, Times *Spent) {
  Analyses A;
  auto Units = unitsOf(*unwrap(Ref));
  *Spent = {0, 0};
  for (const Unit &U : Units) {
    auto &LI = A.Functions.getResult<LoopAnalysis>(*U.Function);
    auto &DA = A.Functions.getResult<DependenceAnalysis>(*U.Function);
    if (Sink)
      forPairs(U, LI, [&](unsigned First, unsigned Second, const std::vector<Loop *> &Common) {
        auto D = DA.depends(U.Accesses[First], U.Accesses[Second], true);
        PairFact Fact = factOf(D.get(), U.First + First, U.First + Second, Common.size());
        Sink(State, &Fact);
      });
    uint64_t Cold = ~0ull, Warm = ~0ull;
    auto askAll = [&] {
      auto &Dependences = A.Functions.getResult<DependenceAnalysis>(*U.Function);
      for (unsigned First = 0; First < U.Accesses.size(); ++First)
        for (unsigned Second = First; Second < U.Accesses.size(); ++Second)
          if (isa<StoreInst>(U.Accesses[First]) || isa<StoreInst>(U.Accesses[Second]))
            Dependences.depends(U.Accesses[First], U.Accesses[Second], true);
    };
    for (unsigned Run = 0; Run < Runs; ++Run) {
      A.Functions.invalidate(*U.Function, PreservedAnalyses::none());
      auto Start = std::chrono::steady_clock::now();
      askAll();
      Cold = std::min(Cold, nanosecondsSince(Start));
      Start = std::chrono::steady_clock::now();
      askAll();
      Warm = std::min(Warm, nanosecondsSince(Start));
    }
    Spent->ColdNanoseconds += Cold;
    Spent->WarmNanoseconds += Warm;
  }
}
