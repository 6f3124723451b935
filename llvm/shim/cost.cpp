// What the loops of functions cost on processors, without generating code: instructions as LLVM's cost model (TargetTransformInfo) counts them, and their
// latencies and units by the processors' scheduling models, which the machine-code analyser takes as well.
#include "machine_code.h"

#include "marks.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/TargetOpcodes.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

using namespace llvm;

namespace {

constexpr double None = std::numeric_limits<double>::quiet_NaN();
// Phis of a loop's header that are followed to the next iteration at most.
constexpr unsigned MaxPhis = 16;
// What waits longer than that for the iteration before does more than count.
constexpr double Counting = 2;
// Shifts and additions behind the multiplication that stands for a division by a constant.
constexpr double AfterMultiplying = 2;

// Classes of instructions. Those on floating-point numbers come in forms: of 32 and of 64 bits, each as scalars, in vectors of 128 bits, and in longer
// ones.
enum Operation : unsigned { Add, Multiply, Divide, SquareRoot, MultiplyAdd, Operations };
constexpr unsigned Of64Bits = 1, InVector = 2, InLongVector = 4, Forms = 6;
enum Other : unsigned {
  Integer = Operations * Forms,
  IntegerMultiply,
  IntegerDivide,
  Load,
  Store,
  LoadFloat,
  StoreFloat,
  LoadVector,
  StoreVector,
  VectorInteger,
  Shuffle,
  Convert,
  Branch,
  Atomic,
  Classes
};

// An instruction of each architecture that stands for a class, as LLVM calls it.
struct Names {
  Triple::ArchType Architecture;
  StringRef Of[Classes];
};
constexpr Names Known[] = {
    {Triple::x86_64,
     {"ADDSSrr",      "ADDSDrr",      "ADDPSrr",      "ADDPDrr",      "VADDPSYrr",     "VADDPDYrr",     //
      "MULSSrr",      "MULSDrr",      "MULPSrr",      "MULPDrr",      "VMULPSYrr",     "VMULPDYrr",     //
      "DIVSSrr",      "DIVSDrr",      "DIVPSrr",      "DIVPDrr",      "VDIVPSYrr",     "VDIVPDYrr",     //
      "SQRTSSr",      "SQRTSDr",      "SQRTPSr",      "SQRTPDr",      "VSQRTPSYr",     "VSQRTPDYr",     //
      "VFMADD213SSr", "VFMADD213SDr", "VFMADD213PSr", "VFMADD213PDr", "VFMADD213PSYr", "VFMADD213PDYr", //
      "ADD64rr",      "IMUL64rr",     "IDIV32r",      "MOV64rm",      "MOV64mr",       "MOVSDrm",       //
      "MOVSDmr",      "MOVAPSrm",     "MOVAPSmr",     "PADDDrr",      "SHUFPSrri",     "CVTSI2SDrr",    //
      "JCC_1",        "LCMPXCHG64"}},
    {Triple::ppc64le,
     {"XSADDSP",   "XSADDDP",   "XVADDSP",   "XVADDDP",   "",          "",     //
      "XSMULSP",   "XSMULDP",   "XVMULSP",   "XVMULDP",   "",          "",     //
      "XSDIVSP",   "XSDIVDP",   "XVDIVSP",   "XVDIVDP",   "",          "",     //
      "XSSQRTSP",  "XSSQRTDP",  "XVSQRTSP",  "XVSQRTDP",  "",          "",     //
      "XSMADDASP", "XSMADDADP", "XVMADDASP", "XVMADDADP", "",          "",     //
      "ADD8",      "MULLD",     "DIVD",      "LD",        "STD",       "LFD",  //
      "STFD",      "LXV",       "STXV",      "VADDUWM",   "XXPERMDI",  "XSCVSXDDP", //
      "BCC",       "STDCX"}},
    {Triple::aarch64,
     {"FADDSrr",   "FADDDrr",   "FADDv4f32",  "FADDv2f64",  "",           "",        //
      "FMULSrr",   "FMULDrr",   "FMULv4f32",  "FMULv2f64",  "",           "",        //
      "FDIVSrr",   "FDIVDrr",   "FDIVv4f32",  "FDIVv2f64",  "",           "",        //
      "FSQRTSr",   "FSQRTDr",   "FSQRTv4f32", "FSQRTv2f64", "",           "",        //
      "FMADDSrrr", "FMADDDrrr", "FMLAv4f32",  "FMLAv2f64",  "",           "",        //
      "ADDXri",    "SMULHrr",  "SDIVXr",     "LDRXui",     "STRXui",     "LDRDui",  //
      "STRDui",    "LDRQui",    "STRQui",     "ADDv4i32",   "ZIP1v4i32",  "SCVTFUXDri", //
      "Bcc",       "CASX"}},
};

// The numbers of these instructions on a target; 0 where a class has none.
struct Representatives {
  unsigned Of[Classes] = {};

  Representatives(const MCInstrInfo &Info, const Triple &Target) {
    const auto *Own = find_if(Known, [&](const Names &One) { return One.Architecture == Target.getArch(); });
    if (Own == std::end(Known))
      return;
    StringMap<unsigned *> Wanted;
    for (unsigned Class = 0; Class != Classes; ++Class)
      if (StringRef Name = Own->Of[Class]; !Name.empty() && (Of[Class] = numberInOrder(Info, Name)) == 0)
        Wanted[Name] = &Of[Class];
    // To look at the names of all of a target's instructions takes longer than all that is then asked.
    for (unsigned Opcode = 0; !Wanted.empty() && Opcode != Info.getNumOpcodes(); ++Opcode)
      if (auto It = Wanted.find(Info.getName(Opcode)); It != Wanted.end())
        *It->second = Opcode;
  }

  // The number of an instruction, where it is found in the order in which LLVM 19 numbers a target's own (TableGen's CodeGenTarget): pseudo instructions
  // first, and either by name; else 0.
  static unsigned numberInOrder(const MCInstrInfo &Info, StringRef Name) {
    const auto Numbers = seq<unsigned>(TargetOpcode::GENERIC_OP_END + 1, Info.getNumOpcodes());
    const auto Found = lower_bound(Numbers, Name, [&](unsigned Opcode, StringRef Wanted) {
      return Info.get(Opcode).isPseudo() || Info.getName(Opcode) < Wanted;
    });
    return Found != Numbers.end() && Info.getName(*Found) == Name ? *Found : 0;
  }

  bool hasLongVectors() const { return Of[InLongVector] != 0; }
};

// What the model needs to know of a processor.
struct Processor {
  bool IsKnown = false;
  // Of each class: cycles from operands to result, not a number where the model does not say; how many of the width it takes; and how long it keeps
  // which units, in cycles in which all units of the kind are kept.
  double Latency[Classes], Slots[Classes];
  SmallVector<std::pair<unsigned, double>, 4> Uses[Classes];
  unsigned Units = 0;
  // Instructions that start in a cycle, those that are under way at a time, and operations on floating-point numbers that wait for operands; of the last
  // two 0 where the model sets no bound.
  double Width = 0, Window = 0, Waiting = 0;

  Processor(const Target &T, StringRef Triple_, StringRef Name, StringRef Features, const MCInstrInfo &Info,
            const Representatives &Known) {
    std::fill(std::begin(Latency), std::end(Latency), None);
    std::fill(std::begin(Slots), std::end(Slots), 1);
    std::unique_ptr<MCSubtargetInfo> Any(T.createMCSubtargetInfo(Triple_, "", ""));
    if (!Any || !Any->isCPUStringValid(Name))
      return;
    std::unique_ptr<MCSubtargetInfo> Subtarget(T.createMCSubtargetInfo(Triple_, Name, Features));
    const MCSchedModel &Model = Subtarget->getSchedModel();
    IsKnown = Model.hasInstrSchedModel() && Model.IssueWidth != 0;
    if (!IsKnown)
      return;
    Width = Model.IssueWidth;
    Window = Model.MicroOpBufferSize;
    Units = Model.getNumProcResourceKinds();
    Latency[Load] = Latency[LoadFloat] = Latency[LoadVector] = Model.LoadLatency;
    for (unsigned Class = 0; Class != Classes; ++Class) {
      const MCSchedClassDesc *Found = Model.getSchedClassDesc(Info.get(Known.Of[Class]).getSchedClass());
      if (Known.Of[Class] == 0 || !Found->isValid() || Found->isVariant())
        continue;
      Latency[Class] = MCSchedModel::computeInstrLatency(*Subtarget, *Found);
      Slots[Class] = Found->NumMicroOps;
      for (const MCWriteProcResEntry *Use = Subtarget->getWriteProcResBegin(Found),
                                     *End = Subtarget->getWriteProcResEnd(Found);
           Use != End; ++Use) {
        const MCProcResourceDesc &Unit = *Model.getProcResource(Use->ProcResourceIdx);
        Uses[Class].push_back({Use->ProcResourceIdx, double(Use->ReleaseAtCycle - Use->AcquireAtCycle) / Unit.NumUnits});
        if (Class < Integer)
          Waiting = std::max(Waiting, double(Unit.BufferSize));
      }
    }
    // What a processor lacks, it does otherwise.
    for (auto [Class, Like] : {std::pair<unsigned, unsigned>{LoadVector, LoadFloat}, {StoreVector, StoreFloat}, {VectorInteger, Shuffle}})
      if (Uses[Class].empty()) {
        Latency[Class] = Latency[Like];
        Slots[Class] = Slots[Like];
        Uses[Class] = Uses[Like];
      }
  }

  // Cycles in which so many instructions of each class can start.
  double throughput(ArrayRef<double> Counts) const {
    double Started = 0;
    SmallVector<double, 64> Kept(Units);
    for (unsigned Class = 0; Class != Classes; ++Class) {
      Started += Counts[Class] * Slots[Class];
      for (auto [Unit, Cycles] : Uses[Class])
        Kept[Unit] += Counts[Class] * Cycles;
    }
    return std::max(Started / Width, *std::max_element(Kept.begin(), Kept.end()));
  }
};

double valid(InstructionCost Cost) { return Cost.isValid() ? double(*Cost.getValue()) : 0; }

// Whether this is a call of the library's that is an instruction, and a call for numbers without a root alone.
bool isSquareRoot(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && Callee->isDeclaration() && !Call->isNoBuiltin() &&
         (Callee->getName() == "sqrt" || Callee->getName() == "sqrtf");
}

// Whether an instruction becomes a call of something that is not looked at.
bool isLoweredToCall(const Instruction &I) {
  if (I.getOpcode() == Instruction::FRem)
    return true;
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || isSquareRoot(I))
    return false;
  const Function *Callee = Call->getCalledFunction();
  if (!Callee || !Callee->isIntrinsic())
    return true;
  switch (Callee->getIntrinsicID()) {
  case Intrinsic::sin:
  case Intrinsic::cos:
  case Intrinsic::tan:
  case Intrinsic::pow:
  case Intrinsic::powi:
  case Intrinsic::exp:
  case Intrinsic::exp2:
  case Intrinsic::exp10:
  case Intrinsic::log:
  case Intrinsic::log2:
  case Intrinsic::log10:
    return true;
  case Intrinsic::memcpy:
  case Intrinsic::memmove:
  case Intrinsic::memset:
    // Short ones are written out.
    return !isa<ConstantInt>(cast<MemIntrinsic>(I).getLength());
  default:
    return false;
  }
}

std::optional<Operation> operation(const Instruction &I) {
  const Type *Of = I.getType()->getScalarType();
  if (!Of->isFloatTy() && !Of->isDoubleTy())
    return std::nullopt;
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
    return Add;
  case Instruction::FMul:
    return Multiply;
  case Instruction::FDiv:
    return Divide;
  default:
    break;
  }
  if (isSquareRoot(I))
    return SquareRoot;
  if (auto *Call = dyn_cast<IntrinsicInst>(&I))
    switch (Call->getIntrinsicID()) {
    case Intrinsic::sqrt:
      return SquareRoot;
    case Intrinsic::fma:
    case Intrinsic::fmuladd:
      return MultiplyAdd;
    default:
      break;
    }
  return std::nullopt;
}

// Whether an integer division becomes a multiplication.
bool isByConstant(const Instruction &Division) { return isa<ConstantInt>(Division.getOperand(1)); }

// The class of a load or store of such values.
unsigned access(unsigned OfIntegers, const Type *Of) {
  static_assert(LoadFloat == Load + 2 && LoadVector == Load + 4 && StoreVector == Store + 4);
  return OfIntegers + (Of->isVectorTy() ? 4 : Of->isFloatingPointTy() ? 2 : 0);
}

// One function's loops.
class Costs {
  const Function &F;
  const TargetTransformInfo &TTI;
  const DominatorTree Dominators;
  const LoopInfo Natural;
  const BranchProbabilityInfo Probabilities;
  const BlockFrequencyInfo Frequencies;
  const bool HasLongVectors;

public:
  Costs(Function &F, const TargetTransformInfo &TTI, bool HasLongVectors)
      : F(F), TTI(TTI), Dominators(F), Natural(Dominators), Probabilities(F, Natural),
        Frequencies(F, Probabilities, Natural), HasLongVectors(HasLongVectors) {}

  template <typename Each> void run(StringRef Key, ArrayRef<Processor> Processors, Each To) const {
    // In program order: a value is ready before what uses it.
    ReversePostOrderTraversal<const Function *> Order(&F);
    MapVector<const Loop *, SmallVector<const BasicBlock *, 8>> Loops;
    for (const BasicBlock *BB : Order)
      Loops[Natural.getLoopFor(BB)].push_back(BB);
    for (const auto &[L, Blocks] : Loops)
      one(L, Blocks, Key, Processors, To);
  }

private:
  // How often a block runs in an iteration of the loop that it is in, or in a run of the function.
  double share(const BasicBlock &BB, const Loop *L) const {
    const BasicBlock *Entry = L ? L->getHeader() : &F.getEntryBlock();
    const double Whole = Frequencies.getBlockFreq(Entry).getFrequency();
    return Whole > 0 ? std::min(1.0, Frequencies.getBlockFreq(&BB).getFrequency() / Whole) : 1.0;
  }

  double cost(const Instruction &I, TargetTransformInfo::TargetCostKind Kind) const {
    SmallVector<const Value *, 4> Operands(I.operand_values());
    return valid(TTI.getInstructionCost(&I, Operands, Kind));
  }

  // How many instructions an addition of this type is.
  double additions(Type *Of) const {
    return std::max(1.0, valid(TTI.getArithmeticInstrCost(Instruction::FAdd, Of, TargetTransformInfo::TCK_CodeSize)));
  }

  // Whether a multiplication and addition becomes one instruction.
  bool isFused(const Instruction &I) const {
    return cost(I, TargetTransformInfo::TCK_CodeSize) <= additions(I.getType());
  }

  // Whether it must be rounded once on a target that has no such instruction.
  bool isEmulated(const Instruction &I) const {
    return cast<IntrinsicInst>(I).getIntrinsicID() == Intrinsic::fma && !isFused(I);
  }

  // The class of an operation on floating-point numbers, and how many instructions of it this is.
  std::pair<unsigned, double> form(const Instruction &I, Operation Op) const {
    const unsigned Class = Op * Forms + (I.getType()->getScalarType()->isDoubleTy() ? Of64Bits : 0);
    if (!I.getType()->isVectorTy())
      return {Class, 1};
    // What the cost model says of divisions is their time; of additions, how many there are.
    const double Parts = additions(I.getType());
    const double Bits = I.getType()->getPrimitiveSizeInBits().getKnownMinValue() / Parts;
    if (Bits <= 128 || !HasLongVectors)
      return {Class + InVector, Parts};
    return {Class + InLongVector, Parts * std::max(1.0, Bits / 256)};
  }

  // Cycles from when an operand is there to when the result is.
  double latency(const Instruction &I, unsigned Operand, const Processor &P) const {
    double Own = None;
    if (isa<PHINode>(I)) {
      Own = 0;
    } else if (isa<LoadInst>(I)) {
      Own = P.Latency[access(Load, I.getType())];
    } else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I)) {
      Own = P.Latency[Atomic];
    } else if (auto Op = operation(I)) {
      auto Of = [&](Operation One) { return P.Latency[form(I, One).first]; };
      const bool IsOne = *Op != MultiplyAdd || isFused(I);
      Own = IsOne ? Of(*Op) : Operand == 2 ? Of(Add) : Of(Multiply) + Of(Add);
    } else if (I.getType()->isIntegerTy() && !isa<CallBase, ExtractElementInst>(I)) {
      if (I.getOpcode() == Instruction::Mul)
        Own = P.Latency[IntegerMultiply];
      else if (I.isIntDivRem())
        Own = isByConstant(I) ? P.Latency[IntegerMultiply] + AfterMultiplying : P.Latency[IntegerDivide];
      else
        Own = cost(I, TargetTransformInfo::TCK_CodeSize) == 0 ? 0 : P.Latency[Integer];
    }
    return std::isnan(Own) ? cost(I, TargetTransformInfo::TCK_Latency) : Own;
  }

  // Adds an instruction to how many there are of each class.
  void count(const Instruction &I, double Share, MutableArrayRef<double> Counts) const {
    if (auto Op = operation(I)) {
      auto AddForm = [&](Operation One) {
        auto [Class, Parts] = form(I, One);
        Counts[Class] += Share * Parts;
      };
      if (*Op != MultiplyAdd || isFused(I))
        return AddForm(*Op);
      AddForm(Multiply);
      return AddForm(Add);
    }
    // The size of a store tells of how its address is written, on some targets.
    const bool IsAccess = isa<LoadInst, StoreInst>(I);
    double Size = cost(I, IsAccess ? TargetTransformInfo::TCK_RecipThroughput : TargetTransformInfo::TCK_CodeSize);
    unsigned Class = Integer;
    if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I)) {
      Counts[Atomic] += Share;
      return;
    }
    if (const auto *Masked = dyn_cast<IntrinsicInst>(&I)) {
      const Intrinsic::ID Which = Masked->getIntrinsicID();
      const bool IsLoad = Which == Intrinsic::masked_load || Which == Intrinsic::masked_gather;
      if (IsLoad || Which == Intrinsic::masked_store || Which == Intrinsic::masked_scatter) {
        Type *Of = IsLoad ? I.getType() : I.getOperand(0)->getType();
        const auto *Vector = dyn_cast<FixedVectorType>(Of);
        const bool IsEach = Which == Intrinsic::masked_gather || Which == Intrinsic::masked_scatter;
        Counts[IsLoad ? LoadVector : StoreVector] += Share * (IsEach && Vector ? Vector->getNumElements() : additions(Of));
        return;
      }
    }
    if (auto *Stored = dyn_cast<StoreInst>(&I))
      Class = access(Store, Stored->getValueOperand()->getType());
    else if (isa<LoadInst>(I))
      Class = access(Load, I.getType());
    else if (isa<SIToFPInst, UIToFPInst, FPToSIInst, FPToUIInst, FPExtInst, FPTruncInst>(I))
      Class = Convert;
    else if (isa<ShuffleVectorInst, InsertElementInst, ExtractElementInst>(I))
      Class = Shuffle;
    else if (I.getType()->isVectorTy())
      Class = VectorInteger;
    else if (I.isTerminator())
      Class = Branch;
    else if (I.getOpcode() == Instruction::Mul)
      Class = IntegerMultiply;
    else if (I.isIntDivRem()) {
      const bool IsRemainder = I.getOpcode() == Instruction::URem || I.getOpcode() == Instruction::SRem;
      Class = isByConstant(I) ? IntegerMultiply : IntegerDivide;
      // A remainder by a constant is multiplied once more; what divides has it as well.
      Size = IsRemainder && isByConstant(I) ? 2 : 1;
      Counts[Integer] += isByConstant(I) ? Share * Size * AfterMultiplying : 0;
    }
    Counts[Class] += Share * Size;
  }

  // When the values that depend on others are ready, on the longest way; what is not wanted is not followed.
  template <typename Wanted>
  void follow(ArrayRef<const BasicBlock *> Blocks, const Processor &P, DenseMap<const Value *, double> &Ready,
              Wanted Is) const {
    for (const BasicBlock *BB : Blocks)
      for (const Instruction &I : *BB)
        for (const Use &Operand : I.operands())
          if (auto It = Ready.find(Operand); It != Ready.end() && Is(I)) {
            const double At = It->second + latency(I, Operand.getOperandNo(), P);
            auto [Known, IsNew] = Ready.try_emplace(&I, At);
            if (!IsNew)
              Known->second = std::max(Known->second, At);
          }
  }

  // What an iteration waits for, in cycles: for a value of the one before, on the longest way from a phi to what it is next; and the longest way through
  // the iteration beside those that take longer than counting.
  std::pair<double, double> waits(const Loop &L, ArrayRef<const BasicBlock *> Blocks, const Processor &P) const {
    auto IsOfHeader = [&](const Instruction &I) { return isa<PHINode>(I) && I.getParent() == L.getHeader(); };
    double Carried = 0;
    DenseSet<const Value *> OnTheWay;
    unsigned Phis = 0;
    SmallVector<BasicBlock *, 4> Latches;
    L.getLoopLatches(Latches);
    for (const PHINode &Phi : L.getHeader()->phis()) {
      if (++Phis > MaxPhis)
        break;
      DenseMap<const Value *, double> Ready{{&Phi, 0}};
      follow(Blocks, P, Ready, [&](const Instruction &I) { return !IsOfHeader(I); });
      double Longest = 0;
      for (const BasicBlock *Latch : Latches)
        if (auto Next = Ready.find(Phi.getIncomingValueForBlock(Latch)); Next != Ready.end())
          Longest = std::max(Longest, Next->second);
      Carried = std::max(Carried, Longest);
      if (Longest > Counting)
        for (auto [Own, At] : Ready)
          OnTheWay.insert(Own);
    }
    DenseMap<const Value *, double> Ready;
    for (const BasicBlock *BB : Blocks)
      for (const Instruction &I : *BB)
        if (isa<LoadInst>(I) || (isa<PHINode>(I) && !OnTheWay.contains(&I)))
          Ready[&I] = latency(I, 0, P);
    follow(Blocks, P, Ready, [&](const Instruction &I) { return !IsOfHeader(I) && !OnTheWay.contains(&I); });
    double Path = 0;
    for (auto [Own, At] : Ready)
      Path = std::max(Path, At);
    return {Carried, Path};
  }

  // Cycles of one iteration in the steady state: the largest of what the units take, what it waits for, and what fits into the processor's buffers.
  double cycles(const Loop &L, ArrayRef<const BasicBlock *> Blocks, ArrayRef<double> Counts, const Processor &P) const {
    const auto [Carried, Path] = waits(L, Blocks, P);
    // With n instructions in c cycles on a way of p cycles, each is under way for p - c, as they end in their order: n / c * (p - c) at a time. They wait
    // for operands half as long, on average.
    auto Buffered = [Path = Path](double Own, double Size) { return Size > 1 ? Path * Own / (Size + Own) : 0; };
    const double All = std::accumulate(Counts.begin(), Counts.end(), 0.0);
    const double Floating = std::accumulate(Counts.begin(), Counts.begin() + Integer, 0.0);
    return std::max({P.throughput(Counts), Carried, Buffered(All, P.Window), Buffered(Floating, 2 * P.Waiting)});
  }

  template <typename Each>
  void one(const Loop *L, ArrayRef<const BasicBlock *> Blocks, StringRef Key, ArrayRef<Processor> Processors,
           Each To) const {
    IpdaMachineLoop Found{};
    double Counts[Classes] = {};
    for (const BasicBlock *BB : Blocks) {
      const double Share = share(*BB, L);
      for (const Instruction &I : *BB) {
        if (I.isDebugOrPseudoInst() || isa<PHINode>(I) || isa<ReturnInst>(I))
          continue;
        if (isLoweredToCall(I) || (operation(I) == MultiplyAdd && isEmulated(I)))
          Found.calls += Share;
        else
          count(I, Share, Counts);
      }
    }
    Found.instructions = std::accumulate(std::begin(Counts), std::end(Counts), 0.0);
    // An atomic update reads and writes.
    Found.loads = Counts[Load] + Counts[LoadFloat] + Counts[LoadVector] + Counts[Atomic];
    Found.stores = Counts[Store] + Counts[StoreFloat] + Counts[StoreVector] + Counts[Atomic];
    std::vector<double> Cycles;
    for (const Processor &P : Processors)
      Cycles.push_back(L && P.IsKnown ? cycles(*L, Blocks, Counts, P) : None);
    Found.cycles = Cycles.data();
    if (L) {
      SmallVector<BasicBlock *, 4> Latches;
      L->getLoopLatches(Latches);
      for (const BasicBlock *Latch : Latches)
        if (auto Mark = ipda::loopMark(*Latch->getTerminator(), Key))
          Found.mark = *Mark;
    }
    To(Found);
  }
};

} // namespace

void ipda_code_cost(LLVMModuleRef Module_, const LLVMValueRef *Functions, size_t FunctionCount, IpdaStr Key_,
                    const IpdaStr *Names_, size_t ProcessorCount, void *Context,
                    void (*Each)(void *, const IpdaMachineLoop *), void (*Failed)(void *, IpdaStr)) {
  auto Fail = [&](StringRef Why) { Failed(Context, {Why.data(), Why.size()}); };
  const Module &M = *unwrap(Module_);
  std::string Error;
  const Target *T = TargetRegistry::lookupTarget(M.getTargetTriple(), Error);
  if (!T || FunctionCount == 0)
    return Fail("this program has no cost model for the target");
  const Function &Any = *unwrap<Function>(Functions[0]);
  const StringRef Own = Any.getFnAttribute("target-cpu").getValueAsString();
  const StringRef Features = Any.getFnAttribute("target-features").getValueAsString();
  std::unique_ptr<TargetMachine> Machine(
      T->createTargetMachine(M.getTargetTriple(), Own, Features, TargetOptions(), std::nullopt));
  if (!Machine)
    return Fail("this program has no cost model for the target");
  const MCInstrInfo &Info = *Machine->getMCInstrInfo();
  const Representatives Known(Info, Machine->getTargetTriple());
  std::vector<Processor> Processors;
  for (size_t At = 0; At != ProcessorCount; ++At)
    Processors.emplace_back(*T, M.getTargetTriple(), StringRef(Names_[At].data, Names_[At].len), Features, Info, Known);
  for (size_t At = 0; At != FunctionCount; ++At) {
    auto &F = *unwrap<Function>(Functions[At]);
    const TargetTransformInfo TTI = Machine->getTargetTransformInfo(F);
    Costs(F, TTI, Known.hasLongVectors()).run(StringRef(Key_.data, Key_.len), Processors, [&](IpdaMachineLoop &Found) {
      Found.function = At;
      Each(Context, &Found);
    });
  }
}
