//! What a region touches of an object: from the lowest address to behind the highest, as expressions that are known before it runs.

use super::accesses::{Accesses, Item, Unwrapped};
use crate::analysis::region::Analysis;
use ipda_symbolic::{Access, Atom, AtomId, Coeff, End, Facts, OpaqueOp, Polynomial, Running, Space, Unbounded, Varies};
use rustc_hash::{FxHashMap, FxHashSet};

/// The lowest address and the one after the highest.
pub(crate) type Footprint = (Polynomial, Polynomial);

/// What a region touches of an object, where some polynomials are at least 0.
pub(crate) struct Touched {
    pub object: AtomId,
    pub bytes: Footprint,
    pub needed: Vec<Polynomial>,
}

/// Notes what is touched of an object, as far as it is known, what says more first; else why it is not.
pub(super) fn touch(
    analysis: &mut Analysis<'_>,
    accesses: &Accesses,
    object: AtomId,
    touched: &mut Vec<Touched>,
) -> Result<(), String> {
    let conditional = conditional_footprint(analysis, accesses, object);
    let (is_enough, found) = match conditional {
        Some(Conditional { bytes, needed, of_sizes }) => {
            (needed.is_empty() || of_sizes, Some(Touched { object, bytes, needed }))
        }
        None => (false, None),
    };
    touched.extend(found);
    if is_enough {
        return Ok(());
    }
    let bytes = footprint(analysis, accesses, object)?;
    touched.push(Touched { object, bytes, needed: Vec::new() });
    Ok(())
}

/// The bytes that all accesses to an object touch; or why they are not known.
pub(super) fn footprint(analysis: &mut Analysis<'_>, accesses: &Accesses, object: AtomId) -> Result<Footprint, String> {
    footprint_of(analysis, accesses, object, as_written, None)
}

/// A footprint where some polynomials are at least 0: where index arithmetic wraps nowhere, and the sizes of arrays.
struct Conditional {
    bytes: Footprint,
    needed: Vec<Polynomial>,
    /// Whether sizes are among them.
    of_sizes: bool,
}

fn conditional_footprint(analysis: &mut Analysis<'_>, accesses: &Accesses, object: AtomId) -> Option<Conditional> {
    let items = accesses.items.iter().filter(|item| item.objects.contains(&object));
    let unwrapped = items.filter_map(without_wraps).flat_map(|unwrapped| unwrapped.conditions.iter().cloned());
    let mut needed: Vec<Polynomial> = unwrapped.collect();
    let of_wraps = needed.len();
    let bytes = footprint_of(analysis, accesses, object, where_nothing_wraps, Some(&mut needed)).ok()?;
    let of_sizes = needed.len() > of_wraps;
    needed.sort_unstable_by(|a, b| a.terms().cmp(b.terms()));
    needed.dedup();
    Some(Conditional { bytes, needed, of_sizes })
}

fn as_written(item: &Item) -> &Access {
    &item.test
}

fn where_nothing_wraps(item: &Item) -> &Access {
    without_wraps(item).map_or(&item.test, |unwrapped| &unwrapped.test)
}

/// The access under conditions, where they change the address.
fn without_wraps(item: &Item) -> Option<&Unwrapped> {
    item.unwrapped.as_ref().filter(|unwrapped| unwrapped.test.address != item.test.address)
}

fn footprint_of(
    analysis: &mut Analysis<'_>,
    accesses: &Accesses,
    object: AtomId,
    test_of: fn(&Item) -> &Access,
    mut sizes: Option<&mut Vec<Polynomial>>,
) -> Result<Footprint, String> {
    let mut lows: Vec<Bound> = Vec::new();
    let mut highs: Vec<Bound> = Vec::new();
    let mut base = Polynomial::zero();
    // Accesses of one address under the same conditions, as those of an update, have the same bounds.
    let mut seen = FxHashSet::default();
    for item in accesses.items.iter().filter(|item| item.objects.contains(&object)) {
        if item.object() != Some(object) {
            return Err("an address may lead to it or elsewhere".into());
        }
        if item.test_objects.iter().any(|&atom| !is_known_before(analysis, atom)) {
            return Err("where it begins is not known before the region runs".into());
        }
        let test = test_of(item);
        base = item.test_objects[0].into();
        if !seen.insert((&test.address, test.bytes, &test.facts, &item.loops, item.in_test_of, &item.test_objects)) {
            continue;
        }
        let size = Polynomial::from(test.bytes as i64);
        let offset = &test.address - &base;
        let numbers = numbers(analysis, accesses, item);
        let mut bound = |end| bound(analysis, &numbers, &offset, &test.facts, end, sizes.as_deref_mut());
        let (low, high) = (bound(End::Min)?, bound(End::Max)?);
        lows.push((low, test.facts.clone()));
        highs.push((&high + &size, test.facts.clone()));
    }
    // Where sizes are at least 0, most bounds lie beyond others.
    for size in sizes.iter().flat_map(|sizes| sizes.iter()) {
        lows.iter_mut().chain(&mut highs).for_each(|(_, facts)| facts.assume_nonneg(size.clone()));
    }
    Ok((&base + &merge(analysis, lows, OpaqueOp::Min), &base + &merge(analysis, highs, OpaqueOp::Max)))
}

/// A bound of one access, and what holds where it runs.
type Bound = (Polynomial, Facts);

/// The minimum or maximum of the bounds. One need not be given beyond which another lies whenever its access runs.
fn merge(analysis: &mut Analysis<'_>, mut bounds: Vec<Bound>, by: OpaqueOp) -> Polynomial {
    bounds.sort_by_key(|(bound, _)| analysis.text(bound));
    let space = &mut analysis.lowering.space;
    // The accesses of a stencil have few differences.
    let mut known: FxHashMap<(Polynomial, Facts), bool> = FxHashMap::default();
    let mut beyond = |space: &Space, (a, _): &Bound, (b, facts): &Bound| {
        let difference = if by == OpaqueOp::Max { a - b } else { b - a };
        let prove = |(difference, facts): &(Polynomial, Facts)| space.proves_nonneg(difference, facts);
        let question = (difference, facts.clone());
        if let Some(&answer) = known.get(&question) {
            return answer;
        }
        let answer = prove(&question);
        known.insert(question, answer);
        answer
    };
    let mut kept: Vec<Bound> = Vec::new();
    for bound in &bounds {
        if kept.iter().any(|other| beyond(space, other, bound)) {
            continue;
        }
        kept.retain(|other| !beyond(space, bound, other));
        kept.push(bound.clone());
    }
    // One that is beyond another where that runs need not be beyond what was left out for the other.
    for bound in &bounds {
        if !kept.iter().any(|other| beyond(space, other, bound)) {
            kept.push(bound.clone());
        }
    }
    let mut kept: Vec<Polynomial> = kept.into_iter().map(|(bound, _)| bound).collect();
    if kept.len() == 1 { kept.remove(0) } else { space.op(by, kept) }
}

fn is_known_before(analysis: &Analysis<'_>, atom: AtomId) -> bool {
    matches!(analysis.lowering.space.atom(atom), Atom::Symbol(symbol) if symbol.varies == Varies::No)
}

/// What the distance of an address from its base is at least, or at most, wherever its access runs; where `sizes` are at least 0, to which more are added.
fn bound(
    analysis: &mut Analysis<'_>,
    numbers: &[Running],
    offset: &Polynomial,
    facts: &Facts,
    end: End,
    sizes: Option<&mut Vec<Polynomial>>,
) -> Result<Polynomial, String> {
    let in_region = "an address depends on values that are computed in the region";
    let space = &mut analysis.lowering.space;
    let found = match sizes {
        Some(sizes) => space.extreme_of_sizes(offset, numbers, facts, end, sizes),
        None => space.extreme(offset, numbers, facts, end),
    };
    let value = found.map_err(|reason| {
        let name = |number: AtomId| analysis.text(&number.into());
        match reason {
            Unbounded::Uneven(number) => format!("the address does not grow evenly with {}", name(number)),
            Unbounded::Endless(number) => format!("how far {} goes is not known", name(number)),
            Unbounded::Data(_) => in_region.into(),
            Unbounded::TooLarge => "the address is too large an expression".into(),
        }
    })?;
    if is_known_before_region(analysis, &value) { Ok(value) } else { Err(in_region.into()) }
}

/// Numbers that are at most so large, as conditions and bytes are, bound an address whatever they are.
const MAX_OF_DATA: i64 = 1 << 16;

/// Numbers in an address of which only their range is known: conditions on data, and what memory holds.
fn numbers_of_data<'a>(analysis: &'a Analysis<'_>, address: &Polynomial) -> impl Iterator<Item = Running> + use<'a> {
    let space = &analysis.lowering.space;
    address.atoms().into_iter().filter_map(move |number| {
        let is_of_data = match space.atom(number) {
            Atom::Symbol(symbol) => symbol.varies != Varies::No,
            Atom::Load { .. } => true,
            _ => false,
        };
        let range = space.atom_range(number);
        let last = range.high().filter(|high| is_of_data && **high < Coeff::from(MAX_OF_DATA))?;
        range.low().is_some_and(|low| !low.is_negative()).then(|| Running { number, last: Some(last.clone().into()) })
    })
}

/// The numbers of the loops around an access, inner ones first: their ranges may depend on the loops around. Before them those of data.
pub(super) fn numbers(analysis: &mut Analysis<'_>, accesses: &Accesses, item: &Item) -> Vec<Running> {
    let mut numbers: Vec<Running> = numbers_of_data(analysis, &item.test.address).collect();
    for &index in item.loops.iter().rev() {
        let last = accesses.max_trips.get(&index).map(|trips| match item.in_test_of == Some(index) {
            true => analysis.lowering.space.op(OpaqueOp::Max, vec![trips.clone(), Polynomial::zero()]),
            false => trips - &Polynomial::from(1),
        });
        numbers.extend(analysis.lowering.iteration(index).as_atom().map(|number| Running { number, last }));
    }
    numbers
}

/// Whether a value depends on nothing that is computed in the region.
pub(super) fn is_known_before_region(analysis: &Analysis<'_>, value: &Polynomial) -> bool {
    let space = &analysis.lowering.space;
    !space.depends_on(value, |atom| match space.atom(atom) {
        Atom::Symbol(symbol) => symbol.varies != Varies::No,
        Atom::Iteration(_) | Atom::Load { .. } => true,
        _ => false,
    })
}
