//! Lanes that run together: their stack frames, and the groups into which they have split.

use crate::program::{Function, NO_LOOP, Pc, Program, Slot};
use smallvec::SmallVec;

/// Numbers a frame of a gang.
pub(super) type FrameId = usize;

/// What a group of lanes waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// The next completion of a barrier.
    Barrier { id: u32, generation: u64 },
    /// Other lanes of the warp; then the results go to the slot.
    Exchange { to: Slot },
}

/// What a group of lanes is about to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Ready,
    /// Its lanes are in another function.
    Calling(FrameId),
    Waiting(Wait),
}

/// Lanes at one place of one function.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub pc: Pc,
    pub lanes: u64,
    pub state: State,
    /// How often each loop of the function has come round since it was entered.
    pub rounds: SmallVec<[u32; 8]>,
}

/// A call of a function by lanes that entered it together.
pub(super) struct Frame<const W: usize> {
    pub function: u32,
    pub values: Vec<[u64; W]>,
    pub groups: SmallVec<[Group; 2]>,
    pub parent: Option<FrameId>,
    /// Where the caller wants the results, and how many.
    pub result: (Slot, u32),
    /// Each lane's stack as it was at the call.
    pub stack: [u32; W],
    /// Lanes that have returned and wait for the others, so that they go on together.
    pub returned: u64,
}

/// Lanes that run together: all of a warp, or a single one.
pub(super) struct Gang<const W: usize> {
    /// The warp of the team.
    pub warp: u32,
    /// The lane of the warp that the gang's first lane is.
    pub first_lane: u32,
    /// Lanes that have not come to their end.
    pub alive: u64,
    pub frames: Vec<Frame<W>>,
    free: Vec<FrameId>,
    pools: Vec<Vec<[u64; W]>>,
    /// Private memory of each lane.
    pub stacks: Vec<Vec<u8>>,
    /// Which of several runnable groups is preferred: 0, the one furthest back. Others when a group seems to wait for lanes behind it.
    pub patience: usize,
    /// Whether it lets others run first.
    pub sleeps: bool,
    pub steps: u64,
}

/// The frame of the kernel itself.
const ROOT: FrameId = 0;

impl<const W: usize> Gang<W> {
    pub(super) fn new(
        program: &Program,
        function: u32,
        warp: u32,
        first_lane: u32,
        lanes: u64,
        arguments: &[u64],
    ) -> Self {
        let mut gang = Gang {
            warp,
            first_lane,
            alive: lanes,
            frames: Vec::new(),
            free: Vec::new(),
            pools: Vec::new(),
            stacks: vec![Vec::new(); W],
            patience: 0,
            sleeps: false,
            steps: 0,
        };
        gang.enter(program, function, lanes, None, (0, 0));
        for (slot, &argument) in gang.frames[ROOT].values.iter_mut().zip(arguments) {
            *slot = [argument; W];
        }
        gang
    }

    pub(super) fn is_finished(&self) -> bool {
        self.alive == 0
    }

    /// A new frame for `lanes`.
    pub(super) fn enter(
        &mut self,
        program: &Program,
        function: u32,
        lanes: u64,
        parent: Option<FrameId>,
        result: (Slot, u32),
    ) -> FrameId {
        let code = &program.functions[function as usize];
        let mut values = self.pools.pop().unwrap_or_default();
        values.resize(code.slots as usize, [0; W]);
        let mut stack = [0; W];
        for (top, bytes) in stack.iter_mut().zip(&self.stacks) {
            *top = bytes.len() as u32;
        }
        let rounds = SmallVec::from_elem(0, code.loops.len());
        let mut groups = SmallVec::new();
        groups.push(Group { pc: 0, lanes, state: State::Ready, rounds });
        let frame = Frame { function, values, groups, parent, result, stack, returned: 0 };
        match self.free.pop() {
            Some(id) => {
                self.frames[id] = frame;
                id
            }
            None => {
                self.frames.push(frame);
                self.frames.len() - 1
            }
        }
    }

    /// Ends a frame that no lane is in any more, and wakes its caller; likewise for callers whose lanes have all ended.
    pub(super) fn leave(&mut self, id: FrameId) {
        let frame = &mut self.frames[id];
        debug_assert!(frame.groups.is_empty());
        let values = std::mem::take(&mut frame.values);
        self.pools.push(values);
        let Some(parent) = self.frames[id].parent else { return };
        self.free.push(id);
        let alive = self.alive;
        let groups = &mut self.frames[parent].groups;
        let index = groups
            .iter()
            .position(|group| group.state == State::Calling(id))
            .expect("the caller waits for the function that it called");
        groups[index].state = State::Ready;
        groups[index].lanes &= alive;
        if groups[index].lanes == 0 {
            groups.remove(index);
            if groups.is_empty() {
                self.leave(parent);
            }
        }
    }

    /// Lets lanes that have returned from a function go on without those that are still in it, which may wait for them.
    pub(super) fn release_returned(&mut self) -> bool {
        let mut any = false;
        for id in 0..self.frames.len() {
            let frame = &mut self.frames[id];
            let (returned, Some(parent)) = (std::mem::take(&mut frame.returned), frame.parent) else { continue };
            if returned == 0 || frame.groups.is_empty() {
                continue;
            }
            let groups = &mut self.frames[parent].groups;
            if let Some(index) = groups.iter().position(|group| group.state == State::Calling(id)) {
                let mut free = groups[index].clone();
                (free.lanes, free.state) = (returned, State::Ready);
                groups[index].lanes &= !returned;
                groups.push(free);
                any = true;
            }
        }
        any
    }

    /// The group to run next, if any can run; groups that met are joined.
    pub(super) fn pick(
        &mut self,
        program: &Program,
        may_go_on: &mut dyn FnMut(&mut Frame<W>, usize, u32) -> bool,
    ) -> Option<(FrameId, usize)> {
        if self.is_finished() {
            return None;
        }
        loop {
            let picked = self.pick_in(program, ROOT, may_go_on);
            if picked.is_some() || !self.release_returned() {
                return picked;
            }
        }
    }

    fn pick_in(
        &mut self,
        program: &Program,
        id: FrameId,
        may_go_on: &mut dyn FnMut(&mut Frame<W>, usize, u32) -> bool,
    ) -> Option<(FrameId, usize)> {
        let first_lane = self.first_lane;
        let frame = &mut self.frames[id];
        if let [group] = &mut frame.groups[..] {
            return match group.state {
                State::Ready => Some((id, 0)),
                State::Calling(callee) => self.pick_in(program, callee, may_go_on),
                State::Waiting(_) => may_go_on(frame, 0, first_lane).then_some((id, 0)),
            };
        }
        for index in 0..frame.groups.len() {
            if matches!(frame.groups[index].state, State::Waiting(_)) {
                may_go_on(frame, index, first_lane);
            }
        }
        join(&mut frame.groups, &program.functions[frame.function as usize]);
        let count = frame.groups.len();
        for turn in 0..count {
            let index = (turn + self.patience) % count;
            match self.frames[id].groups[index].state {
                State::Ready => return Some((id, index)),
                State::Calling(callee) => {
                    if let Some(found) = self.pick_in(program, callee, may_go_on) {
                        return Some(found);
                    }
                }
                State::Waiting(_) => {}
            }
        }
        None
    }

    /// How often each loop around a group has come round, outermost first, over all frames.
    pub(super) fn iteration(&self, program: &Program, frame: FrameId, rounds: &[u32], pc: Pc, out: &mut Vec<u32>) {
        out.clear();
        let mut chain = Vec::new();
        let (mut at, mut child) = (self.frames[frame].parent, frame);
        while let Some(id) = at {
            if let Some(group) = self.frames[id].groups.iter().find(|group| group.state == State::Calling(child)) {
                chain.push((id, group));
            }
            child = id;
            at = self.frames[id].parent;
        }
        for (id, group) in chain.into_iter().rev() {
            // The call stands before the place where the group goes on.
            add_rounds(&program.functions[self.frames[id].function as usize], group.pc - 1, &group.rounds, out);
        }
        add_rounds(&program.functions[self.frames[frame].function as usize], pc, rounds, out);
    }
}

fn add_rounds(function: &Function, pc: Pc, rounds: &[u32], out: &mut Vec<u32>) {
    let start = out.len();
    let mut at = function.innermost[pc as usize];
    while at != NO_LOOP {
        out.push(rounds[at as usize]);
        at = function.loops[at as usize].parent.unwrap_or(NO_LOOP);
    }
    out[start..].reverse();
}

/// Puts groups in the order of the program, and makes one of those that are at the same place in the same rounds of their loops.
fn join(groups: &mut SmallVec<[Group; 2]>, function: &Function) {
    groups.sort_by_key(|group| group.pc);
    let mut index = 0;
    while index + 1 < groups.len() {
        let (left, right) = (&groups[index], &groups[index + 1]);
        let both_ready = left.state == State::Ready && right.state == State::Ready && left.pc == right.pc;
        if both_ready && same_rounds(function, left, right) {
            let lanes = groups[index + 1].lanes;
            groups[index].lanes |= lanes;
            groups.remove(index + 1);
        } else {
            index += 1;
        }
    }
}

fn same_rounds(function: &Function, left: &Group, right: &Group) -> bool {
    let mut at = function.innermost[left.pc as usize];
    while at != NO_LOOP {
        if left.rounds[at as usize] != right.rounds[at as usize] {
            return false;
        }
        at = function.loops[at as usize].parent.unwrap_or(NO_LOOP);
    }
    true
}
