// Numbers that loops carry through the optimiser, as properties that no pass knows.
#pragma once

#include "shim.h"

#include "llvm/IR/Instructions.h"

#include <optional>

namespace ipda {
// The number that the loop with this back edge carries under a name.
std::optional<unsigned> loopMark(const llvm::Instruction &Latch, llvm::StringRef Key);
} // namespace ipda

extern "C" {

// Gives the loop with this back edge a number under a name, in place of one that it has.
void ipda_mark_loop(LLVMValueRef latch, IpdaStr key, uint32_t number);
// Takes all numbers under names with this beginning from a module's loops.
void ipda_unmark_loops(LLVMModuleRef module, IpdaStr keys);
// The number that it carries under that name.
bool ipda_loop_mark(LLVMValueRef latch, IpdaStr key, uint32_t *number);
// Says of a branch that control nearly always goes to its first successor.
void ipda_expect_first(LLVMValueRef branch);
// How much of a branch's or switch's control goes to each successor, by its profile; false where that is not known.
bool ipda_branch_weights(LLVMValueRef terminator, uint32_t *weights, size_t count);
}
