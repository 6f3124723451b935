// What the search for different allocations asks of a module of its own: memory to registers, and steps of addresses.
#include "shim.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace {

void promote(Function &F) {
  SmallVector<AllocaInst *, 32> Variables;
  for (;;) {
    Variables.clear();
    for (Instruction &I : F.getEntryBlock())
      if (auto *Variable = dyn_cast<AllocaInst>(&I); Variable && isAllocaPromotable(Variable))
        Variables.push_back(Variable);
    if (Variables.empty())
      return;
    DominatorTree Tree(F);
    PromoteMemToReg(Variables, Tree);
  }
}

} // namespace

void ipda_promote_all(LLVMModuleRef Module_) {
  for (Function &F : *unwrap(Module_))
    if (!F.isDeclaration())
      promote(F);
}

bool ipda_constant_step(LLVMValueRef Address, int64_t *Bytes) {
  auto *Step = cast<GEPOperator>(unwrap(Address));
  if (!Step->getType()->isPointerTy())
    return false;
  const Module *Around = nullptr;
  if (auto *I = dyn_cast<Instruction>(Step))
    Around = I->getModule();
  else if (auto *Variable = dyn_cast<GlobalValue>(Step->getPointerOperand()->stripInBoundsConstantOffsets()))
    Around = Variable->getParent();
  if (!Around)
    return false;
  const DataLayout &Layout = Around->getDataLayout();
  APInt Distance(Layout.getIndexTypeSizeInBits(Step->getType()), 0);
  if (!Step->accumulateConstantOffset(Layout, Distance) || Distance.getSignificantBits() > 32)
    return false;
  *Bytes = Distance.getSExtValue();
  return true;
}
