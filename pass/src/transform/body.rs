//! Collapse and interchange: inner loops are fused into the loop that threads share, and each runs the one iteration that the thread's number gives.
//!
//! ```text
//! for x in threads 0..n: for j in 0..m: body(x, j)
//! for x in threads 0..n*m: body(x / m, x % m)          collapsed: neighbouring threads have neighbouring j
//! for x in threads 0..n*m: body(x % n, x / n)          and interchanged: neighbouring threads have neighbouring i
//!
//! for x in threads 0..n: for j in x..n: body(x, j)
//! for x in threads 0..n*n: if x / n >= x % n: body(x % n, x / n)      also where rows begin later, as numbers of j are those of the first row
//! ```
//!
//! What stands between the loops runs with the first iteration of the fused loops below it. Polychronopoulos, "Loop Coalescing: A Compiler
//! Transformation for Parallel Machines" (ICPP 1987), recovers the counters in the same way, for the order as written; here a mapping gives the
//! order of the digits, and `prove` says which of them are legal.

use super::counter::Counter;
use super::helpers::leaves_own_results;
use super::limit::{count_without_sign, counting};
use super::own_digits::{Numbers, is_as_written, own_digits, replaced};
use super::prove::Test;
use super::question::Question;
use crate::analysis::dependences::is_copy;
use crate::common::deferred::Iteration;
use crate::common::reject::RejectLog;
use crate::openmp::nest::Nest;
use crate::openmp::{self, Sharing};
use ipda_llvm::{Block, BlockId, Cfg, Code, NaturalLoop, Opcode, Session, Value, integer};
use ipda_models::report::{ObstacleKind, Reason};
use ipda_symbolic::{Mapping, Part, Signedness, Size};
use llvm_sys::LLVMIntPredicate;

/// An inner loop in the form that can be fused.
struct Inner {
    header: Block,
    counters: Vec<Counter>,
    question: Option<Question>,
    preheader: Block,
    latch: Block,
    /// Where it goes on, and where it is left to.
    inside: Block,
    exit: Block,
}

impl Inner {
    /// What it asks before an iteration, and where the counter begins.
    fn asks(&mut self) -> Option<(Question, Value)> {
        let question = self.question.take()?;
        let start = self.counters[question.counter].start()?;
        Some((question, start))
    }
}

/// A number that is divided by a size: the remainder is a fused loop's own number.
pub(super) struct Division {
    /// The loop that the size belongs to, by its depth.
    pub by: usize,
    quotient: Value,
    product: Value,
    remainder: Value,
}

/// The fused loops.
#[derive(Default)]
pub(super) struct Fused {
    /// The shared loop as it was written, where it can still be chosen.
    pub written: Vec<Block>,
    /// By sizes that are not constant, in their order.
    pub divisions: Vec<Division>,
    /// Loads and stores whose addresses are built on the function's parameters.
    pub accesses: Vec<Value>,
    pub form: Form,
}

/// Whether a `collapse` clause could stand in the source.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// Something is stored between the loops, or a second variable steps with a counter.
    #[default]
    Other,
    /// As far as can be seen, the loops hold nothing but each other.
    Perfect,
}

impl Division {
    /// Computes it by a multiplication with the `reciprocal` of the size, which is at least 1 (Granlund and Montgomery, "Division by Invariant
    /// Integers using Multiplication", PLDI 1994; one comparison takes the place of their bit beyond the word).
    ///
    /// For numbers x of w bits and a size d, (2^w - d) / d <= reciprocal <= (2^w - 1) / d, so that x * reciprocal / 2^w lies above x / d - 1
    /// and not above x / d: rounded down it is the quotient, or one less.
    pub(super) fn multiply(self, reciprocal: Value) {
        let Division { quotient, product, remainder, .. } = self;
        let here = Code::before(quotient);
        let [number, size] = [quotient.operand(0), quotient.operand(1)];
        let narrow = number.ty();
        let is_nvidia = quotient.block().function().target_triple().starts_with("nvptx");
        let low = high_half(&here, is_nvidia, [number, here.resize(reciprocal, narrow, Signedness::Unsigned)]);
        let left = here.binary(Opcode::LLVMSub, number, here.binary(Opcode::LLVMMul, low, size));
        let is_one_less = here.compare(LLVMIntPredicate::LLVMIntUGE, left, size);
        remainder.replace_all_uses(here.select(is_one_less, here.binary(Opcode::LLVMSub, left, size), left));
        quotient.replace_all_uses(here.binary(
            Opcode::LLVMAdd,
            low,
            here.resize(is_one_less, narrow, Signedness::Unsigned),
        ));
        [remainder, product, quotient].into_iter().for_each(Value::erase);
    }
}

/// The high half of the product of two numbers without sign.
///
/// For NVIDIA's GPUs by the instruction for it: ptxas (12.4 and 13.0, for sm_75 to sm_90) treats the high half of a product in twice the bits as
/// associative, which it is not. With a third factor that is invariant in a loop, such as a size, it computes `high(b * c) * a` for `high(a * b) * c`.
fn high_half(here: &Code, is_nvidia: bool, [a, b]: [Value; 2]) -> Value {
    let narrow = a.ty();
    let bits = narrow.int_bits().unwrap_or(64);
    match bits {
        32 if is_nvidia => return here.intrinsic("llvm.nvvm.mulhi.ui", &[a, b]),
        64 if is_nvidia => return here.intrinsic("llvm.nvvm.mulhi.ull", &[a, b]),
        _ => {}
    }
    let wide = integer(a, 2 * bits);
    let all = here.binary(
        Opcode::LLVMMul,
        here.resize(a, wide, Signedness::Unsigned),
        here.resize(b, wide, Signedness::Unsigned),
    );
    here.resize(here.binary(Opcode::LLVMLShr, all, Value::int_of(wide, bits.into())), narrow, Signedness::Unsigned)
}

/// `(2^bits - 1) / size`, rounded down, as a number of 64 bits; of a size that is 0 in so many bits, some number.
///
/// It is computed before the loops, which may have no iteration: then a size may be anything, also where a guard holds. In `h*w` for each of `n`, the
/// numbers fit for an `n` of 0, and the product of 32 bits is 0 for sizes of 2^16.
pub(super) fn reciprocal(here: &Code, size: Value, bits: u32) -> Value {
    let narrow = integer(size, bits);
    let number = |number: u64| Value::int_of(narrow, number);
    let max = number(u64::MAX >> (64 - bits.min(64)));
    let size_of_bits = here.resize(size, narrow, Signedness::Unsigned);
    let is_none = here.compare(LLVMIntPredicate::LLVMIntEQ, size_of_bits, number(0));
    let divisor = here.select(is_none, number(1), size_of_bits);
    here.resize(here.binary(Opcode::LLVMUDiv, max, divisor), size.ty(), Signedness::Unsigned)
}

/// A loop of which a thread runs several iterations in lockstep.
#[derive(Clone, Copy)]
pub(super) struct Taken {
    /// Which part of a thread's number the loop is, the slowest first.
    pub part: usize,
    /// Which loops of the program these are, and how many iterations a thread runs at most.
    pub of: (u64, u32),
    /// How many it runs, which the kernel decides: one or that many.
    pub width: Value,
}

impl Taken {
    /// How many groups of iterations there are of `count` iterations.
    pub(super) fn groups(self, here: &Code, count: Value) -> Value {
        let max = self.of.1;
        let number = |number: u32| Value::int_of(count.ty(), number.into());
        let more = here.binary(Opcode::LLVMAdd, count, number(max - 1));
        let fewer = here.binary(Opcode::LLVMLShr, more, number(max.ilog2()));
        here.select(self.takes_one(here), count, fewer)
    }

    /// Whether the width is 1.
    fn takes_one(self, here: &Code) -> Value {
        here.compare(LLVMIntPredicate::LLVMIntEQ, self.width, Value::int_of(self.width.ty(), 1))
    }

    /// The first iteration of a group, of `count` iterations.
    fn iteration(self, here: &Code, group: Value, count: Value) -> Value {
        Iteration::ask(here, self.of, self.width, group, count)
    }
}

/// Fuses loops of a function in canonical form into one of its shared loops: number `at` of the `of` that it must have.
///
/// `mapping` names loops by their depth below the shared one, which is 0 itself; where a clause collapsed that loop, the first `digits` are the digits of its
/// number, and `divides_by_sizes` says whether the code takes it apart by these alone. `trips` are the trip counts of the fused loops as numbers of 64 bits,
/// without that of the shared loop where it is the slowest and not `taken`. `tests` come with their bases; `moved` are loops whose numbers are higher by those
/// of another one, `asked` those whose own condition says which numbers have an iteration. Where there is a `choice`, the loops run as they were written if it is 0.
#[allow(clippy::too_many_arguments)]
pub(super) fn fuse(
    session: Session,
    function: Value,
    (at, of): (usize, usize),
    (mapping, digits, divides_by_sizes): (&Mapping, usize, bool),
    trips: &[(usize, Value)],
    tests: &[(&Test, Value)],
    (moved, asked): (&[(usize, usize)], &[usize]),
    choice: Option<Value>,
    taken: Option<Taken>,
) -> Result<Fused, Reason> {
    let cfg = Cfg::new(function);
    let nest = Nest::find(&cfg, &mut RejectLog::default());
    let shared: Vec<_> = nest.shared.iter().filter(|shared| shared.sharing == Sharing::Threads).collect();
    let Some(&shared) = shared.get(at).filter(|_| shared.len() == of) else {
        return Err("its shared loops were not found one by one".into());
    };
    // Below the shared loop by their depth; the digits of its number are no loops.
    let depth_of = |at: usize| (at + 1).saturating_sub(digits);
    let replaced = replaced(mapping, digits);
    let path = path_below(&cfg, shared.index, replaced.last().map_or(0, |&at| depth_of(at)))?;
    let between = effects_on_path(session, &cfg, &path)?;
    // No thread has the first iteration of a loop that begins later and has none.
    if !between.is_empty() && !moved.is_empty() {
        let text = "statements between the loops have effects that cannot be left to one thread";
        return Err(ObstacleKind::StatementsBetween.reason(text));
    }
    let inner = |at: usize| inner(&cfg, path[depth_of(at)]).map(|inner| (at, inner));
    let below = replaced.iter().copied().filter(|&at| at >= digits);
    let inner: Vec<(usize, Inner)> = below.map(inner).collect::<Result<_, _>>()?;
    let is_of_clause = |inner: &Inner| matches!(&inner.counters[..], [only] if only.is_integer());
    let is_perfect = between.is_empty() && asked.is_empty() && inner.iter().all(|(_, inner)| is_of_clause(inner));
    let form = if is_perfect { Form::Perfect } else { Form::Other };
    let (body, next) = shared_body(&cfg, shared.index, shared.phi)?;
    let written = choice.map_or(Ok(Vec::new()), |choice| written(&cfg, shared.index, choice))?;
    let accesses = accesses_by_given(&cfg, shared.index);
    if is_as_written(mapping, digits) {
        if let Some(taken) = taken
            && !take_digits(&cfg, &cfg.loops[shared.index], (shared.phi, next), body, (taken, digits), trips)?
        {
            return Err("its number is not divided by one size alone".into());
        }
        return Ok(Fused { written, divisions: Vec::new(), accesses, form });
    }
    let first = body.instructions().find(|value| !value.is(Opcode::LLVMPHI)).ok_or("its code was not found")?;
    let here = Code::before(first);
    let divided = divides_by_sizes.then(|| levels(&cfg, &cfg.loops[shared.index], shared.phi, digits - 1)).flatten();
    let mut recovered = recover(&here, shared.phi, mapping, trips, path.len() + digits - 1, taken)?;
    let own = recovered.run_through(&here, own_digits(mapping, digits), Numbers { here: &here, mapping, trips })?;
    let Recovered { mut numbers, mut made, divisions, .. } = recovered;
    for &(of, on) in moved {
        numbers[of] = here.difference(numbers[of], numbers[on]);
        made.push(numbers[of]);
    }
    let count_of = |at: usize| trips.iter().find(|(of, _)| *of == at).map(|(_, count)| *count);
    let number = number_of_digits(&here, &numbers[..digits], count_of, &mut made)?;
    hand_on_digits(&here, cfg.blocks[cfg.loops[shared.index].header], &divided.unwrap_or_default(), &numbers[..digits]);
    renumber(&cfg, &cfg.loops[shared.index], &here, (shared.phi, number), next, made)?;
    let bits = shared.phi.ty().int_bits().unwrap_or(64);
    if counting(bits, mapping, digits) == Signedness::Unsigned {
        count_without_sign(cfg.blocks[cfg.loops[shared.index].header], shared.phi, next)?;
    }
    let is_there = |here: &Code, at: usize| {
        let count = count_of(at)?;
        Some(here.compare(
            LLVMIntPredicate::LLVMIntULT,
            here.resize(numbers[at], count.ty(), Signedness::Unsigned),
            count,
        ))
    };
    // Where the shared loop has no iteration of a number, the inner loops must not run.
    let has_idle = |at: usize| mapping.others(at).is_none_or(|(known, given)| known > 1 || !given.is_empty());
    let has_own = (0..digits).filter(|&at| has_idle(at)).map(|at| is_there(&here, at)).collect::<Option<Vec<_>>>();
    let has_own = has_own.ok_or("a loop has no count")?.into_iter();
    let has_own = has_own.reduce(|all, one| here.binary(Opcode::LLVMAnd, all, one));
    for (at, mut inner) in inner {
        let tests: Vec<_> = tests.iter().filter(|(test, _)| test.of == at).collect();
        let question = match asked.contains(&at) {
            true => Some(inner.asks().ok_or("what it asks before an iteration has another form")?),
            false => None,
        };
        let (has_tiles, is_moved) = (has_idle(at), moved.iter().any(|(of, _)| *of == at));
        let condition = |here: &Code| {
            let runs = tests.iter().map(|(test, base)| runs(here, test, *base, &numbers));
            let both = |a, b| here.binary(Opcode::LLVMAnd, a, b);
            let first = Value::int_of(numbers[at].ty(), 0);
            let begins = is_moved.then(|| here.compare(LLVMIntPredicate::LLVMIntSGE, numbers[at], first));
            let asks = question.as_ref().map(|(question, start)| question.ask(here, *start, numbers[at]));
            begins.into_iter().chain(asks).chain(runs).reduce(both).or_else(|| is_there(here, at).filter(|_| has_tiles))
        };
        // Most numbers of tiles have an iteration.
        let expected =
            if tests.is_empty() && !is_moved && question.is_none() { Expected::Iteration } else { Expected::Nothing };
        let skipped = if has_tiles || is_moved { Skipped::Header } else { Skipped::Body };
        run_once(inner, numbers[at], condition, (skipped, expected))?;
    }
    for (depth, effect) in between {
        let below = replaced.iter().filter(|&&at| depth_of(at) > depth);
        run_in_first_iteration(effect, below.map(|&at| numbers[at]));
    }
    let is_done = match (has_own, &own[..]) {
        (None, []) => true,
        (Some(condition), []) => shared.phi.skip_unless(condition),
        (condition, own) => shared.phi.repeat(own, condition),
    };
    if !is_done {
        return Err("what a thread does between its iterations is not found".into());
    }
    Ok(Fused { written, divisions, accesses, form })
}

/// The number whose digits these are, the highest first, as code that `made` gets.
fn number_of_digits(
    here: &Code,
    digits: &[Value],
    count_of: impl Fn(usize) -> Option<Value>,
    made: &mut Vec<Value>,
) -> Result<Value, Reason> {
    let mut number = digits[0];
    for (at, &digit) in digits.iter().enumerate().skip(1) {
        let count = count_of(at).ok_or("a loop has no count")?;
        let above = here.binary(Opcode::LLVMMul, number, here.resize(count, number.ty(), Signedness::Unsigned));
        number = here.binary(Opcode::LLVMAdd, above, digit);
        made.extend([above, number]);
    }
    Ok(number)
}

/// Lets the code of a collapsed loop use the `digits` that its number is made of, where it would divide the number to get them back: a division would also
/// hide that a digit does not depend on those below.
fn hand_on_digits(here: &Code, header: Block, divided: &[Level], digits: &[Value]) {
    let hand_on = |old: &Value, digit: Value| {
        if old.block() != header {
            old.replace_all_uses(here.resize(digit, old.ty(), Signedness::Unsigned));
        }
    };
    for (level, &digit) in divided.iter().zip(digits) {
        level.quotients.iter().for_each(|quotient| hand_on(quotient, digit));
    }
    if let (Some(lowest), Some(&digit)) = (divided.last(), digits.last()) {
        lowest.remainders.iter().for_each(|remainder| hand_on(remainder, digit));
    }
}

/// The instructions between the loops that have an effect on memory, with their depth: they run with the first iteration of each fused loop below.
fn effects_on_path(session: Session, cfg: &Cfg, path: &[usize]) -> Result<Vec<(usize, Value)>, Reason> {
    let mut between = Vec::new();
    for (depth, pair) in path.windows(2).enumerate() {
        let effects = effects_between(session, cfg, &cfg.loops[pair[0]], &cfg.loops[pair[1]])?;
        between.extend(effects.into_iter().map(|effect| (depth, effect)));
    }
    Ok(between)
}

/// Makes an instruction run only where all these numbers are 0.
fn run_in_first_iteration(effect: Value, numbers: impl Iterator<Item = Value>) {
    let here = Code::before(effect);
    let is_first = |number: Value| here.compare(LLVMIntPredicate::LLVMIntEQ, number, Value::int_of(number.ty(), 0));
    if let Some(condition) = numbers.map(is_first).reduce(|all, one| here.binary(Opcode::LLVMAnd, all, one)) {
        effect.run_if(condition);
    }
}

/// Copies a shared loop, which runs in place of the original one where the choice is 0. They are two loops, so that each has its own invariants before it:
/// one loop with the choice inside would need the registers of both.
fn written(cfg: &Cfg, index: usize, choice: Value) -> Result<Vec<Block>, Reason> {
    let natural = &cfg.loops[index];
    let others = natural.blocks.iter().copied().filter(|&block| block != natural.header);
    let blocks: Vec<Block> = std::iter::once(natural.header).chain(others).map(|block| cfg.blocks[block]).collect();
    Block::choose_copy(&blocks, choice).ok_or_else(|| "what the shared loop computes is used after it".into())
}

/// The plain loads and stores of a loop whose addresses are built on what the function is given.
fn accesses_by_given(cfg: &Cfg, index: usize) -> Vec<Value> {
    let pointer = |access: Value| match access.opcode() {
        Some(Opcode::LLVMLoad) => Some(access.operand(0)),
        Some(Opcode::LLVMStore) => Some(access.operand(1)),
        _ => None,
    };
    let params = cfg.blocks[cfg.loops[index].header].function().params();
    let is_by_given = |access: &Value| {
        let base = pointer(*access).map(Value::base_of_address);
        base.is_some_and(|base| params.contains(&base)) && !access.is_volatile_or_atomic()
    };
    cfg.loops[index].blocks.iter().flat_map(|&block| cfg.blocks[block].instructions()).filter(is_by_given).collect()
}

/// The loops from `outermost` down to the one `depth` levels inside, where each holds the next one alone.
fn path_below(cfg: &Cfg, outermost: usize, depth: usize) -> Result<Vec<usize>, Reason> {
    let mut path = vec![outermost];
    while path.len() <= depth {
        let around = path[path.len() - 1];
        let children: Vec<usize> = (0..cfg.loops.len()).filter(|&at| cfg.loops[at].parent == Some(around)).collect();
        let [child] = children[..] else { return Err("its loops do not lie in each other one by one".into()) };
        path.push(child);
    }
    Ok(path)
}

/// One level at which a collapsed loop's number, or the remainder of the level above, is divided by a size.
struct Level {
    size: Value,
    quotients: Vec<Value>,
    remainders: Vec<Value>,
}

/// Whether a value is invariant in a loop and can be computed before it: it is defined outside, or by up to `depth` levels of arithmetic on such values.
fn is_invariant(value: Value, is_in: &impl Fn(Value) -> bool, depth: u32) -> bool {
    !is_in(value)
        || depth > 0
            && value.is_cast_or_arithmetic()
            && value.operands().all(|operand| is_invariant(operand, is_in, depth - 1))
}

/// The same value, computed `here` where its definition is in the loop.
fn invariant(here: &Code, value: Value, is_in: &impl Fn(Value) -> bool) -> Value {
    if !is_in(value) {
        return value;
    }
    let copy = here.copy_of(value);
    for at in 0..copy.operand_count() {
        // Operands come first.
        let operand = copy.operand(at);
        if is_in(operand) {
            let operand = invariant(&Code::before(copy), operand, is_in);
            copy.set_operand(at, operand);
        }
    }
    copy
}

/// The divisions that recover a collapsed loop's counters from its number, in `count` levels; none where a level divides by several sizes, or by one that is
/// not invariant.
fn levels(cfg: &Cfg, natural: &NaturalLoop, thread: Value, count: usize) -> Option<Vec<Level>> {
    /// Levels of arithmetic from a size down to its factors.
    const MAX_FACTORS: u32 = 4;
    let is_in = |value: Value| value.is_instruction() && cfg.id(value.block()).is_some_and(|at| natural.contains(at));
    let mut numbers = vec![thread];
    let mut levels = Vec::new();
    for _ in 0..count {
        let users: Vec<Value> = numbers.iter().flat_map(|number| number.users()).filter(|user| is_in(*user)).collect();
        let is_division = |user: &Value| user.is(Opcode::LLVMSDiv) || user.is(Opcode::LLVMUDiv);
        let is_dividend = |user: &Value| numbers.contains(&user.operand(0));
        let quotients: Vec<Value> = users.iter().copied().filter(is_division).filter(is_dividend).collect();
        let first = quotients.first()?;
        let (size, is_signed) = (first.operand(1), first.is(Opcode::LLVMSDiv));
        // A negative size divides numbers with a sign and without to different quotients.
        let is_same = |of: &Value| of.operand(1) == size && of.opcode() == first.opcode();
        let has_other_sign =
            |user: &Value| user.is(if is_signed { Opcode::LLVMURem } else { Opcode::LLVMSRem }) && is_dividend(user);
        if !is_invariant(size, &is_in, MAX_FACTORS)
            || !quotients.iter().all(is_same)
            || users.iter().any(has_other_sign)
        {
            return None;
        }
        let is_remainder = |user: &Value| match user.opcode() {
            Some(Opcode::LLVMSRem | Opcode::LLVMURem) => user.operand(1) == size,
            Some(Opcode::LLVMSub) => {
                let taken = user.operand(1);
                let is_multiple = taken.is(Opcode::LLVMMul) && taken.has_operand(size);
                is_multiple && quotients.iter().any(|of| taken.has_operand(*of))
            }
            _ => false,
        };
        let remainders: Vec<Value> = users.iter().copied().filter(is_dividend).filter(is_remainder).collect();
        numbers.clone_from(&remainders);
        levels.push(Level { size, quotients, remainders });
    }
    Some(levels)
}

/// Lets a thread of a collapsed loop run groups of iterations of one of its `digits` loops in lockstep: the number's digits are computed anew, by the sizes by
/// which the code divides it. False where the code does not divide it so; then nothing has changed.
fn take_digits(
    cfg: &Cfg,
    natural: &NaturalLoop,
    (thread, next): (Value, Value),
    body: Block,
    (taken, digits): (Taken, usize),
    trips: &[(usize, Value)],
) -> Result<bool, Reason> {
    let Some(mut levels) = levels(cfg, natural, thread, digits - 1) else { return Ok(false) };
    let counts: Option<Vec<Value>> = (0..digits).map(|at| Some(trips.iter().find(|(of, _)| *of == at)?.1)).collect();
    let Some(counts) = counts.filter(|_| levels[0].quotients.iter().any(|of| of.block() == body)) else {
        return Ok(false);
    };
    let here =
        Code::before(body.instructions().find(|value| !value.is(Opcode::LLVMPHI)).ok_or("its code was not found")?);
    let is_in = |value: Value| value.is_instruction() && cfg.id(value.block()).is_some_and(|at| natural.contains(at));
    for level in &mut levels {
        level.size = invariant(&here, level.size, &is_in);
    }
    let count = |at: usize| here.resize(counts[at], thread.ty(), Signedness::Unsigned);
    let multiply = |a: Value, b: Value| here.binary(Opcode::LLVMMul, a, b);
    let (mut number, mut found, mut made) = (thread, Vec::new(), Vec::new());
    for (at, level) in levels.iter().enumerate() {
        // An iteration of a slower loop spans fewer numbers: one for each group.
        let size = if at < taken.part {
            let between = (at + 1..taken.part).map(count);
            let groups = between.fold(taken.groups(&here, count(taken.part)), multiply);
            here.select(taken.takes_one(&here), level.size, multiply(groups, levels[taken.part].size))
        } else {
            level.size
        };
        let divide = level.quotients.first().and_then(|quotient| quotient.opcode()).unwrap_or(Opcode::LLVMUDiv);
        let quotient = here.binary(divide, number, size);
        let remainder = here.binary(Opcode::LLVMSub, number, multiply(quotient, size));
        made.extend([quotient, remainder]);
        found.push(if at == taken.part { taken.iteration(&here, quotient, counts[at]) } else { quotient });
        number = remainder;
    }
    let mut replaced: Vec<(Value, Value)> = Vec::new();
    let mut own = number;
    for (level, digit) in levels.iter().zip(&found).rev() {
        replaced.extend(level.remainders.iter().map(|remainder| (*remainder, own)));
        replaced.extend(level.quotients.iter().map(|quotient| (*quotient, *digit)));
        own = here.binary(Opcode::LLVMAdd, multiply(*digit, level.size), own);
    }
    replaced.iter().for_each(|(old, new)| old.replace_all_uses(*new));
    renumber(cfg, natural, &here, (thread, own), next, made)?;
    // The builder stands before one of those that are erased.
    drop(here);
    replaced.into_iter().for_each(|(old, _)| old.erase());
    Ok(true)
}

/// The numbers that were recovered from a thread's number.
struct Recovered {
    /// The iteration's number in each loop, by depth; of loops that are not fused, the thread's number.
    numbers: Vec<Value>,
    made: Vec<Value>,
    divisions: Vec<Division>,
    /// Whether a loop has digits in its number.
    has_lower: Vec<bool>,
}

/// Recovers the loops' numbers from a thread's number, from the fastest part to the slowest.
fn recover(
    here: &Code,
    thread: Value,
    mapping: &Mapping,
    trips: &[(usize, Value)],
    depth: usize,
    taken: Option<Taken>,
) -> Result<Recovered, Reason> {
    let [slowest, faster @ ..] = mapping.threads() else { return Err("no loop is fused".into()) };
    let taken_at = |part: usize| taken.filter(|taken| taken.part == part);
    let mut recovered = Recovered {
        numbers: vec![thread; depth],
        made: Vec::new(),
        divisions: Vec::new(),
        has_lower: vec![false; depth],
    };
    let mut number = thread;
    let numbers = Numbers { here, mapping, trips };
    let count_of = |part: &Part| numbers.count(part, thread).ok_or("a loop has no count");
    let is_divided_by_loops = mapping.lanes().is_some();
    for (at, &part) in faster.iter().enumerate().rev() {
        let (all, taken) = (count_of(&part)?, taken_at(at + 1));
        let count = taken.map_or(all, |taken| taken.groups(here, all));
        let quotient = here.binary(Opcode::LLVMUDiv, number, count);
        let product = here.binary(Opcode::LLVMMul, quotient, count);
        let digit = here.binary(Opcode::LLVMSub, number, product);
        recovered.made.extend([quotient, product, digit]);
        let is_division = quotient.is(Opcode::LLVMUDiv) && quotient.operand(1).as_int().is_none() && taken.is_none();
        if is_division && is_divided_by_loops {
            recovered.divisions.push(Division { by: part.of, quotient, product, remainder: digit });
        }
        let digit = match taken {
            Some(taken) => {
                let iteration = taken.iteration(here, digit, all);
                recovered.made.push(iteration);
                iteration
            }
            None => digit,
        };
        recovered.add(&numbers, part, digit)?;
        number = quotient;
    }
    if let Some(taken) = taken_at(0) {
        number = taken.iteration(here, number, count_of(slowest)?);
        recovered.made.push(number);
    }
    recovered.add(&numbers, *slowest, number)?;
    Ok(recovered)
}

impl Recovered {
    /// Adds a digit to its loop's number, which may have others already.
    fn add(&mut self, of: &Numbers<'_>, part: Part, digit: Value) -> Result<(), Reason> {
        let here = of.here;
        let digit = match part.size == Size::ONE {
            true => digit,
            false => {
                let size = of.size(&part, digit).ok_or("the size of a part of a loop is not known")?;
                here.binary(Opcode::LLVMMul, digit, size)
            }
        };
        let number = &mut self.numbers[part.of];
        *number = if self.has_lower[part.of] { here.binary(Opcode::LLVMAdd, digit, *number) } else { digit };
        self.has_lower[part.of] = true;
        self.made.extend([digit, *number]);
        Ok(())
    }

    /// Adds digits that a thread runs through by itself: placeholders for them, each with how many values it has.
    fn run_through(&mut self, here: &Code, own: &[Part], of: Numbers<'_>) -> Result<Vec<(Value, Value)>, Reason> {
        let Some(first) = self.numbers.first().copied() else { return Ok(Vec::new()) };
        let counts = own.iter().map(|part| of.count(part, first).ok_or("a loop has no count"));
        let counts = counts.collect::<Result<Vec<_>, _>>()?;
        let numbers: Vec<Value> = own.iter().map(|_| here.freeze(Value::int_of(first.ty(), 0))).collect();
        self.made.extend(&numbers);
        for (part, &number) in own.iter().zip(&numbers) {
            self.add(&of, *part, number)?;
        }
        Ok(numbers.into_iter().zip(counts).collect())
    }
}

/// Replaces the thread's number by the loop's own `number` in the body of a shared loop, but not in what was `made` of it. `next` is the number of the
/// thread's next iteration.
fn renumber(
    cfg: &Cfg,
    natural: &NaturalLoop,
    here: &Code,
    (thread, number): (Value, Value),
    next: Value,
    mut made: Vec<Value>,
) -> Result<(), Reason> {
    // What the loop's header computes of the thread's number, the body needs of the loop's own.
    let mut own: Vec<(Value, Value)> = vec![(thread, number)];
    for value in cfg.blocks[natural.header].instructions() {
        let is_computed = !value.is(Opcode::LLVMPHI) && own[..].iter().any(|(from, _)| value.has_operand(*from));
        if is_computed && value.is_cast_or_arithmetic() {
            let copy = here.copy_of(value);
            own.iter().for_each(|(from, to)| copy.replace_operand(*from, *to));
            made.push(copy);
            own.push((value, copy));
        }
    }
    // So is the thread's next number; where the body uses it as number + 1, it gets a copy of its own.
    let is_in = |value: Value| value.is_instruction() && cfg.id(value.block()).is_some_and(|at| natural.contains(at));
    let shares_next = next.users().into_iter().any(|user| user != thread && is_in(user));
    if shares_next && !own.iter().any(|(from, _)| *from == next) {
        let is_before = |at: u32| next.operand(at) == thread || !is_in(next.operand(at));
        if !(next.is(Opcode::LLVMAdd) && is_before(0) && is_before(1)) {
            return Err("the number of the next iteration is used".into());
        }
        let copy = here.copy_of(next);
        copy.replace_operand(thread, number);
        made.push(copy);
        own.push((next, copy));
    }
    let in_body = |user: Value| is_in(user) && user.block() != cfg.blocks[natural.header];
    let mut kept: Vec<Value> = Vec::new();
    for value in cfg.blocks[natural.header].instructions().filter(|value| !value.is(Opcode::LLVMPHI)) {
        let mut of_number = own.iter().map(|(from, _)| from).chain(&kept);
        if !own.iter().any(|(from, _)| *from == value) && of_number.any(|from| value.has_operand(*from)) {
            kept.push(value);
            if value.users().into_iter().any(in_body) {
                return Err("what the shared loop's condition computes is used inside".into());
            }
        }
    }
    for (from, to) in own {
        for user in from.users() {
            if in_body(user) && user != next && !made.contains(&user) {
                user.replace_operand(from, to);
            }
        }
    }
    Ok(())
}

/// What is skipped of a loop that has no iteration of a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Skipped {
    /// The body alone: a loop runs its header once more than its body in any case.
    Body,
    /// The header, too: for the numbers of a tile beyond the loop's end it may read out of bounds.
    Header,
}

/// What is known of a test whether a loop has an iteration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// It nearly always has.
    Iteration,
    Nothing,
}

/// Replaces a loop by one iteration of it, under the condition, if there is one.
fn run_once(
    inner: Inner,
    number: Value,
    condition: impl FnOnce(&Code) -> Option<Value>,
    (skipped, expected): (Skipped, Expected),
) -> Result<(), Reason> {
    let end = inner.preheader.terminator().ok_or("its code was not found")?;
    let here = Code::before(end);
    // A counter's start may depend on the counters of the loops around.
    for counter in inner.counters {
        counter.settle(&here, number)?;
    }
    let branch = |here: &Code, condition: Option<Value>, inside: Block| match condition {
        None => here.branch(inside),
        Some(condition) if expected == Expected::Iteration => here.branch_if_usual(condition, inside, inner.exit),
        Some(condition) => here.branch_if(condition, inside, inner.exit),
    };
    let end = inner.header.terminator().ok_or("its code was not found")?;
    let at_end = Code::before(end);
    if skipped == Skipped::Header {
        branch(&at_end, None, inner.inside);
        let before = inner.preheader.terminator().filter(|branch| branch.operand_count() == 1);
        let before = before.ok_or("the loop begins in several ways")?;
        let here = Code::before(before);
        branch(&here, condition(&here), inner.header);
        before.erase();
    } else {
        branch(&at_end, condition(&at_end), inner.inside);
    }
    end.erase();
    let back = inner.latch.terminator().ok_or("its code was not found")?;
    Code::before(back).branch(inner.exit);
    back.erase();
    Ok(())
}

/// Whether the loop has an iteration of its number: the number is below its trip count.
fn runs(here: &Code, test: &Test, base: Value, numbers: &[Value]) -> Value {
    let wide = |value: Value| here.resize(value, base.ty(), Signedness::Unsigned);
    let mut trips = base;
    for (on, slope) in &test.slopes {
        let slope = Value::int_of(base.ty(), *slope as u64);
        trips = here.binary(Opcode::LLVMAdd, trips, here.binary(Opcode::LLVMMul, slope, wide(numbers[*on])));
    }
    here.compare(LLVMIntPredicate::LLVMIntSGT, trips, wide(numbers[test.of]))
}

/// The block in which an iteration of the shared loop begins, and the number of its thread's next iteration.
fn shared_body(cfg: &Cfg, index: usize, phi: Value) -> Result<(Block, Value), Reason> {
    let natural = &cfg.loops[index];
    let header = cfg.blocks[natural.header];
    let inside: Vec<Block> = in_loop_successors(cfg, natural, natural.header);
    let [body] = inside[..] else { return Err("the shared loop has another form than clang's".into()) };
    let has_one_way_in = cfg.id(body).is_some_and(|at| cfg.predecessors[at].len() == 1);
    let next = phi.incoming().into_iter().find(|(_, from)| cfg.id(*from).is_some_and(|from| natural.contains(from)));
    let (next, _) = next.ok_or("the shared loop has no next iteration")?;
    let others = header.phis().count();
    if !has_one_way_in || others != 1 {
        let text = "a value goes from one iteration of the shared loop to the next";
        return Err(ObstacleKind::CarriedValue.reason(text));
    }
    Ok((body, next))
}

fn in_loop_successors(cfg: &Cfg, natural: &NaturalLoop, block: BlockId) -> Vec<Block> {
    cfg.successors[block].iter().filter(|&&to| natural.contains(to)).map(|&to| cfg.blocks[to]).collect()
}

fn inner(cfg: &Cfg, index: usize) -> Result<Inner, Reason> {
    let natural = &cfg.loops[index];
    let header = cfg.blocks[natural.header];
    let [latch] = natural.latches[..] else {
        return Err("the loop's next iteration begins in several ways".into());
    };
    let is_way_out = |to: BlockId| !natural.contains(to) && !cfg.blocks[to].is_unreachable();
    let leaves = |&&block: &&BlockId| cfg.successors[block].iter().any(|&to| is_way_out(to));
    let exits: Vec<BlockId> = natural.blocks.iter().filter(leaves).copied().collect();
    if exits != [natural.header] {
        return Err(ObstacleKind::Exit.reason("the loop can be left in its middle"));
    }
    // The header runs once more than the rest of the loop, and for numbers that have no iteration.
    let is_assumed = |value: &Value| value.callee().is_some_and(|callee| callee.name() == "llvm.assume");
    if !header.instructions().all(|value| is_without_effects(value) && !is_assumed(&value)) {
        if natural.header == latch {
            return Err("the loop is tested at its end, as by do and while".into());
        }
        return Err(ObstacleKind::ConditionWithEffects.reason("the loop's condition has effects"));
    }
    let outside = cfg.successors[natural.header].iter().find(|&&to| !natural.contains(to));
    let exit = outside.map(|&to| cfg.blocks[to]).ok_or("the loop does not end")?;
    let inside = in_loop_successors(cfg, natural, natural.header);
    let [inside] = inside[..] else { return Err("the loop has several ways in".into()) };
    let mut before = cfg.predecessors[natural.header].iter().filter(|&&from| from != latch);
    let (Some(&preheader), None) = (before.next(), before.next()) else {
        return Err("the loop begins in several ways".into());
    };
    let counters = Counter::all(cfg, natural, preheader, latch)?;
    let question = Question::find(cfg, natural, inside, &counters);
    if exit.phis().count() > 0 {
        return Err(ObstacleKind::ValueUsedBehind.reason("what it computes is used after it"));
    }
    for &block in &natural.blocks {
        for value in cfg.blocks[block].instructions() {
            let is_outside = |user: Value| cfg.id(user.block()).is_none_or(|at| !natural.contains(at));
            if value.users().into_iter().any(is_outside) {
                return Err(ObstacleKind::ValueUsedBehind.reason("what it computes is used after it"));
            }
        }
    }
    Ok(Inner { header, counters, question, preheader: cfg.blocks[preheader], latch: cfg.blocks[latch], inside, exit })
}

/// The instructions between two loops that have an effect on memory, which would run more often. All others each thread computes again.
fn effects_between(
    session: Session,
    cfg: &Cfg,
    outer: &NaturalLoop,
    inner: &NaturalLoop,
) -> Result<Vec<Value>, Reason> {
    let blocks = outer.blocks.iter().filter(|&&block| !inner.contains(block));
    let mut effects = Vec::new();
    for value in blocks.flat_map(|&block| cfg.blocks[block].instructions()) {
        let is_harmless = match value.opcode() {
            Some(Opcode::LLVMStore) if !value.is_volatile_or_atomic() => {
                // A thread's own variables are written by each thread, but for copies of reduction variables, to which a value is added once.
                let base = value.operand(1).base_of_address();
                if !base.is(Opcode::LLVMAlloca) || is_copy(base) {
                    effects.push(value);
                }
                true
            }
            Some(Opcode::LLVMAtomicRMW) if value.users().is_empty() && value.is_relaxed() => {
                effects.push(value);
                true
            }
            _ => is_without_effects(value) || leaves_own_results(session, value),
        };
        if !is_harmless {
            let text = "statements between the loops have effects that cannot be left to one thread";
            return Err(ObstacleKind::StatementsBetween.reason(text));
        }
    }
    Ok(effects)
}

/// Whether it does not matter how often an instruction runs.
fn is_without_effects(value: Value) -> bool {
    has_no_effects(value, MAX_CALLS)
}

/// Levels of calls that are followed.
const MAX_CALLS: u32 = 4;

fn has_no_effects(value: Value, calls: u32) -> bool {
    // A function's own variables end with the call.
    let has_none_inside = |value: Value| match value.opcode() {
        Some(Opcode::LLVMStore) if value.operand(1).base_of_address().is(Opcode::LLVMAlloca) => {
            !value.is_volatile_or_atomic()
        }
        _ => has_no_effects(value, calls - 1),
    };
    let is_function_without = |callee: Value| {
        let mut all = callee.blocks().into_iter().flat_map(|block| block.instructions());
        calls > 0 && callee.has_definitive_body() && all.all(has_none_inside)
    };
    match value.opcode() {
        Some(Opcode::LLVMStore | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg | Opcode::LLVMFence) => false,
        Some(Opcode::LLVMCall) => value.callee().is_some_and(|callee| {
            let name = callee.name();
            openmp::computes_a_number(value)
                || openmp::begins_or_ends_life(value)
                || is_annotation(&name)
                || is_function_without(callee)
        }),
        Some(Opcode::LLVMInvoke) => false,
        Some(Opcode::LLVMLoad) => !value.is_volatile_or_atomic(),
        _ => true,
    }
}

/// Whether a call is for a debugger or the optimiser alone.
fn is_annotation(name: &str) -> bool {
    name.starts_with("llvm.dbg.") || name.starts_with("llvm.experimental.noalias.scope.decl") || name == "llvm.assume"
}
