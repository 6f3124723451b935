//! Which mappings of a region's nest could pay: all that there are of whole loops, screened by what they cost.

use super::profit::{Candidate, Cost, Sizes, cost};
use super::schedule::{Assignment, assignment};
use super::sum::Arguments;
use crate::analysis::dependences::SharedNest;
use crate::analysis::region::Analysis;
use crate::common::budget::Stage;
use crate::openmp::Sharing;
use crate::openmp::nest::SharedLoop;
use ipda_llvm::Value;
use ipda_models::report::{Gain, NamedLoop, Reason, Region};
use ipda_symbolic::Mapping;

/// What a mapping's sectors, and its time, must be of those as written, so that it pays.
const LEAST_GAIN: f64 = 0.9;
/// Of mappings whose times differ by less, the one with fewer fused loops is taken.
const MUCH_THE_SAME: f64 = 0.99;

/// A region's nest, and what decides whether a mapping of it is legal and pays.
pub(super) struct Subject<'a> {
    pub nest: SharedNest,
    pub assignment: Assignment,
    pub arguments: Arguments,
    /// For which costs are computed.
    pub sizes: Sizes,
    pub as_written: Candidate,
    pub report: &'a Region,
}

/// A mapping that could pay.
pub(super) struct Proposal {
    pub candidate: Candidate,
    pub costs: Costs,
}

/// What the loops cost as they are written and by a mapping, for the same sizes.
pub(super) struct Costs {
    pub before: Cost,
    pub after: Cost,
}

/// A mapping for people.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    pub threads: Vec<NamedLoop>,
    pub is_interchange: bool,
    pub gain: Gain,
    /// Whether a clause may do the same, as far as the code shows.
    pub has_clause: bool,
}

/// The loop that threads share; none where that holds no other.
pub(super) fn shared_of(analysis: &Analysis<'_>) -> Result<Option<usize>, Reason> {
    let is_of_threads = |shared: &&SharedLoop| shared.sharing == Sharing::Threads;
    let shared: Vec<usize> = analysis.nest.shared.iter().filter(is_of_threads).map(|shared| shared.index).collect();
    let holds_loops = |index: &usize| analysis.cfg.loops.iter().any(|natural| natural.parent == Some(*index));
    match shared[..] {
        _ if !shared.iter().any(holds_loops) => Ok(None),
        [shared] => Ok(Some(shared)),
        _ => Err("it has several loops that threads share".into()),
    }
}

impl<'a> Subject<'a> {
    /// The nest below a shared loop; or why it is left as it is.
    pub(super) fn find(
        analysis: &mut Analysis<'_>,
        shared: usize,
        params: &[Value],
        report: &'a Region,
        runs_alone: bool,
    ) -> Result<Subject<'a>, Reason> {
        let assignment = assignment(analysis, shared)?;
        let mut nest = SharedNest::find(analysis, shared)?;
        nest.nest.is_scheduled = assignment == Assignment::ByClause || runs_alone;
        if let ([_], Some(reason)) = (&nest.nest.loops[..], &nest.end) {
            return Err(reason.clone());
        }
        analysis.begin(Stage::Orders);
        let mut arguments = Arguments::of(analysis, params);
        arguments.add_reads(analysis, &mut nest, params.len());
        let inside: Vec<usize> = (1..nest.nest.loops.len()).collect();
        let as_written = Candidate::new(analysis, &nest, Mapping::of_loops(&[0], &inside));
        let sizes = Sizes::of(analysis, &nest);
        Ok(Subject { nest, assignment, arguments, sizes, as_written, report })
    }

    /// The mappings that pay, the best first.
    pub(super) fn propose(&self, analysis: &mut Analysis<'_>) -> Vec<Proposal> {
        let nest = &self.nest;
        let before = cost(analysis, &self.sizes, &nest.accesses, &self.as_written);
        let mappings = nest.nest.mappings().into_iter().filter(|mapping| mapping.threads().len() > 1);
        let mut proposals: Vec<Proposal> = Vec::new();
        for mapping in mappings {
            let candidate = Candidate::new(analysis, nest, mapping);
            let after = cost(analysis, &self.sizes, &nest.accesses, &candidate);
            proposals.push(Proposal { candidate, costs: Costs { before, after } });
        }
        proposals.retain(|proposal| proposal.costs.pay());
        // The shortest time first; of much the same, the fewest fused loops.
        proposals.sort_by_key(|Proposal { candidate, costs }| {
            let step = (costs.after.time().max(1.0).ln() / -MUCH_THE_SAME.ln()).round() as i64;
            (step, candidate.mapping.threads().len())
        });
        proposals
    }

    /// What both cost for some sizes.
    pub(super) fn costs(&self, analysis: &Analysis<'_>, sizes: &Sizes, candidate: &Candidate) -> Costs {
        let [before, after] =
            [&self.as_written, candidate].map(|which| cost(analysis, sizes, &self.nest.accesses, which));
        Costs { before, after }
    }

    /// A mapping in words.
    pub(super) fn choice(&self, analysis: &Analysis<'_>, mapping: &Mapping, costs: &Costs) -> Choice {
        let named = |index: usize| {
            let number = analysis.visible.get(&index).copied();
            let entry = number.and_then(|number| self.report.loops.get(number));
            let name = entry.map(|entry| entry.variable.clone().unwrap_or_else(|| entry.id.clone()));
            NamedLoop {
                name: name.unwrap_or_else(|| "a loop".into()),
                location: entry.and_then(|entry| entry.location.clone()),
            }
        };
        let fused: Vec<usize> = mapping.fused().collect();
        let threads: Vec<NamedLoop> = fused.iter().map(|&at| named(self.nest.path[at])).collect();
        let count = threads.len();
        let depth = fused.iter().copied().max().unwrap_or(0);
        let is_interchange = depth + 1 != count || fused.windows(2).any(|pair| pair[0] > pair[1]);
        let Costs { before, after } = costs;
        let innermost =
            (0..analysis.cfg.loops.len()).find(|&at| Some(analysis.lowering.loop_id(at)) == after.innermost);
        let gain = Gain {
            sectors_before: rounded(before.per_warp),
            sectors_after: rounded(after.per_warp),
            per_iteration_of: innermost.map(|index| named(index).name),
            threads_before: rounded(before.threads),
            threads_after: rounded(after.threads),
        };
        Choice { threads, is_interchange, gain, has_clause: true }
    }
}

impl Costs {
    pub(super) fn pay(&self) -> bool {
        self.after.time() <= LEAST_GAIN * self.before.time()
    }

    /// Whether it is the number of threads alone that gains.
    pub(super) fn are_only_for_threads(&self) -> bool {
        self.after.work() > LEAST_GAIN * self.before.work()
    }
}

/// To two places behind the point.
fn rounded(count: f64) -> f64 {
    (count * 100.0).round() / 100.0
}
