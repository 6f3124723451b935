#include "marks.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/ProfDataUtils.h"

using namespace llvm;

namespace {

// The value of a property `!{!"key", i32 number}`.
std::optional<unsigned> valueOf(const Metadata *Property, StringRef Key) {
  auto *Node = dyn_cast_or_null<MDNode>(Property);
  if (!Node || Node->getNumOperands() != 2)
    return std::nullopt;
  auto *Name = dyn_cast_or_null<MDString>(Node->getOperand(0));
  auto *Number = mdconst::dyn_extract_or_null<ConstantInt>(Node->getOperand(1));
  if (!Name || Name->getString() != Key || !Number)
    return std::nullopt;
  return static_cast<unsigned>(Number->getZExtValue());
}

} // namespace

std::optional<unsigned> ipda::loopMark(const Instruction &Latch, StringRef Key) {
  if (const MDNode *Loop = Latch.getMetadata(LLVMContext::MD_loop))
    for (const MDOperand &Property : drop_begin(Loop->operands()))
      if (auto Found = valueOf(Property, Key))
        return Found;
  return std::nullopt;
}

void ipda_mark_loop(LLVMValueRef Latch_, IpdaStr Key_, uint32_t Number) {
  auto &Latch = *unwrap<Instruction>(Latch_);
  const StringRef Key(Key_.data, Key_.len);
  LLVMContext &Context = Latch.getContext();
  SmallVector<Metadata *, 8> Parts{nullptr};
  if (const MDNode *Loop = Latch.getMetadata(LLVMContext::MD_loop))
    for (const MDOperand &Property : drop_begin(Loop->operands()))
      if (!valueOf(Property, Key))
        Parts.push_back(Property);
  auto *Value_ = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(Context), Number));
  Parts.push_back(MDNode::get(Context, {MDString::get(Context, Key), Value_}));
  MDNode *Loop = MDNode::getDistinct(Context, Parts);
  Loop->replaceOperandWith(0, Loop);
  Latch.setMetadata(LLVMContext::MD_loop, Loop);
}

void ipda_unmark_loops(LLVMModuleRef Module_, IpdaStr Keys_) {
  const StringRef Keys(Keys_.data, Keys_.len);
  auto IsMark = [&](const Metadata *Property) {
    auto *Node = dyn_cast_or_null<MDNode>(Property);
    auto *Name = Node && Node->getNumOperands() == 2 ? dyn_cast_or_null<MDString>(Node->getOperand(0)) : nullptr;
    return Name && Name->getString().starts_with(Keys);
  };
  // Several back edges of one loop have one node.
  DenseMap<const MDNode *, MDNode *> Without;
  for (Function &F : *unwrap(Module_))
    for (BasicBlock &BB : F) {
      Instruction *End = BB.getTerminator();
      MDNode *Loop = End ? End->getMetadata(LLVMContext::MD_loop) : nullptr;
      if (!Loop || none_of(drop_begin(Loop->operands()), IsMark))
        continue;
      auto [At, IsNew] = Without.try_emplace(Loop, nullptr);
      if (IsNew) {
        SmallVector<Metadata *, 8> Parts{nullptr};
        for (const MDOperand &Property : drop_begin(Loop->operands()))
          if (!IsMark(Property))
            Parts.push_back(Property);
        if (Parts.size() > 1) {
          At->second = MDNode::getDistinct(F.getContext(), Parts);
          At->second->replaceOperandWith(0, At->second);
        }
      }
      End->setMetadata(LLVMContext::MD_loop, At->second);
    }
}

bool ipda_loop_mark(LLVMValueRef Latch, IpdaStr Key, uint32_t *Number) {
  auto Found = ipda::loopMark(*unwrap<Instruction>(Latch), StringRef(Key.data, Key.len));
  if (Found)
    *Number = *Found;
  return Found.has_value();
}

void ipda_expect_first(LLVMValueRef Branch) {
  auto &End = *unwrap<Instruction>(Branch);
  End.setMetadata(LLVMContext::MD_prof, MDBuilder(End.getContext()).createLikelyBranchWeights());
}

bool ipda_branch_weights(LLVMValueRef Terminator, uint32_t *Weights, size_t Count) {
  SmallVector<uint32_t, 4> Found;
  if (!extractBranchWeights(*unwrap<Instruction>(Terminator), Found) || Found.size() != Count)
    return false;
  copy(Found, Weights);
  return true;
}
