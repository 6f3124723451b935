//! Places that a thread comes back to in each iteration of an innermost loop. The optimiser keeps them in registers meanwhile (scalar promotion), if
//! nothing else that the loop touches may be there.
//!
//! ```text
//! for k: C[i*n + j] += A[i*n + k] * B[k*n + j]     C stays in a register if it is apart from A and from B
//! for k: y[k*n + i] = x[i] * a[k*n + i]            so does x, if it is apart from y
//! ```
//!
//! LLVM's loop-invariant code motion does so where alias analysis says that it may (Callahan, Carr and Kennedy, "Improving Register Allocation for
//! Subscripted Variables", PLDI 1990).

use super::accesses::{Extent, Item};
use super::nests::SharedNest;
use crate::analysis::region::Analysis;
use ipda_models::report::AccessKind;
use ipda_symbolic::AtomId;

/// An object of which an innermost loop touches places alone that stay the same.
pub(crate) struct Promotable {
    pub object: AtomId,
    /// The loop, in the CFG.
    pub index: usize,
    /// The other objects that must be apart from it.
    pub apart_from: Vec<AtomId>,
}

impl SharedNest {
    /// What would stay in registers in the innermost loops of a nest, if some objects were known to be apart.
    pub(crate) fn promotable(&self, analysis: &mut Analysis<'_>) -> Vec<Promotable> {
        let is_parent = |index: usize| analysis.cfg.loops.iter().any(|other| other.parent == Some(index));
        let is_inside =
            |index: usize| index != self.path[0] && analysis.cfg.loop_chain(Some(index)).any(|at| at == self.path[0]);
        let is_own = |index: usize| analysis.nest.shared_at(index).is_none();
        let innermost: Vec<usize> = (0..analysis.cfg.loops.len())
            .filter(|&index| !is_parent(index) && is_inside(index) && is_own(index))
            .collect();
        innermost.into_iter().flat_map(|index| self.promotable_in(analysis, index).unwrap_or_default()).collect()
    }

    /// None where something in the loop may be anywhere.
    fn promotable_in(&self, analysis: &mut Analysis<'_>, index: usize) -> Option<Vec<Promotable>> {
        if self.all.opaque.iter().any(|opaque| opaque.loops.contains(&index)) {
            return None;
        }
        let mut touched: Vec<(AtomId, Vec<&Item>)> = Vec::new();
        for item in self.all.items.iter().filter(|item| item.loops.contains(&index)) {
            let object = item.object().filter(|_| is_plain(item))?;
            match self.all.bases.local(object) {
                // The optimiser knows that no pointer leads there.
                Some(local) if !self.all.bases.has_escaped(local) => continue,
                Some(_) => return None,
                None => {}
            }
            match touched.iter_mut().find(|(other, _)| *other == object) {
                Some((_, items)) => items.push(item),
                None => touched.push((object, vec![item])),
            }
        }
        let is_written = |items: &[&Item]| items.iter().any(|item| item.writes());
        let mut found = Vec::new();
        for (object, items) in &touched {
            let stores = is_written(items);
            let others = touched.iter().filter(|(other, of_other)| other != object && (stores || is_written(of_other)));
            let apart_from: Vec<AtomId> = others.map(|(other, _)| *other).collect();
            if !apart_from.is_empty() && stays(analysis, index, items) {
                found.push(Promotable { object: *object, index, apart_from });
            }
        }
        Some(found)
    }
}

fn is_plain(item: &Item) -> bool {
    matches!(item.kind, AccessKind::Load | AccessKind::Store)
        && item.extent == Extent::Known
        && !item.instruction.is_volatile_or_atomic()
}

/// Whether accesses are all of places that do not change while the loop runs, known numbers of bytes apart, each of which every iteration writes that goes
/// on, if any does.
fn stays(analysis: &mut Analysis<'_>, index: usize, items: &[&Item]) -> bool {
    let mut places: Vec<Vec<&Item>> = Vec::new();
    for item in items {
        let is_there = |place: &Vec<&Item>| place[0].address == item.address && place[0].test.bytes == item.test.bytes;
        if let Some(at) = places.iter().position(is_there) {
            places[at].push(item);
            continue;
        }
        if analysis.lowering.varies_between_iterations_of(&item.address, index)
            || !places.iter().all(|place| are_apart(place[0], item))
        {
            return false;
        }
        places.push(vec![item]);
    }
    let cfg = analysis.cfg;
    let is_always_made = |item: &Item| cfg.loops[index].latches.iter().all(|&latch| cfg.dominates(item.block, latch));
    // A store that only some iterations make is no place for the optimiser to store at after the loop.
    places.iter().all(|place| {
        let mut stores = place.iter().filter(|item| item.writes()).peekable();
        stores.peek().is_none() || stores.any(|item| is_always_made(item))
    })
}

/// Whether two accesses are so many bytes apart that they have none in common.
fn are_apart(one: &Item, other: &Item) -> bool {
    let distance = (&other.address - &one.address).as_constant().and_then(|distance| distance.to_i64());
    distance.is_some_and(|distance| {
        let size = if distance < 0 { other.test.bytes } else { one.test.bytes };
        distance.unsigned_abs() >= size
    })
}
