//! What grows evenly from one iteration of a loop to the next: its counter, and whatever else goes along with it.

use ipda_llvm::{Block, BlockId, Cfg, Code, NaturalLoop, Opcode, Value, integer};
use ipda_models::report::{ObstacleKind, Reason};
use ipda_symbolic::Signedness;

/// A value at a loop's head that is its start and, for each iteration before this one, one step more.
pub(super) struct Counter {
    phi: Value,
    /// What it is in the next iteration.
    next: Value,
    preheader: Block,
}

/// By what a counter grows.
enum Growth {
    /// Of the counter's width or a greater one; what does not fit is lost in either.
    Plus(Value),
    Minus(Value),
    /// A pointer, by so many elements.
    Elements(Value),
}

impl Counter {
    /// All that a loop's head takes from the iteration before.
    pub(super) fn all(
        cfg: &Cfg,
        natural: &NaturalLoop,
        preheader: BlockId,
        latch: BlockId,
    ) -> Result<Vec<Counter>, Reason> {
        let phis: Vec<Value> = cfg.blocks[natural.header].phis().collect();
        let is_inside =
            |value: Value| value.is_instruction() && cfg.id(value.block()).is_none_or(|at| natural.contains(at));
        let counter = |&phi: &Value| {
            let incoming = phi.incoming();
            let (next, _) = incoming.iter().find(|(_, from)| *from == cfg.blocks[latch])?;
            let counter = Counter { phi, next: *next, preheader: cfg.blocks[preheader] };
            let (Growth::Plus(step) | Growth::Minus(step) | Growth::Elements(step)) = counter.growth()?;
            is_invariant(step, &is_inside, DEEPEST).then_some(counter)
        };
        let counters: Option<Vec<Counter>> = phis.iter().map(counter).collect();
        counters.ok_or_else(|| match phis.len() {
            1 => "its variable does not grow evenly".into(),
            _ => {
                ObstacleKind::CarriedValue.reason("other values than the loop's counter go from iteration to iteration")
            }
        })
    }

    pub(super) fn is_integer(&self) -> bool {
        self.phi.ty().int_bits().is_some()
    }

    /// As the code stands now; none if it does not grow evenly.
    fn growth(&self) -> Option<Growth> {
        let is_phi = |value: Value| value == self.phi;
        if !self.is_integer() && !self.phi.ty().is_pointer() {
            return None;
        }
        match self.next.opcode()? {
            Opcode::LLVMGetElementPtr if is_phi(self.next.operand(0)) && self.next.operands().count() == 2 => {
                Some(Growth::Elements(self.next.operand(1)))
            }
            // What is narrower than an int grows in the width of an int.
            Opcode::LLVMTrunc => plus_or_minus(self.next.operand(0), |value| {
                matches!(value.opcode(), Some(Opcode::LLVMSExt | Opcode::LLVMZExt)) && is_phi(value.operand(0))
            }),
            _ => plus_or_minus(self.next, is_phi),
        }
    }

    /// Gives all who ask for the counter what it is in the iteration of a number that is at least 0.
    pub(super) fn settle(self, here: &Code, number: Value) -> Result<(), Reason> {
        let start = self.phi.incoming().into_iter().find(|(_, from)| *from == self.preheader);
        let (start, _) = start.ok_or("the loop does not begin")?;
        let steps = |step: Value, ty| {
            here.binary(
                Opcode::LLVMMul,
                here.resize(computed_before(here, step, DEEPEST), ty, Signedness::Signed),
                here.resize(number, ty, Signedness::Unsigned),
            )
        };
        let ty = self.phi.ty();
        let value = match self.growth().ok_or("its variable does not grow evenly")? {
            Growth::Plus(step) => here.binary(Opcode::LLVMAdd, start, steps(step, ty)),
            Growth::Minus(step) => here.binary(Opcode::LLVMSub, start, steps(step, ty)),
            Growth::Elements(step) => here.elements(self.next.gep_source(), start, steps(step, integer(number, 64))),
        };
        self.phi.replace_all_uses(value);
        self.phi.erase();
        Ok(())
    }
}

/// How many operations a step is looked through that are computed anew in each iteration, such as `2 * n` of `p += 2 * n`.
const DEEPEST: u32 = 4;

/// Operations without effects that a step may consist of; none where it is taken as it is.
fn operands_of_step(step: Value) -> Option<Vec<Value>> {
    use Opcode::{LLVMAdd, LLVMMul, LLVMSExt, LLVMShl, LLVMSub, LLVMZExt};

    matches!(step.opcode()?, LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMSExt | LLVMZExt)
        .then(|| step.operands().collect())
}

/// Whether a step is the same in all iterations, where it may be computed in each.
fn is_invariant(step: Value, is_inside: &impl Fn(Value) -> bool, depth: u32) -> bool {
    let operands = || operands_of_step(step).filter(|_| depth > 0);
    !is_inside(step)
        || operands().is_some_and(|of| of.into_iter().all(|value| is_invariant(value, is_inside, depth - 1)))
}

/// The same step, computed before the loop.
fn computed_before(here: &Code, step: Value, depth: u32) -> Value {
    let Some(operands) = operands_of_step(step).filter(|_| depth > 0) else { return step };
    let again: Vec<Value> = operands.into_iter().map(|value| computed_before(here, value, depth - 1)).collect();
    match (step.opcode(), &again[..]) {
        (Some(Opcode::LLVMSExt), &[value]) => here.resize(value, step.ty(), Signedness::Signed),
        (Some(Opcode::LLVMZExt), &[value]) => here.resize(value, step.ty(), Signedness::Unsigned),
        (Some(opcode), &[first, second]) => here.binary(opcode, first, second),
        _ => step,
    }
}

fn plus_or_minus(sum: Value, is_phi: impl Fn(Value) -> bool) -> Option<Growth> {
    match sum.opcode()? {
        Opcode::LLVMAdd if is_phi(sum.operand(0)) => Some(Growth::Plus(sum.operand(1))),
        Opcode::LLVMAdd if is_phi(sum.operand(1)) => Some(Growth::Plus(sum.operand(0))),
        Opcode::LLVMSub if is_phi(sum.operand(0)) => Some(Growth::Minus(sum.operand(1))),
        _ => None,
    }
}
