//! What one thread touches, in the order in which it does.

use crate::interpreter::{Observer, WarpAccess, WarpBranch};
use crate::program::{SiteId, Window, window_of};

/// Accesses of a run that are looked at; those behind are not, and the run is reported as cut short.
const MAX_TOUCHES: usize = 60_000;

/// No address of the machine has more.
const ADDRESS_BITS: u32 = 48;

/// One access as it happened.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    pub site: SiteId,
    /// What one thread has to itself is at the same addresses as what others have: the thread's number stands above these.
    pub address: u64,
    pub bytes: u64,
    rounds: (u32, u32),
}

/// All accesses of a run.
#[derive(Debug, Default)]
pub(super) struct Record {
    pub touches: Vec<Touch>,
    pub is_cut: bool,
    rounds: Vec<u32>,
}

impl Record {
    /// How often each loop around it had come round, outermost first.
    pub(super) fn rounds(&self, touch: &Touch) -> &[u32] {
        &self.rounds[touch.rounds.0 as usize..touch.rounds.1 as usize]
    }
}

impl Observer for Record {
    fn access(&mut self, access: &WarpAccess<'_>) {
        if self.touches.len() >= MAX_TOUCHES {
            self.is_cut = true;
            return;
        }
        let start = self.rounds.len() as u32;
        self.rounds.extend(access.iteration);
        let rounds = (start, self.rounds.len() as u32);
        let mut lanes = access.active;
        while lanes != 0 {
            let lane = lanes.trailing_zeros();
            let address = access.addresses[lane as usize];
            lanes &= lanes - 1;
            let is_own = window_of(address) == Some(Window::Local);
            let thread = if is_own { u64::from(access.warp) * u64::from(u64::BITS) + u64::from(lane) } else { 0 };
            let address = address | thread << ADDRESS_BITS;
            self.touches.push(Touch { site: access.site, address, bytes: access.bytes, rounds });
        }
    }

    fn branch(&mut self, _: &WarpBranch) {}

    fn wants_iterations(&self) -> bool {
        true
    }

    fn wants_own_memory(&self) -> bool {
        true
    }
}
