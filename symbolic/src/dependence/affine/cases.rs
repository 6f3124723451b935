//! Conditions in addresses, decided both ways at each end: without them, the addresses are affine.

use super::ends::Ends;
use crate::atom::{Atom, Predicate, Varies};
use crate::bounds::Indicator;
use crate::dependence::access::Access;
use crate::facts::Truth;
use crate::id::AtomId;
use crate::polynomial::{Atoms, Polynomial};
use crate::space::Space;
use smallvec::{SmallVec, smallvec};

/// How many ways of deciding all conditions are looked at.
const MAX_CASES: usize = 16;

/// One way in which all conditions are decided.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub source: Access,
    pub sink: Access,
    /// Positions of loops in which one of the distances is not 0, as a condition that they decide is not the same at both ends.
    pub apart: SmallVec<[SmallVec<[usize; 2]>; 2]>,
}

/// A value of an indicator, with what is at least 0 then.
type Way = (Indicator, SmallVec<[Polynomial; 2]>);
/// Which of them is taken; none where that changes nothing.
type Choice = Option<usize>;

/// All cases that may occur; `None` where they are too many.
pub(super) fn cases(ends: &Ends<'_>, source: &Access, sink: &Access, conditions: &Atoms) -> Option<Vec<Case>> {
    let mut cases = vec![Case { source: source.clone(), sink: sink.clone(), apart: SmallVec::new() }];
    for &atom in conditions {
        let ways = ways(ends.space, atom);
        let same_in = ends.same_in(atom);
        let mut next = Vec::new();
        for case in &cases {
            for here in decided(ends.space, &case.source, atom, &ways) {
                for there in decided(ends.space, &case.sink, atom, &ways) {
                    let is_same = here.0.zip(there.0).is_none_or(|(here, there)| here == there);
                    let mut apart = case.apart.clone();
                    match &same_in {
                        Some(loops) if !is_same && loops.is_empty() => continue,
                        Some(loops) if !is_same => apart.push(loops.clone()),
                        _ => {}
                    }
                    next.push(Case { source: here.1.clone(), sink: there.1, apart });
                }
            }
        }
        cases = next;
        if cases.len() > MAX_CASES {
            ends.space.limits.count(|hits| hits.dependence_nodes += 1);
            return None;
        }
    }
    Some(cases)
}

/// The indicators in an address, but for symbols that nothing changes: those are values like others, and part of the conditions in the report.
pub(super) fn conditions<'a>(space: &'a Space, access: &'a Access) -> impl Iterator<Item = AtomId> + 'a {
    let is_plain = |atom: AtomId| matches!(space.atom(atom), Atom::Symbol(symbol) if symbol.varies == Varies::No);
    let atoms = access.address.terms().flat_map(|(monomial, _)| monomial.powers().map(|(atom, _)| atom));
    atoms.filter(move |&atom| atom.is_idempotent() && !is_plain(atom))
}

fn ways(space: &Space, atom: AtomId) -> SmallVec<[Way; 3]> {
    let one = Polynomial::one();
    match space.atom(atom) {
        Atom::Predicate(Predicate::NonNegative(p)) => {
            smallvec![(Indicator::One, smallvec![p.clone()]), (Indicator::Zero, smallvec![-p - one])]
        }
        Atom::Predicate(Predicate::Zero(p)) => smallvec![
            (Indicator::One, smallvec![p.clone(), -p]),
            (Indicator::Zero, smallvec![p - &one]),
            (Indicator::Zero, smallvec![-p - one]),
        ],
        _ => smallvec![(Indicator::One, smallvec![]), (Indicator::Zero, smallvec![])],
    }
}

/// An access with a condition decided in each way that its facts allow; as it is, where it does not depend on it.
fn decided(space: &Space, access: &Access, atom: AtomId, ways: &[Way]) -> SmallVec<[(Choice, Access); 3]> {
    if !access.address.has(atom) {
        return smallvec![(None, access.clone())];
    }
    let ways = ways.iter().enumerate();
    ways.filter_map(|(choice, way)| Some((Some(choice), with(space, access, atom, way)?))).collect()
}

fn with(space: &Space, access: &Access, atom: AtomId, (value, holds): &Way) -> Option<Access> {
    let value = value.polynomial();
    let is_about: SmallVec<[bool; 16]> = access.facts.nonneg().map(|fact| fact.has(atom)).collect();
    let mut facts = match is_about.contains(&true) {
        true => access.facts.select(|index| !is_about[index]),
        false => access.facts.clone(),
    };
    let replaced = access.facts.nonneg().filter(|fact| fact.has(atom)).map(|fact| fact.replace(atom, &value));
    for fact in replaced.chain(holds.iter().cloned()) {
        if Truth::of_nonneg(&space.plain_range(&fact, &facts)).is_no() {
            return None;
        }
        facts.assume_nonneg(fact);
    }
    Some(Access {
        address: access.address.replace(atom, &value),
        bytes: access.bytes,
        loops: access.loops.clone(),
        facts,
    })
}
