//! Index arithmetic and addresses that may wrap, as if they did not: under conditions that their minima and maxima say, and that can be
//! tested before the region runs.

use super::accesses::{Accesses, Item, Unwrapped};
use super::footprint::{is_known_before_region, numbers};
use super::position::{common_loops, loop_ids};
use crate::analysis::region::Analysis;
use ipda_symbolic::{Atom, AtomId, Coeff, End, Interval, Pair, Polynomial, Predicate, Vector, dependence_with};
use std::rc::Rc;

/// Conversions in one address beyond which it is left as it is.
const MAX_CONVERSIONS: usize = 4;

/// No address has more bits.
const ADDRESS_BITS: u32 = 64;
/// What is compared with a number of more bits is taken to be compared with half a width, and to be below it. It need not be so: what follows is
/// right under the condition that it is.
const HALF_BITS: u32 = 30;

/// The access without conversions that may wrap, and near where its pointer leads; none where that says nothing new, or where what bounds it is
/// not known before the region.
pub(super) fn unwrapped(analysis: &mut Analysis<'_>, accesses: &Accesses, item: &Item) -> Option<Unwrapped> {
    let mut test = item.test.clone();
    let mut conditions: Vec<Polynomial> = Vec::new();
    for count in 0.. {
        let Some(Conversion { atom, of, within: width, unwrapped }) = Conversion::find(analysis, &test.address) else {
            break;
        };
        if count == MAX_CONVERSIONS {
            return None;
        }
        conditions.extend(within(analysis, accesses, item, &of, &width)?);
        let mut value_of = |at| (at == atom).then(|| unwrapped.clone());
        test.address = analysis.lowering.space.substitute(&test.address, &mut value_of);
    }
    let has_conversions = !conditions.is_empty();
    test.facts = item.facts.clone();
    if item.object().is_some() {
        let base = Polynomial::from(item.test_objects[0]);
        let half = Coeff::pow2(63);
        let reach = Interval::between(-&half, &half - &Coeff::from(test.bytes));
        let near = match item.stays_in_object {
            true => Some(Vec::new()),
            false => within(analysis, accesses, item, &(&test.address - &base), &reach),
        };
        if let Some(near) = near {
            conditions.extend(near);
            test.stays_near(&base);
        } else if !has_conversions {
            return None;
        }
    }
    // Where all that holds in one iteration alone, there is nothing to ask.
    if conditions.is_empty() || once_under(analysis, accesses, item, &conditions) {
        return None;
    }
    Some(Unwrapped { test, conditions })
}

/// A part of an address that is simpler where a value lies in a range.
struct Conversion {
    atom: AtomId,
    of: Polynomial,
    within: Interval,
    /// What the part is there.
    unwrapped: Polynomial,
}

impl Conversion {
    fn find(analysis: &Analysis<'_>, address: &Polynomial) -> Option<Conversion> {
        let space = &analysis.lowering.space;
        // A condition that a multiple of 2^32 comes with: a number that is read the other way, with a sign or without.
        let is_of_width = |atom: AtomId| {
            let mut terms = address.terms().filter(|(monomial, _)| monomial.powers().any(|(at, _)| at == atom));
            terms.all(|(_, factor)| factor.trailing_zeros().is_some_and(|zeros| zeros >= 32))
        };
        address.atoms().into_iter().find_map(|atom| match space.atom(atom) {
            Atom::Wrap { signed, bits, value } => {
                let within = Interval::of_width(*bits, *signed);
                Some(Conversion { atom, of: value.clone(), within, unwrapped: value.clone() })
            }
            Atom::Predicate(Predicate::NonNegative(value)) if is_of_width(atom) => {
                let (far, zero) = (Coeff::pow2(ADDRESS_BITS), Coeff::from(0));
                // At least half of the width's numbers, or at least 0.
                let is_half = value.constant_term() < -&Coeff::pow2(HALF_BITS);
                let (within, holds) = match is_half {
                    true => (Interval::between(-&far, -1), 0),
                    false => (Interval::between(zero, far), 1),
                };
                Some(Conversion { atom, of: value.clone(), within, unwrapped: Polynomial::from(holds) })
            }
            _ => None,
        })
    }
}

/// Polynomials that are at least 0 only where a value lies in a range wherever the access runs; none where that cannot be said before the region.
fn within(
    analysis: &mut Analysis<'_>,
    accesses: &Accesses,
    item: &Item,
    value: &Polynomial,
    range: &Interval,
) -> Option<Vec<Polynomial>> {
    let numbers = numbers(analysis, accesses, item);
    let space = &mut analysis.lowering.space;
    let min = space.extreme(value, &numbers, &item.test.facts, End::Min).ok()?;
    let max = space.extreme(value, &numbers, &item.test.facts, End::Max).ok()?;
    let (low, high) = (Polynomial::from(range.low()?.clone()), Polynomial::from(range.high()?.clone()));
    let both = [&min - &low, &high - &max];
    if !both.iter().all(|condition| is_known_before_region(analysis, condition)) {
        return None;
    }
    let mut conditions = Vec::new();
    for condition in both {
        let holds = analysis.lowering.space.prove_nonneg(&condition, &item.test.facts);
        if holds.is_no() {
            return None;
        }
        if !holds.is_yes() {
            conditions.push(condition);
        }
    }
    Some(conditions)
}

/// Whether it may help two accesses that nothing wraps, as far as is known.
pub(super) fn asks_unwrapped(a: &Item, b: &Item, vectors: &[Vector]) -> bool {
    // Where both have one address, they meet in one iteration whether that wraps or not.
    let is_one_address = a.test.address == b.test.address;
    let is_equal = |vector: &Vector| vector.steps.iter().all(|step| step.equal && !step.less && !step.greater);
    let is_open = |vector: &Vector| vector.excluded_if.is_none() && !(is_one_address && is_equal(vector));
    vectors.iter().any(is_open) && (a.unwrapped.is_some() || b.unwrapped.is_some())
}

/// The distances at which two accesses meet, together with those at which they do where nothing wraps: then all others are excluded.
pub(super) fn or_unwrapped(
    analysis: &mut Analysis<'_>,
    accesses: &Accesses,
    [first, second]: [usize; 2],
    vectors: &[Vector],
) -> Rc<[Vector]> {
    let (a, b) = (&accesses.items[first], &accesses.items[second]);
    let ends = [a, b].map(|item| match &item.unwrapped {
        Some(Unwrapped { test, conditions }) => (test, &conditions[..]),
        None => (&item.test, &[][..]),
    });
    let ids = loop_ids(analysis, &common_loops(a, b));
    let is_constant = |atom: AtomId| accesses.constant_loads.contains(&atom);
    let space = &mut analysis.lowering.space;
    let left = dependence_with(space, ends[0].0, ends[1].0, &ids, Pair::of(first, second), &is_constant);
    let mut conditions = ends[0].1.to_vec();
    conditions.extend(ends[1].1.iter().filter(|condition| !ends[0].1.contains(condition)).cloned());
    let under = |more: &[Polynomial]| {
        let more = more.iter().filter(|condition| !conditions.contains(condition));
        conditions.iter().chain(more).cloned().collect::<Vec<_>>()
    };
    let kept = left.into_iter().map(|vector| Vector {
        excluded_if: vector.excluded_if.as_deref().map(under),
        certain: false,
        ..vector
    });
    // A condition under which a loop runs no more than one iteration is no better than none.
    let is_of_use = |own: &Vec<Polynomial>| !once_under(analysis, accesses, a, own);
    let wrapping = vectors.iter().map(|vector| Vector {
        excluded_if: vector.excluded_if.clone().filter(is_of_use).or_else(|| Some(conditions.clone())),
        certain: false,
        ..vector.clone()
    });
    kept.chain(wrapping).collect()
}

/// Whether a loop around an access runs no more than one iteration where some polynomials are at least 0.
fn once_under(analysis: &Analysis<'_>, accesses: &Accesses, item: &Item, conditions: &[Polynomial]) -> bool {
    let mut held = item.test.facts.clone();
    conditions.iter().for_each(|condition| held.assume_nonneg(condition.clone()));
    item.loops.iter().any(|index| {
        let trips = accesses.max_trips.get(index);
        trips.is_some_and(|trips| analysis.lowering.space.proves_nonneg(&(&Polynomial::from(1) - trips), &held))
    })
}
