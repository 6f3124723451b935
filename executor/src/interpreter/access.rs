//! Operations on memory: loads, stores, atomic updates, copies, the stack and the heap.

use super::context::Context;
use super::gang::Gang;
use super::memory_access::{Action, Actor, Trouble};
use super::step::{Flow, Running};
use super::synchronise::lanes_of;
use crate::program::*;
use std::array;

/// Private memory a thread may use.
const MAX_STACK: usize = 16 << 20;

impl<const W: usize> Gang<W> {
    /// A load, store or atomic operation.
    #[inline(always)]
    pub(super) fn access(
        &mut self,
        context: &mut Context<'_, '_, W>,
        running: &Running,
        op: &Op,
    ) -> Result<Flow, Trouble> {
        let (program, lanes, frame) = (context.program, running.lanes, running.frame);
        match *op {
            Op::Load { to, address, parts, bytes, order, site, window } => {
                let addresses = self.addresses(context, running, address, window);
                let actor = self.actor(context, running, site);
                context.touch(&self.stacks, actor, &addresses, bytes.into(), Action::Read, order)?;
                for (to, &part) in (to..).zip(&program.parts[parts.range()]) {
                    let slot = &mut self.frames[frame].values[to as usize];
                    for lane in lanes_of(lanes) {
                        slot[lane as usize] = context.read(&self.stacks, lane, addresses[lane as usize], part);
                    }
                }
                Ok(self.give_way(running))
            }
            Op::Store { values, address, parts, bytes, order, site, window } => {
                let addresses = self.addresses(context, running, address, window);
                let actor = self.actor(context, running, site);
                context.touch(&self.stacks, actor, &addresses, bytes.into(), Action::Write, order)?;
                let values = &program.operands[values.range()];
                for (&operand, &part) in values.iter().zip(&program.parts[parts.range()]) {
                    let words = *self.value(context, running, operand);
                    for lane in lanes_of(lanes) {
                        let (address, word) = (addresses[lane as usize], words[lane as usize]);
                        context.write(&mut self.stacks, lane, address, part, word);
                    }
                }
                Ok(self.give_way(running))
            }
            Op::Update { update, to, address, value, bytes, order, site, window } => {
                let addresses = self.addresses(context, running, address, window);
                let words = *self.value(context, running, value);
                let actor = self.actor(context, running, site);
                context.touch(&self.stacks, actor, &addresses, bytes.into(), Action::Update, order)?;
                for lane in lanes_of(lanes) {
                    let (address, word) = (addresses[lane as usize], words[lane as usize]);
                    let old = context.update(&mut self.stacks, lane, address, bytes, update, word);
                    self.frames[frame].values[to as usize][lane as usize] = old;
                }
                Ok(Flow::Next)
            }
            Op::CompareExchange { to, address, values: [expected, new], bytes, order, failure, site, window } => {
                let addresses = self.addresses(context, running, address, window);
                let (expected, new) = (*self.value(context, running, expected), *self.value(context, running, new));
                let actor = self.actor(context, running, site);
                let part = Part { offset: 0, bytes, bits: bytes * 8 };
                let reached = context.reach(&self.stacks, actor, &addresses, bytes.into(), Action::Update)?;
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
                    self.frames[frame].values[to as usize][at] = old;
                    self.frames[frame].values[to as usize + 1][at] = is_equal.into();
                }
                Ok(Flow::Next)
            }
            _ => unreachable!("{op:?} is no access to memory"),
        }
    }

    /// An operation on the stack, the heap, or memory of any length.
    pub(super) fn manage_memory(
        &mut self,
        context: &mut Context<'_, '_, W>,
        running: &Running,
        op: &Op,
    ) -> Result<Flow, Trouble> {
        let (lanes, frame) = (running.lanes, running.frame);
        match *op {
            Op::Alloca { to, count, bytes, align, window } => {
                let counts = *self.value(context, running, count);
                let mut addresses = [0; W];
                for lane in lanes_of(lanes) {
                    let stack = &mut self.stacks[lane as usize];
                    let start = stack.len().next_multiple_of(align as usize);
                    let len = counts[lane as usize].saturating_mul(bytes);
                    if len > (MAX_STACK - start.min(MAX_STACK)) as u64 {
                        let message = format!("the thread's own variables need more than {MAX_STACK} bytes");
                        return Err(Trouble { message, lane: Some(lane) });
                    }
                    stack.resize(start + len as usize, context.never_written);
                    addresses[lane as usize] = LOCAL_WINDOW + start as u64 - window;
                }
                self.put(running, to, addresses);
            }
            Op::StackSave { to } => {
                let tops = array::from_fn(|lane| LOCAL_WINDOW + self.stacks[lane].len() as u64);
                self.put(running, to, tops);
            }
            Op::StackRestore { from } => {
                let tops = *self.value(context, running, from);
                for lane in lanes_of(lanes) {
                    self.stacks[lane as usize].truncate((tops[lane as usize] - LOCAL_WINDOW) as usize);
                }
            }
            Op::CopyMemory { to, from, bytes, site } => {
                let [to, from, bytes] = [to, from, bytes].map(|operand| *self.value(context, running, operand));
                let actor = self.actor(context, running, site);
                context.copy_memory(&mut self.stacks, actor, &to, &from, &bytes)?;
            }
            Op::FillMemory { to, value, bytes, site } => {
                let [to, word, bytes] = [to, value, bytes].map(|operand| *self.value(context, running, operand));
                let actor = self.actor(context, running, site);
                context.fill_memory(&mut self.stacks, actor, &to, &word, &bytes)?;
            }
            Op::Allocate { to, bytes, by } => {
                let bytes = *self.value(context, running, bytes);
                for lane in lanes_of(lanes) {
                    let address = context.allocate(bytes[lane as usize], by)?;
                    self.frames[frame].values[to as usize][lane as usize] = address;
                }
            }
            Op::Free { address } => {
                let addresses = *self.value(context, running, address);
                for lane in lanes_of(lanes) {
                    context.free(addresses[lane as usize])?;
                }
            }
            Op::Print { format, arguments, to } => {
                let [format, arguments] = [format, arguments].map(|operand| *self.value(context, running, operand));
                for lane in lanes_of(lanes) {
                    let at = lane as usize;
                    let count = context.print(&self.stacks, lane, format[at], arguments[at])?;
                    self.frames[frame].values[to as usize][at] = count;
                }
            }
            _ => unreachable!("{op:?} is no operation on memory"),
        }
        Ok(Flow::Next)
    }

    /// Takes locks for the lanes that find them free; the others come back to this operation.
    pub(super) fn take_lock(
        &mut self,
        context: &mut Context<'_, '_, W>,
        running: &Running,
        address: Operand,
        site: SiteId,
    ) -> Result<Flow, Trouble> {
        let addresses = *self.value(context, running, address);
        let lanes = running.lanes;
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
            return Ok(Flow::Next);
        }
        let again = running.pc - 1;
        if taken == 0 {
            // Somebody else must run first.
            self.steps += super::context::SPIN_COST;
            self.patience += 1;
            self.release_returned();
            return Ok(Flow::PauseAt(again));
        }
        self.split(running, &[(running.pc, taken), (again, lanes & !taken)]);
        Ok(Flow::Leave)
    }

    pub(super) fn leave_lock(
        &mut self,
        context: &mut Context<'_, '_, W>,
        running: &Running,
        address: Operand,
        site: SiteId,
    ) -> Result<Flow, Trouble> {
        let addresses = *self.value(context, running, address);
        let (actor, part) = (self.actor(context, running, site), Part { offset: 0, bytes: 4, bits: 32 });
        context.touch(&self.stacks, actor, &addresses, 4, Action::Write, Ordering::Release)?;
        for lane in lanes_of(running.lanes) {
            context.write(&mut self.stacks, lane, addresses[lane as usize], part, 0);
        }
        Ok(Flow::Next)
    }

    #[inline(always)]
    fn addresses(&self, context: &Context<'_, '_, W>, running: &Running, address: Operand, window: u64) -> [u64; W] {
        self.value(context, running, address).map(|address| address.wrapping_add(window))
    }

    /// Who makes an access, for those who observe it.
    #[inline(always)]
    fn actor(&self, context: &mut Context<'_, '_, W>, running: &Running, site: SiteId) -> Actor {
        if context.wants_iterations {
            let mut iteration = std::mem::take(&mut context.iteration);
            let rounds = &self.frames[running.frame].groups[running.group].rounds;
            self.iteration(context.program, running.frame, rounds, running.pc - 1, &mut iteration);
            context.iteration = iteration;
        }
        Actor { site, lanes: running.lanes, first_lane: self.first_lane, warp: self.warp }
    }

    /// A thread that runs alone may lose its turn at every access: between a read and the write that depends on it, say.
    #[inline(always)]
    fn give_way(&self, running: &Running) -> Flow {
        if W == 1 && self.steps >= running.end { Flow::PauseAt(running.pc) } else { Flow::Next }
    }
}
