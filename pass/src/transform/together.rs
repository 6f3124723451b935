//! Which iterations of a nest's slowest shared loop a thread should take together (`coarsen` makes them), so that what its inner loops load for one of
//! them serves several.
//!
//! ```text
//! for i, j in threads: for k: C[i*n + j] += A[i*m + k] * B[k*n + j]     4 rows together: 5 loads for 4 products, not 8
//! ```

use super::grid::{Grid, Sample};
use super::profit::{Candidate, Sizes};
use super::subject::Subject;
use crate::analysis::dependences::NestAccess;
use crate::analysis::region::Analysis;
use crate::openmp;
use ipda_symbolic::sectors_at;

/// How many, of a nest that runs by a candidate; none where there is little to share, or they cannot be taken together.
pub(super) fn together(analysis: &Analysis<'_>, subject: &Subject<'_>, candidate: &Candidate) -> Option<u32> {
    let is_nvidia = analysis.cfg.blocks[0].function().target_triple().starts_with("nvptx");
    // Who has the last one is not known then.
    let asks_for_last = || {
        let nest = &analysis.nest;
        let shared = nest.shared_at(subject.nest.in_cfg(0));
        let around = shared.and_then(|shared| shared.distributed_by).map(|outer| &nest.shared[outer]);
        shared.into_iter().chain(around).any(|shared| openmp::asks_for_last_iteration(shared.call))
    };
    if !is_nvidia || subject.nest.reduces() || asks_for_last() {
        return None;
    }
    times(analysis, &subject.sizes, &subject.nest.accesses, candidate)
}

/// How many iterations of the slowest fused loop a thread should take together, in the loops that it runs by itself: for each of them what depends
/// on it, and once what does not (unroll and jam: Callahan, Cocke, Kennedy, "Estimating Interlock and Improving Balance for Pipelined
/// Architectures", 1988). None where that saves little of what a multiprocessor is asked for: 128 bytes at a time, each for one warp.
fn times(analysis: &Analysis<'_>, sizes: &Sizes, accesses: &[NestAccess], candidate: &Candidate) -> Option<u32> {
    /// The most, and one that needs fewer registers.
    const TIMES: [u32; 2] = [4, 2];
    /// Accesses in the thread's own loops of as many iterations, each of which takes registers.
    const MOST_OWN: usize = 16;
    /// By which the requests are to be fewer.
    const WORTH: f64 = 1.25;
    const SECTORS_AT_ONCE: f64 = 4.0;
    let mapping = &candidate.mapping;
    if mapping.threads().len() < 2 {
        return None;
    }
    let grid = Grid::new(analysis, sizes, candidate);
    let space = &analysis.lowering.space;
    let slowest = grid.id(mapping.threads()[0].of);
    let warps = grid.warps((grid.numbers() / grid.lanes as f64).ceil(), Sample::Few);
    let (mut own, mut all, mut shared) = (0, 0.0, 0.0);
    for access in accesses {
        let mut own_loops = access.trips.iter().filter(|(id, _)| !grid.is_fused(**id));
        if access.is_atomic || own_loops.any(|(_, trips)| space.loops_of(trips).contains(&slowest)) {
            return None;
        }
        // What stays where it is while the innermost loop runs is in a register.
        let around = space.loops_of(&access.address);
        let innermost = access.loops.last().filter(|id| !grid.is_fused(**id) && around.contains(id));
        if innermost.is_none() {
            continue;
        }
        let form = grid.form(access);
        let sectors = |warp| {
            let places = sectors_at(&grid.places(&form, warp), access.bytes, analysis.setting.geometry.sector_bytes);
            places.iter().map(|(first, last)| (last - first + 1) as f64).sum::<f64>()
        };
        let requests = warps.iter().map(sectors).sum::<f64>() / warps.len() as f64 / SECTORS_AT_ONCE;
        let requests = requests.max(1.0) * grid.runs(access);
        all += requests;
        if around.contains(&slowest) {
            own += 1;
        } else {
            shared += requests;
        }
    }
    let is_worth = |times: &u32| {
        let left = all - shared + shared / f64::from(*times);
        all > WORTH * left && own * *times as usize <= MOST_OWN
    };
    TIMES.into_iter().find(is_worth)
}
