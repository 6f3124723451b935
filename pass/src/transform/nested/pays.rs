//! Whether a nest is faster than the one loop over the product.
//!
//! Measured (docs/research/host-nests.md): a row costs some nanoseconds, a division of each iteration as much, and a loop that does not divide is vectorised
//! where its strides are small. But where all addresses go by the number alone, as in `a[i * m + j]` with j to m, the divisions cancel
//! out, and one long loop is better than many short ones. LLVM's own simplification says what is left of them.

use super::find::{place_of, shared_loops};
use ipda_llvm::{Cfg, FunctionCopy, Opcode, Session, Value};
use rustc_hash::FxHashSet;

/// A row of a known length that is shorter costs more than the division by that length, which is a multiplication.
const SHORTEST: i64 = 8;

/// Likewise where the length is a power of two, by which division is a shift.
const SHORTEST_POWER: i64 = 32;

/// Values computed of one number beyond which nothing is asked: then some will need the divisions.
const MAX_VALUES: usize = 2000;

/// What a nest does without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gain {
    Nothing,
    Divisions,
}

/// For each shared loop of a function, by the place of its call.
pub(super) fn with_nests(session: Session, function: Value) -> Vec<(usize, Gain)> {
    let mut copy = FunctionCopy::new(session, function);
    copy.canonicalise();
    copy.simplify();
    let cfg = Cfg::new(copy.function());
    shared_loops(&cfg).iter().map(|shared| (place_of(shared.call), gain(&copy, shared.phi))).collect()
}

/// Whether a row of this length is too short to be a loop.
pub(super) fn is_short(extent: Value) -> bool {
    extent.as_int().is_some_and(|length| {
        let power = length.count_ones() == 1;
        length < if power { SHORTEST_POWER } else { SHORTEST }
    })
}

/// Whether anything but arithmetic uses a value that is computed of a number by division.
fn gain(copy: &FunctionCopy, number: Value) -> Gain {
    let header = number.block();
    let mut known: FxHashSet<Value> = FxHashSet::default();
    let mut open = vec![number];
    while let Some(value) = open.pop() {
        let (on, used): (Vec<Value>, Vec<Value>) = value.users().into_iter().partition(|&user| hands_on(user));
        if !used.is_empty() && value != number && copy.needs_division(value, header) || known.len() > MAX_VALUES {
            return Gain::Divisions;
        }
        open.extend(on.into_iter().filter(|&user| known.insert(user)));
    }
    Gain::Nothing
}

fn hands_on(user: Value) -> bool {
    matches!(
        user.opcode(),
        Some(
            Opcode::LLVMAdd
                | Opcode::LLVMSub
                | Opcode::LLVMMul
                | Opcode::LLVMUDiv
                | Opcode::LLVMSDiv
                | Opcode::LLVMURem
                | Opcode::LLVMSRem
                | Opcode::LLVMShl
                | Opcode::LLVMLShr
                | Opcode::LLVMAnd
                | Opcode::LLVMTrunc
                | Opcode::LLVMSExt
                | Opcode::LLVMZExt
                | Opcode::LLVMGetElementPtr
        )
    )
}
