//! Limits that keep work and size bounded, and how often each was met.

use std::cell::Cell;
use std::fmt;

/// A product with more terms than this is not formed.
pub const MAX_TERMS: usize = 256;

/// A product of a higher degree is not formed.
pub const MAX_DEGREE: u32 = 64;

/// An atom whose text would have more than about this many atoms and coefficients is replaced by an unknown value.
pub const MAX_NODES: u32 = 1024;

/// How many combinations of facts are tried for one bound.
pub const MAX_TRIES: u32 = 128;

/// How many combinations of facts are tried in one [`Space`](crate::Space) for all bounds together.
pub const MAX_ALL_TRIES: u32 = 1 << 17;

/// Steps of work for all that is asked of one [`Space`](crate::Space), unless [`Space::set_budget`](crate::Space::set_budget) says otherwise. A step
/// is a term, a fact or an atom that is looked at once: some 20 to 100 ns.
pub const MAX_WORK: u64 = 1 << 25;

/// How often limits were met. Each time, something that could have been known was left unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LimitHits {
    /// [`MAX_TERMS`]: products that were not formed.
    pub product_terms: u64,
    /// [`MAX_DEGREE`]: products that were not formed.
    pub product_degree: u64,
    /// [`MAX_NODES`]: atoms that were not made.
    pub atom_size: u64,
    /// Bounds of polynomials with too many terms to look at the cases of a predicate apart.
    pub proof_terms: u64,
    /// [`MAX_TRIES`]: bounds whose search ended early.
    pub proof_tries: u64,
    /// [`MAX_ALL_TRIES`]: bounds that were not searched for.
    pub all_proof_tries: u64,
    /// Combinations of directions that a dependence test did not look at one by one.
    pub dependence_nodes: u64,
    /// Bounds in a dependence test whose search ended early.
    pub dependence_proofs: u64,
    /// Expressions that were not taken apart further for what they are at least, or at most.
    pub extreme_parts: u64,
    /// Questions that were left open after all steps of work were used up.
    pub work: u64,
}

impl LimitHits {
    /// The limits with their names in reports.
    pub fn by_name(&self) -> [(&'static str, u64); 10] {
        [
            ("product-terms", self.product_terms),
            ("product-degree", self.product_degree),
            ("atom-size", self.atom_size),
            ("proof-terms", self.proof_terms),
            ("proof-tries", self.proof_tries),
            ("all-proof-tries", self.all_proof_tries),
            ("dependence-nodes", self.dependence_nodes),
            ("dependence-proofs", self.dependence_proofs),
            ("extreme-parts", self.extreme_parts),
            ("work", self.work),
        ]
    }

    /// How often any was met.
    pub fn total(&self) -> u64 {
        self.by_name().iter().map(|(_, hits)| hits).sum()
    }
}

/// `product-terms 3, proof-tries 12`; nothing where no limit was met.
impl fmt::Display for LimitHits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (name, hits) in self.by_name().into_iter().filter(|(_, hits)| *hits > 0) {
            write!(f, "{separator}{name} {hits}")?;
            separator = ", ";
        }
        Ok(())
    }
}

/// What a space keeps of its limits; searches count while they only read.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    hits: Cell<LimitHits>,
    work: Cell<u64>,
    budget: u64,
    tries: Cell<u32>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { hits: Cell::default(), work: Cell::default(), budget: MAX_WORK, tries: Cell::default() }
    }
}

impl Limits {
    pub(crate) fn set_budget(&mut self, steps: u64) {
        self.budget = steps;
    }

    pub(crate) fn work(&self) -> u64 {
        self.work.get()
    }

    /// Counts steps of work.
    pub(crate) fn work_on(&self, steps: usize) {
        self.work.set(self.work.get().saturating_add(steps as u64));
    }

    /// Whether all steps of work are used up, so that a question must be left open.
    pub(crate) fn is_spent(&self) -> bool {
        let is_spent = self.work.get() >= self.budget;
        if is_spent {
            self.count(|hits| hits.work += 1);
        }
        is_spent
    }

    pub(crate) fn hits(&self) -> LimitHits {
        self.hits.get()
    }

    pub(crate) fn count(&self, count: impl FnOnce(&mut LimitHits)) {
        let mut hits = self.hits.get();
        count(&mut hits);
        self.hits.set(hits);
    }

    /// How many tries one bound may take.
    pub(crate) fn tries(&self) -> u32 {
        let tries = MAX_TRIES.min(MAX_ALL_TRIES - self.tries.get());
        if tries == 0 {
            self.count(|hits| hits.all_proof_tries += 1);
        }
        tries
    }

    pub(crate) fn spend(&self, tries: u32) {
        self.tries.set(MAX_ALL_TRIES.min(self.tries.get() + tries));
    }
}
