//! Loops fused into the number of a thread: what is legal and pays is done on copies of the region's code, which run where a guard holds.

mod body;
pub(crate) mod build;
mod chain;
mod check;
mod combine;
mod counter;
pub(crate) mod fallback;
mod guard;
pub(crate) mod nested;
mod plan;
mod profit;
mod schedule;
mod sum;

use crate::analyse::Setting;
use crate::ir::{Block, DeclarationGuard, FunctionCopy, Opcode, Type, Value};
use crate::omp::{self, Call, Schedule, Sharing, Worksharing};
use crate::outline::TargetRegion;
use body::{Form, Fused};
use build::{Code, Returned, append_block, integer};
use chain::Chain;
use guard::{Condition, Extent};
use inkwell::module::Module;
use ipda_models::report::{ConditionRole, ObstacleKind, Reason, Transformation, TransformationState};
use ipda_models::versions::{DeviceVersion, GuardCondition, Recipe, VersionId, VersionState};
use llvm_sys::LLVMIntPredicate;
use plan::{Choice, Finding, Plan};
pub(crate) use plan::{Found, plan, without_plan};
use schedule::Assignment;
pub(crate) use sum::Sum;

const OVERSUBSCRIPTION: &str = "the compiler was told to assume that there is a thread for each iteration as written";

/// What became of a region.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Outcome {
    /// For people; none where there is nothing to fuse.
    pub told: Option<Transformation>,
    /// By which numbers, multiplied, the loop that is shared among teams has more iterations than the one that was written.
    pub factors: Vec<Sum>,
}

impl Outcome {
    /// Of a region at which the plugin itself failed.
    pub(crate) fn failed() -> Outcome {
        let text = "internal error: please report this with the source file";
        let told = told(TransformationState::Left, None, vec![ObstacleKind::Unexpected.reason(text)]);
        Outcome { told: Some(told), factors: Vec::new() }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.told.as_ref().is_some_and(|told| told.state == TransformationState::Done)
    }
}

/// Loops that stay as they are, and why; what would be better, where that is known, does not come about for the same reasons.
fn told(state: TransformationState, choice: Option<Choice>, reasons: Vec<Reason>) -> Transformation {
    match choice {
        Some(choice) => {
            let version = DeviceVersion { reasons, ..version(choice, VersionState::Left) };
            Transformation { state, reasons: Vec::new(), versions: vec![version] }
        }
        None => Transformation { state, reasons, versions: Vec::new() },
    }
}

fn version(choice: Choice, state: VersionState) -> DeviceVersion {
    DeviceVersion {
        id: VersionId::new(1),
        state,
        recipe: Recipe::fused(choice.threads, choice.is_interchange),
        gain: Some(choice.gain),
        guard: Vec::new(),
        rests_on: Vec::new(),
        reasons: Vec::new(),
        clause: choice.clause,
    }
}

/// Fuses loops of a region's kernel as it was found that they may be and should be, or only tries.
pub(crate) fn carry_out(
    setting: &Setting<'_>,
    module: &Module<'_>,
    region: &TargetRegion,
    Found(found): Found,
    applies: bool,
) -> Outcome {
    let outcome = |told| Outcome { told: Some(told), factors: Vec::new() };
    let found = match found {
        // A loop that is run without going round, by as many threads as the host counts, would lose iterations.
        Finding::Better(plan) if omp::assumes_oversubscription(module) => {
            let reason = ObstacleKind::Oversubscription.reason(OVERSUBSCRIPTION);
            Finding::Left(Some(plan.choice.clone()), vec![reason])
        }
        // Whoever debugs code wants it as it was written.
        Finding::Better(plan) if region.entry.is_not_optimised() => {
            let reason = ObstacleKind::NotOptimised.reason("it is compiled without optimisation");
            Finding::Left(Some(plan.choice.clone()), vec![reason])
        }
        found => found,
    };
    let plan = match found {
        Finding::Nothing => return Outcome::default(),
        Finding::Best => return outcome(told(TransformationState::Best, None, Vec::new())),
        Finding::Left(choice, reasons) => return outcome(told(TransformationState::Left, choice, reasons)),
        Finding::Better(plan) => plan,
    };
    // Where something stands between loops, a clause is an error, or changes what they compute.
    let without_clause = Choice { clause: None, ..plan.choice.clone() };
    let left = |reason| outcome(told(TransformationState::Left, Some(without_clause.clone()), vec![reason]));
    let edit = match Edit::make(setting, module, region, &plan) {
        Ok(edit) => edit,
        Err(reason) => return left(reason),
    };
    let choice = if edit.fused.form == Form::Perfect { plan.choice.clone() } else { without_clause.clone() };
    let (state, made) = match applies {
        true => match edit.dispatch(region.entry, &plan) {
            Ok(()) => (TransformationState::Done, VersionState::Made),
            Err(reason) => return left(reason),
        },
        false => (TransformationState::Possible, VersionState::Possible),
    };
    let condition = |(text, role): (String, ConditionRole)| GuardCondition { text, role: Some(role) };
    let guard = plan.conditions.iter().cloned().map(condition).collect();
    let version = DeviceVersion { guard, rests_on: plan.rests_on.clone(), ..version(choice, made) };
    let told = Transformation { state, reasons: Vec::new(), versions: vec![version] };
    let is_launched = applies && plan.is_distributed;
    let factors = plan.trips.iter().filter(|(at, _)| *at != 0 && is_launched).map(|(_, trips)| trips.clone()).collect();
    Outcome { told: Some(told), factors }
}

/// Changed copies of a region's code, which nothing runs yet, and which are removed unless they are kept.
struct Edit {
    chain: Chain,
    copies: Vec<Value>,
    /// What leads to the copies or to the code as it was, callers last.
    choosers: Vec<Value>,
    fused: Fused,
    is_kept: bool,
}

impl Edit {
    fn make(setting: &Setting<'_>, module: &Module<'_>, region: &TargetRegion, plan: &Plan) -> Result<Edit, Reason> {
        let chain = Chain::find(region.entry)?;
        if chain.functions.len() < 2 {
            return Err("its threads do not begin at the loop that they share".into());
        }
        let copies = chain.copy(plan.count_given() as u32)?;
        let mut edit = Edit { chain, copies, choosers: Vec::new(), fused: Fused::default(), is_kept: false };
        edit.fused = edit.change(setting, module, region, plan)?;
        Ok(edit)
    }

    fn change(
        &self,
        setting: &Setting<'_>,
        module: &Module<'_>,
        region: &TargetRegion,
        plan: &Plan,
    ) -> Result<Fused, Reason> {
        let given_to = |function: Value| {
            let params = function.params();
            let given = params[params.len() - plan.count_given()..].to_vec();
            let (trips, others) = given.split_at(plan.trips.len());
            let bases = &others[..plan.tests.len()];
            // Division by a constant is cheap, where it is seen as one.
            let known = |sum: &Sum, like: Value| Some(Value::int_of(like.ty(), sum.as_constant()?.to_u64()?));
            let trips =
                plan.trips.iter().zip(trips).map(|((at, sum), &given)| (*at, known(sum, given).unwrap_or(given)));
            let trips = trips.collect::<Vec<_>>();
            (trips, bases.to_vec())
        };
        // The kernel is not copied.
        let body = self.copies[self.chain.functions.len() - 2];
        let multiply = |function: Value, sharing: Sharing| {
            let first = function.first_instruction().ok_or("no code")?;
            let factors = given_to(function).0.into_iter().filter(|(at, _)| *at != 0).map(|(_, trips)| trips);
            let factor = product(&Code::before(first), &factors.collect::<Vec<_>>(), first);
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
        let (trips, bases) = given_to(body);
        let tests: Vec<_> = plan.tests.iter().zip(bases).collect();
        let fused = body::fuse(setting.session, body, &plan.threads, &trips, &tests)?;
        if plan.reduces {
            self.copies.iter().copied().for_each(combine::reorder);
            // Only of the fused loop iterations are as good in any order.
            if plan.is_distributed && plan.assignment == Assignment::Default {
                self.copies.iter().copied().for_each(combine::combine_once);
            }
        }
        match self.differs(setting, module, region, plan) {
            Some(problem) => {
                Err(ObstacleKind::Unexpected.reason(format!("the changed code is not as expected: {problem}")))
            }
            None => Ok(fused),
        }
    }

    /// What the kernel would do otherwise than expected if the guard held.
    fn differs(
        &self,
        setting: &Setting<'_>,
        module: &Module<'_>,
        region: &TargetRegion,
        plan: &Plan,
    ) -> Option<String> {
        let _untouched = DeclarationGuard::new(module);
        let kernel = FunctionCopy::new(setting.session, region.entry);
        let Some(entry) = self.chain.entry_of(kernel.function()) else { return Some("the kernel is not found".into()) };
        let here = Code::before(entry);
        let trips = plan.given_before(&here, &kernel.function().params(), entry);
        if let Err(problem) = chain::lead_to(entry, self.chain.functions[1], self.copies[0], &trips) {
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
        plan::differs(setting, &changed, &plan.expected)
    }

    /// Lets a kernel run the copy where the guard holds, else its own code.
    fn dispatch(mut self, kernel: Value, plan: &Plan) -> Result<(), Reason> {
        if plan.reduces {
            self.copies.iter().copied().for_each(combine::reorder_combiners);
        }
        self.multiply_by_reciprocals(plan);
        let (entry, original) = (self.chain.entry(), self.chain.functions[1]);
        let guard = guard::function(&plan.guard, kernel, original);
        self.choosers.extend(guard);
        let next = if guard.is_some() { self.either(plan)? } else { self.copies[0] };
        if let Some(problem) = check::starts_more_than_once(kernel, original, next) {
            return Err(ObstacleKind::Unexpected.reason(problem));
        }
        self.is_kept = true;
        let here = Code::before(entry);
        let params = kernel.params();
        let trips = plan.given_before(&here, &params, entry);
        let Some(guard) = guard else {
            let given = plan.with_reciprocals(&here, &trips);
            return chain::lead_to(entry, original, next, &given).map(drop).map_err(Reason::from);
        };
        let guard = here.call(guard, &params);
        chain::lead_to(entry, original, next, &[&trips[..], &[guard]].concat())?;
        self.copies.iter().copied().for_each(Value::keep_quiet);
        if plan.falls_back {
            self.chain.functions[1..].iter().copied().for_each(fallback::mark);
        }
        Ok(())
    }

    /// A function that runs the copy or the code as it was, by what the guard said. It takes what the first copy does, and the guard's answer.
    /// Where the kernel wraps the function that starts the runtime, that one is not in both: the choice is made behind it.
    fn either(&mut self, plan: &Plan) -> Result<Value, String> {
        let head = self.chain.head;
        let (original, copy) = (self.chain.functions[head + 1], self.copies[head]);
        let answer = integer(copy, 64);
        let types: Vec<Type> = copy.params().into_iter().map(Value::ty).chain([answer]).collect();
        let either = build::function(original, &types, Returned::Nothing, ".either");
        self.choosers.push(either);
        let given = either.params();
        let count = original.params().len();
        let blocks = [append_block(either), append_block(either), append_block(either)];
        let here = Code::at_end(blocks[0]);
        let holds = here.compare(LLVMIntPredicate::LLVMIntNE, given[given.len() - 1], Value::int_of(answer, 0));
        here.branch_if(holds, blocks[1], blocks[2]);
        let start = |block: Block, callee: Value, args: &[Value]| {
            let code = Code::at_end(block);
            code.call(callee, args);
            code.return_void();
        };
        let first = given.len() - 1 - plan.count_given();
        let computed = plan.with_reciprocals(&Code::at_end(blocks[1]), &given[first..given.len() - 1]);
        start(blocks[1], copy, &[&given[..first], &computed].concat());
        start(blocks[2], original, &given[..count]);
        if head == 0 { Ok(either) } else { self.wrapped(copy, either) }
    }

    /// The copy of the function that starts the runtime, made anew so that it hands the guard's answer on to `either` where it led to `copy`.
    fn wrapped(&mut self, copy: Value, either: Value) -> Result<Value, String> {
        const OTHER_FORM: &str = "its kernel begins in another form than clang's";
        if self.chain.head > 1 {
            return Err(OTHER_FORM.into());
        }
        let without_answer = self.copies.remove(0);
        let wrapper = chain::with_more(without_answer, 1, ".guarded");
        without_answer.erase_function();
        let link = chain::call_to(wrapper, copy);
        let answer = *wrapper.params().last().expect("the parameter that was added");
        let starter = link.ok_or(OTHER_FORM.to_string()).and_then(|link| chain::lead_to(link, copy, either, &[answer]));
        self.choosers.extend(starter.as_ref().ok().copied().flatten());
        self.choosers.push(wrapper);
        starter.map(|_| wrapper)
    }
}

impl Edit {
    /// Divides by sizes that the copies are given the reciprocals of: a thread has one iteration after the other, and the size is always the
    /// same.
    fn multiply_by_reciprocals(&mut self, plan: &Plan) {
        let params = self.copies[self.chain.functions.len() - 2].params();
        let reciprocals = &params[params.len() - plan.reciprocals.len()..];
        for division in std::mem::take(&mut self.fused.divisions) {
            if let Some(at) = plan.reciprocals.iter().position(|&at| plan.trips[at].0 == division.by) {
                division.multiply(reciprocals[at]);
            }
        }
    }
}

impl Drop for Edit {
    /// Also where the plugin failed halfway: code in between would be no code.
    fn drop(&mut self) {
        if !self.is_kept {
            self.choosers.iter().rev().chain(&self.copies).for_each(|made| made.erase_function());
        }
    }
}

impl Plan {
    /// How many more parameters the copies have than the originals.
    fn count_given(&self) -> usize {
        self.trips.len() + self.tests.len() + self.reciprocals.len()
    }

    /// What the copies are given beside what the originals are; the reciprocals are still missing.
    fn given_before(&self, here: &Code, params: &[Value], like: Value) -> Vec<Value> {
        let number = |sum: &Sum| sum.compute_low(here, params, like);
        let trips = self.trips.iter().map(|(_, trips)| trips);
        let missing = self.reciprocals.iter().map(|_| Value::int_of(integer(like, 64), 0));
        trips.chain(self.tests.iter().map(|test| &test.base)).map(number).chain(missing).collect()
    }

    /// The same with reciprocals, where it is known that all that they are of is positive.
    fn with_reciprocals(&self, here: &Code, given: &[Value]) -> Vec<Value> {
        let mut given = given.to_vec();
        let missing = given.len() - self.reciprocals.len();
        for (place, &at) in self.reciprocals.iter().enumerate() {
            given[missing + place] = body::reciprocal(here, given[at], self.number_bits);
        }
        given
    }
}

fn has(function: Value, is_it: impl Fn(&Worksharing) -> bool) -> bool {
    let mut calls = function.instructions().filter(|value| value.is_call());
    calls.any(|call| matches!(omp::decode(call), Ok(Call::StaticInit(init)) if is_it(&init)))
}

fn product(here: &Code, factors: &[Value], like: Value) -> Value {
    let one = Value::int_of(integer(like, 64), 1);
    factors.iter().fold(one, |product, &factor| here.binary(Opcode::LLVMMul, product, factor))
}
