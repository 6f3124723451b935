#include "once.h"
#include "marks.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"

using namespace llvm;

namespace {

// By which a loop is known as one of a copy. It is no mark with a number, and stays.
constexpr StringLiteral OfCopy = "ipda.of-copy";

bool isOfCopy(const Instruction &Latch) {
  const MDNode *Loop = Latch.getMetadata(LLVMContext::MD_loop);
  return Loop && any_of(drop_begin(Loop->operands()), [](const Metadata *Property) {
           auto *Node = dyn_cast_or_null<MDNode>(Property);
           auto *Name = Node && Node->getNumOperands() == 1 ? dyn_cast_or_null<MDString>(Node->getOperand(0)) : nullptr;
           return Name && Name->getString() == OfCopy;
         });
}

// Passes remarks on, but for those of copies.
class Once : public DiagnosticHandler {
  std::unique_ptr<DiagnosticHandler> Inner;

  // A remark on a loop names the block where it begins.
  static bool isOfCopy(const BasicBlock &BB) {
    return any_of(predecessors(&BB), [](const BasicBlock *From) { return ::isOfCopy(*From->getTerminator()); });
  }

  static bool isOfCopy(const DiagnosticInfo &DI) {
    switch (DI.getKind()) {
    case DK_OptimizationRemark:
    case DK_OptimizationRemarkMissed:
    case DK_OptimizationRemarkAnalysis:
    case DK_OptimizationRemarkAnalysisFPCommute:
    case DK_OptimizationRemarkAnalysisAliasing:
    case DK_OptimizationFailure: {
      auto &Said = static_cast<const DiagnosticInfoIROptimization &>(DI);
      auto *BB = dyn_cast_or_null<BasicBlock>(Said.getCodeRegion());
      return BB && isOfCopy(*BB);
    }
    default:
      return false;
    }
  }

public:
  // Tells this handler from others.
  static inline char Tag;

  explicit Once(std::unique_ptr<DiagnosticHandler> Inner) : DiagnosticHandler(&Tag), Inner(std::move(Inner)) {}

  bool handleDiagnostics(const DiagnosticInfo &DI) override { return isOfCopy(DI) || Inner->handleDiagnostics(DI); }
  bool isAnalysisRemarkEnabled(StringRef Pass) const override { return Inner->isAnalysisRemarkEnabled(Pass); }
  bool isMissedOptRemarkEnabled(StringRef Pass) const override { return Inner->isMissedOptRemarkEnabled(Pass); }
  bool isPassedOptRemarkEnabled(StringRef Pass) const override { return Inner->isPassedOptRemarkEnabled(Pass); }
  bool isAnyRemarkEnabled() const override { return Inner->isAnyRemarkEnabled(); }
};

void handOn(LLVMContext &Context) {
  if (Context.getDiagHandlerPtr()->DiagnosticContext != &Once::Tag)
    Context.setDiagnosticHandler(std::make_unique<Once>(Context.getDiagnosticHandler()));
}

} // namespace

void ipda_say_once(const LLVMBasicBlockRef *Copies, size_t Count) {
  if (Count == 0)
    return;
  const ArrayRef<BasicBlock *> Blocks(reinterpret_cast<BasicBlock *const *>(Copies), Count);
  const SmallPtrSet<const BasicBlock *, 16> Inside(Blocks.begin(), Blocks.end());
  Function &F = *Blocks.front()->getParent();
  LLVMContext &Context = F.getContext();
  handOn(Context);
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> BackEdges;
  FindFunctionBackedges(F, BackEdges);
  // Several back edges of one loop have one node.
  DenseMap<const BasicBlock *, MDNode *> Named;
  for (auto [From, Header] : BackEdges) {
    if (!Inside.contains(Header))
      continue;
    Instruction *End = const_cast<BasicBlock *>(From)->getTerminator();
    MDNode *&Of = Named[Header];
    if (!Of) {
      SmallVector<Metadata *, 8> Parts{nullptr};
      if (const MDNode *Loop = End->getMetadata(LLVMContext::MD_loop))
        append_range(Parts, drop_begin(Loop->operands()));
      Parts.push_back(MDNode::get(Context, {MDString::get(Context, OfCopy)}));
      Of = MDNode::getDistinct(Context, Parts);
      Of->replaceOperandWith(0, Of);
    }
    End->setMetadata(LLVMContext::MD_loop, Of);
  }
}
