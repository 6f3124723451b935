//! Values in registers that go from one iteration to the next: the phis of loop headers, and what is used after the loop.

use super::result::{Scalar, ScalarKind};
use super::updates::operation;
use crate::analysis::region::Analysis;
use ipda_llvm::{Opcode, Operation, Value};
use ipda_symbolic::{Atom, Varies};
use rustc_hash::FxHashSet;

/// Values of a recurrence beyond which it is not looked into.
const MAX_CYCLE: usize = 64;

impl Analysis<'_> {
    /// The values that a loop's iterations hand on, in program order.
    pub(super) fn scalars(&mut self, index: usize) -> Vec<(Value, Scalar)> {
        let cfg = self.cfg;
        let mut scalars = Vec::new();
        let header = cfg.loops[index].header;
        let is_number = |phi: Value, this: &Self| this.nest.shared_at(index).is_some_and(|shared| shared.phi == phi);
        let mut reported: FxHashSet<Value> = FxHashSet::default();
        for phi in cfg.blocks[header].phis() {
            if is_number(phi, self) {
                continue;
            }
            let cycle = self.cycle(phi, index);
            reported.extend(&cycle);
            // What no iteration looks at, the last one leaves behind.
            let kind = match cycle.len() == 1 && !self.is_read_in(phi, index) {
                true => ScalarKind::LastValue,
                false if self.has_closed_form(phi, index) => ScalarKind::Induction,
                false => cycle_kind(self, &cycle, index),
            };
            scalars.push((phi, self.scalar(phi, kind)));
        }
        scalars.extend(self.last_values(index, &reported));
        scalars
    }

    fn scalar(&self, value: Value, kind: ScalarKind) -> Scalar {
        let name = self.names.variables.get(&value).cloned();
        let place = |value: Value| value.location();
        let location = place(value).or_else(|| {
            let next = if value.is(Opcode::LLVMPHI) { value.incoming() } else { Vec::new() };
            next.into_iter().map(|(value, _)| value).filter(|value| value.is_instruction()).find_map(place)
        });
        Scalar { name, kind, location }
    }

    /// Whether a value is a function of iteration numbers and of what the loop does not change.
    fn has_closed_form(&mut self, phi: Value, index: usize) -> bool {
        let ty = phi.ty();
        if ty.int_bits().is_none_or(|bits| bits > 64) && !ty.is_pointer() {
            return false;
        }
        let value = self.lowering.lower(phi).value;
        if self.lowering.has_changing_loads(&value, index) {
            return false;
        }
        let id = self.lowering.loop_id(index);
        let space = &self.lowering.space;
        !space.depends_on(&value, |atom| match space.atom(atom) {
            Atom::Symbol(symbol) => match &symbol.varies {
                Varies::No => false,
                Varies::WithLoops(loops) => loops.contains(&id),
                Varies::Thread | Varies::Data(_) | Varies::PerThread(_) => true,
            },
            _ => false,
        })
    }

    fn is_read_in(&self, value: Value, index: usize) -> bool {
        let natural = &self.cfg.loops[index];
        value.users().iter().any(|user| self.cfg.id(user.block()).is_some_and(|at| natural.contains(at)))
    }

    /// The values of a loop that a header phi is computed from and that are computed from it.
    fn cycle(&self, phi: Value, index: usize) -> Vec<Value> {
        let is_inside = |value: Value| {
            value.is_instruction() && self.cfg.id(value.block()).is_some_and(|at| self.cfg.loops[index].contains(at))
        };
        let mut behind: FxHashSet<Value> = FxHashSet::default();
        let mut open = vec![phi];
        while let Some(at) = open.pop() {
            open.extend(at.users().into_iter().filter(|&user| is_inside(user) && behind.insert(user)));
        }
        // From the phi's next values backwards, among what comes behind it.
        let mut cycle = vec![phi];
        let mut open = vec![phi];
        while let Some(at) = open.pop() {
            let operands: Vec<Value> = match at.opcode() {
                Some(Opcode::LLVMPHI) => at.incoming().into_iter().map(|(value, _)| value).collect(),
                _ => at.operands().collect(),
            };
            for operand in operands {
                if is_inside(operand)
                    && behind.contains(&operand)
                    && !cycle.contains(&operand)
                    && cycle.len() < MAX_CYCLE
                {
                    cycle.push(operand);
                    open.push(operand);
                }
            }
        }
        cycle
    }

    /// What is computed in each iteration and used after the loop.
    fn last_values(&self, index: usize, reported: &FxHashSet<Value>) -> Vec<(Value, Scalar)> {
        let cfg = self.cfg;
        let natural = &cfg.loops[index];
        let mut found = Vec::new();
        for &block in &natural.blocks {
            for value in cfg.blocks[block].instructions() {
                let is_outside = |user: Value| cfg.id(user.block()).is_some_and(|at| !natural.contains(at));
                if !reported.contains(&value) && value.users().into_iter().any(is_outside) {
                    found.push((value, self.scalar(value, ScalarKind::LastValue)));
                }
            }
        }
        found
    }
}

/// What a cycle of values is that has no closed form.
fn cycle_kind(analysis: &Analysis<'_>, cycle: &[Value], index: usize) -> ScalarKind {
    let in_cycle: FxHashSet<Value> = cycle.iter().copied().collect();
    // Values that change places are sums of others in each iteration.
    let header = analysis.cfg.blocks[analysis.cfg.loops[index].header];
    if header.phis().filter(|phi| in_cycle.contains(phi)).count() > 1 {
        return ScalarKind::Recurrence;
    }
    let mut found: Option<Operation> = None;
    let mut tests: FxHashSet<Value> = FxHashSet::default();
    for &value in cycle {
        let is_choice = value.is(Opcode::LLVMPHI)
            || value.is(Opcode::LLVMSelect) && !in_cycle.contains(&value.operand(0)) && {
                in_cycle.contains(&value.operand(1)) && in_cycle.contains(&value.operand(2))
            };
        if is_choice {
            // Each way must hand on what was there.
            if value.is(Opcode::LLVMPHI) && !hands_on(analysis, value, &in_cycle, index) {
                return ScalarKind::Recurrence;
            }
            continue;
        }
        let is_carried = |operand: Value| in_cycle.contains(&operand) && !is_test(operand);
        // The test of a minimum or maximum belongs to it.
        if is_test(value) {
            tests.insert(value);
            continue;
        }
        match operation(value, is_carried) {
            Some((operation, _)) if found.is_none_or(|known| known == operation) => {
                if value.is(Opcode::LLVMSelect) {
                    tests.insert(value.operand(0));
                }
                found = Some(operation);
            }
            _ => return ScalarKind::Recurrence,
        }
    }
    let natural = &analysis.cfg.loops[index];
    let is_inside = |user: &Value| analysis.cfg.id(user.block()).is_some_and(|at| natural.contains(at));
    let Some(operation) = found else { return ScalarKind::Recurrence };
    // A test that chooses nothing of the cycle is a use of its own.
    let chooses = |test: &Value| test.users().iter().all(|user| in_cycle.contains(user) && user.is(Opcode::LLVMSelect));
    if !tests.iter().all(chooses) {
        return ScalarKind::Scan { operation: operation.name.into() };
    }
    let is_used = |value: &Value| {
        let users = value.users();
        users.iter().any(|user| is_inside(user) && !in_cycle.contains(user) && !tests.contains(user))
    };
    match cycle.iter().any(is_used) {
        true => ScalarKind::Scan { operation: operation.name.into() },
        false => ScalarKind::Reduction(operation),
    }
}

/// Whether all that a phi may be inside of the loop comes from the cycle.
fn hands_on(analysis: &Analysis<'_>, phi: Value, in_cycle: &FxHashSet<Value>, index: usize) -> bool {
    let natural = &analysis.cfg.loops[index];
    phi.incoming().into_iter().all(|(value, from)| {
        let from_outside = analysis.cfg.id(from).is_none_or(|from| !natural.contains(from));
        from_outside || in_cycle.contains(&value)
    })
}

fn is_test(value: Value) -> bool {
    matches!(value.opcode(), Some(Opcode::LLVMICmp | Opcode::LLVMFCmp))
}
