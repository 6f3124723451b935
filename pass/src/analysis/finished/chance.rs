//! How likely control comes to each block of a loop's body, if it comes to the loop's header.
//!
//! A branch goes where its profile says, else to each side equally often, and frequencies follow from that along the control flow (Wu and Larus, "Static Branch
//! Frequency and Program Profile Analysis", MICRO 1994). Some need no guess: what ends the loop does not, what leads to
//! `unreachable` is not taken, and a test that decides whether an inner loop has anything to do always passes, for how often that loop runs
//! says the rest. So does one between two versions of loops of which one lacks that inner loop. What holds for exceptional numbers alone is rare
//! ([`super::exceptions`]).
//!
//! The lanes of a warp wait for each other where they go different ways: the warp comes to what any of them does. Of a way that each takes on its own
//! with the chance s, that is 1 - (1 - s)^n for n lanes.

use super::exceptions::{EXCEPTION, exceptional};
use super::lanes::Lanes;
use crate::openmp;
use ipda_llvm::{BlockId, Cfg, Opcode, Value};

/// Blocks of one body beyond which tests before inner loops are not looked for.
const MAX_BLOCKS: usize = 3_000;

/// Conditions of conditions that are looked at.
const MAX_DEPTH: u32 = 4;

/// What is known of the loops that a branch leads to.
pub(super) trait Tests {
    /// Whether the test at the end of a block does nothing but skip the given loops, which are in the blocks that it skips, where they have nothing to do.
    fn only_skips(&mut self, block: BlockId, skipped: &[BlockId], loops: &[usize]) -> bool;

    /// Whether it decides between two versions of loops, where `without` lacks loops that have nothing to do then.
    fn only_leaves_out(&mut self, block: BlockId, with: &[usize], without: &[usize]) -> bool;

    /// Which ways lanes go at the end of a block.
    fn lanes(&mut self, block: BlockId) -> Lanes;

    /// Whether the branch at the end of a block asks for nothing but what the report names.
    fn is_in_names(&mut self, block: BlockId) -> bool;
}

/// What is counted at branches that ask for nothing but what the report names: it says how often they go where, once the values are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// A share as of others.
    Guessed,
    /// All of both sides: whoever knows the values takes the share.
    Whole,
}

/// How likely a block is come to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Chance {
    /// By a warp.
    pub(super) of_warp: f64,
    /// By one of the lanes that come to the header.
    of_lane: f64,
    /// That the ways lead here which all lanes go together.
    together: f64,
}

impl Chance {
    const NONE: Chance = Chance { of_warp: 0.0, of_lane: 0.0, together: 0.0 };
    const CERTAIN: Chance = Chance { of_warp: 1.0, of_lane: 1.0, together: 1.0 };

    /// The lanes on average that come with the warp, of so many that come to the header.
    pub(super) fn lanes(self, of: f64) -> f64 {
        if self.of_warp > 0.0 { (of * self.of_lane / self.of_warp).clamp(1.0, of) } else { of }
    }

    /// That of a way which a share of those takes that are here, of so many lanes that come to the header.
    fn of_way(self, share: f64, ways: Lanes, of: f64) -> Chance {
        let together = if ways == Lanes::Together { self.together * share } else { self.together };
        let of_lane = self.of_lane * share;
        // What a lane does where the ways lead here that all go together.
        let own = if together > 0.0 { (of_lane / together).min(1.0) } else { 0.0 };
        let of_warp = match ways {
            Lanes::Together => self.of_warp * share,
            Lanes::Apart => together * (1.0 - (1.0 - own).powf(of)),
            Lanes::InEachWarp => together * (own * of).min(1.0),
        };
        Chance { of_warp: of_warp.min(self.of_warp), of_lane, together }
    }

    /// Of a block where ways meet that parted at another one, of which no more come.
    fn met(self, parted: Option<Chance>) -> Chance {
        let most = parted.unwrap_or(Chance::CERTAIN);
        Chance {
            of_warp: self.of_warp.min(most.of_warp),
            of_lane: self.of_lane.min(most.of_lane),
            together: self.together.min(most.together),
        }
    }
}

/// The chance of each block, by its number, in one run of the body of the loop `index`, or of the function, to which `lanes` of a warp come: of blocks
/// that are there and in no inner loop, and of the headers of inner loops; and whether a branch met asks for nothing but what the report names.
pub(super) fn of_blocks(
    cfg: &Cfg,
    index: Option<usize>,
    lanes: f64,
    named: Named,
    tests: &mut impl Tests,
) -> (Vec<(BlockId, Chance)>, bool) {
    let mut has_named = false;
    let all: Vec<BlockId> = match index {
        Some(index) => cfg.loops[index].blocks.clone(),
        None => (0..cfg.blocks.len()).collect(),
    };
    let header = all.first().copied().unwrap_or(0);
    let is_inside = |block: BlockId| all.binary_search(&block).is_ok();
    // The inner loop that a block is in, as seen from here.
    let inner = |block: BlockId| cfg.loop_chain(cfg.loop_of(block)).take_while(|&at| Some(at) != index).last();
    let parted = |block: BlockId| {
        let above = cfg.immediate_dominator(block).filter(|&above| block != header && is_inside(above))?;
        Some(inner(above).map_or(above, |at| cfg.loops[at].header))
    };
    let dead = dead_ends(cfg);
    let mut chance = vec![Chance::NONE; cfg.blocks.len()];
    chance[header] = Chance::CERTAIN;
    // In reverse postorder all that leads to a block, other than back edges, comes before it.
    for &block in &all {
        let here = chance[block].met(parted(block).map(|above| chance[above]));
        chance[block] = here;
        if here.of_lane == 0.0 || inner(block).is_some_and(|at| cfg.loops[at].header != block) {
            continue;
        }
        let mut ways_of_lanes = Lanes::Together;
        let targets: Vec<(BlockId, f64)> = match inner(block) {
            Some(at) => {
                let ends = cfg.loops[at].blocks.iter().flat_map(|&from| cfg.successors[from].iter().copied());
                let mut ends: Vec<BlockId> = ends.filter(|&to| !cfg.loops[at].contains(to) && !dead[to]).collect();
                ends.sort_unstable();
                ends.dedup();
                // Its usual end is the first that its header or latch has; others are ways out by a condition.
                let share = 1.0 / ends.len().max(1) as f64;
                if ends.len() > 1 {
                    let leaves = |from: &&BlockId| cfg.successors[**from].iter().any(|&to| !cfg.loops[at].contains(to));
                    let all = cfg.loops[at].blocks.iter().filter(leaves).map(|&from| tests.lanes(from));
                    ways_of_lanes = all.max().unwrap_or(Lanes::Together);
                }
                ends.into_iter().map(|to| (to, share)).collect()
            }
            None => ways(cfg, block, &dead, header, is_inside, |region, other| {
                let loops_in = |region: &[BlockId]| {
                    let mut loops: Vec<usize> = region.iter().filter_map(|&at| inner(at)).collect();
                    loops.sort_unstable();
                    loops.dedup();
                    loops
                };
                let loops = loops_in(region);
                let may_ask = !loops.is_empty() && all.len() <= MAX_BLOCKS;
                may_ask
                    && match other {
                        Other::Joins => tests.only_skips(block, region, &loops),
                        Other::Leads(other) => tests.only_leaves_out(block, &loops, &loops_in(other)),
                    }
            }),
        };
        let mut is_whole = false;
        if inner(block).is_none() && targets.len() > 1 {
            ways_of_lanes = tests.lanes(block);
            is_whole = tests.is_in_names(block);
            has_named |= is_whole;
        }
        for (to, share) in targets {
            let (share, ways_of_lanes) = match named {
                Named::Whole if is_whole => (1.0, Lanes::Together),
                Named::Whole | Named::Guessed => (share, ways_of_lanes),
            };
            if is_inside(to) && to > block {
                let more = here.of_way(share, ways_of_lanes, lanes);
                chance[to].of_warp += more.of_warp;
                chance[to].of_lane += more.of_lane;
                chance[to].together += more.together;
            }
        }
    }
    let is_own = |block: &BlockId| inner(*block).is_none_or(|at| cfg.loops[at].header == *block);
    (all.iter().copied().filter(is_own).map(|block| (block, chance[block])).collect(), has_named)
}

/// Whether control that comes to a block ends in `unreachable`.
fn dead_ends(cfg: &Cfg) -> Vec<bool> {
    let mut dead = vec![false; cfg.blocks.len()];
    for block in (0..cfg.blocks.len()).rev() {
        let ends = cfg.blocks[block].terminator().is_some_and(|end| end.is(Opcode::LLVMUnreachable));
        let next = &cfg.successors[block];
        dead[block] = ends || !next.is_empty() && next.iter().all(|&to| to > block && dead[to]);
    }
    dead
}

/// The other side of a branch.
enum Other<'a> {
    /// Is where one side comes to in the end.
    Joins,
    /// Leads through blocks of its own.
    Leads(&'a [BlockId]),
}

/// Where control goes from the end of a block, and how often. `is_taken` is asked with the blocks that one side of a branch has for itself.
fn ways(
    cfg: &Cfg,
    block: BlockId,
    dead: &[bool],
    header: BlockId,
    is_inside: impl Fn(BlockId) -> bool,
    mut is_taken: impl FnMut(&[BlockId], Other<'_>) -> bool,
) -> Vec<(BlockId, f64)> {
    let successors = &cfg.successors[block];
    let alive: Vec<BlockId> = successors.iter().copied().filter(|&to| !dead[to]).collect();
    let staying: Vec<BlockId> = alive.iter().copied().filter(|&to| is_inside(to)).collect();
    match (&alive[..], &staying[..]) {
        ([], _) => return successors.iter().map(|&to| (to, 0.0)).collect(),
        // What ends the loop does not.
        ([_, ..], [only]) => return vec![(*only, 1.0)],
        _ => {}
    }
    let Some(end) = cfg.blocks[block].terminator() else { return Vec::new() };
    if let Some(to) = main_thread(cfg, end).or_else(|| threads_at_work(cfg, end)) {
        return vec![(to, 1.0)];
    }
    if let [a, b] = staying[..] {
        let (from_a, from_b) = (reachable(cfg, a, header, &is_inside), reachable(cfg, b, header, &is_inside));
        for (stays, own, other) in [(a, &from_a, &from_b), (b, &from_b, &from_a)] {
            let joins = if stays == a { b } else { a };
            let beside = |these: &[BlockId], those: &[BlockId]| -> Vec<BlockId> {
                these.iter().copied().filter(|at| those.binary_search(at).is_err()).collect()
            };
            let between = beside(own, other);
            let rest = if own.binary_search(&joins).is_ok() { Vec::new() } else { beside(other, own) };
            if is_taken(&between, if rest.is_empty() { Other::Joins } else { Other::Leads(&rest) }) {
                return vec![(stays, 1.0)];
            }
        }
    }
    let targets: Vec<BlockId> = end.successors().into_iter().filter_map(|to| cfg.id(to)).collect();
    let weights = end.branch_weights(targets.len()).filter(|_| targets.len() == end.successors().len());
    let weight = |to: BlockId| match &weights {
        Some(weights) => {
            targets.iter().zip(weights).filter(|(at, _)| **at == to).map(|(_, &weight)| f64::from(weight)).sum()
        }
        None => 1.0,
    };
    // Exceptions are none where the compiler or the program's author says how often a side is taken.
    let exceptional =
        end.branch_condition().filter(|_| weights.is_none() && end.is(Opcode::LLVMBr)).and_then(exceptional);
    let among = if staying.is_empty() { &alive } else { &staying };
    if let (Some(result), [holds, fails], [_, _]) = (exceptional, &targets[..], &among[..])
        && holds != fails
    {
        let exception = if result { holds } else { fails };
        let share = |to: BlockId| if to == *exception { EXCEPTION } else { 1.0 - EXCEPTION };
        return among.iter().map(|&to| (to, share(to))).collect();
    }
    let total: f64 = among.iter().map(|&to| weight(to)).sum();
    among.iter().map(|&to| (to, if total > 0.0 { weight(to) / total } else { 0.0 })).collect()
}

/// Where the thread goes on that runs the program, when the runtime has sent the others to wait for work.
pub(crate) fn main_thread(cfg: &Cfg, end: Value) -> Option<BlockId> {
    let test = end.branch_condition().filter(|test| test.is(Opcode::LLVMICmp))?;
    let is_start = |value: Value| value.calls(|name| name == "__kmpc_target_init");
    if !is_start(test.operand(0)) || test.operand(1).as_int() != Some(-1) {
        return None;
    }
    let is_equal = test.int_predicate() == ipda_llvm::IntPredicate::LLVMIntEQ;
    cfg.id(*end.successors().get(usize::from(!is_equal))?)
}

/// Where those threads of a team go on that take part in a parallel region, when the runtime sends the others past it: they alone are counted.
fn threads_at_work(cfg: &Cfg, end: Value) -> Option<BlockId> {
    let result = for_threads_at_work(end.branch_condition()?, MAX_DEPTH)?;
    cfg.id(*end.successors().get(usize::from(!result))?)
}

/// The result that a condition has for threads that take part in a parallel region: their numbers are below the least of what a clause asks for and the
/// threads that there are.
fn for_threads_at_work(condition: Value, depth: u32) -> Option<bool> {
    use ipda_llvm::IntPredicate::*;
    let depth = depth.checked_sub(1)?;
    let part = |at: u32| for_threads_at_work(condition.operand(at), depth);
    let constant = |at: u32| condition.operand(at).as_int().map(|value| value != 0);
    let either = |parts: [Option<bool>; 2], result| parts.contains(&Some(result)).then_some(result);
    match condition.opcode()? {
        Opcode::LLVMAnd => either([part(0), part(1)], false),
        Opcode::LLVMOr => either([part(0), part(1)], true),
        Opcode::LLVMXor if constant(1) == Some(true) => part(0).map(|result| !result),
        Opcode::LLVMSelect if constant(2) == Some(false) => either([part(0), part(1)], false),
        Opcode::LLVMSelect if constant(1) == Some(true) => either([part(0), part(2)], true),
        Opcode::LLVMICmp => {
            let [one, other] = [0, 1].map(|at| condition.operand(at));
            // The last number at work is one less.
            let is_last = |value: Value| {
                value.is(Opcode::LLVMAdd)
                    && value.operand(1).as_int() == Some(-1)
                    && is_number_at_work(value.operand(0))
            };
            match condition.int_predicate() {
                LLVMIntULT | LLVMIntSLT if is_thread(one) && is_number_at_work(other) => Some(true),
                LLVMIntUGE | LLVMIntSGE if is_thread(one) && is_number_at_work(other) => Some(false),
                LLVMIntUGT | LLVMIntSGT if is_thread(other) && is_number_at_work(one) => Some(true),
                LLVMIntULE | LLVMIntSLE if is_thread(other) && is_number_at_work(one) => Some(false),
                LLVMIntULT | LLVMIntSLT if is_last(one) && is_thread(other) => Some(false),
                LLVMIntUGT | LLVMIntSGT if is_thread(one) && is_last(other) => Some(false),
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_thread(value: Value) -> bool {
    const NAMES: [&str; 3] =
        ["llvm.nvvm.read.ptx.sreg.tid.x", "llvm.amdgcn.workitem.id.x", "__kmpc_get_hardware_thread_id_in_block"];
    value.calls(|name| NAMES.contains(&name))
}

/// Whether a number is the least of the threads of a team and another one; or that one, where the team has more threads, and none else.
fn is_number_at_work(value: Value) -> bool {
    let is_of_team = |value: &Value| value.calls(openmp::is_size_of_team);
    let is_least = value.calls(|name| name.starts_with("llvm.umin.") || name.starts_with("llvm.smin."));
    let is_chosen = value.is(Opcode::LLVMSelect) && value.operand(0).is(Opcode::LLVMICmp);
    is_least && value.call_args().iter().any(is_of_team)
        || is_chosen && (0..2).any(|at| is_of_team(&value.operand(0).operand(at)))
}

/// The blocks that control can come to from one before the next iteration, sorted.
pub(super) fn reachable(
    cfg: &Cfg,
    from: BlockId,
    header: BlockId,
    is_inside: &impl Fn(BlockId) -> bool,
) -> Vec<BlockId> {
    let mut found = Vec::new();
    let mut work = vec![from];
    let mut seen = vec![false; cfg.blocks.len()];
    while let Some(block) = work.pop() {
        if std::mem::replace(&mut seen[block], true) || block == header || !is_inside(block) {
            continue;
        }
        found.push(block);
        work.extend(&cfg.successors[block]);
    }
    found.sort_unstable();
    found
}
