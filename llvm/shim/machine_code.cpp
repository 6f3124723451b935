// The machine code of some of a module's functions, loop by loop, and the cycles that LLVM's machine-code analyser says of it.
#include "machine_code.h"

#include "marks.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/DebugHandlerBase.h"
#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineBranchProbabilityInfo.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/ValueMap.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/MCA/Context.h"
#include "llvm/MCA/CustomBehaviour.h"
#include "llvm/MCA/HWEventListener.h"
#include "llvm/MCA/InstrBuilder.h"
#include "llvm/MCA/Pipeline.h"
#include "llvm/MCA/SourceMgr.h"
#include "llvm/MCA/Support.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

using namespace llvm;

namespace {

// Runs of a loop's body that are simulated at most, and those of them that can be before the steady state.
constexpr unsigned Iterations = 60;
constexpr unsigned FirstIterations = 20;
// The least number of runs before the steady state: a long body's operations of several runs have met by then.
constexpr unsigned FewIterations = 4;
// The steady state is seen in so many runs; fewer, but some, do where they take so many cycles that one more or less is below a percent.
constexpr size_t SteadyRuns = 16;
constexpr size_t FewSteadyRuns = 4;
constexpr unsigned SteadyCycles = 100;
// Instructions of one loop beyond which it is not simulated.
constexpr size_t MaxBlock = 4000;
// Of a body's runs, the part that must come to a block for it to be simulated.
constexpr double Rare = 1.0 / 32;

// The number of the IR loop that a block belonged to before code was generated; 0 outside of loops.
using LoopOfBlock = ValueMap<const BasicBlock *, unsigned>;
// The places of functions among those that are looked at.
using FunctionPlaces = DenseMap<const Function *, size_t>;

// The code of one machine loop, or of a function outside of loops.
struct Body {
  // The function that it was made of, by its place among those that are looked at.
  size_t Of = 0;
  // For each IR loop, how many blocks came from it.
  std::map<unsigned, unsigned> Votes;
  std::vector<MCInst> Likely;
  double Instructions = 0, Loads = 0, Stores = 0, Calls = 0;
};

// Collects what the target's printer makes of each machine instruction, by loop.
struct Collector {
  const LoopOfBlock &Loops;
  const FunctionPlaces &Functions;
  std::vector<std::unique_ptr<Body>> Bodies;

  const MachineFunction *MF = nullptr;
  DenseMap<const MachineBasicBlock *, std::pair<Body *, double>> Places;
  const MachineInstr *Current = nullptr;

  Collector(const LoopOfBlock &Loops, const FunctionPlaces &Functions) : Loops(Loops), Functions(Functions) {}

  void begin(const MachineInstr *MI) {
    if (MF != MI->getMF())
      enter(*MI->getMF());
    Current = MI;
  }

  void leave() {
    MF = nullptr;
    Current = nullptr;
  }

  void enter(const MachineFunction &F) {
    MF = &F;
    Places.clear();
    auto &Mutable = const_cast<MachineFunction &>(F);
    MachineDominatorTree Dominators(Mutable);
    MachineLoopInfo Natural(Dominators);
    MachineBranchProbabilityInfo Probabilities;
    MachineBlockFrequencyInfo Frequencies(Mutable, Probabilities, Natural);
    DenseMap<const MachineLoop *, Body *> OfLoop;
    for (const MachineBasicBlock &MBB : F) {
      const MachineLoop *L = Natural.getLoopFor(&MBB);
      Body *&B = OfLoop[L];
      if (!B) {
        B = Bodies.emplace_back(std::make_unique<Body>()).get();
        B->Of = Functions.lookup(&F.getFunction());
      }
      if (const BasicBlock *BB = MBB.getBasicBlock())
        if (auto It = Loops.find(BB); It != Loops.end())
          ++B->Votes[It->second];
      const MachineBasicBlock *Entry = L ? L->getHeader() : &F.front();
      const double Whole = Frequencies.getBlockFreq(Entry).getFrequency();
      const double Part = Frequencies.getBlockFreq(&MBB).getFrequency();
      Places[&MBB] = {B, Whole > 0 ? std::min(1.0, Part / Whole) : 1.0};
    }
  }

  void add(const MCInst &Inst, const MCInstrInfo &Info) {
    if (!Current)
      return;
    auto [B, Share] = Places.lookup(Current->getParent());
    if (!B)
      return;
    const MCInstrDesc &Desc = Info.get(Inst.getOpcode());
    if (Desc.isCall()) {
      B->Calls += Share;
      return;
    }
    B->Instructions += Share;
    B->Loads += Desc.mayLoad() ? Share : 0;
    B->Stores += Desc.mayStore() ? Share : 0;
    if (Share >= Rare && !Desc.isReturn())
      B->Likely.push_back(Inst);
  }
};

// Tells which machine instruction is printed next.
class Follower : public DebugHandlerBase {
  Collector &To;

public:
  Follower(AsmPrinter *Printer, Collector &To) : DebugHandlerBase(Printer), To(To) {}
  // The printer knows its module only now.
  void beginModule(Module *) override { MMI = Asm->MMI; }
  void endModule() override {}
  void beginInstruction(const MachineInstr *MI) override { To.begin(MI); }
  void endInstruction() override {}
  void beginFunctionImpl(const MachineFunction *) override {}
  void endFunctionImpl(const MachineFunction *) override {}
  // At each function's begin: the next one can be where the last one was.
  void skippedNonDebugFunction() override { To.leave(); }
};

// Takes instructions and drops everything else.
class InstructionStreamer : public MCStreamer {
  Collector &To;
  const MCInstrInfo &Info;

public:
  InstructionStreamer(MCContext &Context, Collector &To, const MCInstrInfo &Info)
      : MCStreamer(Context), To(To), Info(Info) {}
  bool hasRawTextSupport() const override { return true; }
  void emitRawTextImpl(StringRef) override {}
  void emitInstruction(const MCInst &Inst, const MCSubtargetInfo &) override { To.add(Inst, Info); }
  bool emitSymbolAttribute(MCSymbol *, MCSymbolAttr) override { return true; }
  void emitCommonSymbol(MCSymbol *, uint64_t, Align) override {}
  void emitZerofill(MCSection *, MCSymbol *, uint64_t, Align, SMLoc) override {}
};

// Keeps what goes wrong in a trial from the user, who will hear of it when the code is generated for good.
class Silence : public DiagnosticHandler {
  bool &Failed;

public:
  explicit Silence(bool &Failed) : Failed(Failed) {}
  bool handleDiagnostics(const DiagnosticInfo &DI) override {
    Failed |= DI.getSeverity() == DS_Error;
    return true;
  }
};

class SilentTime {
  LLVMContext &Context;
  std::unique_ptr<DiagnosticHandler> Before;

public:
  SilentTime(LLVMContext &Context, bool &Failed) : Context(Context), Before(Context.getDiagnosticHandler()) {
    Context.setDiagnosticHandler(std::make_unique<Silence>(Failed));
  }
  ~SilentTime() { Context.setDiagnosticHandler(std::move(Before)); }
};

// A module with copies of the given functions; other functions are only declared there.
std::unique_ptr<Module> copyOf(const Module &M, const FunctionPlaces &Wanted, LoopOfBlock &Loops,
                               FunctionPlaces &Copies, StringRef Key) {
  ValueToValueMapTy Map;
  auto Copy = CloneModule(M, Map, [&](const GlobalValue *Global) {
    if (auto *F = dyn_cast<Function>(Global))
      return Wanted.contains(F);
    auto *Variable = dyn_cast<GlobalVariable>(Global);
    return Variable && !Variable->getName().starts_with("llvm.") && !Variable->hasSection();
  });
  StripDebugInfo(*Copy);
  // What a module says to its assembler is no function of it.
  Copy->setModuleInlineAsm("");
  for (auto [F, Place] : Wanted) {
    auto &C = *cast<Function>(Map[F]);
    Copies[&C] = Place;
    DominatorTree Dominators(C);
    LoopInfo Natural(Dominators);
    for (BasicBlock &BB : C) {
      unsigned Mark = 0;
      if (const Loop *L = Natural.getLoopFor(&BB)) {
        SmallVector<BasicBlock *, 4> Latches;
        L->getLoopLatches(Latches);
        for (BasicBlock *Latch : Latches)
          if (auto Found = ipda::loopMark(*Latch->getTerminator(), Key))
            Mark = *Found;
      }
      Loops[&BB] = Mark;
    }
  }
  return Copy;
}

// Runs of a body, one after the other, until there are enough of them.
class Repeated : public mca::SourceMgr {
  ArrayRef<UniqueInst> Sequence;
  unsigned Current = 0;
  bool IsEnough = false;

public:
  explicit Repeated(ArrayRef<UniqueInst> Sequence) : Sequence(Sequence) {}
  void stop() { IsEnough = true; }
  ArrayRef<UniqueInst> getInstructions() const override { return Sequence; }
  bool hasNext() const override { return !IsEnough && Current < Iterations * Sequence.size(); }
  bool isEnd() const override { return !hasNext(); }
  mca::SourceRef peekNext() const override { return {Current, *Sequence[Current % Sequence.size()]}; }
  void updateNext() override { ++Current; }
};

// When runs of a body have ended, and whether the cycles between these ends repeat.
class Rhythm : public mca::HWEventListener {
  Repeated &Source;
  const size_t Size;
  const unsigned First;
  unsigned Cycle = 0;
  std::vector<unsigned> Ends;
  double Steady = std::numeric_limits<double>::quiet_NaN();

  unsigned between(size_t At) const { return Ends[At] - Ends[At - 1]; }

  // Of how many of the last runs it is asked whether they are the steady state; 0 where there are not enough behind the first ones.
  size_t window() const {
    const size_t Behind = Ends.size() - std::min<size_t>(Ends.size(), First);
    for (size_t Runs = FewSteadyRuns; Runs <= std::min(Behind, SteadyRuns); ++Runs)
      if (Runs == SteadyRuns || Ends.back() - Ends[Ends.size() - 1 - Runs] >= SteadyCycles)
        return Runs;
    return 0;
  }

  // Whether the cycles of each of the last runs are those of the run that was so many before it.
  bool repeatsAfter(size_t Period, size_t Window) const {
    for (size_t Back = 1; Back <= Window - Period; ++Back)
      if (between(Ends.size() - Back) != between(Ends.size() - Back - Period))
        return false;
    return true;
  }

public:
  Rhythm(Repeated &Source, size_t Size, unsigned First) : Source(Source), Size(Size), First(First) {}

  void onCycleEnd() override { ++Cycle; }

  void onEvent(const mca::HWInstructionEvent &Event) override {
    if (Event.Type != mca::HWInstructionEvent::Retired || (Event.IR.getSourceIndex() + 1) % Size != 0)
      return;
    Ends.push_back(Cycle);
    const size_t Window = window();
    for (size_t Period = 1; Period <= Window / 2 && std::isnan(Steady); ++Period)
      if (repeatsAfter(Period, Window)) {
        Steady = double(Ends.back() - Ends[Ends.size() - 1 - Period]) / Period;
        Source.stop();
      }
  }

  // Cycles of one run; on average, where they do not repeat.
  double cycles() const {
    if (!std::isnan(Steady) || Ends.size() < Iterations)
      return Steady;
    return double(Ends[Iterations - 1] - Ends[FirstIterations - 1]) / (Iterations - FirstIterations);
  }
};

// What the analyser sees of a body: bodies with the same one take the same cycles. What a displacement is called is nothing to it.
std::vector<uint64_t> signature(const std::vector<MCInst> &Body) {
  std::vector<uint64_t> Words;
  for (const MCInst &Inst : Body) {
    Words.insert(Words.end(), {Inst.getOpcode(), Inst.getFlags(), Inst.getNumOperands()});
    for (const MCOperand &Operand : Inst) {
      if (Operand.isReg())
        Words.insert(Words.end(), {1, Operand.getReg()});
      else if (Operand.isImm())
        Words.insert(Words.end(), {2, uint64_t(Operand.getImm())});
      else if (Operand.isExpr())
        Words.push_back(3);
      else
        return {};
    }
  }
  return Words;
}

// Everything that the analyser needs to know of one processor.
class Processor {
  const MCInstrInfo &Info;
  const MCRegisterInfo &Registers;
  std::unique_ptr<MCSubtargetInfo> Subtarget;
  std::unique_ptr<MCInstrAnalysis> Analysis;

public:
  Processor(const Target &T, StringRef Triple_, StringRef Name, StringRef Features, const MCInstrInfo &Info,
            const MCRegisterInfo &Registers)
      : Info(Info), Registers(Registers), Analysis(T.createMCInstrAnalysis(&Info)) {
    std::unique_ptr<MCSubtargetInfo> Any(T.createMCSubtargetInfo(Triple_, "", ""));
    if (Any && Any->isCPUStringValid(Name))
      Subtarget.reset(T.createMCSubtargetInfo(Triple_, Name, Features));
  }

  // Processors with the same number have the same model; 0 is none.
  unsigned model() const {
    return Subtarget && Subtarget->getSchedModel().hasInstrSchedModel() ? Subtarget->getSchedModel().getProcessorID() : 0;
  }

  // Cycles of one run of a body in the steady state; not a number where there is no model, or it lacks an instruction.
  double cycles(const std::vector<MCInst> &Body) const {
    constexpr double None = std::numeric_limits<double>::quiet_NaN();
    if (model() == 0 || Body.size() > MaxBlock)
      return None;
    if (Body.empty())
      return 0;
    mca::InstrumentManager Instruments(*Subtarget, Info);
    constexpr unsigned CallLatency = 100;
    mca::InstrBuilder Builder(*Subtarget, Info, Registers, Analysis.get(), Instruments, CallLatency);
    std::vector<std::unique_ptr<mca::Instruction>> Sequence;
    for (const MCInst &Inst : Body) {
      auto Built = Builder.createInstruction(Inst, {});
      if (!Built) {
        consumeError(Built.takeError());
        return None;
      }
      Sequence.push_back(std::move(*Built));
    }
    return run(Sequence);
  }

private:
  // Runs of a body until the processor's window has been full twice, from when on each run waits for those before it.
  unsigned first(size_t Size) const {
    const unsigned Window = Subtarget->getSchedModel().MicroOpBufferSize;
    return std::clamp<unsigned>(2 * Window / Size + 1, FewIterations, FirstIterations);
  }

  double run(ArrayRef<std::unique_ptr<mca::Instruction>> Sequence) const {
    Repeated Source(Sequence);
    Rhythm Retired(Source, Sequence.size(), first(Sequence.size()));
    mca::CustomBehaviour Behaviour(*Subtarget, Source, Info);
    mca::Context Context(Registers, *Subtarget);
    mca::PipelineOptions Options(/*UOPQSize=*/0, /*DecThr=*/0, /*DW=*/0, /*RFS=*/0, /*LQS=*/0, /*SQS=*/0,
                                 /*NoAlias=*/true);
    auto Pipeline = Context.createDefaultPipeline(Options, Source, Behaviour);
    Pipeline->addEventListener(&Retired);
    auto Cycles = Pipeline->run();
    if (!Cycles) {
      consumeError(Cycles.takeError());
      return std::numeric_limits<double>::quiet_NaN();
    }
    return Retired.cycles();
  }
};

// Generates code of a module of one's own into a collector; why that failed, or nothing.
const char *generate(Module &M, LLVMTargetMachine &Machine, Collector &To) {
  bool Failed = false;
  SilentTime Silent(M.getContext(), Failed);
  legacy::PassManager Passes;
  TargetPassConfig *Config = Machine.createPassConfig(Passes);
  Config->setDisableVerify(true);
  auto *Information = new MachineModuleInfoWrapperPass(&Machine);
  Passes.add(Config);
  Passes.add(Information);
  if (Config->addISelPasses())
    return "this target generates no code";
  Config->addMachinePasses();
  Config->setInitialized();
  const Target &T = Machine.getTarget();
  auto Streamer = std::make_unique<InstructionStreamer>(Information->getMMI().getContext(), To, *Machine.getMCInstrInfo());
  T.createNullTargetStreamer(*Streamer);
  AsmPrinter *Printer = T.createAsmPrinter(Machine, std::move(Streamer));
  if (!Printer)
    return "this target prints no code";
  Printer->addDebugHandler(std::make_unique<Follower>(Printer, To));
  Passes.add(Printer);
  Passes.add(createFreeMachineFunctionPass());
  Passes.run(M);
  return Failed ? "code generation fails" : nullptr;
}

StringRef attribute(const Function &F, StringRef Name) { return F.getFnAttribute(Name).getValueAsString(); }

} // namespace

void ipda_machine_code(LLVMModuleRef Module_, const LLVMValueRef *Functions, size_t FunctionCount, IpdaStr Key,
                       const IpdaStr *Processors, size_t ProcessorCount, void *Context,
                       void (*Each)(void *, const IpdaMachineLoop *), void (*Failed)(void *, IpdaStr)) {
  auto Fail = [&](StringRef Why) { Failed(Context, {Why.data(), Why.size()}); };
  Module &M = *unwrap(Module_);
  FunctionPlaces Wanted, Copies;
  for (size_t At = 0; At != FunctionCount; ++At)
    Wanted[unwrap<Function>(Functions[At])] = At;
  std::string Error;
  const Target *T = TargetRegistry::lookupTarget(M.getTargetTriple(), Error);
  if (!T || FunctionCount == 0 || !T->hasMCAsmBackend())
    return Fail("this program has no code generator for the target");
  const Function &Any = *unwrap<Function>(Functions[0]);
  const StringRef Own = attribute(Any, "target-cpu"), Features = attribute(Any, "target-features");
  const auto Relocation = M.getPICLevel() == PICLevel::NotPIC ? Reloc::Static : Reloc::PIC_;
  std::unique_ptr<TargetMachine> Machine(
      T->createTargetMachine(M.getTargetTriple(), Own, Features, TargetOptions(), Relocation, M.getCodeModel()));
  if (!Machine)
    return Fail("this program has no code generator for the target");
  LoopOfBlock Loops;
  auto Copy = copyOf(M, Wanted, Loops, Copies, StringRef(Key.data, Key.len));
  Collector Collected(Loops, Copies);
  if (const char *Why = generate(*Copy, static_cast<LLVMTargetMachine &>(*Machine), Collected))
    return Fail(Why);
  std::vector<Processor> Models;
  for (size_t At = 0; At != ProcessorCount; ++At)
    Models.emplace_back(*T, M.getTargetTriple(), StringRef(Processors[At].data, Processors[At].len), Features,
                        *Machine->getMCInstrInfo(), *Machine->getMCRegisterInfo());
  std::map<std::pair<unsigned, std::vector<uint64_t>>, double> Known;
  for (const auto &B : Collected.Bodies) {
    unsigned Mark = 0, Most = 0;
    for (auto [Loop_, Count] : B->Votes)
      if (Count > Most || (Count == Most && Loop_ != 0))
        Mark = Loop_, Most = Count;
    const double Share = B->Likely.empty() ? 0 : std::min(1.0, B->Instructions / B->Likely.size());
    std::vector<double> Cycles;
    const std::vector<uint64_t> Seen = signature(B->Likely);
    for (const Processor &Model : Models) {
      if (Mark == 0) {
        Cycles.push_back(std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      // What has no signature is looked at each time.
      const bool IsComparable = !Seen.empty() || B->Likely.empty();
      auto [At, IsNew] = Known.try_emplace({Model.model(), Seen}, std::numeric_limits<double>::quiet_NaN());
      if (IsNew || !IsComparable)
        At->second = Model.cycles(B->Likely);
      Cycles.push_back(At->second * Share);
    }
    const IpdaMachineLoop Found{B->Of, Mark, B->Instructions, B->Loads, B->Stores, B->Calls, Cycles.data()};
    Each(Context, &Found);
  }
}
