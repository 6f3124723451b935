//! The whole test, for pairs that have no fast way.

use super::conditions::{MAX_CONDITION_SETS, candidates};
use super::linear::Bounds;
use super::node::{Equation, Node};
use super::pair::{Pair, assume};
use super::tree::{Leaf, Search, merged};
use super::wrapping::stays_below_wrap;
use super::{Access, Vector};
use crate::atom::{AtomId, LoopId};
use crate::coeff::Coeff;
use crate::facts::Facts;
use crate::polynomial::Polynomial;
use crate::space::Space;

/// How many conditions one vector is excluded under.
const MAX_CONDITIONS: usize = 4;
/// How often the tree is searched under conditions.
const MAX_SEARCHES: usize = 5;

pub(super) fn thorough(
    space: &mut Space,
    source: &Access,
    sink: &Access,
    common: &[LoopId],
    same: bool,
    is_constant: &dyn Fn(AtomId) -> bool,
) -> Vec<Vector> {
    let mut pair = Pair::new(space, source, sink, common, is_constant);
    if pair.is_impossible {
        return Vec::new();
    }
    let known = space.with_quotient_facts(&pair.delta, &pair.full);
    pair.full = Facts::none();
    if !known.nonneg().all(|fact| assume(&mut pair.full, fact.clone())) {
        return Vec::new();
    }
    // [f, f + a) and [g, g + b) overlap exactly where -b < g - f < a.
    let low = Coeff::ONE - Coeff::from(sink.bytes);
    let high = Coeff::from(source.bytes) - Coeff::ONE;
    let equation = Equation { form: pair.delta.clone(), low, high };
    let wraps = !stays_below_wrap(space, source, sink);
    let iterations: Vec<AtomId> = common.iter().filter_map(|&id| space.iteration(id).as_atom()).collect();
    let has_own_loops = source.loops.len() != common.len() || sink.loops.len() != common.len();
    let is_simple = !has_own_loops
        && pair.identities.is_empty()
        && [(source, sink), (sink, source)]
            .into_iter()
            .all(|(access, other)| Bounds::read(space, access, other, &iterations).is_simple);
    let mut search = Search::new(&pair, same, is_simple);
    let leaves = search.leaves(space, &equation, wraps, &[]).unwrap_or_default();
    let excluded = exclusions(space, &mut search, &equation, wraps, &leaves);
    merged(leaves.into_iter().zip(excluded).collect(), common.len())
}

/// For each leaf, conditions that exclude it.
fn exclusions(
    space: &mut Space,
    search: &mut Search<'_>,
    equation: &Equation,
    wraps: bool,
    leaves: &[Leaf],
) -> Vec<Option<Vec<Polynomial>>> {
    // Sets of conditions with the leaves that each excludes.
    let mut tried: Vec<(Vec<Polynomial>, Vec<bool>)> = Vec::new();
    let root = Node::new(search.pair, equation, wraps);
    let mut open: Vec<Vec<Polynomial>> = match leaves.iter().all(|leaf| leaf.certain) {
        true => Vec::new(),
        false => candidates(space, &root, &search.attempts),
    };
    let outside = space.limits.begin_pair();
    let mut searches = 0;
    let mut next = 0;
    while next < open.len() && searches < MAX_SEARCHES && !space.is_spent() {
        let conditions = open[next].clone();
        next += 1;
        searches += 1;
        search.attempts.clear();
        let Some(left) = search.leaves(space, equation, wraps, &conditions) else { continue };
        let gone: Vec<bool> = leaves.iter().map(|leaf| !left.iter().any(|other| covers(other, leaf))).collect();
        tried.push((conditions.clone(), gone));
        if left.is_empty() {
            break;
        }
        if conditions.len() >= MAX_CONDITIONS {
            continue;
        }
        // What is still missing under these conditions.
        for more in candidates(space, &root, &search.attempts) {
            let mut all = conditions.clone();
            all.extend(more.into_iter().filter(|condition| !conditions.contains(condition)));
            if all.len() <= MAX_CONDITIONS && all.len() > conditions.len() && !open.contains(&all) {
                open.push(all);
            }
        }
        open.truncate(2 * MAX_CONDITION_SETS);
    }
    space.limits.end_pair(outside);
    // Fewer conditions before more; among as many, what excludes most.
    tried.sort_by_key(|(conditions, gone)| (conditions.len(), gone.iter().filter(|is_gone| !**is_gone).count()));
    let first = |leaf: usize| tried.iter().find(|(_, gone)| gone[leaf]).map(|(conditions, _)| conditions.clone());
    (0..leaves.len()).map(first).collect()
}

/// Whether a leaf has common iterations with another.
fn covers(leaf: &Leaf, other: &Leaf) -> bool {
    leaf.directions.iter().zip(&other.directions).all(|(a, b)| a == b)
}
