//! By which decisions control comes to a block from the one that dominates it: the gates of gated SSA (Tu and Padua 1995).
//!
//! Whether an optimiser leaves a branch or makes a choice of values of it depends on what it takes the code to cost, which differs between host
//! and device. What both decide is the same.

use ipda_llvm::{BlockId, Cfg, Opcode, Value};
use std::ops::Range;

/// Blocks between one and its dominator beyond which decisions are not followed.
const MAX_BLOCKS: usize = 4096;

/// What a way leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Elsewhere: control comes to the block only by another way, from the dominator again.
    Away,
    /// The block, out of this one.
    Arrived(BlockId),
    /// One of the decisions.
    Decision(usize),
    /// Not followed.
    Unknown,
}

/// What a branch or a switch decides.
pub(super) enum Decision {
    Branch { condition: Value, if_true: Step, if_false: Step },
    Switch { on: Value, cases: Vec<(Value, Step)>, default: Step },
}

/// The decisions from a block's dominator to the block. What they decide in vain is left out, as where ways meet before the block.
pub(super) struct Ways {
    /// Each behind those that it leads to.
    pub decisions: Vec<Decision>,
    pub first: Step,
}

impl Ways {
    /// None where they are not followed: a loop with several exits lies between, or more than what the program wrote decides.
    pub(super) fn to(block: BlockId, cfg: &Cfg, is_users: impl Fn(BlockId, Value) -> bool) -> Option<Ways> {
        let dominator = cfg.immediate_dominator(block)?;
        if cfg.irreducible || block - dominator > MAX_BLOCKS {
            return None;
        }
        let mut search =
            Search { cfg, between: dominator..block, from: vec![Step::Away; block - dominator], decisions: Vec::new() };
        // Blocks are in an order in which ways lead to later ones alone, but those back to a loop's header.
        let has_one_way_in = cfg.predecessors[block] == [dominator];
        let blocks = if has_one_way_in { dominator..dominator + 1 } else { dominator..block };
        let mut first = Step::Unknown;
        for at in blocks.rev() {
            first = search.behind(at, &is_users);
            search.from[at - dominator] = search.through_loop(at).unwrap_or(first);
        }
        let is_followed = !matches!(first, Step::Unknown | Step::Away);
        is_followed.then_some(Ways { decisions: search.decisions, first })
    }
}

struct Search<'a> {
    cfg: &'a Cfg,
    between: Range<BlockId>,
    /// What it leads to that control comes to each block.
    from: Vec<Step>,
    decisions: Vec<Decision>,
}

impl Search<'_> {
    /// Where the way from one block to the next leads.
    fn step(&self, from: BlockId, to: BlockId) -> Step {
        match () {
            () if to == self.between.end => Step::Arrived(from),
            () if to > from && self.between.contains(&to) => self.from[to - self.between.start],
            () => Step::Away,
        }
    }

    /// Where the end of a block leads.
    fn behind(&mut self, at: BlockId, is_users: impl Fn(BlockId, Value) -> bool) -> Step {
        let Some(end) = self.cfg.blocks[at].terminator() else { return Step::Away };
        let ways = end.successors();
        let step = |way| self.cfg.id(way).map_or(Step::Away, |to| self.step(at, to));
        let decision = match end.opcode() {
            Some(Opcode::LLVMBr) if ways.len() == 2 => {
                Decision::Branch { condition: end.operand(0), if_true: step(ways[0]), if_false: step(ways[1]) }
            }
            Some(Opcode::LLVMSwitch) => {
                let cases = end.switch_cases().into_iter().map(|(case, way)| (case, step(way))).collect();
                Decision::Switch { on: end.operand(0), cases, default: step(ways[0]) }
            }
            // What an exception leads to ends the program.
            Some(Opcode::LLVMInvoke) => return step(ways[0]),
            _ => return if let [only] = ways[..] { step(only) } else { Step::Away },
        };
        let (on, steps) = match &decision {
            Decision::Branch { condition, if_true, if_false } => (*condition, vec![*if_true, *if_false]),
            Decision::Switch { on, cases, default } => {
                (*on, cases.iter().map(|&(_, step)| step).chain([*default]).collect())
            }
        };
        let same = |steps: &[Step]| steps.iter().all(|step| *step == steps[0]).then(|| steps[0]);
        let is_users = is_users(at, on);
        let arriving: Vec<Step> = steps.iter().copied().filter(|step| *step != Step::Away).collect();
        match () {
            () if steps.contains(&Step::Unknown) => Step::Unknown,
            () if arriving.is_empty() => Step::Away,
            () => match same(if is_users { &steps } else { &arriving }) {
                Some(step) => step,
                None if is_users && end.branch_condition() == Some(on) => {
                    self.decisions.push(decision);
                    Step::Decision(self.decisions.len() - 1)
                }
                None => Step::Unknown,
            },
        }
    }

    /// Where a loop leads that is entered at a block.
    fn through_loop(&self, header: BlockId) -> Option<Step> {
        let entered = &self.cfg.loops[self.cfg.loop_of(header)?];
        if entered.header != header || header == self.between.start {
            return None;
        }
        let blocks = entered.blocks.iter();
        let exits = blocks.flat_map(|&at| self.cfg.successors[at].iter().map(move |&to| (at, to)));
        let mut exits = exits.filter(|&(_, to)| !entered.contains(to)).map(|(at, to)| self.step(at, to));
        let first = exits.next().unwrap_or(Step::Away);
        Some(if exits.all(|exit| exit == first) { first } else { Step::Unknown })
    }
}
