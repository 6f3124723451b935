// What a module's functions are as machine code. Called from Rust.
#pragma once

#include "shim.h"

extern "C" {

// The machine code of one loop, or what is outside of loops.
struct IpdaMachineLoop {
  size_t function;      // that it is in, by its place among those that were asked for
  uint32_t mark;        // the loop's mark; 0 outside of loops
  double instructions;  // of one run of the body
  double loads;
  double stores;
  double calls;
  const double *cycles; // for each processor; not a number where nothing is known
};

// Generates code for copies of some functions of a module, and calls `each` with each loop of it, or `failed` once with the reason. Loops
// carry marks under the name `key`. The module stays as it is.
void ipda_machine_code(LLVMModuleRef module, const LLVMValueRef *functions, size_t function_count, IpdaStr key,
                       const IpdaStr *processors, size_t processor_count, void *context,
                       void (*each)(void *context, const IpdaMachineLoop *loop),
                       void (*failed)(void *context, IpdaStr reason));
// The same by LLVM's cost model, without generating code.
void ipda_code_cost(LLVMModuleRef module, const LLVMValueRef *functions, size_t function_count, IpdaStr key,
                    const IpdaStr *processors, size_t processor_count, void *context,
                    void (*each)(void *context, const IpdaMachineLoop *loop),
                    void (*failed)(void *context, IpdaStr reason));
}
