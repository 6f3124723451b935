//! Memory accesses: the operands that touch memory, and what each costs a warp.

use super::Analysis;
use super::analysis::ReportedAccess;
use super::executions::Executions;
use super::group::{Touch, made_together};
use super::stride::Place;
use crate::analysis::lower::{Guarantees, ObjectKind, THREAD_MEMORY};
use crate::openmp::nest::SharedLoop;
use crate::openmp::{self, called_from};
use ipda_llvm::{BlockId, DataLayout, Opcode, Value};
use ipda_models::report::{
    Access, AccessKind, Class, Condition, Count, Group, Guarantee, Member, MemoryKind, Moved, Passes, Region, Rising,
};
use ipda_symbolic::{
    AccessId, ActiveLanes, AtomId, Banks, Block, CoalescingClass, Coeff, LaneCondition, MemoryGeometry, Polynomial,
    Stride, TransactionCount, bank_passes, classify, classify_within_rows, count_group, count_lines, count_sectors,
    greedy_requests, groups,
};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A memory operand of an instruction.
pub(crate) struct Memory {
    pub kind: AccessKind,
    pub pointer: Value,
    /// None where the number of bytes is not a constant.
    pub bytes: Option<u64>,
}

/// What accesses of a block have in common, if threads share the iterations of a loop around it.
#[derive(Default)]
struct Alike {
    // How many of the threads' numbers the map of lanes knows.
    registers: usize,
    place: Option<Rc<Place>>,
    executions: Option<Rc<Executions>>,
}

/// What counting an access together with others takes.
struct Counting {
    touch: Touch,
    stride: Stride,
    active: ActiveLanes,
    geometry: MemoryGeometry,
    executions: Rc<Executions>,
}

impl Counting {
    fn block(&self) -> Block {
        Block { offset: self.touch.address.constant_term().to_i64().unwrap_or(0), bytes: self.touch.bytes }
    }
}

/// The lanes that make an access together.
fn active_lanes(executions: &Executions) -> ActiveLanes {
    match &executions.lanes {
        Some(LaneCondition::Lanes(marked)) => ActiveLanes::Only(marked.clone()),
        _ => ActiveLanes::All,
    }
}

impl Analysis<'_> {
    pub(super) fn accesses(&mut self, result: &mut Region) {
        let mut counting = Vec::new();
        for block in 0..self.cfg.blocks.len() {
            let mut alike = Alike::default();
            for instruction in self.cfg.blocks[block].instructions() {
                for memory in memory_operands(self.setting.layout, instruction) {
                    let number = result.accesses.len();
                    let found = self.access(block, instruction, &memory, number, &mut alike);
                    if let Some((access, how)) = found {
                        result.accesses.push(access);
                        counting.push(how);
                    }
                }
            }
        }
        self.groups(result, &counting);
        for (access, how) in result.accesses.iter().zip(&counting) {
            match (result.charged_sectors(access), &how.executions.count) {
                _ if access.memory == MemoryKind::Shared => {}
                (Some(sectors), Ok(count)) => self.sectors = &self.sectors + &count.scale(&Coeff::from(sectors)),
                _ => self.without_count += 1,
            }
        }
    }

    /// Finds the accesses that are counted together, and counts them.
    fn groups(&self, result: &mut Region, counting: &[Counting]) {
        let most = self.setting.reuse_sectors;
        let touches: Vec<&Touch> = counting.iter().map(|how| &how.touch).collect();
        let mut together: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, first) in made_together(self, &touches).into_iter().enumerate() {
            let (access, other) = (&result.accesses[at], &result.accesses[first]);
            let is_alike = access.memory == MemoryKind::Global
                && (&access.stride, &access.active_lanes) == (&other.stride, &other.active_lanes)
                && (&access.conditions, &access.executions) == (&other.conditions, &other.executions);
            if is_alike {
                together.entry(first).or_default().push(at);
            }
        }
        let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for members in together.values().filter(|members| members.len() > 1 && most > 0) {
            let Counting { stride, active, geometry, .. } = &counting[members[0]];
            let blocks: Vec<Block> = members.iter().map(|&at| counting[at].block()).collect();
            for (first, at) in groups(stride, active, &blocks, geometry, most).into_iter().zip(members) {
                found.entry(members[first]).or_default().push(*at);
            }
        }
        for members in found.into_values().filter(|members| members.len() > 1) {
            let Counting { stride, active, geometry, .. } = &counting[members[0]];
            let blocks: Vec<Block> = members.iter().map(|&at| counting[at].block()).collect();
            let count = count_group(stride, active, &blocks, geometry);
            let id = format!("group{}", result.groups.len());
            for &at in &members {
                let access = &mut result.accesses[at];
                access.group = Some(id.clone());
                access.class_alone = Some(access.class);
                access.class = class_of(count.class);
                access.class_within_rows = count.within_rows.map(class_of);
            }
            let member = |(at, block): (&usize, &Block)| Member {
                access: result.accesses[*at].id.clone(),
                offset: block.offset,
                bytes: block.bytes,
            };
            result.groups.push(Group {
                id,
                members: members.iter().zip(&blocks).map(member).collect(),
                sectors: count.sectors.map(count_of),
                lines: count.lines.map(count_of),
                least: count.least,
            });
        }
    }

    fn access(
        &mut self,
        block: BlockId,
        instruction: Value,
        memory: &Memory,
        number: usize,
        alike: &mut Alike,
    ) -> Option<(Access, Counting)> {
        if memory.pointer.address_space() == THREAD_MEMORY {
            return None;
        }
        let lowered = self.lowering.value_at(memory.pointer, block);
        let address = self.lowering.refine(&lowered.value, block);
        let (kind, object) = self.memory_of(&address)?;

        let shared = self.nest.thread_loop(self.cfg, block).cloned();
        let place = self.place_like(instruction, shared.as_ref(), alike);
        let stride = self.stride(&address, block, &place);
        let executions =
            alike.executions.get_or_insert_with(|| Rc::new(self.executions(block, shared.as_ref(), &place))).clone();
        let active = active_lanes(&executions);
        let cost = Cost::of(&address, &stride, &active, memory, kind, &place.geometry, &self.setting.banks);
        let false_sharing = self.false_sharing(&address, memory, block, shared.as_ref());
        let mut conditions = executions.conditions.clone();
        if shared.is_none() && !self.runs_in_all_threads(instruction) {
            conditions.push((Condition::OneThread, None));
        }
        let reported = conditions.iter().map(|(reported, _)| reported.clone()).collect();
        let rising = self.rising(&address, block);
        let text_of_rising =
            |(value, with): &(Polynomial, Polynomial)| Rising { name: self.text(value), with: self.text(with) };
        let reported_rising = rising.iter().map(text_of_rising).collect();
        self.reported.accesses.push(ReportedAccess { address: address.clone(), conditions, rising });
        let access = Access {
            id: AccessId(number as u32).to_string(),
            in_loop: self.reported_loop(block),
            kind: memory.kind,
            memory: kind,
            object,
            bytes: memory.bytes.unwrap_or(0),
            location: instruction.location(),
            called_from: called_from(&[instruction]),
            address: self.text(&address),
            stride: self.stride_text(&stride, memory.bytes),
            class: cost.class,
            class_alone: None,
            group: None,
            class_within_rows: cost.within_rows,
            sectors: cost.sectors,
            lines: cost.lines,
            greedy_requests: cost.greedy_requests,
            bank_passes: cost.bank_passes,
            active_lanes: executions.lanes.as_ref().map(|lanes| self.lanes(lanes)),
            conditions: reported,
            executions: self.reported_count(&executions.count),
            assumptions: assumptions(lowered.rests_on.and(self.lowering.guarantees_at(block))),
            one_thread: place.geometry.lanes == 1,
            may_be_combined: may_be_combined(instruction),
            moved: self.moved(&address, &place),
            rising: reported_rising,
            false_sharing,
        };
        let touch = self.touch(instruction, memory, address);
        Some((access, Counting { touch, stride, active, geometry: place.geometry, executions }))
    }

    fn touch(&self, instruction: Value, memory: &Memory, address: Polynomial) -> Touch {
        let (bytes, objects) = (memory.bytes.unwrap_or(0), self.objects(&address));
        Touch { instruction, kind: memory.kind, bytes, objects, address }
    }

    /// The place of an access in its parallel loop, which it has in common with others of its block.
    fn place_like(&mut self, instruction: Value, shared: Option<&SharedLoop>, alike: &mut Alike) -> Rc<Place> {
        let registers = self.lowering.threads.known();
        if shared.is_none() || alike.registers != registers {
            *alike = Alike { registers, ..Alike::default() };
        }
        Rc::clone(alike.place.get_or_insert_with(|| Rc::new(self.place_of(instruction, shared))))
    }

    /// Which memory an address leads to, and what a person would call the object there. None for a thread's own memory.
    fn memory_of(&self, address: &Polynomial) -> Option<(MemoryKind, String)> {
        let objects = self.objects(address);
        let is = |kind: ObjectKind| objects.iter().all(|&atom| self.lowering.object(atom) == Some(&kind));
        let kind = match () {
            () if is(ObjectKind::Global) => MemoryKind::Global,
            () if is(ObjectKind::Shared) => MemoryKind::Shared,
            () => return None,
        };
        let names: Vec<String> = objects.iter().map(|&atom| self.object_name(atom)).collect();
        Some((kind, if names.is_empty() { "?".into() } else { names.join(" or ") }))
    }

    /// What in an address rises or falls evenly with numbers of iterations, in floating point.
    fn rising(&mut self, address: &Polynomial, block: BlockId) -> Vec<(Polynomial, Polynomial)> {
        let in_address = |(atom, _): &(AtomId, Value)| self.lowering.space.mentions(address, *atom);
        let found: Vec<(AtomId, Value)> = self.lowering.rising.iter().copied().filter(in_address).collect();
        let with =
            |(atom, from): (AtomId, Value)| (Polynomial::from_atom(atom), self.lowering.value_at(from, block).value);
        found.into_iter().map(with).collect()
    }

    /// What in an address differs from lane to lane.
    fn moved(&self, address: &Polynomial, place: &Place) -> Vec<Moved> {
        if place.geometry.lanes == 1 {
            return Vec::new();
        }
        let in_address = |(atom, _): &(AtomId, &Polynomial)| self.lowering.space.mentions(address, *atom);
        let moved = |(atom, value): (AtomId, &Polynomial)| Moved {
            name: self.text(&Polynomial::from_atom(atom)),
            value: self.text(value),
        };
        place.map.moved().filter(in_address).map(moved).collect()
    }
}

/// What an access costs a warp.
struct Cost {
    class: Class,
    within_rows: Option<Class>,
    sectors: Option<Count>,
    lines: Option<Count>,
    greedy_requests: Option<u64>,
    bank_passes: Option<Passes>,
}

impl Cost {
    fn of(
        address: &Polynomial,
        stride: &Stride,
        active: &ActiveLanes,
        memory: &Memory,
        kind: MemoryKind,
        geometry: &MemoryGeometry,
        banks: &Banks,
    ) -> Cost {
        let nothing = Cost {
            class: Class::Unknown,
            within_rows: None,
            sectors: None,
            lines: None,
            greedy_requests: None,
            bank_passes: None,
        };
        let Some(bytes) = memory.bytes else { return nothing };
        let class = class_of(classify(stride, active, bytes, geometry));
        if kind == MemoryKind::Shared {
            let passes = bank_passes(stride, active, bytes, geometry.lanes, banks);
            let class = match (class, passes) {
                (Class::Uniform, _) | (_, None) => class,
                (_, Some(passes)) if passes.needed > passes.least => Class::BankConflict,
                _ => Class::ConflictFree,
            };
            let bank_passes = passes.map(|passes| Passes { needed: passes.needed, least: passes.least });
            return Cost { class, bank_passes, ..nothing };
        }
        // A large block is copied piece by piece, each piece by all lanes at once: lanes as far apart as their blocks are not coalesced,
        // and how large a piece is, the machine code decides.
        let in_pieces =
            bytes > geometry.sector_bytes && matches!(memory.kind, AccessKind::CopyFrom | AccessKind::CopyTo);
        let within = |bytes| classify_within_rows(stride, active, bytes, geometry).map(class_of);
        if in_pieces {
            return Cost {
                class: class_of(classify(stride, active, 1, geometry)),
                within_rows: within(bytes),
                ..nothing
            };
        }
        // The part of the address that is a number: with all bases and symbolic offsets on a line boundary, lane 0 is
        // this far from one.
        let offset = address.constant_term();
        Cost {
            class,
            within_rows: within(bytes),
            sectors: count_sectors(stride, active, bytes, &offset, geometry).map(count_of),
            lines: count_lines(stride, active, bytes, &offset, geometry).map(count_of),
            greedy_requests: greedy_requests(stride, bytes, geometry),
            bank_passes: None,
        }
    }
}

fn count_of(count: TransactionCount) -> Count {
    Count { aligned: count.aligned, worst: count.worst }
}

pub(crate) fn memory_operands(layout: DataLayout, instruction: Value) -> Vec<Memory> {
    let one = |kind, pointer, bytes| vec![Memory { kind, pointer, bytes: Some(bytes) }];
    match instruction.opcode() {
        Some(Opcode::LLVMLoad) => one(AccessKind::Load, instruction.operand(0), layout.store_size(instruction.ty())),
        Some(Opcode::LLVMStore) => {
            one(AccessKind::Store, instruction.operand(1), layout.store_size(instruction.operand(0).ty()))
        }
        Some(Opcode::LLVMAtomicRMW) => {
            one(AccessKind::Atomic, instruction.operand(0), layout.store_size(instruction.operand(1).ty()))
        }
        Some(Opcode::LLVMAtomicCmpXchg) => {
            one(AccessKind::Atomic, instruction.operand(0), layout.store_size(instruction.operand(1).ty()))
        }
        Some(Opcode::LLVMCall) => {
            let Some(callee) = instruction.callee() else { return Vec::new() };
            let size = || instruction.operand(2).as_int().and_then(|bytes| u64::try_from(bytes).ok());
            let to = || Memory { kind: AccessKind::CopyTo, pointer: instruction.operand(0), bytes: size() };
            let from = || Memory { kind: AccessKind::CopyFrom, pointer: instruction.operand(1), bytes: size() };
            callee.with_name(|name| {
                let operation = name.strip_prefix("llvm.").unwrap_or(name).split('.').next().unwrap_or("");
                if !openmp::is_block_operation(operation) {
                    results(layout, instruction)
                } else if operation != "memset" {
                    vec![from(), to()]
                } else if instruction.call_args().len() >= 3 {
                    vec![to()]
                } else {
                    Vec::new()
                }
            })
        }
        _ => Vec::new(),
    }
}

/// What a function of mathematics leaves where its arguments lead to.
fn results(layout: DataLayout, call: Value) -> Vec<Memory> {
    let results = openmp::effects(call).map(|effects| effects.results).unwrap_or_default();
    let memory = |result: openmp::OutResult| Memory {
        kind: AccessKind::Store,
        pointer: result.pointer(call),
        bytes: Some(result.bytes(call, layout)),
    };
    results.into_iter().map(memory).collect()
}

pub(crate) fn assumptions(rests_on: Guarantees) -> Vec<Guarantee> {
    let all = [
        (rests_on.no_signed_wrap, Guarantee::SignedArithmetic),
        (rests_on.no_unsigned_wrap, Guarantee::UnsignedArithmetic),
        (rests_on.shift_within_width, Guarantee::Shifts),
        (rests_on.disjoint_bits, Guarantee::DisjointBits),
        (rests_on.not_negative, Guarantee::NotNegative),
        (rests_on.loops_end, Guarantee::LoopsEnd),
        (rests_on.inbounds, Guarantee::PointersInObjects),
        (rests_on.assumed, Guarantee::Assumed),
    ];
    all.into_iter().filter(|(rests, _)| *rests).map(|(_, guarantee)| guarantee).collect()
}

fn class_of(class: CoalescingClass) -> Class {
    match class {
        CoalescingClass::Uniform => Class::Uniform,
        CoalescingClass::Coalesced => Class::Coalesced,
        CoalescingClass::Strided => Class::Strided,
        CoalescingClass::Uncoalesced => Class::Uncoalesced,
        CoalescingClass::Symbolic => Class::Symbolic,
        CoalescingClass::DataDependent => Class::DataDependent,
        CoalescingClass::Unknown => Class::Unknown,
    }
}

/// Whether it updates an integer of 32 bits or less in a way that several updates of a place can be one, and nobody uses what was there before.
fn may_be_combined(instruction: Value) -> bool {
    instruction.is(Opcode::LLVMAtomicRMW)
        && instruction.commuting_update().is_some()
        && instruction.users().is_empty()
        && instruction.ty().int_bits().is_some_and(|bits| bits <= 32)
}
