// What the compiler says of code that stands in a module twice, is said once.
#pragma once

#include "shim.h"

extern "C" {

// Keeps to itself from now on what passes say of the loops in copies of blocks, wherever they are moved or inlined to: they say it of the original
// ones as well.
void ipda_say_once(const LLVMBasicBlockRef *Copies, size_t Count);
}
