//! Who runs which iteration of a shared loop, as the program asks for it. Where a clause does, iterations may rely on their order, and the
//! clause may be there for good reason.

use super::chain::Chain;
use crate::analysis::region::Analysis;
use crate::openmp::nest::SharedLoop;
use crate::openmp::outline::TargetRegion;
use crate::openmp::{self, Call, ExecutionMode, Schedule, Sharing};
use ipda_llvm::{Opcode, Session, Value};
use ipda_models::report::{ObstacleKind, Reason};

/// What hands iterations to threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assignment {
    /// What clang takes where no clause asks for another one: any order of iterations is as good.
    Default,
    /// A clause, by which neighbouring threads run neighbouring iterations. Fused ones must be independent, also of those that only the
    /// shared loop parts.
    ByClause,
}

/// How the iterations of a shared loop are handed out; or why it is left as it is.
pub(super) fn assignment(analysis: &Analysis<'_>, index: usize) -> Result<Assignment, Reason> {
    let left = |kind: ObstacleKind, text: String| Err(kind.reason(text).at(analysis.loop_location(index)));
    let Some(shared) = analysis.nest.shared_at(index) else {
        return left(ObstacleKind::Other, "threads do not share the loop".into());
    };
    let teams = shared.distributed_by.map(|outer| &analysis.nest.shared[outer]);
    if analysis.setting.takes_host_shapes {
        let is_plain = |shared: &SharedLoop| shared.schedule == Schedule::Static && shared.chunk.as_int() == Some(1);
        if is_plain(shared) && teams.is_some_and(is_plain) {
            return Ok(Assignment::Default);
        }
    }
    if matches!(openmp::decode(shared.call), Ok(Call::DispatchNext { .. })) {
        let clause = match shared.schedule {
            Schedule::Dynamic => "schedule(dynamic)",
            Schedule::Guided => "schedule(guided)",
            Schedule::Runtime => "schedule(runtime)",
            Schedule::Auto => "schedule(auto)",
            Schedule::Static | Schedule::StaticChunked => "ordered",
        };
        let text = format!("by {clause}, threads ask for their iterations while the loop runs");
        return left(ObstacleKind::DynamicSchedule, text);
    }
    // Such loops are wrong as they are there (`Ineligible::ChunksOfOne`), and other loops would be wrong in another way.
    let triple = analysis.cfg.blocks[0].function().target_triple();
    let is_for_gpu = ["nvptx", "amdgcn"].iter().any(|gpu| triple.starts_with(gpu));
    if !is_for_gpu && teams.is_some() && (shared.schedule, shared.chunk.as_int()) == (Schedule::StaticChunked, Some(1))
    {
        let text = "of schedule(static, 1) with distribute, clang 19's code for such a device leaves out iterations where a team has one thread";
        return left(ObstacleKind::BlockSchedule, text.into());
    }
    let is_default =
        teams.is_none_or(|teams| teams.schedule == Schedule::StaticChunked && is_size_of_team(teams.chunk));
    let by_teams = match (shared.schedule, shared.chunk.as_int()) {
        (Schedule::StaticChunked, Some(1)) => is_default,
        // A team has as many iterations as threads: each thread has one of them.
        (Schedule::Static, _) if is_default && teams.is_some() => false,
        (Schedule::Static, _) => {
            let text = "each thread runs one block of iterations, so that neighbouring threads stay apart";
            return left(ObstacleKind::BlockSchedule, text.into());
        }
        _ => {
            let text = "a schedule clause gives each thread several iterations in a row";
            return left(ObstacleKind::BlockSchedule, text.into());
        }
    };
    if by_teams {
        return Ok(Assignment::Default);
    }
    let lanes = i64::from(analysis.setting.geometry.lanes);
    match teams.filter(|_| !is_default) {
        Some(teams)
            if teams.schedule == Schedule::StaticChunked && teams.chunk.as_int().is_none_or(|size| size < lanes) =>
        {
            let text = format!(
                "a dist_schedule clause gives a team less than {lanes} iterations at a time, as far as is known"
            );
            left(ObstacleKind::DistributeSchedule, text)
        }
        _ => Ok(Assignment::ByClause),
    }
}

/// Whether one thread may be launched that runs all iterations in their order, where the kernel can ask for that when it runs.
pub(super) fn can_ask_for_threads(region: &TargetRegion) -> bool {
    let is_nvidia = region.holder().target_triple().starts_with("nvptx");
    is_nvidia && region.environment.as_ref().is_some_and(|of| of.may_have_one_thread && of.mode == ExecutionMode::Spmd)
}

/// Whether the program may ask for a single thread, which runs all iterations in their order: by a limit of threads, or by a condition or
/// a number of threads that is not known. Not where [the kernel can ask](can_ask_for_threads).
pub(super) fn may_run_alone(session: Session, region: &TargetRegion) -> bool {
    const EVERY: i64 = -1;
    let is_limited = region.environment.as_ref().is_some_and(|environment| {
        environment.max_threads == Some(1) || environment.may_have_one_thread && !can_ask_for_threads(region)
    });
    let asks_for_one = |call: Value| {
        let number = |at: u32| call.operand(at).as_int();
        let may_be_one = |threads: Option<i64>| threads.is_none_or(|threads| threads != EVERY && threads < 2);
        match call.callee().map(|callee| callee.name()).as_deref() {
            Some("__kmpc_parallel_51") => number(2) != Some(1) || may_be_one(number(3)),
            Some("__kmpc_push_num_threads") => may_be_one(number(2)),
            Some("__kmpc_serialized_parallel") => true,
            _ => false,
        }
    };
    let functions = Chain::find(session, region.entry).map(|chain| chain.functions).unwrap_or_default();
    let mut calls = functions.into_iter().flat_map(Value::instructions).filter(|value| value.is_call());
    is_limited || calls.any(asks_for_one)
}

/// Why nothing can be fused where only teams share a loop; none where there is no such loop.
pub(super) fn shared_by_teams_only(analysis: &Analysis<'_>) -> Option<Reason> {
    let shared = &analysis.nest.shared;
    if shared.iter().any(|shared| shared.sharing == Sharing::Threads) {
        return None;
    }
    let teams = shared.iter().find(|shared| shared.sharing == Sharing::Teams)?;
    let text = "the loop is shared among teams, but not among the threads of a team";
    Some(ObstacleKind::SharedByTeamsOnly.reason(text).at(analysis.loop_location(teams.index)))
}

/// Whether a team gets as many iterations at a time as it has threads, as without a clause.
pub(super) fn is_size_of_team(chunk: Value) -> bool {
    let number = if chunk.is(Opcode::LLVMZExt) { chunk.operand(0) } else { chunk };
    number.is_call() && number.callee().is_some_and(|callee| openmp::is_size_of_team(&callee.name()))
}
