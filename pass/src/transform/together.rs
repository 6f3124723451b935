//! Which iterations of a nest's slowest shared loop a thread should take together (`coarsen` makes them), so that what its inner loops load for one of
//! them serves several.
//!
//! ```text
//! for i, j in threads: for k: C[i*n + j] += A[i*m + k] * B[k*n + j]     4 rows together: 5 loads for 4 products, not 8
//! ```

use super::check::Expected;
use super::conditions::Conditions;
use super::grid::{Grid, Sample};
use super::profit::{Candidate, Sizes};
use super::propose::Subject;
use super::prove::Plan;
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

/// The plan that leaves the loops that a clause collapsed as they are, and takes iterations of the slowest one together, where that pays.
pub(super) fn together_as_written(analysis: &Analysis<'_>, subject: &Subject<'_>) -> Option<Plan> {
    let candidate = &subject.as_written;
    let expected = Expected::of(analysis, &subject.nest.accesses, candidate, &subject.arguments)?;
    let costs = subject.costs(analysis, &subject.sizes, candidate);
    let mut plan = Plan {
        at: subject.at,
        mapping: candidate.mapping.clone(),
        digits: subject.nest.digits,
        trips: Vec::new(),
        coarse: None,
        tests: Vec::new(),
        reciprocals: Vec::new(),
        number_bits: subject.number_bits(analysis),
        falls_back: true,
        is_distributed: false,
        reduces: false,
        assignment: subject.assignment,
        guard: Vec::new(),
        apart_by_host: Vec::new(),
        written: subject.written(analysis),
        reads: subject.arguments.reads.clone(),
        conditions: Vec::new(),
        rests_on: Vec::new(),
        choice: subject.choice(analysis, &candidate.mapping, &costs),
        expected,
        is_version: false,
    };
    take_together(analysis, subject, &mut plan);
    plan.coarse.is_some().then_some(plan)
}

/// Lets a plan that leaves collapsed loops as they are take iterations of the slowest one together, where that pays.
pub(super) fn take_together(analysis: &Analysis<'_>, subject: &Subject<'_>, plan: &mut Plan) {
    /// Of others it is not known which divisor in the code is the size of the slowest one.
    const DIGITS: usize = 2;
    let candidate = &subject.as_written;
    if subject.nest.digits != DIGITS || plan.mapping != candidate.mapping {
        return;
    }
    let Some(times) = together(analysis, subject, candidate) else { return };
    let mut conditions = Conditions::new(analysis, &subject.arguments, &[]);
    let count = |at: usize| Some((at, conditions.sum(candidate.trips(at)?)?));
    let Some(trips) = (0..DIGITS).map(count).collect::<Option<Vec<_>>>() else { return };
    let sums: Vec<_> = trips.iter().map(|(_, sum)| sum.clone()).collect();
    if conditions.require_exact_sums(&sums) != Ok(true) {
        return;
    }
    let Conditions { guard, reported, .. } = conditions;
    for (condition, words) in guard.into_iter().zip(reported) {
        if !plan.guard.contains(&condition) {
            plan.guard.push(condition);
            plan.conditions.push(words);
        }
    }
    let nest = &analysis.nest;
    plan.is_distributed = nest.shared_at(subject.nest.in_cfg(0)).is_some_and(|shared| shared.distributed_by.is_some());
    plan.trips = trips;
    plan.coarse = Some(times);
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
