//! What pointers in structures and variables lead to: whatever is stored there by anyone, in whichever order, where all stores are known
//! (flow-insensitive, as in Andersen, *Program Analysis and Specialization for the C Programming Language*, 1994).

use super::launches::{BASES, FIRSTS, TYPES, is_lifetime, places};
use super::origins::{Origins, Site, What, Write, is_allocator};
use crate::openmp::{Launch, map_type};
use ipda_llvm::{Opcode, Value};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The size of a pointer.
const POINTER: i64 = 8;
/// Addresses into one object that are followed.
const MAX_ADDRESSES: usize = 2_000;
/// Allocates, and stores where the memory is.
const STORES_NEW: &str = "posix_memalign";
/// Start code, given behind two arguments, with those that follow, and two hidden ones in front.
const FORKS: [&str; 2] = ["__kmpc_fork_call", "__kmpc_fork_teams"];

impl Origins {
    /// What a loaded pointer leads to.
    pub(super) fn loaded(&mut self, load: Value) -> Option<Vec<Site>> {
        // A device that shares memory with the host writes there, too.
        if self.shares_memory || load.is_volatile_or_atomic() {
            return None;
        }
        let mut found: Vec<Site> = Vec::new();
        for (site, offset) in self.everywhere(load.operand(0))? {
            for pointer in self.field(site, offset?)?.iter() {
                if !found.contains(pointer) {
                    found.push(*pointer);
                }
            }
        }
        Some(found)
    }

    /// What a pointer in an object leads to.
    fn field(&mut self, site: Value, offset: i64) -> Option<Rc<[Site]>> {
        if let Some(known) = self.fields.get(&(site, offset)) {
            return known.clone();
        }
        self.fields.insert((site, offset), None);
        let found = self.nested(|this| this.stored(site, offset)).map(Rc::from);
        self.fields.insert((site, offset), found.clone());
        found
    }

    fn stored(&mut self, site: Value, offset: i64) -> Option<Vec<Site>> {
        let mut found = Vec::new();
        // A call that allocates is another name for what does so inside.
        if let Some(inside) = self.inside.get(&site).cloned() {
            for inner in inside.into_iter().filter(|inner| !self.inside.contains_key(inner)).collect::<Vec<_>>() {
                found.extend(self.field(inner, offset)?.iter().copied());
            }
            return Some(found);
        }
        for write in self.writes(site)?.iter() {
            let from = offset - write.offset;
            if from >= write.bytes || from <= -POINTER {
                continue;
            }
            let is_whole = from >= 0 && from + POINTER <= write.bytes;
            match write.what {
                What::Zeros => {}
                What::Value(value) if from == 0 && value.ty().is_generic_pointer() => {
                    found.extend(self.everywhere(value)?)
                }
                What::Allocated(call) if from == 0 => found.push((call, Some(0))),
                What::Copy(source) if is_whole => found.extend(self.copied(source, from)?),
                _ => return None,
            }
        }
        Some(found)
    }

    /// What a pointer in what is copied leads to.
    fn copied(&mut self, source: Value, from: i64) -> Option<Vec<Site>> {
        if source.is_constant_global() && source.has_definitive_initializer() {
            return source.initializer().filter(|all| !all.may_hold_addresses()).map(|_| Vec::new());
        }
        let mut found = Vec::new();
        for (site, offset) in self.everywhere(source)? {
            found.extend(self.field(site, offset?.checked_add(from)?)?.iter().copied());
        }
        Some(found)
    }

    /// All writes to an object; none where its address gets to where it is not followed.
    fn writes(&mut self, site: Value) -> Option<Rc<[Write]>> {
        if let Some(known) = self.writes.get(&site) {
            return known.clone();
        }
        let found = self.all_writes(site).map(Rc::from);
        self.writes.insert(site, found.clone());
        found
    }

    fn all_writes(&mut self, site: Value) -> Option<Vec<Write>> {
        let is_followed = match site.opcode() {
            Some(Opcode::LLVMAlloca) => true,
            // What others return may have been filled already.
            Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => is_allocator(site),
            _ => site.is_global_variable() && site.is_local() && !site.initializer()?.may_hold_addresses(),
        };
        if !is_followed {
            return None;
        }
        let mut walk = Walk { open: vec![(site, 0)], seen: FxHashSet::default(), writes: Vec::new() };
        while let Some((pointer, offset)) = walk.open.pop() {
            if !walk.seen.insert((pointer, offset)) {
                continue;
            }
            if walk.seen.len() > MAX_ADDRESSES {
                return None;
            }
            for user in pointer.users() {
                self.use_of(&mut walk, pointer, offset, user)?;
            }
        }
        Some(walk.writes)
    }

    /// Notes what a use of an address does; none where that is not followed.
    fn use_of(&mut self, walk: &mut Walk, pointer: Value, offset: i64, user: Value) -> Option<()> {
        match user.opcode()? {
            Opcode::LLVMGetElementPtr if user.operand(0) == pointer => {
                walk.open.push((user, offset.checked_add(user.constant_step()?)?));
            }
            Opcode::LLVMBitCast | Opcode::LLVMFreeze | Opcode::LLVMPHI | Opcode::LLVMSelect => {
                walk.open.push((user, offset))
            }
            Opcode::LLVMLoad | Opcode::LLVMICmp => {}
            Opcode::LLVMStore if user.operand(0) == pointer => {
                return is_only_read_by_runtime(user, pointer).then_some(());
            }
            Opcode::LLVMStore => {
                let bytes = self.layout.store_size(user.operand(0).ty()).try_into().ok()?;
                walk.writes.push(Write { offset, bytes, what: What::Value(user.operand(0)) });
            }
            Opcode::LLVMCall | Opcode::LLVMInvoke => return handed_over(walk, pointer, offset, user),
            Opcode::LLVMRet => {
                let callers = self.callers(user.block().function())?;
                walk.open.extend(callers.iter().map(|&call| (call, offset)));
            }
            _ => return None,
        }
        Some(())
    }
}

/// The addresses into one object, and what is written there.
struct Walk {
    open: Vec<(Value, i64)>,
    seen: FxHashSet<(Value, i64)>,
    writes: Vec<Write>,
}

/// What a call does that is given an address.
fn handed_over(walk: &mut Walk, pointer: Value, offset: i64, call: Value) -> Option<()> {
    let callee = call.callee()?;
    let args = call.call_args();
    let positions: Vec<usize> = (0..args.len()).filter(|&at| args[at] == pointer).collect();
    let is = |names: &[&str]| callee.with_name(|name| names.contains(&name));
    let begins = |prefix: &str| callee.with_name(|name| name.starts_with(prefix));
    let bytes = || args.get(2)?.as_int().filter(|&bytes| bytes >= 0);
    if is_lifetime(call) || is(&["free", "_ZdlPv", "_ZdlPvm"]) {
        return Some(());
    }
    if begins("llvm.memset.") {
        args[1].is_null().then_some(())?;
        walk.writes.push(Write { offset, bytes: bytes()?, what: What::Zeros });
        return Some(());
    }
    if begins("llvm.memcpy.") || begins("llvm.memmove.") {
        // Who copies from here is asked where the copy is read.
        if positions.contains(&0) {
            walk.writes.push(Write { offset, bytes: bytes()?, what: What::Copy(args[1]) });
        }
        return Some(());
    }
    if is(&[STORES_NEW]) && callee.is_declaration() && positions == [0] {
        walk.writes.push(Write { offset, bytes: POINTER, what: What::Allocated(call) });
        return Some(());
    }
    const CODE: usize = 2;
    if is(&FORKS) && args.len() > CODE && positions.iter().all(|&at| at > CODE) {
        let code = args[CODE];
        let params = code.is_function().then(|| code.params()).filter(|_| code.is_only_definition())?;
        for at in positions {
            walk.open.push((*params.get(at - 1)?, offset));
        }
        return Some(());
    }
    if !callee.is_only_definition() || !call.calls_as_declared() {
        return None;
    }
    let params = callee.params();
    for at in positions {
        let param = *params.get(at)?;
        // A copy is only read here.
        if !param.is_copy_of_callers() {
            walk.open.push((param, offset));
        }
    }
    Some(())
}

/// Whether an address is stored in an array for the runtime, which writes nothing there.
///
/// What the device then does to its copy is no matter, or, where that is the object itself, what the region's version for the host does, which is
/// called beside the launch with the same address.
fn is_only_read_by_runtime(store: Value, pointer: Value) -> bool {
    let place = store.operand(1);
    let array = if place.is(Opcode::LLVMGetElementPtr) { place.operand(0) } else { place };
    if !array.is(Opcode::LLVMAlloca) || store.operand(0) == place {
        return false;
    }
    let Some(places) = places(array) else { return false };
    let Some(entry) = places.iter().find(|(at, _)| *at == place).map(|(_, entry)| *entry) else { return false };
    let is_harmless = |at: Value, number: i64, user: Value| match user.opcode() {
        Some(Opcode::LLVMGetElementPtr) => at == array,
        Some(Opcode::LLVMStore) if user.operand(1) == at => user.operand(0) != at,
        Some(Opcode::LLVMStore) => number == 0 && is_read_by_launch(user, entry, pointer),
        Some(Opcode::LLVMCall) => is_lifetime(user) || number == 0 && is_read_by_data(user, at, entry),
        _ => false,
    };
    places.iter().all(|&(at, number)| at.users().into_iter().all(|user| is_harmless(at, number, user)))
}

/// Which of the runtime's arrays it is: of bases, by which addresses are computed, or of first bytes, which are copied.
#[derive(Clone, Copy)]
enum Array {
    Bases,
    Firsts,
}

/// Whether a store into a launch's structure hands the array over to a launch that writes nothing where its entry leads to.
fn is_read_by_launch(store: Value, entry: i64, pointer: Value) -> bool {
    let place = store.operand(1);
    let structure = if place.is(Opcode::LLVMGetElementPtr) { place.operand(0) } else { place };
    let launches: Vec<Launch> = structure.users().into_iter().filter_map(Launch::decode).collect();
    let [launch] = launches[..] else { return false };
    let array = match launch.stored_field(store) {
        Some(BASES) => Array::Bases,
        Some(FIRSTS) => Array::Firsts,
        _ => return false,
    };
    let types = launch.fillers(TYPES);
    let ([types], Some(kernel)) = (&types[..], launch.kernel()) else { return false };
    let launcher = launch.arguments.block().function();
    let is_version_for_host = |user: &Value| user.calls(|name| name == kernel) && user.block().function() == launcher;
    let is_step = |at: &Value| at.is(Opcode::LLVMGetElementPtr);
    let mut bases = std::iter::successors(Some(pointer), |at| Some(*at).filter(is_step).map(|at| at.operand(0)));
    launch.arguments == structure
        && is_not_written(*types, entry, array)
        && bases.any(|base| base.users().iter().any(is_version_for_host))
}

/// Whether it is a call of the runtime for data alone that writes nothing where an array's entry leads to.
fn is_read_by_data(call: Value, array: Value, entry: i64) -> bool {
    const TYPES: usize = 6;
    let args = call.call_args();
    let is_of_data = |name: &str| name.starts_with("__tgt_target_data_") && name.ends_with("_mapper");
    if !call.calls(is_of_data) || args.len() <= TYPES {
        return false;
    }
    let positions: Vec<usize> = (0..args.len()).filter(|&at| args[at] == array).collect();
    match positions[..] {
        [3] => is_not_written(args[TYPES], entry, Array::Bases),
        [4] => is_not_written(args[TYPES], entry, Array::Firsts),
        _ => false,
    }
}

/// Whether an entry's address is not written to, by a constant array of map types. What is copied back comes to where the first byte is.
fn is_not_written(types: Value, entry: i64, array: Array) -> bool {
    const RETURNED: u64 = 0x40;
    let is_fixed = types.is_constant_global() && types.has_definitive_initializer();
    let all = types.initializer().filter(|_| is_fixed);
    let flags = all.and_then(|all| all.aggregate_element(u32::try_from(entry).ok()?)?.as_int());
    let forbidden = match array {
        Array::Bases => RETURNED,
        Array::Firsts => RETURNED | map_type::FROM,
    };
    flags.is_some_and(|flags| flags as u64 & forbidden == 0)
}
