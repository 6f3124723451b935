//! The two accesses as one system: the sink at iterations `i + D`, what may differ between the two ends as symbols of its own.

use super::Access;
use super::eliminate::lower_bounds;
use super::linear::is_repeated;
use super::wrapping::is_about_place;
use crate::atom::{Atom, AtomId, LoopId, Varies};
use crate::coeff::Coeff;
use crate::facts::Facts;
use crate::polynomial::Polynomial;
use crate::space::Space;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a symbol of the space stands for in dependence tests.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Counterpart {
    /// The iteration number of the sink minus that of the source.
    Distance(LoopId),
    /// The iteration number of a loop around the sink alone.
    Iteration(LoopId),
    /// The sink's value of an atom that need not be that of the source.
    Value(AtomId),
    /// The product of two atoms of which one is known by its range alone.
    Product(AtomId, AtomId),
    /// How often `2^64` is in the difference of two addresses.
    Wraps,
}

/// A value of the sink that is that of the source where the distances in some loops are 0.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    pub stand_in: AtomId,
    pub original: AtomId,
    /// Positions among the common loops.
    pub loops: Vec<usize>,
}

/// Source and sink in one system.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    /// By common loop.
    pub distances: Vec<AtomId>,
    /// Address of the sink minus that of the source.
    pub delta: Polynomial,
    /// Bounds of the distances that do not depend on iterations.
    pub near: Facts,
    /// All that holds where both run.
    pub full: Facts,
    pub identities: Vec<Identity>,
    /// Whether the two never both run.
    pub is_impossible: bool,
}

/// Adds a fact; whether it can hold.
pub(super) fn assume(facts: &mut Facts, fact: Polynomial) -> bool {
    match fact.as_constant() {
        Some(value) => !value.is_negative(),
        None => {
            facts.assume_nonneg(tightened(fact));
            true
        }
    }
}

/// What says the same of integers with the least coefficients: `g*q + c >= 0` is `q + floor(c/g) >= 0`.
pub(super) fn tightened(fact: Polynomial) -> Polynomial {
    let gcd = fact.variable_content();
    if gcd.is_one() {
        return fact;
    }
    let variable = fact.without_constant();
    let constant = fact.constant_term().div_floor(&gcd);
    match variable.div_exact(&gcd).zip(constant) {
        Some((variable, constant)) => variable + Polynomial::from(constant),
        None => fact,
    }
}

/// [`Space::is_invariant`].
pub(super) fn is_invariant(space: &Space, p: &Polynomial) -> bool {
    space.is_invariant(p)
}

/// [`Space::is_fixed`].
pub(super) fn is_fixed(space: &Space, id: AtomId) -> bool {
    space.is_fixed(id)
}

impl Pair {
    /// `is_constant`: loads whose memory nothing writes while the loops run.
    pub(super) fn new(
        space: &mut Space,
        source: &Access,
        sink: &Access,
        common: &[LoopId],
        is_constant: &dyn Fn(AtomId) -> bool,
    ) -> Pair {
        let distances: Vec<AtomId> = common.iter().map(|&id| space.counterpart(Counterpart::Distance(id))).collect();
        let mut ends = Ends { common, distances: &distances, values: FxHashMap::default(), identities: Vec::new() };
        let (source_facts, sink_facts) = (essential(space, source), essential(space, sink));
        let has_own_loops = source.loops.len() != common.len() || sink.loops.len() != common.len();
        let mut seen = FxHashSet::default();
        let mut open = sink.address.atoms();
        open.extend(sink_facts.iter().flat_map(|fact| fact.atoms.iter().copied()));
        while let Some(atom) = open.pop() {
            if seen.insert(atom) && !ends.meet(space, atom, has_own_loops, is_constant) {
                open.extend(space.atom(atom).operands().into_iter().flat_map(Polynomial::atoms));
            }
        }
        let Ends { values, identities, .. } = ends;
        let mut value_of = |atom| values.get(&atom).cloned();
        let delta = space.substitute(&sink.address, &mut value_of) - &source.address;
        let moved: Vec<Polynomial> = sink_facts.nonneg().map(|fact| space.substitute(fact, &mut value_of)).collect();
        let mut pair =
            Pair { distances, delta, near: Facts::none(), full: Facts::none(), identities, is_impossible: false };
        pair.bound_distances(space, &source_facts, &sink_facts, common);
        pair.full = pair.near.clone();
        for (index, &id) in common.iter().enumerate() {
            let iteration = space.iteration(id).as_atom().expect("an iteration number is an atom");
            let there = Polynomial::from(iteration) + Polynomial::from(pair.distances[index]);
            let high = space.atom_range(iteration).high().cloned();
            pair.assume(there.clone());
            pair.assume_below(&there, high);
        }
        for &id in sink.loops.iter().filter(|id| !common.contains(id)) {
            let there = Polynomial::from(space.counterpart(Counterpart::Iteration(id)));
            let iteration = space.iteration(id).as_atom().expect("an iteration number is an atom");
            let high = space.atom_range(iteration).high().cloned();
            pair.assume_below(&there, high);
        }
        for fact in source_facts.nonneg().cloned().chain(moved) {
            if is_invariant(space, &fact) {
                pair.is_impossible |= !assume(&mut pair.near, fact.clone());
            }
            pair.assume(fact);
        }
        pair
    }

    fn assume(&mut self, fact: Polynomial) {
        self.is_impossible |= !assume(&mut self.full, fact);
    }

    fn assume_below(&mut self, value: &Polynomial, high: Option<Coeff>) {
        if let Some(high) = high {
            self.assume(Polynomial::from(high) - value);
        }
    }

    /// From `low <= i <= high` at one end and `low' <= i + D <= high'` at the other: `low' - high <= D <= high' - low`.
    fn bound_distances(&mut self, space: &mut Space, source: &Facts, sink: &Facts, common: &[LoopId]) {
        let mut bounds: Vec<Polynomial> = Vec::new();
        for (index, &id) in common.iter().enumerate() {
            let iteration = space.iteration(id).as_atom().expect("an iteration number is an atom");
            let distance = Polynomial::from(self.distances[index]);
            let (lows, highs) = bounds_of(space, iteration, source);
            let (sink_lows, sink_highs) = bounds_of(space, iteration, sink);
            let between = |lows: &[Polynomial], highs: &[Polynomial], distance: &Polynomial| -> Vec<Polynomial> {
                lows.iter().flat_map(|low| highs.iter().map(move |high| high - low - distance)).collect()
            };
            // The loop runs at all.
            bounds.extend(between(&lows, &highs, &Polynomial::zero()));
            bounds.extend(between(&sink_lows, &sink_highs, &Polynomial::zero()));
            bounds.extend(between(&lows, &sink_highs, &distance));
            bounds.extend(between(&sink_lows, &highs, &-&distance));
        }
        for bound in &bounds {
            let is_sharper =
                |other: &Polynomial| (bound - other).as_constant().is_some_and(|difference| difference.is_positive());
            if !bounds.iter().any(is_sharper) {
                self.is_impossible |= !assume(&mut self.near, bound.clone());
            }
        }
    }
}

/// The facts, without those that say nothing about iterations or repeat others.
fn essential(space: &Space, access: &Access) -> Facts {
    let used = access.address.atoms();
    let mut facts = Facts::none();
    for fact in access.facts.iter() {
        let is_used = fact.atoms.iter().any(|atom| used.contains(atom));
        let is_repeated = !is_used && is_repeated(space, &access.facts, fact);
        if !is_repeated && !is_about_place(&fact.polynomial, access) {
            assume(&mut facts, fact.polynomial.clone());
        }
    }
    facts
}

/// Invariant lower and upper bounds of an iteration number; where one depends on loops around (`j <= i`), the worst that it can be.
fn bounds_of(space: &Space, iteration: AtomId, facts: &Facts) -> (Vec<Polynomial>, Vec<Polynomial>) {
    let range = space.atom_range(iteration);
    let mut lows: Vec<Polynomial> = range.low().cloned().map(Polynomial::from).into_iter().collect();
    let mut highs: Vec<Polynomial> = range.high().cloned().map(Polynomial::from).into_iter().collect();
    for fact in facts.iter().filter(|fact| fact.atoms.contains(&iteration)) {
        let Some((factor, rest)) = fact.polynomial.split_affine(iteration) else { continue };
        let is_low = match factor.as_constant() {
            Some(factor) if *factor == Coeff::MINUS_ONE => false,
            Some(factor) if factor.is_one() => true,
            _ => continue,
        };
        let least = match is_invariant(space, &rest) {
            true => vec![-rest],
            false => lower_bounds(space, &-rest, facts),
        };
        match is_low {
            true => lows.extend(least),
            false => highs.extend(least.into_iter().map(|least| -least)),
        }
    }
    (lows, highs)
}

/// Collects what the sink's atoms become.
struct Ends<'a> {
    common: &'a [LoopId],
    distances: &'a [AtomId],
    values: FxHashMap<AtomId, Polynomial>,
    identities: Vec<Identity>,
}

impl Ends<'_> {
    /// Decides about an atom; false where its parts decide.
    fn meet(
        &mut self,
        space: &mut Space,
        atom: AtomId,
        has_own_loops: bool,
        is_constant: &dyn Fn(AtomId) -> bool,
    ) -> bool {
        let all = || Some((0..self.common.len()).collect::<Vec<_>>());
        let position = |id: &LoopId| self.common.iter().position(|other| other == id);
        // Where the distances in these loops are 0, it is one value.
        let loops = match space.atom(atom) {
            Atom::Iteration(id) => {
                let value = match position(id) {
                    Some(index) => Polynomial::from(atom) + Polynomial::from(self.distances[index]),
                    None => Polynomial::from(space.counterpart(Counterpart::Iteration(*id))),
                };
                self.values.insert(atom, value);
                return true;
            }
            Atom::Symbol(symbol) => match &symbol.varies {
                Varies::No => return true,
                Varies::WithLoops(loops) => loops.iter().map(position).collect::<Option<Vec<_>>>(),
                Varies::Thread => all(),
                Varies::Data(_) | Varies::PerThread(_) if has_own_loops => None,
                Varies::Data(_) | Varies::PerThread(_) => all(),
            },
            Atom::Load { .. } if is_constant(atom) => return false,
            Atom::Load { .. } if has_own_loops => None,
            Atom::Load { .. } => all(),
            Atom::Predicate(_) | Atom::FloorDiv(..) | Atom::Wrap { .. } | Atom::Op(..) => return false,
        };
        if loops.as_ref().is_some_and(Vec::is_empty) {
            return true;
        }
        let stand_in = space.counterpart(Counterpart::Value(atom));
        self.values.insert(atom, Polynomial::from(stand_in));
        self.identities.extend(loops.map(|loops| Identity { stand_in, original: atom, loops }));
        true
    }
}
