// Polly: the access relations of its static control parts, asked pair by pair.
//
// Two accesses of one part are independent where no element is in the range of both relations. Polly's own list of dependences says the
// same of two statements, but leaves out those within one execution of a statement, which count here. What a part assumes is tested by the
// code that Polly makes before it runs, so that all it says is under a condition then, and so is that two arrays of an alias group are
// apart. A part within a loop says nothing of that loop's iterations.

#include "module.h"
#include "polly/DependenceInfo.h"
#include "polly/ScopDetection.h"
#include "polly/ScopInfo.h"
#include "polly/Support/GICHelper.h"
#include "llvm/IR/Instructions.h"
#include <algorithm>
#include <optional>

using namespace llvm;
using namespace polly;

// What isl may spend on one pair.
static constexpr unsigned long MostOperations = 1000000;

namespace {
struct Place {
  Scop *Part;
  ScopStmt *Statement;
  polly::MemoryAccess *Access;
};
} // namespace

static std::optional<Place> placeOf(ScopInfo &Info, Instruction *I) {
  for (auto &[Region, Part] : Info)
    if (Part)
      for (ScopStmt &Statement : *Part)
        for (polly::MemoryAccess *Access : Statement)
          if (Access->isLatestArrayKind() && Access->getAccessInstruction() == I)
            return Place{Part.get(), &Statement, Access};
  return std::nullopt;
}

static bool assumesNothing(const Scop &Part) {
  isl::set Context = Part.getContext();
  return Context.is_subset(Part.getAssumedContext()).is_true() &&
         Context.intersect(Part.getInvalidContext()).is_empty().is_true();
}

static isl::map relationOf(const Place &P) {
  isl::set Context = P.Part->getContext().intersect(P.Part->getAssumedContext()).subtract(P.Part->getInvalidContext());
  return P.Access->getLatestAccessRelation().intersect_domain(P.Statement->getDomain()).intersect_params(Context);
}

// Whether code made by Polly would test that the two arrays do not overlap.
static bool inOneAliasGroup(Scop &Part, const ScopArrayInfo *A, const ScopArrayInfo *B) {
  auto holds = [](const Scop::MinMaxVectorTy &Group, const ScopArrayInfo *Array) {
    return any_of(Group, [&](const Scop::MinMaxAccessTy &Access) {
      return ScopArrayInfo::getFromId(Access.first.get_tuple_id(isl::dim::set)) == Array;
    });
  };
  return any_of(Part.getAliasGroups(), [&](const Scop::MinMaxVectorPairTy &Group) {
    return (holds(Group.first, A) || holds(Group.second, A)) && (holds(Group.first, B) || holds(Group.second, B));
  });
}

// The dimension of the statement's domain that counts the loop's iterations.
static std::optional<unsigned> dimensionOf(const ScopStmt &Statement, const Loop *L) {
  for (unsigned Dimension = 0; Dimension < Statement.getNumIterators(); ++Dimension)
    if (Statement.getLoopForDimension(Dimension) == L)
      return Dimension;
  return std::nullopt;
}

static bool isEmpty(__isl_take isl_map *Map) { return isl::manage(Map).is_empty().is_true(); }

static PairFact factOf(ScopInfo &Info, Instruction *A, Instruction *B, const std::vector<Loop *> &Common) {
  PairFact Fact{0, 0, Possible, {}};
  auto First = placeOf(Info, A), Second = placeOf(Info, B);
  if (!First || !Second || First->Part != Second->Part)
    return Fact;
  Scop &Part = *First->Part;
  IslMaxOperationsGuard Guard(Part.getIslCtx().get(), MostOperations);
  Answer Best = assumesNothing(Part) ? Excluded : ExcludedUnderConditions;
  auto *FirstArray = First->Access->getLatestScopArrayInfo(), *SecondArray = Second->Access->getLatestScopArrayInfo();
  if (FirstArray != SecondArray && inOneAliasGroup(Part, FirstArray, SecondArray))
    Best = ExcludedUnderConditions;
  // From executions of the first to those of the second that touch the same element.
  isl::map Meeting = relationOf(*First).apply_range(relationOf(*Second).reverse());
  isl::boolean Apart = FirstArray != SecondArray ? isl::boolean(true) : Meeting.is_empty();
  bool SeesAll = Common.empty() ? true : Part.getRegion().contains(Common.front());
  bool AllExcluded = true;
  for (unsigned Level = 0; Level < Common.size(); ++Level) {
    auto In = dimensionOf(*First->Statement, Common[Level]), Out = dimensionOf(*Second->Statement, Common[Level]);
    if (Apart.is_true()) {
      Fact.Carried[Level] = Part.getRegion().contains(Common[Level]) ? Best : Possible;
    } else if (In && Out && !Meeting.is_null()) {
      bool None = isEmpty(isl_map_order_lt(Meeting.copy(), isl_dim_in, *In, isl_dim_out, *Out)) &&
                  isEmpty(isl_map_order_gt(Meeting.copy(), isl_dim_in, *In, isl_dim_out, *Out));
      Fact.Carried[Level] = None ? Best : Possible;
      Meeting = isl::manage(isl_map_equate(Meeting.release(), isl_dim_in, *In, isl_dim_out, *Out));
    }
    AllExcluded &= Fact.Carried[Level] != Possible;
  }
  if (SeesAll && (Apart.is_true() || (A == B && AllExcluded)))
    Fact.Independent = Best;
  return Fact;
}

void rivals_polly(LLVMModuleRef Ref, unsigned Runs, void *State, PairSink Sink, Times *Spent) {
  Analyses A;
  A.Functions.registerPass([] { return ScopAnalysis(); });
  A.Functions.registerPass([] { return ScopInfoAnalysis(); });
  *Spent = {0, 0};
  for (const Unit &U : unitsOf(*unwrap(Ref))) {
    auto &LI = A.Functions.getResult<LoopAnalysis>(*U.Function);
    auto &Info = A.Functions.getResult<ScopInfoAnalysis>(*U.Function);
    forPairs(U, LI, [&](unsigned First, unsigned Second, const std::vector<Loop *> &Common) {
      PairFact Fact = factOf(Info, U.Accesses[First], U.Accesses[Second], Common);
      Fact.First = U.First + First;
      Fact.Second = U.First + Second;
      Sink(State, &Fact);
    });
    // Timed is Polly's own computation of all dependences between accesses.
    uint64_t Cold = ~0ull, Warm = ~0ull;
    auto computeAll = [&] {
      for (auto &[Region, Part] : A.Functions.getResult<ScopInfoAnalysis>(*U.Function))
        if (Part) {
          polly::DependenceAnalysis::Result Result{*Part, {}};
          Result.getDependences(Dependences::AL_Access);
        }
    };
    for (unsigned Run = 0; Run < Runs; ++Run) {
      A.Functions.invalidate(*U.Function, PreservedAnalyses::none());
      auto Start = std::chrono::steady_clock::now();
      computeAll();
      Cold = std::min(Cold, nanosecondsSince(Start));
      Start = std::chrono::steady_clock::now();
      computeAll();
      Warm = std::min(Warm, nanosecondsSince(Start));
    }
    Spent->ColdNanoseconds += Cold;
    Spent->WarmNanoseconds += Warm;
  }
}
