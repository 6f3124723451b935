//! The nest that mappings are proposed for, and what is known of it.

use super::arguments::Arguments;
use super::divisors::divides_by_sizes;
use super::limit::{Limit, counting};
use super::profit::{Candidate, Sizes};
use super::schedule::{Assignment, assignment, can_ask_for_threads, is_size_of_team, may_run_alone};
use crate::analysis::dependences::{RegionAccesses, SharedNest};
use crate::analysis::region::Analysis;
use crate::common::budget::Stage;
use crate::openmp::Schedule;
use crate::openmp::outline::TargetRegion;
use ipda_llvm::Value;
use ipda_models::report::{Reason, Region};
use ipda_symbolic::Mapping;

/// What a mapping's sectors, and its time, must be of those as written, so that it pays.
pub(super) const MIN_GAIN: f64 = 0.9;

/// A region's nest, and what decides whether a mapping of it is legal and pays.
pub(super) struct Subject<'a> {
    /// Which of the region's loops that threads share it is below, in their order.
    pub at: usize,
    pub nest: SharedNest,
    pub assignment: Assignment,
    pub arguments: Arguments,
    /// For which costs are computed.
    pub sizes: Sizes,
    pub as_written: Candidate,
    /// Whether the code takes the shared loop's number apart by its digits alone.
    pub divides_by_sizes: bool,
    /// Whether a launch has no more than one team.
    pub has_one_team: bool,
    /// Whether a launch may have one thread, which the kernel can ask for.
    pub may_have_one_thread: bool,
    pub report: &'a Region,
}

impl<'a> Subject<'a> {
    /// The nest below a shared loop; or why it is left as it is.
    pub(super) fn find(
        analysis: &mut Analysis<'_>,
        accesses: &RegionAccesses,
        (at, shared): (usize, usize),
        params: &[Value],
        (region, report): (&TargetRegion, &'a Region),
    ) -> Result<Subject<'a>, Reason> {
        let assignment = assignment(analysis, shared)?;
        let mut nest = SharedNest::find(analysis, accesses, shared)?;
        nest.nest.is_scheduled = assignment == Assignment::ByClause || may_run_alone(analysis.setting.session, region);
        analysis.begin(Stage::Orders);
        let mut arguments = Arguments::of(analysis, params);
        arguments.add_reads(analysis, &mut nest);
        // Who runs which iteration may be relied on.
        if !nest.nest.is_scheduled {
            nest.part_into_digits(analysis);
        }
        nest.take_count_as_number();
        let shared: Vec<usize> = (0..nest.digits).collect();
        let inside: Vec<usize> = (nest.digits..nest.nest.loops.len()).collect();
        let as_written = Candidate::new(analysis, &nest, Mapping::of_loops(&shared, &inside));
        let sizes = Sizes::of(analysis, &nest);
        let has_one_team = region.has_one_team();
        let may_have_one_thread = can_ask_for_threads(region);
        let divides_by_sizes = divides_by_sizes(analysis, &nest);
        Ok(Subject {
            at,
            nest,
            assignment,
            arguments,
            sizes,
            as_written,
            divides_by_sizes,
            has_one_team,
            may_have_one_thread,
            report,
        })
    }

    /// The width of a thread's number.
    pub(super) fn number_bits(&self, analysis: &Analysis<'_>) -> u32 {
        let shared = analysis.nest.shared_at(self.nest.in_cfg(0));
        shared.and_then(|shared| shared.phi.ty().int_bits()).unwrap_or(32)
    }

    /// How many numbers there may be where threads go by a mapping.
    pub(super) fn limit(&self, analysis: &Analysis<'_>, mapping: &Mapping) -> Limit {
        let bits = self.number_bits(analysis);
        let shared = analysis.nest.shared_at(self.nest.in_cfg(0));
        let teams = shared.and_then(|shared| shared.distributed_by).map(|outer| &analysis.nest.shared[outer]);
        let chunk = teams.filter(|teams| teams.schedule == Schedule::StaticChunked && !is_size_of_team(teams.chunk));
        let chunk = chunk.and_then(|teams| u32::try_from(teams.chunk.as_int()?).ok());
        let share = chunk.unwrap_or(1).div_ceil(analysis.setting.geometry.lanes);
        Limit::new(bits, counting(bits, mapping, self.nest.digits), share)
    }

    /// Why there are no loops inside that could be fused; none where there is one, or several in the shared one, which may have another order.
    pub(super) fn ends_at_once(&self) -> Option<&Reason> {
        self.nest.end.as_ref().filter(|_| self.nest.nest.loops.len() == 1)
    }

    /// The kernel's parameters, and pointers that it reads, to whose objects it writes; none where that is not known.
    pub(super) fn written(&self, analysis: &Analysis<'_>) -> Option<Vec<usize>> {
        let objects = self.nest.written_objects(analysis)?;
        let param = |object| self.arguments.given(object).filter(|given| given.is_pointer).map(|given| given.param);
        objects.into_iter().map(param).collect()
    }

    /// Whether a mapping is another order of the loops that a clause collapsed, and nothing else.
    pub(super) fn is_order_of_collapsed(&self, mapping: &Mapping) -> bool {
        self.nest.digits > 1 && mapping.fused().all(|at| at < self.nest.digits)
    }
}
