//! Whether a region may run on the host although a device is there, and what must be asked of its data when it is launched.
//!
//! clang makes a host version of each region, and a launch that fails runs it. It does what the device's version would have done if all that
//! it reaches is the host's memory, if nothing of that is on the device already (there would be two copies, and the device's is the one that
//! counts), and if what it writes would have been copied back.

use super::structural_hash::structural_hash;
use crate::analysis::maps::Maps;
use crate::common::words::called_at;
use crate::openmp::flatten::Flat;
use crate::openmp::{self, Call, Schedule, Sharing, map_type};
use ipda_llvm::{FunctionCopy, Opcode, Value, demangle};
use rustc_hash::FxHashSet;
use std::fmt;

/// Steps from an address to what it points into, over all ways there.
const MAX_STEPS: usize = 256;

/// A region that may run on the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Eligible {
    /// The entries of the launch's arrays that must have a size and must not be on the device.
    pub entries: Vec<u32>,
}

/// Why a region stays on the device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ineligible {
    /// The analysis does not follow all of its code.
    NotUnderstood(String),
    /// The launch does not show its map clauses, or shows others than the kernel takes.
    UnknownMaps,
    /// A captured pointer is the device's by the program's word.
    DevicePointer,
    /// A captured pointer has no array section.
    NoSection,
    /// A structure's members, or pointers in memory, are mapped.
    Members,
    /// A map clause or its modifier asks for something on the device.
    Modifier,
    /// A declared mapper says what is mapped.
    Mapper,
    /// An access goes through a pointer that is loaded or made from a number.
    FoundPointer,
    /// It computes with addresses, or leaves them in memory.
    Addresses,
    /// It uses a variable that the device has for itself.
    DeviceVariable(String),
    /// It writes what is only copied to the device, or exists there alone.
    WritesCopy,
    /// It calls something whose effects on the device are not known.
    Calls(String),
    /// It asks where it runs, or for the numbers of its threads or teams.
    AsksWhere(String),
    /// The program has an `if` clause that decides.
    OwnCondition,
    /// The program requires that host and device share their memory.
    SharedMemory,
    /// It has a critical section, which has other code for a GPU.
    CriticalSection(String),
    /// The host's code leaves out iterations where a team has one thread: a fault of clang 19 in `distribute parallel for` with
    /// `schedule(static, 1)`, whose loop goes on by a distance that the runtime, asked by one thread, takes for all iterations.
    ChunksOfOne,
    /// The host's code of `schedule(simd: static, n)` runs other iterations than the loop's: clang 19 goes on by a distance that the runtime does not set.
    ChunksOfVectors,
    /// The compiler was told to do without the registers in which a launch compares times.
    NoFloatingPoint,
    /// Launches have code that decides for some kinds of hosts alone.
    OtherHost,
    /// The device's code computes something else.
    OtherCode,
}

impl Ineligible {
    /// The stable name, which remarks carry.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Ineligible::NotUnderstood(_) => "NotUnderstood",
            Ineligible::UnknownMaps => "UnknownMaps",
            Ineligible::DevicePointer => "DevicePointer",
            Ineligible::NoSection => "NoSection",
            Ineligible::Members => "MappedMembers",
            Ineligible::Modifier => "MapModifier",
            Ineligible::Mapper => "DeclaredMapper",
            Ineligible::FoundPointer => "FoundPointer",
            Ineligible::Addresses => "Addresses",
            Ineligible::DeviceVariable(_) => "DeviceVariable",
            Ineligible::WritesCopy => "WritesCopy",
            Ineligible::Calls(_) => "UnknownEffect",
            Ineligible::AsksWhere(_) => "AsksWhere",
            Ineligible::OwnCondition => "OwnCondition",
            Ineligible::SharedMemory => "SharedMemory",
            Ineligible::CriticalSection(_) => "CriticalSection",
            Ineligible::ChunksOfOne | Ineligible::ChunksOfVectors => "ChunksOfOne",
            Ineligible::NoFloatingPoint => "NoFloatingPoint",
            Ineligible::OtherHost => "OtherHost",
            Ineligible::OtherCode => "OtherCode",
        }
    }
}

impl fmt::Display for Ineligible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ineligible::NotUnderstood(reason) => write!(f, "not all of its code is followed: {reason}"),
            Ineligible::UnknownMaps => f.write_str("its launch does not show what it maps"),
            Ineligible::DevicePointer => {
                f.write_str("is_device_ptr or has_device_addr says that its data is the device's; map host data instead")
            }
            Ineligible::NoSection => f.write_str(
                "no map clause says how much a pointer leads to, which may be the device's; for host data write an array section, as in map(tofrom: a[0:n])",
            ),
            Ineligible::Members => f.write_str(
                "members of structures, or pointers in mapped memory or at file scope, are mapped; copy such a pointer into a local variable, and map that with an array section",
            ),
            Ineligible::Modifier => f.write_str(
                "a clause asks for more than to copy data there and back, as a modifier such as always or present does",
            ),
            Ineligible::Mapper => f.write_str("a declared mapper says what is mapped"),
            Ineligible::FoundPointer => f.write_str(
                "it follows pointers that it finds in memory, which may be the device's; copy them into variables, and map these with array sections",
            ),
            Ineligible::Addresses => {
                f.write_str(
                    "it uses addresses as values, and they differ between host and device; use indices, and reduce single variables, not arrays",
                )
            }
            Ineligible::DeviceVariable(name) => write!(
                f,
                "{name} exists on both sides, by declare target or as a static variable of a function; map a variable of the host instead"
            ),
            Ineligible::WritesCopy => f.write_str(
                "it writes to memory that is not copied back: on the host, the program's own would change; write map(tofrom:) if that is meant",
            ),
            Ineligible::Calls(what) => write!(f, "{what} may do something else on the device"),
            Ineligible::AsksWhere(name) => {
                let name = name.split('$').next().unwrap_or(name);
                write!(f, "it calls {name}, whose answer differs between host and device")
            }
            Ineligible::OwnCondition => f.write_str("its if clause decides"),
            Ineligible::SharedMemory => f.write_str("the program requires unified shared memory, so that nothing says which data it uses"),
            Ineligible::CriticalSection(section) => write!(
                f,
                "{section} has other code on a GPU, so that it is not known whether the host's version computes the same"
            ),
            Ineligible::ChunksOfOne => f.write_str(
                "of schedule(static, 1) with distribute, clang 19's code for the host leaves out iterations where a team has one thread; leave out the clause",
            ),
            Ineligible::ChunksOfVectors => f.write_str(
                "of schedule(simd: static, ..), clang 19's code for the host runs other iterations than the loop's; leave out simd:",
            ),
            Ineligible::OtherHost => f.write_str(
                "launches can decide in programs for Linux on x86-64, AArch64 and 64-bit little-endian POWER alone",
            ),
            Ineligible::NoFloatingPoint => f.write_str(
                "a launch compares times in floating point, which -mno-sse, -mno-sse2 or -mgeneral-regs-only forbids",
            ),
            Ineligible::OtherCode => f.write_str("the device's version is not known to compute what the host's does"),
        }
    }
}

/// Whether a region may run on the host, whose version `is_like` the device's.
pub(crate) fn eligibility<'f>(
    flat: impl FnOnce() -> &'f Flat,
    maps: Option<&Maps>,
    is_device_hash: impl FnOnce(u64) -> bool,
) -> Result<Eligible, Ineligible> {
    let maps = maps.ok_or(Ineligible::UnknownMaps)?;
    let flat = flat();
    let copy = flat.code.as_ref().map_err(|reason| Ineligible::NotUnderstood(reason.sentence()))?;
    if let Some(reject) = flat.log.first() {
        return Err(Ineligible::NotUnderstood(reject.reason.clone()));
    }
    let body = match Body::read(copy) {
        // What the program says itself comes first.
        Err(Ineligible::Addresses) if maps_device_pointer(maps, copy.function()) => {
            return Err(Ineligible::DevicePointer);
        }
        body => body?,
    };
    if body.has_chunks_of_one {
        return Err(Ineligible::ChunksOfOne);
    }
    if body.has_chunks_of_vectors {
        return Err(Ineligible::ChunksOfVectors);
    }
    let entries = of_maps(maps, copy.function().params().len(), &body)?;
    match structural_hash(copy.function()) {
        Some(structural_hash) if is_device_hash(structural_hash) => Ok(Eligible { entries }),
        _ => Err(unlike(copy.function())),
    }
}

/// Whether a pointer is handed over as it is, which says that it is the device's.
fn maps_device_pointer(maps: &Maps, function: Value) -> bool {
    let flags = maps.entries().iter().map(|entry| entry.flags());
    let captured = flags.filter(|flags| flags & map_type::TARGET_PARAMETER != 0);
    let is_literal = |(param, flags): (Value, u64)| {
        flags & map_type::LITERAL != 0 && param.ty().is_pointer() && !param.users().is_empty()
    };
    function.params().into_iter().zip(captured).any(is_literal)
}

/// What may be why two versions differ.
fn unlike(function: Value) -> Ineligible {
    let section = function.instructions().find(|call| call.calls(|name| name.starts_with("__kmpc_critical")));
    section.map_or(Ineligible::OtherCode, |section| Ineligible::CriticalSection(called_at(section)))
}

/// The entries that must be asked about, if the maps let the body run on the host.
fn of_maps(maps: &Maps, captures: usize, body: &Body) -> Result<Vec<u32>, Ineligible> {
    let mut entries = Vec::new();
    let mut capture = 0;
    for (index, entry) in maps.entries().iter().enumerate() {
        let flags = entry.flags();
        if flags & map_type::TARGET_PARAMETER == 0 {
            // An array that the region does not use: neither version touches it.
            if flags & !(map_type::TO | map_type::FROM | map_type::IMPLICIT) == 0 {
                continue;
            }
            return Err(Ineligible::Members);
        }
        let is_reached = body.reached.contains(&capture);
        let is_written = body.written.contains(&capture);
        capture += 1;
        let kind = flags & !map_type::TARGET_PARAMETER;
        if kind & map_type::LITERAL != 0 {
            // A number, or a pointer that clang takes for one: the program says that it is the device's.
            if is_reached {
                return Err(Ineligible::DevicePointer);
            }
            continue;
        }
        // A member of a structure, or what a pointer that is mapped itself leads to, as one at file scope.
        if kind & (map_type::MEMBER_OF | map_type::POINTER_AND_OBJECT) != 0 {
            return Err(Ineligible::Members);
        }
        // The launch makes a copy of what is there now, which no data environment holds.
        if kind & !map_type::IMPLICIT == map_type::PRIVATE | map_type::TO {
            if is_written {
                return Err(Ineligible::WritesCopy);
            }
            continue;
        }
        if kind & !(map_type::TO | map_type::FROM | map_type::IMPLICIT) != 0 {
            return Err(Ineligible::Modifier);
        }
        // A pointer without a section maps nothing; what clang maps by itself otherwise is a variable of the host.
        if entry.is_empty() || kind == map_type::IMPLICIT {
            return Err(Ineligible::NoSection);
        }
        if is_written && kind & map_type::FROM == 0 {
            // What is copied back of a structure, entries for its members say.
            let is_member = |entry: &crate::analysis::maps::MapEntry| entry.flags() & map_type::MEMBER_OF != 0;
            let has_members = kind & (map_type::TO | map_type::FROM) == 0 && maps.entries().iter().any(is_member);
            return Err(if has_members { Ineligible::Members } else { Ineligible::WritesCopy });
        }
        entries.push(index as u32);
    }
    if capture == captures { Ok(entries) } else { Err(Ineligible::UnknownMaps) }
}

/// What a region's code does, by the numbers of its captured variables.
#[derive(Default)]
struct Body {
    /// Those that are addresses of what it reads or writes.
    reached: FxHashSet<usize>,
    /// Those that are addresses of what it writes.
    written: FxHashSet<usize>,
    /// Whether threads share a team's part of a loop one by one, in turn.
    has_chunks_of_one: bool,
    /// Whether they share a loop in chunks that are rounded up to vectors.
    has_chunks_of_vectors: bool,
}

/// Whether a shared loop may begin with another iteration than its first one, as a team's part of a distributed loop does. What is added to is the
/// beginning of an earlier chunk.
fn begins_elsewhere(lower: Value) -> bool {
    let is_store = |user: &Value| user.is(Opcode::LLVMStore) && user.operand(1) == lower;
    let is_other = |begin: Value| begin.as_int() != Some(0) && !begin.is(Opcode::LLVMAdd);
    lower.users().into_iter().filter(is_store).any(|store| is_other(store.operand(0)))
}

/// What an instruction does with the memory behind an address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    Written,
}

impl Body {
    fn read(copy: &FunctionCopy) -> Result<Body, Ineligible> {
        let params = copy.function().params();
        let mut body = Body::default();
        for instruction in copy.function().instructions() {
            let Some(opcode) = instruction.opcode() else { continue };
            let (address, by) = match opcode {
                Opcode::LLVMLoad => (instruction.operand(0), Use::Read),
                Opcode::LLVMStore => {
                    let is_local = |pointer: Value| pointer.base_of_address().is(Opcode::LLVMAlloca);
                    let (stored, to) = (instruction.operand(0), instruction.operand(1));
                    // From a local variable it may be copied anywhere, in one piece or as a number. The volatile store is flattening's own.
                    let is_mark = instruction.is_volatile() && to.users().iter().all(|&user| user == instruction);
                    let is_kept = is_local(to) && (is_local(stored) || is_mark);
                    if stored.ty().is_pointer() && !is_kept {
                        return Err(Ineligible::Addresses);
                    }
                    (to, Use::Written)
                }
                // There and back changes nothing.
                Opcode::LLVMPtrToInt if !instruction.users().iter().all(|user| user.is(Opcode::LLVMIntToPtr)) => {
                    return Err(Ineligible::Addresses);
                }
                Opcode::LLVMICmp if instruction.operand(0).ty().is_pointer() => return Err(Ineligible::Addresses),
                Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => (instruction.operand(0), Use::Written),
                Opcode::LLVMCall | Opcode::LLVMInvoke => {
                    body.call(instruction, &params)?;
                    continue;
                }
                Opcode::LLVMVAArg | Opcode::LLVMCallBr | Opcode::LLVMResume => {
                    return Err(Ineligible::Calls("an exception, or an argument list of variable length,".into()));
                }
                _ => continue,
            };
            body.reach(address, by, &params)?;
        }
        Ok(body)
    }

    /// Notes what an address leads to.
    fn reach(&mut self, address: Value, by: Use, params: &[Value]) -> Result<(), Ineligible> {
        let mut work = vec![address];
        let mut seen = FxHashSet::default();
        while let Some(value) = work.pop() {
            if !seen.insert(value.raw()) {
                continue;
            }
            if seen.len() > MAX_STEPS {
                return Err(Ineligible::FoundPointer);
            }
            if let Some(capture) = params.iter().position(|&param| param == value) {
                self.reached.insert(capture);
                if by == Use::Written {
                    self.written.insert(capture);
                }
                continue;
            }
            match value.opcode() {
                Some(Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast) => {
                    work.push(value.operand(0));
                }
                Some(Opcode::LLVMIntToPtr) if value.operand(0).is(Opcode::LLVMPtrToInt) => {
                    work.push(value.operand(0).operand(0));
                }
                Some(Opcode::LLVMPHI) => work.extend(value.incoming().into_iter().map(|(incoming, _)| incoming)),
                Some(Opcode::LLVMSelect) => work.extend([value.operand(1), value.operand(2)]),
                Some(Opcode::LLVMAlloca) => {}
                _ if value.is_global_variable() && (value.is_constant_global() && by == Use::Read) => {}
                _ if value.is_global_variable() => return Err(Ineligible::DeviceVariable(demangle(&value.name()))),
                _ => return Err(Ineligible::FoundPointer),
            }
        }
        Ok(())
    }

    fn call(&mut self, call: Value, params: &[Value]) -> Result<(), Ineligible> {
        if call.is_assembly() {
            return Err(Ineligible::Calls("inline assembly".into()));
        }
        let Some(callee) = call.callee() else { return Err(Ineligible::Calls(called_at(call))) };
        let name = callee.name();
        if let Some(operation) = openmp::block_operation(call) {
            self.reach(call.operand(0), Use::Written, params)?;
            return match operation {
                openmp::BlockOperation::Copy => self.reach(call.operand(1), Use::Read, params),
                openmp::BlockOperation::Fill => Ok(()),
            };
        }
        if openmp::tells_users_numbers(&name) || name.starts_with("omp_") {
            return Err(Ineligible::AsksWhere(name));
        }
        if let Ok(Call::StaticInit(init)) = openmp::decode(call) {
            let is_in_turn = init.schedule == Schedule::StaticChunked && init.sharing == Sharing::Threads;
            self.has_chunks_of_vectors |= init.is_in_vectors();
            self.has_chunks_of_one |= is_in_turn && init.chunk.as_int() == Some(1) && begins_elsewhere(init.lower);
        }
        let mathematics = openmp::effects(call).filter(|effects| effects.is_mathematics);
        for result in mathematics.iter().flat_map(|effects| &effects.results) {
            self.reach(result.pointer(call), Use::Written, params)?;
        }
        let is_harmless = mathematics.is_some()
            || crate::analysis::effects::is_harmless(&name)
            || openmp::combines_copies(call)
            || openmp::writes_nothing_of_users(&name)
                && !name.starts_with("__kmpc_fork_")
                && name != "__kmpc_parallel_51"
            || matches!(name.as_str(), "__kmpc_end_reduce" | "__kmpc_end_reduce_nowait")
            || matches!(
                openmp::decode(call),
                Ok(Call::StaticInit(_) | Call::DispatchInit { .. } | Call::DispatchNext { .. } | Call::ParallelMark(_))
            );
        if is_harmless { Ok(()) } else { Err(Ineligible::Calls(called_at(call))) }
    }
}
