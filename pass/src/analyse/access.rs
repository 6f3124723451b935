//! Memory accesses: the operands that touch memory, and what each costs a warp.

use super::Analysis;
use super::executions::Executions;
use super::stride::Place;
use crate::cfg::BlockId;
use crate::ir::{DataLayout, Opcode, Value, called_from};
use crate::lower::{Guarantees, ObjectKind, THREAD_MEMORY};
use ipda_models::report::{Access, AccessKind, Class, Count, MemoryKind, Passes, Quantity, Region, StrideKind};
use ipda_symbolic::{
    AccessId, ActiveLanes, Banks, CoalescingClass, Coeff, LaneCondition, MemoryGeometry, Polynomial, Stride,
    TransactionCount, bank_passes, classify, classify_within_rows, count_lines, count_sectors, greedy_requests,
};
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

impl Analysis<'_> {
    pub(super) fn accesses(&mut self, result: &mut Region) {
        for block in 0..self.cfg.blocks.len() {
            let mut alike = Alike::default();
            for instruction in self.cfg.blocks[block].instructions() {
                for memory in memory_operands(self.setting.layout, instruction) {
                    let number = result.accesses.len();
                    result.accesses.extend(self.access(block, instruction, &memory, number, &mut alike));
                }
            }
        }
    }

    fn access(
        &mut self,
        block: BlockId,
        instruction: Value,
        memory: &Memory,
        number: usize,
        alike: &mut Alike,
    ) -> Option<Access> {
        if memory.pointer.address_space() == THREAD_MEMORY {
            return None;
        }
        let lowered = self.lowering.value_at(memory.pointer, block);
        let address = self.lowering.refine(&lowered.value, block);
        let (kind, object) = self.memory_of(&address)?;

        let shared = self.nest.thread_loop(self.cfg, block).cloned();
        let registers = self.lowering.threads.known();
        if shared.is_none() || alike.registers != registers {
            *alike = Alike { registers, ..Alike::default() };
        }
        let place = alike.place.get_or_insert_with(|| Rc::new(self.place_of(instruction, shared.as_ref()))).clone();
        let stride = self.stride(&address, block, &place);
        let executions =
            alike.executions.get_or_insert_with(|| Rc::new(self.executions(block, shared.as_ref(), &place))).clone();
        let active = match &executions.lanes {
            Some(LaneCondition::Lanes(marked)) => ActiveLanes::Only(marked.clone()),
            _ => ActiveLanes::All,
        };
        let cost = Cost::of(&address, &stride, &active, memory, kind, &place.geometry, &self.setting.banks);
        if kind == MemoryKind::Global {
            match (cost.sectors, &executions.count) {
                (Some(sectors), Ok(count)) => {
                    self.sectors = &self.sectors + &count.scale(&Coeff::from(sectors.aligned));
                }
                _ => self.without_count += 1,
            }
        }
        let false_sharing = self.false_sharing(&address, memory, block, shared.as_ref());
        let steps = self.steps(&address, &stride, &place, &cost, memory.bytes);
        let count = match &executions.count {
            Ok(count) => Quantity { value: Some(self.text(count)), unknown: None },
            Err(reason) => Quantity { value: None, unknown: Some(reason.clone()) },
        };
        let condition = match (executions.condition.clone(), shared.is_none() && !self.runs_in_all_threads(instruction))
        {
            (Some(condition), true) => Some(format!("{condition}; one thread of the team")),
            (None, true) => Some("one thread of the team".into()),
            (condition, false) => condition,
        };
        Some(Access {
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
            class_within_rows: cost.within_rows,
            sectors: cost.sectors,
            lines: cost.lines,
            greedy_requests: cost.greedy_requests,
            bank_passes: cost.bank_passes,
            active_lanes: executions.lanes.as_ref().map(|lanes| self.lanes_text(lanes)),
            condition,
            executions: count,
            assumptions: assumptions(lowered.rests_on.and(self.lowering.guarantees_at(block))),
            steps,
            false_sharing,
        })
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

    /// How the stride follows from the address, a sentence a step.
    fn steps(
        &self,
        address: &Polynomial,
        stride: &Stride,
        place: &Place,
        cost: &Cost,
        bytes: Option<u64>,
    ) -> Vec<String> {
        let mut steps = vec![format!("the address is {}", self.text(address))];
        if place.geometry.lanes == 1 {
            steps.push("one thread makes the access".into());
            return steps;
        }
        for (atom, value) in place.map.moved() {
            if self.lowering.space.mentions(address, atom) {
                let (atom, value) = (self.text(&Polynomial::from_atom(atom)), self.text(value));
                steps.push(format!("in lane t of a warp, {atom} is {value}, with t for [lane number]"));
            }
        }
        let text = self.stride_text(stride, bytes);
        let from = "so the distance of lane t from lane 0 is";
        steps.push(match (text.kind, text.text.as_deref(), text.reason) {
            (StrideKind::Constant, Some("0"), _) => "it is the same in all lanes".into(),
            (StrideKind::Constant | StrideKind::Symbolic, Some(stride), _) => format!("{from} t times {stride} bytes"),
            (StrideKind::Vector, Some(lanes), _) => format!("{from}, lane by lane, {lanes} bytes"),
            (StrideKind::PerLane, Some(distance), _) => format!("{from} {distance} bytes"),
            (StrideKind::RowEnds, Some(within), _) => format!(
                "so neighbouring lanes are {within} bytes apart, and {} where a row of {} ends between them",
                text.at_row_ends.unwrap_or_default(),
                text.row_length.unwrap_or_default()
            ),
            (_, _, reason) => format!("so no distance between lanes is known: {}", reason.unwrap_or_default()),
        });
        if let (Some(sectors), Some(bytes)) = (cost.sectors, bytes) {
            let sector = place.geometry.sector_bytes;
            steps.push(format!(
                "{bytes} bytes in each lane touch {} sectors of {sector} bytes with the base on a line, and {} at worst",
                sectors.aligned, sectors.worst
            ));
        }
        if let Some(passes) = cost.bank_passes {
            steps.push(format!("the banks need {} passes, {} without conflicts", passes.needed, passes.least));
        }
        steps
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
        let count = |count: TransactionCount| Count { aligned: count.aligned, worst: count.worst };
        Cost {
            class,
            within_rows: within(bytes),
            sectors: count_sectors(stride, active, bytes, &offset, geometry).map(count),
            lines: count_lines(stride, active, bytes, &offset, geometry).map(count),
            greedy_requests: greedy_requests(stride, bytes, geometry),
            bank_passes: None,
        }
    }
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
                if !crate::omp::is_block_operation(operation) {
                    Vec::new()
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

pub(crate) fn assumptions(rests_on: Guarantees) -> Vec<String> {
    let sentences = [
        (rests_on.no_signed_wrap, "signed index arithmetic does not overflow (the language leaves overflow undefined)"),
        (
            rests_on.no_unsigned_wrap,
            "index arithmetic that the compiler marked free of unsigned overflow does not overflow",
        ),
        (rests_on.shift_within_width, "shifts are by less than the width (the language leaves others undefined)"),
        (rests_on.disjoint_bits, "numbers that the compiler marked as without common bits have none"),
        (rests_on.not_negative, "values that the compiler marked as not negative are not"),
        (rests_on.loops_end, "loops that do nothing that others see end (the language lets the compiler suppose it)"),
        (rests_on.inbounds, "pointers that are compared stay in their objects (the language leaves others undefined)"),
        (rests_on.assumed, "what the program asks the compiler to assume holds"),
    ];
    sentences.into_iter().filter(|(rests, _)| *rests).map(|(_, sentence)| sentence.to_string()).collect()
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
