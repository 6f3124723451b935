//! The launches of kernels in a host's module, and the pointers that they hand over.

use super::ground::Ground;
use super::origins::Origins;
use crate::openmp::{KernelName, Launch, map_type};
use inkwell::module::Module;
use ipda_llvm::{Opcode, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::os::unix::fs::MetadataExt;

/// What a launch hands over, by the kernel's parameters behind the hidden first one.
pub(super) struct Launched {
    pub pointers: Vec<Option<Handed>>,
}

/// A pointer that a launch hands over.
#[derive(Clone, Copy)]
pub(super) struct Handed {
    /// The kernel is given what corresponds to this.
    base: Value,
    /// The first byte of the section that is mapped, by which the runtime finds what corresponds.
    first: Value,
    /// How it comes to the device.
    passing: Passing,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Passing {
    /// As an address of the device.
    AsItIs,
    /// What corresponds to it on the device is looked up.
    Translated,
}

/// Entries of a launch beyond which it is not looked at.
const MAX_ENTRIES: u32 = 256;
/// By which a program puts device memory of its choice behind an array.
const ASSOCIATE: &str = "omp_target_associate_ptr";

/// All launches by kernel, of those kernels all of whose launches are seen.
pub(super) fn find(module: &Module<'_>) -> FxHashMap<String, Vec<Launched>> {
    let mut found = FxHashMap::default();
    // With -fsemantic-interposition, what is defined here may be replaced when the program starts.
    if module.get_function(ASSOCIATE).is_some() || module.get_flag("SemanticInterposition").is_some() {
        return found;
    }
    let Some(file) = main_file(module) else { return found };
    for global in module.get_globals() {
        let id = Value::of(&global);
        let name = id.with_name(|id| id.strip_prefix('.')?.strip_suffix(".region_id").map(str::to_owned));
        // A directive of another file may be compiled with other files, too: then their launches are launches of the same kernel.
        let Some(kernel) = name.filter(|kernel| KernelName::file(kernel) == Some(file)) else { continue };
        if let Some(launches) = launches(id) {
            found.insert(kernel, launches);
        }
    }
    found
}

/// The file that is compiled, as clang writes it into the names of kernels.
fn main_file(module: &Module<'_>) -> Option<(u32, u32)> {
    let file = std::fs::metadata(module.get_source_file_name().to_str().ok()?).ok()?;
    // clang keeps the lower half of both.
    Some((file.dev() as u32, file.ino() as u32))
}

/// The launches with a region's id; none where it is used otherwise.
fn launches(id: Value) -> Option<Vec<Launched>> {
    let mut launches = Vec::new();
    for user in id.users() {
        if !user.is_instruction() {
            let is_entry = |holder: &Value| {
                holder.is_global_variable() && holder.with_name(|name| name.starts_with(".offloading.entry."))
            };
            if user.users().iter().all(is_entry) {
                continue;
            }
            return None;
        }
        let launch = Launch::decode(user).filter(|launch| launch.region_id == id)?;
        launches.push(launched(launch)?);
    }
    (!launches.is_empty()).then_some(launches)
}

/// What fills a field of a launch's structure, if one value does.
fn only(launch: Launch, field: i64) -> Option<Value> {
    let fillers = launch.fillers(field);
    if let [filler] = fillers[..] { Some(filler) } else { None }
}

/// The fields of a launch's structure.
const COUNT: i64 = 1;
pub(super) const BASES: i64 = 2;
pub(super) const FIRSTS: i64 = 3;
pub(super) const TYPES: i64 = 5;

fn launched(launch: Launch) -> Option<Launched> {
    let count = u32::try_from(only(launch, COUNT)?.as_int()?).ok()?;
    if count > MAX_ENTRIES || launch.has_mappers() {
        return None;
    }
    let mut pointers = Vec::new();
    if count == 0 {
        return Some(Launched { pointers });
    }
    let types = only(launch, TYPES)?;
    let types = types.initializer().filter(|_| types.is_constant_global() && types.has_definitive_initializer())?;
    let [bases, firsts] = [BASES, FIRSTS].map(|field| elements(only(launch, field)?, launch));
    let (bases, firsts) = (bases?, firsts?);
    for entry in 0..count {
        let flags = types.aggregate_element(entry)?.as_int()? as u64;
        if flags & map_type::TARGET_PARAMETER == 0 {
            continue;
        }
        let handed = || {
            let at = |elements: &FxHashMap<i64, Value>| elements.get(&entry.into()).copied();
            let (base, first) = (at(&bases)?, at(&firsts)?);
            // Of a pointer that is mapped with what it leads to, the kernel is given another address than this.
            let is_followed = flags & (map_type::POINTER_AND_OBJECT | map_type::MEMBER_OF) == 0;
            let is_pointer = is_followed && base.ty().is_generic_pointer() && first.ty().is_generic_pointer();
            let passing = if flags & map_type::LITERAL != 0 { Passing::AsItIs } else { Passing::Translated };
            is_pointer.then_some(Handed { base, first, passing })
        };
        pointers.push(handed());
    }
    Some(Launched { pointers })
}

/// What is stored to the elements of a local array for a launch, each once; none where the array is used otherwise.
fn elements(first: Value, launch: Launch) -> Option<FxHashMap<i64, Value>> {
    let array = if first.is(Opcode::LLVMGetElementPtr) { first.operand(0) } else { first };
    if !array.is(Opcode::LLVMAlloca) {
        return None;
    }
    let mut elements = FxHashMap::default();
    let mut several = FxHashSet::default();
    for (place, index) in places(array)? {
        for user in place.users() {
            let is_store = user.is(Opcode::LLVMStore);
            if is_store && user.operand(1) == place && user.operand(0) != place {
                if elements.insert(index, user.operand(0)).is_some() {
                    several.insert(index);
                }
                continue;
            }
            let is_step = user.is(Opcode::LLVMGetElementPtr) && place == array;
            // The array itself goes to this launch alone.
            let is_handed = is_store && index == 0 && user.operand(0) == place && launch.stored_field(user).is_some();
            if !is_step && !is_handed && !is_lifetime(user) {
                return None;
            }
        }
    }
    elements.retain(|index, _| !several.contains(index));
    Some(elements)
}

/// An array's address and those of its elements, with their numbers.
pub(super) fn places(array: Value) -> Option<Vec<(Value, i64)>> {
    const POINTER: i64 = 8;
    let mut places = vec![(array, 0)];
    for user in array.users().into_iter().filter(|user| user.is(Opcode::LLVMGetElementPtr)) {
        let bytes = user.constant_step().filter(|bytes| bytes % POINTER == 0)?;
        places.push((user, bytes / POINTER));
    }
    Some(places)
}

pub(super) fn is_lifetime(user: Value) -> bool {
    user.calls(|name| name.starts_with("llvm.lifetime."))
}

impl Launched {
    /// Why two parameters never lead to common bytes.
    pub(super) fn apart(&self, origins: &mut Origins, a: usize, b: usize) -> Option<Ground> {
        let (a, b) = (self.pointers[a]?, self.pointers[b]?);
        // What a program has for itself on the device may be what it has put behind an array.
        if a.passing != b.passing {
            return None;
        }
        let mut ground = Ground::default();
        let both = |handed: Handed| {
            if handed.first == handed.base { vec![handed.base] } else { vec![handed.base, handed.first] }
        };
        for x in both(a) {
            for y in both(b) {
                ground.add(origins.apart(x, y)?);
            }
        }
        Some(ground)
    }
}
