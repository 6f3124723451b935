//! What is found of the dependences of a region.

use ipda_llvm::Operation;
use ipda_models::report::{AccessKind, Limit, Location, Reject};
use std::time::Duration;

/// The dependences of one region, kernel or function.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionDependences {
    /// What is analysed as one.
    pub kind: UnitKind,
    /// Its name in the source.
    pub function: String,
    /// The directive's place, or the function's.
    pub location: Option<Location>,
    /// Outer loops before inner ones.
    pub loops: Vec<LoopDependences>,
    /// In program order; an access is known by its place here.
    pub accesses: Vec<AccessNode>,
    /// What has effects that are not followed.
    pub opaque: Vec<OpaqueNode>,
    /// Objects that accesses lead to.
    pub objects: Vec<Object>,
    /// All pairs of accesses that were asked about, the independent ones too.
    pub pairs: Vec<Pair>,
    /// What may not be taken out of its order.
    pub edges: Vec<Edge>,
    /// What values in registers carry: from loads and from earlier iterations.
    pub flows: Vec<RegisterFlow>,
    /// What the answers rest on, a sentence each.
    pub assumptions: Vec<String>,
    /// What was left alone.
    pub rejects: Vec<Reject>,
    /// Limits that were met.
    pub limits: Vec<Limit>,
}

impl RegionDependences {
    /// Of which nothing is said yet.
    pub(super) fn empty(kind: UnitKind, function: String, location: Option<Location>) -> RegionDependences {
        RegionDependences {
            kind,
            function,
            location,
            loops: Vec::new(),
            accesses: Vec::new(),
            opaque: Vec::new(),
            objects: Vec::new(),
            pairs: Vec::new(),
            edges: Vec::new(),
            flows: Vec::new(),
            assumptions: Vec::new(),
            rejects: Vec::new(),
            limits: Vec::new(),
        }
    }
}

/// How long the parts of the work took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Phases {
    /// Flattening, loops, accesses and their addresses.
    pub reading: Duration,
    /// The tests of all pairs of accesses.
    pub testing: Duration,
    /// The same tests asked once more, where that is wanted: with what is known of loops and addresses kept, and no answers.
    pub again: Option<Duration>,
    /// Footprints, verdicts of loops, and text.
    pub reports: Duration,
}

/// What is analysed as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitKind {
    /// An OpenMP target region: all of its iterations.
    Region,
    /// A kernel of CUDA or HIP: what one of its threads does.
    Kernel,
    /// Any other function.
    Function,
}

/// A loop and what its iterations have to do with each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopDependences {
    /// The loop around it, by its place in the list.
    pub parent: Option<usize>,
    /// How many loops are around an iteration, this one included.
    pub depth: usize,
    /// Whether the program says that its iterations may run in parallel.
    pub shared: bool,
    /// Its variable in the source.
    pub variable: Option<String>,
    /// Where it begins.
    pub location: Option<Location>,
    /// How often it runs, or why that is not known.
    pub trips: String,
    /// Whether its iterations are independent.
    pub verdict: Verdict,
    /// What goes from iteration to iteration in registers.
    pub scalars: Vec<Scalar>,
    /// Objects of which each iteration may have a copy of its own.
    pub private: Vec<usize>,
    /// Those of them that are read outside of the loop, too, where the last iteration's copy must be found.
    pub last_private: Vec<usize>,
    /// Values in memory that iterations update by one operation.
    pub updates: Vec<Update>,
    /// The clauses, as `reduction(+ : sum)`, without which its iterations do not run in parallel, whatever the verdict says.
    pub missing_clauses: Vec<String>,
}

/// Whether the iterations of a loop are independent, but for reductions and private copies, which are reported beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Its iterations are independent.
    Parallel,
    /// Where the guard holds.
    Guarded(Guard),
    /// An iteration needs what another one does.
    Serial(Obstacle),
    /// Independence is not shown.
    Unknown(Obstacle),
}

/// What can be tested before the region runs; all parts must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guard {
    /// Expressions that are at least 0.
    pub conditions: Vec<String>,
    /// The same as comparisons for people.
    pub words: Vec<String>,
    /// Pairs of objects whose footprints do not overlap and lie within the machine's addresses, from 0 to `2^64`, all ends computed
    /// exactly: addresses are residues, and one that would be negative or greater is another one.
    pub disjoint: Vec<(usize, usize)>,
}

/// Why a loop is not known to be parallel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// What stands in the way.
    pub sentence: String,
    /// Where it is, or where it comes from.
    pub from: Option<Location>,
    /// Where it goes to.
    pub to: Option<Location>,
}

/// A value in a register that goes from iteration to iteration, or out of the loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    /// The variable in the source.
    pub name: Option<String>,
    /// What it is to the loop.
    pub kind: ScalarKind,
    /// Where it is computed.
    pub location: Option<Location>,
}

/// What a value in a register is to a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScalarKind {
    /// A function of the iteration number.
    Induction,
    /// Updated by one associative operation and read after the loop only.
    Reduction(Operation),
    /// Updated like a reduction, and each value on the way is used.
    Scan {
        /// The operation.
        operation: String,
    },
    /// Another value that an iteration takes from the one before.
    Recurrence,
    /// Computed in each iteration anew; the last one's value is used after the loop.
    LastValue,
}

impl Scalar {
    /// Whether an iteration takes the value from the one before, and it is no function of the iteration number.
    pub(super) fn is_carried(&self) -> bool {
        matches!(self.kind, ScalarKind::Reduction(_) | ScalarKind::Scan { .. } | ScalarKind::Recurrence)
    }
}

/// A reduction in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// Where the value is.
    pub object: Option<usize>,
    /// The operation.
    pub operation: Operation,
    /// The accesses that make the updates.
    pub accesses: Vec<usize>,
}

/// An access to memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessNode {
    /// What it does.
    pub kind: AccessKind,
    /// None where it is not one known object.
    pub object: Option<usize>,
    /// Its size.
    pub bytes: u64,
    /// Its address as an expression.
    pub address: String,
    /// The loops around it, outermost first.
    pub loops: Vec<usize>,
    /// Its place in the source.
    pub location: Option<Location>,
    /// The places of the calls around it, the nearest first.
    pub called_from: Vec<Location>,
    /// The operation of an atomic update whose order does not matter.
    pub update: Option<String>,
    /// Whether it runs in every iteration of the loops around it.
    pub in_every_iteration: bool,
}

/// Something whose effects are not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpaqueNode {
    /// What it is.
    pub what: String,
    /// The loops around it.
    pub loops: Vec<usize>,
    /// Its place in the source.
    pub location: Option<Location>,
}

/// An object that accesses lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// What a person would call it.
    pub name: String,
    /// What is touched of it, from the first byte to before the last; or why that is not known.
    pub footprint: Result<(String, String), String>,
}

/// Two accesses, the first before the second in program order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The access that comes first.
    pub first: usize,
    /// The other one; it can be the same.
    pub second: usize,
    /// What was found.
    pub relation: Relation,
}

/// What is known of a pair of accesses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relation {
    /// They never touch a common byte in two executions, for the reason given.
    Independent(String),
    /// They belong to objects that may be one; nothing is known of the distances.
    MayAlias,
    /// At these distances of the loops around both, from the first access to the second, they may touch a common byte, and at no others.
    Distances(Vec<PairVector>),
}

/// A set of distances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairVector {
    /// By common loop, outermost first.
    pub steps: Vec<Step>,
    /// Whether they meet for sure whenever the loops run long enough and both run.
    pub certain: bool,
    /// Expressions that exclude it where all are at least 0.
    pub excluded_if: Option<Vec<String>>,
}

/// A loop's entry of a vector: how the iteration of the first (or the source) can lie to that of the second (or the sink).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// It can come earlier.
    pub less: bool,
    /// They can be one.
    pub equal: bool,
    /// It can come later.
    pub greater: bool,
    /// The iteration of the second less that of the first, where it is one value.
    pub distance: Option<String>,
}

/// A node of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    /// An access, by its number.
    Access(usize),
    /// A statement that is not followed, by its number.
    Opaque(usize),
    /// A value in a register that a loop's iterations hand on.
    Scalar {
        /// The loop, by its number.
        in_loop: usize,
        /// Its place among the loop's scalars.
        scalar: usize,
    },
}

/// A value that one node computes and that another one uses, in registers, in one iteration of the loops around both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RegisterFlow {
    /// What computes it: a load, what is not followed, or a value of the iteration before.
    pub from: Node,
    /// What it goes into: a store or its address, what is not followed, or a value for the next iteration.
    pub to: Node,
}

/// What the sink has to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DependenceKind {
    /// It reads what the source has written.
    Flow,
    /// It writes what the source has read.
    Anti,
    /// It writes what the source has written.
    Output,
}

/// A dependence: the source comes first in the order of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The access that has to come first.
    pub source: usize,
    /// The one that waits.
    pub sink: usize,
    /// For what it waits.
    pub kind: DependenceKind,
    /// By common loop, outermost first; up to the carrying loop all are equal.
    pub steps: Vec<Step>,
    /// The loop in whose different iterations the two are; none for two of one iteration.
    pub carried_by: Option<usize>,
    /// Whether it is there for sure whenever the loops run long enough.
    pub certain: bool,
    /// Why it could not be excluded.
    pub missing: String,
    /// What would exclude it; none where nothing that is known before the region would.
    pub guard: Option<Guard>,
    /// Whether both ends are parts of one update whose order does not matter to the carrying loop.
    pub is_update: bool,
    /// Whether the carrying loop's iterations may have copies of the object of their own.
    pub is_private: bool,
}
