//! Loops of which the optimiser made several: one that does several iterations at a time, and others for what is left over.

use crate::analysis::region::NUMBER_OF_LOOP;
use ipda_llvm::{Block, BlockId, Cfg, FunctionCopy, Opcode, Value};
use ipda_symbolic::{Coeff, Polynomial};

/// Where a loop goes on with what another loop of the same source loop left over, it is taken to come from there: another way to it leads past
/// the other loop, where that has nothing to do, or in a case that the compiler thought of and the program seldom meets.
pub(super) fn follow_main_loops(copy: &FunctionCopy) {
    let cfg = Cfg::new(copy.function());
    let marks = marks_of(&cfg);
    for (rest, natural) in cfg.loops.iter().enumerate() {
        let starts = cfg.blocks[natural.header]
            .phis()
            .flat_map(Value::incoming)
            .filter(|(_, from)| cfg.id(*from).is_some_and(|from| !natural.contains(from)));
        let joins: Vec<Value> = starts.map(|(start, _)| start).filter(|start| start.is(Opcode::LLVMPHI)).collect();
        for join in joins.into_iter().filter(|join| join.ty().int_bits().is_some()) {
            let comes_from = |main: usize, from: Block| {
                let other = &cfg.loops[main];
                main != rest
                    && marks[main].is_some()
                    && marks[main] == marks[rest]
                    && other.parent == natural.parent
                    && cfg.id(from).is_some_and(|from| from > other.header && cfg.dominates(other.header, from))
            };
            // The last of several main loops is the one before this.
            let of_main = (0..cfg.loops.len()).rev().find_map(|main| {
                join.incoming().into_iter().find(|(_, from)| comes_from(main, *from)).map(|(value, _)| value)
            });
            if let Some(value) = of_main.filter(|&value| value != join && join.incoming().len() > 1) {
                join.replace_all_uses(value);
            }
        }
    }
}

/// How many iterations of the source one of a loop is, where those of the source go up or down by `least`. What unrolling adds counts
/// them itself, beside the integer of the source, which takes as many of its own steps.
pub(super) fn factor(cfg: &Cfg, index: usize, least: i64) -> Option<i64> {
    let steps: Vec<i64> = cfg.counter_steps(index).collect();
    let counts = |by: &&i64| **by > 1 && least > 1 && by.checked_mul(least).is_some_and(|all| steps.contains(&all));
    let counted = steps.iter().find(counts).copied();
    counted.or_else(|| Some((steps.iter().min()? / least.max(1)).max(1)))
}

/// A number that a loop carries from the source. One that is left between the copies of its body has it there.
pub(super) fn number_of(cfg: &Cfg, index: usize, key: &str) -> Option<u32> {
    let natural = &cfg.loops[index];
    natural.number(cfg, key).or_else(|| natural.number_at_exit(cfg, key).filter(|_| is_innermost(cfg, index)))
}

fn is_innermost(cfg: &Cfg, index: usize) -> bool {
    !cfg.loops.iter().any(|other| other.parent == Some(index))
}

/// How often a block runs in a run of its loop's body: the first copies of an unrolled body, before the test that ends the loop, once more than
/// the others.
pub(super) fn runs_of(cfg: &Cfg, index: usize, block: BlockId, factor: i64, trips: Option<&Polynomial>) -> f64 {
    let natural = &cfg.loops[index];
    let is_left_from = cfg.successors[block].iter().any(|to| !natural.contains(*to));
    let trips = trips.and_then(Polynomial::as_constant).and_then(Coeff::to_i64).filter(|trips| *trips > 0);
    let is_before_test = block == natural.header && is_left_from && !natural.latches.contains(&block);
    trips.filter(|_| factor > 1 && is_before_test).map_or(1.0, |trips| (trips + 1) as f64 / trips as f64)
}

/// The numbers that loops carry from the source. What is left over of an unrolled loop has lost its: it stands beside the other, and takes
/// smaller steps.
pub(super) fn marks_of(cfg: &Cfg) -> Vec<Option<u32>> {
    let own: Vec<Option<u32>> = (0..cfg.loops.len()).map(|index| number_of(cfg, index, NUMBER_OF_LOOP)).collect();
    let is_innermost = |index: usize| is_innermost(cfg, index);
    let of = |index: usize| {
        let (natural, step) = (&cfg.loops[index], cfg.counter_steps(index).min()?);
        let is_main = |&main: &usize| {
            own[main].is_some()
                && cfg.loops[main].parent == natural.parent
                && is_innermost(main)
                && cfg.counter_steps(main).min().is_some_and(|steps| steps > step && steps % step == 0)
        };
        let before = (0..index).rev().find(is_main);
        let main = before.or_else(|| (index + 1..own.len()).find(is_main)).filter(|_| is_innermost(index))?;
        own[main]
    };
    (0..own.len()).map(|index| own[index].or_else(|| of(index))).collect()
}
