//! Which versions of a region's loops are made: those that are proven, of those that pay.

use super::check::obstacle;
use super::collapsed::{take_together, together_as_written};
use super::promote::{promote, promote_too};
use super::propose::{Choice, Proposal, Times, shared_of, step};
use super::prove::{Plan, prove};
use super::schedule::shared_by_teams_only;
use super::subject::Subject;
use crate::analysis::dependences::RegionAccesses;
use crate::analysis::region::{Analysis, Begun};
use crate::common::budget::Stage;
use crate::common::reject::RejectLog;
use crate::openmp::flatten::Flat;
use crate::openmp::nest::strip_casts;
use crate::openmp::outline::{MappingRequest, TargetRegion};
use ipda_llvm::{Opcode, Value};
use ipda_models::report::{ObstacleKind, Reason, Region};

/// Versions of a kernel that are made besides the one as written: each costs every compilation its time, and every launch a test.
const MAX_IMPROVED: usize = 1;

/// Loops that threads share in one region beyond which they are left as they are.
const MAX_CHANGED: usize = 16;

/// The highest number of a mapping that is made: a byte holds it, and those of the versions behind it.
const MAX_NUMBER: u8 = 200;

/// What is found about one of the loops that threads share.
pub(super) enum Finding {
    /// There is nothing to fuse.
    Nothing,
    /// No other mapping touches fewer sectors.
    Best,
    /// Better mappings are legal: some, the best first.
    Better(Vec<Plan>),
    /// A better mapping may be there; why it is not taken.
    Left(Option<Choice>, Vec<Reason>),
    /// The mapping stays: what is known to lie apart is kept in registers, or a thread takes iterations together; and what is found about other
    /// mappings.
    AsWritten(Box<Plan>, Box<Finding>),
}

/// What is found about a region's loops, for whoever lets it be carried out: in the order of the loops that threads share.
pub(crate) struct Found(pub(super) Vec<Finding>);

impl Found {
    fn left(reason: Reason) -> Found {
        Found(vec![Finding::Left(None, vec![reason])])
    }
}

/// What is found where nothing can be planned with a region's code as it is.
pub(crate) fn without_plan(flat: &Flat) -> Option<Found> {
    obstacle(flat).map(Found::left)
}

/// What may be done with the loops of an analysis that knows them.
pub(crate) fn plan(region: &TargetRegion, params: &[Value], begun: Result<Begun<'_>, RejectLog>) -> Found {
    let planned = begun.and_then(|Begun { mut analysis, result, mut log }| {
        let step = analysis.setting.trace.begin("plan", Some(region));
        let found = of_analysis(&mut analysis, params, (region, &result));
        analysis.end(&mut log);
        step.end(analysis.spent());
        if log.first().is_some() { Err(log) } else { Ok(found) }
    });
    match planned {
        Ok(found) => found,
        Err(log) => {
            let reasons = log.into_vec().into_iter().take(1).map(Reason::from).collect();
            Found(vec![Finding::Left(None, reasons)])
        }
    }
}

fn of_analysis(analysis: &mut Analysis<'_>, params: &[Value], (region, report): (&TargetRegion, &Region)) -> Found {
    let shared = shared_of(analysis);
    let holds_loops = |index: usize| analysis.cfg.loops.iter().any(|natural| natural.parent == Some(index));
    let holding: Vec<bool> = shared.iter().map(|&index| holds_loops(index) || analysis.divides_number(index)).collect();
    if !holding.contains(&true) && !asks_for_digits(analysis) {
        return shared_by_teams_only(analysis).map_or_else(|| Found(vec![Finding::Nothing]), Found::left);
    }
    if shared.len() > MAX_CHANGED {
        let text = format!("its threads share {} loops, more than the {MAX_CHANGED} that are looked at", shared.len());
        return Found::left(ObstacleKind::SeveralLoops.reason(text));
    }
    let mut accesses = RegionAccesses::collect(analysis);
    let mut of_loop = |(at, holds): (usize, bool)| {
        if !holds && !asks_for_digits(analysis) {
            return Finding::Nothing;
        }
        let subject = Subject::find(analysis, &accesses, (at, shared[at]), params, (region, report));
        let subject = match subject {
            Ok(subject) => subject,
            Err(reason) => return Finding::Left(None, vec![reason]),
        };
        let found = of_subject(analysis, &mut accesses, &subject);
        match found.unwrap_or_else(|reason| Finding::Left(None, vec![reason])) {
            Finding::Better(mut plans) => {
                plans.iter_mut().for_each(|plan| promote_too(analysis, &accesses, &subject, plan));
                Finding::Better(plans)
            }
            other => match as_written(analysis, &accesses, &subject) {
                Some(plan) => Finding::AsWritten(Box::new(plan), Box::new(other)),
                None => other,
            },
        }
    };
    Found(holding.into_iter().enumerate().map(&mut of_loop).collect())
}

/// What is done where the mapping stays.
fn as_written(analysis: &mut Analysis<'_>, accesses: &RegionAccesses, subject: &Subject<'_>) -> Option<Plan> {
    let promoted = promote(analysis, accesses, subject).map(|mut plan| {
        take_together(analysis, subject, &mut plan);
        plan
    });
    promoted.or_else(|| together_as_written(analysis, subject))
}

fn of_subject(
    analysis: &mut Analysis<'_>,
    accesses: &mut RegionAccesses,
    subject: &Subject<'_>,
) -> Result<Finding, Reason> {
    if let Some(reason) = subject.ends_at_once().filter(|_| !asks_for_digits(analysis)) {
        return Err(reason.clone());
    }
    match analysis.setting.request {
        Some(MappingRequest::Named(text)) => of_text(analysis, accesses, subject, text),
        Some(MappingRequest::Number(number)) => of_wish(analysis, accesses, subject, Wish::Number(number.get())),
        Some(MappingRequest::Kind(name)) => of_wish(analysis, accesses, subject, Wish::Kind(name)),
        None => by_default(analysis, accesses, subject),
    }
}

fn by_default(
    analysis: &mut Analysis<'_>,
    accesses: &mut RegionAccesses,
    subject: &Subject<'_>,
) -> Result<Finding, Reason> {
    let proposals = subject.propose(analysis);
    if proposals.is_empty() {
        let hidden = (subject.nest.digits == 1).then(|| analysis.size_in_memory(subject.nest.in_cfg(0))).flatten();
        // Of an example in which nothing runs, no order is better, and of what data decide, an example says nothing.
        let compares = subject.sizes.let_run(analysis, &subject.nest)
            && subject.has_known_strides(analysis)
            && !subject.lacks_tiles(analysis);
        let best = || if compares { Finding::Best } else { Finding::Nothing };
        return hidden.map_or_else(|| Ok(best()), Err);
    }
    analysis.begin(Stage::Dependences);
    let dependences = subject.nest.dependences(analysis, accesses)?;
    analysis.begin(Stage::Orders);
    let prove = |proposal: &Proposal| prove(analysis, subject, &dependences, proposal);
    let chosen = choose(&proposals, |proposal| subject.handicap(&proposal.candidate.mapping), prove);
    Ok(match chosen {
        Ok(plans) => Finding::Better(plans),
        Err((Proposal { candidate, costs, .. }, reasons)) => {
            let mut choice = subject.choice(analysis, &candidate.mapping, costs);
            let never = subject.result_used_behind(analysis, &candidate.mapping);
            choice.gain = choice.gain.filter(|_| never.is_none() && !subject.has_unknown_count(candidate));
            let reasons = never.map_or(reasons, |reason| vec![reason]);
            Finding::Left(Some(Choice { has_clause: false, ..choice }), reasons)
        }
    })
}

/// Whether digits of iteration numbers are asked for, of which a loop that holds no other one has some, too.
fn asks_for_digits(analysis: &Analysis<'_>) -> bool {
    analysis.setting.request.is_some_and(|request| request.is_of_digits())
}

/// The mapping that the program's author asks for by a text, where it is legal.
fn of_text(
    analysis: &mut Analysis<'_>,
    accesses: &mut RegionAccesses,
    subject: &Subject<'_>,
    text: &str,
) -> Result<Finding, Reason> {
    let mapping = subject.requested(analysis, text)?;
    analysis.begin(Stage::Dependences);
    let dependences = subject.nest.dependences(analysis, accesses)?;
    analysis.begin(Stage::Orders);
    let proposal = subject.wished_proposal(analysis, mapping, &[]);
    Ok(match prove(analysis, subject, &dependences, &proposal) {
        Ok(plan) => Finding::Better(vec![plan]),
        Err(reasons) => Finding::Left(None, reasons),
    })
}

/// Which of the versions somebody wants.
#[derive(Clone, Copy)]
enum Wish {
    Number(usize),
    /// The first one by this name of its recipe.
    Kind(&'static str),
}

impl Wish {
    fn is(self, number: u8, plan: &Plan) -> bool {
        match self {
            Wish::Number(wanted) => usize::from(number) == wanted,
            Wish::Kind(name) => plan.choice.recipe.name() == name,
        }
    }
}

/// The version that somebody wants: of what is made by default, if anything is, and then the other mappings that are legal, by predicted times.
fn of_wish(
    analysis: &mut Analysis<'_>,
    accesses: &mut RegionAccesses,
    subject: &Subject<'_>,
    wish: Wish,
) -> Result<Finding, Reason> {
    let by_default = by_default(analysis, accesses, subject)?;
    let (first, is_made) = match by_default {
        Finding::Better(plans) if plans.first().is_some_and(|plan| wish.is(1, plan)) => {
            return Ok(Finding::Better(plans));
        }
        Finding::Better(plans) => (plans.into_iter().next(), true),
        // The mapping stays, and something is done with it.
        other => match (as_written(analysis, accesses, subject), wish) {
            (Some(_), Wish::Number(1)) => return Ok(other),
            (plan, _) => (None, plan.is_some()),
        },
    };
    let (mut number, mut refused) = (u8::from(is_made), None);
    analysis.begin(Stage::Dependences);
    let dependences = subject.nest.dependences(analysis, accesses)?;
    analysis.begin(Stage::Orders);
    for proposal in subject.by_time(analysis) {
        if first.as_ref().is_some_and(|first| first.mapping == proposal.candidate.mapping) {
            continue;
        }
        match prove(analysis, subject, &dependences, &proposal) {
            Ok(plan) => {
                number = if number < MAX_NUMBER { number + 1 } else { break };
                if wish.is(number, &plan) {
                    return Ok(Finding::Better(vec![Plan { number, ..plan }]));
                }
            }
            Err(reasons) => _ = refused.get_or_insert(reasons),
        }
    }
    let mut reasons: Vec<Reason> = refused.unwrap_or_default();
    let counted = if number == 1 { "1 mapping is".to_owned() } else { format!("{number} mappings are") };
    let text = match wish {
        Wish::Number(wanted) => {
            let most =
                if wanted > usize::from(MAX_NUMBER) { format!(", which is above {MAX_NUMBER}") } else { String::new() };
            format!("{counted} legal, and number {wanted} is asked for{most}")
        }
        Wish::Kind(name) => format!("{counted} legal, and none is {name}, which is asked for"),
    };
    reasons.insert(0, text.into());
    Ok(Finding::Left(None, reasons))
}

impl Analysis<'_> {
    /// Whether a shared loop's number is divided in it, as where a clause collapsed several loops to it.
    fn divides_number(&self, index: usize) -> bool {
        self.divisions_of_number(index).next().is_some()
    }

    fn divisions_of_number(&self, index: usize) -> impl Iterator<Item = Value> {
        let number = self.nest.shared_at(index).map(|shared| shared.phi);
        let instructions = self.cfg.loops[index].blocks.iter().flat_map(|&block| self.cfg.blocks[block].instructions());
        let divisions = instructions.filter(|value| value.is(Opcode::LLVMUDiv) || value.is(Opcode::LLVMSDiv));
        divisions.filter(move |division| Some(strip_casts(division.operand(0))) == number)
    }

    /// Why loops that a clause collapsed are not told apart, if their sizes are loaded in each iteration: they may be others each time.
    fn size_in_memory(&self, index: usize) -> Option<Reason> {
        self.divisions_of_number(index).find(|division| is_loaded(division.operand(1), 0))?;
        let text = "how many iterations the collapsed loops have is read from memory in each iteration, which the loop may change";
        Some(ObstacleKind::CountFromMemory.reason(text).at(self.loop_location(index)))
    }
}

/// Whether a size is computed from what is loaded.
fn is_loaded(size: Value, depth: usize) -> bool {
    const DEEPEST: usize = 6;
    let size = strip_casts(size);
    let is_computed = [Opcode::LLVMAdd, Opcode::LLVMSub, Opcode::LLVMMul, Opcode::LLVMUDiv, Opcode::LLVMSDiv]
        .iter()
        .any(|&opcode| size.is(opcode));
    size.is(Opcode::LLVMLoad)
        || is_computed && depth < DEEPEST && (0..2).any(|at| is_loaded(size.operand(at), depth + 1))
}

/// A proposal that is not refused.
struct Open<'p> {
    proposal: &'p Proposal,
    times: Times,
    plan: Option<Plan>,
}

/// The version that is made, and another one that stands in for tiles of lanes where the code cannot be changed so: of the proposals that are proven, the
/// one of least regret, which is by how much it takes longer than the fastest one in the class of sizes in which it does so most (Savage's minimax
/// regret, 1951). Where none is proven, why the first one is not.
fn choose<'p>(
    proposals: &'p [Proposal],
    handicap: impl Fn(&Proposal) -> f64,
    mut prove: impl FnMut(&Proposal) -> Result<Plan, Vec<Reason>>,
) -> Result<Vec<Plan>, (&'p Proposal, Vec<Reason>)> {
    let open = |proposal: &'p Proposal| {
        let times = proposal.times.map(|time| time * handicap(proposal));
        Open { proposal, times, plan: None }
    };
    let mut open: Vec<Open<'p>> = proposals.iter().map(open).collect();
    let mut plans = Vec::new();
    let mut refused = None;
    while plans.len() < MAX_IMPROVED + 1 {
        let times: Vec<(Times, usize)> = open.iter().map(|of| (of.times, of.proposal.threads())).collect();
        // What stands in for a tile keeps its loops whole, so that the code cannot be in the way for the same reason.
        let is_wanted = |at: &usize| plans.is_empty() || open[*at].proposal.candidate.mapping.keeps_loops_whole();
        let Some(best) = by_regret(&times).into_iter().find(is_wanted) else { break };
        // Only what is right is something to regret.
        let compared = if plans.is_empty() { faster(&times, best) } else { Vec::new() };
        let unproven = [best].into_iter().chain(compared).find(|&at| open[at].plan.is_none());
        if let Some(at) = unproven {
            match prove(open[at].proposal) {
                Ok(plan) => open[at].plan = Some(plan),
                Err(reasons) => _ = refused.get_or_insert((open.remove(at).proposal, reasons)),
            }
            continue;
        }
        let plan = open.remove(best).plan;
        let is_tile = plan.as_ref().is_some_and(|plan| !plan.mapping.keeps_loops_whole());
        plans.extend(plan);
        if !is_tile {
            break;
        }
    }
    match refused {
        Some(refused) if plans.is_empty() => Err(refused),
        _ => Ok(plans),
    }
}

/// By least regret first; of much the same, by the fewest fused loops.
fn by_regret(times: &[(Times, usize)]) -> Vec<usize> {
    let fastest = |class: usize| times.iter().map(|(times, _)| times[class]).fold(f64::INFINITY, f64::min);
    let fastest: Times = [0, 1, 2].map(fastest);
    let times_longer = |(time, least): (&f64, &f64)| if *least > 0.0 { time / least } else { 1.0 };
    let regret = |times: &Times| times.iter().zip(&fastest).map(times_longer).fold(1.0, f64::max);
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by_key(|&at| (step(regret(&times[at].0)), times[at].1));
    order
}

/// For each class of sizes, the fastest one where it is more than a little faster.
fn faster(times: &[(Times, usize)], than: usize) -> Vec<usize> {
    let fastest = |class: usize| {
        let time = |at: usize| times[at].0[class];
        let best = (0..times.len()).min_by(|&a, &b| time(a).total_cmp(&time(b)))?;
        (step(time(best)) < step(time(than))).then_some(best)
    };
    [0, 1, 2].into_iter().filter_map(fastest).collect()
}

#[cfg(test)]
mod tests {
    use super::{by_regret, faster};

    #[test]
    fn least_regret_comes_first() {
        // Fastest in one class and slow in another, never much slower, and slow.
        let times = [([1.0, 1.0, 3.0], 2), ([1.2, 1.1, 1.0], 2), ([9.0, 9.0, 9.0], 2)];
        assert_eq!(by_regret(&times), [1, 0, 2]);
        assert_eq!(faster(&times, 1), [0, 0]);
        assert_eq!(faster(&times, 0), [1]);
    }

    #[test]
    fn of_much_the_same_the_fewest_loops_are_fused() {
        let times = [([1.0, 1.0, 1.0], 3), ([1.0, 1.002, 1.0], 2)];
        assert_eq!(by_regret(&times), [1, 0]);
        assert!(faster(&times, 1).is_empty());
    }
}
