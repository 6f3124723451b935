//! Objects in memory, the addresses in them, and the values read from them: a load is an atom of its address and its
//! epoch.

use super::{Guarantees, Lowered, Lowering};
use crate::cfg::BlockId;
use crate::ir::{TypeKind, Value};
use ipda_symbolic::{AtomId, Coeff, Interval, Polynomial, Signedness, Symbol, Varies};

/// What a pointer atom stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    /// Memory that other threads see: an argument, a global variable, a pointer read from memory.
    Global,
    /// A variable in memory that the threads of a team share.
    Shared,
    /// A variable of one thread.
    Private,
    /// A record of the runtime, such as a task's; what its pointers lead to is not followed.
    Runtime,
}

impl Lowering<'_> {
    /// What a pointer atom stands for; none for atoms that are no pointers.
    pub(crate) fn object(&self, atom: AtomId) -> Option<&ObjectKind> {
        self.objects.get(&atom)
    }

    pub(super) fn pointer(&mut self, name: &str, bits: u32, kind: ObjectKind) -> Lowered {
        let range = Interval::of_width(bits, Signedness::Unsigned);
        let value = self.space.symbol(Symbol { name: name.into(), range, varies: Varies::No });
        self.objects.insert(value.as_atom().expect("a symbol is one atom"), kind);
        self.exact_unsigned(value, bits, Guarantees::default())
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

    pub(super) fn load(&mut self, value: Value, bits: u32, block: BlockId) -> Lowered {
        let address = self.value_at(value.operand(0), block);
        let name = self.names.get(&value).cloned();
        let is_pointer = value.ty().is_pointer();
        let atoms = self.space.atoms(&address.value);
        let is_of = |kind| atoms.iter().any(|atom| self.objects.get(atom) == Some(&kind));
        if is_pointer && is_of(ObjectKind::Runtime) {
            return self.pointer("a record", bits, ObjectKind::Runtime);
        }
        let private = is_of(ObjectKind::Private) || is_of(ObjectKind::Runtime);
        let shared = is_of(ObjectKind::Shared);
        // Lanes that read one address at one iteration read one value, since anything else were a race: unless they take turns.
        let in_turn = self.threads_take_turns && self.copy.may_be_written(value, self.cfg.blocks.iter().copied());
        if private || shared || in_turn || value.is_volatile_or_atomic() {
            let reason = if private {
                "it is kept in a local variable in memory"
            } else {
                "it is read from memory that other threads may change"
            };
            return self.opaque(bits, name.as_deref().unwrap_or("a value in memory"), Varies::PerThread(reason.into()));
        }
        let next_epoch = self.epochs.len() as u32;
        let epoch = *self.epochs.entry(value).or_insert(next_epoch);
        let signedness = if is_pointer || bits == 1 { Signedness::Unsigned } else { Signedness::Signed };
        let loaded =
            self.space.load(address.value, u64::from(bits.div_ceil(8)), epoch, Interval::of_width(bits, signedness));
        let atom = loaded.as_atom().expect("a loaded value is one atom");
        self.loads.insert(atom, value);
        if let Some(name) = name {
            self.space.name_atom(atom, &name);
        }
        if is_pointer {
            self.objects.insert(atom, ObjectKind::Global);
        }
        let mut lowered = self.residue(loaded, bits, address.rests_on);
        lowered.signed |= signedness == Signedness::Signed;
        lowered.unsigned |= signedness == Signedness::Unsigned;
        lowered
    }
}
