//! Loops fused into the number of a thread: what is legal and pays is done on copies of the region's code, which run where a guard holds.

mod body;
mod build;
mod chain;
mod check;
pub(crate) mod nested;
mod plan;
mod profit;
mod sum;

use crate::analyse::Setting;
use crate::ffi::SessionRef;
use crate::ir::{FunctionCopy, Opcode, Value};
use crate::outline::TargetRegion;
use build::{Code, append_block, constant, integer};
use chain::Chain;
use llvm_sys::LLVMIntPredicate;
use plan::Plan;
use sum::Sum;

/// Fuses loops of a region's kernel where that is legal and pays; or says why not.
pub(crate) fn transform(session: SessionRef, setting: &Setting<'_>, region: &TargetRegion) -> Result<String, String> {
    let chain = Chain::find(region.entry)?;
    let plan = plan::plan(setting, region)?;
    let copies = chain.copy(plan.trips.len() as u32)?;
    let over_teams = copies.iter().find(|function| has_teams(**function)).copied();
    let over_teams = over_teams.ok_or("it has no loop over teams")?;
    let params = over_teams.params();
    let trips = &params[params.len() - plan.trips.len()..];
    let first = over_teams.first_instruction().ok_or("no code")?;
    let factor = product(&Code::before(first), trips, first);
    chain::multiply_iterations(over_teams, factor)?;
    let body = *copies.last().ok_or("no body")?;
    let params = body.params();
    let trips = params[params.len() - plan.trips.len()..].to_vec();
    body::fuse(session, body, &plan.depths, &trips)?;
    if let Some(problem) = check(session, setting, region, &chain, copies[0], &plan)? {
        return Err(format!("the changed code is not as expected: {problem}"));
    }
    dispatch(region.entry, &chain, copies[0], &plan);
    Ok(plan.sentence)
}

/// Analyses the kernel as if the guard held.
fn check(
    session: SessionRef,
    setting: &Setting<'_>,
    region: &TargetRegion,
    chain: &Chain,
    copy: Value,
    plan: &Plan,
) -> Result<Option<String>, String> {
    let Some(expected) = &plan.expected else { return Ok(Some("nothing is expected".into())) };
    let kernel = FunctionCopy::new(session, region.entry);
    let entry = chain.entry_of(kernel.function());
    let here = Code::before(entry);
    let trips = plan.trips_before(&here, &kernel.function().params(), entry);
    chain::call_instead(entry, copy, &trips);
    let changed = TargetRegion {
        kind: region.kind,
        name: region.name.clone(),
        symbol: region.symbol.clone(),
        entry: kernel.function(),
        environment: region.environment,
        extents: region.extents,
    };
    plan::differs(setting, &changed, expected)
}

impl Plan {
    fn trips_before(&self, here: &Code, params: &[Value], like: Value) -> Vec<Value> {
        let number = |trips: &Sum| here.resize(trips.compute(here, params, like), integer(like, 64), true);
        self.trips.iter().map(number).collect()
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

/// Lets a kernel run the copy where the guard holds, else its own code.
fn dispatch(kernel: Value, chain: &Chain, copy: Value, plan: &Plan) {
    let entry = chain.entry();
    let here = Code::before(entry);
    let params = kernel.params();
    let mut holds = plan.guard.iter().map(|condition| condition.compute(&here, &params, entry));
    let first = holds.next().unwrap_or_else(|| Value::int_of(integer(entry, 1), 1));
    let guard = holds.fold(first, |all, one| here.binary(Opcode::LLVMAnd, all, one));
    let trips = plan.trips_before(&here, &params, entry);
    let original = chain.functions[1];
    let either = build::function_like(original, copy, ".either");
    let given = either.params();
    let count = original.params().len();
    let blocks = [append_block(either), append_block(either), append_block(either)];
    Code::at_end(blocks[0]).branch_if(given[given.len() - 1], blocks[1], blocks[2]);
    for (block, callee, args) in [(blocks[1], copy, &given[..given.len() - 1]), (blocks[2], original, &given[..count])] {
        let code = Code::at_end(block);
        code.call(callee, args);
        code.return_void();
    }
    chain::call_instead(entry, either, &[&trips[..], &[guard]].concat());
}

/// What must hold before a kernel runs.
#[derive(PartialEq)]
enum Condition {
    AtLeastZero(Sum),
    /// One behind the other, and all of it in the machine's addresses.
    Apart([Sum; 2], [Sum; 2]),
}

impl Condition {
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
