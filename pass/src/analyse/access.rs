//! Memory accesses: the operands that touch memory, and what each costs a warp.

use super::Analysis;
use crate::cfg::BlockId;
use crate::ir::{DataLayout, Opcode, Value, called_from};
use crate::lower::{Guarantees, ObjectKind};
use ipda_models::report::{Access, AccessKind, Class, Count, Quantity, Region};
use ipda_symbolic::{
    AccessId, CoalescingClass, Coeff, classify, classify_within_rows, count_lines, count_sectors, greedy_requests,
};

/// A memory operand of an instruction.
struct Memory {
    kind: AccessKind,
    pointer: Value,
    /// None where the number of bytes is not a constant.
    bytes: Option<u64>,
}

impl Analysis<'_> {
    pub(super) fn accesses(&mut self, result: &mut Region) {
        for block in 0..self.cfg.blocks.len() {
            for instruction in self.cfg.blocks[block].instructions() {
                for memory in memory_operands(self.setting.layout, instruction) {
                    if let Some(access) = self.access(block, instruction, &memory, result.accesses.len()) {
                        result.accesses.push(access);
                    }
                }
            }
        }
    }

    fn access(&mut self, block: BlockId, instruction: Value, memory: &Memory, number: usize) -> Option<Access> {
        const SHARED_MEMORY: u32 = 3;
        const THREAD_MEMORY: u32 = 5;
        if matches!(memory.pointer.address_space(), SHARED_MEMORY | THREAD_MEMORY) {
            return None;
        }
        let lowered = self.lowering.value_at(memory.pointer, block);
        let address = self.lowering.refine(&lowered.value, block);
        let objects = self.objects(&address);
        if objects.iter().any(|&atom| self.lowering.object(atom) != Some(&ObjectKind::Global)) {
            return None;
        }
        let object = match objects[..] {
            [] => "?".to_string(),
            _ => {
                let names: Vec<String> = objects.iter().map(|&atom| self.object_name(atom)).collect();
                names.join(" or ")
            }
        };

        let shared = self.nest.thread_loop(self.cfg, block).cloned();
        let (stride, geometry) = self.stride(&address, block, instruction, shared.as_ref());
        // The part of the address that is a number: with all bases and symbolic offsets on a line boundary, lane 0 is
        // this far from one.
        let offset = address.constant_term();
        let bytes = memory.bytes;
        // A large block is copied piece by piece, each piece by all lanes at once: lanes as far apart as their blocks are not coalesced,
        // and how large a piece is, the machine code decides.
        let in_pieces = bytes.is_some_and(|bytes| bytes > geometry.sector_bytes)
            && matches!(memory.kind, AccessKind::CopyFrom | AccessKind::CopyTo);
        let counted = bytes.filter(|_| !in_pieces);
        let sectors = counted.and_then(|bytes| count_sectors(&stride, bytes, &offset, &geometry));
        let lines = counted.and_then(|bytes| count_lines(&stride, bytes, &offset, &geometry));
        let class = match bytes {
            Some(_) if in_pieces => classify(&stride, 1, &geometry),
            Some(bytes) => classify(&stride, bytes, &geometry),
            None => CoalescingClass::Unknown,
        };
        let greedy = counted.and_then(|bytes| greedy_requests(&stride, bytes, &geometry));
        let (condition, executions) = self.executions(block, shared.as_ref());
        match (sectors, &executions) {
            (Some(sectors), Ok(count)) => {
                self.sectors = &self.sectors + &count.scale(&Coeff::from(sectors.aligned as i64));
            }
            _ => self.without_count += 1,
        }
        let executions = match executions {
            Ok(count) => Quantity { value: Some(self.text(&count)), unknown: None },
            Err(reason) => Quantity { value: None, unknown: Some(reason) },
        };
        let condition = match (condition, shared.is_none() && !self.runs_in_all_threads(instruction)) {
            (Some(condition), true) => Some(format!("{condition}; one thread of the team")),
            (None, true) => Some("one thread of the team".into()),
            (condition, false) => condition,
        };
        let chain = self.cfg.loop_chain(self.cfg.loop_of(block)).find_map(|at| self.visible.get(&at));
        Some(Access {
            id: AccessId(number as u32).to_string(),
            in_loop: chain.map(|number| format!("loop{number}")),
            kind: memory.kind,
            object,
            bytes: bytes.unwrap_or(0),
            location: instruction.location(),
            called_from: called_from(&[instruction]),
            address: self.text(&address),
            stride: self.stride_text(&stride, bytes),
            class: class_text(class),
            class_within_rows: bytes.and_then(|bytes| classify_within_rows(&stride, bytes, &geometry)).map(class_text),
            sectors: sectors.map(|count| Count { aligned: count.aligned, worst: count.worst }),
            lines: lines.map(|count| Count { aligned: count.aligned, worst: count.worst }),
            greedy_requests: greedy,
            condition,
            executions,
            assumptions: assumptions(lowered.rests_on.and(self.lowering.guarantees_at(block))),
        })
    }
}

fn memory_operands(layout: DataLayout, instruction: Value) -> Vec<Memory> {
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
            let name = instruction.callee().map(Value::name).unwrap_or_default();
            let size = || instruction.operand(2).as_int().and_then(|bytes| u64::try_from(bytes).ok());
            let to = || Memory { kind: AccessKind::CopyTo, pointer: instruction.operand(0), bytes: size() };
            let from = || Memory { kind: AccessKind::CopyFrom, pointer: instruction.operand(1), bytes: size() };
            let operation = name.strip_prefix("llvm.").unwrap_or(&name).split('.').next().unwrap_or("");
            if !crate::omp::is_block_operation(operation) {
                Vec::new()
            } else if operation != "memset" {
                vec![from(), to()]
            } else if instruction.call_args().len() >= 3 {
                vec![to()]
            } else {
                Vec::new()
            }
        }
        _ => Vec::new(),
    }
}

fn assumptions(rests_on: Guarantees) -> Vec<String> {
    let sentences = [
        (rests_on.no_signed_wrap, "signed index arithmetic does not overflow (the language leaves overflow undefined)"),
        (
            rests_on.no_unsigned_wrap,
            "index arithmetic that the compiler marked free of unsigned overflow does not overflow",
        ),
        (rests_on.shift_within_width, "shifts are by less than the width (the language leaves others undefined)"),
        (rests_on.disjoint_bits, "operands that the compiler marked as without common bits have none"),
        (rests_on.not_negative, "values that the compiler marked as not negative are not"),
        (rests_on.loops_end, "loops that do nothing that others see end (the language lets the compiler suppose it)"),
        (rests_on.inbounds, "pointers that are compared stay in their objects (the language leaves others undefined)"),
        (rests_on.assumed, "what the program asks the compiler to assume holds"),
    ];
    sentences.into_iter().filter(|(rests, _)| *rests).map(|(_, sentence)| sentence.to_string()).collect()
}

fn class_text(class: CoalescingClass) -> Class {
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
