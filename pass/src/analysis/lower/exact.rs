//! Exactness: a machine value of N bits is a polynomial that is congruent to it modulo 2^N, and that *is* its signed or
//! unsigned value where that is proven: by the range of the polynomial, or by a guarantee of the language (`nsw`,
//! `nuw`), which is recorded. Addresses are residues modulo 2^64, so they never need such a proof; an index that is
//! widened from 32 bits does.

use super::{Guarantees, Lowered, Lowering};
use ipda_llvm::{BlockId, Value};
use ipda_symbolic::{Coeff, Facts, Interval, Polynomial, Signedness, Symbol, Varies};

/// A value with more terms than this is not read the other way by cases.
const MAX_REREAD_TERMS: usize = 4;

impl Lowering<'_> {
    /// A value as it is known where the facts of a block hold: conversions that cannot wrap there are gone.
    pub(crate) fn refine(&mut self, value: &Polynomial, block: BlockId) -> Polynomial {
        if !self.may_become_simpler(value) {
            return value.clone();
        }
        let facts = self.facts_at(block);
        self.space.substitute_under(value, &facts, &mut |_| None)
    }

    /// Whether facts may say more about a value: it is made of more than symbols and iteration numbers.
    pub(super) fn may_become_simpler(&self, value: &Polynomial) -> bool {
        self.space.has_operations(value)
    }

    /// The other reading of a value whose one reading is known: `2^bits` is added to, or taken from, what is out of range.
    fn reread(&mut self, lowered: &Lowered, signedness: Signedness, facts: &Facts) -> Option<Polynomial> {
        if !lowered.is_exact(opposite(signedness))
            || lowered.bits == 1
            || lowered.value.terms().len() > MAX_REREAD_TERMS
        {
            return None;
        }
        let (limit, shift) = match signedness {
            Signedness::Unsigned => (Coeff::from(0), Coeff::pow2(lowered.bits)),
            Signedness::Signed => (Coeff::pow2(lowered.bits - 1), -&Coeff::pow2(lowered.bits)),
        };
        let reaches = self.space.nonneg_under(&(&lowered.value - &Polynomial::from(limit)), facts);
        let changes = match signedness {
            Signedness::Unsigned => self.space.not(&reaches),
            Signedness::Signed => reaches,
        };
        Some(&lowered.value + &changes.scale(&shift))
    }

    pub(super) fn fits(&self, value: &Polynomial, bits: u32, signedness: Signedness) -> bool {
        self.space.is_within(value, &Facts::none(), &Interval::of_width(bits, signedness))
    }

    /// Whether the polynomial is the signed value where the facts of a block hold.
    pub(crate) fn is_signed_in(&mut self, lowered: &Lowered, block: BlockId) -> bool {
        lowered.signed || {
            let facts = self.facts_at(block);
            self.space.is_within(&lowered.value, &facts, &Interval::of_width(lowered.bits, Signedness::Signed))
        }
    }

    /// Whether the polynomial is the unsigned value where the facts of a block hold.
    pub(crate) fn fits_in(&mut self, lowered: &Lowered, block: BlockId) -> bool {
        let facts = self.facts_at(block);
        self.space.is_within(&lowered.value, &facts, &Interval::of_width(lowered.bits, Signedness::Unsigned))
    }

    /// The exact signed or unsigned value.
    pub(super) fn exact(&mut self, lowered: &Lowered, signedness: Signedness) -> Polynomial {
        if lowered.is_exact(signedness) {
            lowered.value.clone()
        } else {
            self.space.wrap(signedness, lowered.bits, &lowered.value)
        }
    }

    /// The exact value where the facts of a block hold.
    pub(super) fn exact_in(&mut self, lowered: &Lowered, signedness: Signedness, block: BlockId) -> Polynomial {
        if lowered.is_exact(signedness) {
            return lowered.value.clone();
        }
        let facts = self.facts_at(block);
        self.reread(lowered, signedness, &facts)
            .unwrap_or_else(|| self.space.wrap_under(signedness, lowered.bits, &lowered.value, &facts))
    }

    /// The exact value as seen by an instruction in `block`, and what it rests on.
    pub(super) fn exact_at(
        &mut self,
        value: Value,
        signedness: Signedness,
        block: BlockId,
    ) -> (Polynomial, Guarantees) {
        let lowered = self.value_at(value, block);
        (self.exact_in(&lowered, signedness, block), lowered.rests_on)
    }

    /// A residue, with what its range proves about exactness.
    pub(super) fn residue(&self, value: Polynomial, bits: u32, rests_on: Guarantees) -> Lowered {
        self.residue_under(value, bits, rests_on, &Facts::none())
    }

    pub(super) fn residue_under(&self, value: Polynomial, bits: u32, rests_on: Guarantees, facts: &Facts) -> Lowered {
        let [with_sign, without] = [Signedness::Signed, Signedness::Unsigned].map(|one| Interval::of_width(bits, one));
        let either = with_sign.hull(&without);
        let within = |range: &Option<Interval>, width| range.as_ref().is_some_and(|range| range.is_within(width));
        let mut range = self.space.range_within(&value, &Facts::none(), &either);
        // The search with facts is for what intervals alone do not show.
        if !within(&range, &with_sign) && !facts.is_empty() {
            range = self.space.range_within(&value, facts, &either);
        }
        let (signed, unsigned) = (within(&range, &with_sign), within(&range, &without));
        Lowered { value, bits, signed, unsigned, rests_on }
    }

    pub(super) fn exact_signed(&self, value: Polynomial, bits: u32, rests_on: Guarantees) -> Lowered {
        let unsigned = self.fits(&value, bits, Signedness::Unsigned);
        Lowered { value, bits, signed: true, unsigned, rests_on }
    }

    pub(super) fn exact_unsigned(&self, value: Polynomial, bits: u32, rests_on: Guarantees) -> Lowered {
        if bits == 1 {
            // Read with a sign, a condition is its opposite, unless it is 0.
            let signed = value.is_zero();
            return Lowered { value, bits, signed, unsigned: true, rests_on };
        }
        let signed = self.fits(&value, bits, Signedness::Signed);
        Lowered { value, bits, signed, unsigned: true, rests_on }
    }

    /// A fresh symbol of a width.
    pub(super) fn opaque(&mut self, bits: u32, name: &str, varies: Varies) -> Lowered {
        let range = if bits == 1 {
            Interval::of_width(1, Signedness::Unsigned)
        } else {
            Interval::of_width(bits, Signedness::Signed)
        };
        let value = self.space.symbol(Symbol { name: name.into(), range, varies });
        if bits == 1 {
            self.exact_unsigned(value, 1, Guarantees::default())
        } else {
            self.exact_signed(value, bits, Guarantees::default())
        }
    }
}

fn opposite(signedness: Signedness) -> Signedness {
    match signedness {
        Signedness::Signed => Signedness::Unsigned,
        Signedness::Unsigned => Signedness::Signed,
    }
}
