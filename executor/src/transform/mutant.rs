//! Changed modules with a fault that the judge must find: what the plugin would do if it were a little wrong.

use inkwell::module::Module;
use ipda_llvm::{AliasDomain, AliasScope, Code, IntPredicate, Opcode, Value};

/// A fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Mutant {
    /// Guards do not compare one of the pairs of arrays.
    DroppedPair,
    /// Guards take each array for 8 bytes shorter than it is.
    ShortFootprint,
    /// What a changed loop loads is said to be invariant, written or not.
    InvariantWritten,
    /// Accesses by different pointers are said to lie apart, also where one variable is the other one's value of another time.
    ScopesByVariable,
    /// Threads of tiles that have no iteration run one.
    IdleLanes,
    /// The lanes of tiles are numbered by twice as many as there are.
    WrongDigit,
    /// Threads go on by the size of their team, into the iterations of the next one.
    StrideOfTeam,
    /// Several iterations are done at once, also where there are fewer left.
    UntestedOverlap,
    /// Iterations are taken together, also those behind the last one.
    BehindTheLast,
}

/// What the plugin calls a guard, among the functions that it makes.
const GUARD: &str = ".guard";
const COPY: &str = ".ipda";

impl Mutant {
    /// Puts the fault into a module, wherever there is a place for it.
    pub(super) fn put_into(self, module: &Module<'_>) {
        let all: Vec<Value> = module.get_functions().map(|function| Value::of(&function)).collect();
        let named =
            |part: &str| all.iter().copied().filter(|function| function.name().contains(part)).collect::<Vec<_>>();
        match self {
            Mutant::DroppedPair => named(GUARD).into_iter().for_each(drop_pair),
            Mutant::ShortFootprint => named(GUARD).into_iter().for_each(shorten),
            Mutant::InvariantWritten => named(COPY).into_iter().for_each(make_invariant),
            Mutant::IdleLanes => named(COPY).into_iter().for_each(run_idle_lanes),
            Mutant::WrongDigit => named(COPY).into_iter().for_each(widen_digit),
            Mutant::StrideOfTeam => named("_omp_outlined").into_iter().for_each(go_on_by_team),
            Mutant::ScopesByVariable => named("_omp_outlined").into_iter().for_each(part_by_variable),
            // What it is about is made after optimisation.
            Mutant::UntestedOverlap | Mutant::BehindTheLast => {}
        }
    }

    /// Puts the fault into a module after optimisation.
    pub(super) fn put_into_optimised(self, module: &Module<'_>) {
        let change: fn(Value) = match self {
            Mutant::UntestedOverlap => overlap_always,
            Mutant::BehindTheLast => take_all_together,
            _ => return,
        };
        module.get_functions().for_each(|function| change(Value::of(&function)));
    }
}

/// The distance from one array's beginning to the other's, compared with a size.
fn is_distance_test(value: Value) -> bool {
    value.is(Opcode::LLVMICmp) && value.operand(0).is(Opcode::LLVMSub)
}

fn drop_pair(guard: Value) {
    let is_pair = |value: &Value| value.is(Opcode::LLVMAnd) && value.operands().all(is_distance_test);
    let pairs: Vec<Value> = guard.instructions().filter(is_pair).collect();
    // What it is combined with remains.
    if let Some(pair) = pairs.first() {
        pair.replace_all_uses(Value::int_of(pair.ty(), 1));
    }
}

fn shorten(guard: Value) {
    const BYTES: u64 = 8;
    let tests: Vec<Value> = guard.instructions().filter(|value| is_distance_test(*value)).collect();
    for test in tests {
        let size = test.operand(1);
        let shorter = Code::before(test).binary(Opcode::LLVMSub, size, Value::int_of(size.ty(), BYTES));
        test.replace_operand(size, shorter);
    }
}

fn make_invariant(copy: Value) {
    let loads: Vec<Value> =
        copy.instructions().filter(|value| value.is(Opcode::LLVMLoad) && value.has_alias_scopes()).collect();
    loads.into_iter().for_each(Value::set_invariant);
}

/// Numbers of threads are compared with the counts that copies are given, which are wider.
fn run_idle_lanes(copy: Value) {
    let given = copy.params();
    let is_test = |value: &Value| {
        let is_less = value.is(Opcode::LLVMICmp) && value.int_predicate() == IntPredicate::LLVMIntULT;
        is_less && given.contains(&value.operand(1)) && value.operand(0).is(Opcode::LLVMZExt)
    };
    let tests: Vec<Value> = copy.instructions().filter(is_test).collect();
    tests.into_iter().for_each(|test| test.replace_all_uses(Value::int_of(test.ty(), 1)));
}

/// The first division of a thread's number by a constant tells its lane.
fn widen_digit(copy: Value) {
    let by = |value: Value| value.operand(1).as_int().and_then(|by| u64::try_from(by).ok());
    let is_digit = |value: &Value| {
        value.is(Opcode::LLVMUDiv)
            && value.operand(0).is(Opcode::LLVMPHI)
            && by(*value).is_some_and(u64::is_power_of_two)
    };
    if let Some(division) = copy.instructions().find(is_digit)
        && let Some(tile) = by(division)
    {
        let lanes = division.operand(1);
        division.replace_operand(lanes, Value::int_of(lanes.ty(), 2 * tile));
    }
}

fn go_on_by_team(function: Value) {
    let asks = |value: &Value| value.is(Opcode::LLVMCall) && value.calls(|name| name.ends_with("sreg.nctaid.x"));
    let teams: Vec<Value> = function.instructions().filter(asks).collect();
    teams.into_iter().for_each(|teams| teams.replace_all_uses(Value::int_of(teams.ty(), 1)));
}

/// Whoever comes to a loop of several iterations at once enters it.
fn overlap_always(function: Value) {
    let is_latch = |value: &Value| value.has_loop_property("ipda.at_once");
    let bodies: Vec<_> = function.instructions().filter(is_latch).map(Value::block).collect();
    let is_test = |value: &Value| {
        value.is(Opcode::LLVMBr)
            && value.branch_condition().is_some()
            && value.successors().iter().any(|to| bodies.contains(to) && *to != value.block())
    };
    let tests: Vec<Value> = function.instructions().filter(is_test).collect();
    for test in tests {
        test.set_operand(0, Value::int_of(test.operand(0).ty(), 1));
    }
}

/// The number of a further iteration is compared with the last one's.
fn take_all_together(function: Value) {
    let is_limited = |value: &Value| {
        let [test, next] = [0, 1].map(|at| value.operand(at));
        let is_less = || test.int_predicate() == IntPredicate::LLVMIntULT && test.operand(0) == next;
        test.is(Opcode::LLVMICmp) && is_less() && next.is(Opcode::LLVMAdd) && test.operand(1) == value.operand(2)
    };
    let limited: Vec<Value> =
        function.instructions().filter(|value| value.is(Opcode::LLVMSelect)).filter(is_limited).collect();
    limited.into_iter().for_each(|value| value.replace_all_uses(value.operand(1)));
}

fn part_by_variable(function: Value) {
    let pointer = |access: Value| match access.opcode() {
        Some(Opcode::LLVMLoad) => Some(access.operand(0)),
        Some(Opcode::LLVMStore) => Some(access.operand(1)),
        _ => None,
    };
    let by_base = function.instructions().filter_map(|access| Some((access, pointer(access)?.base_of_address())));
    // Variables of the function's own are no arrays, but hold the pointers at the front end.
    let all: Vec<(Value, Value)> = by_base.filter(|(_, base)| !base.is(Opcode::LLVMAlloca)).collect();
    let domain = AliasDomain::new(function);
    let mut scopes: Vec<(Value, AliasScope)> = Vec::new();
    for (_, base) in &all {
        if !scopes.iter().any(|(other, _)| other == base) {
            scopes.push((*base, domain.scope()));
        }
    }
    for (access, base) in &all {
        let others: Vec<AliasScope> =
            scopes.iter().filter(|(other, _)| other != base).map(|(_, scope)| *scope).collect();
        if let Some((_, own)) = scopes.iter().find(|(other, _)| other == base) {
            access.set_alias_scopes(*own, &others);
        }
    }
}
