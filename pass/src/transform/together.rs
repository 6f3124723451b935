//! Which iterations of one of the loops that make a thread's number it should take together (`coarsen` makes them), so that what its inner loops load for
//! one of them serves several.
//!
//! ```text
//! for i, j in threads: for k: C[i*n + j] += A[i*m + k] * B[k*n + j]     4 rows together: 5 loads for 4 products, not 8
//! ```

use super::grid::{Grid, Sample};
use super::own_digits::is_of_digits;
use super::profit::Candidate;
use super::sizes::Sizes;
use super::subject::Subject;
use crate::analysis::dependences::NestAccess;
use crate::analysis::finished::InLockstep;
use crate::analysis::region::{Analysis, NUMBER_OF_LOOP};
use crate::openmp;
use ipda_symbolic::{Count, LoopId, Mapping, sectors_at};

/// Iterations of one of a nest's loops that a thread takes in lockstep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Together {
    /// Which part of the mapping's thread numbers the loop is, of the slowest first: not the fastest, along which neighbouring threads lie.
    pub part: usize,
    /// How many: a power of two.
    pub times: u32,
}

impl Together {
    /// The loop, by its depth.
    pub(super) fn of(self, mapping: &Mapping) -> usize {
        mapping.threads()[self.part].of
    }
}

/// The same for whoever looks at the finished code; none where loops carry no numbers, as nobody does.
pub(super) fn in_lockstep(
    analysis: &Analysis<'_>,
    subject: &Subject<'_>,
    candidate: &Candidate,
    together: Together,
) -> Option<InLockstep> {
    let nest = &subject.nest;
    let at = together.of(&candidate.mapping);
    let number = |at: usize| analysis.cfg.loops[nest.in_cfg(at)].number(analysis.cfg, NUMBER_OF_LOOP);
    let apart = if at < nest.digits { nest.weights.get(at) } else { None };
    Some(InLockstep {
        shared: number(0)?,
        of: number(at)?,
        apart: apart.map_or_else(|| "1".to_owned(), |apart| analysis.text(apart)),
        trips: analysis.text(candidate.trips(at)?),
    })
}

/// Which, of a nest that runs by a candidate; none where there is little to share, or they cannot be taken together.
pub(super) fn together(analysis: &Analysis<'_>, subject: &Subject<'_>, candidate: &Candidate) -> Option<Together> {
    let is_nvidia = analysis.cfg.blocks[0].function().target_triple().starts_with("nvptx");
    // Who has the last one is not known then.
    let asks_for_last = || {
        let nest = &analysis.nest;
        let shared = nest.shared_at(subject.nest.in_cfg(0));
        let around = shared.and_then(|shared| shared.distributed_by).map(|outer| &nest.shared[outer]);
        shared.into_iter().chain(around).any(|shared| openmp::asks_for_last_iteration(shared.call))
    };
    // One team alone takes one at a time (`coarsen`).
    if !is_nvidia
        || is_of_digits(&candidate.mapping, subject.nest.digits)
        || subject.has_one_team
        || subject.nest.reduces()
        || asks_for_last()
    {
        return None;
    }
    best(analysis, &subject.sizes, &subject.nest.accesses, candidate)
}

/// An access in the loops that a thread runs by itself.
struct Own {
    /// The fused loops that its address depends on.
    around: Vec<LoopId>,
    /// What it asks a multiprocessor for.
    requests: f64,
}

/// Of which loop a thread should take how many iterations together, in the loops that it runs by itself: for each of them what depends on it, and once
/// what does not (unroll and jam: Callahan, Cocke, Kennedy, "Estimating Interlock and Improving Balance for Pipelined
/// Architectures", 1988). None where that saves little of what a multiprocessor is asked for: 128 bytes at a time, each for one warp.
fn best(analysis: &Analysis<'_>, sizes: &Sizes, accesses: &[NestAccess], candidate: &Candidate) -> Option<Together> {
    /// The most, and one that needs fewer registers.
    const TIMES: [u32; 2] = [4, 2];
    /// Accesses in the thread's own loops of as many iterations, each of which takes registers.
    const MAX_OWN: usize = 16;
    /// By which the requests are to be fewer.
    const WORTH: f64 = 1.25;
    let threads = candidate.mapping.threads();
    let grid = Grid::new(analysis, sizes, candidate);
    let mut best: Option<(f64, Together)> = None;
    for (part, of) in threads.iter().enumerate().take(threads.len().saturating_sub(1)) {
        if of.count != Count::Rest {
            continue;
        }
        let id = grid.id(of.of);
        let Some(own) = own(analysis, &grid, accesses, id) else { continue };
        let all: f64 = own.iter().map(|access| access.requests).sum();
        let (of_each, shared): (Vec<&Own>, Vec<&Own>) = own.iter().partition(|access| access.around.contains(&id));
        let shared: f64 = shared.iter().map(|access| access.requests).sum();
        let gain = |times: u32| all / (all - shared + shared / f64::from(times));
        let is_worth = |times: &u32| gain(*times) > WORTH && of_each.len() * *times as usize <= MAX_OWN;
        let Some(times) = TIMES.into_iter().find(is_worth) else { continue };
        // Of much the same, the slowest: fewer places lie between what a thread stores.
        if best.is_none_or(|(least, _)| gain(times) > least * WORTH) {
            best = Some((gain(times), Together { part, times }));
        }
    }
    best.map(|(_, together)| together)
}

/// The accesses in a thread's own loops; none where iterations of a loop cannot be taken together.
fn own(analysis: &Analysis<'_>, grid: &Grid<'_, '_>, accesses: &[NestAccess], of: LoopId) -> Option<Vec<Own>> {
    const SECTORS_AT_ONCE: f64 = 4.0;
    let space = &analysis.lowering.space;
    let warps = grid.warps((grid.numbers() / grid.lanes as f64).ceil(), Sample::Few);
    let mut all = Vec::new();
    for access in accesses {
        let mut own_loops = access.trips.iter().filter(|(id, _)| !grid.is_fused(**id));
        if access.is_atomic || own_loops.any(|(_, trips)| space.loops_of(trips).contains(&of)) {
            return None;
        }
        // What stays where it is while the innermost loop runs is in a register.
        let around = space.loops_of(&access.address);
        let innermost = access.loops.last().filter(|id| !grid.is_fused(**id) && around.contains(id));
        if innermost.is_none() {
            continue;
        }
        let form = grid.form(&access.address);
        let sectors = |warp| {
            let places = sectors_at(&grid.places(&form, warp), access.bytes, analysis.setting.geometry.sector_bytes);
            places.iter().map(|(first, last)| (last - first + 1) as f64).sum::<f64>()
        };
        let requests = warps.iter().map(sectors).sum::<f64>() / warps.len() as f64 / SECTORS_AT_ONCE;
        all.push(Own { around: around.into_iter().collect(), requests: requests.max(1.0) * grid.runs(access) });
    }
    Some(all)
}
