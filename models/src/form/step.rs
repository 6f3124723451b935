//! The steps of a form, and the values that it is made of.

use std::fmt;

/// A value that is known later.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Leaf {
    /// A parameter of a machine, such as `gpu.memory.bandwidth`, in the units of [`crate::machine`].
    Machine(String),
    /// A variable that the region captures, by its name in the report.
    Captured(String),
    /// The threads that the host would use: `omp_get_max_threads`.
    HostThreads,
}

/// When a value is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// When the machines are.
    Machine,
    /// When the region is launched.
    Launch,
}

/// A place in a form.
pub type Place = u32;

/// A step of a form. Its operands come before it. `Less` to `Not` give truths, which only they and `Choose` take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// A number, as its bits.
    Constant(u64),
    /// A leaf, by its number in [`Form::leaves`](super::Form::leaves).
    Leaf(u32),
    /// `a + b`
    Add(Place, Place),
    /// `a - b`
    Subtract(Place, Place),
    /// `a * b`
    Multiply(Place, Place),
    /// `a / b`
    Divide(Place, Place),
    /// The smaller one.
    Min(Place, Place),
    /// The larger one.
    Max(Place, Place),
    /// The largest whole number that is not above.
    Floor(Place),
    /// `a < b`
    Less(Place, Place),
    /// `a == b`
    Equal(Place, Place),
    /// Both hold.
    And(Place, Place),
    /// One holds, or both.
    Or(Place, Place),
    /// Not.
    Not(Place),
    /// If the first holds, the second, else the third.
    Choose(Place, Place, Place),
}

impl Step {
    /// The operations, made of up to three operands, by the numbers that they have in tables.
    pub const OPERATIONS: [fn(Place, Place, Place) -> Step; 13] = [
        |a, b, _| Step::Add(a, b),
        |a, b, _| Step::Subtract(a, b),
        |a, b, _| Step::Multiply(a, b),
        |a, b, _| Step::Divide(a, b),
        |a, b, _| Step::Min(a, b),
        |a, b, _| Step::Max(a, b),
        |a, _, _| Step::Floor(a),
        |a, b, _| Step::Less(a, b),
        |a, b, _| Step::Equal(a, b),
        |a, b, _| Step::And(a, b),
        |a, b, _| Step::Or(a, b),
        |a, _, _| Step::Not(a),
        Step::Choose,
    ];

    /// The number of its operation; constants and leaves have none.
    pub fn operation(self) -> Option<usize> {
        let kind = std::mem::discriminant(&self);
        Step::OPERATIONS.iter().position(|made| std::mem::discriminant(&made(0, 0, 0)) == kind)
    }

    /// The same number in 32 bits, where it is a constant that they hold.
    pub fn single(self) -> Option<f32> {
        let Step::Constant(bits) = self else { return None };
        let single = f64::from_bits(bits) as f32;
        (f64::from(single).to_bits() == bits).then_some(single)
    }

    /// What it is made of.
    pub fn operands(self) -> impl Iterator<Item = Place> {
        let (a, b, c) = match self {
            Step::Constant(_) | Step::Leaf(_) => (None, None, None),
            Step::Floor(a) | Step::Not(a) => (Some(a), None, None),
            Step::Add(a, b)
            | Step::Subtract(a, b)
            | Step::Multiply(a, b)
            | Step::Divide(a, b)
            | Step::Min(a, b)
            | Step::Max(a, b)
            | Step::Less(a, b)
            | Step::Equal(a, b)
            | Step::And(a, b)
            | Step::Or(a, b) => (Some(a), Some(b), None),
            Step::Choose(a, b, c) => (Some(a), Some(b), Some(c)),
        };
        [a, b, c].into_iter().flatten()
    }

    /// The same of other operands.
    pub fn map(self, of: impl Fn(Place) -> Place) -> Step {
        match self {
            Step::Constant(_) | Step::Leaf(_) => self,
            Step::Floor(a) => Step::Floor(of(a)),
            Step::Not(a) => Step::Not(of(a)),
            Step::Add(a, b) => Step::Add(of(a), of(b)),
            Step::Subtract(a, b) => Step::Subtract(of(a), of(b)),
            Step::Multiply(a, b) => Step::Multiply(of(a), of(b)),
            Step::Divide(a, b) => Step::Divide(of(a), of(b)),
            Step::Min(a, b) => Step::Min(of(a), of(b)),
            Step::Max(a, b) => Step::Max(of(a), of(b)),
            Step::Less(a, b) => Step::Less(of(a), of(b)),
            Step::Equal(a, b) => Step::Equal(of(a), of(b)),
            Step::And(a, b) => Step::And(of(a), of(b)),
            Step::Or(a, b) => Step::Or(of(a), of(b)),
            Step::Choose(a, b, c) => Step::Choose(of(a), of(b), of(c)),
        }
    }
}

/// When a leaf is known.
pub fn stage_of(leaf: &Leaf) -> Stage {
    match leaf {
        Leaf::Machine(_) => Stage::Machine,
        Leaf::Captured(_) | Leaf::HostThreads => Stage::Launch,
    }
}

pub(super) fn evaluate(step: Step, leaves: &[f64], of: impl Fn(Place) -> f64) -> f64 {
    let truth = |holds: bool| if holds { 1.0 } else { 0.0 };
    match step {
        Step::Constant(bits) => f64::from_bits(bits),
        Step::Leaf(number) => leaves[number as usize],
        Step::Add(a, b) => of(a) + of(b),
        Step::Subtract(a, b) => of(a) - of(b),
        Step::Multiply(a, b) => of(a) * of(b),
        Step::Divide(a, b) => of(a) / of(b),
        Step::Min(a, b) => min(of(a), of(b)),
        Step::Max(a, b) => max(of(a), of(b)),
        Step::Floor(a) => of(a).floor(),
        Step::Less(a, b) => truth(of(a) < of(b)),
        Step::Equal(a, b) => truth(of(a) == of(b)),
        Step::And(a, b) => truth(of(a) != 0.0 && of(b) != 0.0),
        Step::Or(a, b) => truth(of(a) != 0.0 || of(b) != 0.0),
        Step::Not(a) => truth(of(a) == 0.0),
        Step::Choose(a, b, c) => {
            if of(a) != 0.0 {
                of(b)
            } else {
                of(c)
            }
        }
    }
}

/// As one instruction of most processors does it: what is no number is not the minimum, if it comes first.
pub(super) fn min(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

pub(super) fn max(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Leaf::Machine(key) => f.write_str(key),
            Leaf::Captured(name) => f.write_str(name),
            Leaf::HostThreads => f.write_str("host.threads"),
        }
    }
}
