//! Polynomials as straight-line code, for their values at many points.

use crate::atom::{Atom, OpaqueOp, Predicate};
use crate::coeff::Coeff;
use crate::id::AtomId;
use crate::interval::Signedness;
use crate::operation::fold;
use crate::polynomial::Polynomial;
use crate::space::Space;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What stands in the place of an atom.
pub enum Leaf<'a> {
    /// The same number at all points.
    Value(Coeff),
    /// One of the numbers that a point consists of.
    Input(usize),
    /// A function of a value.
    Image(fn(i64) -> i64, &'a Polynomial),
}

/// The value of a polynomial as a function of the numbers of a point. It says what [`Space::eval`] says, in numbers of 64 bits and without looking atoms up.
pub struct Code {
    inputs: usize,
    steps: Vec<Step>,
    result: Sum,
}

/// Computes one value; those that it takes are inputs, then results of steps before.
enum Step {
    NonNegative(Sum),
    Zero(Sum),
    FloorDiv(Sum, Sum),
    Wrap { signed: Signedness, bits: u32, value: Sum },
    Op(OpaqueOp, SmallVec<[Sum; 2]>),
    Image(fn(i64) -> i64, Sum),
}

/// A sum of products of a factor and values.
struct Sum {
    constant: i64,
    products: Vec<(i64, SmallVec<[usize; 2]>)>,
}

impl Space {
    /// A polynomial as code; none where a number in it has more than 64 bits, an atom has neither value nor operation, or an operation on known numbers
    /// has no value.
    pub fn code<'a>(
        &'a self,
        p: &Polynomial,
        inputs: usize,
        leaf: &mut dyn FnMut(AtomId) -> Option<Leaf<'a>>,
    ) -> Option<Code> {
        let mut writer = Writer { space: self, leaf, inputs, steps: Vec::new(), known: FxHashMap::default() };
        let result = writer.sum(p)?;
        Some(Code { inputs, steps: writer.steps, result })
    }
}

struct Writer<'a, 'l> {
    space: &'a Space,
    leaf: &'l mut dyn FnMut(AtomId) -> Option<Leaf<'a>>,
    inputs: usize,
    steps: Vec<Step>,
    known: FxHashMap<AtomId, Operand>,
}

#[derive(Clone, Copy)]
enum Operand {
    Constant(i64),
    Value(usize),
}

impl Writer<'_, '_> {
    fn sum(&mut self, p: &Polynomial) -> Option<Sum> {
        let mut sum = Sum { constant: 0, products: Vec::new() };
        for (monomial, coefficient) in p.terms() {
            let mut factor = coefficient.to_i64()?;
            let mut values = SmallVec::new();
            for (atom, power) in monomial.powers() {
                match self.operand(atom)? {
                    Operand::Constant(constant) => {
                        for _ in 0..power {
                            factor = factor.checked_mul(constant)?;
                        }
                    }
                    Operand::Value(value) => values.extend((0..power).map(|_| value)),
                }
            }
            match values.is_empty() {
                true => sum.constant = sum.constant.checked_add(factor)?,
                false => sum.products.push((factor, values)),
            }
        }
        Some(sum)
    }

    fn operand(&mut self, atom: AtomId) -> Option<Operand> {
        if let Some(known) = self.known.get(&atom) {
            return Some(*known);
        }
        let step = match (self.leaf)(atom) {
            Some(Leaf::Value(value)) => Err(Operand::Constant(value.to_i64()?)),
            Some(Leaf::Input(input)) => Err(Operand::Value(input)),
            Some(Leaf::Image(function, of)) => Ok(Step::Image(function, self.sum(of)?)),
            None => Ok(match self.space.atom(atom) {
                Atom::Symbol(_) | Atom::Iteration(_) | Atom::Load { .. } => return None,
                Atom::Predicate(Predicate::NonNegative(p)) => Step::NonNegative(self.sum(p)?),
                Atom::Predicate(Predicate::Zero(p)) => Step::Zero(self.sum(p)?),
                Atom::FloorDiv(a, b) => Step::FloorDiv(self.sum(a)?, self.sum(b)?),
                Atom::Wrap { signed, bits, value } => {
                    Step::Wrap { signed: *signed, bits: *bits, value: self.sum(value)? }
                }
                Atom::Op(op, args) => {
                    Step::Op(*op, args.iter().map(|arg| self.sum(arg)).collect::<Option<SmallVec<_>>>()?)
                }
            }),
        };
        let operand = match step {
            Ok(step) if step.sums().iter().all(|sum| sum.products.is_empty()) => Operand::Constant(step.value(&[])?),
            Ok(step) => {
                self.steps.push(step);
                Operand::Value(self.inputs + self.steps.len() - 1)
            }
            Err(operand) => operand,
        };
        self.known.insert(atom, operand);
        Some(operand)
    }
}

impl Sum {
    fn value(&self, values: &[i64]) -> Option<i64> {
        self.products.iter().try_fold(self.constant, |sum, (factor, of)| {
            let product = of.iter().try_fold(*factor, |product, &at| product.checked_mul(values[at]))?;
            sum.checked_add(product)
        })
    }
}

impl Step {
    fn sums(&self) -> SmallVec<[&Sum; 2]> {
        match self {
            Step::NonNegative(sum) | Step::Zero(sum) | Step::Wrap { value: sum, .. } | Step::Image(_, sum) => {
                SmallVec::from_slice(&[sum])
            }
            Step::FloorDiv(a, b) => SmallVec::from_slice(&[a, b]),
            Step::Op(_, sums) => sums.iter().collect(),
        }
    }

    fn value(&self, values: &[i64]) -> Option<i64> {
        match self {
            Step::NonNegative(sum) => Some((sum.value(values)? >= 0).into()),
            Step::Zero(sum) => Some((sum.value(values)? == 0).into()),
            Step::FloorDiv(a, b) => {
                let (a, b) = (a.value(values)?, b.value(values)?);
                let quotient = a.checked_div(b)?;
                Some(quotient - i64::from(a % b != 0 && (a < 0) != (b < 0)))
            }
            Step::Image(function, sum) => sum.value(values).map(function),
            Step::Wrap { signed, bits, value } => wrapped(*signed, *bits, value.value(values)?),
            Step::Op(op, sums) => {
                let (first, rest) = sums.split_first()?;
                rest.iter().try_fold(first.value(values)?, |value, sum| applied(*op, value, sum.value(values)?))
            }
        }
    }
}

/// A value modulo `2^bits`.
fn wrapped(signed: Signedness, bits: u32, value: i64) -> Option<i64> {
    if bits >= i64::BITS {
        return (signed == Signedness::Signed || value >= 0).then_some(value);
    }
    let lost = i64::BITS - bits;
    Some(match signed {
        Signedness::Signed => value << lost >> lost,
        Signedness::Unsigned => ((value as u64) << lost >> lost) as i64,
    })
}

fn applied(op: OpaqueOp, a: i64, b: i64) -> Option<i64> {
    Some(match op {
        OpaqueOp::Min => a.min(b),
        OpaqueOp::Max => a.max(b),
        OpaqueOp::And => a & b,
        OpaqueOp::Or => a | b,
        OpaqueOp::Xor => a ^ b,
        OpaqueOp::Pow | OpaqueOp::Shl | OpaqueOp::Shr | OpaqueOp::TruncDiv | OpaqueOp::TruncRem => {
            fold(op, &Coeff::from(a), &Coeff::from(b))?.to_i64()?
        }
    })
}

impl Code {
    /// How many operations it takes.
    pub fn operations(&self) -> usize {
        let of = |sum: &Sum| sum.products.len() + 1;
        let of_steps = self.steps.iter().flat_map(|step| step.sums()).map(of);
        of_steps.sum::<usize>() + of(&self.result)
    }

    /// The value at a point; none where it has none, or where a number on the way has more than 64 bits. What `values` holds does not matter.
    pub fn run(&self, point: &[i64], values: &mut Vec<i64>) -> Option<i64> {
        values.clear();
        values.extend_from_slice(&point[..self.inputs]);
        for step in &self.steps {
            values.push(step.value(values)?);
        }
        self.result.value(values)
    }
}

#[cfg(test)]
mod tests {
    use super::{Code, Leaf};
    use crate::{Atom, AtomId, Coeff, Space, parse};

    const TEXTS: [&str; 9] = [
        "3*[a]*[b] - [a]^2 + 7",
        "floor([a] / [b])*[b] - floor(([a] - 5) / 3)",
        "min([a], [b], 4) + max([a] - [b], 0)*[c]",
        "[[a] >= [b]]*[a] + [[b] == 2]*[c]",
        "i32([a]*[b]*[c]) - u8([a] - 9)",
        "u64([a] - [b])",
        "and([a], 12) + or([b], [c]) - xor([a], [b])",
        "shl([a], [b]) + div([a], [c]) - rem([a], [b]) + shr([c], 2)",
        "floor(floor([a] / 4) / (floor([b] / 2) + 3)) + floor([a] / 4)",
    ];

    fn code(space: &Space, text: &str, p: &crate::Polynomial, known: Option<i64>) -> Code {
        let mut leaf = |atom: AtomId| match space.atom(atom) {
            Atom::Symbol(symbol) => Some(match (&symbol.name[..], known) {
                ("c", Some(value)) => Leaf::Value(Coeff::from(value)),
                ("a", _) => Leaf::Input(0),
                ("b", _) => Leaf::Input(1),
                _ => Leaf::Input(2),
            }),
            _ => None,
        };
        space.code(p, 3, &mut leaf).unwrap_or_else(|| panic!("{text} has code"))
    }

    #[test]
    fn code_says_what_evaluation_says() {
        let points = [-70_000_i64, -17, -3, -1, 0, 1, 2, 3, 5, 64, 1021, 1 << 33, i64::MAX];
        let mut compared = 0;
        for text in TEXTS {
            let mut space = Space::new();
            crate::declare_as_symbols(&mut space, text, &mut 0);
            let p = parse(&mut space, text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let whole = code(&space, text, &p, None);
            for (a, b, c) in points.iter().flat_map(|a| points.iter().flat_map(move |b| points.map(|c| (*a, *b, c)))) {
                let mut value_of = |atom: AtomId| match space.atom(atom) {
                    Atom::Symbol(symbol) => Some(Coeff::from(match &symbol.name[..] {
                        "a" => a,
                        "b" => b,
                        _ => c,
                    })),
                    _ => None,
                };
                let expected = space.eval(&p, &mut value_of).and_then(|value| value.to_i64());
                let found = whole.run(&[a, b, c], &mut vec![9; 2]);
                compared += usize::from(found.is_some());
                // It may have none where numbers on the way are large.
                let may_have_none = [a, b, c].iter().any(|at| at.abs() > 60) && found.is_none();
                assert!(found == expected || may_have_none, "{text} at {a}, {b}, {c}: {found:?}, {expected:?}");
            }
            let part = code(&space, text, &p, Some(5));
            assert_eq!(part.run(&[7, 3, 5], &mut Vec::new()), whole.run(&[7, 3, 5], &mut Vec::new()), "{text}");
        }
        assert!(compared > 10_000, "{compared}");
    }

    #[test]
    fn images_are_of_values_at_the_point() {
        let mut space = Space::new();
        let text = "2*[a] + [b]*[c] + 1";
        crate::declare_as_symbols(&mut space, text, &mut 0);
        let (p, of) =
            (parse(&mut space, text).expect("it is right"), parse(&mut space, "[b] - 3").expect("so is this"));
        let mut leaf = |atom: AtomId| match space.atom(atom) {
            Atom::Symbol(symbol) if symbol.name == "a" => Some(Leaf::Image(|value| value * value, &of)),
            Atom::Symbol(symbol) => Some(Leaf::Input(usize::from(symbol.name == "c"))),
            _ => None,
        };
        let code = space.code(&p, 2, &mut leaf).expect("all is known");
        assert_eq!(code.run(&[7, 10], &mut Vec::new()), Some(2 * 16 + 70 + 1));
    }
}
