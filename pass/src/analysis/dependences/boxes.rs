//! Accesses that run at all points of a box of iterations, by pointers that are marked as staying in their objects: their exact distances are
//! those of the machine, also where counters and index arithmetic are not marked.
//!
//! Two accesses through one pointer lie in one object, and no object is as large as half of the machine's addresses. So an access that moves by
//! `r` bytes from one iteration to the next is `r` away as an exact number, and not `r - 2^64`, unless `r` is nearly that large; and if it runs in
//! all `t` iterations, `r*(t - 1)` and its size fit in an object. Over several loops, the bytes touched by the inner ones are what the outer
//! one's step is held against: of `2^64 - r` and these bytes together, no object is large enough as long as `r` exceeds them by `2^63` at most.

use super::accesses::{Accesses, Item, Opaque};
use crate::analysis::region::Analysis;
use ipda_llvm::BlockId;
use ipda_symbolic::{AtomId, Coeff, Facts, Polynomial, TripCount};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A loop of a box: all of its iterations run.
struct Side {
    index: usize,
    number: AtomId,
    trips: Polynomial,
}

/// Adds to accesses that they stay in their objects, where that follows from all that run with them.
pub(super) fn place_in_objects(analysis: &mut Analysis<'_>, accesses: &mut Accesses) {
    if accesses.items.iter().all(|item| item.stays_in_object) {
        return;
    }
    let mut by_block: FxHashMap<BlockId, Rc<[Side]>> = FxHashMap::default();
    for item in &accesses.items {
        by_block.entry(item.block).or_insert_with(|| sides(analysis, accesses, item.block).unwrap_or_default().into());
    }
    let boxes: Vec<Rc<[Side]>> = accesses.items.iter().map(|item| Rc::clone(&by_block[&item.block])).collect();
    for (at, sides) in boxes.into_iter().enumerate().filter(|(_, sides)| !sides.is_empty()) {
        let item = &accesses.items[at];
        let Some((base, offset)) = offset(item).filter(|_| !item.stays_in_object) else { continue };
        if item.is_marked && is_exact(analysis, item, &offset, &sides) {
            let item = &mut accesses.items[at];
            item.test.stays_near(&base.into());
            item.stays_in_object = true;
            accesses.rests_on_inbounds = true;
        }
    }
}

/// The pointer that an address begins at, and the distance from there.
fn offset(item: &Item) -> Option<(AtomId, Polynomial)> {
    item.object()?;
    let base = item.test_objects[0];
    Some((base, &item.test.address - &Polynomial::from(base)))
}

/// Whether the distance is that of the machine as an exact number, given that the pointer leads into the object.
fn is_exact(analysis: &Analysis<'_>, item: &Item, offset: &Polynomial, sides: &[Side]) -> bool {
    let space = &analysis.lowering.space;
    let half = Polynomial::from(Coeff::pow2(63));
    let mut facts: Facts = item.test.facts.clone();
    let mut touched = Polynomial::from(Coeff::from(item.test.bytes));
    let mut start = offset.clone();
    for side in sides {
        let Some((step, rest)) = space.split_affine(&start, side.number) else { break };
        if space.depends_on(&step, |at| sides.iter().any(|side| side.number == at)) {
            break;
        }
        let size = match () {
            () if space.proves_nonneg(&step, &facts) => step.clone(),
            () if space.proves_nonneg(&-&step, &facts) => -&step,
            () => break,
        };
        if !space.proves_nonneg(&(&(&half + &touched) - &size), &facts) {
            break;
        }
        let last = &side.trips - &Polynomial::from(1);
        touched = &touched + &(&size * &last);
        // What cannot be is no ground to stand on: the program may count on addresses as residues.
        if space.proves_nonneg(&(&touched - &half), &facts) {
            return false;
        }
        facts.assume_nonneg(&(&half - &touched) - &Polynomial::from(1));
        start = rest;
    }
    let is_small = |p: &Polynomial| space.proves_nonneg(&(&half - p), &facts);
    is_small(&start) && is_small(&-&start)
}

/// The loops, the innermost first, at all of whose points a block runs: each runs to its end, as often whenever it is entered, and is
/// entered whenever the one around it goes on.
fn sides(analysis: &mut Analysis<'_>, accesses: &Accesses, block: BlockId) -> Option<Vec<Side>> {
    let cfg = analysis.cfg;
    let innermost = cfg.loop_of(block)?;
    if !cfg.loops[innermost].latches.iter().all(|&latch| cfg.dominates(block, latch)) {
        return None;
    }
    let mut sides: Vec<Side> = Vec::new();
    // What must be the same in all iterations of the loops further out.
    let mut fixed: Vec<Polynomial> = Vec::new();
    for index in cfg.loop_chain(Some(innermost)) {
        let has_effects = accesses.opaque.iter().any(|Opaque { loops, .. }| loops.contains(&index));
        let is_in_turn = analysis.nest.shared_at(index).is_none() && !analysis.nest.hidden.contains(&index);
        let (TripCount::Exactly(count), Some(trips)) =
            (analysis.lowering.trip_count(index), accesses.max_trips.get(&index))
        else {
            break;
        };
        if has_effects || !is_in_turn || !has_one_way_out(analysis, index) {
            break;
        }
        if let Some(inner) = sides.last() {
            let Some(conditions) = conditions_between(analysis, cfg.loops[inner.index].header, index) else { break };
            fixed.extend(conditions);
        }
        if fixed.iter().any(|value| analysis.lowering.varies_in(value, index)) {
            break;
        }
        let number = analysis.lowering.iteration(index).as_atom()?;
        fixed.push(count);
        sides.push(Side { index, number, trips: trips.clone() });
    }
    Some(sides)
}

/// Whether a loop is left by one edge, and not to where the program ends either.
fn has_one_way_out(analysis: &Analysis<'_>, index: usize) -> bool {
    let natural = &analysis.cfg.loops[index];
    let ways = natural.blocks.iter().flat_map(|&block| &analysis.cfg.successors[block]);
    ways.filter(|&&to| !natural.contains(to)).count() == 1
}

/// The conditions under which a block runs in an iteration of a loop; none where other ways lead there.
fn conditions_between(analysis: &mut Analysis<'_>, block: BlockId, index: usize) -> Option<Vec<Polynomial>> {
    let cfg = analysis.cfg;
    let header = cfg.loops[index].header;
    let (mut at, mut conditions) = (block, Vec::new());
    while at != header {
        let above = cfg.immediate_dominator(at)?;
        let mut ways = cfg.predecessors[at].iter().filter(|&&from| !cfg.dominates(at, from));
        if !ways.all(|&from| from == above) {
            return None;
        }
        let is_own_test = above == header && analysis.lowering.is_tested_first(index);
        if cfg.successors[above].iter().any(|&to| to != at) && !is_own_test {
            conditions.push(analysis.lowering.branch_condition(above, at)?);
        }
        at = above;
    }
    Some(conditions)
}
