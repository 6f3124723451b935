//! Objects in memory, the addresses in them, and the values read from them: a load is an atom of its address and its
//! epoch.

use super::data::{is_local, is_shared_variable, may_be_local};
use super::table::Entry;
use super::{ADDRESS_BITS, Epoch, Guarantees, Lowered, Lowering, ObjectKind};
use ipda_llvm::{BlockId, Opcode, Place, TypeKind, Value, Write};
use ipda_symbolic::{AtomId, Coeff, Interval, LoopId, Polynomial, Signedness, Symbol, Varies};
use std::collections::BTreeSet;

impl Lowering<'_> {
    /// What a pointer atom stands for; none for atoms that are no pointers.
    pub(crate) fn object(&self, atom: AtomId) -> Option<&ObjectKind> {
        self.objects.get(&atom)
    }

    pub(super) fn pointer(&mut self, name: &str, bits: u32, kind: ObjectKind) -> Lowered {
        let range = Interval::of_width(bits, Signedness::Unsigned);
        let value = self.space.symbol(Symbol { name: name.into(), range, varies: Varies::No });
        self.objects.insert(value.as_atom().expect("a symbol is one atom"), kind);
        Lowered { value, bits, signed: false, unsigned: true, rests_on: Guarantees::default() }
    }

    /// A pointer without a closed form, of which it is known that it leads into variables of this thread.
    pub(super) fn note_local_pointer(&mut self, value: Value, lowered: &Lowered) {
        if let Some(Opcode::LLVMPHI | Opcode::LLVMSelect) = value.opcode()
            && value.ty().is_pointer()
            && let Some(atom) = lowered.value.as_atom()
            && !self.objects.contains_key(&atom)
            && is_local(value)
        {
            self.objects.insert(atom, ObjectKind::Private);
        }
    }

    pub(super) fn element_pointer(&mut self, value: Value, bits: u32, block: BlockId) -> Lowered {
        let base = self.value_at(value.operand(0), block);
        let mut address = base.value;
        let mut rests_on = base.rests_on;
        let mut ty = value.gep_source();
        for position in 1..value.operand_count() {
            let index = value.operand(position);
            if position > 1 && ty.kind() == TypeKind::LLVMStructTypeKind {
                let field = index.as_int().unwrap_or(0) as u32;
                address = &address + &Polynomial::from(self.layout.field_offset(ty, field) as i64);
                ty = ty.field(field);
                continue;
            }
            if position > 1 {
                ty = ty.element();
            }
            let size = Coeff::from(self.layout.alloc_size(ty) as i64);
            let lowered = self.value_at(index, block);
            rests_on = rests_on.and(lowered.rests_on);
            let index =
                if lowered.bits < bits { self.exact_in(&lowered, Signedness::Signed, block) } else { lowered.value };
            address = &address + &index.scale(&size);
        }
        // An address is never widened: a residue is all that is asked of it.
        let value = self.space.congruent(bits, &address);
        Lowered { value, bits, signed: false, unsigned: false, rests_on }
    }

    /// Where the pointer of an access begins and how far from there it leads, as an exact integer, if its steps are marked as staying in one
    /// object. Last steps without the mark may be small ones: where they end is accessed, and so in the object, or an object's size away.
    pub(crate) fn exact_offset(&mut self, pointer: Value, block: BlockId) -> Option<(Value, Polynomial, Guarantees)> {
        const SMALL_BITS: u32 = 62;
        let (mut at, mut offset, mut rests_on) = (pointer, Polynomial::zero(), Guarantees::default());
        let mut last_steps = true;
        while at.is(Opcode::LLVMGetElementPtr) {
            if at.is_inbounds() && last_steps {
                last_steps = false;
                let facts = self.facts_at(block);
                let small = Interval::of_width(SMALL_BITS, Signedness::Signed);
                if !self.space.is_within(&offset, &facts, &small) {
                    return None;
                }
            }
            if !at.is_inbounds() && !last_steps {
                return None;
            }
            let mut ty = at.gep_source();
            for position in 1..at.operand_count() {
                let index = at.operand(position);
                if position > 1 && ty.kind() == TypeKind::LLVMStructTypeKind {
                    let field = index.as_int()? as u32;
                    offset = &offset + &Polynomial::from(self.layout.field_offset(ty, field) as i64);
                    ty = ty.field(field);
                    continue;
                }
                if position > 1 {
                    ty = ty.element();
                }
                let size = Coeff::from(self.layout.alloc_size(ty) as i64);
                let (index, own) = self.signed_at(index, block, 0)?;
                rests_on = rests_on.and(own);
                offset = &offset + &index.scale(&size);
            }
            at = at.operand(0);
        }
        (!last_steps || at == pointer).then_some((at, offset, rests_on))
    }

    /// An integer as its exact signed value where the facts of a block hold: what is marked as free of signed overflow is so if its operands
    /// are what they seem.
    fn signed_at(&mut self, value: Value, block: BlockId, depth: u32) -> Option<(Polynomial, Guarantees)> {
        const MAX_DEPTH: u32 = 16;
        let lowered = self.value_at(value, block);
        if lowered.signed || lowered.bits < ADDRESS_BITS || depth == MAX_DEPTH {
            return Some((self.exact_in(&lowered, Signedness::Signed, block), lowered.rests_on));
        }
        let operation = value.opcode().filter(|_| value.is_instruction() && value.has_nsw());
        if let Some(opcode @ (Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul)) = operation
            && self.is_seen_as_it_is(value, block)
            && !self.is_signed_in(&lowered, block)
        {
            let (left, one) = self.signed_at(value.operand(0), block, depth + 1)?;
            let (right, other) = self.signed_at(value.operand(1), block, depth + 1)?;
            let exact = match opcode {
                Opcode::LLVMAdd => &left + &right,
                Opcode::LLVMSub => &left - &right,
                _ => self.space.product(&left, &right)?,
            };
            return Some((exact, Guarantees { no_signed_wrap: true, ..one.and(other) }));
        }
        Some((self.exact_in(&lowered, Signedness::Signed, block), lowered.rests_on))
    }

    /// Whether no loop ends between a value's definition and a block.
    fn is_seen_as_it_is(&self, value: Value, block: BlockId) -> bool {
        let definition = self.cfg.id(value.block());
        definition.is_some_and(|at| {
            self.cfg.loop_chain(self.cfg.loop_of(at)).all(|index| self.cfg.loops[index].contains(block))
        })
    }

    pub(super) fn load(&mut self, value: Value, bits: u32, block: BlockId) -> Lowered {
        let address = self.value_at(value.operand(0), block);
        let name = self.names.get(&value).cloned();
        let is_pointer = value.ty().is_pointer();
        if let Some(known) = self.launch_value(&address.value, bits) {
            return known;
        }
        let owner = self.owner(&address.value);
        if is_pointer && owner == Some(ObjectKind::Runtime) {
            return self.pointer("a record", bits, ObjectKind::Runtime);
        }
        if !value.is_volatile_or_atomic()
            && let Some(stored) = self.stored_value(value, &address.value, bits, block)
        {
            return Lowered { rests_on: stored.rests_on.and(address.rests_on), ..stored };
        }
        let name = name.as_deref();
        if owner.is_some() || may_be_local(value.operand(0)) {
            let varies = match owner {
                Some(ObjectKind::Shared) => Varies::Data("it is read from memory that a team shares".into()),
                None if !is_local(value.operand(0)) => {
                    self.varies_as_computed(value, "it is read through a pointer that is not followed")
                }
                _ => match self.varies_as_computed(value, "it is kept in a local variable in memory") {
                    Varies::PerThread(_) if is_shared_variable(value.operand(0)) => Varies::Data(
                        "it is kept in a variable that a team's threads share, and that they may write".into(),
                    ),
                    varies => varies,
                },
            };
            return self.result_of(value, bits, name.unwrap_or("a value in memory"), varies);
        }
        if value.is_volatile_or_atomic() || self.changes_by_turns(value) {
            let varies = Varies::Data("it is read from memory that other threads may change".into());
            return self.result_of(value, bits, name.unwrap_or("a value in memory"), varies);
        }
        let loaded = self.loaded(value, &address.value, bits, is_pointer, block);
        if let (Some(name), Some(atom)) = (name, loaded.value.as_atom()) {
            self.space.name_atom(atom, name);
        }
        Lowered { rests_on: address.rests_on, ..loaded }
    }

    /// The value that `reader`, a load or a copy, finds at an address in memory that all threads see; as seen from `block`.
    pub(super) fn loaded(
        &mut self,
        reader: Value,
        address: &Polynomial,
        bits: u32,
        is_pointer: bool,
        block: BlockId,
    ) -> Lowered {
        let next_epoch = self.epochs.len() as u32;
        let epoch = *self.epochs.entry(self.epoch(reader, address)).or_insert(next_epoch);
        let mut range = match reader.is(Opcode::LLVMLoad) && !is_pointer {
            true => self.value_range(reader, bits),
            false if is_pointer || bits == 1 => Interval::of_width(bits, Signedness::Unsigned),
            false => Interval::of_width(bits, Signedness::Signed),
        };
        if !is_pointer && bits > 1 {
            match self.table_entry(address, bits, block) {
                Some(Entry::Is(value)) => return value,
                Some(Entry::OneOf(values)) => range = values,
                None => {}
            }
        }
        let loaded = self.space.load(address.clone(), u64::from(bits.div_ceil(8)), epoch, range);
        if let Some(atom) = loaded.as_atom() {
            self.note_load(atom, reader);
            if is_pointer {
                self.objects.insert(atom, ObjectKind::Global);
            }
            self.name_member(atom);
        }
        self.residue(loaded, bits, Guarantees::default())
    }

    /// The state of the memory that a load or a copy finds. Since a write, all that read the same place find the same: what comes between
    /// and lets other threads write would be the later write. A write in a loop that ends before the reader is another in each iteration.
    fn epoch(&self, reader: Value, address: &Polynomial) -> Epoch {
        // Of a place that is another in each iteration, only what is written at one of them would be known.
        let is_one_place = || reader.is(Opcode::LLVMLoad) && self.space.is_invariant(address);
        if is_one_place() && !self.is_written_in_region(reader) {
            return Epoch::Since(Write::Nothing);
        }
        let own = Epoch::Of(reader);
        let (Some(write), Some(block)) = (self.copy.last_write(reader, Place::Reader), self.cfg.id(reader.block()))
        else {
            return own;
        };
        let written = match write {
            Write::Nothing => return Epoch::Since(write),
            Write::Instruction(instruction) => self.cfg.id(instruction.block()),
            Write::Merge(merge) => self.cfg.id(merge),
        };
        let goes_on =
            |written| self.cfg.loop_chain(self.cfg.loop_of(written)).all(|at| self.cfg.loops[at].contains(block));
        if written.is_some_and(goes_on) { Epoch::Since(write) } else { own }
    }

    /// Whose memory an address is in, if it is not memory that all threads see.
    pub(super) fn owner(&self, address: &Polynomial) -> Option<ObjectKind> {
        let atoms = self.space.atoms(address);
        let is_of = |kind: &ObjectKind| atoms.iter().any(|atom| self.objects.get(atom) == Some(kind));
        [ObjectKind::Runtime, ObjectKind::Private, ObjectKind::Shared].into_iter().find(is_of)
    }

    /// The loops that a loaded value of any type may change with, if it is equal in all threads; else why it may not be.
    pub(super) fn uniform_load(&mut self, load: Value) -> Result<BTreeSet<LoopId>, String> {
        let differs = || Err("it is computed from values loaded from memory".into());
        let Some(block) = self.cfg.id(load.block()) else { return differs() };
        let address = self.value_at(load.operand(0), block).value;
        if self.owner(&address).is_some()
            || may_be_local(load.operand(0))
            || self.varies_between_threads(&address)
            || load.is_volatile_or_atomic()
            || self.changes_by_turns(load)
        {
            return differs();
        }
        let mut loops = self.space.loops_of(&address);
        loops.extend(self.loops_that_change_loads(&address));
        let cfg = self.cfg;
        for index in cfg.loop_chain(cfg.loop_of(block)) {
            if !self.is_invariant(load, index) {
                loops.insert(self.loop_id(index));
            }
        }
        Ok(loops)
    }

    /// Whether anything in the region may write what a load reads.
    pub(crate) fn is_written_in_region(&self, load: Value) -> bool {
        // Copies of a reduction's variable are variables of the region's own.
        let is_given = load.is(Opcode::LLVMLoad) && load.operand(0).base_of_address().is_argument();
        let quiet = if is_given { &self.turns.quiet_but_for_copies } else { &self.turns.quiet };
        let is_written = || self.copy.may_be_written(load, self.cfg.blocks.iter().copied(), quiet);
        *self.turns.written.borrow_mut().entry(load).or_insert_with(is_written)
    }

    /// Notes what reads a value in memory: of several, that in the fewest loops.
    fn note_load(&mut self, atom: AtomId, reader: Value) {
        let cfg = self.cfg;
        let depth = |reader: Value| cfg.id(reader.block()).map(|block| cfg.loop_chain(cfg.loop_of(block)).count());
        let known = self.loads.entry(atom).or_insert(reader);
        if *known != reader && depth(reader) < depth(*known) {
            *known = reader;
        }
    }

    /// The load whose value an atom is; of several, that in the fewest loops.
    pub(crate) fn load_of(&self, atom: AtomId) -> Option<Value> {
        self.loads.get(&atom).copied()
    }

    /// Whether lanes that read one address at one iteration may read different values there, without a race.
    pub(super) fn changes_by_turns(&self, reader: Value) -> bool {
        let in_between = self.cfg.id(reader.block()).is_none_or(|block| self.turns.between.contains(&block));
        in_between && self.is_written_in_region(reader)
    }
}
