#include "once.h"
#include "marks.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"

using namespace llvm;

namespace {

// By which a loop is known as one of a copy where there are no debug locations. It is no mark with a number, and stays.
constexpr StringLiteral OfCopy = "ipda.of-copy";

bool isOfCopy(const Instruction &Latch) {
  const MDNode *Loop = Latch.getMetadata(LLVMContext::MD_loop);
  return Loop && any_of(drop_begin(Loop->operands()), [](const Metadata *Property) {
           auto *Node = dyn_cast_or_null<MDNode>(Property);
           auto *Name = Node && Node->getNumOperands() == 1 ? dyn_cast_or_null<MDString>(Node->getOperand(0)) : nullptr;
           return Name && Name->getString() == OfCopy;
         });
}

// Hands on what it is told, but for what is said of copies.
class Once : public DiagnosticHandler {
  std::unique_ptr<DiagnosticHandler> Inner;
  SmallPtrSet<const Metadata *, 4> Copies;

  bool isOfCopy(const BasicBlock &BB) const {
    for (const Instruction &I : BB)
      if (const DILocation *At = I.getDebugLoc()) {
        for (; At; At = At->getInlinedAt())
          if (Copies.contains(At->getScope()->getSubprogram()))
            return true;
        return false;
      }
    // A remark on a loop names the block where it begins.
    return any_of(predecessors(&BB), [](const BasicBlock *From) { return ::isOfCopy(*From->getTerminator()); });
  }

  bool isOfCopy(const DiagnosticInfo &DI) const {
    switch (DI.getKind()) {
    case DK_OptimizationRemark:
    case DK_OptimizationRemarkMissed:
    case DK_OptimizationRemarkAnalysis:
    case DK_OptimizationRemarkAnalysisFPCommute:
    case DK_OptimizationRemarkAnalysisAliasing:
    case DK_OptimizationFailure: {
      auto &Said = static_cast<const DiagnosticInfoIROptimization &>(DI);
      auto *Region = Said.getCodeRegion();
      if (auto *BB = dyn_cast_or_null<BasicBlock>(Region))
        return isOfCopy(*BB);
      return Copies.contains(Said.getFunction().getSubprogram());
    }
    default:
      return false;
    }
  }

public:
  // Tells this handler from others.
  static inline char Tag;

  explicit Once(std::unique_ptr<DiagnosticHandler> Inner) : DiagnosticHandler(&Tag), Inner(std::move(Inner)) {}
  void add(const DISubprogram *Copy) { Copies.insert(Copy); }

  bool handleDiagnostics(const DiagnosticInfo &DI) override { return isOfCopy(DI) || Inner->handleDiagnostics(DI); }
  bool isAnalysisRemarkEnabled(StringRef Pass) const override { return Inner->isAnalysisRemarkEnabled(Pass); }
  bool isMissedOptRemarkEnabled(StringRef Pass) const override { return Inner->isMissedOptRemarkEnabled(Pass); }
  bool isPassedOptRemarkEnabled(StringRef Pass) const override { return Inner->isPassedOptRemarkEnabled(Pass); }
  bool isAnyRemarkEnabled() const override { return Inner->isAnyRemarkEnabled(); }
};

Once &handlerOf(LLVMContext &Context) {
  const DiagnosticHandler *Now = Context.getDiagHandlerPtr();
  if (Now->DiagnosticContext != &Once::Tag)
    Context.setDiagnosticHandler(std::make_unique<Once>(Context.getDiagnosticHandler()));
  return *static_cast<Once *>(const_cast<DiagnosticHandler *>(Context.getDiagHandlerPtr()));
}

} // namespace

void ipda_say_once(LLVMValueRef Copy_) {
  auto &Copy = *unwrap<Function>(Copy_);
  LLVMContext &Context = Copy.getContext();
  Once &Handler = handlerOf(Context);
  if (const DISubprogram *Subprogram = Copy.getSubprogram())
    Handler.add(Subprogram);
  // Several back edges of one loop have one node.
  DenseMap<const MDNode *, MDNode *> Named;
  for (BasicBlock &BB : Copy) {
    Instruction *End = BB.getTerminator();
    const MDNode *Loop = End ? End->getMetadata(LLVMContext::MD_loop) : nullptr;
    if (!Loop)
      continue;
    MDNode *&Of = Named[Loop];
    if (!Of) {
      SmallVector<Metadata *, 8> Parts{nullptr};
      append_range(Parts, drop_begin(Loop->operands()));
      Parts.push_back(MDNode::get(Context, {MDString::get(Context, OfCopy)}));
      Of = MDNode::getDistinct(Context, Parts);
      Of->replaceOperandWith(0, Of);
    }
    End->setMetadata(LLVMContext::MD_loop, Of);
  }
}
