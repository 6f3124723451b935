//! Reaching stores: what a load finds in memory because its own thread has put it there.
//!
//! MemorySSA gives the last write before a place that may have written what is read; it dominates the place. So what the write
//! was computed from still has the same values (a way that came by one of those definitions again would come by the write again), and
//! the addresses of both compare as polynomials. What other threads write in between is no matter: without an order between the
//! threads it were a race, and what makes an order is a call that MemorySSA takes for a write.

use super::data::may_be_local;
use super::limits::Limit;
use super::{ADDRESS_BITS, Lowered, Lowering};
use crate::openmp;
use ipda_llvm::{BlockId, Opcode, Place, Value, Write};
use ipda_symbolic::{Coeff, Interval, Polynomial, TripCount};

/// Writes that are looked at for one load.
const MAX_WRITES: u32 = 24;

/// Writes to different places that together make what is read.
const MAX_PARTS: usize = 8;

/// Steps of work that a write takes to be found.
const STEPS_OF_WRITE: usize = 64;

/// What is looked for.
#[derive(Clone)]
struct Sought {
    /// The load, or the copy that reads what is looked for.
    reader: Value,
    address: Polynomial,
    bits: u32,
    is_pointer: bool,
    /// From where it is looked at: loops in between have ended.
    block: BlockId,
}

/// What memory holds.
enum Content {
    /// Nothing that the program may read.
    Nothing,
    Is(Lowered),
}

/// How a write's place lies to the one that is read.
enum Position {
    Same,
    Apart,
    /// The same where the polynomial is 0, else apart.
    SameWhereZero(Polynomial),
}

impl Lowering<'_> {
    /// The value that a load finds because this thread has stored it; none where that is not known.
    pub(super) fn stored_value(
        &mut self,
        load: Value,
        address: &Polynomial,
        bits: u32,
        block: BlockId,
    ) -> Option<Lowered> {
        let sought = Sought { reader: load, address: address.clone(), bits, is_pointer: load.ty().is_pointer(), block };
        match self.content(&sought, Place::Reader, &mut { MAX_WRITES })? {
            Content::Is(value) => Some(value),
            Content::Nothing => None,
        }
    }

    /// What memory holds at a place. `left` bounds the work.
    fn content(&mut self, sought: &Sought, place: Place, left: &mut u32) -> Option<Content> {
        let mut place = place;
        // Stores that may have been to where is read, by the distance from there; the later first.
        let mut parts: Vec<(Polynomial, Lowered)> = Vec::new();
        let before = loop {
            let Some(fewer) = left.checked_sub(1) else {
                self.met(Limit::Writes);
                return None;
            };
            *left = fewer;
            if self.gives_up(STEPS_OF_WRITE) {
                return None;
            }
            let write = match self.copy.last_write(sought.reader, place)? {
                // What is in a variable that was never written may not be read.
                Write::Nothing if self.read_variable(sought).is_some() => break Content::Nothing,
                Write::Nothing => return None,
                Write::Merge(block) => break self.merged(sought, self.cfg.id(block)?, left)?,
                Write::Instruction(write) => write,
            };
            place = Place::Before(write);
            if openmp::begins_or_ends_life(write) {
                let is_same = self.local_object(write.operand(1)) == Some(self.read_variable(sought)?);
                break is_same.then_some(Content::Nothing)?;
            }
            if !write.is(Opcode::LLVMStore) {
                match self.block_written(sought, write, left)? {
                    Some(content) => break content,
                    None => continue,
                }
            }
            if write.is_volatile_or_atomic() {
                return None;
            }
            let target = self.value_at(write.operand(1), sought.block);
            let position = self.position(sought, &target.value, self.layout.store_size(write.operand(0).ty()))?;
            if matches!(position, Position::Apart) {
                continue;
            }
            if self.bits(write.operand(0)) != Some(sought.bits) {
                return None;
            }
            let mut stored = self.value_at(write.operand(0), sought.block);
            stored.rests_on = stored.rests_on.and(target.rests_on);
            match position {
                Position::Apart => {}
                Position::Same => break Content::Is(stored),
                Position::SameWhereZero(distance) => self.add_part(&mut parts, distance, stored)?,
            }
        };
        if parts.is_empty() { Some(before) } else { self.joined(sought, parts, before) }
    }

    /// Adds a store that may have been to where is read, so far from there. A later store to the same place wins; two that are not known to be the
    /// same or apart do not add up.
    fn add_part(&self, parts: &mut Vec<(Polynomial, Lowered)>, distance: Polynomial, stored: Lowered) -> Option<()> {
        let apart = |(other, _): &(Polynomial, Lowered)| (&distance - other).as_constant().cloned();
        let apart: Vec<Coeff> = parts.iter().map(apart).collect::<Option<_>>()?;
        if apart.iter().all(|apart| !apart.is_zero()) {
            if parts.len() == MAX_PARTS {
                self.met(Limit::StoreParts);
                return None;
            }
            parts.push((distance, stored));
        }
        Some(())
    }

    /// What the stores leave that may have been to where is read, and what was there before them.
    fn joined(&mut self, sought: &Sought, parts: Vec<(Polynomial, Lowered)>, before: Content) -> Option<Content> {
        let mut elsewhere = Polynomial::from(1);
        let mut gated = Vec::new();
        for (distance, stored) in parts {
            let here = self.space.zero(&distance);
            elsewhere = &elsewhere - &here;
            gated.push((here, stored));
        }
        match before {
            Content::Is(value) => gated.push((elsewhere, value)),
            // Of what the program may read, one of the stores must be the source.
            Content::Nothing => {}
        }
        let facts = self.facts_at(sought.block);
        self.gate(gated, sought.bits, &facts).map(Content::Is)
    }

    /// The local variable that is read.
    fn read_variable(&self, sought: &Sought) -> Option<Value> {
        self.local_object(sought.reader.operand(u32::from(!sought.reader.is(Opcode::LLVMLoad))))
    }

    /// How the bytes that a store writes at `target` lie to those that are read. None where they may overlap in part.
    fn position(&mut self, sought: &Sought, target: &Polynomial, size: u64) -> Option<Position> {
        let bytes = u64::from(sought.bits.div_ceil(8));
        let distance = self.space.congruent(ADDRESS_BITS, &(&sought.address - target));
        if let Some(constant) = distance.as_constant() {
            let is_apart = *constant >= Coeff::from(size) || -constant >= Coeff::from(bytes);
            return match constant.is_zero() && size == bytes {
                true => Some(Position::Same),
                false => is_apart.then_some(Position::Apart),
            };
        }
        // The distance is known modulo 2^64 only, unless it is small enough.
        let facts = self.facts_at(sought.block);
        let width = Interval::between(-Coeff::pow2(63), Coeff::pow2(63));
        let is_whole = size == bytes && distance.content().rem_euclid(&Coeff::from(size))?.is_zero();
        let range = self.space.range_under(&distance, &facts);
        (is_whole && range.is_within(&width)).then_some(Position::SameWhereZero(distance))
    }

    /// What a block operation leaves where is read: `Some(None)` where it does not write there, `None` where that is not known.
    fn block_written(&mut self, sought: &Sought, call: Value, left: &mut u32) -> Option<Option<Content>> {
        let operation = openmp::block_operation(call)?;
        let args = call.call_args();
        let target = self.value_at(args[0], sought.block).value;
        let offset = self.space.congruent(ADDRESS_BITS, &(&sought.address - &target));
        let length = args[2].as_int().and_then(|length| u64::try_from(length).ok())?;
        let bytes = u64::from(sought.bits.div_ceil(8));
        if let Some(constant) = offset.as_constant()
            && (*constant >= Coeff::from(length) || -constant >= Coeff::from(bytes))
        {
            return Some(None);
        }
        // All of a variable: what may be read of it lies in there.
        let is_whole = args[0].allocated_bytes(self.layout).is_some_and(|size| size <= length)
            && !offset.atoms().into_iter().any(|atom| self.object(atom).is_some());
        let facts = self.facts_at(sought.block);
        let room = &Polynomial::from(Coeff::from(length.checked_sub(bytes)?)) - &offset;
        let is_inside =
            is_whole || self.space.proves_nonneg(&offset, &facts) && self.space.proves_nonneg(&room, &facts);
        if !is_inside {
            return None;
        }
        match operation {
            openmp::BlockOperation::Fill => {
                let byte = args[1].as_int()? as u8;
                let unused = 64_u32.checked_sub(sought.bits)?;
                let value = i64::from_le_bytes([byte; 8]) << unused >> unused;
                Some(Some(Content::Is(self.number(value, sought.bits))))
            }
            openmp::BlockOperation::Copy => {
                let source = self.value_at(args[1], sought.block).value;
                let address = self.space.congruent(ADDRESS_BITS, &(&source + &offset));
                let sought = Sought { reader: call, address, ..sought.clone() };
                self.copied(&sought, call, left).map(Some)
            }
        }
    }

    /// What a copy found where it read.
    fn copied(&mut self, sought: &Sought, copy: Value, left: &mut u32) -> Option<Content> {
        if let Some(content) = self.content(sought, Place::Reader, left) {
            return Some(content);
        }
        // In loops that have ended since, the copy's source may have been another in each iteration.
        let copied_in = self.cfg.id(copy.block())?;
        let all_go_on = |this: &Self| {
            this.cfg.loop_chain(this.cfg.loop_of(copied_in)).all(|index| this.cfg.loops[index].contains(sought.block))
        };
        if self.owner(&sought.address).is_some()
            || may_be_local(copy.operand(1))
            || !all_go_on(self)
            || self.changes_by_turns(copy)
        {
            return None;
        }
        Some(Content::Is(self.loaded(copy, &sought.address, sought.bits, sought.is_pointer, sought.block)))
    }

    /// What memory holds behind a merge of control flow: the sum over the ways of what it holds there times the way's condition.
    fn merged(&mut self, sought: &Sought, block: BlockId, left: &mut u32) -> Option<Content> {
        let cfg = self.cfg;
        if let Some(index) = cfg.loops.iter().position(|natural| natural.header == block) {
            return self.filled(sought, index).map(Content::Is);
        }
        let top = cfg.immediate_dominator(block)?;
        // In a loop that has ended since, which way was taken changed from iteration to iteration.
        if cfg.loop_chain(cfg.loop_of(block)).any(|index| !cfg.loops[index].contains(sought.block))
            || cfg.loop_chain(cfg.loop_of(top)).any(|index| !cfg.loops[index].contains(block))
        {
            return None;
        }
        let mut parts = Vec::new();
        for &from in &cfg.predecessors[block] {
            let edge = Place::Edge { from: cfg.blocks[from], to: cfg.blocks[block] };
            if let Content::Is(value) = self.content(sought, edge, left)? {
                parts.push((self.edge_condition(top, from, block)?, value));
            }
        }
        if parts.is_empty() {
            return Some(Content::Nothing);
        }
        let facts = self.facts_at(sought.block);
        self.gate(parts, sought.bits, &facts).map(Content::Is)
    }

    /// An element of an array that a loop has filled: what the one store of the loop put there in the iteration that came by.
    fn filled(&mut self, sought: &Sought, index: usize) -> Option<Lowered> {
        let cfg = self.cfg;
        let natural = &cfg.loops[index];
        let [latch] = natural.latches[..] else { return None };
        if natural.contains(sought.block) || self.is_handed_out(index) {
            return None;
        }
        let edge = Place::Edge { from: cfg.blocks[latch], to: cfg.blocks[natural.header] };
        let Write::Instruction(store) = self.copy.last_write(sought.reader, edge)? else { return None };
        let block = cfg.id(store.block())?;
        let is_whole = store.is(Opcode::LLVMStore)
            && !store.is_volatile_or_atomic()
            && self.bits(store.operand(0)) == Some(sought.bits);
        // Once in each iteration, and nothing else in the loop writes there.
        let runs_always = cfg.loop_of(block) == Some(index)
            && cfg.dominates(block, latch)
            && !(self.is_tested_first(index) && block == natural.header);
        let blocks = natural.blocks.iter().map(|&block| cfg.blocks[block]);
        if !is_whole || !runs_always || self.copy.may_be_written(sought.reader, blocks, &[store]) {
            return None;
        }
        let TripCount::Exactly(count) = self.trip_count(index) else { return None };
        let size = self.layout.store_size(store.operand(0).ty());
        let atom = self.iteration(index).as_atom()?;
        let target = self.value_at(store.operand(1), block).value;
        let (rate, first) = self.space.split_affine(&target, atom)?;
        let rate = rate.as_constant()?.clone();
        // Different iterations write to different places, also modulo 2^64.
        let most = self.space.range(&count).high()?.clone();
        if rate.abs() < Coeff::from(size) || &most * &rate.abs() >= Coeff::pow2(63) || self.varies_in(&first, index) {
            return None;
        }
        let offset = self.space.congruent(ADDRESS_BITS, &(&sought.address - &first));
        let number = offset.div_exact(&rate)?;
        let facts = self.facts_at(sought.block);
        let rest = &(&count - &number) - &Polynomial::from(1);
        let came_by = self.space.proves_nonneg(&number, &facts) && self.space.proves_nonneg(&rest, &facts);
        let is_of_variable = !offset.atoms().into_iter().any(|atom| self.object(atom).is_some());
        let is_written = came_by || is_of_variable && self.fills_variable(store, &first, &rate, &count);
        if !is_written {
            return None;
        }
        let mut stored = self.value_at(store.operand(0), block);
        stored.value = self.space.substitute(&stored.value, &mut |at| (at == atom).then(|| number.clone()));
        (!self.varies_in(&stored.value, index)).then_some(stored)
    }

    /// Whether a loop's store fills a whole local variable, so that what may be read of it lies in what was written.
    fn fills_variable(&mut self, store: Value, first: &Polynomial, rate: &Coeff, count: &Polynomial) -> bool {
        let Some(object) = self.local_object(store.operand(1)) else { return false };
        let start = self.lower(object).value;
        let (Some(size), Some(count)) = (object.allocated_bytes(self.layout), count.as_constant()) else {
            return false;
        };
        let filled = &rate.abs() * count;
        let lowest = if rate.is_positive() { first.clone() } else { first - &Polynomial::from(&filled - &rate.abs()) };
        lowest == start && filled >= Coeff::from(size)
    }
}
