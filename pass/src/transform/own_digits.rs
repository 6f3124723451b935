//! Digits of iteration numbers that a thread runs through by itself, in loops around the one iteration that its number gives.
//!
//! ```text
//! i/8 j | i%8      for x in threads 0..ceil(n/8)*m: for d in 0..8: if 8*(x / m) + d < n: body(8*(x / m) + d, x % m)
//! ```
//!
//! So a thread has a block of iterations (`i/8 | i%8`), or every so manieth (`i%rest | i/rest`): Vanderbruggen et al., "Directive-Based Tile Abstraction to
//! Distribute Loops on Accelerators" (GPGPU-10, 2017), generate loops for tiles in this way. Numbers that have no iteration are skipped.

use crate::openmp::{NUMBER_OF_TEAMS, SIZE_OF_TEAM};
use ipda_llvm::{Code, Opcode, Value, integer};
use ipda_symbolic::{Count, Given, Mapping, Part, Signedness, Size};
use llvm_sys::LLVMIntPredicate;

/// The parts inside that are no loops of the code as it is, outermost first, where the `digits` outermost loops are digits of the shared loop's number. The
/// loops behind them stay in their places.
pub(super) fn own_digits(mapping: &Mapping, digits: usize) -> &[Part] {
    let inside = mapping.inside();
    let mut own = inside.len();
    while let Some(part) = own.checked_sub(1).map(|at| &inside[at]) {
        let is_before_next = inside.get(own).is_none_or(|next| part.of < next.of);
        if !is_only_part(mapping, part) || part.of < digits || !is_before_next {
            break;
        }
        own -= 1;
    }
    &inside[..own]
}

/// Whether a part is all of its loop: the lowest digit may be the rest, too.
fn is_only_part(mapping: &Mapping, part: &Part) -> bool {
    mapping.threads().iter().chain(mapping.inside()).filter(|other| other.of == part.of).count() == 1
}

/// The loops that the code has no more: each runs the iteration that its digits give. Outermost first.
pub(super) fn replaced(mapping: &Mapping, digits: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..digits).chain(mapping.fused()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Why no code is made for the parts inside of a mapping of loops with these names; none where it is.
pub(super) fn objection(mapping: &Mapping, digits: usize, names: &[&str]) -> Option<String> {
    let replaced = replaced(mapping, digits);
    let own = own_digits(mapping, digits);
    let stays = own.iter().find(|part| !replaced.contains(&part.of))?;
    let name = names[stays.of];
    if !is_only_part(mapping, stays) {
        return Some(format!("no digit of {name} makes the number of a thread: such loops stay as they are"));
    }
    let place = own.iter().position(|part| part == stays).unwrap_or(0);
    let inside = own[place..].iter().find(|part| replaced.contains(&part.of));
    Some(match inside {
        Some(digit) => {
            format!(
                "{name} would run outside of a digit of {}: such digits run outside of whole loops",
                names[digit.of]
            )
        }
        None => format!("{name} would change places with a loop that runs inside of a thread, too"),
    })
}

/// How many iterations of each fused loop a thread has, where they are a tile as OpenMP's `tile` makes it: of neighbouring iterations of the outermost
/// loops, in their order. Empty of all other mappings.
pub(super) fn tile(mapping: &Mapping, digits: usize) -> Vec<u32> {
    let is_known = |part: &&Part| part.count == Count::Rest && part.size.as_known().is_some();
    let fused: Vec<usize> = mapping.fused().collect();
    let keeps_order = digits == 1 && fused.iter().copied().eq(0..fused.len());
    if !mapping.threads().iter().all(|part| is_known(&part)) || fused.len() != mapping.threads().len() || !keeps_order {
        return Vec::new();
    }
    let sizes: Vec<u32> = mapping.threads().iter().filter_map(|part| part.size.as_known()).collect();
    let tiled = fused.iter().zip(&sizes).filter(|(_, size)| **size > 1);
    let wanted = tiled.map(|(of, size)| Part { of: *of, size: Size::ONE, count: Count::Const(*size) });
    let is_it = own_digits(mapping, digits).iter().copied().eq(wanted);
    if is_it && sizes.iter().any(|size| *size > 1) { sizes } else { Vec::new() }
}

/// How many values digits have, and how many iterations lie between two of them, as code.
pub(super) struct Numbers<'a> {
    pub here: &'a Code,
    pub mapping: &'a Mapping,
    /// How often loops run.
    pub trips: &'a [(usize, Value)],
}

impl Numbers<'_> {
    /// How many values a loop's rest has: none of a loop of which it is not known how often it runs.
    fn rest(&self, of: usize, like: Value) -> Option<Value> {
        let (_, trips) = self.trips.iter().find(|(at, _)| *at == of)?;
        let (known, given) = self.mapping.others(of)?;
        let trips = self.here.resize(*trips, like.ty(), Signedness::Unsigned);
        if given.is_empty() {
            return Some(tiles(self.here, trips, known));
        }
        let number = |number: u64| Value::int_of(like.ty(), number);
        let mut others = number(known.into());
        for given in given {
            let launched = self.here.resize(launched(self.here, given)?, like.ty(), Signedness::Unsigned);
            others = self.here.binary(Opcode::LLVMMul, others, launched);
        }
        // Where the guard does not hold it may be anything, and is divided by in vain.
        let is_none = self.here.compare(LLVMIntPredicate::LLVMIntEQ, others, number(0));
        let others = self.here.select(is_none, number(1), others);
        let more = self.here.binary(Opcode::LLVMSub, others, number(1));
        Some(self.here.binary(Opcode::LLVMUDiv, self.here.binary(Opcode::LLVMAdd, trips, more), others))
    }

    /// How many values a digit has, as a number like another one.
    pub(super) fn count(&self, part: &Part, like: Value) -> Option<Value> {
        match part.count {
            Count::Const(count) => Some(Value::int_of(like.ty(), count.into())),
            Count::Rest => self.rest(part.of, like),
            Count::Given(given) => Some(self.here.resize(launched(self.here, given)?, like.ty(), Signedness::Unsigned)),
        }
    }

    /// The digit's weight.
    pub(super) fn size(&self, part: &Part, like: Value) -> Option<Value> {
        if let Some(known) = part.size.as_known() {
            return Some(Value::int_of(like.ty(), known.into()));
        }
        let is_lower = |other: &&Part| other.of == part.of && other.size < part.size;
        let lower = self.mapping.threads().iter().chain(self.mapping.inside()).filter(is_lower);
        let counts = lower.map(|other| self.count(other, like)).collect::<Option<Vec<_>>>()?;
        counts.into_iter().reduce(|all, count| self.here.binary(Opcode::LLVMMul, all, count))
    }

    /// How many numbers of threads the digits of a loop make; none of a loop without such.
    pub(super) fn of_threads(&self, of: usize, like: Value) -> Option<Value> {
        let parts = self.mapping.threads().iter().filter(|part| part.of == of);
        let counts = parts.map(|part| self.count(part, like)).collect::<Option<Vec<_>>>()?;
        counts.into_iter().reduce(|all, count| self.here.binary(Opcode::LLVMMul, all, count))
    }
}

/// A number of teams or threads of a launch for NVIDIA's GPUs, in 64 bits; none of others, which it does not have.
pub(super) fn launched(here: &Code, given: Given) -> Option<Value> {
    let register = |name: &str| {
        let value = here.intrinsic(name, &[]);
        here.resize(value, integer(value, 64), Signedness::Unsigned)
    };
    match given {
        Given::Gang(0) => Some(register(NUMBER_OF_TEAMS)),
        Given::Worker(0) => Some(register(SIZE_OF_TEAM)),
        Given::Thread => Some(here.binary(Opcode::LLVMMul, register(NUMBER_OF_TEAMS), register(SIZE_OF_TEAM))),
        Given::Gang(_) | Given::Worker(_) | Given::Length(_) => None,
    }
}

/// The numbers of teams and threads that a mapping's digits have as counts, each once.
pub(super) fn given(mapping: &Mapping) -> Vec<Given> {
    let mut all: Vec<Given> = Vec::new();
    for part in mapping.threads().iter().chain(mapping.inside()) {
        if let Count::Given(given) = part.count
            && !all.contains(&given)
        {
            all.push(given);
        }
    }
    all
}

/// Whether it is something else than an order of loops with or without tiles of lanes.
pub(super) fn is_of_digits(mapping: &Mapping, digits: usize) -> bool {
    mapping.lanes().is_none() || !own_digits(mapping, digits).is_empty()
}

/// How many tiles of so many iterations a loop has that runs so often: the last one may have fewer.
pub(super) fn tiles(here: &Code, trips: Value, tile: u32) -> Value {
    if tile == 1 {
        return trips;
    }
    let [more, tile] = [tile - 1, tile].map(|number| Value::int_of(trips.ty(), number.into()));
    here.binary(Opcode::LLVMUDiv, here.binary(Opcode::LLVMAdd, trips, more), tile)
}
