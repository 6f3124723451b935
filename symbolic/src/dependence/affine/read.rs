//! Two accesses as one equation over the variables of both ends, with the facts that bound them.

use super::ByLoop;
use super::bounds::{BEFORE_LOOPS, Variables};
use super::solve::{Equation, Identity, Node};
use crate::atom::{Atom, AtomId, LoopId, Varies};
use crate::coeff::Coeff;
use crate::dependence::Access;
use crate::dependence::eliminate::is_wide;
use crate::dependence::pair::{Counterpart, assume, is_fixed, tightened};
use crate::dependence::wrapping::is_about_place;
use crate::facts::{Fact, Facts};
use crate::polynomial::Polynomial;
use crate::space::Space;
use smallvec::SmallVec;
use std::rc::Rc;

/// More variables than this are not looked at.
const MAX_VARIABLES: usize = 24;

/// Atoms of the sink with what stands for them.
type Renamed = SmallVec<[(AtomId, AtomId); 8]>;

/// Variables, facts about invariant values, and where to start; the inner `None` where the two never both run, the outer one where the
/// addresses are not affine.
#[allow(clippy::type_complexity)]
pub(super) fn read(
    space: &mut Space,
    source: &Access,
    sink: &Access,
    common: &[LoopId],
    is_constant: &dyn Fn(AtomId) -> bool,
) -> Option<Option<(Variables, Facts, Node)>> {
    let mut variables = Variables::default();
    let mut renamed = Renamed::new();
    // Variables that have one value at both ends.
    let mut shared: SmallVec<[AtomId; 2]> = SmallVec::new();
    let mut constraints: Vec<Rc<Polynomial>> = Vec::new();
    let mut identities: Vec<Identity> = Vec::new();
    for (depth, &id) in source.loops.iter().enumerate() {
        let iteration = space.iteration(id).as_atom()?;
        variables.add(iteration, depth as u16);
    }
    for (depth, &id) in sink.loops.iter().enumerate() {
        let iteration = space.iteration(id).as_atom()?;
        let there = space.counterpart(Counterpart::Iteration(id));
        variables.add(there, depth as u16);
        renamed.push((iteration, there));
    }
    let own: SmallVec<[LoopId; 4]> =
        source.loops.iter().chain(&sink.loops).copied().filter(|id| !common.contains(id)).collect();
    let here = others(space, source);
    let there = others(space, sink);
    // Conditions are decided both ways, and loops that have ended say when, which is not for here.
    let is_odd = |&atom: &AtomId| atom.is_idempotent() || is_iteration(space, atom);
    if here.iter().chain(&there).any(is_odd) {
        return None;
    }
    here.iter().for_each(|&atom| variables.add(atom, BEFORE_LOOPS));
    for atom in there {
        let same_in = Ends { space, common, own: &own, is_constant }.same_in(atom);
        if same_in.as_ref().is_some_and(SmallVec::is_empty) {
            variables.add(atom, BEFORE_LOOPS);
            shared.push(atom);
            continue;
        }
        let there = space.counterpart(Counterpart::Value(atom));
        variables.add(there, BEFORE_LOOPS);
        renamed.push((atom, there));
        if let Some(loops) = same_in.filter(|_| here.contains(&atom)) {
            identities.push(Identity { difference: Polynomial::from(there) - Polynomial::from(atom), loops });
        }
    }
    if variables.len() > MAX_VARIABLES || !variables.are_affine_in(space, &source.address) {
        return None;
    }
    let sink_address = rename(&sink.address, &renamed);
    if !variables.are_affine_in(space, &sink_address) {
        return None;
    }
    let form = sink_address - &source.address;
    if exclude_each_other(space, source, sink) {
        return Some(None);
    }
    let mut known = Facts::none();
    for (access, is_sink) in [(source, false), (sink, true)] {
        let has_quotients = access.address.atoms().iter().any(|&atom| matches!(space.atom(atom), Atom::FloorDiv(..)));
        let with_quotients = has_quotients.then(|| space.with_quotient_facts(&access.address, &access.facts));
        for fact in with_quotients.as_ref().unwrap_or(&access.facts).iter() {
            // Conditions say what facts say beside them.
            let is_indicator = matches!(fact.atoms[..], [atom] if matches!(space.atom(atom), Atom::Predicate(_)));
            if is_indicator || is_about_place(&fact.polynomial, access) {
                continue;
            }
            // What is a variable of the other end says nothing here.
            let is_known = |&atom: &AtomId| {
                renamed.iter().any(|(known, _)| *known == atom) || shared.contains(&atom) || is_fixed(space, atom)
            };
            if is_sink && !fact.atoms.iter().all(is_known) {
                continue;
            }
            let polynomial = if is_sink { rename(&fact.polynomial, &renamed) } else { fact.polynomial.clone() };
            match variables.kind_of(space, &polynomial) {
                Kind::Invariant => {
                    if !assume(&mut known, polynomial) {
                        return Some(None);
                    }
                }
                Kind::Affine => {
                    let polynomial = tightened(polynomial);
                    if !constraints.iter().any(|known| **known == polynomial) {
                        constraints.push(Rc::new(polynomial));
                    }
                }
                Kind::Other => {}
            }
        }
        let iterations = access.loops.iter().filter_map(|&id| space.known_iteration(id));
        for atom in iterations.chain(others(space, access)) {
            let there = renamed.iter().find(|(known, _)| is_sink && *known == atom);
            let here = Polynomial::from(there.map_or(atom, |&(_, there)| there));
            let range = space.atom_range(atom);
            let low = range.low().map(|low| &here - &Polynomial::from(low.clone()));
            let high = range.high().map(|high| Polynomial::from(high.clone()) - &here);
            // The edge of a type tells nothing where there is another bound.
            let bounds = |fact: &Polynomial| {
                here.as_atom().and_then(|atom| fact.number_times(atom)).is_some_and(Coeff::is_negative)
            };
            let high = high.filter(|high| !is_wide(high) || !constraints.iter().any(|fact| bounds(fact)));
            let ends = [low, high];
            constraints.extend(ends.into_iter().flatten().map(Rc::new));
        }
    }
    // Rounded bounds of loops are values that nothing changes, too.
    let is_rounded = |atom: AtomId| is_fixed(space, atom) && matches!(space.atom(atom), Atom::FloorDiv(..));
    let rounded = constraints.iter().flat_map(|fact| fact.atoms()).filter(|&atom| is_rounded(atom));
    let rounded = rounded.fold(Polynomial::zero(), |sum, atom| sum + Polynomial::from(atom));
    let has_others = |fact: &Fact| fact.atoms.iter().any(|&atom| !matches!(space.atom(atom), Atom::Symbol(_)));
    if !rounded.is_zero() || known.iter().any(|fact| has_others(fact)) {
        known = space.with_quotient_facts(&rounded, &known);
    }
    let mut distances: ByLoop<Polynomial> = ByLoop::new();
    for &id in common {
        let here = space.iteration(id);
        distances.push(Polynomial::from(space.counterpart(Counterpart::Iteration(id))) - here);
    }
    let equation =
        Equation { form, low: Coeff::ONE - Coeff::from(sink.bytes), high: Coeff::from(source.bytes) - Coeff::ONE };
    Some(Some((variables, known, Node::new(equation, constraints, distances, identities))))
}

/// What varies in an address besides the iteration numbers of its loops.
fn others(space: &Space, access: &Access) -> SmallVec<[AtomId; 4]> {
    let is_own = |atom: AtomId| space.iteration_loop(atom).is_some_and(|id| access.loops.contains(&id));
    access.address.atoms().into_iter().filter(|&atom| !is_own(atom) && !is_fixed(space, atom)).collect()
}

/// What a polynomial is to the system.
pub(super) enum Kind {
    Invariant,
    Affine,
    Other,
}

fn rename(p: &Polynomial, renamed: &Renamed) -> Polynomial {
    p.rename(|atom| renamed.iter().find(|(known, _)| *known == atom).map_or(atom, |&(_, there)| there))
}

struct Ends<'a> {
    space: &'a Space,
    common: &'a [LoopId],
    own: &'a [LoopId],
    is_constant: &'a dyn Fn(AtomId) -> bool,
}

impl Ends<'_> {
    /// The common loops in whose same iterations an atom has the same value at both ends, by position; `None` where it need not.
    fn same_in(&self, atom: AtomId) -> Option<SmallVec<[usize; 2]>> {
        let all = || Some((0..self.common.len()).collect());
        let within_iteration = || if self.own.is_empty() { all() } else { None };
        let position = |id: &LoopId| self.common.iter().position(|other| other == id);
        match self.space.atom(atom) {
            Atom::Iteration(id) => position(id).map(|index| SmallVec::from_slice(&[index])),
            Atom::Symbol(symbol) => match &symbol.varies {
                Varies::No => Some(SmallVec::new()),
                Varies::WithLoops(loops) => loops.iter().map(position).collect(),
                Varies::Thread => all(),
                Varies::Data(_) | Varies::PerThread(_) => within_iteration(),
            },
            Atom::Load { .. } if !(self.is_constant)(atom) => within_iteration(),
            compound => {
                let mut loops: SmallVec<[usize; 2]> = SmallVec::new();
                for operand in compound.operands().into_iter().flat_map(Polynomial::atoms) {
                    for index in self.same_in(operand)? {
                        if !loops.contains(&index) {
                            loops.push(index);
                        }
                    }
                }
                Some(loops)
            }
        }
    }
}

/// Whether guards about invariant values keep the two from both running.
fn exclude_each_other(space: &Space, source: &Access, sink: &Access) -> bool {
    let is_fixed = |fact: &Fact| fact.atoms.iter().all(|&atom| space.is_fixed(atom));
    let excludes = |fact: &Fact, other: &Fact| {
        fact.atoms == other.atoms
            && (&fact.polynomial + &other.polynomial).as_constant().is_some_and(Coeff::is_negative)
    };
    source.facts != sink.facts
        && source
            .facts
            .iter()
            .filter(|fact| is_fixed(fact))
            .any(|fact| sink.facts.iter().any(|other| excludes(fact, other)))
}

/// Whether guards that are not affine may keep the two from both running: one excludes the other where what they are about is the same.
pub(super) fn may_exclude_more(space: &Space, source: &Access, sink: &Access) -> bool {
    if source.facts == sink.facts {
        return false;
    }
    let is_guard = |fact: &&Fact| fact.atoms.iter().any(|&atom| !is_fixed(space, atom) && !is_iteration(space, atom));
    let guards = |access: &Access| -> SmallVec<[Polynomial; 4]> {
        let facts = access.facts.iter().map(|fact| &**fact).filter(is_guard);
        facts.map(|fact| fact.polynomial.clone()).filter(|fact| !is_about_place(fact, access)).collect()
    };
    let there = guards(sink);
    guards(source).iter().any(|guard| {
        let excludes = |other: &Polynomial| (guard + other).as_constant().is_some_and(Coeff::is_negative);
        there.iter().any(excludes)
    })
}

fn is_iteration(space: &Space, atom: AtomId) -> bool {
    matches!(space.atom(atom), Atom::Iteration(_))
}
