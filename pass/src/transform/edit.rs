//! A changed copy of a region's code: one version that a kernel may run.

use super::body::{self, Form, Fused};
use super::chain::{self, Chain};
use super::propose::Choice;
use super::prove::Plan;
use super::schedule::Assignment;
use super::sum::{Read, Sum};
use super::{Condition, Made, check, combine, version};
use crate::analysis::region::Setting;
use crate::openmp::outline::TargetRegion;
use crate::openmp::{self, Call, Schedule, Sharing, Worksharing};
use inkwell::module::Module;
use ipda_llvm::{Block, Code, DeclarationGuard, FunctionCopy, Opcode, Type, Value, append_block, constant, integer};
use ipda_models::report::{ConditionRole, ObstacleKind, Reason};
use ipda_models::versions::{DeviceVersion, GuardCondition, VersionId, VersionState};
use llvm_sys::LLVMIntPredicate;

/// Changed copies of a region's functions, which nothing runs yet, and which are removed unless they are kept.
pub(super) struct Edit {
    pub plan: Plan,
    pub chain: Chain,
    pub copies: Vec<Value>,
    fused: Fused,
    pub is_kept: bool,
}

impl Edit {
    pub(super) fn make(
        setting: &Setting<'_>,
        module: &Module<'_>,
        region: &TargetRegion,
        plan: Plan,
    ) -> Result<Edit, Reason> {
        let chain = Chain::find(region.entry)?;
        if chain.functions.len() < 2 {
            return Err("its threads do not begin at the loop that they share".into());
        }
        let copies = chain.copy(plan.count_given() as u32)?;
        let mut edit = Edit { plan, chain, copies, fused: Fused::default(), is_kept: false };
        edit.fused = edit.change(setting, module, region)?;
        Ok(edit)
    }

    /// For people.
    pub(super) fn told(&self, id: VersionId, state: VersionState) -> DeviceVersion {
        let Plan { choice, conditions, rests_on, .. } = &self.plan;
        // Where something stands between loops, a clause is an error, or changes what they compute.
        let has_clause = choice.has_clause && self.fused.form == Form::Perfect;
        let condition =
            |(text, role): &(String, ConditionRole)| GuardCondition { text: text.clone(), role: Some(role.clone()) };
        DeviceVersion {
            guard: conditions.iter().map(condition).collect(),
            rests_on: rests_on.clone(),
            ..version(id, Choice { has_clause, ..choice.clone() }, state)
        }
    }

    /// What the host has to know of it.
    pub(super) fn made(&self) -> Made {
        let is_inner = |(at, _): &&(usize, Sum)| *at != 0 && self.plan.is_distributed;
        let factors: Vec<Sum> = self.plan.trips.iter().filter(is_inner).map(|(_, trips)| trips.clone()).collect();
        // What the kernel reads on the device, the host does not know: the runtime starts as many teams as for a loop of unknown count.
        let params = self.chain.functions[0].params().len();
        let is_read = factors.iter().flat_map(Sum::given).any(|given| given.param >= params);
        Made { factors: if is_read { vec![Sum::zero()] } else { factors } }
    }

    fn change(&self, setting: &Setting<'_>, module: &Module<'_>, region: &TargetRegion) -> Result<Fused, Reason> {
        let plan = &self.plan;
        let given_to = |function: Value| {
            let params = function.params();
            let given = params[params.len() - plan.count_given()..].to_vec();
            let (choice, given) = given.split_at(usize::from(plan.is_guarded()));
            let (trips, others) = given.split_at(plan.trips.len());
            let bases = &others[..plan.tests.len()];
            // Division by a constant is cheap, where it is seen as one.
            let known = |sum: &Sum, like: Value| Some(Value::int_of(like.ty(), sum.as_constant()?.to_u64()?));
            let trips =
                plan.trips.iter().zip(trips).map(|((at, sum), &given)| (*at, known(sum, given).unwrap_or(given)));
            let trips = trips.collect::<Vec<_>>();
            (choice.first().copied(), trips, bases.to_vec())
        };
        // The kernel is not copied.
        let body = self.copies[self.chain.functions.len() - 2];
        let multiply = |function: Value, sharing: Sharing| {
            let first = function.first_instruction().ok_or("no code")?;
            let (choice, trips, _) = given_to(function);
            let factors = trips.into_iter().filter(|(at, _)| *at != 0).map(|(_, trips)| trips);
            let here = Code::before(first);
            let factor = product(&here, &factors.collect::<Vec<_>>(), first);
            let factor = choice.map_or(factor, |choice| or_one(&here, choice, factor));
            chain::multiply_iterations(function, sharing, factor)
        };
        if plan.is_distributed {
            let is_it = |function: &Value| has(*function, |init| init.sharing == Sharing::Teams);
            let over_teams = self.copies.iter().copied().find(is_it);
            multiply(over_teams.ok_or("it has no loop over teams")?, Sharing::Teams)?;
        }
        // The host's code takes the lesser of what a thread is given and its own count.
        let is_counted = |init: &Worksharing| init.sharing == Sharing::Threads && init.schedule == Schedule::Static;
        if !plan.is_distributed || has(body, is_counted) {
            multiply(body, Sharing::Threads)?;
        }
        let (choice, trips, bases) = given_to(body);
        let tests: Vec<_> = plan.tests.iter().zip(bases).collect();
        let fused = body::fuse(setting.session, body, &plan.mapping, &trips, &tests, choice)?;
        if plan.reduces {
            self.copies.iter().copied().for_each(combine::reorder);
            // Which team runs what, no clause says here; the loops as they were written are shared in the same way then.
            if plan.is_distributed && plan.assignment == Assignment::Default {
                self.copies.iter().copied().for_each(combine::combine_once);
            }
        }
        match self.differs(setting, module, region) {
            Some(problem) => {
                Err(ObstacleKind::Unexpected.reason(format!("the changed code is not as expected: {problem}")))
            }
            None => Ok(fused),
        }
    }

    /// What the kernel would do otherwise than expected if the guard held.
    fn differs(&self, setting: &Setting<'_>, module: &Module<'_>, region: &TargetRegion) -> Option<String> {
        let _untouched = DeclarationGuard::new(module);
        let kernel = FunctionCopy::new(setting.session, region.entry);
        let Some(entry) = self.chain.entry_of(kernel.function()) else { return Some("the kernel is not found".into()) };
        let here = Code::before(entry);
        let choice = self.plan.is_guarded().then(|| Value::int_of(integer(entry, 64), 1));
        let params = self.plan.params_and_reads(&here, &kernel.function().params(), entry, Reading::Unconditionally);
        let given = self.plan.given_before(&here, &params, entry, choice);
        if let Err(problem) = chain::lead_to(entry, self.chain.functions[1], self.copies[0], &given) {
            return Some(problem);
        }
        let changed = TargetRegion {
            kind: region.kind,
            name: region.name.clone(),
            symbol: region.symbol.clone(),
            entry: kernel.function(),
            environment: region.environment,
            extents: region.extents,
        };
        check::differs(setting, &changed, &self.plan.expected)
    }

    /// The shared loop as it was written.
    pub(super) fn written(&self) -> &[Block] {
        &self.fused.written
    }

    /// What is done to copies that will run.
    pub(super) fn finish(&mut self) {
        if self.plan.reduces {
            self.copies.iter().copied().for_each(combine::reorder_combiners);
        }
        self.multiply_by_reciprocals();
    }

    /// Divides by sizes that the copies are given the reciprocals of: a thread has one iteration after the other, and the size is always the
    /// same.
    fn multiply_by_reciprocals(&mut self) {
        let Plan { reciprocals: places, trips, .. } = &self.plan;
        let params = self.copies[self.chain.functions.len() - 2].params();
        let reciprocals = &params[params.len() - places.len()..];
        for division in std::mem::take(&mut self.fused.divisions) {
            if let Some(at) = places.iter().position(|&at| trips[at].0 == division.by) {
                division.multiply(reciprocals[at]);
            }
        }
    }
}

impl Drop for Edit {
    /// Also where the plugin failed halfway: code in between would be no code.
    fn drop(&mut self) {
        if !self.is_kept {
            self.copies.iter().for_each(|made| made.erase_function());
        }
    }
}

impl Plan {
    /// How many more parameters the copies have than the originals.
    pub(super) fn count_given(&self) -> usize {
        usize::from(self.is_guarded()) + self.trips.len() + self.tests.len() + self.reciprocals.len()
    }

    /// The kernel's parameters, and behind them the numbers that it reads.
    pub(super) fn params_and_reads(&self, here: &Code, params: &[Value], like: Value, reading: Reading) -> Vec<Value> {
        let mut all = params.to_vec();
        let needed = self.reads_needed(params.len());
        for (Read { param, offset, bits, when }, is_needed) in self.reads.iter().zip(needed) {
            if !is_needed {
                all.push(Value::int_of(integer(like, 64), 0));
                continue;
            }
            let pointer = here.element(integer(like, 8), params[*param], *offset);
            let ty = integer(like, *bits);
            let value = match reading {
                Reading::WhereItIsThere if !when.is_empty() => {
                    let counts: Vec<Value> = when.iter().map(|count| count.compute(here, &all, like)).collect();
                    let types: Vec<Type> = counts.iter().map(|count| count.ty()).collect();
                    let function = read_if_positive(like, pointer.ty(), ty, &types);
                    here.call(function, &[vec![pointer], counts].concat())
                }
                _ => here.resize(here.load(ty, pointer), integer(like, 64), true),
            };
            all.push(value);
        }
        all
    }

    /// Of each number that could be read, whether anything is computed of it.
    fn reads_needed(&self, params: usize) -> Vec<bool> {
        let mut needed = vec![false; self.reads.len()];
        let note = |needed: &mut Vec<bool>, sum: &Sum| {
            for at in sum.given().iter().filter_map(|given| given.param.checked_sub(params)) {
                needed[at] = true;
            }
        };
        let guard = self.guard.iter().flat_map(Condition::sums);
        let others = self.trips.iter().map(|(_, sum)| sum).chain(self.tests.iter().map(|test| &test.base));
        guard.chain(others).for_each(|sum| note(&mut needed, sum));
        // What tells whether one may be read comes before it.
        for at in (0..needed.len()).rev().collect::<Vec<_>>() {
            if needed[at] {
                self.reads[at].when.iter().for_each(|sum| note(&mut needed, sum));
            }
        }
        needed
    }

    /// Whether the loops run as they were written where a condition does not hold.
    pub(super) fn is_guarded(&self) -> bool {
        !self.guard.is_empty()
    }

    /// What the copies are given beside what the originals are: the choice, which is not 0 where the guard holds, counts, the bases of tests, and
    /// reciprocals.
    pub(super) fn given_before(&self, here: &Code, params: &[Value], like: Value, choice: Option<Value>) -> Vec<Value> {
        let number = |sum: &Sum| sum.compute_low(here, params, like);
        let trips: Vec<Value> = self.trips.iter().map(|(_, trips)| number(trips)).collect();
        let reciprocal = |&at: &usize| {
            // Where the guard holds, they are of what is positive.
            let of = choice.map_or(trips[at], |choice| or_one(here, choice, trips[at]));
            body::reciprocal(here, of, self.number_bits)
        };
        let reciprocals: Vec<Value> = self.reciprocals.iter().map(reciprocal).collect();
        let bases = self.tests.iter().map(|test| number(&test.base));
        choice.into_iter().chain(trips.iter().copied()).chain(bases).chain(reciprocals).collect()
    }
}

/// Whether a kernel may read what its loops may not come to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// It runs.
    WhereItIsThere,
    /// Code that never runs, and is only looked at.
    Unconditionally,
}

/// A function that reads a number where a pointer leads to, if all of some numbers are positive; else it gives 0.
fn read_if_positive(like: Value, pointer: Type, ty: Type, conditions: &[Type]) -> Value {
    let types: Vec<Type> = std::iter::once(pointer).chain(conditions.iter().copied()).collect();
    let function = ipda_llvm::function(like, &types, ".read");
    let params = function.params();
    let [first, then, otherwise] = [0; 3].map(|_| append_block(function));
    let here = Code::at_end(first);
    let is_positive = |number: &Value| here.compare(LLVMIntPredicate::LLVMIntSGT, *number, constant(number.ty(), "0"));
    match params[1..].iter().map(is_positive).reduce(|all, one| here.binary(Opcode::LLVMAnd, all, one)) {
        Some(all) => here.branch_if(all, then, otherwise),
        None => here.branch(then),
    }
    let here = Code::at_end(then);
    here.return_value(here.resize(here.load(ty, params[0]), integer(function, 64), true));
    Code::at_end(otherwise).return_value(Value::int_of(integer(function, 64), 0));
    function
}

/// A number where the choice is not 0, else 1.
fn or_one(here: &Code, choice: Value, number: Value) -> Value {
    let holds = here.compare(LLVMIntPredicate::LLVMIntNE, choice, Value::int_of(choice.ty(), 0));
    here.select(holds, number, Value::int_of(number.ty(), 1))
}

fn has(function: Value, is_it: impl Fn(&Worksharing) -> bool) -> bool {
    let mut calls = function.instructions().filter(|value| value.is_call());
    calls.any(|call| matches!(openmp::decode(call), Ok(Call::StaticInit(init)) if is_it(&init)))
}

fn product(here: &Code, factors: &[Value], like: Value) -> Value {
    let one = Value::int_of(integer(like, 64), 1);
    factors.iter().fold(one, |product, &factor| here.binary(Opcode::LLVMMul, product, factor))
}
