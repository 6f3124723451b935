//! Operations that lead lanes elsewhere or let them wait: branches, calls, returns, barriers, exchanges.

use super::context::Context;
use super::gang::{Gang, Group, State, Wait};
use super::memory_access::{Trouble, race_order};
use super::step::{Flow, Running};
use super::synchronise::{Deposit, MAX_LANES, Met, lanes_of, result};
use crate::program::*;

impl<const W: usize> Gang<W> {
    /// A way that depends on a value.
    #[inline(always)]
    pub(super) fn branch(&mut self, context: &mut Context<'_, '_, W>, running: &Running, op: &Op) -> Flow {
        let lanes = running.lanes;
        match *op {
            Op::Branch { condition, then, otherwise, branch } => {
                let condition = self.value(context, running, condition);
                let mut taken = 0;
                for (lane, &word) in condition.iter().enumerate() {
                    taken |= (word & 1) << lane;
                }
                taken &= lanes;
                context.tell_branch(self.warp, branch, lanes, taken);
                if taken != lanes && taken != 0 {
                    self.split(running, &[(then, taken), (otherwise, lanes & !taken)]);
                    return Flow::Leave;
                }
                Flow::GoTo(if taken == 0 { otherwise } else { then })
            }
            Op::Switch { value, cases, default, branch } => {
                let words = self.value(context, running, value);
                let cases = &context.program.cases[cases.range()];
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
                    self.split(running, &ways);
                    return Flow::Leave;
                }
                Flow::GoTo(ways[0].0)
            }
            _ => unreachable!("{op:?} is no branch"),
        }
    }

    /// A call, a return, or the end of threads.
    pub(super) fn transfer(
        &mut self,
        context: &mut Context<'_, '_, W>,
        running: &Running,
        op: &Op,
    ) -> Result<Flow, Trouble> {
        let (program, lanes) = (context.program, running.lanes);
        match *op {
            Op::Call { function, arguments, to } => {
                let results = results_of(program, function);
                self.call(context, running, function, arguments, (to, results))
            }
            Op::CallIndirect { callee, arguments, to, results } => {
                let callees = *self.value(context, running, callee);
                let first = callees[lanes.trailing_zeros() as usize];
                let same = lanes_of(lanes)
                    .filter(|&lane| callees[lane as usize] == first)
                    .fold(0, |mask, lane| mask | 1 << lane);
                if same != lanes {
                    // One function at a time: the others come back to this call.
                    self.split(running, &[(running.pc, same), (running.pc - 1, lanes & !same)]);
                }
                let number = first.wrapping_sub(FUNCTION_WINDOW) / 16;
                if number >= program.functions.len() as u64 {
                    return Err(Trouble::all(format!(
                        "a call through the pointer {first:#x}, which leads to no function"
                    )));
                }
                self.call(context, &Running { lanes: same, ..*running }, number as u32, arguments, (to, results))
            }
            Op::Return { values } => {
                self.return_lanes(context, running, values);
                Ok(self.remove_group(running))
            }
            Op::Exit => {
                self.end_lanes(context, lanes);
                Ok(self.remove_group(running))
            }
            Op::Stop { message } => {
                let lane = (W == 1 || lanes.count_ones() == 1).then(|| lanes.trailing_zeros());
                Err(Trouble { message: program.messages[message as usize].clone(), lane })
            }
            Op::Refuse { message } => Err(Trouble::all(program.messages[message as usize].clone())),
            _ => unreachable!("{op:?} leads to no other function"),
        }
    }

    fn call(
        &mut self,
        context: &mut Context<'_, '_, W>,
        running: &Running,
        function: u32,
        arguments: Span,
        result: (Slot, u32),
    ) -> Result<Flow, Trouble> {
        /// Deeper recursion than any device's stack allows.
        const MAX_FRAMES: usize = 10_000;
        let program = context.program;
        let callee = &program.functions[function as usize];
        if !callee.defined {
            let message = format!("the call of `{}`, whose code is not in the module, cannot be run here", callee.name);
            return Err(Trouble::all(message));
        }
        if self.frames.len() > MAX_FRAMES {
            return Err(Trouble::all("functions call each other without end"));
        }
        let new = self.enter(program, function, running.lanes, Some(running.frame), result);
        let operands = &program.operands[arguments.range()];
        for (slot, &operand) in operands.iter().enumerate().take(callee.parameters as usize) {
            self.frames[new].values[slot] = *self.value(context, running, operand);
        }
        let group = &mut self.frames[running.frame].groups[running.group];
        (group.pc, group.state) = (running.pc, State::Calling(new));
        Ok(Flow::Leave)
    }

    /// Hands the results to the caller, or ends lanes that return from the kernel itself.
    fn return_lanes(&mut self, context: &mut Context<'_, '_, W>, running: &Running, values: Span) {
        let (id, lanes) = (running.frame, running.lanes);
        let Some(parent) = self.frames[id].parent else {
            self.end_lanes(context, lanes);
            return;
        };
        let (to, results) = self.frames[id].result;
        let values = &context.program.operands[values.range()];
        for (number, &operand) in values.iter().enumerate().take(results as usize) {
            let words = *self.value(context, running, operand);
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
    }

    fn remove_group(&mut self, running: &Running) -> Flow {
        self.frames[running.frame].groups.remove(running.group);
        if self.frames[running.frame].groups.is_empty() {
            self.leave(running.frame);
        }
        Flow::Leave
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
    pub(super) fn split(&mut self, running: &Running, ways: &[(Pc, u64)]) {
        let groups = &mut self.frames[running.frame].groups;
        let rounds = groups[running.group].rounds.clone();
        groups[running.group].pc = ways[0].0;
        groups[running.group].lanes = ways[0].1;
        for &(pc, lanes) in &ways[1..] {
            groups.push(Group { pc, lanes, state: State::Ready, rounds: rounds.clone() });
        }
    }

    /// An operation by which lanes order their accesses or wait for each other.
    pub(super) fn synchronise(&mut self, context: &mut Context<'_, '_, W>, running: &Running, op: &Op) -> Flow {
        let lanes = running.lanes;
        match *op {
            Op::Fence { order } => {
                if let (Some(detector), Some(order)) = (&mut context.detector, race_order(order)) {
                    let first = context.team * context.threads + self.warp * context.program.lanes + self.first_lane;
                    for lane in lanes_of(lanes) {
                        detector.fence(first + lane, order);
                    }
                }
                Flow::Next
            }
            Op::Warp { op, to, mask, arguments } => {
                let masks = *self.value(context, running, mask);
                let [a, b, c] = arguments.map(|operand| *self.value(context, running, operand));
                self.frames[running.frame].groups[running.group].pc = running.pc;
                let must_wait = self.exchange(context, running, op, to, &masks, [&a, &b, &c]);
                if must_wait { Flow::Leave } else { Flow::Next }
            }
            Op::Barrier { id: barrier, count } => {
                let ids = *self.value(context, running, barrier);
                let lane = lanes.trailing_zeros() as usize;
                let threads = count.map(|count| self.value(context, running, count)[lane] as u32);
                let (warp, warps) = (self.warp, context.warps.len());
                let arrived = lanes << self.first_lane;
                let wait = context.barriers.arrive(ids[lane] as u32, threads, warp, arrived, warps);
                let group = &mut self.frames[running.frame].groups[running.group];
                (group.pc, group.state) = (running.pc, State::Waiting(wait));
                context.complete_barriers();
                Flow::Leave
            }
            _ => unreachable!("{op:?} orders nothing"),
        }
    }

    /// Lanes exchange values; true if they must wait for others.
    fn exchange(
        &mut self,
        context: &mut Context<'_, '_, W>,
        running: &Running,
        op: WarpOp,
        to: Slot,
        masks: &[u64; W],
        [a, b, c]: [&[u64; W]; 3],
    ) -> bool {
        let first = self.first_lane;
        let (lanes, frame) = (running.lanes, running.frame);
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
            let mut deposits = [deposit(lanes.trailing_zeros()); MAX_LANES];
            for lane in lanes_of(lanes) {
                deposits[(lane + first) as usize] = deposit(lane);
            }
            for lane in lanes_of(lanes) {
                let word = result(&deposits, lanes << first, lane + first, context.program.lanes);
                if op != WarpOp::Sync {
                    self.frames[frame].values[to as usize][lane as usize] = word;
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
        self.frames[frame].groups[running.group].state = State::Waiting(Wait::Exchange { to });
        context.complete_exchanges(self.warp);
        true
    }
}

/// How many slots a function gives back.
fn results_of(program: &Program, function: u32) -> u32 {
    program.functions[function as usize].results
}
