//! Which loops are fused, by what is legal and what pays.

use super::Condition;
use super::check::Expected;
use super::profit::{Candidate, Cost, ENOUGH_THREADS, Sizes, cost};
use super::schedule::{Assignment, assignment, may_run_alone, shared_by_teams_only};
use super::sum::{Arguments, Sum};
use crate::analyse::{self, Analysis, Begun, Given, Setting};
use crate::budget::Stage;
use crate::comparison;
use crate::dependences::{Exclusion, NestDependences, SharedNest, outline};
use crate::flatten::{Flat, flatten};
use crate::ir::Value;
use crate::names::Names;
use crate::nest::SharedLoop;
use crate::omp::Sharing;
use crate::outline::TargetRegion;
use crate::reject::RejectLog;
use ipda_models::report::{ConditionRole, Extent, Gain, NamedLoop, ObstacleKind, Reason, Region};
use ipda_symbolic::{AtomId, Facts, Interval, LoopId, Mapping, Objection, Polynomial, Signedness, Step};

/// What an order's sectors, and its time, must be of those as written, so that it pays.
const LEAST_GAIN: f64 = 0.9;
/// Of orders whose times differ by less, the one with fewer fused loops is taken.
const MUCH_THE_SAME: f64 = 0.99;

/// Reasons that people are told.
const MOST_REASONS: usize = 3;

/// Comparisons of a guard: more of them, as many arrays of which none may overlap another need, cost each compilation and each launch more
/// than most loops gain.
const MOST_CONDITIONS: usize = 256;

/// What is found about a region's loops.
pub(super) enum Finding {
    /// There is nothing to fuse.
    Nothing,
    /// No other order touches fewer sectors.
    Best,
    /// A better order is legal.
    Better(Box<Plan>),
    /// A better order may be there; why it is not taken.
    Left(Option<Choice>, Vec<Reason>),
}

/// An order for people.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    pub threads: Vec<NamedLoop>,
    pub is_interchange: bool,
    pub gain: Gain,
    pub clause: Option<String>,
}

/// An order that is legal and pays.
pub(super) struct Plan {
    /// Of the loops by their depth below the shared one (which is 0).
    pub mapping: Mapping,
    /// How often each of them but the shared one runs; that one too where it is not the slowest.
    pub trips: Vec<(usize, Sum)>,
    pub tests: Vec<Test>,
    /// Of which of `trips` reciprocals are needed: the thread's number is divided by them.
    pub reciprocals: Vec<usize>,
    /// The width of that number.
    pub number_bits: u32,
    /// Whether the original runs only where the guard fails, not where it is as good.
    pub falls_back: bool,
    /// Whether the shared loop is first shared among teams.
    pub is_distributed: bool,
    /// Whether threads' copies of a variable are combined behind it.
    pub reduces: bool,
    pub assignment: Assignment,
    pub guard: Vec<Condition>,
    /// The guard in words, and what for.
    pub conditions: Vec<(String, ConditionRole)>,
    /// What makes it right that atomic updates come in another order.
    pub rests_on: Vec<Reason>,
    pub choice: Choice,
    pub expected: Expected,
}

/// A fused loop whose number may be too high: it does nothing unless it is below `base + sum of slope * number of the other loop`.
pub(super) struct Test {
    pub of: usize,
    pub base: Sum,
    pub slopes: Vec<(usize, i64)>,
}

/// What is found about a region's loops, for whoever lets it be carried out.
pub(crate) struct Found(pub(super) Finding);

/// What is found where nothing can be planned with a region's code as it is.
pub(crate) fn without_plan(flat: &Flat) -> Option<Found> {
    obstacle(flat).map(|reason| Found(Finding::Left(None, vec![reason])))
}

fn obstacle(flat: &Flat) -> Option<Reason> {
    match &flat.code {
        Err(reason) => Some(reason.sentence().into()),
        // The code that runs has them: between its load and its store, another thread's store would be lost.
        Ok(copy) if copy.lacks_stores() => Some("it stores what it has loaded from the same place, unchanged".into()),
        Ok(_) => None,
    }
}

/// What may be done with the loops of an analysis that knows them.
pub(crate) fn plan(region: &TargetRegion, params: &[Value], begun: Result<Begun<'_>, RejectLog>) -> Found {
    let planned = begun.and_then(|Begun { mut analysis, result, mut log }| {
        let step = analysis.setting.trace.begin("plan", Some(region));
        let found = of_analysis(&mut analysis, params, &result, may_run_alone(region));
        analysis.end(&mut log);
        step.end(analysis.spent());
        if log.first().is_some() { Err(log) } else { Ok(found) }
    });
    Found(match planned {
        Ok(Ok(finding)) => finding,
        Ok(Err(reason)) => Finding::Left(None, vec![reason]),
        Err(log) => Finding::Left(None, log.into_vec().into_iter().take(1).map(Reason::from).collect()),
    })
}

/// What an edited kernel does otherwise than expected.
pub(super) fn differs(setting: &Setting<'_>, region: &TargetRegion, expected: &Expected) -> Option<String> {
    let flat = flatten(setting.session, region, setting.trace);
    if let Some(reason) = obstacle(&flat) {
        return Some(reason.text);
    }
    let differs = |analysis: &mut Analysis<'_>, params: &[Value]| {
        let shared = analysis.nest.shared.iter().find(|shared| shared.sharing == Sharing::Threads);
        let shared = shared.ok_or("it has no loop that threads share")?.index;
        let (loops, accesses) = outline(analysis, shared, expected.depth());
        let arguments = Arguments::of(analysis, params);
        Ok::<_, Reason>(expected.differs(analysis, &loops, &accesses, &arguments))
    };
    let Flat { code, mut log } = flat;
    let copy = code.ok()?;
    let given = Given { names: Names::read(&copy), lengths: &[] };
    let params = copy.function().params();
    let found = analyse::analysed(setting, region, &copy, given, &mut log, |analysis| {
        analysis.loops(&mut analyse::empty_region(setting, region));
        differs(analysis, &params)
    });
    if let Some(reject) = log.into_vec().into_iter().next() {
        return Some(Reason::from(reject).text);
    }
    match found {
        Some(Ok(found)) => found,
        Some(Err(reason)) => Some(reason.text),
        None => Some("its loops are entangled".into()),
    }
}

/// The loop that threads share; none where that holds no other.
fn shared_of(analysis: &Analysis<'_>) -> Result<Option<usize>, Reason> {
    let is_of_threads = |shared: &&SharedLoop| shared.sharing == Sharing::Threads;
    let shared: Vec<usize> = analysis.nest.shared.iter().filter(is_of_threads).map(|shared| shared.index).collect();
    let holds_loops = |index: &usize| analysis.cfg.loops.iter().any(|natural| natural.parent == Some(*index));
    match shared[..] {
        _ if !shared.iter().any(holds_loops) => Ok(None),
        [shared] => Ok(Some(shared)),
        _ => Err("it has several loops that threads share".into()),
    }
}

fn of_analysis(
    analysis: &mut Analysis<'_>,
    params: &[Value],
    report: &Region,
    runs_alone: bool,
) -> Result<Finding, Reason> {
    let Some(shared) = shared_of(analysis)? else {
        return shared_by_teams_only(analysis).map_or(Ok(Finding::Nothing), Err);
    };
    let assignment = assignment(analysis, shared)?;
    let mut nest = SharedNest::find(analysis, shared)?;
    nest.nest.is_scheduled = assignment == Assignment::ByClause || runs_alone;
    if let ([_], Some(reason)) = (&nest.nest.loops[..], &nest.end) {
        return Err(reason.clone());
    }
    analysis.begin(Stage::Orders);
    let arguments = Arguments::of(analysis, params);
    let inside: Vec<usize> = (1..nest.nest.loops.len()).collect();
    let as_written = Candidate::new(analysis, &nest, Mapping::of_loops(&[0], &inside));
    let sizes = Sizes::of(analysis, &nest);
    let before = cost(analysis, &sizes, &nest.accesses, &as_written);
    let mappings = nest.nest.mappings().into_iter().filter(|mapping| mapping.threads().len() > 1);
    let mut better: Vec<(Candidate, Cost)> = Vec::new();
    for mapping in mappings {
        let candidate = Candidate::new(analysis, &nest, mapping);
        let cost = cost(analysis, &sizes, &nest.accesses, &candidate);
        better.push((candidate, cost));
    }
    better.retain(|(_, after)| after.time() <= LEAST_GAIN * before.time());
    // The shortest time first; of much the same, the fewest fused loops.
    better.sort_by(|(a, after_a), (b, after_b)| {
        let step = |cost: &Cost| (cost.time().max(1.0).ln() / -MUCH_THE_SAME.ln()).round() as i64;
        (step(after_a), a.mapping.threads().len()).cmp(&(step(after_b), b.mapping.threads().len()))
    });
    if better.is_empty() {
        return Ok(Finding::Best);
    }
    analysis.begin(Stage::Dependences);
    let dependences = nest.dependences(analysis)?;
    analysis.begin(Stage::Orders);
    let mut why: Option<(Choice, Vec<Reason>)> = None;
    for (candidate, after) in better {
        let choice = choice(analysis, &nest, report, &candidate.mapping, &before, &after);
        let only_for_threads = is_only_for_threads(&before, &after);
        let legal = Legal {
            nest: &nest,
            dependences: &dependences,
            arguments: &arguments,
            assignment,
            sizes: &sizes,
            as_written: &as_written,
            report,
        };
        match of_order(analysis, &legal, &candidate, choice.clone(), only_for_threads) {
            Ok(plan) => return Ok(Finding::Better(Box::new(plan))),
            Err(reasons) => _ = why.get_or_insert((Choice { clause: None, ..choice }, reasons)),
        }
    }
    Ok(why.map_or(Finding::Best, |(choice, reasons)| Finding::Left(Some(choice), reasons)))
}

/// Whether an order gains by the number of its threads alone.
fn is_only_for_threads(before: &Cost, after: &Cost) -> bool {
    after.work() > LEAST_GAIN * before.work()
}

/// An order in words.
fn choice(
    analysis: &Analysis<'_>,
    nest: &SharedNest,
    report: &Region,
    mapping: &Mapping,
    before: &Cost,
    after: &Cost,
) -> Choice {
    let named = |index: usize| {
        let number = analysis.visible.get(&index).copied();
        let entry = number.and_then(|number| report.loops.get(number));
        let name = entry.map(|entry| entry.variable.clone().unwrap_or_else(|| entry.id.clone()));
        NamedLoop {
            name: name.unwrap_or_else(|| "a loop".into()),
            location: entry.and_then(|entry| entry.location.clone()),
        }
    };
    let fused: Vec<usize> = mapping.fused().collect();
    let threads: Vec<NamedLoop> = fused.iter().map(|&at| named(nest.path[at])).collect();
    let count = threads.len();
    let depth = fused.iter().copied().max().unwrap_or(0);
    let is_interchange = depth + 1 != count || fused.windows(2).any(|pair| pair[0] > pair[1]);
    let clause = if is_interchange {
        let names: Vec<&str> = threads.iter().map(|entry| &entry.name[..]).collect();
        format!("write the loops in the order {} and add collapse({count})", names.join(", "))
    } else {
        format!("add collapse({count}) to the directive")
    };
    let innermost = (0..analysis.cfg.loops.len()).find(|&at| Some(analysis.lowering.loop_id(at)) == after.innermost);
    let gain = Gain {
        sectors_before: rounded(before.per_warp),
        sectors_after: rounded(after.per_warp),
        per_iteration_of: innermost.map(|index| named(index).name),
        threads_before: rounded(before.threads),
        threads_after: rounded(after.threads),
    };
    Choice { threads, is_interchange, gain, clause: Some(clause) }
}

/// Whether a dependence leads a known number of iterations of one inner loop further: not across rows that the shared loop or others count, and not as
/// far as a size says.
fn is_recurrence(steps: &[Step]) -> bool {
    let [shared, inner @ ..] = steps else { return false };
    let mut moves = inner.iter().filter(|step| !step.equal);
    let (first, more) = (moves.next(), moves.next());
    let by_number = |step: &Step| step.distance.as_ref().is_some_and(|distance| distance.as_constant().is_some());
    !shared.less && !shared.greater && first.is_some_and(by_number) && more.is_none()
}

/// To two places behind the point.
fn rounded(count: f64) -> f64 {
    (count * 100.0).round() / 100.0
}

/// What decides whether an order is legal.
struct Legal<'a> {
    nest: &'a SharedNest,
    dependences: &'a NestDependences,
    arguments: &'a Arguments,
    assignment: Assignment,
    /// For which a gain was computed.
    sizes: &'a Sizes,
    as_written: &'a Candidate,
    report: &'a Region,
}

fn of_order(
    analysis: &Analysis<'_>,
    legal: &Legal<'_>,
    candidate: &Candidate,
    mut choice: Choice,
    mut only_for_threads: bool,
) -> Result<Plan, Vec<Reason>> {
    let Candidate { mapping, hulls, .. } = candidate;
    let &Legal { nest: shared, dependences, arguments: all_arguments, assignment, sizes, .. } = legal;
    let arguments = &all_arguments.in_space(&analysis.lowering.space);
    let mut nest = candidate.nest.clone();
    nest.dependences = dependences.steps.clone();
    let mut numbers: Vec<usize> = (0..nest.dependences.len()).collect();
    let (mut guard, mut conditions): (Vec<Condition>, Vec<(String, ConditionRole)>) = Default::default();
    // Whether it can hold.
    let mut require = |condition: Condition, words: String, role: ConditionRole| {
        let constant = condition.as_constant();
        if constant.is_none() && !guard.contains(&condition) {
            guard.push(condition);
            conditions.push((words, role));
        }
        constant != Some(false)
    };
    // Where loops would be fused that go round no more than once, nothing is gained.
    let mut held = Facts::none();
    for count in mapping.fused().filter(|&at| at != 0).filter_map(|at| candidate.trips(at)) {
        held.assume_nonneg(count - &Polynomial::from(2));
    }
    let mut is_useful = |condition: &Polynomial| {
        let never = -condition - Polynomial::one();
        let can_hold = !analysis.lowering.space.prove_nonneg(&never, &held).is_yes();
        held.assume_nonneg(condition.clone());
        can_hold
    };
    let mut reasons: Vec<(bool, Reason)> = Vec::new();
    // Conditions on sizes, each with the dependence that it excludes.
    let mut of_sizes: Vec<(Polynomial, usize)> = Vec::new();
    let mut excluded: Vec<usize> = Vec::new();
    while let Some(objection) = nest.objection(&analysis.lowering.space, mapping) {
        let (Objection::Separated { dependence, .. } | Objection::Reversed { dependence, .. }) = objection else {
            return Err(vec![shared.objection(analysis, dependences, &objection)]);
        };
        let number = numbers[dependence];
        let is_excluded = match &dependences.exclusions[number] {
            Exclusion::Never => false,
            Exclusion::If(needed) => needed.iter().all(|condition| {
                of_sizes.push((condition.clone(), number));
                let sum = arguments.sum(condition).filter(|_| is_useful(condition));
                let words = at_least_zero(analysis, condition);
                sum.is_some_and(|sum| require(Condition::AtLeastZero(sum), words, ConditionRole::Sizes))
            }),
            Exclusion::Disjoint(a, b) => {
                let (a, b) = (a.min(b), a.max(b));
                let of_both = dependences.footprints.iter().filter(|(other, ..)| other == a || other == b);
                let needed = of_both.flat_map(|(.., needed)| needed);
                of_sizes.extend(needed.map(|condition| (condition.clone(), number)));
                let footprint = |object: &AtomId| {
                    let mut of_object = dependences.footprints.iter().filter(|(other, ..)| other == object);
                    of_object.find_map(|(_, (low, high), needed)| {
                        let conditions = needed.iter().map(|condition| {
                            let words = at_least_zero(analysis, condition);
                            Some((Condition::AtLeastZero(arguments.sum(condition)?), words, ConditionRole::Sizes))
                        });
                        let told = told_extent(analysis, all_arguments, *object, (low, high));
                        Some((arguments.extent(low, high)?, conditions.collect::<Option<Vec<_>>>()?, told))
                    })
                };
                footprint(a).zip(footprint(b)).is_some_and(
                    |((first, needed, told), (second, also_needed, also_told))| {
                        let [a, b] = [a, b].map(|&object| analysis.object_name(object));
                        let all = needed.into_iter().chain(also_needed);
                        let role = ConditionRole::Apart { first: told, second: also_told };
                        all.chain([(Condition::Apart(first, second), format!("{a} and {b} do not overlap"), role)])
                            .fold(true, |can_hold, (condition, words, role)| {
                                require(condition, words, role) && can_hold
                            })
                    },
                )
            }
        };
        if is_excluded {
            excluded.push(number);
        } else {
            reasons.push(shared.dependence(analysis, dependences, number));
        }
        nest.dependences.remove(dependence);
        numbers.remove(dependence);
    }
    if reasons.is_empty() {
        let needed: Vec<Polynomial> = of_sizes.iter().map(|(condition, _)| condition.clone()).collect();
        let recurs = |&(ref condition, number): &(Polynomial, usize)| {
            is_recurrence(&dependences.steps[number]) && !sizes.meet(analysis, condition)
        };
        // What an iteration needs of one some way back is there for all sizes but small ones: no other sizes are looked for.
        let met = match of_sizes.iter().position(recurs) {
            Some(at) => Err(at),
            None => sizes.meeting(analysis, shared, &needed),
        };
        let gained = met.and_then(|met| {
            let costs = [legal.as_written, candidate].map(|which| cost(analysis, &met, &shared.accesses, which));
            let pays = needed.is_empty() || costs[1].time() <= LEAST_GAIN * costs[0].time();
            pays.then_some((met, costs)).ok_or(0)
        });
        match gained {
            // What is told is what is gained where the conditions hold.
            Ok((met, [before, after])) if met != *sizes => {
                only_for_threads = is_only_for_threads(&before, &after);
                choice = self::choice(analysis, shared, legal.report, mapping, &before, &after);
            }
            Ok(_) => {}
            Err(at) => {
                let (condition, number) = &of_sizes[at];
                let words = at_least_zero(analysis, condition);
                let (is_certain, mut reason) = shared.dependence(analysis, dependences, *number);
                reason.text.push_str(&format!("; not so where {words}, but then there is little to gain"));
                reasons.push((is_certain, reason));
            }
        }
    }
    if !reasons.is_empty() {
        // Those that are sure say most.
        reasons.sort_by_key(|(is_certain, _)| !is_certain);
        let mut told: Vec<Reason> = Vec::new();
        if nest.is_scheduled {
            told.push(match assignment {
                Assignment::ByClause => ObstacleKind::OrderOfSchedule
                    .reason("a schedule clause says in which order iterations run, and they may need each other"),
                Assignment::Default => ObstacleKind::OneThread.reason(
                    "it may be one thread that runs all iterations in their order, and they may need each other",
                ),
            });
        }
        for (_, reason) in reasons {
            if told.len() < MOST_REASONS && !told.contains(&reason) {
                told.push(reason);
            }
        }
        return Err(told);
    }
    let unknown = |at: usize| {
        let text = "how often it runs is not known when the region begins";
        vec![ObstacleKind::CountUnknownBeforeRegion.reason(text).at(analysis.loop_location(shared.path[at]))]
    };
    let slowest = mapping.threads()[0].of;
    let mut all = Polynomial::from(1);
    let mut trips = Vec::new();
    for at in mapping.fused() {
        let count = candidate.trips(at).ok_or_else(|| unknown(at))?;
        all = &all * count;
        if at == 0 && slowest == 0 {
            continue;
        }
        trips.push((at, arguments.sum(count).ok_or_else(|| unknown(at))?));
        let positive = count - &Polynomial::from(1);
        let condition = Condition::AtLeastZero(arguments.sum(&positive).ok_or_else(|| unknown(at))?);
        if !require(condition, at_least_zero(analysis, &positive), ConditionRole::Iterations) {
            return Err(vec!["the inner loop never runs".into()]);
        }
    }
    // Loops that others are brought out of: where they do not run, nor would all those iterations.
    let deepest = mapping.fused().max().unwrap_or(0);
    for at in mapping.inside().iter().map(|part| part.of).filter(|&at| at < deepest) {
        if let Some(positive) = candidate.trips(at).map(|count| count - &Polynomial::one())
            && let Some(sum) = arguments.sum(&positive)
            && !require(Condition::AtLeastZero(sum), at_least_zero(analysis, &positive), ConditionRole::Iterations)
        {
            return Err(vec!["the inner loop never runs".into()]);
        }
    }
    if only_for_threads {
        // With enough of them, the loops are best as they are.
        let shared_trips = candidate.trips(0).ok_or_else(|| unknown(0))?;
        let few = Polynomial::from(ENOUGH_THREADS - 1) - shared_trips;
        let condition = Condition::AtLeastZero(arguments.sum(&few).ok_or_else(|| unknown(0))?);
        if !require(condition, at_least_zero(analysis, &few), ConditionRole::OwnVersion) {
            return Err(vec!["there are threads enough".into()]);
        }
    }
    let bits = analysis.nest.shared_at(shared.path[0]).and_then(|shared| shared.phi.ty().int_bits()).unwrap_or(32);
    // A thread's next number is computed before it is compared: it may be as many threads further on as there are, which is as many as
    // there are iterations where the runtime chooses.
    let most = Interval::of_width(bits - 1, Signedness::Signed);
    let most = most.high().cloned().unwrap_or_else(|| i64::from(i32::MAX / 2).into());
    let fits = Polynomial::from(most) - &all;
    let condition = Condition::AtLeastZero(arguments.sum(&fits).ok_or_else(|| unknown(0))?);
    let words = format!("{} < 2^{}", comparison::plain(&analysis.text(&all)), bits - 2);
    if !require(condition, words, ConditionRole::OwnVersion) {
        let text = format!("all iterations together are too many to be numbered with {bits} bits");
        return Err(vec![ObstacleKind::TooManyIterations.reason(text)]);
    }
    let expected = Expected::of(analysis, &shared.accesses, candidate, all_arguments)
        .ok_or_else(|| vec!["the result could not be checked".into()])?;
    let mut tests = Vec::new();
    for hull in hulls {
        // Numbers of 64 bits hold all of it.
        let limit = Polynomial::from(1i64 << 61);
        let mut ends = vec![hull.base.clone()];
        for (on, slope) in &hull.slopes {
            ends.push(candidate.trips(*on).ok_or_else(|| unknown(*on))?.scale(&slope.abs()));
        }
        for end in ends {
            let is_small = analysis.lowering.space.range(&end).is_within(&Interval::of_width(62, Signedness::Signed));
            for side in [&limit - &end, &limit + &end].into_iter().filter(|_| !is_small) {
                let condition = Condition::AtLeastZero(arguments.sum(&side).ok_or_else(|| unknown(hull.of))?);
                if !require(condition, at_least_zero(analysis, &side), ConditionRole::OwnVersion) {
                    return Err(unknown(hull.of));
                }
            }
        }
        let slopes = hull.slopes.iter().map(|(on, slope)| Some((*on, slope.to_i64()?)));
        let slopes = slopes.collect::<Option<Vec<_>>>().ok_or_else(|| unknown(hull.of))?;
        let base = arguments.sum(&hull.base).ok_or_else(|| unknown(hull.of))?;
        tests.push(Test { of: hull.of, base, slopes });
    }
    let bases = tests.iter().map(|test: &Test| &test.base);
    let sums: Vec<Sum> = trips.iter().map(|(_, sum)| sum).chain(bases).cloned().collect();
    if !all_arguments.require_exact(analysis, &sums, &mut guard, &mut conditions) {
        return Err(unknown(0));
    }
    if guard.len() > MOST_CONDITIONS {
        let text =
            format!("it is right under {} conditions, more than the {MOST_CONDITIONS} that are tested", guard.len());
        return Err(vec![ObstacleKind::TooManyConditions.reason(text)]);
    }
    let reciprocals = reciprocals(shared, mapping, &trips, bits);
    let is_distributed = analysis.nest.shared_at(shared.path[0]).is_some_and(|shared| shared.distributed_by.is_some());
    let reduces = shared.reduces();
    Ok(Plan {
        mapping: mapping.clone(),
        trips,
        tests,
        reciprocals,
        number_bits: bits,
        falls_back: !only_for_threads,
        is_distributed,
        reduces,
        assignment,
        guard,
        conditions,
        rests_on: shared.updates_in_any_order(analysis, dependences, &excluded),
        choice,
        expected,
    })
}

/// Of which of the loops' counts reciprocals are worth their registers: those that a thread's number of so many bits is divided by, unless it is one
/// division, in front of loops that the thread runs by itself or of a number that mostly needs half its bits, as a compiler's division finds out.
fn reciprocals(shared: &SharedNest, mapping: &Mapping, trips: &[(usize, Sum)], bits: u32) -> Vec<usize> {
    const WORD: u32 = 32;
    let is_divided_by = |at: &usize| trips[*at].0 != mapping.threads()[0].of && trips[*at].1.as_constant().is_none();
    let divided_by: Vec<usize> = (0..trips.len()).filter(is_divided_by).collect();
    let is_fused = |id: &LoopId| mapping.fused().any(|at| shared.nest.loops[at].id == *id);
    let has_loops = shared.accesses.iter().any(|access| !access.loops.iter().all(is_fused));
    if divided_by.len() == 1 && (has_loops || bits > WORD) { Vec::new() } else { divided_by }
}

/// A polynomial that must not be negative, as a comparison of what is added with what is subtracted.
fn at_least_zero(analysis: &Analysis<'_>, value: &Polynomial) -> String {
    comparison::not_negative(&analysis.lowering.space, value)
}

/// The bytes of an object between two addresses, from where its pointer leads.
fn told_extent(
    analysis: &Analysis<'_>,
    arguments: &Arguments,
    object: AtomId,
    (low, high): (&Polynomial, &Polynomial),
) -> Extent {
    let is_pointer = |atom: &AtomId| arguments.given(*atom).is_some_and(|given| given.is_pointer);
    let pointer = low.atoms().into_iter().find(is_pointer).map_or_else(Polynomial::zero, Polynomial::from);
    let text = |value: &Polynomial| comparison::plain(&analysis.text(value));
    Extent { array: analysis.object_name(object), low: text(&(low - &pointer)), size: text(&(high - low)) }
}
