//! What a prediction is for: machines, models, and where data is.

use std::collections::BTreeSet;

use ipda_hwdb::{Cpu, Gpu, Link};

use crate::cpu::Start;
use crate::transfer::Pages;

/// The machines that a prediction is for.
#[derive(Debug, Clone, PartialEq)]
pub struct Machines {
    /// The device.
    pub gpu: Gpu,
    /// The host.
    pub cpu: Cpu,
    /// What connects them.
    pub link: Link,
}

/// Which models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    /// Ours.
    Extended,
    /// Hong and Kim's, Liao and Chapman's.
    Published,
    /// The same in the thesis's set-up: two classes of instructions, 128 iterations of each loop, conditions that hold half of the time,
    /// neither launch nor transfers.
    Thesis,
}

/// What else a prediction depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The models.
    pub model: Model,
    /// `OMP_NUM_THREADS`; else all hardware threads.
    pub threads: Option<u64>,
    /// Variables whose data is on the device already.
    pub present: BTreeSet<String>,
    /// Whether all data is.
    pub resident: Residence,
    /// How the host holds its data.
    pub pages: Pages,
    /// What the host's caches hold at the start.
    pub start: Start,
    /// What the device's L2 holds when a kernel starts: nothing, as where profilers empty it, or what was copied or used before.
    pub l2: Start,
}

impl Default for Setting {
    fn default() -> Setting {
        Setting {
            model: Model::Extended,
            threads: None,
            present: BTreeSet::new(),
            resident: Residence::OnTheHost,
            pages: Pages::Pageable,
            start: Start::Cold,
            l2: Start::Warm,
        }
    }
}

/// Where data is before the region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Residence {
    /// On the host, but for what is named.
    OnTheHost,
    /// All of it on the device.
    OnTheDevice,
}
