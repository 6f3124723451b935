// Copies of functions' bodies, for analysis only: faster than LLVM's, which keep track of much that such copies do without.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"

namespace ipda {

// How many instructions a function has, debug intrinsics left aside.
size_t instructionCount(const llvm::Function &F);

// What is stored, as a load of another type finds it at the same address; bits that were not stored are 0.
llvm::Value *convert(llvm::IRBuilderBase &Builder, llvm::Value *Stored, llvm::Type *Wanted, const llvm::DataLayout &Layout);

// Whether values of a type can be stored as one type and read as another.
bool isConvertible(llvm::Type *Ty, const llvm::DataLayout &Layout);

// Fills an empty function of the same type with the body of another. Local variables that are written once, before all that reads
// them, become registers.
void copyBody(llvm::Function &From, llvm::Function &To);

// Replaces a call by the callee's body, likewise. Appends the calls in it, but those of intrinsics, in program order. Changes nothing and
// returns false where the body or the call has something rare, which LLVM's inliner knows better.
bool inlineBody(llvm::CallBase &Call, llvm::SmallVectorImpl<llvm::CallBase *> &Calls);

} // namespace ipda
