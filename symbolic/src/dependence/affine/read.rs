//! Two accesses as one equation over the variables of both ends.

use super::digits::Digits;
use super::frame;
use super::frames::{Frame, rename};
use super::products::Products;
use super::solve::{Equation, Node};
use super::variables::Variables;
use crate::atom::Atom;
use crate::coeff::Coeff;
use crate::dependence::access::Access;
use crate::facts::{Fact, Facts};
use crate::id::{AtomId, LoopId};
use crate::polynomial::{Monomial, Polynomial};
use crate::space::Space;
use smallvec::SmallVec;

/// Two accesses as a system.
pub(super) struct Reading {
    pub variables: Variables,
    /// About invariant values.
    pub known: Facts,
    /// Polynomials of which none is at least 0 where both run.
    pub apart_if: Vec<Polynomial>,
    /// Where to start.
    pub start: Node,
}

/// In terms of the digits of iteration numbers, where there are. The inner `None` where the two never both run, the outer one where the addresses are
/// not affine.
pub(super) fn read(
    space: &mut Space,
    source: &Access,
    sink: &Access,
    common: &[LoopId],
    digits: Option<&Digits>,
    is_constant: &dyn Fn(AtomId) -> bool,
) -> Option<Option<Reading>> {
    let ([source, sink], numbers) = match digits {
        Some(Digits { accesses: [source, sink], numbers }) => ([source, sink], &numbers[..]),
        None => ([source, sink], &[][..]),
    };
    let products = [Products::of(space, source)?, Products::of(space, sink)?];
    let [source, sink] = [products[0].access.as_ref().unwrap_or(source), products[1].access.as_ref().unwrap_or(sink)];
    let mut others = [others(space, source), others(space, sink)];
    // A distance is that of all digits, also where addresses lack some.
    for digit in numbers.iter().flat_map(|number| number.digits(space)) {
        for others in others.iter_mut().filter(|others| !others.contains(&digit)) {
            others.push(digit);
        }
    }
    // Loops that have ended say when, which is not for here.
    let is_odd = |&atom: &AtomId| is_iteration(space, atom);
    if others.iter().flatten().any(is_odd) {
        return None;
    }
    if exclude_each_other(space, source, sink) {
        return Some(None);
    }
    let Some(frame) = frame::frame(space, [source, sink], common, &others, numbers, is_constant)? else {
        return Some(None);
    };
    let here = match frame.projected.is_empty() {
        true => source.address.clone(),
        false => {
            let is_kept = |monomial: &Monomial| !monomial.powers().any(|(atom, _)| frame.projected.contains(&atom));
            let kept = source.address.terms().filter(|(monomial, _)| is_kept(monomial));
            Polynomial::from_terms(kept.map(|(monomial, factor)| (monomial.clone(), factor.clone())))
        }
    };
    let form = rename(&sink.address, &frame.renamed) - &here;
    let equation =
        Equation { form, low: Coeff::ONE - Coeff::from(sink.bytes), high: Coeff::from(source.bytes) - Coeff::ONE };
    let start = Node::new(equation, frame.constraints.clone(), frame.distances.clone(), frame.identities.clone());
    let Frame { variables, known, apart_if, .. } = &*frame;
    Some(Some(Reading { variables: variables.clone(), known: known.clone(), apart_if: apart_if.clone(), start }))
}

/// What varies in an address besides the iteration numbers of its loops.
pub(super) fn others(space: &Space, access: &Access) -> SmallVec<[AtomId; 4]> {
    let is_own = |atom: AtomId| space.iteration_loop(atom).is_some_and(|id| access.loops.contains(&id));
    access.address.atoms().into_iter().filter(|&atom| !is_own(atom) && !space.is_fixed(atom)).collect()
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

fn is_iteration(space: &Space, atom: AtomId) -> bool {
    matches!(space.atom(atom), Atom::Iteration(_))
}
