#include "shim.h"

#include "copy.h"
#include "marks.h"
#include "once.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMRemarkStreamer.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/Reassociate.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/BuildLibCalls.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

struct IpdaSession {
  ModuleAnalysisManager &MAM;
  FunctionAnalysisManager &FAM;
};

namespace {

constexpr char PassName[] = "ipda";

IpdaStr str(StringRef S) { return {S.data(), S.size()}; }
StringRef ref(IpdaStr S) { return {S.data, S.len}; }

// Remembers that a pipeline has met the plugin, so that loading it twice does everything once.
class VisitedAnalysis : public AnalysisInfoMixin<VisitedAnalysis> {
  friend AnalysisInfoMixin<VisitedAnalysis>;
  static AnalysisKey Key;

public:
  struct Result {
    bool Started = false;
    bool Finished = false;
    bool invalidate(Module &, const PreservedAnalyses &, ModuleAnalysisManager::Invalidator &) { return false; }
  };
  Result run(Module &, ModuleAnalysisManager &) { return {}; }
};
AnalysisKey VisitedAnalysis::Key;

// Of a function, the parameter that chooses between two ways through it.
constexpr StringLiteral ChoiceAttribute = "ipda-choice";

// The same for all pipelines of the process.
IpdaCallbacks Callbacks;

class IpdaPass : public PassInfoMixin<IpdaPass> {
  IpdaRunKind Kind;
  std::string Parameters;

public:
  IpdaPass(IpdaRunKind Kind, StringRef Parameters) : Kind(Kind), Parameters(Parameters) {}

  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (Kind == IpdaRunStart || Kind == IpdaRunAlone || Kind == IpdaRunLast) {
      MAM.registerPass([] { return VisitedAnalysis(); });
      auto &Visited = MAM.getResult<VisitedAnalysis>(M);
      bool &Done = Kind == IpdaRunLast ? Visited.Finished : Visited.Started;
      if (Done)
        return PreservedAnalyses::all();
      Done = true;
    }
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    IpdaSession Session{MAM, FAM};
    // Where it says that nothing has changed, only copies were, and those are gone.
    bool IsChanged = Callbacks.run(&Session, wrap(&M), Kind, str(Parameters));
    return IsChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }

  static bool isRequired() { return true; }
};

// `Name` is `ipda` or `ipda<parameters>`; what is printed is named in brackets, and the parameters follow a semicolon.
bool parsePass(StringRef Name, ModulePassManager &MPM) {
  IpdaRunKind Kind = IpdaRunAlone;
  if (Name.consume_front("print<ipda")) {
    Kind = Name.consume_front("-ddg-dot") ? IpdaRunDot
           : Name.consume_front("-ddg")   ? IpdaRunGraph
           : Name.consume_front("-model") ? IpdaRunModel
           : Name.consume_front("-table") ? IpdaRunTable
                                          : IpdaRunPrint;
    if (!Name.consume_back(">"))
      return false;
    if (!Name.empty() && !Name.consume_front(";"))
      return false;
  } else if (Name.consume_front("ipda")) {
    if (!Name.empty() && !(Name.consume_front("<") && Name.consume_back(">")))
      return false;
  } else {
    return false;
  }
  if (!Callbacks.check_parameters(str(Name)))
    return false;
  MPM.addPass(IpdaPass(Kind, Name));
  return true;
}

// Drops all cached facts about a copy: it was edited behind the manager's back.
void forget(IpdaSessionRef Session, Function &F) { Session->FAM.clear(F, F.getName()); }

// Runs a pass on its own, without the instrumentation that counts and prints the user's passes. False where it changed nothing.
template <typename PassT> bool runOn(IpdaSessionRef Session, Function &F, PassT &&Pass) {
  PreservedAnalyses PA = Pass.run(F, Session->FAM);
  Session->FAM.invalidate(F, PA);
  return !PA.areAllPreserved();
}

// How often memory becomes registers, at most.
constexpr unsigned MaxRounds = 8;

// Whether a variable is still in memory though nothing but this function's loads and stores reach it.
bool holdsPromotable(Function &F) {
  return any_of(instructions(F), [](Instruction &I) {
    return isa<AllocaInst>(I) && !PointerMayBeCaptured(&I, /*ReturnCaptures=*/true, /*StoreCaptures=*/true);
  });
}

// What a load or a block copy reads.
MemoryLocation readLocation(const Instruction &I) {
  if (auto *Copy = dyn_cast<MemTransferInst>(&I))
    return MemoryLocation::getForSource(Copy);
  return MemoryLocation::get(cast<LoadInst>(&I));
}

// A variable of a loop's body holds nothing when it begins to live, and not what it held an iteration before: promotion does not see that.
void endOldValues(Function &F) {
  SmallVector<std::pair<Instruction *, AllocaInst *>, 16> Begins;
  for (Instruction &I : instructions(F))
    if (auto *Begin = dyn_cast<IntrinsicInst>(&I); Begin && Begin->getIntrinsicID() == Intrinsic::lifetime_start)
      if (auto *Variable = dyn_cast<AllocaInst>(Begin->getArgOperand(1)->stripPointerCasts());
          Variable && isAllocaPromotable(Variable))
        Begins.push_back({Begin, Variable});
  for (auto [Begin, Variable] : Begins)
    new StoreInst(UndefValue::get(Variable->getAllocatedType()), Variable, std::next(Begin->getIterator()));
}

// Where local variables have an address space of their own, clang casts their addresses, and promotion does not see through that.
void useWithoutCasts(Function &F) {
  SmallVector<AddrSpaceCastInst *, 16> Casts;
  auto IsPlain = [](const Use &U) {
    if (auto *Read = dyn_cast<LoadInst>(U.getUser()))
      return Read->isSimple();
    auto *Write = dyn_cast<StoreInst>(U.getUser());
    return Write && Write->isSimple() && U.getOperandNo() == StoreInst::getPointerOperandIndex();
  };
  for (Instruction &I : F.getEntryBlock()) {
    const size_t Before = Casts.size();
    // AMD's functions of mathematics take the address in the variable's own address space again.
    const auto IsBack = [&](const Use &U) { return isa<AddrSpaceCastInst>(U.getUser()) && U.getUser()->getType() == I.getType(); };
    const bool HasOnlyPlainUses = isa<AllocaInst>(I) && all_of(I.uses(), [&](const Use &U) {
      if (auto *Cast = dyn_cast<AddrSpaceCastInst>(U.getUser())) {
        Casts.push_back(Cast);
        return all_of(Cast->uses(), [&](const Use &V) { return IsPlain(V) || IsBack(V); });
      }
      return IsPlain(U) || cast<Instruction>(U.getUser())->isLifetimeStartOrEnd();
    });
    if (!HasOnlyPlainUses)
      Casts.truncate(Before);
  }
  for (AddrSpaceCastInst *Cast : Casts) {
    // The types of the uses differ, so not replaceAllUsesWith.
    for (Use &U : make_early_inc_range(Cast->uses())) {
      auto *Back = dyn_cast<AddrSpaceCastInst>(U.getUser());
      if (!Back) {
        U.set(Cast->getPointerOperand());
        continue;
      }
      Back->replaceAllUsesWith(Cast->getPointerOperand());
      Back->eraseFromParent();
    }
    Cast->eraseFromParent();
  }
}

// clang hands numbers on in 64 bits, through variables that are written as one type and read as another. SROA sees through them too, but
// takes long.
void readAsWritten(IpdaSessionRef Session, Function &F) {
  const DataLayout &Layout = F.getDataLayout();
  auto IsPlain = [&](Type *Ty) { return ipda::isConvertible(Ty, Layout); };
  const DominatorTree &Dominators = Session->FAM.getResult<DominatorTreeAnalysis>(F);
  SmallVector<AllocaInst *, 64> Variables;
  for (Instruction &I : F.getEntryBlock())
    if (auto *Variable = dyn_cast<AllocaInst>(&I))
      Variables.push_back(Variable);
  for (AllocaInst *Variable : Variables) {
    StoreInst *Write = nullptr;
    SmallVector<LoadInst *, 4> Reads;
    const bool IsSimple = all_of(Variable->users(), [&](User *U) {
      if (auto *Read = dyn_cast<LoadInst>(U)) {
        Reads.push_back(Read);
        return Read->isSimple() && IsPlain(Read->getType());
      }
      auto *Found = dyn_cast<StoreInst>(U);
      if (!Found || Write || Found->getValueOperand() == Variable || !Found->isSimple())
        return false;
      Write = Found;
      return IsPlain(Found->getValueOperand()->getType());
    });
    if (!IsSimple || !Write)
      continue;
    Value *Stored = Write->getValueOperand();
    // Variables of one type are promoted without this.
    if (all_of(Reads, [&](LoadInst *Read) { return Read->getType() == Stored->getType(); }) ||
        !all_of(Reads, [&](LoadInst *Read) { return Dominators.dominates(Write, Read); }))
      continue;
    for (LoadInst *Read : Reads) {
      IRBuilder<> Builder(Read);
      Read->replaceAllUsesWith(ipda::convert(Builder, Stored, Read->getType(), Layout));
      Read->eraseFromParent();
    }
    // With debug information, promotion tells it what the value is.
    if (!isAllocaPromotable(Variable) && findDVRDeclares(Variable).empty()) {
      Write->eraseFromParent();
      Variable->eraseFromParent();
    }
  }
}

// `std::max` takes and returns references: what it chooses is the address of one of two variables. Where each of these is written once, in front
// of the choice, loads through the address become a choice of the values. No write can come between the choice and a load behind it: the way from
// the write to the load leads through the choice again.
class ReadChoices {
public:
  explicit ReadChoices(const DominatorTree &Tree) : Dominators(Tree) {}

  // Whether any load was replaced.
  bool run(Function &F) {
    SmallVector<Instruction *, 16> Choices;
    for (Instruction &I : instructions(F))
      if (I.getType()->isPointerTy() && isa<PHINode, SelectInst>(I))
        Choices.push_back(&I);
    bool Changed = false;
    for (Instruction *Choice : Choices)
      for (User *U : make_early_inc_range(Choice->users()))
        if (auto *Read = dyn_cast<LoadInst>(U); Read && Read->isSimple() && U != Choice && isWritten(*Choice, Read->getType(), MaxChoices)) {
          Read->replaceAllUsesWith(valueOf(*Choice, Read->getType()));
          Read->eraseFromParent();
          Changed = true;
        }
    // What no load goes through any more holds the variables in memory.
    for (bool Again = Changed; Again;) {
      Again = false;
      for (Instruction *&Choice : Choices)
        if (Choice && Choice->use_empty()) {
          Choice->eraseFromParent();
          Choice = nullptr;
          Again = true;
        }
    }
    return Changed;
  }

private:
  // Choices in each other beyond which they are not followed.
  static constexpr unsigned MaxChoices = 4;

  static SmallVector<Value *, 4> parts(const Instruction &Choice) {
    if (auto *Phi = dyn_cast<PHINode>(&Choice))
      return SmallVector<Value *, 4>(Phi->incoming_values());
    return {Choice.getOperand(1), Choice.getOperand(2)};
  }

  // The variable that an address is of, also where it is cast out of an address space of its own.
  static const AllocaInst *variableOf(const Value *Address) {
    if (auto *Cast = dyn_cast<AddrSpaceCastInst>(Address))
      Address = Cast->getPointerOperand();
    return dyn_cast<AllocaInst>(Address);
  }

  // Whether every variable that the address may be of is written once, before the choice, with a value of this type.
  bool isWritten(const Instruction &Choice, const Type *Ty, unsigned Depth) {
    return Depth && all_of(parts(Choice), [&](Value *Part) {
      if (auto *Variable = variableOf(Part)) {
        const StoreInst *Write = onlyWrite(*Variable);
        return Write && Write->getValueOperand()->getType() == Ty && Dominators.dominates(Write, &Choice);
      }
      auto *Inner = dyn_cast<Instruction>(Part);
      return Inner && isa<PHINode, SelectInst>(Inner) && Inner != &Choice && Dominators.dominates(Inner, &Choice) && isWritten(*Inner, Ty, Depth - 1);
    });
  }

  // The store to a variable that is else only read, at its own address or one that is chosen.
  const StoreInst *onlyWrite(const AllocaInst &Variable) {
    auto [At, IsNew] = Writes.try_emplace(&Variable, nullptr);
    if (!IsNew)
      return At->second;
    const StoreInst *Found = nullptr;
    SmallVector<const Value *, 8> Open = {&Variable};
    SmallPtrSet<const Value *, 8> Seen;
    while (!Open.empty()) {
      const Value *Address = Open.pop_back_val();
      for (const User *U : Address->users()) {
        auto *I = cast<Instruction>(U);
        if (auto *Read = dyn_cast<LoadInst>(I); Read && Read->isSimple())
          continue;
        if (I->isLifetimeStartOrEnd() || isa<ICmpInst>(I))
          continue;
        if (isa<PHINode, SelectInst>(I) || (isa<AddrSpaceCastInst>(I) && Address == &Variable)) {
          if (Seen.insert(I).second)
            Open.push_back(I);
          continue;
        }
        auto *Write = dyn_cast<StoreInst>(I);
        if (!Write || !Write->isSimple() || variableOf(Address) != &Variable || Write->getValueOperand() == Address || Found)
          return nullptr;
        Found = Write;
      }
    }
    return Writes[&Variable] = Found;
  }

  Value *valueOf(Instruction &Choice, Type *Ty) {
    if (Value *Known = Values.lookup(&Choice))
      return Known;
    SmallVector<Value *, 4> Chosen;
    for (Value *Part : parts(Choice))
      Chosen.push_back(variableOf(Part) ? const_cast<Value *>(onlyWrite(*variableOf(Part))->getValueOperand())
                                        : valueOf(*cast<Instruction>(Part), Ty));
    IRBuilder<> Builder(&Choice);
    Value *Made = nullptr;
    if (auto *Phi = dyn_cast<PHINode>(&Choice)) {
      PHINode *New = Builder.CreatePHI(Ty, Phi->getNumIncomingValues());
      for (unsigned At = 0; At != Phi->getNumIncomingValues(); ++At)
        New->addIncoming(Chosen[At], Phi->getIncomingBlock(At));
      Made = New;
    } else {
      Made = Builder.CreateSelect(Choice.getOperand(0), Chosen[0], Chosen[1]);
    }
    Values[&Choice] = Made;
    return Made;
  }

  const DominatorTree &Dominators;
  DenseMap<const AllocaInst *, const StoreInst *> Writes;
  // By choices of addresses, all of whose variables are of one type.
  DenseMap<const Instruction *, Value *> Values;
};

// What was inlined for a call that may throw ends with a jump, on the host alone. SROA reads through choices of addresses within a block.
void joinBlocks(IpdaSessionRef Session, Function &F) {
  DominatorTree &Tree = Session->FAM.getResult<DominatorTreeAnalysis>(F);
  DomTreeUpdater Updater(Tree, DomTreeUpdater::UpdateStrategy::Eager);
  bool Changed = false;
  for (BasicBlock &Block : make_early_inc_range(F))
    Changed |= MergeBlockIntoPredecessor(&Block, &Updater);
  if (!Changed)
    return;
  PreservedAnalyses Preserved;
  Preserved.preserve<DominatorTreeAnalysis>();
  Session->FAM.invalidate(F, Preserved);
}

// Memory to registers. Whether another round may find more.
bool promote(IpdaSessionRef Session, Function &F) {
  useWithoutCasts(F);
  endOldValues(F);
  readAsWritten(Session, F);
  // Most variables are simple, and SROA takes long for each.
  bool Promoted = runOn(Session, F, PromotePass());
  if (!holdsPromotable(F))
    return false;
  if (ReadChoices(Session->FAM.getResult<DominatorTreeAnalysis>(F)).run(F)) {
    Promoted = true;
    useWithoutCasts(F);
    runOn(Session, F, PromotePass());
    if (!holdsPromotable(F))
      return false;
  }
  joinBlocks(Session, F);
  const bool Split = runOn(Session, F, SROAPass(SROAOptions::ModifyCFG));
  return (Promoted || Split) && holdsPromotable(F);
}

// A store to memory that other threads may see.
struct SharedStore {
  WeakVH Store;
  WeakTrackingVH Pointer;
  WeakVH Block;

  // Whether it was taken away without another one at its place that is reached as often: it wrote what was there.
  bool hasVanished() const {
    auto *B = cast_or_null<BasicBlock>(Block);
    return !Store && B && none_of(*B, [&](const Instruction &I) {
      auto *Other = dyn_cast<StoreInst>(&I);
      return Other && Other->getPointerOperand() == Pointer;
    });
  }
};

SmallVector<SharedStore, 16> sharedStores(Function &F) {
  SmallVector<SharedStore, 16> Stores;
  for (Instruction &I : instructions(F))
    if (auto *Store = dyn_cast<StoreInst>(&I);
        Store && !isa<AllocaInst>(getUnderlyingObject(Store->getPointerOperand())))
      Stores.push_back({Store, Store->getPointerOperand(), Store->getParent()});
  return Stores;
}

// A kind that every context has: a new one would be listed in the module's bitcode.
constexpr unsigned CounterMetadata = LLVMContext::MD_annotation;

// What clang calls the number of a worksharing loop's iteration.
constexpr StringLiteral NumberName = ".omp.iv";

bool mayBeCounter(const DILocalVariable &Variable) {
  return Variable.isArtificial() && !Variable.getName().starts_with(".") && !Variable.getName().starts_with("_");
}

// Whether a place is in a statement inside of a scope, whatever was inlined there.
bool isInside(const DebugLoc &Loc, const DILocalScope *Scope) {
  for (const DILocation *At = Loc.get(); At; At = At->getInlinedAt()) {
    const DILocalScope *Inner = At->getScope()->getNonLexicalBlockFileScope();
    if (Inner == Scope)
      return false;
    while (auto *Block = dyn_cast<DILexicalBlockBase>(Inner)) {
      Inner = cast<DILocalScope>(Block->getScope())->getNonLexicalBlockFileScope();
      if (Inner == Scope)
        return true;
    }
  }
  return false;
}

// A worksharing loop's number, and the variables that count for the user: several where a clause collapses loops.
struct Counted {
  WeakTrackingVH Number;
  const DILocalScope *Scope;
  SmallVector<const DILocalVariable *, 4> Counters;

  // clang computes the counters at the beginning of an iteration, each anew. What the first statement of the body computes, or a loop in it
  // begins with, is a private variable, whose debug information looks the same.
  void find(const LoopInfo &Loops) {
    auto *Phi = cast<PHINode>(Number);
    const Loop *Around = Loops.getLoopFor(Phi->getParent());
    SmallPtrSet<const Value *, 4> Values;
    for (BasicBlock &BB : make_range(Phi->getParent()->getIterator(), Phi->getFunction()->end())) {
      if (!Around || !Around->contains(&BB))
        continue;
      for (Instruction &I : BB) {
        for (DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange()))
          if (!take(R, *Around, Values))
            return;
        if (!isa<PHINode>(I) && isInside(I.getDebugLoc(), Scope))
          return;
      }
    }
  }

  // Whether the counters may go on behind a record.
  bool take(DbgVariableRecord &R, const Loop &Around, SmallPtrSetImpl<const Value *> &Values) {
    const DILocalVariable *Variable = R.getVariable();
    if (!mayBeCounter(*Variable) || Variable->getScope()->getNonLexicalBlockFileScope() != Scope ||
        R.getNumVariableLocationOps() != 1 || is_contained(Counters, Variable))
      return true;
    const Value *V = R.getVariableLocationOp(0);
    if (!V || isa<UndefValue>(V) || (isa<PHINode>(V) && V != Number))
      return true;
    const auto *Computed = dyn_cast<Instruction>(V);
    if (!Computed || !Around.contains(Computed) || !Values.insert(V).second)
      return false;
    Counters.push_back(Variable);
    return true;
  }
};

// Before what simplifies the code for the first time: then values are those that clang computed.
SmallVector<Counted, 4> countedLoops(Function &F) {
  SmallVector<Counted, 4> Found;
  for (Instruction &I : instructions(F))
    for (DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange())) {
      if (R.getVariable()->getName() != NumberName || R.getNumVariableLocationOps() != 1)
        continue;
      auto *Phi = dyn_cast_or_null<PHINode>(R.getVariableLocationOp(0));
      if (Phi && !Phi->hasMetadata(CounterMetadata) && none_of(Found, [&](const Counted &Other) { return Other.Number == Phi; }))
        Found.push_back({Phi, R.getVariable()->getScope()->getNonLexicalBlockFileScope(), {}});
    }
  if (Found.empty())
    return Found;
  const DominatorTree Tree(F);
  const LoopInfo Loops(Tree);
  for (Counted &Each : Found)
    Each.find(Loops);
  return Found;
}

// clang marks the variable of a worksharing loop as artificial. Where it equals clang's own counter, nothing but a debug record in an
// otherwise empty block tells, and simplifying the control flow drops that: so note at the phi which counter that is, if one is, and all
// that there are. Where these are not known the first one counts: others, as a private counter of an inner loop that begins there, are
// assigned later.
void noteCounters(Function &F, ArrayRef<Counted> Loops) {
  LLVMContext &Context = F.getContext();
  auto note = [&](PHINode &Phi, StringRef Equal, ArrayRef<const DILocalVariable *> All) {
    SmallVector<Metadata *, 4> Names{MDString::get(Context, Equal)};
    for (const DILocalVariable *Each : All)
      Names.push_back(MDString::get(Context, Each->getName()));
    Phi.setMetadata(CounterMetadata, MDNode::get(Context, Names));
  };
  auto counted = [&](const Value *Phi) {
    return find_if(Loops, [&](const Counted &Each) { return Each.Number == Phi && !Each.Counters.empty(); });
  };
  for (const Counted &Each : Loops)
    if (auto *Phi = dyn_cast_or_null<PHINode>(static_cast<Value *>(Each.Number)); Phi && !Each.Counters.empty())
      note(*Phi, "", Each.Counters);
  for (Instruction &I : instructions(F))
    for (DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange())) {
      if (!mayBeCounter(*R.getVariable()) || R.hasArgList())
        continue;
      auto *Phi = dyn_cast_or_null<PHINode>(R.getVariableLocationOp(0));
      if (!Phi)
        continue;
      if (auto *Each = counted(Phi); Each != Loops.end()) {
        if (is_contained(Each->Counters, R.getVariable()))
          note(*Phi, R.getVariable()->getName(), Each->Counters);
      } else if (!Phi->hasMetadata(CounterMetadata)) {
        note(*Phi, R.getVariable()->getName(), {});
      }
    }
}

bool isSystemFile(const DIFile *File) {
  StringRef Name = File->getFilename();
  return Name.starts_with("/usr/include") || Name.starts_with("/usr/lib") || Name.starts_with("/usr/local/include") ||
         Name.contains("/include/c++/") || Name.contains("/lib/clang/");
}

const DILocation *userLocation(const DebugLoc &Loc) {
  for (const DILocation *At = Loc.get(); At; At = At->getInlinedAt())
    if (At->getLine() != 0 && !isSystemFile(At->getFile()))
      return At;
  return Loc.get();
}

bool fill(const DILocation *Loc, IpdaLocation *Out) {
  if (!Loc || Loc->getLine() == 0)
    return false;
  *Out = {str(Loc->getDirectory()), str(Loc->getFilename()), Loc->getLine(), Loc->getColumn()};
  return true;
}

// A location that the remark printer takes, made from a plain one. The nodes are unreferenced afterwards and never written out.
DiagnosticLocation diagnosticLocation(LLVMContext &Context, const IpdaLocation &Where) {
  if (Where.line == 0)
    return {};
  auto *File = DIFile::get(Context, ref(Where.file), ref(Where.directory));
  auto *Type = DISubroutineType::get(Context, DINode::FlagZero, 0, MDTuple::get(Context, {}));
  auto *Scope = DISubprogram::get(Context, File, "", "", File, Where.line, Type, Where.line, nullptr, 0, 0,
                                  DINode::FlagZero, DISubprogram::SPFlagZero, nullptr);
  return DiagnosticLocation(DebugLoc(DILocation::get(Context, Where.line, Where.column, Scope)));
}

// A message to the user that is not a remark; clang shows it under -Wbackend-plugin.
class Message : public DiagnosticInfo {
  StringRef Text;

public:
  Message(StringRef Text) : DiagnosticInfo(kind(), DS_Warning), Text(Text) {}
  static int kind() {
    static const int Kind = getNextAvailablePluginDiagnosticKind();
    return Kind;
  }
  void print(DiagnosticPrinter &DP) const override { DP << "ipda: " << Text; }
};

} // namespace

extern "C" {

void ipda_register_callbacks(void *Builder, IpdaCallbacks Called) {
  Callbacks = Called;
  auto &PB = *static_cast<PassBuilder *>(Builder);
  PB.registerPipelineStartEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) { MPM.addPass(IpdaPass(IpdaRunStart, "")); });
  PB.registerPipelineEarlySimplificationEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) { MPM.addPass(IpdaPass(IpdaRunEarly, "")); });
  PB.registerOptimizerLastEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel) { MPM.addPass(IpdaPass(IpdaRunLast, "")); });
  PB.registerPipelineParsingCallback([](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
    return parsePass(Name, MPM);
  });
}

void ipda_with_session(LLVMModuleRef Module_, void *Context, void (*Each)(void *, IpdaSessionRef)) {
  Module &M = *unwrap(Module_);
  // As a pass manager does: old bitcode may bring debug information in the form of calls.
  ScopedDbgInfoFormatSetter Format(M, /*NewState=*/true);
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PassBuilder PB;
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  IpdaSession Session{MAM, FAM};
  Each(Context, &Session);
}

LLVMValueRef ipda_clone_function(LLVMValueRef Original) {
  auto &F = *unwrap<Function>(Original);
  // No name: nothing in the module's symbol table changes, not even the numbers of later names.
  auto *Copy = Function::Create(F.getFunctionType(), GlobalValue::InternalLinkage, F.getAddressSpace(), "", F.getParent());
  Copy->setIsNewDbgInfoFormat(F.IsNewDbgInfoFormat);
  Copy->copyAttributesFrom(&F);
  Copy->setComdat(nullptr);
  Copy->removeFnAttr(Attribute::OptimizeNone);
  Copy->removeFnAttr(Attribute::NoInline);
  ipda::copyBody(F, *Copy);
  return wrap(Copy);
}

LLVMValueRef ipda_clone_to_run(LLVMValueRef Original, unsigned Extra, IpdaStr Suffix) {
  auto &F = *unwrap<Function>(Original);
  SmallVector<Type *, 16> Types(F.getFunctionType()->params());
  Types.append(Extra, Type::getInt64Ty(F.getContext()));
  auto *Type_ = FunctionType::get(F.getReturnType(), Types, F.isVarArg());
  // Functions that are made while names are discarded never tell equal ones apart, which who reads them as text later needs.
  LLVMContext &Context = F.getContext();
  const bool Discards = Context.shouldDiscardValueNames();
  Context.setDiscardValueNames(false);
  auto *Copy = Function::Create(Type_, GlobalValue::InternalLinkage, F.getAddressSpace(), F.getName() + ref(Suffix), F.getParent());
  Context.setDiscardValueNames(Discards);
  Copy->setIsNewDbgInfoFormat(F.IsNewDbgInfoFormat);
  ValueToValueMapTy Map;
  for (Argument &From : F.args())
    Map[&From] = Copy->getArg(From.getArgNo());
  SmallVector<ReturnInst *, 4> Returns;
  CloneFunctionInto(Copy, &F, Map, CloneFunctionChangeType::LocalChangesOnly, Returns);
  Copy->setLinkage(GlobalValue::InternalLinkage);
  Copy->setVisibility(GlobalValue::DefaultVisibility);
  Copy->setComdat(nullptr);
  return wrap(Copy);
}

void ipda_note_choice(LLVMValueRef Function_, unsigned Parameter) {
  unwrap<Function>(Function_)->addFnAttr(ChoiceAttribute, std::to_string(Parameter));
}

void ipda_forget_choice(LLVMValueRef Function_) { unwrap<Function>(Function_)->removeFnAttr(ChoiceAttribute); }

bool ipda_part_choices(LLVMModuleRef Module_) {
  SmallVector<Function *, 8> Found;
  for (Function &F : *unwrap(Module_))
    if (F.hasFnAttribute(ChoiceAttribute))
      Found.push_back(&F);
  for (Function *F : Found) {
    unsigned At = 0;
    const bool IsWrong = F->getFnAttribute(ChoiceAttribute).getValueAsString().getAsInteger(10, At);
    F->removeFnAttr(ChoiceAttribute);
    auto *Call = F->hasOneUse() ? dyn_cast<CallInst>(F->user_back()) : nullptr;
    if (IsWrong || !Call || Call->getCalledFunction() != F || At >= Call->arg_size() || !Call->getType()->isVoidTy() ||
        isa<Constant>(Call->getArgOperand(At)))
      continue;
    ValueToValueMapTy Map;
    Function *Other = CloneFunction(F, Map);
    Other->setName(F->getName() + ".written");
    Argument *Chosen = F->getArg(At), *NotChosen = Other->getArg(At);
    Chosen->replaceAllUsesWith(ConstantInt::get(Chosen->getType(), 1));
    NotChosen->replaceAllUsesWith(ConstantInt::get(NotChosen->getType(), 0));
    IRBuilder<> Builder(Call);
    Value *Holds = Builder.CreateIsNotNull(Call->getArgOperand(At));
    Instruction *Then = nullptr, *Else = nullptr;
    SplitBlockAndInsertIfThenElse(Holds, Call, &Then, &Else, MDBuilder(F->getContext()).createBranchWeights(1, 0));
    auto *OtherCall = cast<CallInst>(Call->clone());
    OtherCall->insertBefore(Else);
    OtherCall->setCalledFunction(Other);
    Call->moveBefore(Then);
    SmallVector<LLVMBasicBlockRef, 16> Blocks;
    transform(*Other, std::back_inserter(Blocks), [](BasicBlock &B) { return wrap(&B); });
    ipda_say_once(Blocks.data(), Blocks.size());
  }
  return !Found.empty();
}

void ipda_keep_cases(LLVMValueRef Switch, const int64_t *Numbers, size_t Count) {
  SwitchInstProfUpdateWrapper Cases(*unwrap<SwitchInst>(Switch));
  for (auto Case = Cases->case_begin(); Case != Cases->case_end();) {
    if (is_contained(ArrayRef(Numbers, Count), Case->getCaseValue()->getSExtValue())) {
      ++Case;
      continue;
    }
    Case->getCaseSuccessor()->removePredecessor(Cases->getParent());
    Case = Cases.removeCase(Case);
  }
}

void ipda_erase_function(LLVMValueRef Function_) {
  auto *F = unwrap<Function>(Function_);
  if (NamedMDNode *Annotations = F->getParent()->getNamedMetadata("nvvm.annotations")) {
    SmallVector<MDNode *, 16> Kept;
    for (MDNode *Annotation : Annotations->operands())
      if (!Annotation->getNumOperands() || mdconst::dyn_extract_or_null<Function>(Annotation->getOperand(0)) != F)
        Kept.push_back(Annotation);
    if (Kept.size() != Annotations->getNumOperands()) {
      Annotations->clearOperands();
      for (MDNode *Annotation : Kept)
        Annotations->addOperand(Annotation);
    }
  }
  // Functions that refer to each other are removed one after the other.
  if (!F->use_empty())
    F->replaceAllUsesWith(PoisonValue::get(F->getType()));
  F->eraseFromParent();
}

void ipda_run_if(LLVMValueRef Instruction_, LLVMValueRef Condition) {
  auto *I = unwrap<Instruction>(Instruction_);
  Instruction *End = SplitBlockAndInsertIfThen(unwrap(Condition), I, /*Unreachable=*/false);
  I->moveBefore(End);
}

namespace {
// Of a loop that counts by a phi, the only one at its head: its one latch, and the first instruction of what follows an iteration, which does nothing but to
// find the counter's next value. Null where something else does, or needs what is computed from `First` on.
Instruction *findsNext(PHINode &Counter, Instruction &First, BasicBlock *&Latch) {
  Function &F = *Counter.getFunction();
  DominatorTree DT(F);
  LoopInfo LI(DT);
  const Loop *L = LI.getLoopFor(Counter.getParent());
  Latch = L && L->getHeader() == Counter.getParent() ? L->getLoopLatch() : nullptr;
  BasicBlock *Body = First.getParent();
  if (!Latch || !L->contains(Body) || !isa<BranchInst>(Latch->getTerminator()) || Latch->getTerminator()->getNumSuccessors() != 1)
    return nullptr;
  // What is known before the rest of the iteration, or follows it from here on.
  Instruction *Start = Latch->getTerminator();
  const auto Follows = [&](const Instruction *I) {
    return I->getParent() == Latch && (I == Start || Start->comesBefore(I));
  };
  const auto IsKnown = [&](const Value *V) {
    const auto *I = dyn_cast<Instruction>(V);
    return !I || DT.dominates(I, &First) || Follows(I);
  };
  SmallVector<Instruction *, 4> Left;
  const auto Require = [&](Value *V) {
    if (!IsKnown(V))
      Left.push_back(cast<Instruction>(V));
  };
  Require(Counter.getIncomingValueForBlock(Latch));
  while (!Left.empty()) {
    Instruction *I = Left.pop_back_val();
    if (IsKnown(I))
      continue;
    // Only the end of the last block follows: all from the first of what is needed on.
    if (I->getParent() != Latch || isa<PHINode>(I) || (Body == Latch && !First.comesBefore(I) && &First != I))
      return nullptr;
    Start = I;
    for (Instruction &Next : make_range(I->getIterator(), Latch->end()))
      for (Value *Operand : Next.operands())
        Require(Operand);
  }
  // Another value than the counter is not there where the iteration is skipped.
  if (any_of(L->getHeader()->phis(), [&](const PHINode &Phi) { return &Phi != &Counter; }))
    return nullptr;
  // It reads nothing that the skipped iteration would not have had to read.
  SmallPtrSet<const Value *, 4> Needed = {Counter.getIncomingValueForBlock(Latch)};
  for (Instruction &I : make_range(std::next(Latch->getTerminator()->getReverseIterator()), std::next(Start->getReverseIterator()))) {
    if (I.mayHaveSideEffects() || (I.mayReadFromMemory() && !Needed.contains(&I)))
      return nullptr;
    if (Needed.contains(&I))
      Needed.insert(I.op_begin(), I.op_end());
  }
  return Start;
}
} // namespace

bool ipda_skip_unless(LLVMValueRef Counter_, LLVMValueRef Condition_) {
  auto *Counter = dyn_cast<PHINode>(unwrap(Counter_));
  auto *Condition = dyn_cast<Instruction>(unwrap(Condition_));
  if (!Counter || !Condition)
    return false;
  BasicBlock *Body = Condition->getParent(), *Latch = nullptr;
  Instruction *First = Condition->getNextNode();
  Instruction *Start = findsNext(*Counter, *First, Latch);
  if (!Start)
    return false;
  BasicBlock *Tail = SplitBlock(Latch, Start);
  BasicBlock *Rest = Tail;
  if (First->getParent() == Body && First != Start)
    Rest = SplitBlock(Body, First);
  if (Rest == Tail)
    return true;
  Instruction *End = Body->getTerminator();
  auto *Branch = BranchInst::Create(Rest, Tail, Condition, End->getIterator());
  Branch->setDebugLoc(Condition->getDebugLoc());
  // Most numbers of tiles have an iteration.
  ipda_expect_first(wrap(Branch));
  End->eraseFromParent();
  return true;
}

bool ipda_repeat(LLVMValueRef Counter_, const LLVMValueRef *Numbers, const LLVMValueRef *Counts, size_t Count, LLVMValueRef Condition_) {
  auto *Counter = dyn_cast<PHINode>(unwrap(Counter_));
  auto *Condition = Condition_ ? dyn_cast<Instruction>(unwrap(Condition_)) : nullptr;
  if (!Counter || !Count)
    return false;
  auto *First = unwrap<Instruction>(Numbers[0]);
  BasicBlock *Body = First->getParent(), *Latch = nullptr;
  if ((Condition_ && !Condition) || (Condition && Condition->getParent() != Body))
    return false;
  Instruction *Start = findsNext(*Counter, *First, Latch);
  if (!Start)
    return false;
  BasicBlock *Again = SplitBlock(Latch, Start);
  // An iteration ends here, and what follows all of them comes next.
  BasicBlock *Exit = SplitBlock(Again, Again->begin());
  if (Condition) {
    BasicBlock *Rest = SplitBlock(Body, Condition->getNextNode());
    Instruction *End = Body->getTerminator();
    auto *Branch = BranchInst::Create(Rest, Again, Condition, End->getIterator());
    Branch->setDebugLoc(Condition->getDebugLoc());
    ipda_expect_first(wrap(Branch));
    End->eraseFromParent();
  }
  BasicBlock *Inside = SplitBlock(Body, First);
  Function &F = *Body->getParent();
  const DebugLoc Place = First->getDebugLoc();
  // From the innermost to the outermost: each is around what the one before it begins with.
  for (size_t At = Count; At-- > 0;) {
    auto *Number = unwrap<Instruction>(Numbers[At]);
    Value *Trips = unwrap(Counts[At]);
    auto *Header = BasicBlock::Create(F.getContext(), "", &F, Inside);
    BasicBlock *Behind = At ? BasicBlock::Create(F.getContext(), "", &F, Exit) : Exit;
    Instruction *Back = Again->getTerminator();
    IRBuilder<> Builder(Header);
    Builder.SetCurrentDebugLocation(Place);
    PHINode *Phi = Builder.CreatePHI(Number->getType(), 2);
    // The type holds counts with a sign, so that numbers are the same with and without it.
    Builder.CreateCondBr(Builder.CreateICmpSLT(Phi, Trips), Inside, Behind);
    Builder.SetInsertPoint(Back);
    Value *Next = Builder.CreateAdd(Phi, ConstantInt::get(Phi->getType(), 1), "", true, true);
    auto *NewBack = Builder.CreateBr(Header);
    NewBack->setDebugLoc(Place);
    Back->eraseFromParent();
    Phi->addIncoming(Next, Again);
    // Where it is entered from is known when the one around it is made.
    Phi->addIncoming(ConstantInt::get(Phi->getType(), 0), Body);
    Number->replaceAllUsesWith(Phi);
    Number->eraseFromParent();
    if (At) {
      // The next one around it: it is entered from that one's head, and goes on with that one's next number.
      IRBuilder<> AtEnd(Behind);
      AtEnd.SetCurrentDebugLocation(Place);
      AtEnd.CreateBr(Exit);
    }
    Inside = Header;
    Again = Behind;
  }
  Instruction *End = Body->getTerminator();
  auto *Branch = BranchInst::Create(Inside, End->getIterator());
  Branch->setDebugLoc(Place);
  End->eraseFromParent();
  // Heads inside of others are entered from those.
  for (BasicBlock *Outer = Inside;;) {
    BasicBlock *Next = Outer->getTerminator()->getSuccessor(0);
    auto *Phi = dyn_cast<PHINode>(&Next->front());
    if (!Phi || Phi->getBasicBlockIndex(Body) < 0)
      return true;
    Phi->setIncomingBlock(Phi->getBasicBlockIndex(Body), Outer);
    Outer = Next;
  }
}

bool ipda_choose_copy(const LLVMBasicBlockRef *Blocks, size_t Count, LLVMValueRef Number, LLVMBasicBlockRef *Copies_) {
  const ArrayRef<BasicBlock *> Originals(reinterpret_cast<BasicBlock *const *>(Blocks), Count);
  const SmallPtrSet<BasicBlock *, 16> Inside(Originals.begin(), Originals.end());
  BasicBlock &Header = *Originals.front();
  BasicBlock *Before = nullptr;
  for (BasicBlock *From : predecessors(&Header)) {
    if (Inside.contains(From))
      continue;
    if (Before)
      return false;
    Before = From;
  }
  const auto IsUsedInside = [&](const Use &U) { return Inside.contains(cast<Instruction>(U.getUser())->getParent()); };
  BasicBlock *Exit = nullptr;
  SmallVector<Instruction *, 4> UsedBehind;
  for (BasicBlock *B : Originals) {
    for (Instruction &I : *B)
      if (!all_of(I.uses(), IsUsedInside))
        UsedBehind.push_back(&I);
    for (BasicBlock *To : successors(B)) {
      // What is never reached may be so from both.
      if (Inside.contains(To) || isa<UnreachableInst>(To->front()))
        continue;
      if (!To->phis().empty() || (Exit && Exit != To))
        return false;
      Exit = To;
    }
  }
  // What is used after the loop is there from both, if there is one way out.
  if (!Before || !Exit || (!UsedBehind.empty() && Exit->getSinglePredecessor() != &Header))
    return false;
  SmallVector<std::pair<PHINode *, Instruction *>, 4> Joined;
  for (Instruction *I : UsedBehind) {
    auto *Joint = PHINode::Create(I->getType(), 2, "", Exit->begin());
    Joint->setDebugLoc(I->getDebugLoc());
    I->replaceUsesWithIf(Joint, [&](Use &U) { return !IsUsedInside(U); });
    Joint->addIncoming(I, &Header);
    Joined.emplace_back(Joint, I);
  }
  Function &F = *Header.getParent();
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 16> Copies;
  for (BasicBlock *B : Originals) {
    BasicBlock *Copy = CloneBasicBlock(B, Map, "", &F);
    Map[B] = Copy;
    Copies.push_back(Copy);
  }
  remapInstructionsInBlocks(Copies, Map);
  for (auto [Joint, Of] : Joined)
    Joint->addIncoming(Map.lookup(Of), Copies.front());
  SmallVector<MDNode *, 8> Scopes;
  identifyNoAliasScopesToClone(Originals, Scopes);
  cloneAndAdaptNoAliasScopes(Scopes, Copies, F.getContext(), "written");
  auto *Choice = BasicBlock::Create(F.getContext(), "", &F, &Header);
  Before->getTerminator()->replaceSuccessorWith(&Header, Choice);
  IRBuilder<> Builder(Choice);
  Builder.SetCurrentDebugLocation(Before->getTerminator()->getDebugLoc());
  Value *Holds = Builder.CreateIsNotNull(unwrap(Number));
  Builder.CreateCondBr(Holds, &Header, Copies.front(), MDBuilder(F.getContext()).createBranchWeights(1, 0));
  for (BasicBlock *Chosen : {&Header, Copies.front()})
    Chosen->replacePhiUsesWith(Before, Choice);
  transform(Copies, Copies_, [](BasicBlock *B) { return wrap(B); });
  return true;
}

void ipda_replace_predecessor(LLVMBasicBlockRef Block, LLVMBasicBlockRef Before, LLVMBasicBlockRef Now) {
  unwrap(Block)->replacePhiUsesWith(unwrap(Before), unwrap(Now));
}

LLVMValueRef ipda_function_around(LLVMValueRef Call) {
  constexpr unsigned Fixed = 3;
  auto &Original = *unwrap<CallBase>(Call);
  Function &Caller = *Original.getFunction();
  SmallVector<Type *, 16> Types;
  for (unsigned At = Fixed; At < Original.arg_size(); ++At)
    Types.push_back(Original.getArgOperand(At)->getType());
  LLVMContext &Context = Caller.getContext();
  auto *Type_ = FunctionType::get(Type::getVoidTy(Context), Types, /*isVarArg=*/false);
  auto *Around =
      Function::Create(Type_, GlobalValue::InternalLinkage, Caller.getAddressSpace(), "", Caller.getParent());
  Around->setIsNewDbgInfoFormat(Caller.IsNewDbgInfoFormat);
  auto *Entry = BasicBlock::Create(Context, "", Around);
  SmallVector<Value *, 16> Args;
  for (unsigned At = 0; At < Original.arg_size(); ++At) {
    Value *Given = Original.getArgOperand(At);
    if (At >= Fixed)
      Given = Around->getArg(At - Fixed);
    else if (!isa<Constant>(Given))
      Given = Constant::getNullValue(Given->getType());
    Args.push_back(Given);
  }
  CallInst::Create(Original.getFunctionType(), Original.getCalledOperand(), Args, "", Entry);
  ReturnInst::Create(Context, Entry);
  return wrap(Around);
}

void ipda_discard_function(IpdaSessionRef Session, LLVMValueRef Copy) {
  auto &F = *unwrap<Function>(Copy);
  forget(Session, F);
  F.replaceAllUsesWith(PoisonValue::get(F.getType()));
  F.eraseFromParent();
}

size_t ipda_instruction_count(LLVMValueRef Function_) { return ipda::instructionCount(*unwrap<Function>(Function_)); }

bool ipda_inline_call(LLVMValueRef Call, bool BelieveNoAlias, void *Context, void (*Each)(void *, LLVMValueRef)) {
  auto &Inlined = *unwrap<CallBase>(Call);
  // None where the function is called as if it had another type.
  Function *Direct = Inlined.getCalledFunction();
  if (!Direct)
    return false;
  Function &Callee = *Direct;
  const bool PromisesNoAlias = BelieveNoAlias && any_of(Callee.args(), [&](const Argument &Parameter) {
    return Inlined.paramHasAttr(Parameter.getArgNo(), Attribute::NoAlias);
  });
  if (SmallVector<CallBase *, 16> Calls; !PromisesNoAlias && ipda::inlineBody(Inlined, Calls)) {
    for (CallBase *Copied : Calls)
      Each(Context, wrap(Copied));
    return true;
  }
  const AttributeList Given = Callee.getAttributes();
  if (!BelieveNoAlias)
    for (unsigned At = 0; At != Callee.arg_size(); ++At) {
      Callee.removeParamAttr(At, Attribute::NoAlias);
      Inlined.removeParamAttr(At, Attribute::NoAlias);
    }
  InlineFunctionInfo Info;
  const bool Done =
      InlineFunction(Inlined, Info, /*MergeAttributes=*/false, nullptr, /*InsertLifetime=*/false).isSuccess();
  // The callee may be the user's own function, not a copy.
  Callee.setAttributes(Given);
  for (CallBase *Copied : Info.InlinedCallSites)
    Each(Context, wrap(Copied));
  return Done;
}

bool ipda_inline_to_run(LLVMValueRef Call, void *Context, void (*Each)(void *, LLVMValueRef)) {
  auto &Inlined = *unwrap<CallBase>(Call);
  Function *Callee = Inlined.getCalledFunction();
  if (!Callee || Inlined.isNoInline() || Callee->hasFnAttribute(Attribute::OptimizeNone) || !isInlineViable(*Callee).isSuccess() ||
      !AttributeFuncs::areInlineCompatible(*Inlined.getFunction(), *Callee))
    return false;
  const auto IsPromised = [&](const Argument &Parameter) {
    return Inlined.paramHasAttr(Parameter.getArgNo(), Attribute::NoAlias) && !Parameter.hasStructRetAttr();
  };
  if (any_of(Callee->args(), IsPromised))
    return false;
  // Where a structure is returned to is a variable of the caller's own in any case.
  const AttributeList Given = Callee->getAttributes(), GivenHere = Inlined.getAttributes();
  for (unsigned At = 0; At != Callee->arg_size(); ++At) {
    Callee->removeParamAttr(At, Attribute::NoAlias);
    Inlined.removeParamAttr(At, Attribute::NoAlias);
  }
  InlineFunctionInfo Info;
  const bool Done = InlineFunction(Inlined, Info, /*MergeAttributes=*/true).isSuccess();
  Callee->setAttributes(Given);
  if (!Done)
    Inlined.setAttributes(GivenHere);
  for (CallBase *Copied : Info.InlinedCallSites)
    Each(Context, wrap(Copied));
  return Done;
}

bool ipda_take_pointers(LLVMValueRef Call, LLVMValueRef Array, LLVMValueRef *Pointers, size_t Count) {
  auto &Given = *unwrap<CallBase>(Call);
  auto *Variable = dyn_cast<AllocaInst>(unwrap(Array)->stripPointerCasts());
  if (!Variable)
    return false;
  const DataLayout &Layout = Given.getDataLayout();
  const uint64_t Size = Layout.getPointerSize();
  SmallVector<StoreInst *, 16> Stores(Count);
  SmallVector<std::pair<Instruction *, uint64_t>, 16> Places{{Variable, 0}};
  for (size_t At = 0; At != Places.size(); ++At) {
    auto [Place, Offset] = Places[At];
    for (const Use &U : Place->uses()) {
      auto *User = cast<Instruction>(U.getUser());
      if (User == &Given && Offset == 0)
        continue;
      if (auto *Element = dyn_cast<GetElementPtrInst>(User)) {
        APInt Further(Layout.getIndexTypeSizeInBits(Element->getType()), 0);
        if (!Element->accumulateConstantOffset(Layout, Further) || Further.isNegative())
          return false;
        Places.push_back({Element, Offset + Further.getLimitedValue(UINT32_MAX)});
      } else if (isa<AddrSpaceCastInst>(User)) {
        Places.push_back({User, Offset});
      } else {
        auto *Store = dyn_cast<StoreInst>(User);
        if (!Store || !Store->isSimple() || U.getOperandNo() != StoreInst::getPointerOperandIndex() ||
            Offset % Size != 0 || Offset / Size >= Count || Stores[Offset / Size] || Store->getParent() != Given.getParent() ||
            !Store->comesBefore(&Given) || Store->getValueOperand()->getType() != PointerType::getUnqual(Given.getContext()))
          return false;
        Stores[Offset / Size] = Store;
      }
    }
  }
  if (is_contained(Stores, nullptr))
    return false;
  for (size_t At = 0; At != Count; ++At) {
    Pointers[At] = wrap(Stores[At]->getValueOperand());
    Stores[At]->eraseFromParent();
  }
  Value *Passed = unwrap(Array);
  Given.replaceUsesOfWith(Passed, PoisonValue::get(Passed->getType()));
  for (auto &Place : reverse(Places))
    Place.first->eraseFromParent();
  return true;
}

void ipda_promote(IpdaSessionRef Session, LLVMValueRef Copy) {
  auto &F = *unwrap<Function>(Copy);
  forget(Session, F);
  promote(Session, F);
}

/// Whether an instruction, or one behind it in its block, may write memory.
static bool writesFrom(const Instruction &First) {
  for (const Instruction *I = &First; I; I = I->getNextNode())
    if (I->mayWriteToMemory())
      return true;
  return false;
}

/// Lets local variables that are loaded in a loop's head be loaded again after the loop, where they are used there: EarlyCSE takes both for one where
/// calls keep a variable of the runtime's in memory, and so ties the loop to the code behind it. Nothing writes between the head and the exit that has it alone in front.
static void reloadBehindLoops(LoopInfo &Loops) {
  for (Loop *L : Loops.getLoopsInPreorder()) {
    SmallVector<BasicBlock *, 2> Exits;
    L->getUniqueExitBlocks(Exits);
    if (Exits.size() != 1 || Exits[0]->getSinglePredecessor() != L->getHeader())
      continue;
    for (Instruction &I : make_early_inc_range(*L->getHeader())) {
      auto *Load = dyn_cast<LoadInst>(&I);
      const bool IsPlain = Load && Load->isSimple() && L->isLoopInvariant(Load->getPointerOperand()) &&
                           isa<AllocaInst>(Load->getPointerOperand()->stripPointerCasts()) && !writesFrom(*Load);
      const auto IsBehind = [&](const Use &U) { return !L->contains(cast<Instruction>(U.getUser())) && !isa<PHINode>(U.getUser()); };
      if (!IsPlain || none_of(Load->uses(), IsBehind))
        continue;
      Instruction *Again = Load->clone();
      Again->insertBefore(Exits[0]->getFirstInsertionPt());
      Load->replaceUsesWithIf(Again, IsBehind);
    }
  }
}

/// Whether a block of a condition only computes what may be computed whichever way is taken, and leads on to one block.
static bool onlyComputes(const BasicBlock &Way) {
  const auto IsFree = [](const Instruction &I) {
    return I.isTerminator() || I.isDebugOrPseudoInst() || (!isa<PHINode>(I) && !I.mayReadFromMemory() && isSafeToSpeculativelyExecute(&I));
  };
  return Way.getSinglePredecessor() && Way.getSingleSuccessor() && all_of(Way, IsFree);
}

/// Takes one branch out of the blocks of a loop's condition: both of its ways are computed, and one is selected.
static bool straighten(ArrayRef<BasicBlock *> Condition) {
  for (BasicBlock *Head : Condition) {
    auto *Branch = dyn_cast<BranchInst>(Head->getTerminator());
    if (!Branch || !Branch->isConditional() || Branch->getSuccessor(0) == Branch->getSuccessor(1))
      continue;
    BasicBlock *Then = Branch->getSuccessor(0), *Else = Branch->getSuccessor(1);
    const auto LeadsTo = [&](BasicBlock *Way) { return is_contained(Condition, Way) && onlyComputes(*Way) ? Way->getSingleSuccessor() : nullptr; };
    BasicBlock *BehindThen = LeadsTo(Then), *BehindElse = LeadsTo(Else);
    BasicBlock *Behind = BehindThen ? BehindThen : BehindElse;
    const bool IsThenEmpty = Then == Behind, IsElseEmpty = Else == Behind;
    if (!Behind || (!IsThenEmpty && BehindThen != Behind) || (!IsElseEmpty && BehindElse != Behind))
      continue;
    for (BasicBlock *Way : {Then, Else})
      if (Way != Behind)
        hoistAllInstructionsInto(Head, Branch, Way);
    IRBuilder<> Builder(Branch);
    for (PHINode &Phi : Behind->phis()) {
      Value *First = Phi.getIncomingValueForBlock(IsThenEmpty ? Head : Then);
      Value *Second = Phi.getIncomingValueForBlock(IsElseEmpty ? Head : Else);
      Value *Selected = Builder.CreateSelect(Branch->getCondition(), First, Second);
      // The blocks that are deleted take what comes from them with them.
      if (IsThenEmpty || IsElseEmpty)
        Phi.setIncomingValueForBlock(Head, Selected);
      else
        Phi.addIncoming(Selected, Head);
    }
    Builder.CreateBr(Behind);
    Branch->eraseFromParent();
    for (BasicBlock *Way : {Then, Else})
      if (Way != Behind)
        DeleteDeadBlock(Way);
    MergeBlockIntoPredecessor(Behind);
    return true;
  }
  return false;
}

/// Lets loops be left at their heads whose conditions have branches in them, as `j <= (n < 0 ? a : b)` has, where both ways only compute. SimplifyCFG leaves
/// divisions on the way that needs them; macros of generated code for the quotients of bounds have one on each.
static void straightenConditions(IpdaSessionRef Session, Function &F) {
  const auto StraightenOne = [&] {
    auto &Dominators = Session->FAM.getResult<DominatorTreeAnalysis>(F);
    for (Loop *L : Session->FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
      const BasicBlock *Exiting = L->getExitingBlock();
      const BasicBlock *Latch = L->getLoopLatch();
      if (!Exiting || Exiting == L->getHeader() || !Latch || !Dominators.dominates(Exiting, Latch))
        continue;
      SmallVector<BasicBlock *, 8> Condition;
      copy_if(L->blocks(), std::back_inserter(Condition), [&](BasicBlock *Block) { return !Dominators.dominates(Exiting, Block); });
      if (straighten(Condition))
        return true;
    }
    return false;
  };
  while (StraightenOne())
    forget(Session, F);
}

bool ipda_canonicalise(IpdaSessionRef Session, LLVMValueRef Copy) {
  auto &F = *unwrap<Function>(Copy);
  forget(Session, F);
  // An argument array must become registers before what it points to can; where constructs are nested, several are.
  for (unsigned Round = 0; Round != MaxRounds && promote(Session, F); ++Round) {
  }
  const SmallVector<SharedStore, 16> Stores = sharedStores(F);
  const SmallVector<Counted, 4> Loops = countedLoops(F);
  runOn(Session, F, EarlyCSEPass(/*UseMemorySSA=*/true));
  const bool Vanished = any_of(Stores, [](const SharedStore &Store) { return Store.hasVanished(); });
  noteCounters(F, Loops);
  runOn(Session, F, SimplifyCFGPass());
  straightenConditions(Session, F);
  runOn(Session, F, LoopSimplifyPass());
  reloadBehindLoops(Session->FAM.getResult<LoopAnalysis>(F));
  return Vanished;
}

void ipda_forget_counters(LLVMValueRef Function_) {
  for (BasicBlock &BB : *unwrap<Function>(Function_))
    for (PHINode &Phi : BB.phis())
      Phi.setMetadata(CounterMetadata, nullptr);
}

void ipda_simplify(IpdaSessionRef Session, LLVMValueRef Copy) {
  auto &F = *unwrap<Function>(Copy);
  runOn(Session, F, InstCombinePass());
  runOn(Session, F, ReassociatePass());
  runOn(Session, F, InstCombinePass());
  runOn(Session, F, ADCEPass());
}

bool ipda_needs_division(IpdaSessionRef Session, LLVMValueRef Value_, LLVMBasicBlockRef Header) {
  BasicBlock &Start = *unwrap(Header);
  Function &F = *Start.getParent();
  auto &SE = Session->FAM.getResult<ScalarEvolutionAnalysis>(F);
  const Loop *L = Session->FAM.getResult<LoopAnalysis>(F).getLoopFor(&Start);
  Value *V = unwrap(Value_);
  if (!L || !SE.isSCEVable(V->getType()))
    return true;
  return SCEVExprContains(SE.getSCEV(V), [&](const SCEV *Part) {
    if (isa<SCEVUDivExpr>(Part))
      return !SE.isLoopInvariant(Part, L);
    auto *Unknown = dyn_cast<SCEVUnknown>(Part);
    auto *I = Unknown ? dyn_cast<Instruction>(Unknown->getValue()) : nullptr;
    return I && L->contains(I) && (I->isIntDivRem() || I->getOpcode() == Instruction::LShr || I->getOpcode() == Instruction::And);
  });
}

bool ipda_may_be_written(IpdaSessionRef Session, LLVMValueRef Reader, const LLVMBasicBlockRef *Blocks, size_t Count,
                         const LLVMValueRef *Except, size_t ExceptCount) {
  auto *Read = unwrap<Instruction>(Reader);
  BatchAAResults AA(Session->FAM.getResult<AAManager>(*Read->getFunction()));
  // The blocks may be those of a loop: another iteration's write counts too.
  AA.enableCrossIterationMode();
  // What scopes say holds in one execution of their declaration, not between iterations.
  MemoryLocation Where = readLocation(*Read);
  Where.AATags.Scope = Where.AATags.NoAlias = nullptr;
  const ArrayRef<LLVMValueRef> Excepted(Except, ExceptCount);
  for (size_t At = 0; At != Count; ++At)
    for (Instruction &I : *unwrap(Blocks[At]))
      if (I.mayWriteToMemory() && !is_contained(Excepted, wrap(&I)) && isModSet(AA.getModRefInfo(&I, Where)))
        return true;
  return false;
}

bool ipda_library_effects(LLVMValueRef Call_, uint64_t *Effects) {
  auto &Call = *unwrap<CallBase>(Call_);
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || !Callee->isDeclaration())
    return false;
  // The same for all modules of a target.
  static StringMap<std::unique_ptr<TargetLibraryInfoImpl>> ByTarget;
  const Module &M = *Callee->getParent();
  std::unique_ptr<TargetLibraryInfoImpl> &Known = ByTarget[M.getTargetTriple()];
  if (!Known)
    Known = std::make_unique<TargetLibraryInfoImpl>(Triple(M.getTargetTriple()));
  const TargetLibraryInfo TLI(*Known, Call.getFunction());
  LibFunc Found;
  if (!TLI.getLibFunc(Call, Found) || !TLI.has(Found))
    return false;
  // What is found out is noted at a declaration, which must not be the program's.
  Module Scratch("", M.getContext());
  Scratch.setTargetTriple(M.getTargetTriple());
  Scratch.setDataLayout(M.getDataLayout());
  Function *Noted = Function::Create(Callee->getFunctionType(), GlobalValue::ExternalLinkage, Callee->getName(), Scratch);
  inferNonMandatoryLibFuncAttrs(*Noted, TLI);
  *Effects = Noted->getMemoryEffects().toIntValue();
  return true;
}

bool ipda_types_differ(LLVMValueRef First, LLVMValueRef Second) {
  auto *A = unwrap<Instruction>(First), *B = unwrap<Instruction>(Second);
  if (!isa<LoadInst, StoreInst>(A) || !isa<LoadInst, StoreInst>(B))
    return false;
  TypeBasedAAResult ByType;
  AAResults Chain{TargetLibraryInfo(TargetLibraryInfoImpl())};
  SimpleAAQueryInfo Query(Chain);
  // The places and sizes must not count: those of different iterations are asked about.
  const auto Where = [](Instruction *I) { return MemoryLocation::get(I).getWithNewSize(LocationSize::beforeOrAfterPointer()); };
  return ByType.alias(Where(A), Where(B), Query, A) == AliasResult::NoAlias;
}

// The innermost loop around `Read` in which a scope is declared that its marks name; none where nothing between two iterations rests on them.
static const Loop *scopesLoop(const Instruction &Read, const LoopInfo &Loops) {
  SmallPtrSet<const MDNode *, 8> Named;
  for (const unsigned Kind : {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias})
    if (const MDNode *List = Read.getMetadata(Kind))
      for (const MDOperand &Scope : List->operands())
        if (auto *Node = dyn_cast<MDNode>(Scope))
          Named.insert(Node);
  const Loop *Found = nullptr;
  if (Named.empty())
    return Found;
  for (const Instruction &I : instructions(*Read.getFunction()))
    if (auto *Declared = dyn_cast<NoAliasScopeDeclInst>(&I))
      if (any_of(Declared->getScopeList()->operands(), [&](const MDOperand &Scope) { return Named.contains(dyn_cast<MDNode>(Scope)); }))
        if (const Loop *Around = Loops.getLoopFor(Declared->getParent()))
          if (Around->contains(&Read) && (!Found || Found->contains(Around)))
            Found = Around;
  return Found;
}

// What stands before an instruction in MemorySSA: the last definition, or merge, that all paths to it pass.
static MemoryAccess *lastDefinition(MemorySSA &SSA, const DominatorTree &Tree, const MemoryUseOrDef &Behind) {
  const BasicBlock *Block = Behind.getBlock();
  const MemoryAccess *Last = nullptr;
  for (const MemoryAccess &Access : *SSA.getBlockAccesses(Block)) {
    if (&Access == &Behind)
      break;
    if (!isa<MemoryUse>(Access))
      Last = &Access;
  }
  for (const auto *Node = Tree.getNode(Block)->getIDom(); !Last && Node; Node = Node->getIDom())
    if (const auto *Definitions = SSA.getBlockDefs(Node->getBlock()))
      Last = &*Definitions->rbegin();
  return Last ? const_cast<MemoryAccess *>(Last) : SSA.getLiveOnEntryDef();
}

bool ipda_last_write(IpdaSessionRef Session, LLVMValueRef Reader, LLVMValueRef Past, LLVMBasicBlockRef Merge,
                     LLVMBasicBlockRef From, IpdaWrite *Out) {
  auto *Read = unwrap<Instruction>(Reader);
  Function &F = *Read->getFunction();
  MemorySSA &SSA = Session->FAM.getResult<MemorySSAAnalysis>(F).getMSSA();
  MemoryLocation Where = readLocation(*Read);
  MemoryAccess *Found = nullptr;
  if (Merge) {
    MemoryPhi *Phi = SSA.getMemoryAccess(unwrap(Merge));
    const int At = Phi ? Phi->getBasicBlockIndex(unwrap(From)) : -1;
    if (At < 0)
      return false;
    Found = Phi->getIncomingValue(At);
    // In an earlier iteration, the pointer that is read through may have been another.
    if (Session->FAM.getResult<DominatorTreeAnalysis>(F).dominates(unwrap(Merge), unwrap(From)))
      Where = Where.getWithNewSize(LocationSize::beforeOrAfterPointer());
  } else {
    MemoryUseOrDef *Before = SSA.getMemoryAccess(Past ? unwrap<Instruction>(Past) : Read);
    if (!Before)
      return false;
    Found = !Past && isa<MemoryUse>(Before) ? Before : Before->getDefiningAccess();
  }
  const Loop *Scopes = scopesLoop(*Read, Session->FAM.getResult<LoopAnalysis>(F));
  MemoryAccess *Start = Found;
  if (isa<MemoryUse>(Found))
    Found = SSA.getWalker()->getClobberingMemoryAccess(Found);
  else if (!SSA.isLiveOnEntryDef(Found))
    Found = SSA.getWalker()->getClobberingMemoryAccess(Found, Where);
  // What scopes say holds in one execution of their declaration, not between iterations.
  if (Scopes && (SSA.isLiveOnEntryDef(Found) || !Scopes->contains(Found->getBlock()))) {
    Where.AATags.Scope = Where.AATags.NoAlias = nullptr;
    if (auto *Use = dyn_cast<MemoryUse>(Start))
      Start = lastDefinition(SSA, Session->FAM.getResult<DominatorTreeAnalysis>(F), *Use);
    Found = SSA.isLiveOnEntryDef(Start) ? Start : SSA.getWalker()->getClobberingMemoryAccess(Start, Where);
  }
  if (SSA.isLiveOnEntryDef(Found))
    *Out = {IpdaWriteNone, nullptr, nullptr};
  else if (auto *Phi = dyn_cast<MemoryPhi>(Found))
    *Out = {IpdaWriteMerge, nullptr, wrap(Phi->getBlock())};
  else
    *Out = {IpdaWriteInstruction, wrap(cast<MemoryUseOrDef>(Found)->getMemoryInst()), nullptr};
  return true;
}

void ipda_variables(LLVMValueRef Function_, void *Context,
                    void (*Each)(void *, LLVMValueRef, const IpdaVariable *)) {
  auto Visit = [&](Value *V, const DILocalVariable *Variable, const DIExpression *Expression, const DebugLoc &Loc) {
    // What became of a constant that was widened.
    if (auto *Number = dyn_cast_or_null<ConstantInt>(V); Number && Expression->getNumElements() != 0) {
      auto [Rest, Folded] = const_cast<DIExpression *>(Expression)->constantFold(Number);
      if (Rest->getNumElements() == 1 && Rest->getElement(0) == dwarf::DW_OP_stack_value) {
        V = const_cast<ConstantInt *>(Folded);
        Expression = DIExpression::get(V->getContext(), {});
      }
    }
    if (!V || isa<UndefValue>(V) || Expression->getNumElements() != 0)
      return;
    uint32_t Depth = 0;
    for (const DILocation *At = Loc.get(); At && At->getInlinedAt(); At = At->getInlinedAt())
      ++Depth;
    const IpdaVariable Found{str(Variable->getName()), Depth, Variable->isArtificial(), Variable->getScope(),
                             Variable->getType()};
    Each(Context, wrap(V), &Found);
  };
  for (Instruction &I : instructions(*unwrap<Function>(Function_))) {
    for (DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange()))
      if (R.getNumVariableLocationOps() == 1)
        Visit(R.getVariableLocationOp(0), R.getVariable(), R.getExpression(), R.getDebugLoc());
    if (auto *R = dyn_cast<DbgVariableIntrinsic>(&I); R && R->getNumVariableLocationOps() == 1)
      Visit(R->getVariableLocationOp(0), R->getVariable(), R->getExpression(), R->getDebugLoc());
  }
}

bool ipda_is_reference(const void *Type) {
  auto *At = dyn_cast_or_null<DIDerivedType>(static_cast<const DIType *>(Type));
  while (At && (At->getTag() == dwarf::DW_TAG_const_type || At->getTag() == dwarf::DW_TAG_restrict_type))
    At = dyn_cast_or_null<DIDerivedType>(At->getBaseType());
  return At && At->getTag() == dwarf::DW_TAG_reference_type;
}

bool ipda_member(const void *Type, uint64_t Offset, void *Context, void (*Each)(void *, IpdaStr, const void *)) {
  std::string Path;
  const auto *At = static_cast<const DIType *>(Type);
  bool ThroughPointer = false;
  for (unsigned Depth = 0; At && Depth < 32; ++Depth) {
    if (auto *Derived = dyn_cast<DIDerivedType>(At)) {
      const auto Tag = Derived->getTag();
      const bool IsPointer = Tag == dwarf::DW_TAG_pointer_type || Tag == dwarf::DW_TAG_reference_type;
      if (IsPointer && ThroughPointer)
        break;
      ThroughPointer |= IsPointer;
      At = Derived->getBaseType();
      continue;
    }
    auto *Structure = dyn_cast<DICompositeType>(At);
    if (!Structure || Structure->getTag() == dwarf::DW_TAG_array_type)
      return false;
    const DIDerivedType *Found = nullptr;
    for (DINode *Element : Structure->getElements()) {
      auto *Member = dyn_cast<DIDerivedType>(Element);
      if (!Member || Member->isStaticMember())
        continue;
      const uint64_t Begin = Member->getOffsetInBits() / 8;
      const uint64_t Size = Member->getBaseType() ? Member->getBaseType()->getSizeInBits() / 8 : 0;
      if (Begin == Offset || (Begin < Offset && Offset < Begin + Size))
        Found = Member;
    }
    if (!Found)
      return false;
    if (Found->getTag() == dwarf::DW_TAG_member)
      Path += (Path.empty() ? "" : ".") + Found->getName().str();
    Offset -= Found->getOffsetInBits() / 8;
    At = Found->getBaseType();
    const auto *Inner = dyn_cast_or_null<DICompositeType>(At);
    if (Offset == 0 && !Path.empty() && !Inner) {
      Each(Context, str(Path), At);
      return true;
    }
    ThroughPointer = true;
  }
  return false;
}

bool ipda_counter_name(LLVMValueRef Phi, IpdaStr *Out) {
  MDNode *Names = unwrap<Instruction>(Phi)->getMetadata(CounterMetadata);
  if (!Names || cast<MDString>(Names->getOperand(0))->getString().empty())
    return false;
  *Out = str(cast<MDString>(Names->getOperand(0))->getString());
  return true;
}

void ipda_counters(LLVMValueRef Phi, void *Context, void (*Each)(void *, IpdaStr)) {
  if (MDNode *Names = unwrap<Instruction>(Phi)->getMetadata(CounterMetadata))
    for (const MDOperand &Name : drop_begin(Names->operands()))
      Each(Context, str(cast<MDString>(Name)->getString()));
}

bool ipda_location(LLVMValueRef Value_, IpdaLocation *Out) {
  auto *At = dyn_cast<Instruction>(unwrap(Value_));
  return At && fill(userLocation(At->getDebugLoc()), Out);
}

void ipda_places(LLVMValueRef Instruction_, void *Context, void (*Each)(void *, const IpdaPlace *)) {
  for (const DILocation *At = unwrap<Instruction>(Instruction_)->getDebugLoc(); At; At = At->getInlinedAt()) {
    const DISubprogram *Function_ = At->getScope()->getSubprogram();
    StringRef Name = Function_->getLinkageName().empty() ? Function_->getName() : Function_->getLinkageName();
    IpdaPlace Place{{}, str(Name), isSystemFile(At->getFile())};
    fill(At, &Place.at);
    Each(Context, &Place);
  }
}

bool ipda_loop_location(LLVMValueRef Terminator, IpdaLocation *Out) {
  MDNode *Loop = unwrap<Instruction>(Terminator)->getMetadata(LLVMContext::MD_loop);
  if (!Loop)
    return false;
  for (const MDOperand &Operand : drop_begin(Loop->operands()))
    if (auto *Loc = dyn_cast_or_null<DILocation>(Operand.get()))
      return fill(userLocation(DebugLoc(Loc)), Out);
  return false;
}

bool ipda_function_location(LLVMValueRef Function_, IpdaLocation *Out) {
  const DISubprogram *Subprogram = unwrap<Function>(Function_)->getSubprogram();
  if (!Subprogram)
    return false;
  *Out = {str(Subprogram->getDirectory()), str(Subprogram->getFilename()), Subprogram->getLine(), 0};
  return Subprogram->getLine() != 0;
}

bool ipda_range(LLVMValueRef Value_, uint32_t Reading, uint64_t *Min, uint64_t *Max) {
  std::optional<ConstantRange> Range;
  auto Narrow = [&](std::optional<ConstantRange> To) {
    if (To)
      Range = Range ? Range->intersectWith(*To) : *To;
  };
  if (auto *A = dyn_cast<Argument>(unwrap(Value_)))
    Narrow(A->getRange());
  if (auto *I = dyn_cast<Instruction>(unwrap(Value_)))
    if (const MDNode *Node = I->getMetadata(LLVMContext::MD_range))
      Narrow(getConstantRangeFromMetadata(*Node));
  if (auto *Call = dyn_cast<CallBase>(unwrap(Value_))) {
    // Both the call's own and the function's hold.
    if (Attribute A = Call->getAttributes().getRetAttr(Attribute::Range); A.isValid())
      Narrow(A.getRange());
    if (const Function *F = Call->getCalledFunction())
      if (Attribute A = F->getRetAttribute(Attribute::Range); A.isValid())
        Narrow(A.getRange());
  }
  if (!Range || Range->isEmptySet() || Range->isFullSet() || Range->getBitWidth() > 64)
    return false;
  if (Reading == IpdaReadingSigned) {
    *Min = Range->getSignedMin().getSExtValue();
    *Max = Range->getSignedMax().getSExtValue();
  } else {
    *Min = Range->getUnsignedMin().getZExtValue();
    *Max = Range->getUnsignedMax().getZExtValue();
  }
  return true;
}

bool ipda_required_team_shape(LLVMValueRef Function_, uint32_t *Out) {
  const MDNode *Shape = unwrap<Function>(Function_)->getMetadata("reqd_work_group_size");
  if (!Shape || Shape->getNumOperands() != 3)
    return false;
  for (unsigned Axis = 0; Axis != 3; ++Axis) {
    auto *Extent = mdconst::dyn_extract<ConstantInt>(Shape->getOperand(Axis));
    if (!Extent)
      return false;
    Out[Axis] = static_cast<uint32_t>(Extent->getLimitedValue(UINT32_MAX));
  }
  return true;
}

void ipda_demangle(IpdaStr Mangled, void *Context, void (*Each)(void *, IpdaStr)) {
  // Without the prefix of C++ the demangler reads a type: "f" is float.
  if (!ref(Mangled).starts_with("_Z"))
    return Each(Context, Mangled);
  std::string Name = ref(Mangled).str();
  ItaniumPartialDemangler Demangler;
  if (!Demangler.partialDemangle(Name.c_str())) {
    size_t Size = 0;
    char *Context_ =
        Demangler.isFunction() ? Demangler.getFunctionName(nullptr, &Size) : Demangler.finishDemangle(nullptr, &Size);
    if (Context_) {
      Name = Context_;
      std::free(Context_);
    }
  }
  Each(Context, str(Name));
}

bool ipda_remarks_enabled(LLVMModuleRef Module_, uint32_t Kind) {
  LLVMContext &Context = unwrap(Module_)->getContext();
  if (Context.getLLVMRemarkStreamer())
    return true;
  const DiagnosticHandler *Handler = Context.getDiagHandlerPtr();
  switch (Kind) {
  case IpdaRemarkMissed:
    return Handler->isMissedOptRemarkEnabled(PassName);
  case IpdaRemarkPassed:
    return Handler->isPassedOptRemarkEnabled(PassName);
  default:
    return Handler->isAnalysisRemarkEnabled(PassName);
  }
}

void ipda_emit_remark(LLVMValueRef Function_, uint32_t Kind, IpdaStr Name, IpdaStr Text, const IpdaLocation *Where,
                      bool OnlyRecorded) {
  auto &F = *unwrap<Function>(Function_);
  DiagnosticLocation Location = diagnosticLocation(F.getContext(), *Where);
  OptimizationRemarkEmitter Emitter(&F);
  const std::string RemarkName = ref(Name).str();
  auto Emit = [&](auto Remark) {
    Remark << ref(Text);
    if (!OnlyRecorded)
      Emitter.emit(Remark);
    else if (LLVMRemarkStreamer *Record = F.getContext().getLLVMRemarkStreamer())
      Record->emit(Remark);
  };
  if (Kind == IpdaRemarkMissed)
    Emit(OptimizationRemarkMissed(PassName, RemarkName, Location, &F.front()));
  else if (Kind == IpdaRemarkPassed)
    Emit(OptimizationRemark(PassName, RemarkName, Location, &F.front()));
  else
    Emit(OptimizationRemarkAnalysis(PassName, RemarkName, Location, &F.front()));
}

void ipda_replace_bytes(LLVMValueRef Global_, IpdaStr Bytes) {
  auto *Old = unwrap<GlobalVariable>(Global_);
  Constant *Init = ConstantDataArray::getString(Old->getContext(), ref(Bytes), false);
  auto *New = new GlobalVariable(*Old->getParent(), Init->getType(), Old->isConstant(), Old->getLinkage(), Init, "", Old);
  New->copyAttributesFrom(Old);
  New->copyMetadata(Old, 0);
  New->takeName(Old);
  Old->replaceAllUsesWith(New);
  Old->eraseFromParent();
}

void ipda_warn(LLVMModuleRef Module_, IpdaStr Text) { unwrap(Module_)->getContext().diagnose(Message(ref(Text))); }
}
