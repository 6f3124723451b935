//! What a region touches of an object: from the lowest address to behind the highest, as expressions that are known before it runs. Each
//! iteration number gives way to the end of its range at which the address is least, or greatest; which end that is, the sign of its
//! factor tells (Banerjee's bounds, with symbolic ones).

use super::accesses::{Accesses, Item};
use crate::analyse::Analysis;
use ipda_symbolic::{Atom, AtomId, Facts, Interval, OpaqueOp, Polynomial, Space, Symbol, Varies};

/// The least address and the one behind the greatest.
pub(crate) type Footprint = (Polynomial, Polynomial);

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Least,
    Greatest,
}

/// The bytes that all accesses to an object touch; or why they are not known.
pub(super) fn footprint(analysis: &mut Analysis<'_>, accesses: &Accesses, object: AtomId) -> Result<Footprint, String> {
    let mut lows: Vec<Bound> = Vec::new();
    let mut highs: Vec<Bound> = Vec::new();
    let mut base = Polynomial::zero();
    for item in accesses.items.iter().filter(|item| item.objects.contains(&object)) {
        if item.object() != Some(object) {
            return Err("an address may lead to it or elsewhere".into());
        }
        if item.test_objects.iter().any(|&atom| !is_known_before(analysis, atom)) {
            return Err("where it begins is not known before the region runs".into());
        }
        base = item.test_objects[0].into();
        let size = Polynomial::from(item.test.bytes as i64);
        let low = bound(analysis, accesses, item, End::Least)?;
        let high = bound(analysis, accesses, item, End::Greatest)?;
        lows.push((&low - &base, item.test.facts.clone()));
        highs.push((&(&high - &base) + &size, item.test.facts.clone()));
    }
    Ok((&base + &merge(analysis, lows, OpaqueOp::Min), &base + &merge(analysis, highs, OpaqueOp::Max)))
}

/// A bound of one access, and what holds where it runs.
type Bound = (Polynomial, Facts);

/// The least or greatest of the bounds. One need not be told beyond which another lies whenever its access runs.
fn merge(analysis: &mut Analysis<'_>, mut bounds: Vec<Bound>, by: OpaqueOp) -> Polynomial {
    bounds.sort_by_key(|(bound, _)| analysis.text(bound));
    let space = &mut analysis.lowering.space;
    let beyond = |space: &Space, (a, _): &Bound, (b, facts): &Bound| {
        let difference = if by == OpaqueOp::Max { a - b } else { b - a };
        space.prove_nonneg(&difference, facts).is_yes()
    };
    let mut kept: Vec<Bound> = Vec::new();
    for bound in bounds {
        if kept.iter().any(|other| beyond(space, other, &bound)) {
            continue;
        }
        kept.retain(|other| !beyond(space, &bound, other));
        kept.push(bound);
    }
    let mut kept: Vec<Polynomial> = kept.into_iter().map(|(bound, _)| bound).collect();
    if kept.len() == 1 { kept.remove(0) } else { space.op(by, kept) }
}

fn is_known_before(analysis: &Analysis<'_>, atom: AtomId) -> bool {
    matches!(analysis.lowering.space.atom(atom), Atom::Symbol(symbol) if symbol.varies == Varies::No)
}

/// The least or greatest value of an address, wherever its access runs.
fn bound(analysis: &mut Analysis<'_>, accesses: &Accesses, item: &Item, end: End) -> Result<Polynomial, String> {
    let (mut value, mut facts) = (item.test.address.clone(), item.test.facts.clone());
    // Inner loops first: their ranges may depend on the loops around.
    for &index in item.loops.iter().rev() {
        let number = analysis.lowering.iteration(index);
        let Some(atom) = number.as_atom() else { continue };
        if let Some(trips) = accesses.most_trips.get(&index) {
            value = without_quotient(analysis, &value, atom, trips, &mut facts, end);
        }
        if !analysis.lowering.space.depends_on(&value, |other| other == atom) {
            continue;
        }
        let name = analysis.text(&number);
        let Some((factor, rest)) = analysis.lowering.space.split_affine(&value, atom) else {
            return Err(format!("the address does not grow evenly with {name}"));
        };
        let to_last = |analysis: &mut Analysis<'_>| {
            let Some(trips) = accesses.most_trips.get(&index) else {
                return Err(format!("how far {name} goes is not known"));
            };
            let last = trips - &Polynomial::from(1);
            let product = analysis.lowering.space.product(&factor, &last);
            product.ok_or("the address is too large an expression".to_string())
        };
        let space = &analysis.lowering.space;
        let grows = match () {
            () if space.prove_nonneg(&factor, &facts).is_yes() => Some(true),
            () if space.prove_nonneg(&-&factor, &facts).is_yes() => Some(false),
            () => None,
        };
        value = match grows {
            Some(grows) if grows == (end == End::Least) => rest,
            Some(_) => &to_last(analysis)? + &rest,
            // At one of the two ends in any case.
            None => {
                let op = if end == End::Least { OpaqueOp::Min } else { OpaqueOp::Max };
                let change = to_last(analysis)?;
                &analysis.lowering.space.op(op, vec![Polynomial::zero(), change]) + &rest
            }
        };
    }
    let space = &analysis.lowering.space;
    let is_open = space.depends_on(&value, |atom| match space.atom(atom) {
        Atom::Symbol(symbol) => symbol.varies != Varies::No,
        Atom::Iteration(_) | Atom::Load { .. } => true,
        _ => false,
    });
    if is_open {
        return Err("an address depends on values that are computed in the region".into());
    }
    Ok(value)
}

/// The least or greatest value over the iterations `c` of a collapsed nest, in which `floor(c / n)` and `c - n*floor(c / n)` are the
/// numbers of two loops with ranges of their own. The value itself where it is no such sum.
fn without_quotient(
    analysis: &mut Analysis<'_>,
    value: &Polynomial,
    number: AtomId,
    trips: &Polynomial,
    facts: &mut Facts,
    end: End,
) -> Polynomial {
    let space = &mut analysis.lowering.space;
    let quotient = value.atoms().into_iter().find_map(|atom| match space.atom(atom) {
        Atom::FloorDiv(dividend, divisor) if dividend.as_atom() == Some(number) => Some((atom, divisor.clone())),
        _ => None,
    });
    let Some((quotient, length)) = quotient else { return value.clone() };
    let last = &length - &Polynomial::from(1);
    let (rows, rest) = trips.div_rem(&length);
    if !rest.is_zero() || !space.prove_nonneg(&last, facts).is_yes() {
        return value.clone();
    }
    let symbol =
        Symbol { name: "place in row".into(), range: Interval::NON_NEGATIVE, varies: Varies::WithLoops([].into()) };
    let place = space.symbol(symbol);
    facts.assume_nonneg(&last - &place);
    let by_row = value.replace(number, &(&(&length * &Polynomial::from(quotient)) + &place));
    let mut bound = by_row;
    let ends = [(place.as_atom(), last), (Some(quotient), &rows - &Polynomial::from(1))];
    for (atom, last) in ends {
        let split = atom.and_then(|atom| space.split_affine(&bound, atom));
        let Some((factor, rest)) = split else { return value.clone() };
        let grows = match () {
            () if space.prove_nonneg(&factor, facts).is_yes() => true,
            () if space.prove_nonneg(&-&factor, facts).is_yes() => false,
            () => return value.clone(),
        };
        bound = if grows == (end == End::Greatest) {
            match space.product(&factor, &last) {
                Some(product) => &product + &rest,
                None => return value.clone(),
            }
        } else {
            rest
        };
    }
    bound
}
