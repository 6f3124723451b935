//! Which loops are fused, by what is legal and what pays.

use super::Condition;
use super::check::Expected;
use super::profit::cost;
use super::sum::{Arguments, Sum};
use crate::analyse::{self, Analysis, Given, Setting};
use crate::dependences::{Exclusion, SharedNest};
use crate::flatten;
use crate::ir::Value;
use crate::names::Names;
use crate::omp::{Schedule, Sharing};
use crate::outline::TargetRegion;
use crate::reject::RejectLog;
use ipda_symbolic::{Objection, Order, Polynomial};

/// What an order's sectors must be of those as written, so that it pays.
const LEAST_GAIN: f64 = 0.9;

pub(super) struct Plan {
    /// The fused loops below the shared one, from the slowest to the fastest.
    pub depths: Vec<usize>,
    /// How often each runs.
    pub trips: Vec<Sum>,
    pub guard: Vec<Condition>,
    pub sentence: String,
    pub expected: Option<Expected>,
}

pub(super) fn plan(setting: &Setting<'_>, region: &TargetRegion) -> Result<Plan, String> {
    analysed(setting, region, of_analysis)
}

/// What an edited kernel does otherwise than expected.
pub(super) fn differs(setting: &Setting<'_>, region: &TargetRegion, expected: &Expected) -> Result<Option<String>, String> {
    analysed(setting, region, |analysis, params| {
        let (nest, arguments) = nest_of(analysis, params)?;
        Ok(expected.differs(analysis, &nest, &arguments))
    })
}

fn analysed<R>(
    setting: &Setting<'_>,
    region: &TargetRegion,
    work: impl FnOnce(&mut Analysis<'_>, &[Value]) -> Result<R, String>,
) -> Result<R, String> {
    let mut log = RejectLog::default();
    let mut report = analyse::empty_region(setting, region);
    let copy = flatten::flatten(setting.session, region.entry, &mut log).map_err(|reason| reason.sentence())?;
    let given = Given { names: Names::read(&copy), lengths: &[] };
    let params = copy.function().params();
    let planned = analyse::analysed(setting, region, &copy, given, &mut report, &mut log, |analysis, _, report| {
        analysis.loops(report);
        work(analysis, &params)
    });
    if let Some(reject) = log.into_vec().first() {
        return Err(reject.reason.clone());
    }
    planned.unwrap_or_else(|| Err("its loops are entangled".into()))
}

fn nest_of(analysis: &mut Analysis<'_>, params: &[Value]) -> Result<(SharedNest, Arguments), String> {
    let shared: Vec<usize> = analysis
        .nest
        .shared
        .iter()
        .filter(|shared| shared.sharing == Sharing::Threads)
        .map(|shared| shared.index)
        .collect();
    let [shared] = shared[..] else { return Err("it has several loops that threads share".into()) };
    if !has_default_schedule(analysis, shared) {
        return Err("a schedule clause says which iterations a thread gets".into());
    }
    let nest = SharedNest::find(analysis, shared)?;
    let arguments = Arguments::of(analysis, params);
    Ok((nest, arguments))
}

fn of_analysis(analysis: &mut Analysis<'_>, params: &[Value]) -> Result<Plan, String> {
    let (nest, arguments) = nest_of(analysis, params)?;
    let mut why = "no loop lies below the shared one".to_string();
    let as_written = Order { threads: vec![0], inside: (1..nest.nest.loops.len()).collect() };
    let before = cost(analysis, &nest.nest, &nest.accesses, &as_written);
    let mut best: Option<(f64, Plan)> = None;
    for order in nest.nest.orders().into_iter().filter(|order| order.threads.len() > 1) {
        let after = cost(analysis, &nest.nest, &nest.accesses, &order);
        if after.sectors > LEAST_GAIN * before.sectors || best.as_ref().is_some_and(|(least, _)| after.sectors >= *least) {
            why = "no order touches fewer sectors".into();
            continue;
        }
        match of_order(analysis, &nest, &arguments, &order) {
            Ok(mut plan) => {
                plan.expected = Expected::of(analysis, &nest, &arguments, &order);
                plan.sentence += &format!(", sectors {:.3e} to {:.3e}", before.sectors, after.sectors);
                best = Some((after.sectors, plan));
            }
            Err(reason) => why = reason,
        }
    }
    best.map(|(_, plan)| plan).ok_or(why)
}

fn of_order(
    analysis: &Analysis<'_>,
    shared: &SharedNest,
    arguments: &Arguments,
    order: &Order,
) -> Result<Plan, String> {
    let depths = order.threads[1..].to_vec();
    if depths.is_empty() {
        return Err("no loop lies below the shared one".into());
    }
    let mut nest = shared.nest.clone();
    let mut numbers: Vec<usize> = (0..nest.dependences.len()).collect();
    let mut guard: Vec<Condition> = Vec::new();
    let unknown = || "what would have to be tested is not known when the kernel begins".to_string();
    while let Some(objection) = nest.objection(&analysis.lowering.space, order) {
        let (Objection::Separated { dependence, .. } | Objection::Reversed { dependence, .. }) = objection else {
            return Err(format!("{objection:?}"));
        };
        match &shared.exclusions[numbers[dependence]] {
            Exclusion::Never => return Err("a dependence stands in the way".into()),
            Exclusion::If(conditions) => {
                for condition in conditions {
                    guard.push(Condition::AtLeastZero(arguments.sum(condition).ok_or_else(unknown)?));
                }
            }
            Exclusion::Disjoint(a, b) => {
                let footprint = |object| {
                    let (_, found) = shared.footprints.iter().find(|(other, _)| other == object)?;
                    let (low, high) = found.as_ref().ok()?;
                    Some([arguments.sum(low)?, arguments.sum(high)?])
                };
                let (a, b) = footprint(a).zip(footprint(b)).ok_or_else(unknown)?;
                let condition = Condition::Apart(a, b);
                if !guard.contains(&condition) {
                    guard.push(condition);
                }
            }
        }
        nest.dependences.remove(dependence);
        numbers.remove(dependence);
    }
    let mut all = shared.trips(0).cloned().ok_or_else(unknown)?;
    let mut trips = Vec::new();
    for &depth in &depths {
        let count = shared.trips(depth).ok_or_else(unknown)?;
        let sum = arguments.sum(count).ok_or_else(unknown)?;
        trips.push(sum);
        let positive = count - &Polynomial::from(1);
        guard.push(Condition::AtLeastZero(arguments.sum(&positive).ok_or_else(unknown)?));
        all = &all * count;
    }
    let fits = Polynomial::from(i64::from(i32::MAX)) - all;
    guard.push(Condition::AtLeastZero(arguments.sum(&fits).ok_or_else(unknown)?));
    let sentence = format!("fused loops at depths {depths:?}");
    Ok(Plan { depths, trips, guard, sentence, expected: None })
}

/// Whether the shared loop has the schedules that clang takes where no clause asks for one.
fn has_default_schedule(analysis: &Analysis<'_>, index: usize) -> bool {
    let Some(shared) = analysis.nest.shared_at(index) else { return false };
    let by_one = shared.schedule == Schedule::StaticChunked && shared.chunk.as_int() == Some(1);
    let teams = shared.distributed_by.map(|outer| &analysis.nest.shared[outer]);
    let by_team = teams.is_none_or(|teams| teams.schedule == Schedule::StaticChunked && teams.chunk.is_call());
    by_one && by_team
}
