//! The loop over one chunk of iterations in the form that clang gives it, and the divisions of its number.

use super::sign::Facts;
use crate::common::reject::RejectLog;
use crate::openmp::nest::{Nest, SharedLoop, stored_before, strip_casts};
use crate::openmp::{self, Call};
use ipda_llvm::{Block, BlockId, Cfg, IntPredicate, Opcode, Value};
use ipda_symbolic::Signedness;
use rustc_hash::FxHashSet;

/// The loops of a function whose iterations are shared; none where a jump leads into a loop.
pub(super) fn shared_loops(cfg: &Cfg) -> Vec<SharedLoop> {
    if cfg.irreducible { Vec::new() } else { Nest::find(cfg, &mut RejectLog::default()).shared }
}

/// Which of a function's calls that prepare a shared loop this is: the same in all copies.
pub(super) fn place_of(call: Value) -> usize {
    let prepares = |value: &Value| {
        value.is_call() && matches!(openmp::decode(*value), Ok(Call::StaticInit(_) | Call::DispatchNext { .. }))
    };
    call.block().function().instructions().take_while(|&value| value != call).filter(prepares).count()
}

/// A loop over numbers from `low` to a bound by one, which is left where it begins.
pub(super) struct Chunk {
    pub before: Block,
    pub header: Block,
    pub body: Block,
    pub latch: Block,
    pub exit: Block,
    blocks: FxHashSet<Block>,
    pub phi: Value,
    pub low: Value,
    pub bound: Value,
    /// What the bound is computed by in the loop's header, each time the same.
    pub bound_by: Vec<Value>,
    /// Whether the bound is the last number, not the one after it.
    pub is_last: bool,
    pub predicate: IntPredicate,
    pub reading: Signedness,
    /// Other values that go from iteration to iteration.
    pub others: Vec<Value>,
    /// What holds before it.
    pub facts: Facts,
}

impl Chunk {
    pub(super) fn find(cfg: &Cfg, shared: &SharedLoop) -> Result<Chunk, String> {
        let other_form = || "the loop has another form than clang's".to_string();
        let natural = &cfg.loops[shared.index];
        let phi = shared.phi;
        let header = cfg.blocks[natural.header];
        let blocks: FxHashSet<Block> = natural.blocks.iter().map(|&block| cfg.blocks[block]).collect();
        let [latch] = natural.latches[..] else { return Err(other_form()) };
        let outside: Vec<BlockId> =
            cfg.predecessors[natural.header].iter().copied().filter(|&from| !natural.contains(from)).collect();
        let [before] = outside[..] else { return Err(other_form()) };
        let (before_id, before, latch) = (before, cfg.blocks[before], cfg.blocks[latch]);
        let from = |block: Block| phi.incoming().into_iter().find(|(_, from)| *from == block).map(|(value, _)| value);
        let (low, next) = from(before).zip(from(latch)).ok_or_else(other_form)?;
        let end = header.terminator().ok_or_else(other_form)?;
        let [body, exit] = end.successors()[..] else { return Err(other_form()) };
        let condition =
            end.branch_condition().filter(|condition| condition.is(Opcode::LLVMICmp)).ok_or_else(other_form)?;
        let (is_last, reading) = read(condition.int_predicate()).ok_or_else(other_form)?;
        let step = match next.is(Opcode::LLVMAdd) {
            true if next.operand(0) == phi => next.operand(1),
            true if next.operand(1) == phi => next.operand(0),
            _ => return Err(other_form()),
        };
        if step.as_int() != Some(1) {
            return Err("the iterations of a thread do not follow one another".into());
        }
        let body_is_own = cfg.id(body).is_some_and(|body| cfg.predecessors[body] == [natural.header]);
        let is_plain =
            condition.operand(0) == phi && condition.users() == [end] && next.users() == [phi] && body_is_own;
        let leads_out = blocks.contains(&body) && !blocks.contains(&exit);
        if !is_plain || !leads_out || before.terminator().is_none_or(|end| end.successors() != [header]) {
            return Err(other_form());
        }
        let bound = condition.operand(1);
        let others: Vec<Value> = header.phis().filter(|&other| other != phi).collect();
        let is_control = |value: &Value| value.is(Opcode::LLVMPHI) || *value == condition || *value == end;
        let bound_by: Vec<Value> = header.instructions().filter(|value| !is_control(value)).collect();
        if !(0..bound_by.len()).all(|at| is_of_bound(shared.call, &bound_by[..=at], &blocks)) {
            return Err(other_form());
        }
        let is_inside = bound.is_instruction() && blocks.contains(&bound.block());
        if is_inside && !bound_by.contains(&bound) {
            return Err("the loop's bound changes in it".into());
        }
        for &block in natural.blocks.iter().filter(|&&block| block != natural.header) {
            for way in cfg.blocks[block].terminator().map(Value::successors).unwrap_or_default() {
                if !blocks.contains(&way) && !ends_program(way, &others) {
                    return Err("the loop can be left in the middle of an iteration (cancel, exception)".into());
                }
            }
        }
        if phi.users().iter().any(|user| !blocks.contains(&user.block())) {
            return Err("the number of the last iteration is used after the loop".into());
        }
        if reading == Signedness::Signed && !begins_natural(cfg, shared) {
            return Err("the first iteration's number is not known to be 0 or more".into());
        }
        let facts = Facts::at(cfg, before_id);
        let predicate = condition.int_predicate();
        Ok(Chunk {
            before,
            header,
            body,
            latch,
            exit,
            blocks,
            phi,
            low,
            bound,
            bound_by,
            is_last,
            predicate,
            reading,
            others,
            facts,
        })
    }

    pub(super) fn contains(&self, value: Value) -> bool {
        value.is_instruction() && self.blocks.contains(&value.block())
    }
}

/// Whether a comparison with a bound includes it, and how it reads both numbers; none where it is another one.
fn read(predicate: IntPredicate) -> Option<(bool, Signedness)> {
    match predicate {
        IntPredicate::LLVMIntSLE => Some((true, Signedness::Signed)),
        IntPredicate::LLVMIntSLT => Some((false, Signedness::Signed)),
        IntPredicate::LLVMIntULE => Some((true, Signedness::Unsigned)),
        IntPredicate::LLVMIntULT => Some((false, Signedness::Unsigned)),
        _ => None,
    }
}

/// Whether the last of some values of a loop's header is the bound that the runtime left, or a sum of that, of values before it and of values from
/// outside of the loop.
fn is_of_bound(call: Value, values: &[Value], blocks: &FxHashSet<Block>) -> bool {
    let Some((&value, before)) = values.split_last() else { return false };
    let is_outside = |part: Value| !part.is_instruction() || !blocks.contains(&part.block());
    let is_known = |part| is_outside(part) || before.contains(&part);
    let is_sum = value.is(Opcode::LLVMAdd) && value.operands().all(is_known);
    is_sum || holds_bound(call, value, blocks)
}

/// Whether a value in a loop's header is the chunk's bound as the runtime left it, in a variable that the loop does not write.
fn holds_bound(call: Value, value: Value, blocks: &FxHashSet<Block>) -> bool {
    if !value.is(Opcode::LLVMLoad) || value.is_volatile_or_atomic() || !value.operand(0).is(Opcode::LLVMAlloca) {
        return false;
    }
    let variable = value.operand(0);
    let is_upper = match openmp::decode(call) {
        Ok(Call::StaticInit(init)) => init.upper == variable,
        Ok(Call::DispatchNext { .. }) => call.call_args().get(4) == Some(&variable),
        _ => false,
    };
    let is_known = |user: Value| match user.opcode() {
        Some(Opcode::LLVMLoad) => true,
        Some(Opcode::LLVMStore) => {
            user.operand(1) == variable && user.operand(0) != variable && !blocks.contains(&user.block())
        }
        // The runtime writes it when it is called, and keeps no pointer to it.
        _ => user == call && !blocks.contains(&user.block()) || user.is_call() && openmp::begins_or_ends_life(user),
    };
    is_upper && variable.users().into_iter().all(is_known)
}

/// Whether the numbers that a runtime call hands out begin with 0, or with what another such call handed out.
fn begins_natural(cfg: &Cfg, shared: &SharedLoop) -> bool {
    let is_natural = |first: Value| {
        let first = strip_casts(first);
        first.as_int().map_or(first.is_argument(), |first| first >= 0)
    };
    match openmp::decode(shared.call) {
        Ok(Call::StaticInit(init)) => stored_before(cfg, shared.call, init.lower).is_some_and(is_natural),
        _ => {
            let calls = cfg.blocks.iter().flat_map(|block| block.instructions()).filter(|value| value.is_call());
            let mut firsts = calls.filter_map(|call| match openmp::decode(call) {
                Ok(Call::DispatchInit { first, .. }) => Some(first),
                _ => None,
            });
            firsts.all(is_natural)
        }
    }
}

/// Whether a block is where an exception that must not leave ends the program.
fn ends_program(block: Block, others: &[Value]) -> bool {
    let uses = |value: Value| value.operands().any(|part| others.contains(&part));
    let ends = block.terminator().is_some_and(|end| end.is(Opcode::LLVMUnreachable));
    ends && !block.instructions().any(uses)
}
