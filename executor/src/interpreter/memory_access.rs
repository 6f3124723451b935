//! Loads, stores, atomic operations and copies, lane by lane: bounds, races, and what observers see.

use super::arithmetic;
use super::context::Context;
use super::launch::{WarpAccess, WarpBranch};
use super::synchronise::lanes_of;
use crate::memory::{BufferId, HEAP, MAX_BUFFERS, RUNTIME_HEAP, is_allocated_by_kernel, is_runtimes};
use crate::program::{Allocator, LOCAL_WINDOW, Ordering, Part, SHARED_WINDOW, SiteId, Update, Window, window_of};
use crate::race;
use ipda_models::report::MemoryKind;

/// What went wrong in an operation, and which lane did it, if a single one.
pub(super) struct Trouble {
    pub message: String,
    pub lane: Option<u32>,
}

impl Trouble {
    pub(super) fn all(message: impl Into<String>) -> Trouble {
        Trouble { message: message.into(), lane: None }
    }
}

/// How an access meets memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Read,
    Write,
    Update,
}

/// The lanes whose bytes lie in global and in shared memory; the others' are their own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reached {
    global: u64,
    shared: u64,
}

impl Reached {
    /// Of one lane only.
    pub(super) fn only(self, lane: u32) -> Reached {
        Reached { global: self.global & 1 << lane, shared: self.shared & 1 << lane }
    }
}

/// Who does an access.
#[derive(Debug, Clone, Copy)]
pub(super) struct Actor {
    pub site: SiteId,
    /// Lanes of the gang.
    pub lanes: u64,
    /// The gang's place in its warp.
    pub first_lane: u32,
    pub warp: u32,
}

#[inline]
fn word_of(bytes: &[u8]) -> u64 {
    match bytes.len() {
        4 => u32::from_le_bytes(bytes.try_into().expect("four bytes")).into(),
        8 => u64::from_le_bytes(bytes.try_into().expect("eight bytes")),
        _ => {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        }
    }
}

impl<const W: usize> Context<'_, '_, W> {
    /// Checks that all lanes' bytes exist; notifies observers and the race detector.
    pub(super) fn touch(
        &mut self,
        stacks: &[Vec<u8>],
        actor: Actor,
        addresses: &[u64; W],
        bytes: u64,
        action: Action,
        order: Ordering,
    ) -> Result<(), Trouble> {
        let reached = self.reach(stacks, actor, addresses, bytes, action)?;
        self.detect(actor, reached, addresses, bytes as u32, action, order);
        Ok(())
    }

    /// Checks that all lanes' bytes exist, and notifies observers.
    pub(super) fn reach(
        &mut self,
        stacks: &[Vec<u8>],
        actor: Actor,
        addresses: &[u64; W],
        bytes: u64,
        action: Action,
    ) -> Result<Reached, Trouble> {
        let mut global = 0_u64;
        // What the runtime keeps is not the user's global memory.
        let mut observed = 0_u64;
        let mut shared = 0_u64;
        for lane in lanes_of(actor.lanes) {
            let address = addresses[lane as usize];
            match window_of(address) {
                None => {
                    if self.memory.find(address, bytes).is_none() && self.memory.make_room(address, bytes).is_none() {
                        let what = self.memory.explain(address, bytes);
                        let verb = if action == Action::Read { "reads" } else { "writes" };
                        return Err(Trouble { message: format!("the access {verb} {what}"), lane: Some(lane) });
                    }
                    global |= 1 << lane;
                    observed |= u64::from(!is_runtimes(address)) << lane;
                }
                Some(Window::Shared) => {
                    if address - SHARED_WINDOW + bytes > self.shared.len() as u64 {
                        let message = format!(
                            "{bytes} bytes at byte {} of the team's shared memory, which has {} bytes",
                            address - SHARED_WINDOW,
                            self.shared.len()
                        );
                        return Err(Trouble { message, lane: Some(lane) });
                    }
                    shared |= 1 << lane;
                }
                Some(Window::Local) => {
                    let offset = address.wrapping_sub(LOCAL_WINDOW);
                    if offset + bytes > stacks[lane as usize].len() as u64 {
                        let message = format!(
                            "{bytes} bytes at byte {offset} of the thread's own memory, which has {} bytes: a pointer to a variable of \
                             another thread, or of a function that has ended",
                            stacks[lane as usize].len()
                        );
                        return Err(Trouble { message, lane: Some(lane) });
                    }
                    observed |= u64::from(self.wants_own_memory) << lane;
                }
            }
        }
        if bytes > 0 {
            for (memory, lanes) in [(MemoryKind::Global, observed), (MemoryKind::Shared, shared)] {
                if lanes != 0 {
                    self.observe(actor, memory, lanes, addresses, bytes);
                }
            }
        }
        Ok(Reached { global, shared })
    }

    fn observe(&mut self, actor: Actor, memory: MemoryKind, lanes: u64, addresses: &[u64; W], bytes: u64) {
        if let Some(observer) = &mut self.observer {
            observer.access(&WarpAccess {
                site: actor.site,
                memory,
                team: self.team,
                warp: actor.warp,
                iteration: &self.iteration,
                active: lanes,
                addresses: &addresses[..],
                bytes,
            });
        }
    }

    /// Tells observers of a warp at a conditional branch.
    pub(super) fn tell_branch(&mut self, warp: u32, branch: u32, active: u64, taken: u64) {
        if let Some(observer) = &mut self.observer {
            observer.branch(&WarpBranch { branch, team: self.team, warp, active, taken });
        }
    }

    /// Tells the race detector.
    pub(super) fn detect(
        &mut self,
        actor: Actor,
        Reached { global, shared }: Reached,
        addresses: &[u64; W],
        bytes: u32,
        action: Action,
        order: Ordering,
    ) {
        let Some(detector) = &mut self.detector else { return };
        if global | shared == 0 || bytes == 0 {
            return;
        }
        if order == Ordering::NotAtomic && self.program.sites[actor.site.0 as usize].is_runtime {
            return;
        }
        let base = self.team * self.threads + actor.warp * self.program.lanes + actor.first_lane;
        let site = race::Site(actor.site.0);
        for lane in lanes_of(global | shared) {
            let address = addresses[lane as usize];
            // Each team has its own shared memory.
            let address = if shared >> lane & 1 == 1 {
                1 << 63 | u64::from(self.team) << 32 | (address - SHARED_WINDOW)
            } else {
                address
            };
            let thread = base + lane;
            match race_order(order) {
                None => {
                    let kind = if action == Action::Read { race::AccessKind::Read } else { race::AccessKind::Write };
                    detector.access(thread, address, bytes, kind, site);
                }
                Some(order) => {
                    if action == Action::Update && global >> lane & 1 == 1 {
                        let only = self.updated.entry(address).or_insert(Some(thread));
                        *only = only.filter(|&other| other == thread);
                    }
                    let kind = match action {
                        Action::Read => race::AtomicKind::Read,
                        Action::Write => race::AtomicKind::Write,
                        Action::Update => race::AtomicKind::Update,
                    };
                    detector.atomic(thread, address, bytes, kind, order, site);
                }
            }
        }
    }

    /// Bytes that [`Context::touch`] has checked.
    #[inline]
    fn bytes_at<'a>(&'a self, stacks: &'a [Vec<u8>], lane: u32, address: u64, bytes: u64) -> &'a [u8] {
        match window_of(address) {
            None => self.memory.at(address, bytes),
            Some(Window::Shared) => &self.shared[(address - SHARED_WINDOW) as usize..][..bytes as usize],
            Some(Window::Local) => &stacks[lane as usize][(address - LOCAL_WINDOW) as usize..][..bytes as usize],
        }
    }

    /// Bytes that [`Context::touch`] has checked.
    #[inline]
    fn bytes_at_mut<'a>(&'a mut self, stacks: &'a mut [Vec<u8>], lane: u32, address: u64, bytes: u64) -> &'a mut [u8] {
        match window_of(address) {
            None => self.memory.at_mut(address, bytes),
            Some(Window::Shared) => &mut self.shared[(address - SHARED_WINDOW) as usize..][..bytes as usize],
            Some(Window::Local) => &mut stacks[lane as usize][(address - LOCAL_WINDOW) as usize..][..bytes as usize],
        }
    }

    #[inline]
    pub(super) fn read(&self, stacks: &[Vec<u8>], lane: u32, address: u64, part: Part) -> u64 {
        let bytes = self.bytes_at(stacks, lane, address + u64::from(part.offset), part.bytes.into());
        arithmetic::low(word_of(bytes), part.bits)
    }

    #[inline]
    pub(super) fn write(&mut self, stacks: &mut [Vec<u8>], lane: u32, address: u64, part: Part, word: u64) {
        let bytes = self.bytes_at_mut(stacks, lane, address + u64::from(part.offset), part.bytes.into());
        let len = bytes.len();
        bytes.copy_from_slice(&word.to_le_bytes()[..len]);
    }

    /// One lane's atomic update; gives the old value.
    pub(super) fn update(
        &mut self,
        stacks: &mut [Vec<u8>],
        lane: u32,
        address: u64,
        bytes: u8,
        update: Update,
        operand: u64,
    ) -> u64 {
        let part = Part { offset: 0, bytes, bits: bytes * 8 };
        let old = self.read(stacks, lane, address, part);
        let new = arithmetic::update(update, bytes * 8, old, operand);
        self.write(stacks, lane, address, part, new);
        old
    }

    /// Copies or moves memory for all lanes. Lanes may copy different numbers of bytes.
    pub(super) fn copy_memory(
        &mut self,
        stacks: &mut [Vec<u8>],
        actor: Actor,
        to: &[u64; W],
        from: &[u64; W],
        bytes: &[u64; W],
    ) -> Result<(), Trouble> {
        let write = Actor { site: SiteId(actor.site.0 + 1), ..actor };
        for (lanes, bytes) in by_length(actor.lanes, bytes) {
            let (reading, writing) = (Actor { lanes, ..actor }, Actor { lanes, ..write });
            self.touch(stacks, reading, from, bytes, Action::Read, Ordering::NotAtomic)?;
            self.touch(stacks, writing, to, bytes, Action::Write, Ordering::NotAtomic)?;
            for lane in lanes_of(lanes) {
                let copy = self.bytes_at(stacks, lane, from[lane as usize], bytes).to_vec();
                self.bytes_at_mut(stacks, lane, to[lane as usize], bytes).copy_from_slice(&copy);
            }
        }
        Ok(())
    }

    /// Fills memory with a byte for all lanes.
    pub(super) fn fill_memory(
        &mut self,
        stacks: &mut [Vec<u8>],
        actor: Actor,
        to: &[u64; W],
        value: &[u64; W],
        bytes: &[u64; W],
    ) -> Result<(), Trouble> {
        for (lanes, bytes) in by_length(actor.lanes, bytes) {
            let writing = Actor { lanes, ..actor };
            self.touch(stacks, writing, to, bytes, Action::Write, Ordering::NotAtomic)?;
            for lane in lanes_of(lanes) {
                self.bytes_at_mut(stacks, lane, to[lane as usize], bytes).fill(value[lane as usize] as u8);
            }
        }
        Ok(())
    }

    pub(super) fn allocate(&mut self, bytes: u64, by: Allocator) -> Result<u64, Trouble> {
        /// What one call may ask for; a device's heap is not larger by default.
        const MAX_BYTES: u64 = 1 << 26;
        if bytes > MAX_BYTES {
            return Err(Trouble::all(format!("the kernel allocates {bytes} bytes at once, more than {MAX_BYTES}")));
        }
        /// What a kernel may allocate in all: addresses are not used again.
        const MAX_IN_ALL: u64 = 1 << 30;
        self.allocated += bytes;
        if self.allocated > MAX_IN_ALL {
            return Err(Trouble::all(format!(
                "the kernel allocates more than {MAX_IN_ALL} bytes in all, freed ones included"
            )));
        }
        self.allocations += 1;
        if self.allocations > MAX_BUFFERS {
            return Err(Trouble::all(format!("the kernel allocates memory more than {MAX_BUFFERS} times")));
        }
        let (segment, name) = match by {
            Allocator::Runtime => (RUNTIME_HEAP, "a variable that a team shares"),
            Allocator::Kernel => (HEAP, "memory that the kernel allocated"),
        };
        // One without a byte could not be distinguished from one that has been given back.
        let buffer = self.memory.allocate_in(segment, name, bytes.max(1), 0);
        self.memory.contents_mut(buffer).fill(self.never_written);
        Ok(self.memory.address(buffer))
    }

    pub(super) fn free(&mut self, address: u64) -> Result<(), Trouble> {
        if address == 0 {
            return Ok(());
        }
        let buffer: Option<BufferId> = self.memory.starting_at(address).filter(|_| is_allocated_by_kernel(address));
        let Some(buffer) = buffer else {
            return Err(Trouble::all(format!("the kernel frees memory at {address:#x} that it has not allocated")));
        };
        if self.memory.contents(buffer).is_empty() {
            return Err(Trouble::all(format!("the kernel frees memory at {address:#x} a second time")));
        }
        self.memory.release(buffer);
        Ok(())
    }
}

/// Groups of lanes that want the same number of bytes.
fn by_length<const W: usize>(lanes: u64, bytes: &[u64; W]) -> Vec<(u64, u64)> {
    let mut groups: Vec<(u64, u64)> = Vec::new();
    for lane in lanes_of(lanes) {
        let wanted = bytes[lane as usize];
        match groups.iter_mut().find(|(_, bytes)| *bytes == wanted) {
            Some((mask, _)) => *mask |= 1 << lane,
            None => groups.push((1 << lane, wanted)),
        }
    }
    groups
}

pub(super) fn race_order(order: Ordering) -> Option<race::Order> {
    Some(match order {
        Ordering::NotAtomic => return None,
        Ordering::Relaxed => race::Order::Relaxed,
        Ordering::Acquire => race::Order::Acquire,
        Ordering::Release => race::Order::Release,
        Ordering::AcquireRelease => race::Order::AcquireRelease,
    })
}
