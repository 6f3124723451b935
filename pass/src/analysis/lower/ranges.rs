//! Ranges that values come with: what attributes and metadata say of arguments, calls and loads, and what the host knows of a region's
//! captured variables.

use super::{Guarantees, Lowered, Lowering};
use ipda_llvm::Value;
use ipda_symbolic::{Coeff, Interval, Signedness, Symbol, Varies};

impl Lowering<'_> {
    /// Takes the variable of `bits` bits in an argument's low bits to be no negative number. Before any value is lowered.
    pub(crate) fn take_as_not_negative(&mut self, argument: Value, bits: u32) {
        self.not_negative.insert((argument, bits));
    }

    /// The numbers that the variable in the low bits of an argument may be, in one reading.
    pub(super) fn argument_range(&self, argument: Value, bits: u32, reading: Signedness) -> Interval {
        let width = Interval::of_width(bits, reading);
        // Of a wider argument, the low bits are the number only if that fits in them.
        let marked = marked_range(argument, reading).filter(|range| range.is_within(&width)).unwrap_or(width);
        let not_negative = Interval::of_width(bits - 1, Signedness::Unsigned);
        // Where the two contradict each other, no value is right, and none is wrong.
        let both = self.not_negative.contains(&(argument, bits)).then(|| marked.intersect(&not_negative)).flatten();
        both.unwrap_or(marked)
    }

    /// The numbers that a value of another origin may be: signed ones, or natural ones where that says more.
    pub(super) fn value_range(&self, value: Value, bits: u32) -> Interval {
        if bits == 1 {
            return Interval::BOOLEAN;
        }
        let size = |range: &Interval| range.high().zip(range.low()).map(|(high, low)| high - low);
        // What is said of the whole says nothing of a part.
        let marked = |reading| marked_range(value, reading).filter(|_| value.ty().int_bits() == Some(bits));
        let signed = marked(Signedness::Signed);
        let natural = marked(Signedness::Unsigned).filter(|natural| {
            let size_of_signed = signed.as_ref().and_then(size);
            size(natural).zip(size_of_signed).is_some_and(|(natural, signed): (Coeff, Coeff)| natural < signed)
        });
        natural.or(signed).unwrap_or_else(|| Interval::of_width(bits, Signedness::Signed))
    }

    /// A fresh symbol for what an instruction gives.
    pub(super) fn result_of(&mut self, value: Value, bits: u32, name: &str, varies: Varies) -> Lowered {
        let range = self.value_range(value, bits);
        let symbol = self.space.symbol(Symbol { name: name.into(), range, varies });
        self.residue(symbol, bits, Guarantees::default())
    }
}

/// What the IR says of a value, in one reading.
fn marked_range(value: Value, reading: Signedness) -> Option<Interval> {
    match reading {
        Signedness::Signed => value.signed_range().map(|(least, greatest)| Interval::between(least, greatest)),
        Signedness::Unsigned => value.natural_range().map(|(least, greatest)| Interval::between(least, greatest)),
    }
}
