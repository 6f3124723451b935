//! What bounds the iterations of two accesses together. It is one for all accesses of a nest that have no other values in their addresses, and
//! kept for them.

use super::counterpart::Counterpart;
use super::digits::Number;
use super::distances::{ends, is_boxed};
use super::ends::Ends;
use super::frames::{Frame, Guards, Identity, Key, Renamed, rename};
use super::solve::Solver;
use super::variables::{BEFORE_LOOPS, Variables};
use super::worth::{assume, is_wide, tightened};
use crate::atom::Atom;
use crate::coeff::Coeff;
use crate::dependence::access::{Access, own_loops};
use crate::dependence::vector::ByLoop;
use crate::dependence::wrapping::is_about_place;
use crate::facts::{Fact, Facts};
use crate::id::{AtomId, LoopId};
use crate::polynomial::{Monomial, Polynomial};
use crate::space::Space;
use smallvec::SmallVec;
use std::rc::Rc;

/// More variables than this are not looked at.
const MAX_VARIABLES: usize = 24;

/// The frame of two accesses, of which these are the other values that vary, among them the digits of some iteration numbers. The inner `None` where the two never both run, the outer one
/// where there are too many of those.
pub(super) fn frame(
    space: &mut Space,
    [source, sink]: [&Access; 2],
    common: &[LoopId],
    others: &[SmallVec<[AtomId; 4]>; 2],
    numbers: &[Number],
    is_constant: &dyn Fn(AtomId) -> bool,
) -> Option<Option<Rc<Frame>>> {
    let factors = |space: &Space, id: &LoopId| {
        let iteration = space.known_iteration(*id);
        iteration.is_some_and(|atom| has_one_factor(&source.address, &sink.address, atom))
    };
    let is_even: ByLoop<bool> = common.iter().map(|id| factors(space, id)).collect();
    if others.iter().any(|others| !others.is_empty()) {
        let facts = [source, sink].map(|access| {
            let has_quotients = |&atom: &AtomId| matches!(space.atom(atom), Atom::FloorDiv(..));
            match access.address.atoms().iter().any(has_quotients) {
                true => guards(space, access, &space.with_quotient_facts(&access.address, &access.facts)),
                false => guards(space, access, &access.facts),
            }
        });
        let values = Values { others, numbers };
        return Some(made(space, [source, sink], common, &is_even, values, &facts, is_constant)?.map(Rc::new));
    }
    let here = guards(space, source, &source.facts);
    let there = if std::ptr::eq(source, sink) { here.clone() } else { guards(space, sink, &sink.facts) };
    let facts = [here, there];
    if let Some(known) = space.frames.find([&source.loops, &sink.loops], common, &is_even, &facts) {
        return Some(known);
    }
    let values = Values { others, numbers: &[] };
    let frame = made(space, [source, sink], common, &is_even, values, &facts, is_constant)?.map(Rc::new);
    let loops = [source.loops.clone(), sink.loops.clone()];
    space.frames.keep(Key { loops, common: common.to_vec(), is_even, facts }, frame.clone());
    Some(frame)
}

/// Whether an atom has one coefficient in both.
fn has_one_factor(a: &Polynomial, b: &Polynomial, atom: AtomId) -> bool {
    let is_with = |term: &(&Monomial, &Coeff)| term.0.has(atom);
    a.terms().filter(is_with).eq(b.terms().filter(is_with))
}

/// Conditions say what facts say beside them.
fn is_indicator(space: &Space, fact: &Fact) -> bool {
    matches!(fact.atoms[..], [atom] if matches!(space.atom(atom), Atom::Predicate(_)))
}

fn guards(space: &Space, access: &Access, facts: &Facts) -> Guards {
    let is_wanted = |fact: &&Rc<Fact>| !is_indicator(space, fact) && !is_about_place(&fact.polynomial, access);
    facts.iter().filter(is_wanted).map(Rc::clone).collect()
}

/// What a polynomial is to the system.
enum Kind {
    Invariant,
    Affine,
    Other,
}

impl Variables {
    fn kind_of(&self, space: &Space, form: &Polynomial) -> Kind {
        let mut kind = Kind::Invariant;
        for (monomial, _) in form.terms() {
            let mut varying = monomial.powers().filter(|&(atom, _)| !space.is_fixed(atom));
            match (varying.next(), varying.next()) {
                (None, _) => {}
                (Some((atom, 1)), None) if self.contains(atom) => kind = Kind::Affine,
                _ => return Kind::Other,
            }
        }
        kind
    }
}

/// What varies besides iteration numbers of which no digits are taken.
struct Values<'a> {
    others: &'a [SmallVec<[AtomId; 4]>; 2],
    numbers: &'a [Number],
}

fn made(
    space: &mut Space,
    accesses: [&Access; 2],
    common: &[LoopId],
    is_even: &[bool],
    Values { others: values, numbers }: Values<'_>,
    facts: &[Guards; 2],
    is_constant: &dyn Fn(AtomId) -> bool,
) -> Option<Option<Frame>> {
    let boxed = match values.iter().all(SmallVec::is_empty) {
        true => boxed(space, common, is_even, facts),
        false => Boxed::new(),
    };
    let mut frame = Frame {
        variables: Variables::default(),
        known: Facts::none(),
        constraints: Vec::new(),
        distances: ByLoop::new(),
        identities: Vec::new(),
        apart_if: Vec::new(),
        renamed: Renamed::new(),
        projected: ByLoop::new(),
    };
    frame.add_iterations(space, accesses, &boxed, numbers)?;
    let own = own_loops(accesses[0], accesses[1], common);
    let shared = frame.add_values(space, common, &own, values, is_constant);
    if frame.variables.len() > MAX_VARIABLES {
        return None;
    }
    for end in [0, 1] {
        if !frame.add_guards(space, end, &facts[end], &shared, &boxed) {
            return Some(None);
        }
        frame.add_ranges(space, end, accesses[end], &values[end], &boxed, numbers);
    }
    frame.know_quotients(space);
    if !frame.leave_distances(space, common, is_even, facts, &boxed, numbers)? {
        return Some(None);
    }
    let mut solver = Solver::new(space, frame.variables.clone(), frame.known.clone());
    solver.assume_counts(&frame.constraints, &frame.distances);
    frame.known = solver.known;
    Some(Some(frame))
}

/// Loops that need no more than their distance from the start, by position, with their iteration numbers.
type Boxed = ByLoop<(usize, AtomId)>;

fn boxed(space: &mut Space, common: &[LoopId], is_even: &[bool], facts: &[Guards; 2]) -> Boxed {
    let mut boxed = Boxed::new();
    for (level, &id) in common.iter().enumerate().filter(|&(level, _)| is_even[level]) {
        let iteration = space.iteration(id).as_atom();
        boxed.extend(iteration.filter(|&iteration| is_boxed(space, facts, iteration)).map(|atom| (level, atom)));
    }
    boxed
}

fn is_taken_apart(numbers: &[Number], iteration: AtomId) -> bool {
    numbers.iter().any(|number| number.iteration == iteration)
}

fn is_open(boxed: &Boxed, atom: AtomId) -> bool {
    boxed.iter().all(|&(_, other)| other != atom)
}

/// The making, part by part. An end is 0 for the source, 1 for the sink.
impl Frame {
    /// The iteration numbers of both ends, but for those of which there are digits.
    fn add_iterations(
        &mut self,
        space: &mut Space,
        [source, sink]: [&Access; 2],
        boxed: &Boxed,
        numbers: &[Number],
    ) -> Option<()> {
        for (depth, &id) in source.loops.iter().enumerate() {
            let iteration = space.iteration(id).as_atom()?;
            if is_open(boxed, iteration) && !is_taken_apart(numbers, iteration) {
                self.variables.add(iteration, depth as u16);
            }
        }
        for (depth, &id) in sink.loops.iter().enumerate() {
            let iteration = space.iteration(id).as_atom()?;
            if is_open(boxed, iteration) && !is_taken_apart(numbers, iteration) {
                let there = space.counterpart(Counterpart::Iteration(id));
                self.variables.add(there, depth as u16);
                self.renamed.push((iteration, there));
            }
        }
        Some(())
    }

    /// The other values of both ends; those that are one value at both.
    fn add_values(
        &mut self,
        space: &mut Space,
        common: &[LoopId],
        own: &[LoopId],
        [here, there]: &[SmallVec<[AtomId; 4]>; 2],
        is_constant: &dyn Fn(AtomId) -> bool,
    ) -> SmallVec<[AtomId; 2]> {
        let mut shared: SmallVec<[AtomId; 2]> = SmallVec::new();
        here.iter().for_each(|&atom| self.variables.add(atom, BEFORE_LOOPS));
        for &atom in there {
            let same_in = Ends { space, common, own, is_constant }.same_in(atom);
            if same_in.as_ref().is_some_and(SmallVec::is_empty) {
                self.variables.add(atom, BEFORE_LOOPS);
                shared.push(atom);
                continue;
            }
            let there = space.counterpart(Counterpart::Value(atom));
            self.variables.add(there, BEFORE_LOOPS);
            self.renamed.push((atom, there));
            if let Some(loops) = same_in.filter(|_| here.contains(&atom)) {
                self.identities.push(Identity { difference: Polynomial::from(there) - Polynomial::from(atom), loops });
            }
        }
        shared
    }

    /// What holds where an access runs; whether it can.
    fn add_guards(&mut self, space: &Space, end: usize, guards: &Guards, shared: &[AtomId], boxed: &Boxed) -> bool {
        let is_sink = end == 1;
        for fact in guards.iter().filter(|fact| fact.atoms.iter().all(|&atom| is_open(boxed, atom))) {
            // What is a variable of the other end says nothing here.
            let is_known = |&atom: &AtomId| {
                self.renamed.iter().any(|(known, _)| *known == atom) || shared.contains(&atom) || space.is_fixed(atom)
            };
            if is_sink && !fact.atoms.iter().all(is_known) {
                continue;
            }
            let polynomial = if is_sink { rename(&fact.polynomial, &self.renamed) } else { fact.polynomial.clone() };
            match self.variables.kind_of(space, &polynomial) {
                Kind::Invariant => {
                    if !assume(&mut self.known, polynomial) {
                        return false;
                    }
                }
                Kind::Affine => {
                    let polynomial = tightened(polynomial);
                    if !self.constraints.iter().any(|known| **known == polynomial) {
                        self.constraints.push(Rc::new(polynomial));
                    }
                }
                Kind::Other => {}
            }
        }
        true
    }

    /// The ranges of the variables of an end.
    fn add_ranges(
        &mut self,
        space: &Space,
        end: usize,
        access: &Access,
        values: &[AtomId],
        boxed: &Boxed,
        numbers: &[Number],
    ) {
        let iterations = access.loops.iter().filter_map(|&id| space.known_iteration(id));
        let is_variable = |atom: &AtomId| is_open(boxed, *atom) && !is_taken_apart(numbers, *atom);
        for atom in iterations.filter(is_variable).chain(values.iter().copied()) {
            let there = self.renamed.iter().find(|(known, _)| end == 1 && *known == atom);
            let here = Polynomial::from(there.map_or(atom, |&(_, there)| there));
            let range = space.atom_range(atom);
            let low = range.low().map(|low| &here - &Polynomial::from(low.clone()));
            let high = range.high().map(|high| Polynomial::from(high.clone()) - &here);
            // The edge of a type says nothing where there is another bound.
            let bounds = |fact: &Polynomial| {
                here.as_atom().and_then(|atom| fact.number_times(atom)).is_some_and(Coeff::is_negative)
            };
            let high = high.filter(|high| !is_wide(high) || !self.constraints.iter().any(|fact| bounds(fact)));
            self.constraints.extend([low, high].into_iter().flatten().map(Rc::new));
        }
    }

    /// Rounded bounds of loops are values that nothing changes, too.
    fn know_quotients(&mut self, space: &Space) {
        let is_rounded = |atom: AtomId| space.is_fixed(atom) && matches!(space.atom(atom), Atom::FloorDiv(..));
        let rounded = self.constraints.iter().flat_map(|fact| fact.atoms()).filter(|&atom| is_rounded(atom));
        let rounded = rounded.fold(Polynomial::zero(), |sum, atom| sum + Polynomial::from(atom));
        let has_others = |fact: &Fact| fact.atoms.iter().any(|&atom| !matches!(space.atom(atom), Atom::Symbol(_)));
        if !rounded.is_zero() || self.known.iter().any(|fact| has_others(fact)) {
            self.known = space.with_quotient_facts(&rounded, &self.known);
        }
    }

    /// The distances of the common loops, left for their iteration numbers where that is enough; whether that contradicts nothing.
    fn leave_distances(
        &mut self,
        space: &mut Space,
        common: &[LoopId],
        is_even: &[bool],
        facts: &[Guards; 2],
        boxed: &Boxed,
        numbers: &[Number],
    ) -> Option<bool> {
        let number_of = |space: &Space, id: LoopId| {
            let iteration = space.known_iteration(id);
            numbers.iter().find(|number| Some(number.iteration) == iteration)
        };
        for (level, &id) in common.iter().enumerate() {
            if let Some(Number { value, .. }) = number_of(space, id) {
                self.distances.push(rename(value, &self.renamed) - value);
                continue;
            }
            self.distances.push(match boxed.iter().any(|&(boxed, _)| boxed == level) {
                true => Polynomial::zero(),
                false => Polynomial::from(space.counterpart(Counterpart::Iteration(id))) - space.iteration(id),
            });
        }
        // Inner ones first: their bounds may hold outer ones.
        for (level, &id) in common.iter().enumerate().rev().filter(|&(level, _)| is_even[level]) {
            if number_of(space, id).is_some() {
                continue;
            }
            let distance = space.counterpart(Counterpart::Distance(id));
            let is_possible = match boxed.iter().find(|&&(boxed, _)| boxed == level) {
                Some(&(_, iteration)) => {
                    self.renamed.push((iteration, distance));
                    let bounds = [&facts[0], &facts[1]].map(|facts| ends(space, facts, iteration));
                    self.leave_distance(space, level, iteration, distance, &bounds)
                }
                None => {
                    let ends = (space.iteration(id).as_atom()?, space.counterpart(Counterpart::Iteration(id)));
                    self.project(space, level, ends, distance)
                }
            };
            if !is_possible {
                return Some(false);
            }
        }
        Some(true)
    }
}
