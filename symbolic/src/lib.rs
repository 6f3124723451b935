//! Exact algebra over memory addresses.
//!
//! An address is a [`Polynomial`] with integer coefficients over atoms: symbols, iteration numbers, predicates, and operations
//! without polynomial form. A [`Space`] owns the atoms and builds canonical polynomials, so that equal means identical.

#![forbid(unsafe_code)]

mod atom;
mod bound_cache;
mod bounds;
mod choice;
mod coalesce;
mod code;
mod coeff;
mod contents;
mod dependence;
mod display;
mod example;
mod example_cache;
mod extremes;
mod facts;
mod group;
mod id;
mod import;
mod interval;
mod ipd;
mod label;
mod limits;
mod mapping;
mod monomial;
mod names;
mod nest;
mod operation;
mod parse;
mod polynomial;
mod power;
mod predicate;
mod quotient;
mod quotient_facts;
mod rewrite;
mod search;
mod space;
mod words;

pub use atom::{Atom, OpaqueOp, Predicate, Symbol, Varies};
pub use coalesce::{
    ActiveLanes, BankPasses, Banks, CoalescingClass, MemoryGeometry, TransactionCount, bank_passes, classify,
    classify_within_rows, count_lines, count_sectors, greedy_requests, pieces,
};
pub use code::{Code, Leaf};
pub use coeff::Coeff;
pub use dependence::{
    Access, Direction, Pair, Step, Vector, dependence, dependence_with, dependence_within_iterations,
};
pub use extremes::{End, Running, Unbounded};
pub use facts::{Facts, Truth};
pub use group::{Block, GroupCount, count_group, groups, sectors_at, sectors_together};
pub use id::{AccessId, AtomId, LoopId};
pub use interval::{Interval, Signedness};
pub use ipd::{LaneCondition, LaneMap, RowEnd, Start, Stride, lane_condition, lane_differences, per_thread_stride};
pub use limits::{LimitHits, MAX_ALL_TRIES, MAX_DEGREE, MAX_NODES, MAX_TERMS, MAX_TRIES};
pub use mapping::{Count, Given, Hull, Idle, Mapping, Nest, NestLoop, Objection, Part, Size, Skew, Tile};
pub use monomial::Monomial;
pub use names::{Name, declare_as_symbols, declare_unknown};
pub use nest::TripCount;
pub use parse::{ParseError, parse};
pub use polynomial::{Atoms, Polynomial};
pub use space::Space;
pub use words::{in_words, members_in, without_states};
