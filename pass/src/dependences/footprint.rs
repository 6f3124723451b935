//! What a region touches of an object: from the lowest address to behind the highest, as expressions that are known before it runs. Each
//! iteration number gives way to the end of its range at which the address is least, or greatest; which end that is, the sign of its
//! factor tells (Banerjee's bounds, with symbolic ones).

use super::accesses::{Accesses, Item};
use crate::analyse::Analysis;
use ipda_symbolic::{Atom, AtomId, Facts, OpaqueOp, Polynomial, Varies};

/// The least address and the one behind the greatest.
pub(super) type Footprint = (Polynomial, Polynomial);

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Least,
    Greatest,
}

/// The bytes that all accesses to an object touch; or why they are not known.
pub(super) fn footprint(analysis: &mut Analysis<'_>, accesses: &Accesses, object: AtomId) -> Result<Footprint, String> {
    let mut lows: Vec<Polynomial> = Vec::new();
    let mut highs: Vec<Polynomial> = Vec::new();
    for item in accesses.items.iter().filter(|item| item.objects.contains(&object)) {
        if item.object() != Some(object) {
            return Err("an address may lead to it or elsewhere".into());
        }
        if item.test_objects.iter().any(|&atom| !is_known_before(analysis, atom)) {
            return Err("where it begins is not known before the region runs".into());
        }
        let size = Polynomial::from(item.test.bytes as i64);
        let low = bound(analysis, accesses, item, End::Least)?;
        let high = bound(analysis, accesses, item, End::Greatest)?;
        lows.push(low);
        highs.push(&high + &size);
    }
    Ok((merge(analysis, lows, OpaqueOp::Min), merge(analysis, highs, OpaqueOp::Max)))
}

fn merge(analysis: &mut Analysis<'_>, mut bounds: Vec<Polynomial>, by: OpaqueOp) -> Polynomial {
    bounds.sort_by_key(|bound| analysis.text(bound));
    bounds.dedup();
    let space = &mut analysis.lowering.space;
    // Bounds that another one reaches beyond.
    let mut kept: Vec<Polynomial> = Vec::new();
    for bound in bounds {
        let beyond = |a: &Polynomial, b: &Polynomial| {
            let difference = if by == OpaqueOp::Max { a - b } else { b - a };
            space.prove_nonneg(&difference, &Facts::none()).is_yes()
        };
        if kept.iter().any(|other| beyond(other, &bound)) {
            continue;
        }
        kept.retain(|other| !beyond(&bound, other));
        kept.push(bound);
    }
    if kept.len() == 1 { kept.remove(0) } else { space.op(by, kept) }
}

fn is_known_before(analysis: &Analysis<'_>, atom: AtomId) -> bool {
    matches!(analysis.lowering.space.atom(atom), Atom::Symbol(symbol) if symbol.varies == Varies::No)
}

/// The least or greatest value of an address, wherever its access runs.
fn bound(analysis: &mut Analysis<'_>, accesses: &Accesses, item: &Item, end: End) -> Result<Polynomial, String> {
    let (mut value, facts) = (item.test.address.clone(), &item.test.facts);
    // Inner loops first: their ranges may depend on the loops around.
    for &index in item.loops.iter().rev() {
        let number = analysis.lowering.iteration(index);
        let Some(atom) = number.as_atom() else { continue };
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
            () if space.prove_nonneg(&factor, facts).is_yes() => Some(true),
            () if space.prove_nonneg(&-&factor, facts).is_yes() => Some(false),
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
