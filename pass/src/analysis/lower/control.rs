//! Control flow as algebra: a path condition is a polynomial that is 1 where control comes to a block and 0 elsewhere, a merge is the sum of definition
//! times condition (gated single assignment: Ottenstein, Ballance and MacCabe, "The Program Dependence Web", PLDI 1990), and the conditions that dominate a
//! block are facts in it.

use super::limits::Limit;
use super::memo::StandIns;
use super::{Guarantees, Lowered, Lowering};
use ipda_llvm::{BlockId, Opcode, Value};
use ipda_symbolic::{Facts, Polynomial, Signedness};

/// Cases of a switch whose conditions are written as sums: the work grows with the third power.
pub(super) const MAX_SWITCH_CASES: usize = 32;

/// Blocks between two of which one is asked whether it always comes after the other.
const MAX_BLOCKS_BETWEEN: usize = 128;

/// Steps of work that a path condition takes to be looked at, beside those of its parts.
const STEPS_OF_PATH: usize = 8;

impl Lowering<'_> {
    pub(super) fn phi(&mut self, value: Value, bits: u32, block: BlockId) -> Lowered {
        if let Some(index) = self.cfg.loops.iter().position(|natural| natural.header == block) {
            return self.header_phi(value, bits, index);
        }
        let incoming: Vec<(Value, BlockId)> =
            value.incoming().into_iter().filter_map(|(value, from)| Some((value, self.cfg.id(from)?))).collect();
        if let [(only, _)] = incoming[..] {
            return self.value_at(only, block);
        }
        let name = self.name_or(value, "a choice");
        let entangled = |this: &mut Self| {
            let varies = this.varies_as_computed(
                value,
                "which of its values it has depends on how a loop was left (return, break, goto)",
            );
            this.opaque(bits, &name, varies)
        };
        let Some(top) = self.cfg.immediate_dominator(block) else { return entangled(self) };
        let Some(top) = self.outside_of_left_loops(top, block) else { return entangled(self) };
        let mut parts = Vec::new();
        for (source, from) in incoming {
            let Some(condition) = self.edge_condition(top, from, block) else { return entangled(self) };
            let lowered = self.value_at(source, block);
            parts.push((condition, lowered));
        }
        let facts = self.facts_at(block);
        match self.gate(parts, bits, &facts) {
            Some(gated) => self.unless_by_test(value, gated),
            None => entangled(self),
        }
    }

    /// The sum of definition times condition, or the minimum or maximum where that is meant. `facts` hold
    /// wherever it is used. None where it grows beyond the algebra's limit.
    pub(super) fn gate(&mut self, parts: Vec<(Polynomial, Lowered)>, bits: u32, facts: &Facts) -> Option<Lowered> {
        let (_, first) = parts.first()?;
        if parts.iter().all(|(_, part)| part.value == first.value) {
            return Some(Lowered {
                signed: parts.iter().all(|(_, part)| part.signed),
                unsigned: parts.iter().all(|(_, part)| part.unsigned),
                rests_on: parts.iter().fold(Guarantees::default(), |all, (_, part)| all.and(part.rests_on)),
                ..first.clone()
            });
        }
        // One view for all parts, exact where possible: a sum of a signed and an unsigned value is neither.
        let view = if parts.iter().all(|(_, part)| part.signed) {
            Some(Signedness::Signed)
        } else if parts.iter().all(|(_, part)| part.unsigned) || bits == 1 {
            Some(Signedness::Unsigned)
        } else if bits < 64 {
            Some(Signedness::Signed)
        } else {
            None
        };
        let mut definitions = Vec::new();
        let mut rests_on = Guarantees::default();
        for (condition, part) in parts {
            let value = match view {
                Some(signedness) => self.exact(&part, signedness),
                None => part.value,
            };
            definitions.push((condition, value));
            rests_on = rests_on.and(part.rests_on);
        }
        let merged = self.space.merge(definitions, facts)?;
        let mut lowered = self.residue(merged, bits, rests_on);
        lowered.signed |= view == Some(Signedness::Signed);
        lowered.unsigned |= view == Some(Signedness::Unsigned);
        Some(lowered)
    }

    /// The condition under which control, being at `top`, comes to `block`. None where loops in between make it
    /// unclear.
    pub(crate) fn path_condition(&mut self, top: BlockId, block: BlockId) -> Option<Polynomial> {
        if top == block {
            return Some(Polynomial::from(1));
        }
        // From inside of a loop to behind it: what decides varies with the loop.
        if self.cfg.loop_chain(self.cfg.loop_of(top)).any(|index| !self.cfg.loops[index].contains(block)) {
            return None;
        }
        if let Some((condition, rests_on)) = self.path_conditions.get((top, block)) {
            self.rest_on(rests_on);
            return condition;
        }
        if self.gives_up(STEPS_OF_PATH) {
            return None;
        }
        let (condition, rests_on) = self.tracked(|this| this.sum_of_paths(top, block));
        let is_constant = condition.as_ref().is_some_and(|condition| condition.as_constant().is_some());
        if !is_constant && self.leads_always(top, block) {
            let always = Some(Polynomial::from(1));
            self.path_conditions.insert((top, block), always.clone(), StandIns::default());
            return always;
        }
        self.path_conditions.insert((top, block), condition.clone(), rests_on);
        condition
    }

    /// Whether control, being at `top`, comes to `block` in any case before `top` is met again, as behind what a function with several returns computes;
    /// conditions of its ways need not add up to one for the algebra, where a way depends on how a loop was left.
    fn leads_always(&self, top: BlockId, block: BlockId) -> bool {
        let around = self.cfg.loop_of(block);
        let is_before = around.is_some_and(|index| {
            let natural = &self.cfg.loops[index];
            natural.header == block && natural.parent == self.cfg.loop_of(top)
        });
        if self.cfg.predecessors[block].len() < 2 || self.cfg.loop_of(top) != around && !is_before {
            return false;
        }
        let (mut open, mut seen) = (vec![top], vec![top]);
        while let Some(at) = open.pop() {
            if seen.len() > MAX_BLOCKS_BETWEEN || self.cfg.successors[at].is_empty() {
                return false;
            }
            // As everywhere, what is thrown is not followed.
            let terminator = self.cfg.blocks[at].terminator();
            let is_call = terminator.is_some_and(|terminator| terminator.is(Opcode::LLVMInvoke));
            let ways = if is_call { &self.cfg.successors[at][..1] } else { &self.cfg.successors[at][..] };
            // What the compiler says is never reached is the rest of a switch over the ways to leave a scope.
            let is_never = |at: BlockId| self.cfg.blocks[at].is_unreachable();
            for &next in ways.iter().filter(|&&next| next != block && !is_never(next)) {
                // Back to a loop around both, or out of it.
                if next <= top || next > block {
                    return false;
                }
                if !seen.contains(&next) {
                    seen.push(next);
                    open.push(next);
                }
            }
        }
        true
    }

    fn sum_of_paths(&mut self, top: BlockId, block: BlockId) -> Option<Polynomial> {
        let mut sum = Polynomial::from(0);
        let mut left_loops = Vec::new();
        for from in self.cfg.predecessors[block].clone() {
            // A back edge: `block` was already reached when it is taken.
            if from >= block {
                continue;
            }
            // A loop all of whose exits lead here is left to here each time it is entered.
            if let Some(index) = self.left_loop(top, from, block)
                && self.exits_only_to(index, block)
            {
                if !left_loops.contains(&index) {
                    left_loops.push(index);
                    sum = &sum + &self.path_condition(top, self.cfg.loops[index].header)?;
                }
                continue;
            }
            sum = &sum + &self.edge_condition(top, from, block)?;
        }
        Some(sum)
    }

    /// The condition under which control, being at `top`, takes the edge.
    pub(super) fn edge_condition(&mut self, top: BlockId, from: BlockId, to: BlockId) -> Option<Polynomial> {
        if from < top || !self.cfg.dominates(top, from) {
            return None;
        }
        // Leaving a loop that lies between: it is left once each time it is entered, by one of its exits.
        if let Some(index) = self.left_loop(top, from, to) {
            let entered = self.path_condition(top, self.cfg.loops[index].header)?;
            let left_here = self.left_by(index, from)?;
            return self.space.product(&entered, &left_here);
        }
        let reached = self.path_condition(top, from)?;
        let taken = self.branch_condition(from, to)?;
        self.space.product(&reached, &taken)
    }

    /// The nearest dominator of `block`, from `top` on, that is in no loop that does not contain the block: what decides between several exits of
    /// a loop is known before it is entered, or not at all.
    fn outside_of_left_loops(&self, top: BlockId, block: BlockId) -> Option<BlockId> {
        let left = self.cfg.loop_chain(self.cfg.loop_of(top)).filter(|&index| !self.cfg.loops[index].contains(block));
        match left.last() {
            Some(index) => self.cfg.immediate_dominator(self.cfg.loops[index].header),
            None => Some(top),
        }
    }

    /// The outermost loop that the edge leaves, of those that do not contain `top`.
    fn left_loop(&self, top: BlockId, from: BlockId, to: BlockId) -> Option<usize> {
        let loops = &self.cfg.loops;
        self.cfg
            .loop_chain(self.cfg.loop_of(from))
            .take_while(|&at| !loops[at].contains(to) && !loops[at].contains(top))
            .last()
    }

    fn exits_only_to(&self, index: usize, target: BlockId) -> bool {
        self.exit_edges(index).all(|(_, to)| to == target)
    }

    /// The condition under which the end of `from` jumps to `to`.
    pub(crate) fn branch_condition(&mut self, from: BlockId, to: BlockId) -> Option<Polynomial> {
        let terminator = self.cfg.blocks[from].terminator()?;
        let target = self.cfg.blocks[to];
        match terminator.opcode()? {
            Opcode::LLVMBr => {
                let successors = terminator.successors();
                if successors.iter().all(|&successor| successor == target) {
                    return Some(Polynomial::from(1));
                }
                let condition = self.value_at(terminator.branch_condition()?, from).value;
                Some(if successors[0] == target { condition } else { self.space.not(&condition) })
            }
            Opcode::LLVMSwitch if terminator.switch_cases().len() > MAX_SWITCH_CASES => {
                self.met(Limit::SwitchCases);
                None
            }
            Opcode::LLVMSwitch => {
                let (value, _) = self.exact_at(terminator.operand(0), Signedness::Signed, from);
                let mut here = Polynomial::from(0);
                let mut any = Polynomial::from(0);
                for (case, destination) in terminator.switch_cases() {
                    let equal = self.space.zero(&(&value - &Polynomial::from(case.as_int()?)));
                    any = &any + &equal;
                    if destination == target {
                        here = &here + &equal;
                    }
                }
                if terminator.successors()[0] == target {
                    here = &here + &self.space.not(&any);
                }
                Some(here)
            }
            Opcode::LLVMInvoke => (terminator.successors()[0] == target).then(|| Polynomial::from(1)),
            _ => None,
        }
    }
}
