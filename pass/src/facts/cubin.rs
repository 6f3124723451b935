//! What ptxas says of a kernel in the sections of NVIDIA's device objects.

use crate::openmp::KernelName;
use object::read::File;
use object::{Object, ObjectSection, ObjectSymbol, SymbolIndex};
use rustc_hash::FxHashMap;

/// What a kernel's finished code needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Needs {
    /// Registers of 32 bits for each thread.
    pub registers: Option<u32>,
    /// Bytes for each thread.
    pub stack_bytes: Option<u32>,
    /// Bytes for each team.
    pub shared_bytes: Option<u64>,
}

/// An attribute of a function: its number, the function's number in the table of symbols, and the value.
struct Attribute {
    number: u8,
    symbol: u32,
    value: u32,
}

/// What says how many registers an object's kernels use.
pub(super) fn needs(file: &File<'_>) -> Vec<(String, Needs)> {
    // Numbers of the format's attributes (`EIATTR_`), as `cuobjdump -elf` names them.
    const FRAME_SIZE: u8 = 0x11;
    const MIN_STACK_SIZE: u8 = 0x12;
    const MAX_STACK_SIZE: u8 = 0x23;
    const REGCOUNT: u8 = 0x2f;
    let bytes = file.section_by_name(".nv.info").and_then(|section| section.data().ok()).unwrap_or_default();
    let attributes = attributes(bytes);
    let registers = attributes.iter().filter(|attribute| attribute.number == REGCOUNT);
    // The object is gone through once, not for each of its kernels.
    let mut stacks: FxHashMap<u32, u32> = FxHashMap::default();
    let is_stack = |number| matches!(number, FRAME_SIZE | MIN_STACK_SIZE | MAX_STACK_SIZE);
    for attribute in attributes.iter().filter(|attribute| is_stack(attribute.number)) {
        let most = stacks.entry(attribute.symbol).or_default();
        *most = attribute.value.max(*most);
    }
    let mut shared: FxHashMap<&str, u64> = FxHashMap::default();
    for section in file.sections() {
        if let Some(kernel) = section.name().ok().and_then(|name| name.strip_prefix(".nv.shared.")) {
            shared.entry(kernel).or_insert(section.size());
        }
    }
    let of_function = |of: &Attribute| {
        let symbol = file.symbol_by_index(SymbolIndex(usize::try_from(of.symbol).ok()?)).ok()?;
        let name = symbol.name().ok().filter(|name| name.starts_with(KernelName::PREFIX))?;
        let needs = Needs {
            registers: Some(of.value),
            stack_bytes: stacks.get(&of.symbol).copied(),
            // Without such a section a kernel has no shared memory.
            shared_bytes: Some(shared.get(name).copied().unwrap_or(0)),
        };
        Some((name.to_string(), needs))
    };
    registers.filter_map(of_function).collect()
}

/// The attributes that tell one number of one function. Each entry has a format, a number, and 16 bits that are its value or, with
/// the fourth format, the bytes of the value that follows.
fn attributes(mut bytes: &[u8]) -> Vec<Attribute> {
    const SIZED: u8 = 4;
    let mut found = Vec::new();
    while let [format, number, low, high, rest @ ..] = bytes {
        let size = if *format == SIZED { usize::from(u16::from_le_bytes([*low, *high])) } else { 0 };
        let Some((value, next)) = rest.split_at_checked(size) else { break };
        if let [a, b, c, d, e, f, g, h] = *value {
            let (symbol, value) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
            found.push(Attribute { number: *number, symbol, value });
        }
        bytes = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(bytes: &[u8]) -> Vec<(u8, u32, u32)> {
        attributes(bytes).into_iter().map(|found| (found.number, found.symbol, found.value)).collect()
    }

    #[test]
    fn attributes_are_found_between_others() {
        let sizes = [4, 0x2f, 8, 0, 3, 0, 0, 0, 44, 0, 0, 0];
        let short = [3, 0x50, 0, 0];
        let long = [4, 0x1c, 4, 0, 1, 2, 3, 4];
        let bytes = [&short[..], &long, &sizes].concat();
        assert_eq!(numbers(&bytes), [(0x2f, 3, 44)]);
        for end in 0..bytes.len() {
            assert_eq!(numbers(&bytes[..end]), []);
        }
    }

    #[test]
    fn sizes_that_lead_outside_end_the_list() {
        assert_eq!(numbers(&[4, 0x2f, 0xff, 0xff, 1, 2, 3]), []);
    }
}
