// What the compiler says of code that stands in a module twice, is said once.
#pragma once

#include "shim.h"

extern "C" {

// Keeps to itself from now on what passes say of a copy's code, wherever it is moved or inlined to: they say it of the original as well.
// The copy has debug locations of its own, or none.
void ipda_say_once(LLVMValueRef copy);
}
