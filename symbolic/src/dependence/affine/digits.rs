//! Iteration numbers that addresses take apart by divisions, as their digits.
//!
//! Where an address has `floor((x + c)/d)` of an iteration number `x`, with `d >= 1`, there is exactly one `q` and `0 <= r < d` with
//! `x + c = d*q + r`, and `q` is the quotient (the division with remainder). Of further divisors `d*e`, `d*e*f`, ... each is taken from the quotient
//! before it. With the digits in place of the number, an address like `65*floor(x/64) + x mod 64` has one coefficient for each of them, and is
//! delinearised as that of a nest of loops is, be the divisors constants or symbols.

use super::counterpart::Counterpart;
use crate::atom::Atom;
use crate::dependence::access::Access;
use crate::facts::Facts;
use crate::id::{AtomId, LoopId};
use crate::polynomial::Polynomial;
use crate::space::Space;
use smallvec::SmallVec;

/// More digits than this are not looked at.
const MAX_DIGITS: usize = 6;

/// An iteration number as its digits.
pub(super) struct Number {
    pub iteration: AtomId,
    /// What it is at the source.
    pub value: Polynomial,
}

/// Two accesses in terms of digits.
pub(super) struct Digits {
    pub accesses: [Access; 2],
    pub numbers: SmallVec<[Number; 1]>,
}

/// The quotients of one number, by divisors each of which divides the next.
struct Chain {
    /// The quotient, and its divisor over the one before.
    quotients: SmallVec<[(AtomId, Polynomial); 4]>,
    /// What is added to the number before it is divided.
    added: Polynomial,
}

impl Digits {
    /// Of loops around both; none where no iteration number is taken apart.
    pub fn of(space: &mut Space, source: &Access, sink: &Access, common: &[LoopId]) -> Option<Digits> {
        let has_quotients = |access: &Access| {
            let mut factors = access.address.terms().flat_map(|(monomial, _)| monomial.powers());
            factors.any(|(atom, _)| matches!(space.atom(atom), Atom::FloorDiv(..)))
        };
        if !has_quotients(source) && !has_quotients(sink) {
            return None;
        }
        let mut digits = Digits { accesses: [source.clone(), sink.clone()], numbers: SmallVec::new() };
        for access in &mut digits.accesses {
            access.facts = space.with_quotient_facts(&access.address, &access.facts);
        }
        for &id in common {
            let Some(iteration) = space.known_iteration(id) else { continue };
            if let Some(chain) = Chain::of(space, &digits.accesses, iteration) {
                digits.take_apart(space, iteration, &chain);
            }
        }
        (!digits.numbers.is_empty()).then_some(digits)
    }

    fn take_apart(&mut self, space: &mut Space, iteration: AtomId, chain: &Chain) {
        let mut bounds: SmallVec<[Polynomial; 4]> = SmallVec::new();
        let mut rests: SmallVec<[Polynomial; 4]> = SmallVec::new();
        let mut of = iteration;
        for (quotient, divisor) in &chain.quotients {
            let rest = Polynomial::from(space.counterpart(Counterpart::Rest { of, quotient: *quotient }));
            bounds.push(divisor - &rest - Polynomial::one());
            rests.push(rest);
            of = *quotient;
        }
        // From the last quotient down: each is its divisor times the next, and its rest.
        let mut values: SmallVec<[(AtomId, Polynomial); 4]> = SmallVec::new();
        let mut value = Polynomial::from(of);
        for at in (0..chain.quotients.len()).rev() {
            value = &(&value * &chain.quotients[at].1) + &rests[at];
            match at.checked_sub(1) {
                Some(before) => values.push((chain.quotients[before].0, value.clone())),
                None => value = &value - &chain.added,
            }
        }
        values.push((iteration, value.clone()));
        let in_digits = |p: &Polynomial| values.iter().fold(p.clone(), |p, (atom, value)| p.replace(*atom, value));
        let is_there = space.atom_range(iteration).clone();
        for access in &mut self.accesses {
            access.address = in_digits(&access.address);
            let mut facts = Facts::none();
            let own = is_there.low().map(|low| &value - &Polynomial::from(low.clone()));
            let own = own.into_iter().chain(is_there.high().map(|high| Polynomial::from(high.clone()) - &value));
            for fact in access.facts.nonneg().map(in_digits).chain(bounds.iter().cloned()).chain(own) {
                if fact.as_constant().is_none() {
                    facts.assume_nonneg(fact);
                }
            }
            access.facts = facts;
        }
        self.numbers.push(Number { iteration, value });
    }
}

impl Number {
    /// What varies in it.
    pub fn digits(&self, space: &Space) -> SmallVec<[AtomId; 4]> {
        self.value.atoms().into_iter().filter(|&atom| !space.is_fixed(atom)).collect()
    }
}

impl Chain {
    fn of(space: &Space, accesses: &[Access; 2], iteration: AtomId) -> Option<Chain> {
        let mut found: SmallVec<[(AtomId, Polynomial); 4]> = SmallVec::new();
        let mut added: Option<Polynomial> = None;
        for atom in accesses.iter().flat_map(|access| access.address.atoms()) {
            let Atom::FloorDiv(dividend, divisor) = space.atom(atom) else { continue };
            let is_known = found.iter().any(|(known, _)| *known == atom);
            if is_known || !dividend.number_times(iteration).is_some_and(|times| times.is_one()) {
                continue;
            }
            let more = dividend - &Polynomial::from(iteration);
            let is_usable = space.is_invariant(&more) && space.is_invariant(divisor);
            if is_usable && added.as_ref().is_none_or(|added| *added == more) {
                added = Some(more);
                found.push((atom, divisor.clone()));
            }
        }
        let is_positive = |p: &Polynomial| {
            let less = p - &Polynomial::one();
            accesses.iter().all(|access| space.proves_nonneg(&less, &access.facts))
        };
        let mut quotients: SmallVec<[(AtomId, Polynomial); 4]> = SmallVec::new();
        let mut last = Polynomial::one();
        while quotients.len() < MAX_DIGITS {
            // The next is one that divides all that are left behind it.
            let next = found.iter().enumerate().find(|(at, (_, divisor))| {
                let divides = |(other, (_, longer)): (usize, &(AtomId, Polynomial))| {
                    other == *at || over(longer, &last).is_none() || over(longer, divisor).is_some()
                };
                over(divisor, &last).is_some_and(|times| is_positive(&times)) && found.iter().enumerate().all(divides)
            });
            let Some((at, _)) = next else { break };
            let (atom, divisor) = found.remove(at);
            quotients.push((atom, over(&divisor, &last)?));
            last = divisor;
        }
        let is_linear = |access: &Access| access.address.degree_in(iteration) <= 1;
        let is_there = !quotients.is_empty() && accesses.iter().all(is_linear);
        is_there.then_some(Chain { quotients, added: added? })
    }
}

/// How often a polynomial is another, where that divides it.
fn over(p: &Polynomial, by: &Polynomial) -> Option<Polynomial> {
    if let Some(by) = by.as_constant() {
        return p.div_exact(by);
    }
    let (times, rest) = p.div_rem(by);
    rest.is_zero().then_some(times)
}
