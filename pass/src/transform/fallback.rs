//! Loops as they were written, behind a guard that mostly holds. What they need in registers, the kernel needs however rarely they run; so they
//! are not unrolled where the compiler has not already taken them apart, by LLVM or by ptxas.
//!
//! ```text
//! if guard: changed loops, else: for i: x[i] += ..                  which is unrolled, and takes the registers of several iterations
//! if guard: changed loops, else: for i: x[i] += .. (not unrolled)
//! ```
//!
//! The reason is a measurement (docs/research/registers.md): registers of a kernel are those of its hungriest part.

use inkwell::module::Module;
use ipda_llvm::{Block, Value};

const MARK: &str = "ipda.fallback";
/// Says that a loop is not to be unrolled whose count is found only when it runs; that it is not to be unrolled at all.
const UNROLLED_IF_KNOWN: &str = "llvm.loop.unroll.runtime.disable";
pub(super) const NOT_UNROLLED: &str = "llvm.loop.unroll.disable";

/// Marks the loops of some blocks.
pub(super) fn mark(blocks: &[Block]) {
    let ends = blocks.iter().filter_map(|block| block.terminator());
    for branch in ends.filter(|value| value.has_loop_properties()) {
        [MARK, UNROLLED_IF_KNOWN].into_iter().for_each(|name| branch.add_loop_property(name));
    }
}

/// After optimisation, which unrolls the loops whose counts it knows, keeps the marked ones from being unrolled.
pub(crate) fn keep_small(module: &Module<'_>) {
    for function in module.get_functions() {
        for branch in Value::of(&function).instructions().filter(|value| value.has_loop_property(MARK)) {
            branch.add_loop_property(NOT_UNROLLED);
        }
    }
}
