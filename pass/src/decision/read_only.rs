//! What launches map to and from the device though their kernels never write it, which need not be copied back, or overwrite it entirely, which need not
//! be brought.
//!
//! ```text
//! map(tofrom: x[0:n]), which the kernel never writes:              launched as map(to: x[0:n])
//! map(tofrom: y[0:n]), of which the kernel overwrites all bytes:   launched as map(from: y[0:n])
//! ```
//!
//! A result rests on this: a kernel that writes what the device's compilation says it never writes would lose that. What remains to be asked when the
//! program runs, and why it suffices, stands with the code that asks (`__ipda_map_types` in `support/decide.c`).

use super::support::{self, Support};
use crate::analysis::maps;
use crate::analysis::written::Use;
use crate::facts::{self, DeviceImage};
use crate::openmp::{self, Launch, map_type};
use crate::transform::Sum;
use crate::transform::overwritten::{MAX_LOOPS, Overwritten};
use inkwell::module::Module;
use ipda_llvm::{Code, DataLayout, Type, Value, constant, integer};
use ipda_models::report::{Map, Region};
use ipda_symbolic::Signedness;
use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE};
use llvm_sys::LLVMOpcode::LLVMAnd;
use std::collections::BTreeMap;

/// Entries of a launch beyond which it is left as it is: it keeps as many types in its frame.
const MAX_ENTRIES: usize = 256;

/// Bytes from the start of the launch's structure to the pointers to its entries' values and to its map types.
const VALUES: u64 = 8;
const TYPES: u64 = 32;

/// Numbers of 64 bits that describe one store: whether the others are known, its entry, its bytes, where it starts, how many loops are around it, and
/// two of each (`struct ipda_store` in `support/decide.c`).
const STORE: usize = 5 + 2 * MAX_LOOPS;

/// The entries of a kernel's launches whose memory it never writes or overwrites, and which are mapped to and from the device. Each entry is the
/// captured variable of the same number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReadOnly {
    /// Those that it never writes, in ascending order.
    pub entries: Vec<u32>,
    /// What it overwrites, if the launch's numbers say so.
    pub overwritten: Vec<Overwritten>,
    /// All entries of a launch.
    count: usize,
}

/// By kernel what its launches need not copy back, where all of them show the same maps.
pub(crate) fn find(module: &Module<'_>, images: &[DeviceImage]) -> BTreeMap<String, ReadOnly> {
    let mut found: BTreeMap<String, Option<ReadOnly>> = BTreeMap::new();
    let Some(runtime) = module.get_function("__tgt_target_kernel") else { return BTreeMap::new() };
    // Memory that host and device share is not copied, and private copies of it would be.
    if openmp::requires_shared_memory(module)
        || !support::is_known_host(module)
        || !DataLayout::of(module).is_little_endian_with_64_bits()
    {
        return BTreeMap::new();
    }
    for launch in Value::of(&runtime).users().into_iter().filter_map(Launch::decode) {
        let Some(kernel) = launch.kernel() else { continue };
        let overwritten = facts::common_overwritten(images, &kernel);
        let own = facts::common_uses(images, &kernel).and_then(|uses| of_launch(launch, uses, overwritten));
        found
            .entry(kernel)
            .and_modify(|known| *known = known.take().filter(|known| Some(known) == own.as_ref()))
            .or_insert(own);
    }
    found.into_iter().filter_map(|(kernel, found)| Some((kernel, found?))).collect()
}

fn of_launch(launch: Launch, uses: &[Use], overwritten: &[Overwritten]) -> Option<ReadOnly> {
    const MAP_TYPES: i64 = 5;
    const FLAGS: i64 = 9;
    let [types] = launch.fillers(MAP_TYPES)[..] else { return None };
    let types = maps::base(types);
    // One that does not wait may read its types when the function that holds them is left.
    let waits = launch.fillers(FLAGS);
    let waits = !waits.is_empty() && waits.iter().all(|flags| flags.is_null());
    if !waits || launch.has_mappers() || !types.is_constant_global() {
        return None;
    }
    let types = types.initializer()?;
    let mut flags = Vec::new();
    while let Some(element) = types.aggregate_element(flags.len() as u32) {
        flags.push(element.as_int()? as u64);
        if flags.len() > MAX_ENTRIES {
            return None;
        }
    }
    of_flags(&flags, uses, overwritten)
}

/// Which entries may stay on the device or need not be brought, by the types of all.
fn of_flags(flags: &[u64], uses: &[Use], overwritten: &[Overwritten]) -> Option<ReadOnly> {
    // Members, pointers that lead to what is mapped, and the modifiers of clauses ask for more than a copy of a section.
    if flags.len() != uses.len() || !flags.iter().all(|&flags| is_plain(flags)) {
        return None;
    }
    let is_both =
        |flags: u64| flags & !map_type::IMPLICIT == map_type::TARGET_PARAMETER | map_type::TO | map_type::FROM;
    let all = (0..).zip(flags.iter().zip(uses));
    let entries: Vec<u32> =
        all.filter(|(_, (flags, found))| is_both(**flags) && **found == Use::NeverWritten).map(|(at, _)| at).collect();
    // The kernel's parameters begin with the runtime's own, and what a sum takes must be in the launch.
    let is_literal =
        |param: usize| param > 0 && flags.get(param - 1).is_some_and(|flags| flags & map_type::LITERAL != 0);
    let is_given = |sum: &Sum| sum.given().iter().all(|given| !given.is_pointer && is_literal(given.param));
    let may_be = |store: &&Overwritten| {
        store.loops.len() <= MAX_LOOPS
            && flags.get(store.capture).is_some_and(|flags| is_both(*flags))
            && uses.get(store.capture) == Some(&Use::MayBeWritten)
            && store.sums().all(is_given)
    };
    let overwritten: Vec<Overwritten> = overwritten.iter().filter(may_be).cloned().collect();
    let has_any = !entries.is_empty() || !overwritten.is_empty();
    has_any.then_some(ReadOnly { entries, overwritten, count: flags.len() })
}

/// Whether an entry is a captured variable by its value, a private copy of one, or a section that is copied there, back, both or neither.
fn is_plain(flags: u64) -> bool {
    use map_type::{FROM, IMPLICIT, LITERAL, PRIVATE, TARGET_PARAMETER, TO};
    let is_captured = flags & TARGET_PARAMETER != 0;
    let kind = flags & !(TARGET_PARAMETER | IMPLICIT);
    is_captured && (kind == LITERAL || kind == PRIVATE | TO || kind & !(TO | FROM) == 0)
}

/// Sections of at most so many bytes are copied in any case, as `support/decide.c` says.
const LARGEST_PACKED: u64 = 1024;

/// Whether a section is known to be so small that launches copy it in any case.
fn is_packed(map: &Map) -> bool {
    map.bytes.as_deref().and_then(|bytes| bytes.parse().ok()).is_some_and(|bytes: u64| bytes <= LARGEST_PACKED)
}

fn map_of(region: &mut Region, capture: usize) -> Option<&mut Map> {
    region.captures.get_mut(capture)?.map.as_mut().filter(|map| !is_packed(map))
}

impl ReadOnly {
    /// Says of a region's captured variables which are not copied back, and which are not brought.
    pub(crate) fn report(&self, region: &mut Region) {
        for &entry in &self.entries {
            if let Some(map) = map_of(region, entry as usize) {
                map.stays = true;
            }
        }
        for store in &self.overwritten {
            if let Some(map) = map_of(region, store.capture) {
                map.made_there = true;
            }
        }
    }

    /// The same in a module, for the launches of a kernel.
    pub(super) fn put(&self, module: &Module<'_>, support: Support, kernel: &str) -> Private<'_> {
        let word = Type::int(module, 32);
        let entries: Vec<Value> = self.entries.iter().map(|&entry| Value::int_of(word, entry.into())).collect();
        let list = Value::array_of(word, &entries);
        let list = Value::private_constant(module, &format!("__ipda_read_only_{kernel}"), list);
        Private { support, list, length: Value::int_of(word, entries.len() as u64), of: self }
    }
}

/// What launches of a kernel need not copy back, and the code that asks whether they can do without.
#[derive(Clone, Copy)]
pub(super) struct Private<'a> {
    support: Support,
    list: Value,
    length: Value,
    of: &'a ReadOnly,
}

impl Private<'_> {
    /// Gives a launch that follows the map types that the program chooses when it runs; where they stand, and what stood there. `is_single` is whether
    /// the kernel runs once: what a first step has left must be brought to the second one.
    pub(super) fn choose(self, here: &Code, params: &[Value], is_single: bool) -> (Value, Value) {
        let (asked, arguments) = (params[1], params[params.len() - 1]);
        let long = integer(arguments, 64);
        let copy = here.alloca(Type::array(long, self.of.count));
        let types_at = here.element(integer(arguments, 8), arguments, TYPES);
        let before = here.load(arguments.ty(), types_at);
        let stores = if is_single { &self.of.overwritten[..] } else { &[] };
        let reported = here.alloca(Type::array(long, STORE * stores.len().max(1)));
        for (at, store) in stores.iter().enumerate() {
            for (word, number) in (0..).zip(numbers(here, arguments, store)) {
                here.store(number, here.element(long, reported, (at * STORE) as u64 + word));
            }
        }
        let count = Value::int_of(self.length.ty(), stores.len() as u64);
        let asked = [asked, arguments, self.list, self.length, copy, reported, count];
        here.store(here.call(self.support.map_types, &asked), types_at);
        (types_at, before)
    }
}

/// What a launch says of a store, as code: the first number is 0 where the others are not what they should be.
fn numbers(here: &Code, arguments: Value, store: &Overwritten) -> Vec<Value> {
    let [byte, word] = [8, 64].map(|bits| integer(arguments, bits));
    let pointer = arguments.ty();
    let values = here.load(pointer, here.element(byte, arguments, VALUES));
    let given: Vec<_> = store.sums().flat_map(Sum::given).collect();
    let last = given.iter().map(|given| given.param).max().unwrap_or(0);
    // The runtime's own parameter comes first.
    let param = |param: usize| match given.iter().any(|given| given.param == param) {
        true => here.load(word, here.element(pointer, values, param as u64 - 1)),
        false => constant(word, "0"),
    };
    let params: Vec<Value> = (0..=last).map(param).collect();
    let mut is_known = here.compare(LLVMIntEQ, constant(word, "0"), constant(word, "0"));
    let mut require = |condition: Value| is_known = here.binary(LLVMAnd, is_known, condition);
    for given in given.iter().filter(|given| given.is_taken_as_small()) {
        require(given.is_small(here, &params, arguments));
    }
    for when in &store.when {
        let when = when.compute(here, &params, arguments);
        require(here.compare(LLVMIntNE, when, constant(when.ty(), "0")));
    }
    let mut number = |sum: &Sum| {
        let exact = sum.compute(here, &params, arguments);
        let number = here.resize(exact, word, Signedness::Signed);
        require(here.compare(LLVMIntEQ, here.resize(number, exact.ty(), Signedness::Signed), exact));
        number
    };
    let start = number(&store.start);
    let loops: Vec<Value> = store.loops.iter().flat_map(|(stride, trips)| [number(stride), number(trips)]).collect();
    let is_known = here.resize(is_known, word, Signedness::Unsigned);
    let constants = [store.capture as u64, store.bytes].map(|number| Value::int_of(word, number));
    let count = Value::int_of(word, store.loops.len() as u64);
    [is_known].into_iter().chain(constants).chain([start, count]).chain(loops).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: u64 = 0x23;
    const LITERAL: u64 = 0x120;

    #[test]
    fn sections_that_are_never_written_and_mapped_both_ways_stay() {
        let [r, w] = [Use::NeverWritten, Use::MayBeWritten];
        let entries = |flags: &[u64], uses: &[Use]| of_flags(flags, uses, &[]).map(|found| found.entries);
        assert_eq!(entries(&[LITERAL, BOTH, BOTH | 0x200, BOTH], &[r, r, r, w]), Some(vec![1, 2]));
        assert_eq!(entries(&[BOTH], &[w]), None);
        // Nothing comes back of these.
        assert_eq!(entries(&[0x21, 0x20, 0x22, 0xa1, LITERAL], &[r; 5]), None);
        // The kernel has other parameters.
        assert_eq!(entries(&[BOTH], &[r, r]), None);
    }

    #[test]
    fn launches_copy_what_reports_say() {
        let own = format!("enum {{ LARGEST_PACKED = {LARGEST_PACKED} }};");
        assert!(include_str!("../../support/decide.c").contains(&own));
    }

    #[test]
    fn a_launch_that_asks_for_more_is_left_alone() {
        // always, delete, a pointer with what it leads to, return, close, present, hold, a strided section, a member; one that is no parameter.
        let others = [0x27, 0x2b, 0x33, 0x63, 0x423, 0x1023, 0x2023, 0x1000_0000_0023, 0x0001_0000_0000_0023, 0x3];
        for other in others {
            let uses = [Use::NeverWritten; 2];
            assert_eq!(of_flags(&[BOTH, other], &uses, &[]), None, "{other:#x}");
        }
    }
}
