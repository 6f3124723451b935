//! Numbers that loops carry through the optimiser: private properties of `!llvm.loop`, which passes keep and do not look at.

use crate::analysis::region::NUMBER_OF_LOOP;
use crate::openmp;
use crate::openmp::outline::TargetRegion;
use inkwell::module::Module;
use ipda_llvm::{Block, Cfg, LoopProperties, NaturalLoop, Value};
use rustc_hash::FxHashSet;

/// A loop of a copy that fused loops run in.
pub(crate) const FUSED: &str = "ipda.fused";
/// A loop over a digit of iteration numbers, which a thread runs through: none of the source's.
pub(crate) const DIGIT: &str = "ipda.digit";
/// How many iterations of the source's loop a loop of threads does at once.
pub(crate) const AT_ONCE: &str = "ipda.at_once";
/// How many iterations of the slowest fused loop a loop of threads takes together.
pub(crate) const TOGETHER: &str = "ipda.together";
/// How many iterations all fused loops have together, at least, where it does so.
pub(crate) const TOGETHER_FROM: &str = "ipda.together_from";
/// A loop after optimisation.
pub(crate) const FINISHED: &str = "ipda.finished";

/// Functions of one region beyond which loops are not followed.
const MAX_FUNCTIONS: usize = 256;

/// Takes all numbers from a module's loops.
pub(crate) fn remove(module: &Module<'_>) {
    ipda_llvm::forget_loop_numbers(module, "ipda.");
}

/// The functions that a region's code is in, in the order in which they are found.
pub(crate) fn functions_of(entry: Value) -> Vec<Value> {
    let defined = |value: &Value| value.is_function() && !value.is_declaration();
    let is_program = |value: &Value| defined(value) && !value.with_name(openmp::is_runtime_name);
    let mut found: Vec<Value> = Vec::new();
    let mut work: Vec<Value> =
        if entry.is_call() { entry.operands().filter(is_program).collect() } else { vec![entry] };
    while let Some(function) = work.pop() {
        if found.len() == MAX_FUNCTIONS || found.contains(&function) {
            continue;
        }
        found.push(function);
        work.extend(function.instructions().flat_map(Value::operands).filter(is_program));
    }
    found
}

/// Notes that loops of a function, where they are numbered, are those that fused ones became, but for those in the blocks that are `written`; and that
/// loops in these without a number are over digits.
pub(crate) fn note_fused(function: Value, written: &[Block]) {
    let cfg = Cfg::new(function);
    let has_number = |natural: &NaturalLoop| natural.number(&cfg, NUMBER_OF_LOOP).is_some();
    let is_made = |natural: &&NaturalLoop| !written.contains(&cfg.blocks[natural.header]);
    for natural in cfg.loops.iter().filter(is_made) {
        if has_number(natural) {
            natural.set_number(&cfg, FUSED, 1);
        } else if cfg.loop_chain(natural.parent).any(|around| has_number(&cfg.loops[around])) {
            natural.set_number(&cfg, DIGIT, 1);
        }
    }
}

/// Numbers on all loops of a module's regions, from 1. Unless they are kept for the end, they leave the module with this value.
pub(crate) struct SourceNumbers<'m, 'ctx> {
    module: &'m Module<'ctx>,
    is_kept: bool,
}

impl<'m, 'ctx> SourceNumbers<'m, 'ctx> {
    pub(crate) fn new(module: &'m Module<'ctx>, regions: &[TargetRegion]) -> SourceNumbers<'m, 'ctx> {
        let mut functions = FxHashSet::default();
        let mut number = 0;
        for region in regions {
            for function in functions_of(region.entry) {
                if !functions.insert(function) {
                    continue;
                }
                let cfg = Cfg::new(function);
                for natural in &cfg.loops {
                    number += 1;
                    natural.set_number(&cfg, NUMBER_OF_LOOP, number);
                }
            }
        }
        SourceNumbers { module, is_kept: false }
    }

    /// Leaves them for the end, which removes them.
    pub(crate) fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for SourceNumbers<'_, '_> {
    fn drop(&mut self) {
        if !self.is_kept {
            remove(self.module);
        }
    }
}

/// Numbers on the loops of some functions for a while, under [`FINISHED`].
pub(crate) struct Numbered {
    before: Vec<(Value, LoopProperties)>,
}

impl Numbered {
    pub(crate) fn new(functions: &[Value]) -> Numbered {
        let mut before = Vec::new();
        let mut number = 0;
        for &function in functions {
            let cfg = Cfg::new(function);
            for natural in &cfg.loops {
                before.extend(natural.latch_terminators(&cfg).map(|latch| (latch, LoopProperties::of(latch))));
                number += 1;
                natural.set_number(&cfg, FINISHED, number);
            }
        }
        Numbered { before }
    }
}

impl Drop for Numbered {
    fn drop(&mut self) {
        self.before.iter().rev().for_each(|&(latch, properties)| properties.set(latch));
    }
}
