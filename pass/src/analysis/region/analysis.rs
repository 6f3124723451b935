//! What an analysis of a region knows, for all its parts.

use super::counterpart::Counterpart;
use crate::analysis::allocations::HostCode;
use crate::analysis::lower::Lowering;
use crate::analysis::maps::Maps;
use crate::analysis::names::Names;
use crate::common::budget::{Budget, Stage};
use crate::common::reject::{RejectLog, RejectReason};
use crate::common::trace::{Spent, Tracer};
use crate::openmp::nest::Nest;
use crate::openmp::outline::MappingRequest;
use crate::openmp::{KernelEnvironment, Schedule};
use ipda_hwdb::Gpu;
use ipda_llvm::{Cfg, DataLayout, Session, Value};
use ipda_models::report::{self, Location};
use ipda_symbolic::{Banks, MemoryGeometry, Polynomial};
use rustc_hash::FxHashMap;

/// What the analysis needs to know about the module around a region.
pub(crate) struct Setting<'a> {
    pub session: Session,
    pub layout: DataLayout,
    /// For which is counted.
    pub gpu: &'a Gpu,
    pub geometry: &'a MemoryGeometry,
    pub banks: Banks,
    /// Sectors that a group of accesses may touch.
    pub reuse_sectors: u64,
    pub source: &'a str,
    /// What the device compilation reports of the kernel, when this is the host's.
    pub device_schedules: Option<Vec<DeviceSchedule>>,
    pub device_environment: Option<KernelEnvironment>,
    /// What the host's launch says of the map clauses.
    pub maps: Option<&'a Maps>,
    /// Of a device's compilation, the host's code with its launches, and the region's kernel.
    pub launches: Option<(&'a HostCode, &'a str)>,
    /// What the host's version of the region is called by, where people read of a device's.
    pub counterpart: Option<&'a Counterpart>,
    pub is_host: bool,
    /// How much work the analysis of each region may be.
    pub budget: Budget,
    /// Whether the host's module embeds what the device compilation made.
    pub has_device_image: bool,
    /// Whether device code in the form of host code is transformed too, for tests.
    pub takes_host_shapes: bool,
    /// The mapping that the program's author wants of a region's loops.
    pub request: Option<MappingRequest<'a>>,
    pub trace: &'a Tracer,
}

/// How the device compilation hands out the iterations of a shared loop: what the host module cannot tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DeviceSchedule {
    pub schedule: Schedule,
    /// The chunk size, where it is a number.
    pub chunk: Option<i64>,
}

/// One region's loops and values, and what was said of them so far.
#[derive(Clone)]
pub(crate) struct Analysis<'a> {
    pub setting: &'a Setting<'a>,
    pub nest: &'a Nest,
    pub cfg: &'a Cfg,
    pub lowering: Lowering<'a>,
    pub names: Names,
    /// The arguments that are variables of the program, in the order of the launch.
    pub captured: Vec<Value>,
    /// The reported number of each loop of the CFG that is reported.
    pub visible: FxHashMap<usize, usize>,
    /// Sectors of the whole region for one iteration of its parallel loop, and how many accesses are not part of it.
    pub(super) sectors: Polynomial,
    pub(super) without_count: u32,
    pub(super) reported: Reported,
    /// What is looked at, or was when the steps of work were used up.
    pub(super) stage: Stage,
    /// All that the analysis has.
    pub(super) steps: u64,
    /// Where the region is.
    pub(super) location: Location,
    pub(super) is_spmd: bool,
    /// Whether OpenMP's constructs say what runs in parallel, not the threads' numbers.
    pub(super) is_target: bool,
    /// Whether the device is one with execution modes: a GPU.
    pub(super) has_mode: bool,
    /// The most threads that a team may have, where that is limited.
    pub(super) max_threads: Option<u32>,
}

/// Conditions as they are reported, with their expressions where they have one.
pub(crate) type Conditions = Vec<(report::Condition, Option<Polynomial>)>;

/// What was reported about a region so far.
#[derive(Clone, Default)]
pub(crate) struct Reported {
    /// Each loop of the report.
    pub loops: Vec<ReportedLoop>,
    /// Of each access.
    pub accesses: Vec<ReportedAccess>,
    /// `num_teams`, `thread_limit` and `num_threads`.
    pub clauses: [Option<Polynomial>; 3],
}

/// What was reported about a loop.
#[derive(Clone)]
pub(crate) struct ReportedLoop {
    /// Its iterations, or why they are not known.
    pub trips: Result<Polynomial, String>,
    /// Those that it has at most, where it can be left before.
    pub at_most: Option<Polynomial>,
    /// How long the range is at first that each of them halves.
    pub halved: Option<Polynomial>,
    /// What their number follows from where it is not known.
    pub likely: Option<Polynomial>,
    /// The chunk of its schedule.
    pub chunk: Option<Polynomial>,
}

impl Analysis<'_> {
    /// How many of its steps are spent, for people.
    pub(crate) fn spent(&self) -> Spent {
        Spent { steps: self.lowering.space.work(), of: self.steps }
    }

    /// Says where the steps of work were used up, if they were.
    pub(crate) fn end(&self, log: &mut RejectLog) {
        if self.lowering.space.gave_up() {
            let place = self.lowering.gave_up_at().or_else(|| Some(self.location.clone()));
            log.add(RejectReason::Limit { steps: self.steps, stage: self.stage }, place);
        }
    }

    /// Says what is looked at from here on.
    pub(crate) fn begin(&mut self, stage: Stage) {
        if !self.lowering.space.gave_up() {
            self.stage = stage;
        }
    }

    pub(crate) fn text(&self, value: &Polynomial) -> String {
        self.lowering.space.display(value).to_string()
    }
}

/// Of an access, for those who predict in process.
#[derive(Clone)]
pub(crate) struct ReportedAccess {
    pub address: Polynomial,
    /// What must hold, where that has an expression.
    pub conditions: Conditions,
    /// Values in the address that rise or fall with others: both.
    pub rising: Vec<(Polynomial, Polynomial)>,
}
