//! Polynomials of one space in another.

use crate::atom::{Atom, Predicate};
use crate::display::in_order;
use crate::facts::Facts;
use crate::id::AtomId;
use crate::polynomial::Polynomial;
use crate::space::Space;

impl Space {
    /// A polynomial of the space `from`. What that prints by a name is the atom that `named` has for the name, as when the printed text is
    /// read; the result is canonical here. None where it would exceed [`MAX_TERMS`](crate::MAX_TERMS) or [`MAX_DEGREE`](crate::MAX_DEGREE).
    pub fn import(
        &mut self,
        from: &Space,
        p: &Polynomial,
        named: &mut dyn FnMut(&mut Space, &str) -> AtomId,
    ) -> Option<Polynomial> {
        let mut sum = Polynomial::from(0);
        for (monomial, coefficient) in in_order(p) {
            let mut product = Polynomial::from(coefficient.clone());
            for (atom, power) in monomial.powers() {
                let factor = self.import_atom(from, atom, named)?;
                for _ in 0..power {
                    product = self.product(&product, &factor)?;
                }
            }
            sum = &sum + &product;
        }
        Some(sum)
    }

    fn import_atom(
        &mut self,
        from: &Space,
        atom: AtomId,
        named: &mut dyn FnMut(&mut Space, &str) -> AtomId,
    ) -> Option<Polynomial> {
        if let Some(label) = from.label(atom) {
            return Some(Polynomial::from(named(self, label)));
        }
        Some(match from.atom(atom) {
            Atom::Symbol(_) | Atom::Iteration(_) => unreachable!("symbols and iteration numbers have names"),
            Atom::Predicate(Predicate::NonNegative(p)) => {
                let p = self.import(from, p, named)?;
                self.nonneg(&p)
            }
            Atom::Predicate(Predicate::Zero(p)) => {
                let p = self.import(from, p, named)?;
                self.zero(&p)
            }
            Atom::FloorDiv(dividend, divisor) => {
                let (dividend, divisor) = (self.import(from, dividend, named)?, self.import(from, divisor, named)?);
                self.floor_div(&dividend, &divisor, &Facts::none())
            }
            Atom::Wrap { signed, bits, value } => {
                let value = self.import(from, value, named)?;
                self.wrap(*signed, *bits, &value)
            }
            Atom::Op(op, operands) => {
                let operands =
                    operands.iter().map(|operand| self.import(from, operand, named)).collect::<Option<_>>()?;
                self.op(*op, operands)
            }
            Atom::Load { address, bytes, epoch, range } => {
                let address = self.import(from, address, named)?;
                self.load(address, *bytes, *epoch, range.clone())
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{AtomId, Interval, LoopId, Space, Symbol, Varies, parse};

    fn space(names: &[&str]) -> Space {
        let mut space = Space::new();
        for name in names {
            space.symbol(Symbol { name: (*name).into(), range: Interval::ALL, varies: Varies::No });
        }
        space.name_loop(LoopId(0), "i");
        space
    }

    #[test]
    fn what_is_imported_is_what_the_printed_text_is_read_as() {
        for text in [
            "0",
            "[A] + 4*[n]*i + 4*i - 8",
            "3*[n]^2*floor(([n] + i) / [m])",
            "[i < [n]]*[m] + [i == 3] - [[n] >= 2*[m]]*[i <= 4]",
            "max([n], 0, i) + shr([n], [m]) + rem([n] + 1, [m])",
            "i32([n]*[m]) - u8(i + [n])",
            "8*load4([A] + 4*i) + load2u@3([A] + 2*load8([A]))*[n] + load4[0,7]([A])",
        ] {
            let mut from = space(&["A", "n", "m"]);
            // The names stand for other atoms.
            let mut to = space(&["m", "other", "n", "A"]);
            let Ok(p) = parse(&mut from, text) else { panic!("{text} is no expression") };
            let named = &mut |space: &mut Space, label: &str| -> AtomId { space.find(label).expect("a name") };
            let imported = to.import(&from, &p, named).expect("it is small");
            let printed = from.display(&p).to_string();
            assert_eq!(Ok(imported.clone()), parse(&mut to, &printed), "{printed}");
            let back = from.import(&to, &imported, named).expect("it is small");
            assert_eq!(back, p, "{printed}");
        }
    }
}
