//! Which versions of a region's loops are made: those that are proven, of those that pay.

use super::promote::{promote, promote_too};
use super::propose::{Choice, Proposal, Subject, shared_of};
use super::prove::{Plan, prove};
use super::schedule::{may_run_alone, shared_by_teams_only};
use crate::analysis::dependences::RegionAccesses;
use crate::analysis::region::{Analysis, Begun};
use crate::common::budget::Stage;
use crate::common::reject::RejectLog;
use crate::openmp::flatten::Flat;
use crate::openmp::nest::strip_casts;
use crate::openmp::outline::TargetRegion;
use ipda_llvm::{Opcode, Value};
use ipda_models::report::{ObstacleKind, Reason, Region};

/// Versions of a kernel that are made besides the one as written: each costs every compilation its time, and every launch a test.
const MOST_IMPROVED: usize = 1;

/// Loops that threads share in one region beyond which they are left as they are.
const MOST_CHANGED: usize = 16;

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
    /// The mapping stays, and what is known to lie apart is kept in registers; and what is found about other mappings.
    Promoted(Box<Plan>, Box<Finding>),
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

pub(super) fn obstacle(flat: &Flat) -> Option<Reason> {
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
    match planned {
        Ok(found) => found,
        Err(log) => {
            let reasons = log.into_vec().into_iter().take(1).map(Reason::from).collect();
            Found(vec![Finding::Left(None, reasons)])
        }
    }
}

fn of_analysis(analysis: &mut Analysis<'_>, params: &[Value], report: &Region, runs_alone: bool) -> Found {
    let shared = shared_of(analysis);
    let holds_loops = |index: usize| analysis.cfg.loops.iter().any(|natural| natural.parent == Some(index));
    let holding: Vec<bool> = shared.iter().map(|&index| holds_loops(index) || analysis.divides_number(index)).collect();
    if !holding.contains(&true) {
        return shared_by_teams_only(analysis).map_or_else(|| Found(vec![Finding::Nothing]), Found::left);
    }
    if shared.len() > MOST_CHANGED {
        let text = format!("its threads share {} loops, more than the {MOST_CHANGED} that are looked at", shared.len());
        return Found::left(ObstacleKind::SeveralLoops.reason(text));
    }
    let mut accesses = RegionAccesses::collect(analysis);
    let mut of_loop = |(at, holds): (usize, bool)| {
        if !holds {
            return Finding::Nothing;
        }
        let subject = Subject::find(analysis, &accesses, (at, shared[at]), params, report, runs_alone);
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
            other => match promote(analysis, &accesses, &subject) {
                Some(plan) => Finding::Promoted(Box::new(plan), Box::new(other)),
                None => other,
            },
        }
    };
    Found(holding.into_iter().enumerate().map(&mut of_loop).collect())
}

fn of_subject(
    analysis: &mut Analysis<'_>,
    accesses: &mut RegionAccesses,
    subject: &Subject<'_>,
) -> Result<Finding, Reason> {
    if let Some(reason) = subject.ends_at_once() {
        return Err(reason.clone());
    }
    let proposals = subject.propose(analysis);
    if proposals.is_empty() {
        return Ok(Finding::Best);
    }
    analysis.begin(Stage::Dependences);
    let dependences = subject.nest.dependences(analysis, accesses)?;
    analysis.begin(Stage::Orders);
    let chosen = choose(&proposals, |proposal| prove(analysis, subject, &dependences, proposal));
    Ok(match chosen {
        Ok(plans) => Finding::Better(plans),
        Err((Proposal { candidate, costs }, reasons)) => {
            let choice = subject.choice(analysis, &candidate.mapping, costs);
            Finding::Left(Some(Choice { has_clause: false, ..choice }), reasons)
        }
    })
}

impl Analysis<'_> {
    /// Whether a shared loop's number is divided in it, as where a clause collapsed several loops to it.
    fn divides_number(&self, index: usize) -> bool {
        let Some(shared) = self.nest.shared_at(index) else { return false };
        let instructions = self.cfg.loops[index].blocks.iter().flat_map(|&block| self.cfg.blocks[block].instructions());
        let mut divisions = instructions.filter(|value| value.is(Opcode::LLVMUDiv) || value.is(Opcode::LLVMSDiv));
        divisions.any(|division| strip_casts(division.operand(0)) == shared.phi)
    }
}

/// The versions that are made: of proposals, the best first, those that are proven, until there are as many as are made, or one more that stands in
/// for tiles of lanes. Where there are none, why the best one is not.
fn choose(
    proposals: &[Proposal],
    mut prove: impl FnMut(&Proposal) -> Result<Plan, Vec<Reason>>,
) -> Result<Vec<Plan>, (&Proposal, Vec<Reason>)> {
    let mut plans = Vec::new();
    let mut refused = None;
    for proposal in proposals {
        match prove(proposal) {
            Ok(plan) => plans.push(plan),
            Err(reasons) => _ = refused.get_or_insert((proposal, reasons)),
        }
        // Beside tiles, for where the code cannot be changed so.
        let is_enough = |plan: &Plan| plan.mapping.keeps_loops_whole() || plans.len() > MOST_IMPROVED;
        if plans.len() >= MOST_IMPROVED && plans.last().is_some_and(is_enough) {
            break;
        }
    }
    match refused {
        Some(refused) if plans.is_empty() => Err(refused),
        _ => Ok(plans),
    }
}
