// What LLVM's C interface lacks and the plugin needs. Called from Rust on one thread, with values of the module at hand.
#pragma once

#include "llvm/IR/Module.h"

#include "llvm-c/Core.h"

#include <cstddef>
#include <cstdint>

extern "C" {

// Characters that somebody else owns.
struct IpdaStr {
  const char *data;
  size_t len;
};

// A place in the source. line == 0: none.
struct IpdaLocation {
  IpdaStr directory;
  IpdaStr file;
  uint32_t line;
  uint32_t column;
};

// Analysis managers of the running pipeline; opaque to Rust.
typedef struct IpdaSession *IpdaSessionRef;

// A remark by the flag that shows it.
enum IpdaRemarkKind : uint32_t {
  IpdaRemarkMissed = 0,   // -Rpass-missed=ipda
  IpdaRemarkAnalysis = 1, // -Rpass-analysis=ipda
  IpdaRemarkPassed = 2,   // -Rpass=ipda
};

// Why the plugin runs.
enum IpdaRunKind : uint32_t {
  IpdaRunStart = 0, // at the start of clang's pipeline
  IpdaRunLast = 1,  // at the end of clang's optimisation pipeline
  IpdaRunPrint = 2, // as -passes='print<ipda>'
  IpdaRunGraph = 3, // as -passes='print<ipda-ddg>'
  IpdaRunDot = 4,   // as -passes='print<ipda-ddg-dot>'
  IpdaRunModel = 5, // as -passes='print<ipda-model>'
  IpdaRunAlone = 6, // as -passes=ipda
  IpdaRunTable = 7, // as -passes='print<ipda-table>'
  IpdaRunEarly = 8, // where clang's pipeline begins to simplify, behind OpenMP's own optimisation
};

// What is implemented in Rust.
struct IpdaCallbacks {
  bool (*run)(IpdaSessionRef session, LLVMModuleRef module, uint32_t kind, IpdaStr parameters);
  // Tells the user what is wrong with pass parameters, if anything is.
  bool (*check_parameters)(IpdaStr parameters);
};

// Adds the plugin's passes to a llvm::PassBuilder.
void ipda_register_callbacks(void *pass_builder, IpdaCallbacks callbacks);

// Calls `each` once with a session for `module` outside of any pipeline.
void ipda_with_session(LLVMModuleRef module, void *context, void (*each)(void *context, IpdaSessionRef session));

// Notes that a parameter of a function chooses between two ways through it.
void ipda_note_choice(LLVMValueRef Function, unsigned Parameter);
// Lets a function stay one, whatever was noted of it.
void ipda_forget_choice(LLVMValueRef Function);
// Makes two functions of each of which this is noted and that is called in one place, one for each choice. Whether there was one.
bool ipda_part_choices(LLVMModuleRef Module);
// A function that nothing uses, with what is noted of it as a kernel.
void ipda_erase_function(LLVMValueRef Function);
// Removes the cases of a switch but those for these numbers, which are sign-extended.
void ipda_keep_cases(LLVMValueRef Switch, const int64_t *Numbers, size_t Count);
// Lets an instruction without users run only where a condition holds that is known before it.
void ipda_run_if(LLVMValueRef Instruction, LLVMValueRef Condition);
bool ipda_skip_unless(LLVMValueRef Counter, LLVMValueRef Condition);
// Lets an iteration of the loop that counts by a phi, from the first of some numbers on, run in loops that count these up to their counts, the first one
// outermost; each time, what is behind a condition only where that holds, if there is one: it is computed in the block of the numbers. These are placeholders,
// one behind the other, and are replaced. False, and nothing has changed, where that could not be done.
bool ipda_repeat(LLVMValueRef Counter, const LLVMValueRef *Numbers, const LLVMValueRef *Counts, size_t Count, LLVMValueRef Condition);
// Copies the blocks of a loop, its header first, which is entered from one block: where a number is not 0, that leads to the loop, else to the copies,
// which are left in `Copies`. False where what they compute is used elsewhere: nothing has changed then.
bool ipda_choose_copy(const LLVMBasicBlockRef *Blocks, size_t Count, LLVMValueRef Number, LLVMBasicBlockRef *Copies);

// A copy of `function` in the same module, without a name, for analysis only: not optnone, no debug subprogram.
LLVMValueRef ipda_clone_function(LLVMValueRef function);
// A copy of `function` to run: internal, with that suffix to its name, with its debug information, and with `extra` more parameters of 64 bits.
LLVMValueRef ipda_clone_to_run(LLVMValueRef function, unsigned extra, IpdaStr suffix);
// Tells a block's phis that control comes from another block than before.
void ipda_replace_predecessor(LLVMBasicBlockRef block, LLVMBasicBlockRef before, LLVMBasicBlockRef now);
// An unnamed function that does nothing but such a call of a runtime function that starts code: its parameters are what follows the first
// three arguments, which are constants or taken as 0.
LLVMValueRef ipda_function_around(LLVMValueRef call);
// Removes a copy again.
void ipda_discard_function(IpdaSessionRef session, LLVMValueRef function);
// How many instructions a function has.
size_t ipda_instruction_count(LLVMValueRef function);
// Replaces a direct call by a copy of the callee's body; false where LLVM refuses. Parameters that are marked as leading to memory to which nothing
// else leads are believed to, or not. Calls `each` with every call in the copied body, in program order, but those of intrinsics.
bool ipda_inline_call(LLVMValueRef call, bool believe_noalias, void *context,
                      void (*each)(void *context, LLVMValueRef call));
// The same in code that will run, unless the program forbids it, or promises of the callee's parameters that nothing else leads to what they lead to.
bool ipda_inline_to_run(LLVMValueRef call, void *context, void (*each)(void *context, LLVMValueRef call));
// Fills in the pointers that a local array, which `call` is given, holds, and removes the array from the function and from the call's arguments.
// False, and nothing done, unless each pointer was stored once, in the block of the call and before it, and nothing else is done with
// the array.
bool ipda_take_pointers(LLVMValueRef call, LLVMValueRef array, LLVMValueRef *pointers, size_t count);
// Memory to registers, in all functions of a module that nobody else works on.
void ipda_promote_all(LLVMModuleRef module);
// By how many bytes an element's address lies behind its base, where that is a constant of at most 32 bits.
bool ipda_constant_step(LLVMValueRef address, int64_t *bytes);
// Memory to registers.
void ipda_promote(IpdaSessionRef session, LLVMValueRef function);
// Memory to registers, redundant loads removed, simplified control flow and loops in simplified form. Whether stores were taken away that
// write what is there: other code than this still has them.
bool ipda_canonicalise(IpdaSessionRef session, LLVMValueRef function);
// Removes what `ipda_canonicalise` noted at phis, in code that will run.
void ipda_forget_counters(LLVMValueRef function);
// Simplified arithmetic, as LLVM's pipeline will do it later; `function` is in canonical form.
void ipda_simplify(IpdaSessionRef session, LLVMValueRef function);
// Whether a value that the loop with this header computes needs a division there, as far as LLVM's algebra of loops can tell: in
// x / n * n + (x - x / n * n) they cancel out.
bool ipda_needs_division(IpdaSessionRef session, LLVMValueRef value, LLVMBasicBlockRef header);

// Whether an instruction of the blocks, other than those of `except`, may write what `reader`, a load or a block copy, reads. The reader's
// address is taken to be the same throughout the blocks.
bool ipda_may_be_written(IpdaSessionRef session, LLVMValueRef reader, const LLVMBasicBlockRef *blocks, size_t count,
                         const LLVMValueRef *except, size_t except_count);

// What LLVM knows of the memory that a call of a function of C's library touches, as the number of the attribute `memory`. False where it knows of
// no such function by that name and type, or the code is compiled without knowing of it.
bool ipda_library_effects(LLVMValueRef call, uint64_t *effects);

// Whether the types of two accesses say that they never meet in memory (strict aliasing).
bool ipda_types_differ(LLVMValueRef first, LLVMValueRef second);

// How memory got the content that a load or block copy finds there.
enum IpdaWriteKind : uint32_t {
  IpdaWriteNone = 0,        // nothing in the function wrote it
  IpdaWriteInstruction = 1, // `instruction` may have been the last to write it
  IpdaWriteMerge = 2,       // on different ways into `block`, different instructions
};
struct IpdaWrite {
  uint32_t kind;
  LLVMValueRef instruction;
  LLVMBasicBlockRef block;
};

// The last write of what `reader`, a load or a block copy, reads: before the reader; before `past`, unless that is null; or, unless
// `merge` is null, before control comes to that block from the block `from`, where the answer was IpdaWriteMerge of it. What is found
// dominates the place that is looked from. Along the back edge of a loop, any write to the same object counts. False where nothing is known.
bool ipda_last_write(IpdaSessionRef session, LLVMValueRef reader, LLVMValueRef past, LLVMBasicBlockRef merge,
                     LLVMBasicBlockRef from, IpdaWrite *out);

// A source variable that a value holds.
struct IpdaVariable {
  IpdaStr name;
  uint32_t depth;     // inlined calls around the variable's scope
  bool artificial;    // made by the compiler
  const void *scope;  // the variable's scope, as an identity
  const void *type;   // the variable's type, for ipda_member
};

// The source variables that `function`'s values hold, in program order.
void ipda_variables(LLVMValueRef function, void *context,
                    void (*each)(void *context, LLVMValueRef value, const IpdaVariable *variable));
// Whether the type of a variable is a reference.
bool ipda_is_reference(const void *type);
// The member that lies `offset` bytes into what a pointer or structure type leads to: its name (with those of the structures around it)
// and its type.
bool ipda_member(const void *type, uint64_t offset, void *context, void (*each)(void *context, IpdaStr name, const void *type));

// The loop variable that a phi is, if `ipda_canonicalise` found one in the debug information.
bool ipda_counter_name(LLVMValueRef phi, IpdaStr *out);
// All loop variables that clang computes from the number that a phi is, outermost first, if `ipda_canonicalise` found them there.
void ipda_counters(LLVMValueRef phi, void *context, void (*each)(void *context, IpdaStr name));

// Where an instruction comes from: the innermost place that is not in a system header.
bool ipda_location(LLVMValueRef instruction, IpdaLocation *out);
// A place that an instruction comes from.
struct IpdaPlace {
  IpdaLocation at;
  IpdaStr function; // the one that the place lies in, as the linker knows it
  bool system;      // in a system header
};
// The places of an instruction: its own, then those of the calls that were inlined around it, from the inside to the outside.
void ipda_places(LLVMValueRef instruction, void *context, void (*each)(void *context, const IpdaPlace *place));
// Where a loop begins, from the metadata of its back edge.
bool ipda_loop_location(LLVMValueRef terminator, IpdaLocation *out);
// Where a function begins.
bool ipda_function_location(LLVMValueRef function, IpdaLocation *out);
// What attributes and metadata say of an integer argument's or instruction's value: its minimum and maximum, read with a sign or without
// one. False where they say nothing, or it has more than 64 bits.
bool ipda_range(LLVMValueRef value, uint32_t reading, uint64_t *min, uint64_t *max);
enum IpdaReading : uint32_t { IpdaReadingSigned = 0, IpdaReadingUnsigned = 1 };
// The team's extents in x, y and z that a kernel's metadata asks for.
bool ipda_required_team_shape(LLVMValueRef function, uint32_t *out);
// The name of a C++ function without its mangling and parameters.
void ipda_demangle(IpdaStr mangled, void *context, void (*each)(void *context, IpdaStr name));

// Whether somebody listens to remarks of this kind.
bool ipda_remarks_enabled(LLVMModuleRef module, uint32_t kind);
// Emits a remark for `function`.
void ipda_emit_remark(LLVMValueRef function, uint32_t kind, IpdaStr name, IpdaStr text, const IpdaLocation *where,
                      bool only_recorded);
// Warns the user by the compiler's own channel.
/// Gives a constant other bytes, of any number.
void ipda_replace_bytes(LLVMValueRef global, IpdaStr bytes);
void ipda_warn(LLVMModuleRef module, IpdaStr text);
}
