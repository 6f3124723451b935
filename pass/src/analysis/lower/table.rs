//! Constant tables: what is read from a global variable that is never written is one of its entries.

use super::limits::Limit;
use super::{ADDRESS_BITS, Lowered, Lowering};
use ipda_llvm::{BlockId, DataLayout, TypeKind, Value};
use ipda_symbolic::{AtomId, Coeff, Interval, Polynomial};

/// Integers of the width that is read, of one table.
const MAX_ENTRIES: usize = 4096;

/// Parts of a table that are looked at: entries, and what holds them.
const MAX_LOOKED_AT: usize = 1 << 16;

/// Entries that a sum over all of them is written for.
const MAX_GATED: usize = 8;

/// What is known of a value that is read from a constant table.
pub(super) enum Entry {
    /// The value itself.
    Is(Lowered),
    /// One of several: what it lies in.
    OneOf(Interval),
}

impl Lowering<'_> {
    /// What an integer that is read at an address in a constant table can be. Reading outside of the table is undefined.
    pub(super) fn table_entry(&mut self, address: &Polynomial, bits: u32, block: BlockId) -> Option<Entry> {
        let (table, base) = self.table_of(address)?;
        let offset = self.space.congruent(ADDRESS_BITS, &(address - &Polynomial::from_atom(base)));
        let mut table_entries = Entries { layout: self.layout, bits, found: Vec::new(), looked_at: 0, is_cut: false };
        if table_entries.collect(table.initializer()?, 0).is_none() {
            if table_entries.is_cut {
                self.met(Limit::TableEntries);
            }
            return None;
        }
        let mut entries = table_entries.found;
        let facts = self.facts_at(block);
        let range = self.space.range_under(&offset, &facts);
        // The offset is known modulo 2^64 only, unless it is small enough.
        let is_exact = range.is_within(&Interval::between(-Coeff::pow2(62), Coeff::pow2(62)));
        let gap = offset.without_constant().content();
        entries.retain(|(at, _)| {
            let distance = &offset - &Polynomial::from(at.clone());
            let fits = gap.is_zero() || distance.constant_term().rem_euclid(&gap).is_none_or(|rest| rest.is_zero());
            range.contains(at) && fits
        });
        let last = self.layout.alloc_size(table.initializer()?.ty()).checked_sub(u64::from(bits.div_ceil(8)))?;
        let places = places_in(&range, &Coeff::from(last), &offset.constant_term(), &gap)?;
        // A read from between entries, or from one of another width, puts bytes together anew.
        if places != Coeff::from(entries.len() as i64) {
            return None;
        }
        let (first, value) = entries.first()?.clone();
        let constant = |this: &Self, value: i64| Entry::Is(this.number(value, bits));
        if entries.iter().all(|(_, other)| *other == value) {
            return Some(constant(self, value));
        }
        if is_exact && let Some(affine) = affine(&offset, &entries) {
            return Some(Entry::Is(self.exact_signed(affine, bits, super::Guarantees::default())));
        }
        let is_by_thread = is_exact && self.varies_between_threads(&offset);
        if is_by_thread && entries.len() > MAX_GATED {
            self.met(Limit::TableCases);
        } else if is_by_thread {
            let mut sum = Polynomial::from(value);
            for (at, other) in entries.iter().filter(|(at, _)| *at != first) {
                let here = self.space.zero(&(&offset - &Polynomial::from(at.clone())));
                sum = &sum + &here.scale(&Coeff::from(other - value));
            }
            return Some(Entry::Is(self.exact_signed(sum, bits, super::Guarantees::default())));
        }
        let values = || entries.iter().map(|(_, value)| *value);
        Some(Entry::OneOf(Interval::between(values().min()?, values().max()?)))
    }

    /// Whether an atom stands for the start of a constant table.
    pub(crate) fn is_constant_table(&self, atom: AtomId) -> bool {
        self.globals.get(&atom).is_some_and(|global| global.is_constant_global())
    }

    /// The constant table that an address leads into, and the atom that stands for its start.
    fn table_of(&self, address: &Polynomial) -> Option<(Value, AtomId)> {
        let mut bases = address.atoms().into_iter().filter(|&atom| self.object(atom).is_some());
        let base = bases.next().filter(|_| bases.next().is_none())?;
        let is_start = address.coefficient_of(base)?.is_one();
        let table = *self.globals.get(&base)?;
        (is_start && table.is_constant_global() && table.has_definitive_initializer()).then_some((table, base))
    }
}

/// How many numbers from 0 to `last` in a range are a first one plus a multiple of a gap; of a gap of 0, that one alone.
fn places_in(range: &Interval, last: &Coeff, first: &Coeff, gap: &Coeff) -> Option<Coeff> {
    let inside = range.intersect(&Interval::between(0, last.clone()))?;
    if gap.is_zero() {
        return Some(Coeff::from(i64::from(inside.contains(first))));
    }
    let up_to = |bound: &Coeff| (bound - first).div_floor(gap);
    Some(&up_to(inside.high()?)? - &up_to(&(inside.low()? - &Coeff::from(1)))?)
}

/// The integers of a width in a constant, with their offsets in bytes.
struct Entries {
    layout: DataLayout,
    bits: u32,
    found: Vec<(Coeff, i64)>,
    looked_at: usize,
    /// Whether there are more than are looked at.
    is_cut: bool,
}

impl Entries {
    /// Adds those of a constant. None where there are too many, or parts that are no numbers.
    fn collect(&mut self, constant: Value, at: u64) -> Option<()> {
        let (ty, layout) = (constant.ty(), self.layout);
        match ty.kind() {
            TypeKind::LLVMArrayTypeKind => {
                let size = layout.alloc_size(ty.element());
                self.collect_parts(constant, at, ty.array_length(), |index| u64::from(index) * size)
            }
            TypeKind::LLVMStructTypeKind => {
                self.collect_parts(constant, at, ty.field_count().into(), |index| layout.field_offset(ty, index))
            }
            TypeKind::LLVMIntegerTypeKind if ty.int_bits() == Some(self.bits) => {
                self.is_cut = self.found.len() >= MAX_ENTRIES;
                if self.is_cut {
                    return None;
                }
                self.found.push((Coeff::from(at), constant.as_int().or(constant.is_null().then_some(0))?));
                Some(())
            }
            // Numbers of another width: what is read is of this one, at its own place.
            TypeKind::LLVMIntegerTypeKind | TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind => Some(()),
            _ => None,
        }
    }

    fn collect_parts(&mut self, whole: Value, at: u64, count: u64, place: impl Fn(u32) -> u64) -> Option<()> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        self.looked_at = self.looked_at.saturating_add(count);
        self.is_cut = count > MAX_ENTRIES || self.looked_at > MAX_LOOKED_AT;
        if self.is_cut {
            return None;
        }
        (0..count as u32).try_for_each(|index| self.collect(whole.aggregate_element(index)?, at + place(index)))
    }
}

/// The entries as a polynomial in the offset, if they lie on a line.
fn affine(offset: &Polynomial, entries: &[(Coeff, i64)]) -> Option<Polynomial> {
    let [(first, value), (second, next), ..] = entries else { return None };
    let (step, rise) = (second - first, Coeff::from(next - value));
    let on_line = |(at, other): &(Coeff, i64)| &(at - first) * &rise == &Coeff::from(other - value) * &step;
    if !entries.iter().all(on_line) {
        return None;
    }
    let number = (offset - &Polynomial::from(first.clone())).div_exact(&step)?;
    Some(&number.scale(&rise) + &Polynomial::from(*value))
}
