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
    /// What of its step is computed anew in each iteration.
    computed_inside: Vec<Value>,
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
            let computed_inside = Vec::new();
            let mut counter = Counter { phi, next: *next, preheader: cfg.blocks[preheader], computed_inside };
            let (Growth::Plus(step) | Growth::Minus(step) | Growth::Elements(step)) = counter.growth()?;
            collect_inside(step, &is_inside, &mut counter.computed_inside).then_some(counter)
        };
        let counters: Option<Vec<Counter>> = phis.iter().map(counter).collect();
        counters.ok_or_else(|| match phis.len() {
            1 => "its variable does not grow evenly".into(),
            _ => {
                ObstacleKind::CarriedValue.reason("other values than the loop's counter go from iteration to iteration")
            }
        })
    }

    /// Whether it is that value.
    pub(super) fn is(&self, value: Value) -> bool {
        self.phi == value
    }

    /// Where it begins.
    pub(super) fn start(&self) -> Option<Value> {
        let start = self.phi.incoming().into_iter().find(|(_, from)| *from == self.preheader);
        start.map(|(start, _)| start)
    }

    /// By how much a number grows in its own width, if that is a constant.
    pub(super) fn constant_step(&self) -> Option<i64> {
        if !self.is_integer() || self.next.is(Opcode::LLVMTrunc) {
            return None;
        }
        match self.growth()? {
            Growth::Plus(step) => step.as_int(),
            Growth::Minus(step) => step.as_int()?.checked_neg(),
            Growth::Elements(_) => None,
        }
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

    /// A step, computed before the loop.
    fn computed_before(&self, here: &Code, step: Value) -> Value {
        if !self.computed_inside.contains(&step) {
            return step;
        }
        let again: Vec<Value> = step.operands().map(|value| self.computed_before(here, value)).collect();
        match (step.opcode(), &again[..]) {
            (Some(Opcode::LLVMSExt), &[value]) => here.resize(value, step.ty(), Signedness::Signed),
            (Some(Opcode::LLVMZExt), &[value]) => here.resize(value, step.ty(), Signedness::Unsigned),
            (Some(opcode), &[first, second]) => here.binary(opcode, first, second),
            _ => step,
        }
    }

    /// Gives all who ask for the counter what it is in the iteration of a number that is at least 0.
    pub(super) fn settle(self, here: &Code, number: Value) -> Result<(), Reason> {
        let start = self.start().ok_or("the loop does not begin")?;
        let steps = |step: Value, ty| {
            here.binary(
                Opcode::LLVMMul,
                here.resize(self.computed_before(here, step), ty, Signedness::Signed),
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

/// The operations inside of a loop that a step consists of, such as those of `p += 2 * n`; whether it is the same in all iterations.
fn collect_inside(step: Value, is_inside: &impl Fn(Value) -> bool, found: &mut Vec<Value>) -> bool {
    use Opcode::{LLVMAdd, LLVMMul, LLVMSExt, LLVMShl, LLVMSub, LLVMZExt};
    const MOST: usize = 8;

    if !is_inside(step) {
        return true;
    }
    let is_operation = matches!(step.opcode(), Some(LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMSExt | LLVMZExt))
        && found.len() < MOST;
    found.push(step);
    is_operation && step.operands().collect::<Vec<_>>().into_iter().all(|value| collect_inside(value, is_inside, found))
}

fn plus_or_minus(sum: Value, is_phi: impl Fn(Value) -> bool) -> Option<Growth> {
    match sum.opcode()? {
        Opcode::LLVMAdd if is_phi(sum.operand(0)) => Some(Growth::Plus(sum.operand(1))),
        Opcode::LLVMAdd if is_phi(sum.operand(1)) => Some(Growth::Plus(sum.operand(0))),
        Opcode::LLVMSub if is_phi(sum.operand(0)) => Some(Growth::Minus(sum.operand(1))),
        _ => None,
    }
}
