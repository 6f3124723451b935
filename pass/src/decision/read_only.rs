//! What launches map to and from the device though their kernels never write it: they need not copy it back.
//!
//! A result rests on this: a kernel that writes what the device's compilation says it never writes would lose that. What remains to be asked when the
//! program runs, and why it suffices, stands with the code that asks (`__ipda_map_types` in `support/decide.c`).

use super::support::{self, Support};
use crate::analysis::maps;
use crate::analysis::written::Use;
use crate::facts::{self, DeviceImage};
use crate::openmp::{self, Launch, map_type};
use inkwell::module::Module;
use ipda_llvm::{Code, DataLayout, Type, Value, integer};
use ipda_models::report::Region;
use std::collections::BTreeMap;

/// Entries of a launch beyond which it is left as it is: it keeps as many types in its frame.
const MAX_ENTRIES: usize = 256;

/// Bytes from the start of the launch's structure to the pointer to its map types.
const TYPES: u64 = 32;

/// The entries of a kernel's launches whose memory it never writes, and which are mapped to and from the device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadOnly {
    /// In ascending order, at least one. Each entry is the captured variable of the same number.
    pub entries: Vec<u32>,
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
        let own = facts::common_uses(images, &kernel).and_then(|uses| of_launch(launch, uses));
        found
            .entry(kernel)
            .and_modify(|known| *known = known.take().filter(|known| Some(known) == own.as_ref()))
            .or_insert(own);
    }
    found.into_iter().filter_map(|(kernel, found)| Some((kernel, found?))).collect()
}

fn of_launch(launch: Launch, uses: &[Use]) -> Option<ReadOnly> {
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
    of_flags(&flags, uses)
}

/// Which entries may stay on the device, by the types of all.
fn of_flags(flags: &[u64], uses: &[Use]) -> Option<ReadOnly> {
    // Members, pointers that lead to what is mapped, and the modifiers of clauses ask for more than a copy of a section.
    if flags.len() != uses.len() || !flags.iter().all(|&flags| is_plain(flags)) {
        return None;
    }
    let is_both =
        |flags: u64| flags & !map_type::IMPLICIT == map_type::TARGET_PARAMETER | map_type::TO | map_type::FROM;
    let all = (0..).zip(flags.iter().zip(uses));
    let entries: Vec<u32> =
        all.filter(|(_, (flags, found))| is_both(**flags) && **found == Use::NeverWritten).map(|(at, _)| at).collect();
    (!entries.is_empty()).then_some(ReadOnly { entries, count: flags.len() })
}

/// Whether an entry is a captured variable by its value, a private copy of one, or a section that is copied there, back, both or neither.
fn is_plain(flags: u64) -> bool {
    use map_type::{FROM, IMPLICIT, LITERAL, PRIVATE, TARGET_PARAMETER, TO};
    let is_captured = flags & TARGET_PARAMETER != 0;
    let kind = flags & !(TARGET_PARAMETER | IMPLICIT);
    is_captured && (kind == LITERAL || kind == PRIVATE | TO || kind & !(TO | FROM) == 0)
}

impl ReadOnly {
    /// Says of a region's captured variables which are not copied back.
    pub(crate) fn tell(&self, region: &mut Region) {
        for &entry in &self.entries {
            let capture = region.captures.get_mut(entry as usize);
            if let Some(map) = capture.and_then(|capture| capture.map.as_mut()) {
                map.stays = true;
            }
        }
    }

    /// The same in a module, for the launches of a kernel.
    pub(super) fn put(&self, module: &Module<'_>, support: Support, kernel: &str) -> Private {
        let word = Type::int(module, 32);
        let entries: Vec<Value> = self.entries.iter().map(|&entry| Value::int_of(word, entry.into())).collect();
        let list = Value::array_of(word, &entries);
        let list = Value::private_constant(module, &format!("__ipda_read_only_{kernel}"), list);
        Private { support, list, length: Value::int_of(word, entries.len() as u64), count: self.count }
    }
}

/// What launches of a kernel need not copy back, and the code that asks whether they can do without.
#[derive(Clone, Copy)]
pub(super) struct Private {
    support: Support,
    list: Value,
    length: Value,
    /// All entries of a launch.
    count: usize,
}

impl Private {
    /// Gives a launch that follows the map types that the program chooses when it runs; where they stand, and what stood there.
    pub(super) fn choose(self, here: &Code, params: &[Value]) -> (Value, Value) {
        let (asked, arguments) = (params[1], params[params.len() - 1]);
        let copy = here.alloca(Type::array(integer(arguments, 64), self.count));
        let types_at = here.element(integer(arguments, 8), arguments, TYPES);
        let before = here.load(arguments.ty(), types_at);
        here.store(here.call(self.support.map_types, &[asked, arguments, self.list, self.length, copy]), types_at);
        (types_at, before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: u64 = 0x23;
    const LITERAL: u64 = 0x120;

    #[test]
    fn sections_that_are_never_written_and_mapped_both_ways_stay() {
        let [r, w] = [Use::NeverWritten, Use::MayBeWritten];
        let entries = |flags: &[u64], uses: &[Use]| of_flags(flags, uses).map(|found| found.entries);
        assert_eq!(entries(&[LITERAL, BOTH, BOTH | 0x200, BOTH], &[r, r, r, w]), Some(vec![1, 2]));
        assert_eq!(entries(&[BOTH], &[w]), None);
        // Nothing comes back of these.
        assert_eq!(entries(&[0x21, 0x20, 0x22, 0xa1, LITERAL], &[r; 5]), None);
        // The kernel has other parameters.
        assert_eq!(entries(&[BOTH], &[r, r]), None);
    }

    #[test]
    fn a_launch_that_asks_for_more_is_left_alone() {
        // always, delete, a pointer with what it leads to, return, close, present, hold, a strided section, a member; one that is no parameter.
        let others = [0x27, 0x2b, 0x33, 0x63, 0x423, 0x1023, 0x2023, 0x1000_0000_0023, 0x0001_0000_0000_0023, 0x3];
        for other in others {
            let uses = [Use::NeverWritten; 2];
            assert_eq!(of_flags(&[BOTH, other], &uses), None, "{other:#x}");
        }
    }
}
