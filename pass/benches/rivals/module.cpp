#include "module.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/CommandLine.h"
#include <map>

using namespace llvm;

static bool isAccess(const Instruction &I) { return isa<LoadInst>(I) || isa<StoreInst>(I); }

static bool isOpaque(const Instruction &I) {
  if (isAccess(I))
    return I.isVolatile() || I.isAtomic();
  // Assumptions and marks of lifetimes order nothing.
  if (const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I); Intrinsic && Intrinsic->isAssumeLikeIntrinsic())
    return false;
  return I.mayReadOrWriteMemory() || !I.willReturn();
}

std::vector<Unit> unitsOf(Module &M) {
  std::vector<Unit> Units;
  uint32_t Next = 0;
  for (Function &F : M) {
    if (F.isDeclaration() || LoopInfo(DominatorTree(F)).empty())
      continue;
    Unit U{&F, Next, {}};
    for (BasicBlock &B : F)
      for (Instruction &I : B)
        if (isAccess(I))
          U.Accesses.push_back(&I);
    Next += U.Accesses.size();
    Units.push_back(std::move(U));
  }
  return Units;
}

std::vector<Loop *> commonLoops(const LoopInfo &LI, const Instruction *A, const Instruction *B) {
  Loop *L = LI.getLoopFor(A->getParent());
  while (L && !L->contains(B))
    L = L->getParentLoop();
  std::vector<Loop *> Chain;
  for (; L; L = L->getParentLoop())
    Chain.insert(Chain.begin(), L);
  return Chain;
}

void forPairs(const Unit &U, const LoopInfo &LI,
              const std::function<void(unsigned, unsigned, const std::vector<Loop *> &)> &Visit) {
  for (unsigned First = 0; First < U.Accesses.size(); ++First)
    for (unsigned Second = First; Second < U.Accesses.size(); ++Second) {
      if (!isa<StoreInst>(U.Accesses[First]) && !isa<StoreInst>(U.Accesses[Second]))
        continue;
      auto Common = commonLoops(LI, U.Accesses[First], U.Accesses[Second]);
      if (Common.size() <= MostLoops)
        Visit(First, Second, Common);
    }
}

void rivals_start() {
  // Polly's own defaults but for these: nests that it would not gain from are asked too, one location's own updates count as
  // dependences, and every two accesses of one place count, not only the last write before a read.
  const char *Options[] = {"rivals", "-polly-process-unprofitable", "-polly-detect-reductions=false",
                           "-polly-dependences-use-reductions=false", "-polly-dependences-analysis-type=memory-based"};
  cl::ParseCommandLineOptions(std::size(Options), Options);
}

void rivals_list(LLVMModuleRef Ref, void *State, LoopSink Loops, AccessSink Accesses) {
  Module &M = *unwrap(Ref);
  uint32_t LoopsBefore = 0, FunctionNumber = 0;
  for (const Unit &U : unitsOf(M)) {
    DominatorTree DT(*U.Function);
    LoopInfo LI(DT);
    std::map<const Loop *, uint32_t> Numbers;
    for (const Loop *L : LI.getLoopsInPreorder()) {
      uint32_t Number = LoopsBefore + Numbers.size();
      Numbers[L] = Number;
      LoopFact Fact{FunctionNumber, None, 0, 0};
      if (const Loop *Parent = L->getParentLoop())
        Fact.Parent = Numbers[Parent];
      if (const DebugLoc Start = L->getStartLoc())
        Fact.Line = Start.getLine();
      for (const BasicBlock *B : L->blocks())
        for (const Instruction &I : *B)
          Fact.Opaque |= isOpaque(I);
      Loops(State, &Fact);
    }
    std::map<const Value *, uint32_t> Locals;
    for (uint32_t Number = 0; Number < U.Accesses.size(); ++Number) {
      Instruction *I = U.Accesses[Number];
      const Loop *L = LI.getLoopFor(I->getParent());
      AccessFact Fact{FunctionNumber, L ? Numbers[L] : None, isa<StoreInst>(I), 0, 0, None};
      const Value *Object = getUnderlyingObject(getLoadStorePointerOperand(I));
      if (isa<AllocaInst>(Object))
        Fact.Local = Locals.try_emplace(Object, Locals.size()).first->second;
      if (const DebugLoc &Location = I->getDebugLoc()) {
        Fact.Line = Location.getLine();
        Fact.Column = Location.getCol();
      }
      Accesses(State, &Fact);
      if (DISubprogram *Program = U.Function->getSubprogram())
        I->setDebugLoc(DILocation::get(M.getContext(), 1 + U.First + Number, 1, Program));
    }
    LoopsBefore += Numbers.size();
    ++FunctionNumber;
  }
}
