//! Runs a group of lanes, operation by operation.

use super::context::Context;
use super::gang::{FrameId, Gang, State};
use super::launch::{Fault, FaultKind};
use super::memory_access::Trouble;
use super::synchronise::{lanes_of, may_go_on};
use crate::program::*;

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

/// The group of lanes that runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Running {
    pub frame: FrameId,
    /// Its place among the frame's groups.
    pub group: usize,
    pub lanes: u64,
    /// Behind the operation that runs.
    pub pc: Pc,
    /// The gang's count of steps at which the turn is over.
    pub end: u64,
}

/// Where a group goes after an operation.
pub(super) enum Flow {
    /// To the next one.
    Next,
    /// To that one.
    GoTo(Pc),
    /// It lets others run, and goes on there.
    PauseAt(Pc),
    /// The operation has said in the group's state how it goes on, if it does.
    Leave,
}

fn full<const W: usize>() -> u64 {
    if W == 64 { u64::MAX } else { (1 << W) - 1 }
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
        frame: FrameId,
        group: usize,
        end: u64,
    ) -> Result<(), Fault> {
        let function_index = self.frames[frame].function;
        let function = &context.program.functions[function_index as usize];
        let (pc, lanes) = (self.frames[frame].groups[group].pc, self.frames[frame].groups[group].lanes);
        let is_alone = self.frames[frame].groups.len() == 1;
        let mut running = Running { frame, group, lanes, pc, end };
        loop {
            let op = &function.code[running.pc as usize];
            running.pc += 1;
            self.steps += 1;
            let may_pause =
                |to: Pc, steps: u64| if !is_alone || steps >= end { Flow::PauseAt(to) } else { Flow::GoTo(to) };
            let flow = match *op {
                Op::Copy { .. }
                | Op::Int { .. }
                | Op::WideInt { .. }
                | Op::Compare { .. }
                | Op::WideCompare { .. }
                | Op::Words { .. }
                | Op::WideSignExtend { .. }
                | Op::IntFunction { .. }
                | Op::Math { .. }
                | Op::FloatCompare { .. }
                | Op::IsClass { .. }
                | Op::Convert { .. }
                | Op::Select { .. }
                | Op::Index { .. }
                | Op::Extract { .. }
                | Op::Insert { .. }
                | Op::Funnel { .. }
                | Op::BytePermute { .. }
                | Op::Read { .. }
                | Op::IsInWindow { .. } => self.compute(context, &running, op).map(|()| Flow::Next),
                Op::Load { .. } | Op::Store { .. } | Op::Update { .. } | Op::CompareExchange { .. } => {
                    self.access(context, &running, op)
                }
                Op::Alloca { .. }
                | Op::StackSave { .. }
                | Op::StackRestore { .. }
                | Op::CopyMemory { .. }
                | Op::FillMemory { .. }
                | Op::Allocate { .. }
                | Op::Free { .. }
                | Op::Print { .. } => self.manage_memory(context, &running, op),
                Op::TakeLock { address, site } => self.take_lock(context, &running, address, site),
                Op::LeaveLock { address, site } => self.leave_lock(context, &running, address, site),
                Op::Fence { .. } | Op::Warp { .. } | Op::Barrier { .. } => Ok(self.synchronise(context, &running, op)),
                Op::Meet => Ok(may_pause(running.pc, self.steps)),
                Op::Jump { to } => Ok(may_pause(to, self.steps)),
                Op::Sleep => {
                    self.sleeps = true;
                    // So that one who waits in vain comes to an end.
                    self.steps += super::context::SPIN_COST;
                    Ok(Flow::PauseAt(running.pc))
                }
                Op::LoopEnter { index } => {
                    self.frames[frame].groups[group].rounds[index as usize] = 0;
                    Ok(Flow::Next)
                }
                Op::LoopNext { index } => {
                    self.frames[frame].groups[group].rounds[index as usize] += 1;
                    Ok(Flow::Next)
                }
                Op::Branch { .. } | Op::Switch { .. } => Ok(self.branch(context, &running, op)),
                Op::Call { .. }
                | Op::CallIndirect { .. }
                | Op::Return { .. }
                | Op::Exit
                | Op::Stop { .. }
                | Op::Refuse { .. } => self.transfer(context, &running, op),
            };
            match flow {
                Ok(Flow::Next) => {}
                Ok(Flow::GoTo(to)) => running.pc = to,
                Ok(Flow::PauseAt(to)) => {
                    self.frames[frame].groups[group].pc = to;
                    return Ok(());
                }
                Ok(Flow::Leave) => return Ok(()),
                Err(trouble) => return Err(self.fault(context, function_index, running.pc - 1, trouble)),
            }
        }
    }

    /// An operand's words, one a lane.
    #[inline(always)]
    pub(super) fn value<'v>(
        &'v self,
        context: &'v Context<'_, '_, W>,
        running: &Running,
        operand: Operand,
    ) -> &'v [u64; W] {
        match operand.decode() {
            Ok(slot) => &self.frames[running.frame].values[slot as usize],
            Err(constant) => &context.constants[constant as usize],
        }
    }

    /// Sets a slot in the lanes that run.
    #[inline(always)]
    pub(super) fn put(&mut self, running: &Running, to: Slot, words: [u64; W]) {
        let slot = &mut self.frames[running.frame].values[to as usize];
        if running.lanes == full::<W>() {
            *slot = words;
        } else {
            for lane in lanes_of(running.lanes) {
                slot[lane as usize] = words[lane as usize];
            }
        }
    }
}
