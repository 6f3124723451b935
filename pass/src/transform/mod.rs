//! Loops fused into the number of a thread: what is legal and pays is done on copies of the region's code, which run where a guard holds.

mod body;
pub(crate) mod build;
mod chain;
mod check;
mod plan;
mod profit;
mod sum;

use crate::analyse::Setting;
use crate::ir::{DeclarationGuard, FunctionCopy, Opcode, Value};
use crate::outline::TargetRegion;
use build::{Code, append_block, constant, integer};
use chain::Chain;
use inkwell::module::Module;
use ipda_models::report::{Reason, Transformation, TransformationState};
use llvm_sys::LLVMIntPredicate;
use plan::{Choice, Finding, Plan};
pub(crate) use sum::Sum;

const OVERSUBSCRIPTION: &str = "the compiler was told to assume that there is a thread for each iteration as written";

/// What became of a region.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Outcome {
    /// For people; none where there is nothing to fuse.
    pub told: Option<Transformation>,
    /// By which numbers, multiplied, the loop that is launched has more iterations than the one that was written.
    pub factors: Vec<Sum>,
}

/// Fuses loops of a region's kernel where that is legal and pays, or only finds out.
pub(crate) fn transform(setting: &Setting<'_>, module: &Module<'_>, region: &TargetRegion, applies: bool) -> Outcome {
    let told = |state, choice: Option<Choice>, reasons: Vec<Reason>| {
        let (threads, is_interchange, gain, clause) = match choice {
            Some(choice) => (choice.threads, choice.is_interchange, Some(choice.gain), choice.clause),
            None => Default::default(),
        };
        Transformation { state, threads, is_interchange, gain, conditions: Vec::new(), reasons, clause }
    };
    let outcome = |told| Outcome { told: Some(told), factors: Vec::new() };
    let found = {
        let _untouched = DeclarationGuard::new(module);
        plan::plan(setting, region)
    };
    let found = match found {
        // A loop that is run without going round, by as many threads as the host counts, would lose iterations.
        Finding::Better(plan) if crate::omp::assumes_oversubscription(module) => {
            Finding::Left(Some(plan.choice.clone()), vec![OVERSUBSCRIPTION.into()])
        }
        found => found,
    };
    let plan = match found {
        Finding::Nothing => return Outcome::default(),
        Finding::Best => return outcome(told(TransformationState::Best, None, Vec::new())),
        Finding::Left(choice, reasons) => return outcome(told(TransformationState::Left, choice, reasons)),
        Finding::Better(plan) => plan,
    };
    let state = match Edit::make(setting, module, region, &plan) {
        Err(reason) => {
            return outcome(told(TransformationState::Left, Some(plan.choice.clone()), vec![reason]));
        }
        Ok(edit) if applies => {
            edit.dispatch(region.entry, &plan);
            TransformationState::Done
        }
        Ok(edit) => {
            edit.undo();
            TransformationState::Possible
        }
    };
    let conditions = plan.conditions.clone();
    let told = Transformation { conditions, ..told(state, Some(plan.choice.clone()), Vec::new()) };
    let factors = plan.trips.iter().filter(|(at, _)| *at != 0).map(|(_, trips)| trips.clone()).collect();
    Outcome { told: Some(told), factors: if applies { factors } else { Vec::new() } }
}

/// Changed copies of a region's code, which nothing runs yet.
struct Edit {
    chain: Chain,
    copies: Vec<Value>,
}

impl Edit {
    fn make(setting: &Setting<'_>, module: &Module<'_>, region: &TargetRegion, plan: &Plan) -> Result<Edit, Reason> {
        let chain = Chain::find(region.entry)?;
        let copies = chain.copy((plan.trips.len() + plan.tests.len()) as u32)?;
        let edit = Edit { chain, copies };
        match edit.change(setting, module, region, plan) {
            Ok(()) => Ok(edit),
            Err(reason) => {
                edit.undo();
                Err(reason.into())
            }
        }
    }

    fn change(
        &self,
        setting: &Setting<'_>,
        module: &Module<'_>,
        region: &TargetRegion,
        plan: &Plan,
    ) -> Result<(), String> {
        let given_to = |function: Value| {
            let params = function.params();
            let given = params[params.len() - plan.trips.len() - plan.tests.len()..].to_vec();
            let (trips, bases) = given.split_at(plan.trips.len());
            let trips = plan.trips.iter().map(|(at, _)| *at).zip(trips.iter().copied()).collect::<Vec<_>>();
            (trips, bases.to_vec())
        };
        let over_teams = self.copies.iter().copied().find(|function| has_teams(*function));
        let over_teams = over_teams.ok_or("it has no loop over teams")?;
        let first = over_teams.first_instruction().ok_or("no code")?;
        let factors = given_to(over_teams).0.into_iter().filter(|(at, _)| *at != 0).map(|(_, trips)| trips);
        let factor = product(&Code::before(first), &factors.collect::<Vec<_>>(), first);
        chain::multiply_iterations(over_teams, factor)?;
        let body = *self.copies.last().ok_or("no body")?;
        let (trips, bases) = given_to(body);
        let tests: Vec<_> = plan.tests.iter().zip(bases).collect();
        body::fuse(setting.session, body, &plan.threads, &trips, &tests)?;
        match self.differs(setting, module, region, plan) {
            Some(problem) => Err(format!("the changed code is not as expected: {problem}")),
            None => Ok(()),
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
        chain::call_instead(entry, self.copies[0], &trips);
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

    /// Removes the copies.
    fn undo(self) {
        self.copies.iter().for_each(|copy| copy.erase_function());
    }

    /// Lets a kernel run the copy where the guard holds, else its own code.
    fn dispatch(self, kernel: Value, plan: &Plan) {
        let copy = self.copies[0];
        let entry = self.chain.entry();
        let here = Code::before(entry);
        let params = kernel.params();
        let trips = plan.given_before(&here, &params, entry);
        let conditions: Vec<Value> =
            plan.guard.iter().map(|condition| condition.compute(&here, &params, entry)).collect();
        let Some(guard) = conditions.into_iter().reduce(|all, one| here.binary(Opcode::LLVMAnd, all, one)) else {
            return chain::call_instead(entry, copy, &trips);
        };
        let original = self.chain.functions[1];
        let either = build::function_like(original, copy, ".either");
        let given = either.params();
        let count = original.params().len();
        let blocks = [append_block(either), append_block(either), append_block(either)];
        Code::at_end(blocks[0]).branch_if(given[given.len() - 1], blocks[1], blocks[2]);
        let ways = [(blocks[1], copy, &given[..given.len() - 1]), (blocks[2], original, &given[..count])];
        for (block, callee, args) in ways {
            let code = Code::at_end(block);
            code.call(callee, args);
            code.return_void();
        }
        chain::call_instead(entry, either, &[&trips[..], &[guard]].concat());
    }
}

impl Plan {
    /// What the copies are given beside what the originals are.
    fn given_before(&self, here: &Code, params: &[Value], like: Value) -> Vec<Value> {
        let number = |sum: &Sum| here.resize(sum.compute(here, params, like), integer(like, 64), true);
        let trips = self.trips.iter().map(|(_, trips)| trips);
        trips.chain(self.tests.iter().map(|test| &test.base)).map(number).collect()
    }
}

fn has_teams(function: Value) -> bool {
    function.instructions().filter(|value| value.is_call()).any(|call| {
        matches!(crate::omp::decode(call), Ok(crate::omp::Call::StaticInit(init)) if init.sharing == crate::omp::Sharing::Teams)
    })
}

fn product(here: &Code, factors: &[Value], like: Value) -> Value {
    let one = Value::int_of(integer(like, 64), 1);
    factors.iter().fold(one, |product, &factor| here.binary(Opcode::LLVMMul, product, factor))
}

/// What must hold before a kernel runs.
#[derive(PartialEq)]
enum Condition {
    AtLeastZero(Sum),
    /// One behind the other, and all of it in the machine's addresses.
    Apart([Sum; 2], [Sum; 2]),
}

impl Condition {
    /// Whether it is a constant that tells; none where it depends on what the kernel is given.
    fn as_constant(&self) -> Option<bool> {
        match self {
            Condition::AtLeastZero(sum) => Some(!sum.as_constant()?.is_negative()),
            Condition::Apart(..) => None,
        }
    }

    fn compute(&self, here: &Code, params: &[Value], like: Value) -> Value {
        let at_least = |a: Value, b: Value| {
            let wider = if a.ty().int_bits() >= b.ty().int_bits() { a.ty() } else { b.ty() };
            here.compare(
                LLVMIntPredicate::LLVMIntSGE,
                here.resize(a, wider, true),
                here.resize(b, wider, true),
            )
        };
        let zero = |value: Value| constant(value.ty(), "0");
        match self {
            Condition::AtLeastZero(sum) => {
                let value = sum.compute(here, params, like);
                at_least(value, zero(value))
            }
            Condition::Apart(a, b) => {
                let [low_a, high_a] = [&a[0], &a[1]].map(|sum| sum.compute(here, params, like));
                let [low_b, high_b] = [&b[0], &b[1]].map(|sum| sum.compute(here, params, like));
                let end = constant(integer(like, 128), "18446744073709551616");
                let addressable = [low_a, low_b].map(|low| at_least(low, zero(low)));
                let ends = [high_a, high_b].map(|high| at_least(end, high));
                let apart = here.binary(Opcode::LLVMOr, at_least(low_a, high_b), at_least(low_b, high_a));
                addressable.into_iter().chain(ends).fold(apart, |all, one| here.binary(Opcode::LLVMAnd, all, one))
            }
        }
    }
}
