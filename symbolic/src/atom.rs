//! Atoms: what polynomials are made of.

use crate::id::LoopId;
use crate::interval::{Interval, Signedness};
use crate::polynomial::Polynomial;
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeSet;

/// An indivisible integer value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    /// A value that is unknown at compile time. Two symbols are never merged, whatever their names.
    Symbol(Symbol),
    /// The iteration number (0, 1, 2, ...) of a loop; one atom a loop.
    Iteration(LoopId),
    /// 1 where the predicate holds, else 0.
    Predicate(Predicate),
    /// The quotient of the first by the second polynomial, rounded down; has no value where the divisor is 0.
    FloorDiv(Polynomial, Polynomial),
    /// A value reduced modulo `2^bits` into the signed or unsigned range.
    Wrap {
        /// Into which range.
        signed: Signedness,
        /// The width.
        bits: u32,
        /// The exact value before the reduction.
        value: Polynomial,
    },
    /// An operation on exact integers that has no polynomial form.
    Op(OpaqueOp, Vec<Polynomial>),
    /// The integer in memory at an address. Equal parts mean equal values.
    Load {
        /// Byte address.
        address: Polynomial,
        /// Size of the integer.
        bytes: u64,
        /// Number of the memory state; loads of different states may differ.
        epoch: u32,
        /// The integers that the bytes are read as.
        range: Interval,
    },
}

/// A value that is unknown at compile time.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Symbol {
    /// The name that a person would use.
    pub name: String,
    /// What the value is known to lie in. A symbol in `[0,1]` is an opaque predicate.
    pub range: Interval,
    /// What the value depends on.
    pub varies: Varies,
}

/// What an unknown value depends on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Varies {
    /// On nothing: one value for all threads and iterations.
    No,
    /// On the iterations of these loops, and not on the thread.
    WithLoops(BTreeSet<LoopId>),
    /// On the thread by its own number or place, which a [`LaneMap`](crate::LaneMap) tells for each lane; not on loops.
    Thread,
    /// On values in memory, and so possibly on the thread: it is known which computation of loaded values and iteration numbers the
    /// value is, as the reason says, but not in closed form.
    Data(String),
    /// Possibly on the thread, for the given reason.
    PerThread(String),
}

/// A condition on integers; canonical forms come from the constructors of [`Space`](crate::Space).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Predicate {
    /// The polynomial is at least 0.
    NonNegative(Polynomial),
    /// The polynomial is 0.
    Zero(Polynomial),
}

/// Operations without polynomial form, on exact integers (negative ones in two's complement of unlimited width).
///
/// A logical shift to the right is [`OpaqueOp::Shr`] of the value read as unsigned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OpaqueOp {
    /// The least argument.
    Min,
    /// The maximum of the arguments.
    Max,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// First to the power of the second; has no value for negative powers.
    Pow,
    /// First times 2 to the power of the second; has no value for negative powers. Becomes a product with [`OpaqueOp::Pow`] unless
    /// that would be too large.
    Shl,
    /// First divided by 2 to the power of the second, rounded down; has no value for negative powers.
    Shr,
    /// First divided by the second, rounded towards 0; has no value for the divisor 0.
    TruncDiv,
    /// The remainder of [`OpaqueOp::TruncDiv`], with the dividend's sign; has no value for the divisor 0.
    TruncRem,
}

impl OpaqueOp {
    /// All operations.
    pub const ALL: [OpaqueOp; 10] = [
        OpaqueOp::Min,
        OpaqueOp::Max,
        OpaqueOp::And,
        OpaqueOp::Or,
        OpaqueOp::Xor,
        OpaqueOp::Pow,
        OpaqueOp::Shl,
        OpaqueOp::Shr,
        OpaqueOp::TruncDiv,
        OpaqueOp::TruncRem,
    ];

    /// The name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            OpaqueOp::Min => "min",
            OpaqueOp::Max => "max",
            OpaqueOp::And => "and",
            OpaqueOp::Or => "or",
            OpaqueOp::Xor => "xor",
            OpaqueOp::Pow => "pow",
            OpaqueOp::Shl => "shl",
            OpaqueOp::Shr => "shr",
            OpaqueOp::TruncDiv => "div",
            OpaqueOp::TruncRem => "rem",
        }
    }

    /// Whether order and grouping of the arguments do not matter.
    pub fn is_associative_commutative(self) -> bool {
        matches!(self, OpaqueOp::Min | OpaqueOp::Max | OpaqueOp::And | OpaqueOp::Or | OpaqueOp::Xor)
    }
}

impl Atom {
    /// Whether it may differ between threads or iterations whatever its operands are.
    pub(crate) fn varies_itself(&self) -> bool {
        match self {
            Atom::Symbol(symbol) => symbol.varies != Varies::No,
            Atom::Iteration(_) | Atom::Load { .. } => true,
            Atom::Predicate(_) | Atom::FloorDiv(..) | Atom::Wrap { .. } | Atom::Op(..) => false,
        }
    }

    /// The polynomials that the atom is made of.
    pub fn operands(&self) -> SmallVec<[&Polynomial; 2]> {
        match self {
            Atom::Symbol(_) | Atom::Iteration(_) => SmallVec::new(),
            Atom::Predicate(Predicate::NonNegative(p) | Predicate::Zero(p)) => smallvec![p],
            Atom::FloorDiv(a, b) => smallvec![a, b],
            Atom::Wrap { value, .. } => smallvec![value],
            Atom::Op(_, args) => args.iter().collect(),
            Atom::Load { address, .. } => smallvec![address],
        }
    }
}
