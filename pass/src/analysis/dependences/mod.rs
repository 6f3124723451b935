//! The data dependence graph of a region: which accesses touch the same bytes in which iterations, and which loops are parallel therefore.
//!
//! `collect` lists what touches memory (`accesses`), `bases` says which of it may meet at all, `pairs` asks `ipda-symbolic` at which distances it
//! does, `unwrapped` the same where index arithmetic does not wrap, `scalars` and `updates` find recurrences that need no memory of their
//! own or no order, `footprint` bounds what is touched of each object, and `verdict` says of each loop whether its iterations are
//! independent, and under which guard.

mod accesses;
mod bases;
mod boxes;
mod build;
mod collect;
mod footprint;
mod graph;
mod nests;
mod pairs;
mod position;
mod print;
mod private;
mod promotable;
mod reductions;
mod registers;
mod result;
mod scalars;
mod sections;
mod shapes;
mod skewed;
mod unwrapped;
mod updates;
mod verdict;

pub(crate) use build::dependences_of;
pub(crate) use footprint::Touched;
pub use graph::{Relationship, to_dot};
pub(crate) use nests::{NestAccess, NestDependences, Outline, RegionAccesses, SharedNest, outline, size_of_digit};
pub(crate) use pairs::Exclusion;
pub(crate) use position::{Position, runs_in_every_iteration};
pub(crate) use print::text;
pub(crate) use promotable::Promotable;
pub(crate) use reductions::{is_copy, is_list, is_listed, only_update_copies, steps};
pub use result::{
    AccessNode, DependenceKind, Edge, Guard, LoopDependences, Node, Object, Obstacle, OpaqueNode, Pair, PairVector,
    Phases, RegionDependences, RegisterFlow, Relation, Scalar, ScalarKind, Step, UnitKind, Update, Verdict,
};
pub(crate) use skewed::skewed_nests;

pub use ipda_llvm::{Operation, OrderOfUpdates};
