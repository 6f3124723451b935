//! The text form for people, which [`parse`](crate::parse::parse) reads back.

use crate::atom::{Atom, Predicate};
use crate::coeff::Coeff;
use crate::id::AtomId;
use crate::interval::{Interval, Signedness};
use crate::polynomial::{Monomial, Polynomial};
use crate::space::Space;
use std::fmt;

impl Space {
    /// The polynomial as text, such as `4*[NJ]*i + 8`.
    pub fn display<'a>(&'a self, p: &'a Polynomial) -> impl fmt::Display + 'a {
        Text { space: self, p }
    }
}

struct Text<'a> {
    space: &'a Space,
    p: &'a Polynomial,
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.space.write_sum(f, self.p)
    }
}

/// The terms as they are printed: what stands alone, such as an array's base, comes before what is multiplied.
pub(crate) fn in_order(p: &Polynomial) -> impl Iterator<Item = (&Monomial, &Coeff)> {
    let alone = |(monomial, coefficient): &(&Monomial, &Coeff)| coefficient.is_one() && monomial.degree() == 1;
    p.terms().filter(alone).chain(p.terms().filter(move |term| !alone(term)))
}

impl Space {
    fn write_sum(&self, f: &mut fmt::Formatter<'_>, p: &Polynomial) -> fmt::Result {
        if p.is_zero() {
            return f.write_str("0");
        }
        for (index, (monomial, coefficient)) in in_order(p).enumerate() {
            match (index, coefficient.is_negative()) {
                (0, false) => {}
                (0, true) => f.write_str("-")?,
                (_, false) => f.write_str(" + ")?,
                (_, true) => f.write_str(" - ")?,
            }
            self.write_term(f, monomial, &coefficient.abs())?;
        }
        Ok(())
    }

    fn write_term(&self, f: &mut fmt::Formatter<'_>, monomial: &Monomial, coefficient: &Coeff) -> fmt::Result {
        let mut separator = "";
        if monomial.is_one() || !coefficient.is_one() {
            write!(f, "{coefficient}")?;
            separator = "*";
        }
        for (atom, power) in monomial.powers() {
            f.write_str(separator)?;
            self.write_atom(f, atom)?;
            if power > 1 {
                write!(f, "^{power}")?;
            }
            separator = "*";
        }
        Ok(())
    }

    fn write_atom(&self, f: &mut fmt::Formatter<'_>, id: AtomId) -> fmt::Result {
        if let Some(label) = self.label(id) {
            return f.write_str(label);
        }
        match self.atom(id) {
            Atom::Symbol(_) | Atom::Iteration(_) => unreachable!("symbols and iteration numbers have names"),
            Atom::Predicate(Predicate::NonNegative(p)) => self.write_comparison(f, p, "<="),
            Atom::Predicate(Predicate::Zero(p)) => self.write_comparison(f, p, "=="),
            Atom::FloorDiv(a, b) => {
                f.write_str("floor(")?;
                self.write_factor(f, a)?;
                // A product behind the slash would read as if only its first factor divided.
                let plain = b.as_constant().is_some() || b.as_atom().is_some();
                if plain { write!(f, " / {})", self.display(b)) } else { write!(f, " / ({}))", self.display(b)) }
            }
            Atom::Wrap { signed, bits, value } => {
                let letter = if *signed == Signedness::Signed { 'i' } else { 'u' };
                write!(f, "{letter}{bits}({})", self.display(value))
            }
            Atom::Op(op, args) => {
                write!(f, "{}(", op.name())?;
                for (index, arg) in args.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(f, "{separator}{}", self.display(arg))?;
                }
                f.write_str(")")
            }
            Atom::Load { address, bytes, epoch, range } => {
                write!(f, "load{bytes}")?;
                // Signed of its width unless said otherwise.
                let width = |signed| u32::try_from(8 * bytes).map(|bits| Interval::of_width(bits, signed));
                if width(Signedness::Unsigned).as_ref() == Ok(range) {
                    f.write_str("u")?;
                } else if width(Signedness::Signed).as_ref() != Ok(range) {
                    write!(f, "{range}")?;
                }
                if *epoch > 0 {
                    write!(f, "@{epoch}")?;
                }
                if let Some(member) = self.member(id) {
                    write!(f, "`{member}`")?;
                }
                write!(f, "({})", self.display(address))
            }
        }
    }

    /// A polynomial, in parentheses if it has several terms.
    fn write_factor(&self, f: &mut fmt::Formatter<'_>, p: &Polynomial) -> fmt::Result {
        if p.terms().len() > 1 { write!(f, "({})", self.display(p)) } else { self.write_sum(f, p) }
    }

    /// `p >= 0` or `p == 0` with negative terms moved to the other side: `[i <= [N]]`, or `[i >= 32]` against a number.
    fn write_comparison(&self, f: &mut fmt::Formatter<'_>, p: &Polynomial, sign: &str) -> fmt::Result {
        let side = |keep: fn(&Coeff) -> bool| {
            let terms = p.without_constant();
            let kept = terms.terms().filter(move |(_, coefficient)| keep(coefficient));
            Polynomial::from_terms(kept.map(|(monomial, coefficient)| (monomial.clone(), coefficient.abs())))
        };
        let (positive, negative) = (side(Coeff::is_positive), side(Coeff::is_negative));
        let constant = p.constant_term();
        if negative.is_zero() {
            let sign = if sign == "<=" { ">=" } else { sign };
            return write!(f, "[{} {sign} {}]", self.display(&positive), -constant);
        }
        let (left, right, sign) = match sign {
            // l + c <= r is l + c - 1 < r.
            "<=" if constant.is_negative() => (negative - Polynomial::from(constant + Coeff::ONE), positive, "<"),
            _ if constant.is_negative() => (negative - Polynomial::from(constant), positive, sign),
            _ => (negative, positive + Polynomial::from(constant), sign),
        };
        write!(f, "[{} {sign} {}]", self.display(&left), self.display(&right))
    }
}
