#include "copy.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <deque>

using namespace llvm;

namespace {

bool isIntrinsic(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && Callee->isIntrinsic();
}

// Where a copy goes.
struct Destination {
  Function *To = nullptr;
  // The copied entry block's instructions are added to the end of this block; before `Before`, unless that is null.
  BasicBlock *Entry = nullptr;
  Instruction *Before = nullptr;
  // Other blocks are put before this one; at the end, if it is null.
  BasicBlock *Behind = nullptr;
};

class BodyCopy {
public:
  explicit BodyCopy(Function &From) : From(From), Context(From.getContext()), Layout(From.getDataLayout()) {
    // Debug intrinsics would speak of variables that are no more.
    if (!From.IsNewDbgInfoFormat)
      return;
    for (Instruction &I : From.getEntryBlock())
      if (auto *Variable = dyn_cast<AllocaInst>(&I))
        forward(*Variable);
  }

  // Whether a body has nothing that asks for more than a plain copy where it is inlined.
  bool isPlain() const;

  void setArgument(const Argument &Parameter, Value *Given) { Values[&Parameter] = Given; }

  // The call that the copy replaces.
  void setCall(const CallInst &Call) {
    Replaced = &Call;
    if (const DebugLoc &Place = Call.getDebugLoc())
      InlinedAt = DILocation::getDistinct(Context, Place.getLine(), Place.getCol(), Place.getScope(), Place.getInlinedAt());
  }

  // Copies all that can be reached.
  void run(const Destination &Where);

  // How a copied body ends: a block without terminator, the value that is returned, if any, and the debug records before the return.
  struct End {
    BasicBlock *Block;
    Value *Returned;
    DebugLoc Place;
    SmallVector<DbgVariableRecord *, 4> Records;
  };
  SmallVector<End, 2> Ends;

  // In program order.
  void appendCalls(SmallVectorImpl<CallBase *> &Found) const;

private:
  Function &From;
  Destination Into;
  LLVMContext &Context;
  const DataLayout &Layout;
  SmallDenseMap<const Value *, Value *, 128> Values;
  // By an address of a variable that needs no memory: the one store to it.
  SmallDenseMap<const Value *, const StoreInst *, 64> Forwarded;
  struct Block {
    BasicBlock *Copy;
    SmallVector<CallBase *, 4> Calls;
    // Where the terminator leads, if it leads to one block only, though the original's has a choice.
    const BasicBlock *OnlySuccessor = nullptr;
  };
  SmallDenseMap<const BasicBlock *, Block *, 32> Blocks;
  std::deque<Block> Storage;
  SmallVector<const BasicBlock *, 32> Open;
  SmallVector<std::pair<const PHINode *, PHINode *>, 16> Phis;
  // Debug records that stand before the next instruction to be copied.
  SmallVector<DbgVariableRecord *, 4> Pending;
  const CallInst *Replaced = nullptr;
  DILocation *InlinedAt = nullptr;
  BasicBlock::iterator FirstInCaller;
  DenseMap<const MDNode *, MDNode *> InlinedPlaces;
  DenseMap<DIAssignID *, DIAssignID *> Assignments;

  void forward(AllocaInst &Variable);
  Value *mapped(Value *Original);
  BasicBlock *block(const BasicBlock *Original);
  DebugLoc placed(const DebugLoc &Place);
  void place(Instruction &Copy);
  void copyRecords(const Instruction &Original);
  SmallVector<DbgVariableRecord *, 4> takeRecords();
  void tell(const StoreInst &Write);
  Value *read(const LoadInst &Read, const StoreInst &Write, BasicBlock &Where);
  void copyBlock(const BasicBlock &Original, Block &Copied);
  void copyTerminator(const Instruction &Original, Block &Copied);
  void copyCall(CallBase &Copy, Block &Copied);
  // As LLVM's inliner names them.
  StringRef suffix() const { return Replaced ? ".i" : ""; }
  void insert(Instruction &Copy, const Instruction &Original, BasicBlock &Where, BasicBlock::iterator At);
  BasicBlock::iterator end(BasicBlock &Where) const {
    return Into.Before && &Where == Into.Entry ? Into.Before->getIterator() : Where.end();
  }
  void completePhis();
};

// Notes a variable that needs no memory: one store writes it, before all loads. The store's block shows that it is.
void BodyCopy::forward(AllocaInst &Variable) {
  if (!Variable.isStaticAlloca() || Variable.isSwiftError() || Variable.hasMetadata(LLVMContext::MD_DIAssignID))
    return;
  const StoreInst *Write = nullptr;
  SmallVector<const LoadInst *, 8> Reads;
  SmallVector<const Instruction *, 4> Addresses{&Variable};
  for (size_t At = 0; At != Addresses.size(); ++At)
    for (const User *U : Addresses[At]->users()) {
      if (auto *Read = dyn_cast<LoadInst>(U)) {
        // What the mark says is used when the variable becomes a register later.
        if (!Read->isSimple() || Read->hasMetadata(LLVMContext::MD_nonnull))
          return;
        Reads.push_back(Read);
      } else if (auto *Found = dyn_cast<StoreInst>(U)) {
        if (Write || !Found->isSimple() || Found->getValueOperand() == Addresses[At])
          return;
        Write = Found;
      } else if (isa<AddrSpaceCastInst>(U)) {
        Addresses.push_back(cast<Instruction>(U));
      } else if (!cast<Instruction>(U)->isLifetimeStartOrEnd()) {
        return;
      }
    }
  if (!Write)
    return;
  Type *Stored = Write->getValueOperand()->getType();
  for (const LoadInst *Read : Reads) {
    const bool IsSame = Read->getType() == Stored;
    if (!IsSame && !(ipda::isConvertible(Read->getType(), Layout) && ipda::isConvertible(Stored, Layout)))
      return;
    if (Read->getParent() == Write->getParent() ? !Write->comesBefore(Read) : !Write->getParent()->isEntryBlock())
      return;
  }
  for (const Instruction *Address : Addresses)
    Forwarded[Address] = Write;
}

bool BodyCopy::isPlain() const {
  for (const BasicBlock &BB : From) {
    if (BB.hasAddressTaken() || BB.isEHPad())
      return false;
    for (const Instruction &I : BB) {
      if (auto *Variable = dyn_cast<AllocaInst>(&I)) {
        if (!Variable->isStaticAlloca() || Variable->isUsedWithInAlloca() || Variable->isSwiftError())
          return false;
        continue;
      }
      if (auto *Call = dyn_cast<CallBase>(&I)) {
        auto *Plain = dyn_cast<CallInst>(Call);
        if (!Plain || Plain->isMustTailCall() || Plain->hasFnAttr(Attribute::ReturnsTwice) || Plain->hasOperandBundles())
          return false;
        switch (Plain->getIntrinsicID()) {
        case Intrinsic::experimental_noalias_scope_decl:
        case Intrinsic::localescape:
        case Intrinsic::vastart:
        case Intrinsic::experimental_convergence_entry:
          return false;
        default:
          break;
        }
      } else if (!I.mayReadOrWriteMemory() || Forwarded.contains(getLoadStorePointerOperand(&I))) {
        continue;
      }
      // Scopes of aliasing are distinct for each copy.
      if (I.hasMetadata(LLVMContext::MD_alias_scope) || I.hasMetadata(LLVMContext::MD_noalias))
        return false;
    }
  }
  return true;
}

Value *BodyCopy::mapped(Value *Original) {
  if (isa<Instruction, Argument>(Original)) {
    const auto Found = Values.find(Original);
    // None but a debug intrinsic speaks of what was not copied.
    return Found == Values.end() ? PoisonValue::get(Original->getType()) : Found->second;
  }
  if (auto *Target = dyn_cast<BasicBlock>(Original))
    return block(Target);
  auto *Meta = dyn_cast<MetadataAsValue>(Original);
  if (!Meta)
    return Original;
  if (auto *Local = dyn_cast<LocalAsMetadata>(Meta->getMetadata()))
    if (Value *Found = Values.lookup(Local->getValue()))
      return MetadataAsValue::get(Context, ValueAsMetadata::get(Found));
  if (isa<LocalAsMetadata, DIArgList>(Meta->getMetadata()))
    return MetadataAsValue::get(Context, MDTuple::get(Context, {}));
  return Original;
}

BasicBlock *BodyCopy::block(const BasicBlock *Original) {
  auto [At, IsNew] = Blocks.try_emplace(Original, nullptr);
  if (!IsNew)
    return At->second->Copy;
  BasicBlock *Copy = BasicBlock::Create(Context, "", Into.To, Into.Behind);
  if (Original->hasName())
    Copy->setName(Original->getName() + suffix());
  At->second = &Storage.emplace_back(Block{Copy, {}});
  Open.push_back(Original);
  return Copy;
}

DebugLoc BodyCopy::placed(const DebugLoc &Place) {
  if (!InlinedAt || !Place)
    return Place;
  const DebugLoc Around = DebugLoc::appendInlinedAt(Place, InlinedAt, Context, InlinedPlaces);
  return DILocation::get(Context, Place.getLine(), Place.getCol(), Place.getScope(), Around.get());
}

// As LLVM's inliner does.
void BodyCopy::place(Instruction &Copy) {
  if (!InlinedAt)
    return;
  if (Copy.isTerminator())
    updateLoopMetadataDebugLocations(Copy, [&](Metadata *Part) -> Metadata * {
      auto *Place = dyn_cast_or_null<DILocation>(Part);
      return Place ? placed(Place).get() : Part;
    });
  if (Copy.getDebugLoc())
    Copy.setDebugLoc(placed(Copy.getDebugLoc()));
  else if (!From.getSubprogram() && !isa<AllocaInst>(Copy))
    Copy.setDebugLoc(Replaced->getDebugLoc());
}

void BodyCopy::copyRecords(const Instruction &Original) {
  if (!Original.hasDbgRecords())
    return;
  for (DbgVariableRecord &Record : filterDbgVars(Original.getDbgRecordRange())) {
    DbgVariableRecord *Copy = nullptr;
    if (Record.isDbgAssign() || Record.hasArgList()) {
      Copy = Record.clone();
      SmallVector<Value *, 4> Locations(Copy->location_ops());
      for (Value *Location : Locations)
        if (Value *Found = Values.lookup(Location))
          Copy->replaceVariableLocationOp(Location, Found, /*AllowEmpty=*/true);
        else if (isa<Instruction, Argument>(Location))
          Copy->setKillLocation();
      if (Record.isDbgAssign()) {
        if (Value *Found = Values.lookup(Record.getAddress()))
          Copy->setAddress(Found);
        else
          Copy->setKillAddress();
      }
    } else {
      Value *Location = Record.getVariableLocationOp(0);
      if (Location && !isa<Constant>(Location))
        Location = Values.lookup(Location);
      // A register has no address; what it holds is described where it is stored.
      if (!Location)
        continue;
      Copy = new DbgVariableRecord(ValueAsMetadata::get(Location), Record.getVariable(), Record.getExpression(),
                                   Record.getDebugLoc().get(), Record.getType());
    }
    Pending.push_back(Copy);
  }
}

SmallVector<DbgVariableRecord *, 4> BodyCopy::takeRecords() {
  for (DbgVariableRecord *Record : Pending)
    if (InlinedAt)
      Record->setDebugLoc(placed(Record->getDebugLoc()));
  return std::exchange(Pending, {});
}

// Tells the variables that a register holds, where it would have been stored.
void BodyCopy::tell(const StoreInst &Write) {
  Value *Stored = mapped(const_cast<Value *>(Write.getValueOperand()));
  const uint64_t Bits = Layout.getTypeSizeInBits(Stored->getType());
  for (DbgVariableRecord *Declare : findDVRDeclares(const_cast<Value *>(Write.getPointerOperand()->stripPointerCasts()))) {
    // What clang makes for itself, nobody asks for.
    if (Declare->getVariable()->isArtificial() && Declare->getVariable()->getName().starts_with("."))
      continue;
    const std::optional<uint64_t> Size = Declare->getFragmentSizeInBits();
    if (Declare->getExpression()->startsWithDeref() || !Size || Bits < *Size)
      continue;
    Pending.push_back(DbgVariableRecord::createDbgVariableRecord(Stored, Declare->getVariable(), Declare->getExpression(),
                                                                 Declare->getDebugLoc().get()));
  }
}

Value *BodyCopy::read(const LoadInst &Read, const StoreInst &Write, BasicBlock &Where) {
  Value *Stored = mapped(const_cast<Value *>(Write.getValueOperand()));
  if (Stored->getType() == Read.getType())
    return Stored;
  IRBuilder<> Builder(&Where, end(Where));
  if (Read.getDebugLoc())
    Builder.SetCurrentDebugLocation(placed(Read.getDebugLoc()));
  return ipda::convert(Builder, Stored, Read.getType(), Layout);
}

void BodyCopy::insert(Instruction &Copy, const Instruction &Original, BasicBlock &Where, BasicBlock::iterator At) {
  Copy.insertInto(&Where, At);
  if (Original.hasName())
    Copy.setName(Original.getName() + suffix());
  place(Copy);
  // Variables stand elsewhere.
  if (!Pending.empty() && !isa<AllocaInst>(Copy))
    for (DbgVariableRecord *Record : takeRecords())
      Where.insertDbgRecordBefore(Record, Copy.getIterator());
  if (Copy.hasMetadata(LLVMContext::MD_DIAssignID) || Copy.hasDbgRecords())
    at::remapAssignID(Assignments, Copy);
  Values[&Original] = &Copy;
}

// What was said of a call in its own function need not hold in the one that the call comes to.
void BodyCopy::copyCall(CallBase &Copy, Block &Copied) {
  if (Replaced) {
    if (auto *Plain = dyn_cast<CallInst>(&Copy); Plain && Plain->isTailCall() && !Replaced->isTailCall())
      Plain->setTailCall(false);
    if (Replaced->doesNotThrow() && !Copy.doesNotThrow())
      Copy.setDoesNotThrow();
  }
  if (!isIntrinsic(Copy))
    Copied.Calls.push_back(&Copy);
}

void BodyCopy::copyBlock(const BasicBlock &Original, Block &Copied) {
  BasicBlock &Where = *Copied.Copy;
  for (const Instruction &I : Original) {
    copyRecords(I);
    if (I.isTerminator())
      return copyTerminator(I, Copied);
    // What becomes a register: the variable, its other addresses, the store, loads, and marks of its life.
    if (Forwarded.contains(&I))
      continue;
    if (auto *Read = dyn_cast<LoadInst>(&I)) {
      if (const StoreInst *Write = Forwarded.lookup(Read->getPointerOperand())) {
        Values[Read] = read(*Read, *Write, Where);
        continue;
      }
    } else if (auto *Write = dyn_cast<StoreInst>(&I)) {
      if (Forwarded.contains(Write->getPointerOperand())) {
        tell(*Write);
        continue;
      }
    } else if (I.isLifetimeStartOrEnd() && Forwarded.contains(cast<CallInst>(I).getArgOperand(1))) {
      continue;
    }
    Instruction *Copy = I.clone();
    if (auto *Phi = dyn_cast<PHINode>(Copy)) {
      Phis.push_back({cast<PHINode>(&I), Phi});
      insert(*Copy, I, Where, end(Where));
      continue;
    }
    bool IsConstant = true, WasConstant = true;
    for (Use &U : Copy->operands()) {
      WasConstant &= isa<Constant>(U.get());
      U.set(mapped(U.get()));
      IsConstant &= isa<Constant>(U.get());
    }
    // What a call is given may decide branches, and with them what is called inside.
    if (IsConstant && !WasConstant && !Copy->mayReadOrWriteMemory())
      if (Constant *Folded = ConstantFoldInstruction(Copy, Layout)) {
        Values[&I] = Folded;
        Copy->deleteValue();
        continue;
      }
    if (isa<AllocaInst>(I) && Replaced) {
      insert(*Copy, I, Into.To->getEntryBlock(), FirstInCaller);
      continue;
    }
    insert(*Copy, I, Where, end(Where));
    if (auto *Call = dyn_cast<CallBase>(Copy))
      copyCall(*Call, Copied);
  }
}

void BodyCopy::copyTerminator(const Instruction &Original, Block &Copied) {
  if (auto *Return = dyn_cast<ReturnInst>(&Original)) {
    Value *Returned = Return->getReturnValue();
    Ends.push_back({Copied.Copy, Returned ? mapped(Returned) : nullptr, placed(Return->getDebugLoc()), takeRecords()});
    return;
  }
  if (auto *Branch = dyn_cast<BranchInst>(&Original); Branch && Branch->isConditional()) {
    if (auto *Decided = dyn_cast<ConstantInt>(mapped(Branch->getCondition())))
      Copied.OnlySuccessor = Branch->getSuccessor(Decided->isZero());
  } else if (auto *Switch = dyn_cast<SwitchInst>(&Original)) {
    if (auto *Decided = dyn_cast<ConstantInt>(mapped(Switch->getCondition())))
      Copied.OnlySuccessor = Switch->findCaseValue(Decided)->getCaseSuccessor();
  }
  Instruction *Copy = nullptr;
  if (Copied.OnlySuccessor) {
    Copy = BranchInst::Create(block(Copied.OnlySuccessor));
    Copy->setDebugLoc(Original.getDebugLoc());
  } else {
    Copy = Original.clone();
    for (Use &U : Copy->operands())
      U.set(mapped(U.get()));
  }
  insert(*Copy, Original, *Copied.Copy, Copied.Copy->end());
  if (auto *Call = dyn_cast<CallBase>(Copy))
    copyCall(*Call, Copied);
}

void BodyCopy::completePhis() {
  for (auto [Original, Copy] : Phis)
    for (unsigned At = Copy->getNumIncomingValues(); At-- > 0;) {
      const BasicBlock *Before = Original->getIncomingBlock(At);
      const Block *Known = Blocks.lookup(Before);
      // A branch that was decided leads here once, or not at all.
      const bool IsDecided = Known && Known->OnlySuccessor;
      if (!Known || (IsDecided && (Known->OnlySuccessor != Original->getParent() ||
                                   Original->getBasicBlockIndex(Before) != static_cast<int>(At)))) {
        Copy->removeIncomingValue(At, /*DeletePHIIfEmpty=*/false);
        continue;
      }
      Copy->setIncomingValue(At, mapped(Original->getIncomingValue(At)));
      Copy->setIncomingBlock(At, Known->Copy);
    }
}

void BodyCopy::run(const Destination &Where) {
  Into = Where;
  FirstInCaller = Replaced ? Into.To->getEntryBlock().begin() : Into.Entry->end();
  BasicBlock &Begin = From.getEntryBlock();
  Blocks[&Begin] = &Storage.emplace_back(Block{Into.Entry, {}});
  Open.push_back(&Begin);
  while (!Open.empty()) {
    const BasicBlock *Next = Open.pop_back_val();
    copyBlock(*Next, *Blocks.find(Next)->second);
  }
  completePhis();
  for (BasicBlock &BB : drop_begin(From))
    if (const Block *Copied = Blocks.lookup(&BB)) {
      if (Into.Behind)
        Copied->Copy->moveBefore(Into.Behind);
      else
        Copied->Copy->moveAfter(&Into.To->back());
    }
}

void BodyCopy::appendCalls(SmallVectorImpl<CallBase *> &Found) const {
  for (const BasicBlock &BB : From)
    if (const Block *Copied = Blocks.lookup(&BB))
      Found.append(Copied->Calls);
}

// Whether a call is of a kind that `BodyCopy` replaces, as far as its own operands and marks say.
bool isPlainCall(const CallBase &Call, const Function &Callee) {
  const bool IsPlain = isa<CallInst>(Call) && !Call.isMustTailCall() && !Call.hasOperandBundles() && !Call.isStrictFP() &&
                       !Call.hasMetadata(LLVMContext::MD_alias_scope) && !Call.hasMetadata(LLVMContext::MD_noalias);
  const bool IsPlainCallee = !Callee.isDeclaration() && !Callee.isVarArg() && !Callee.hasPersonalityFn() && !Callee.hasGC() &&
                             !Callee.isPresplitCoroutine() && Callee.IsNewDbgInfoFormat && Call.getFunction()->IsNewDbgInfoFormat;
  return IsPlain && IsPlainCallee && none_of(Callee.args(), [&](const Argument &Parameter) {
           const unsigned At = Parameter.getArgNo();
           return Call.isByValArgument(At) || Call.isInAllocaArgument(At) || Call.paramHasAttr(At, Attribute::Preallocated) ||
                  Parameter.hasSwiftErrorAttr();
         });
}

// The value that comes out of several ends, where they lead to one block.
Value *merged(BasicBlock &After, ArrayRef<BodyCopy::End> Ends) {
  Value *First = Ends.front().Returned;
  if (!First || all_of(Ends, [&](const BodyCopy::End &End) { return End.Returned == First; }))
    return First;
  PHINode *Phi = PHINode::Create(First->getType(), Ends.size(), "", After.begin());
  for (const BodyCopy::End &End : Ends)
    Phi->addIncoming(End.Returned, End.Block);
  return Phi;
}

} // namespace

size_t ipda::instructionCount(const Function &F) {
  if (!F.IsNewDbgInfoFormat)
    return F.getInstructionCount();
  size_t Count = 0;
  for (const BasicBlock &BB : F)
    Count += BB.size();
  return Count;
}

bool ipda::isConvertible(Type *Ty, const DataLayout &Layout) {
  return Layout.isLittleEndian() && Layout.typeSizeEqualsStoreSize(Ty) &&
         (Ty->isIntegerTy() || Ty->isFloatTy() || Ty->isDoubleTy() || (Ty->isPointerTy() && !Layout.isNonIntegralPointerType(Ty)));
}

Value *ipda::convert(IRBuilderBase &Builder, Value *Stored, Type *Wanted, const DataLayout &Layout) {
  Type *Bits = Builder.getIntNTy(Layout.getTypeSizeInBits(Stored->getType()));
  Type *WantedBits = Builder.getIntNTy(Layout.getTypeSizeInBits(Wanted));
  Value *Number = Builder.CreateBitOrPointerCast(Stored, Bits);
  return Builder.CreateBitOrPointerCast(Builder.CreateZExtOrTrunc(Number, WantedBits), Wanted);
}

void ipda::copyBody(Function &From, Function &To) {
  BodyCopy Body(From);
  for (auto [Parameter, Given] : zip(From.args(), To.args()))
    Body.setArgument(Parameter, &Given);
  Body.run({&To, BasicBlock::Create(From.getContext(), From.getEntryBlock().getName(), &To), nullptr, nullptr});
  for (BodyCopy::End &End : Body.Ends) {
    auto *Return = ReturnInst::Create(From.getContext(), End.Returned, End.Block);
    Return->setDebugLoc(End.Place);
    for (DbgVariableRecord *Record : End.Records)
      End.Block->insertDbgRecordBefore(Record, Return->getIterator());
  }
}

bool ipda::inlineBody(CallBase &Call, SmallVectorImpl<CallBase *> &Calls) {
  Function &Callee = *Call.getCalledFunction();
  if (!isPlainCall(Call, Callee))
    return false;
  BodyCopy Body(Callee);
  if (!Body.isPlain())
    return false;
  Body.setCall(cast<CallInst>(Call));
  for (auto [Parameter, Given] : zip(Callee.args(), Call.args()))
    Body.setArgument(Parameter, Given);
  BasicBlock *Here = Call.getParent();
  Value *Returned = nullptr;
  if (isa<ReturnInst>(Callee.getEntryBlock().getTerminator())) {
    Body.run({Here->getParent(), Here, &Call, nullptr});
    Returned = Body.Ends.front().Returned;
    for (DbgVariableRecord *Record : Body.Ends.front().Records)
      Here->insertDbgRecordBefore(Record, Call.getIterator());
  } else {
    BasicBlock *After = Here->splitBasicBlock(Call.getIterator());
    Here->getTerminator()->eraseFromParent();
    Body.run({Here->getParent(), Here, nullptr, After});
    if (Body.Ends.empty()) {
      // What is after the call is never reached.
      Returned = PoisonValue::get(Call.getType());
    } else if (Body.Ends.size() == 1) {
      BodyCopy::End &End = Body.Ends.front();
      Returned = End.Returned;
      for (DbgVariableRecord *Record : reverse(End.Records))
        After->insertDbgRecordBefore(Record, After->begin());
      End.Block->moveBefore(After);
      End.Block->splice(End.Block->end(), After);
      End.Block->replaceSuccessorsPhiUsesWith(After, End.Block);
      After->eraseFromParent();
    } else {
      for (BodyCopy::End &End : Body.Ends) {
        auto *Branch = BranchInst::Create(After, End.Block);
        Branch->setDebugLoc(End.Place);
        for (DbgVariableRecord *Record : End.Records)
          End.Block->insertDbgRecordBefore(Record, Branch->getIterator());
      }
      Returned = merged(*After, Body.Ends);
    }
  }
  Body.appendCalls(Calls);
  if (!Call.use_empty())
    Call.replaceAllUsesWith(Returned);
  Call.eraseFromParent();
  return true;
}
