//! Runs a group of lanes, operation by operation.

use super::arithmetic as calculate;
use super::gang::{FrameId, Gang, Group, State};
use super::memory_access::{Action, Actor, Trouble, race_order};
use super::synchronise::{Deposit, MOST_LANES, Met, Wait, lanes_of, may_go_on, result};
use super::team::Context;
use super::{Fault, FaultKind, window_of};
use crate::program::*;
use std::array;

/// How far a gang came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// All its lanes have ended.
    Finished,
    /// All its lanes wait.
    Blocked,
    /// It has used up its turn.
    Paused,
    /// It waits for what others do.
    Sleeps,
}

/// Private memory a thread may use.
const MOST_STACK: usize = 16 << 20;

fn full<const W: usize>() -> u64 {
    if W == 64 { u64::MAX } else { (1 << W) - 1 }
}

#[inline]
fn map<const W: usize>(a: &[u64; W], f: impl Fn(u64) -> u64) -> [u64; W] {
    array::from_fn(|lane| f(a[lane]))
}

#[inline]
fn map2<const W: usize>(a: &[u64; W], b: &[u64; W], f: impl Fn(u64, u64) -> u64) -> [u64; W] {
    array::from_fn(|lane| f(a[lane], b[lane]))
}

/// An operation on each lane. The common ones are written out, so that each becomes a loop of its own.
fn int<const W: usize>(op: IntOp, bits: u8, a: &[u64; W], b: &[u64; W]) -> [u64; W] {
    macro_rules! each {
        ($($op:ident),*) => {
            match op {
                $(IntOp::$op => map2(a, b, |a, b| calculate::int(IntOp::$op, bits, a, b).unwrap_or(0)),)*
                _ => map2(a, b, |a, b| calculate::int(op, bits, a, b).unwrap_or(0)),
            }
        };
    }
    each!(Add, Sub, Mul, And, Or, Xor, Shl, LShr, AShr)
}

fn compare<const W: usize>(comparison: Comparison, bits: u8, a: &[u64; W], b: &[u64; W]) -> [u64; W] {
    macro_rules! each {
        ($($op:ident),*) => {
            match comparison {
                $(Comparison::$op => map2(a, b, |a, b| calculate::compare(Comparison::$op, bits, a, b)),)*
            }
        };
    }
    each!(Eq, Ne, Ugt, Uge, Ult, Ule, Sgt, Sge, Slt, Sle)
}

fn math<const W: usize>(function: Math, width: FloatWidth, a: &[u64; W], b: &[u64; W], c: &[u64; W]) -> [u64; W] {
    macro_rules! each {
        ($($op:ident),*) => {
            match function {
                $(Math::$op => array::from_fn(|lane| calculate::math(Math::$op, width, [a[lane], b[lane], c[lane]])),)*
                _ => array::from_fn(|lane| calculate::math(function, width, [a[lane], b[lane], c[lane]])),
            }
        };
    }
    each!(Add, Sub, Mul, Div, MulAdd, Fma)
}

impl<const W: usize> Gang<W> {
    /// Runs for at most about `budget` operations.
    pub(super) fn run(&mut self, context: &mut Context<'_, '_, W>, budget: u64) -> Result<Progress, Fault> {
        let end = self.steps + budget;
        loop {
            let warp = &mut context.warps[self.warp as usize];
            let barriers = &context.barriers;
            let picked = self.pick(context.program, &mut |frame, index, first_lane| {
                may_go_on(frame, index, first_lane, warp, barriers)
            });
            let Some((frame, group)) = picked else {
                return Ok(if self.is_finished() { Progress::Finished } else { Progress::Blocked });
            };
            self.run_group(context, frame, group, end)?;
            if std::mem::take(&mut self.sleeps) {
                return Ok(Progress::Sleeps);
            }
            if self.steps >= end {
                return Ok(if self.is_finished() { Progress::Finished } else { Progress::Paused });
            }
        }
    }

    fn fault(&self, context: &Context<'_, '_, W>, function: u32, pc: Pc, trouble: Trouble) -> Fault {
        let function = &context.program.functions[function as usize];
        let place = function.places.get(pc as usize).map_or(0, |&place| place as usize);
        Fault {
            kind: FaultKind::Wrong,
            message: trouble.message,
            place: context.program.places[place].clone(),
            function: function.name.clone(),
            thread: trouble.lane.map(|lane| self.warp * context.program.lanes + self.first_lane + lane),
            team: context.team,
        }
    }

    /// A fault that names the place where the gang stands: of its innermost function.
    pub(super) fn stands(&self, context: &Context<'_, '_, W>, message: String) -> Fault {
        let innermost = self.frames.iter().rev().find_map(|frame| {
            let code = &context.program.functions[frame.function as usize];
            let group = frame.groups.iter().find(|group| !matches!(group.state, State::Calling(_)))?;
            let pc = group.pc.saturating_sub(1);
            code.places.get(pc as usize).is_some_and(|&place| place != 0).then_some((frame.function, pc))
        });
        let calling = || {
            self.frames.iter().rev().find_map(|frame| {
                let code = &context.program.functions[frame.function as usize];
                let pc = frame.groups.first()?.pc.saturating_sub(1);
                code.places.get(pc as usize).is_some_and(|&place| place != 0).then_some((frame.function, pc))
            })
        };
        let (function, pc) = innermost.or_else(calling).unwrap_or((self.frames[0].function, 0));
        let lane = (!self.is_finished()).then(|| self.alive.trailing_zeros());
        self.fault(context, function, pc, Trouble { message, lane })
    }

    /// Runs a group until it waits, calls, returns, ends, splits, might meet others, or its turn is over.
    fn run_group(
        &mut self,
        context: &mut Context<'_, '_, W>,
        id: FrameId,
        index: usize,
        end: u64,
    ) -> Result<(), Fault> {
        let program = context.program;
        let function_index = self.frames[id].function;
        let function = &program.functions[function_index as usize];
        let mut pc = self.frames[id].groups[index].pc;
        let lanes = self.frames[id].groups[index].lanes;
        let alone = self.frames[id].groups.len() == 1;
        macro_rules! fail {
            ($trouble:expr) => {
                return Err(self.fault(context, function_index, pc - 1, $trouble))
            };
        }
        macro_rules! attempt {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(trouble) => fail!(trouble),
                }
            };
        }
        macro_rules! value {
            ($operand:expr) => {
                match $operand.decode() {
                    Ok(slot) => &self.frames[id].values[slot as usize],
                    Err(constant) => &context.constants[constant as usize],
                }
            };
        }
        macro_rules! put {
            ($to:expr, $words:expr) => {{
                let words: [u64; W] = $words;
                let slot = &mut self.frames[id].values[$to as usize];
                if lanes == full::<W>() {
                    *slot = words;
                } else {
                    for lane in lanes_of(lanes) {
                        slot[lane as usize] = words[lane as usize];
                    }
                }
            }};
        }
        macro_rules! actor {
            ($site:expr) => {{
                if context.wants_iterations {
                    let mut iteration = std::mem::take(&mut context.iteration);
                    let rounds = &self.frames[id].groups[index].rounds;
                    self.iteration(program, id, rounds, pc - 1, &mut iteration);
                    context.iteration = iteration;
                }
                Actor { site: $site, lanes, first_lane: self.first_lane, warp: self.warp }
            }};
        }
        // A thread that runs alone may lose its turn at every access: between a read and the write that depends on it, say.
        macro_rules! give_way {
            () => {
                if W == 1 && self.steps >= end {
                    self.frames[id].groups[index].pc = pc;
                    return Ok(());
                }
            };
        }
        loop {
            let op = function.code[pc as usize];
            pc += 1;
            self.steps += 1;
            match op {
                Op::Copy { to, from } => put!(to, *value!(from)),
                Op::Int { op, bits, to, a, b } => {
                    let (a, b) = (value!(a), value!(b));
                    if matches!(op, IntOp::UDiv | IntOp::SDiv | IntOp::URem | IntOp::SRem) {
                        let fails =
                            |&lane: &u32| calculate::int(op, bits, a[lane as usize], b[lane as usize]).is_none();
                        if let Some(lane) = lanes_of(lanes).find(fails) {
                            fail!(Trouble { message: calculate::DIVISION.into(), lane: Some(lane) });
                        }
                    }
                    put!(to, int(op, bits, a, b));
                }
                Op::WideInt { op, bits, to, a, b } => {
                    let (a, b) = ([value!(a[0]), value!(a[1])], [value!(b[0]), value!(b[1])]);
                    let words: [Option<u128>; W] =
                        array::from_fn(|lane| calculate::wide_int(op, bits, wide(a, lane), wide(b, lane)));
                    if let Some(lane) = lanes_of(lanes).find(|&lane| words[lane as usize].is_none()) {
                        fail!(Trouble { message: calculate::DIVISION.into(), lane: Some(lane) });
                    }
                    put!(to, words.map(|word| word.unwrap_or(0) as u64));
                    put!(to + 1, words.map(|word| (word.unwrap_or(0) >> 64) as u64));
                }
                Op::Compare { comparison, bits, to, a, b } => put!(to, compare(comparison, bits, value!(a), value!(b))),
                Op::WideCompare { comparison, bits, to, a, b } => {
                    let (a, b) = ([value!(a[0]), value!(a[1])], [value!(b[0]), value!(b[1])]);
                    put!(
                        to,
                        array::from_fn(|lane| {
                            calculate::wide_compare(comparison, bits, wide(a, lane), wide(b, lane))
                        })
                    );
                }
                Op::Words { op, to, operands } => {
                    let operands = &program.operands[operands.range()];
                    let count = operands.len() / 2;
                    let results = if matches!(op, WordsOp::Compare(_)) { 1 } else { count };
                    let mut words = vec![[0; W]; results];
                    for lane in 0..W {
                        let given: Vec<u64> = operands.iter().map(|operand| value!(operand)[lane]).collect();
                        let made = calculate::words(op, &given[..count], &given[count..]);
                        words.iter_mut().zip(made).for_each(|(word, made)| word[lane] = made);
                    }
                    for (to, words) in (to..).zip(words) {
                        put!(to, words);
                    }
                }
                Op::WideSignExtend { from, to, a, bits } => {
                    let words = value!(a).map(|word| calculate::wide_sign_extend(word, from, bits));
                    put!(to, words.map(|word| word as u64));
                    put!(to + 1, words.map(|word| (word >> 64) as u64));
                }
                Op::IntFunction { function, bits, to, a } => {
                    put!(to, map(value!(a), |a| calculate::int_function(function, bits, a)));
                }
                Op::Math { function, width, to, arguments: [a, b, c] } => {
                    put!(to, math(function, width, value!(a), value!(b), value!(c)));
                }
                Op::FloatCompare { comparison, width, to, a, b } => {
                    put!(to, map2(value!(a), value!(b), |a, b| calculate::float_compare(comparison, width, a, b)));
                }
                Op::IsClass { width, classes, to, a } => {
                    put!(to, map(value!(a), |a| calculate::is_class(width, classes, a)));
                }
                Op::Convert { conversion, to, a } => {
                    let a = value!(a);
                    put!(
                        to,
                        match conversion {
                            Conversion::Truncate { bits } => map(a, |a| calculate::low(a, bits)),
                            Conversion::SignExtend { from, to } => {
                                map(a, |a| calculate::low(calculate::signed(a, from) as u64, to))
                            }
                            _ => map(a, |a| calculate::convert(conversion, a)),
                        }
                    );
                }
                Op::Select { to, condition, a, b } => {
                    let (condition, a, b) = (value!(condition), value!(a), value!(b));
                    put!(to, array::from_fn(|lane| if condition[lane] & 1 == 1 { a[lane] } else { b[lane] }));
                }
                Op::Index { to, base, index, bits, scale, pointer_bits } => {
                    let moved = |base: u64, index: u64| {
                        let bytes = calculate::signed(index, bits).wrapping_mul(scale);
                        calculate::low(base.wrapping_add(bytes as u64), pointer_bits)
                    };
                    put!(to, map2(value!(base), value!(index), moved));
                }
                Op::Extract { to, from, count, index } => {
                    let index = *value!(index);
                    let values = &self.frames[id].values;
                    put!(
                        to,
                        array::from_fn(|lane| { values[(from + (index[lane] as u32).min(count - 1)) as usize][lane] })
                    );
                }
                Op::Insert { to, count, index, value } => {
                    let (index, word) = (*value!(index), *value!(value));
                    for lane in lanes_of(lanes) {
                        let element = (index[lane as usize] as u32).min(count - 1);
                        self.frames[id].values[(to + element) as usize][lane as usize] = word[lane as usize];
                    }
                }
                Op::Funnel { left, bits, to, arguments: [a, b, c] } => {
                    let (a, b, c) = (value!(a), value!(b), value!(c));
                    put!(to, array::from_fn(|lane| calculate::funnel(left, bits, [a[lane], b[lane], c[lane]])));
                }
                Op::BytePermute { to, arguments: [a, b, c] } => {
                    let (a, b, c) = (value!(a), value!(b), value!(c));
                    put!(to, array::from_fn(|lane| calculate::byte_permute([a[lane], b[lane], c[lane]])));
                }
                Op::Load { to, address, parts, bytes, order, site, window } => {
                    let addresses = map(value!(address), |address| address.wrapping_add(window));
                    let actor = actor!(site);
                    attempt!(context.touch(&self.stacks, actor, &addresses, bytes.into(), Action::Read, order));
                    for (to, &part) in (to..).zip(&program.parts[parts.range()]) {
                        let slot = &mut self.frames[id].values[to as usize];
                        for lane in lanes_of(lanes) {
                            slot[lane as usize] = context.read(&self.stacks, lane, addresses[lane as usize], part);
                        }
                    }
                    give_way!();
                }
                Op::Store { values, address, parts, bytes, order, site, window } => {
                    let addresses = map(value!(address), |address| address.wrapping_add(window));
                    let actor = actor!(site);
                    attempt!(context.touch(&self.stacks, actor, &addresses, bytes.into(), Action::Write, order));
                    let values = &program.operands[values.range()];
                    for (operand, &part) in values.iter().zip(&program.parts[parts.range()]) {
                        let words = *value!(operand);
                        for lane in lanes_of(lanes) {
                            let (address, word) = (addresses[lane as usize], words[lane as usize]);
                            context.write(&mut self.stacks, lane, address, part, word);
                        }
                    }
                    give_way!();
                }
                Op::Update { update, to, address, value, bytes, order, site, window } => {
                    let addresses = map(value!(address), |address| address.wrapping_add(window));
                    let words = *value!(value);
                    let actor = actor!(site);
                    attempt!(context.touch(&self.stacks, actor, &addresses, bytes.into(), Action::Update, order));
                    for lane in lanes_of(lanes) {
                        let (address, word) = (addresses[lane as usize], words[lane as usize]);
                        let old = context.update(&mut self.stacks, lane, address, bytes, update, word);
                        self.frames[id].values[to as usize][lane as usize] = old;
                    }
                }
                Op::CompareExchange { to, address, values: [expected, new], bytes, order, failure, site, window } => {
                    let addresses = map(value!(address), |address| address.wrapping_add(window));
                    let (expected, new) = (*value!(expected), *value!(new));
                    let actor = actor!(site);
                    let part = Part { offset: 0, bytes, bits: bytes * 8 };
                    let reached =
                        attempt!(context.reach(&self.stacks, actor, &addresses, bytes.into(), Action::Update));
                    // One lane after the other, for what a lane finds is what the one before it left.
                    for lane in lanes_of(lanes) {
                        let at = lane as usize;
                        let old = context.read(&self.stacks, lane, addresses[at], part);
                        let is_equal = old == expected[at];
                        if is_equal {
                            context.write(&mut self.stacks, lane, addresses[at], part, new[at]);
                        }
                        // One that finds something else only reads.
                        let (action, order) = if is_equal { (Action::Update, order) } else { (Action::Read, failure) };
                        context.detect(actor, reached.only(lane), &addresses, bytes.into(), action, order);
                        self.frames[id].values[to as usize][at] = old;
                        self.frames[id].values[to as usize + 1][at] = is_equal.into();
                    }
                }
                Op::Fence { order } => {
                    if let (Some(detector), Some(order)) = (&mut context.detector, race_order(order)) {
                        let first = context.team * context.threads + self.warp * program.lanes + self.first_lane;
                        for lane in lanes_of(lanes) {
                            detector.fence(first + lane, order);
                        }
                    }
                }
                Op::Alloca { to, count, bytes, align, window } => {
                    let counts = *value!(count);
                    let mut addresses = [0; W];
                    for lane in lanes_of(lanes) {
                        let stack = &mut self.stacks[lane as usize];
                        let start = stack.len().next_multiple_of(align as usize);
                        let len = counts[lane as usize].saturating_mul(bytes);
                        if len > (MOST_STACK - start.min(MOST_STACK)) as u64 {
                            let message = format!("the thread's own variables need more than {MOST_STACK} bytes");
                            fail!(Trouble { message, lane: Some(lane) });
                        }
                        stack.resize(start + len as usize, context.never_written);
                        addresses[lane as usize] = LOCAL_WINDOW + start as u64 - window;
                    }
                    put!(to, addresses);
                }
                Op::StackSave { to } => {
                    put!(to, array::from_fn(|lane| LOCAL_WINDOW + self.stacks[lane].len() as u64));
                }
                Op::StackRestore { from } => {
                    let tops = *value!(from);
                    for lane in lanes_of(lanes) {
                        self.stacks[lane as usize].truncate((tops[lane as usize] - LOCAL_WINDOW) as usize);
                    }
                }
                Op::CopyMemory { to, from, bytes, site } => {
                    let (to, from, bytes) = (*value!(to), *value!(from), *value!(bytes));
                    let actor = actor!(site);
                    attempt!(context.copy_memory(&mut self.stacks, actor, &to, &from, &bytes));
                }
                Op::FillMemory { to, value, bytes, site } => {
                    let (to, word, bytes) = (*value!(to), *value!(value), *value!(bytes));
                    let actor = actor!(site);
                    attempt!(context.fill_memory(&mut self.stacks, actor, &to, &word, &bytes));
                }
                Op::Read { register, to } => {
                    let first = self.warp * program.lanes + self.first_lane;
                    put!(
                        to,
                        array::from_fn(|lane| {
                            context.register(register, first + lane as u32, lanes << self.first_lane, self.steps)
                        })
                    );
                }
                Op::IsInWindow { to, address, window } => {
                    put!(to, map(value!(address), |address| u64::from(window_of(address) == Some(window))));
                }
                Op::Allocate { to, bytes, by_runtime } => {
                    let bytes = *value!(bytes);
                    for lane in lanes_of(lanes) {
                        let address = attempt!(context.allocate(bytes[lane as usize], by_runtime));
                        self.frames[id].values[to as usize][lane as usize] = address;
                    }
                }
                Op::Free { address } => {
                    let addresses = *value!(address);
                    for lane in lanes_of(lanes) {
                        attempt!(context.free(addresses[lane as usize]));
                    }
                }
                Op::TakeLock { address, site } => {
                    if self
                        .take_lock(context, id, index, pc, address, site)
                        .map_err(|trouble| self.fault(context, function_index, pc - 1, trouble))?
                    {
                        return Ok(());
                    }
                }
                Op::LeaveLock { address, site } => {
                    let addresses = *value!(address);
                    let (actor, part) = (actor!(site), Part { offset: 0, bytes: 4, bits: 32 });
                    let order = Ordering::Release;
                    attempt!(context.touch(&self.stacks, actor, &addresses, 4, Action::Write, order));
                    for lane in lanes_of(lanes) {
                        context.write(&mut self.stacks, lane, addresses[lane as usize], part, 0);
                    }
                }
                Op::Print { format, arguments, to } => {
                    let (format, arguments) = (*value!(format), *value!(arguments));
                    for lane in lanes_of(lanes) {
                        let at = lane as usize;
                        let count = attempt!(context.print(&self.stacks, lane, format[at], arguments[at]));
                        self.frames[id].values[to as usize][at] = count;
                    }
                }
                Op::Warp { op, to, mask, arguments: [a, b, c] } => {
                    let (masks, a, b, c) = (*value!(mask), *value!(a), *value!(b), *value!(c));
                    self.frames[id].groups[index].pc = pc;
                    if self.exchange(context, id, index, op, to, &masks, [&a, &b, &c]) {
                        return Ok(());
                    }
                }
                Op::Barrier { id: barrier, count } => {
                    let (ids, count) = (*value!(barrier), count.map(|count| *value!(count)));
                    let lane = lanes.trailing_zeros() as usize;
                    let threads = count.map(|count| count[lane] as u32);
                    let (warp, warps) = (self.warp, context.warps.len());
                    let arrived = lanes << self.first_lane;
                    let wait = context.barriers.arrive(ids[lane] as u32, threads, warp, arrived, warps);
                    let group = &mut self.frames[id].groups[index];
                    (group.pc, group.state) = (pc, State::Waiting(wait));
                    context.complete_barriers();
                    return Ok(());
                }
                Op::Meet => {
                    if !alone || self.steps >= end {
                        self.frames[id].groups[index].pc = pc;
                        return Ok(());
                    }
                }
                Op::Sleep => {
                    self.frames[id].groups[index].pc = pc;
                    self.sleeps = true;
                    // So that one who waits in vain comes to an end.
                    self.steps += super::team::SPIN_COST;
                    return Ok(());
                }
                Op::LoopEnter { index: natural } => self.frames[id].groups[index].rounds[natural as usize] = 0,
                Op::LoopNext { index: natural } => self.frames[id].groups[index].rounds[natural as usize] += 1,
                Op::Jump { to } => {
                    pc = to;
                    if !alone || self.steps >= end {
                        self.frames[id].groups[index].pc = pc;
                        return Ok(());
                    }
                }
                Op::Branch { condition, then, otherwise, branch } => {
                    let condition = value!(condition);
                    let mut taken = 0;
                    for (lane, &word) in condition.iter().enumerate() {
                        taken |= (word & 1) << lane;
                    }
                    taken &= lanes;
                    context.tell_branch(self.warp, branch, lanes, taken);
                    if taken != lanes && taken != 0 {
                        self.split(id, index, &[(then, taken), (otherwise, lanes & !taken)]);
                        return Ok(());
                    }
                    pc = if taken == 0 { otherwise } else { then };
                }
                Op::Switch { value, cases, default, branch } => {
                    let words = value!(value);
                    let cases = &program.cases[cases.range()];
                    let mut ways: Vec<(Pc, u64)> = Vec::new();
                    for lane in lanes_of(lanes) {
                        let word = words[lane as usize];
                        let to = cases.iter().find(|(case, _)| *case == word).map_or(default, |&(_, to)| to);
                        match ways.iter_mut().find(|(pc, _)| *pc == to) {
                            Some((_, lanes)) => *lanes |= 1 << lane,
                            None => ways.push((to, 1 << lane)),
                        }
                    }
                    context.tell_branch(self.warp, branch, lanes, ways[0].1);
                    if ways.len() > 1 {
                        self.split(id, index, &ways);
                        return Ok(());
                    }
                    pc = ways[0].0;
                }
                Op::Call { function, arguments, to } => {
                    let results = results_of(program, function);
                    attempt!(self.call(context, (id, index, pc), function, arguments, (to, results)));
                    return Ok(());
                }
                Op::CallIndirect { callee, arguments, to, results } => {
                    let callees = *value!(callee);
                    let first = callees[lanes.trailing_zeros() as usize];
                    let same = lanes_of(lanes)
                        .filter(|&lane| callees[lane as usize] == first)
                        .fold(0, |mask, lane| mask | 1 << lane);
                    if same != lanes {
                        // One function at a time: the others come back to this call.
                        self.split(id, index, &[(pc, same), (pc - 1, lanes & !same)]);
                    }
                    let number = first.wrapping_sub(FUNCTION_WINDOW) / 16;
                    if number >= program.functions.len() as u64 {
                        fail!(Trouble::all(format!(
                            "a call through the pointer {first:#x}, which leads to no function"
                        )));
                    }
                    attempt!(self.call(context, (id, index, pc), number as u32, arguments, (to, results)));
                    return Ok(());
                }
                Op::Return { values } => {
                    let values = &program.operands[values.range()];
                    let (to, results) = self.frames[id].result;
                    if let Some(parent) = self.frames[id].parent {
                        for (number, operand) in values.iter().enumerate().take(results as usize) {
                            let words = *value!(operand);
                            let slot = &mut self.frames[parent].values[to as usize + number];
                            for lane in lanes_of(lanes) {
                                slot[lane as usize] = words[lane as usize];
                            }
                        }
                        for lane in lanes_of(lanes) {
                            let top = self.frames[id].stack[lane as usize];
                            self.stacks[lane as usize].truncate(top as usize);
                        }
                        self.frames[id].returned |= lanes;
                    } else {
                        self.end_lanes(context, lanes);
                    }
                    self.frames[id].groups.remove(index);
                    if self.frames[id].groups.is_empty() {
                        self.leave(id);
                    }
                    return Ok(());
                }
                Op::Exit => {
                    self.end_lanes(context, lanes);
                    self.frames[id].groups.remove(index);
                    if self.frames[id].groups.is_empty() {
                        self.leave(id);
                    }
                    return Ok(());
                }
                Op::Stop { message } => {
                    let lane = (W == 1 || lanes.count_ones() == 1).then(|| lanes.trailing_zeros());
                    fail!(Trouble { message: program.messages[message as usize].clone(), lane });
                }
                Op::Refuse { message } => fail!(Trouble::all(program.messages[message as usize].clone())),
            }
        }
    }

    fn end_lanes(&mut self, context: &mut Context<'_, '_, W>, lanes: u64) {
        self.alive &= !lanes;
        context.warps[self.warp as usize].alive &= !(lanes << self.first_lane);
        let first = context.team * context.threads + self.warp * context.program.lanes + self.first_lane;
        if let Some(detector) = &mut context.detector {
            for lane in lanes_of(lanes) {
                detector.thread_ended(first + lane);
            }
        }
        context.complete_barriers();
        context.complete_exchanges(self.warp);
    }

    /// Some lanes of a group go one way, others another.
    fn split(&mut self, id: FrameId, index: usize, ways: &[(Pc, u64)]) {
        let groups = &mut self.frames[id].groups;
        let rounds = groups[index].rounds.clone();
        groups[index].pc = ways[0].0;
        groups[index].lanes = ways[0].1;
        for &(pc, lanes) in &ways[1..] {
            groups.push(Group { pc, lanes, state: State::Ready, rounds: rounds.clone() });
        }
    }

    fn call(
        &mut self,
        context: &mut Context<'_, '_, W>,
        (id, index, pc): (FrameId, usize, Pc),
        function: u32,
        arguments: Span,
        result: (Slot, u32),
    ) -> Result<(), Trouble> {
        /// Deeper recursion than any device's stack allows.
        const MOST_FRAMES: usize = 10_000;
        let program = context.program;
        let callee = &program.functions[function as usize];
        if !callee.defined {
            let message = format!("the call of `{}`, whose code is not in the module, cannot be run here", callee.name);
            return Err(Trouble::all(message));
        }
        if self.frames.len() > MOST_FRAMES {
            return Err(Trouble::all("functions call each other without end"));
        }
        let lanes = self.frames[id].groups[index].lanes;
        let new = self.enter(program, function, lanes, Some(id), result);
        let operands = &program.operands[arguments.range()];
        for (slot, operand) in operands.iter().enumerate().take(callee.parameters as usize) {
            let words = match operand.decode() {
                Ok(slot) => self.frames[id].values[slot as usize],
                Err(constant) => context.constants[constant as usize],
            };
            self.frames[new].values[slot] = words;
        }
        let group = &mut self.frames[id].groups[index];
        (group.pc, group.state) = (pc, State::Calling(new));
        Ok(())
    }

    /// Lanes exchange values; true if they must wait for others.
    #[allow(clippy::too_many_arguments)]
    fn exchange(
        &mut self,
        context: &mut Context<'_, '_, W>,
        id: FrameId,
        index: usize,
        op: WarpOp,
        to: Slot,
        masks: &[u64; W],
        [a, b, c]: [&[u64; W]; 3],
    ) -> bool {
        let first = self.first_lane;
        let lanes = self.frames[id].groups[index].lanes;
        let alive = context.warps[self.warp as usize].alive;
        let is_amd = context.program.lanes == 64;
        let deposit = |lane: u32| {
            let at = lane as usize;
            // AMD's lanes exchange with those that are active, and wait for nobody.
            let mask = if is_amd { lanes << first } else { masks[at] };
            Deposit { op, mask, arguments: [a[at], b[at], c[at]] }
        };
        let everyone_here = lanes_of(lanes).all(|lane| (deposit(lane).mask & alive) & !(lanes << first) == 0);
        let same_mask = lanes_of(lanes).all(|lane| deposit(lane).mask & alive == lanes << first);
        if everyone_here && same_mask {
            let mut deposits = [deposit(lanes.trailing_zeros()); MOST_LANES];
            for lane in lanes_of(lanes) {
                deposits[(lane + first) as usize] = deposit(lane);
            }
            for lane in lanes_of(lanes) {
                let word = result(&deposits, lanes << first, lane + first, context.program.lanes);
                if op != WarpOp::Sync {
                    self.frames[id].values[to as usize][lane as usize] = word;
                }
            }
            if op == WarpOp::Sync {
                context.met(self.warp, Met(lanes << first));
            }
            return false;
        }
        for lane in lanes_of(lanes) {
            context.warps[self.warp as usize].deposit(lane + first, deposit(lane));
        }
        // A pure wait has no result: its slot is any.
        self.frames[id].groups[index].state = State::Waiting(Wait::Exchange { to });
        context.complete_exchanges(self.warp);
        true
    }

    /// Takes locks for the lanes that find them free; the others come back to this operation. True if the group was split or must wait.
    fn take_lock(
        &mut self,
        context: &mut Context<'_, '_, W>,
        id: FrameId,
        index: usize,
        pc: Pc,
        address: Operand,
        site: SiteId,
    ) -> Result<bool, Trouble> {
        let addresses = match address.decode() {
            Ok(slot) => self.frames[id].values[slot as usize],
            Err(constant) => context.constants[constant as usize],
        };
        let lanes = self.frames[id].groups[index].lanes;
        let part = Part { offset: 0, bytes: 4, bits: 32 };
        let actor = Actor { site, lanes, first_lane: self.first_lane, warp: self.warp };
        let reached = context.reach(&self.stacks, actor, &addresses, 4, Action::Update)?;
        let mut taken = 0;
        for lane in lanes_of(lanes) {
            let address = addresses[lane as usize];
            let is_free = context.read(&self.stacks, lane, address, part) == 0;
            if is_free {
                context.write(&mut self.stacks, lane, address, part, 1);
                taken |= 1 << lane;
            }
            let action = if is_free { Action::Update } else { Action::Read };
            context.detect(actor, reached.only(lane), &addresses, 4, action, Ordering::AcquireRelease);
        }
        if taken == lanes {
            self.patience = 0;
            return Ok(false);
        }
        if taken == 0 {
            // Somebody else must run first.
            self.frames[id].groups[index].pc = pc - 1;
            self.steps += super::team::SPIN_COST;
            self.patience += 1;
            self.release_returned();
            return Ok(true);
        }
        self.split(id, index, &[(pc, taken), (pc - 1, lanes & !taken)]);
        Ok(true)
    }
}

fn wide<const W: usize>(words: [&[u64; W]; 2], lane: usize) -> u128 {
    u128::from(words[0][lane]) | u128::from(words[1][lane]) << 64
}

/// How many slots a function gives back.
fn results_of(program: &Program, function: u32) -> u32 {
    program.functions[function as usize].results
}
