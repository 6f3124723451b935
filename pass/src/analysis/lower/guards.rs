//! What is known wherever a block runs: the branch conditions that dominate it, what the program asks to assume, and that iteration numbers are
//! below trip counts.

use super::{Guarantees, Lowered, Lowering};
use ipda_llvm::{BlockId, Cfg, Opcode, Value};
use ipda_symbolic::{Atom, Facts, Interval, Polynomial, Predicate, Signedness, TripCount};

/// Steps of work that a block's facts take to be looked at, beside those of its conditions.
const STEPS_OF_BLOCK: usize = 8;

impl Lowering<'_> {
    /// What is known to be non-negative whenever `block` runs.
    pub(crate) fn facts_at(&mut self, block: BlockId) -> Facts {
        if let Some((facts, rests_on)) = self.facts.get(block) {
            self.rest_on(rests_on);
            return facts;
        }
        if self.is_deaf_to_facts || self.gives_up(STEPS_OF_BLOCK) {
            return Facts::none();
        }
        let (facts, rests_on) = self.tracked(|this| this.find_facts(block));
        self.facts.insert(block, facts.clone(), rests_on);
        facts
    }

    fn find_facts(&mut self, block: BlockId) -> Facts {
        let Some(above) = self.cfg.immediate_dominator(block) else {
            return self.thread_facts();
        };
        let mut facts = self.facts_at(above);
        if self.cfg.predecessors[block] == [above]
            && !(self.is_deaf_to_overlap && self.tests_overlap(above))
            && let Some(mut condition) = self.branch_condition(above, block)
        {
            if self.may_become_simpler(&condition) {
                condition = self.space.substitute_under(&condition, &facts, &mut |_| None);
            }
            facts = self.space.assume(&facts, &condition);
            self.assume_unequal(&condition, &mut facts);
        }
        self.assume_no_wrap(above, &mut facts);
        self.assume_iterations(block, &mut facts);
        let all = |_: &Value| true;
        for condition in self.assumptions_in(above, all) {
            let condition = self.value_at(condition, above).value;
            facts = self.space.assume(&facts, &condition);
        }
        let own = self.assumptions_in(block, returns);
        if !own.is_empty() {
            // The conditions are lowered in this block: with what is known up to here, for as long.
            let rests_on = self.resting();
            self.facts.insert(block, facts.clone(), rests_on);
            for condition in own {
                let condition = self.value_at(condition, block).value;
                facts = self.space.assume(&facts, &condition);
            }
        }
        facts
    }

    /// Whether a block's branch asks where objects lie, as the vectoriser's tests do: long expressions that say nothing of how often a loop runs.
    fn tests_overlap(&self, block: BlockId) -> bool {
        let terminator = self.cfg.blocks[block].terminator();
        let condition = terminator.filter(|end| end.is(Opcode::LLVMBr)).and_then(Value::branch_condition);
        condition.is_some_and(compares_objects)
    }

    /// A value, or one unknown in its place: where tests before loops say nothing of what is asked, a test that is joined of many parts, and what one of two
    /// values is by such a test. Written out, `n` parts joined by `or` are a polynomial of `2^n - 1` terms, and what depends on it has as many.
    pub(super) fn unless_by_test(&mut self, value: Value, lowered: Lowered) -> Lowered {
        if !self.is_deaf_to_overlap {
            return lowered;
        }
        let is_long = match lowered.bits {
            1 => lowered.value.terms().len() > MAX_TEST_TERMS,
            _ => self.is_by_test(&lowered.value),
        };
        if !is_long {
            return lowered;
        }
        let unknown = self.unknown(value, lowered.bits);
        if unknown.bits == 1 {
            self.tests.extend(unknown.value.as_atom());
        }
        unknown
    }

    /// Whether a value is what it is by a test of many parts.
    pub(super) fn is_by_test(&self, value: &Polynomial) -> bool {
        !self.tests.is_empty() && value.atoms().iter().any(|atom| self.tests.contains(atom))
    }

    /// A branch on a value that the language leaves undefined is undefined itself: behind it, the sums that its condition is made of have not
    /// wrapped, so that they are numbers of their width.
    fn assume_no_wrap(&mut self, above: BlockId, facts: &mut Facts) {
        let terminator = self.cfg.blocks[above].terminator().filter(|end| end.is(Opcode::LLVMBr));
        let mut parts: Vec<Value> = terminator.and_then(Value::branch_condition).into_iter().collect();
        for _ in 0..MAX_CONDITION_PARTS {
            let Some(part) = parts.pop() else { return };
            let is_sum = match part.opcode() {
                Some(Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul) => part.has_nsw(),
                Some(Opcode::LLVMICmp | Opcode::LLVMSExt | Opcode::LLVMTrunc) => false,
                _ => continue,
            };
            parts.extend(part.operands().filter(|operand| operand.is_instruction()));
            let bits = self.bits(part).filter(|_| is_sum);
            let Some(width) = bits.map(|bits| Interval::of_width(bits, Signedness::Signed)) else { continue };
            let lowered = self.value_at(part, above);
            let is_short = lowered.value.terms().len() <= MAX_SUM_TERMS && !self.may_become_simpler(&lowered.value);
            if !lowered.signed || !is_short || self.space.is_within(&lowered.value, &Facts::none(), &width) {
                continue;
            }
            if let (Some(low), Some(high)) = (width.low(), width.high()) {
                facts.assume_nonneg(&Polynomial::from(high.clone()) - &lowered.value);
                facts.assume_nonneg(&lowered.value - &Polynomial::from(low.clone()));
            }
        }
    }

    /// What is not zero, and known not to be on one side of it, is on the other.
    fn assume_unequal(&self, condition: &Polynomial, facts: &mut Facts) {
        for atom in condition.atoms() {
            let Atom::Predicate(Predicate::Zero(p)) = self.space.atom(atom) else { continue };
            if !condition.replace(atom, &Polynomial::from(1)).is_zero() {
                continue;
            }
            let one = Polynomial::from(1);
            if self.space.proves_nonneg(p, facts) {
                facts.assume_nonneg(p - &one);
            } else if self.space.proves_nonneg(&-p, facts) {
                facts.assume_nonneg(&-p - &one);
            }
        }
    }

    /// A value as it is known where the facts of a block hold.
    pub(super) fn known_in(&mut self, value: &Polynomial, block: BlockId) -> Polynomial {
        if !self.may_become_simpler(value) {
            return value.clone();
        }
        let facts = self.facts_at(block);
        self.space.substitute_under(value, &facts, &mut |_| None)
    }

    /// In the body of a loop the iteration number is below the trip count.
    fn assume_iterations(&mut self, block: BlockId, facts: &mut Facts) {
        let Some(index) = self.cfg.loop_of(block) else { return };
        let runs_once_more = self.is_worksharing(index) || self.is_tested_first(index);
        if runs_once_more && self.cfg.loops[index].header == block {
            return;
        }
        let Some((trips, rests_on)) = self.trips.get(index) else { return };
        self.rest_on(rests_on);
        let count = match trips {
            TripCount::Exactly(count) => count,
            TripCount::AtMost(count) if !self.is_handed_out(index) => count,
            _ => return,
        };
        let last = &self.iteration(index) + &Polynomial::from(1);
        for count in self.space.least_of(&count).unwrap_or_else(|| vec![count]) {
            facts.assume_nonneg(&count - &last);
        }
    }

    /// What a block asks to assume, before the first instruction that is not followed by the next one for certain.
    fn assumptions_in(&self, block: BlockId, goes_on: impl Fn(&Value) -> bool) -> Vec<Value> {
        let instructions = self.cfg.blocks[block].instructions().take_while(goes_on);
        instructions.filter(|&value| is_assumption(value)).map(|value| value.operand(0)).collect()
    }

    /// What everything that is known in a block may rest on.
    pub(crate) fn guarantees_at(&self, block: BlockId) -> Guarantees {
        let is_above = |&index: &usize| self.cfg.dominates(self.cfg.loops[index].header, block);
        Guarantees {
            assumed: self.assumed[block],
            loops_end: self.loops_that_must_end.iter().any(is_above),
            inbounds: self.loops_in_objects.iter().any(is_above),
            no_signed_wrap: self.loops_of_signed_sums.iter().any(is_above),
            ..Guarantees::default()
        }
    }
}

/// For each block, whether it or one that dominates it asks to assume something.
pub(super) fn blocks_that_assume(cfg: &Cfg) -> Vec<bool> {
    let mut assumed: Vec<bool> = Vec::with_capacity(cfg.blocks.len());
    // Blocks are in reverse postorder: a block's dominators come before it.
    for (block, contents) in cfg.blocks.iter().enumerate() {
        let above = cfg.immediate_dominator(block).is_some_and(|above| assumed[above]);
        assumed.push(above || contents.instructions().any(is_assumption));
    }
    assumed
}

/// Longer sums are of no use to whoever asks for a count.
const MAX_SUM_TERMS: usize = 4;

/// Parts of a condition in which sums are looked for.
const MAX_CONDITION_PARTS: usize = 8;

/// Terms of a test beyond which it is one unknown: those of three parts.
const MAX_TEST_TERMS: usize = 7;

/// Parts of a test beyond which it is lowered like others.
const MAX_OVERLAP_PARTS: usize = 64;

/// Whether a condition is joined of comparisons one of which is of pointers that are led back to different ones.
fn compares_objects(condition: Value) -> bool {
    let mut parts = vec![condition];
    for _ in 0..MAX_OVERLAP_PARTS {
        let Some(part) = parts.pop() else { return false };
        match part.opcode() {
            Some(Opcode::LLVMAnd | Opcode::LLVMOr | Opcode::LLVMSelect) => parts.extend(part.operands()),
            Some(Opcode::LLVMICmp) => {
                let [left, right] = [0, 1].map(|side| part.operand(side));
                let is_other = left.base_of_address() != right.base_of_address();
                if left.ty().is_pointer() && is_other && !left.is_null() && !right.is_null() {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

fn is_assumption(value: Value) -> bool {
    value.is(Opcode::LLVMCall) && value.calls(|name| name == "llvm.assume")
}

/// Whether an instruction is followed by the next one in its block for certain.
fn returns(value: &Value) -> bool {
    !value.is_call() || value.calls(|name| name.starts_with("llvm."))
}
