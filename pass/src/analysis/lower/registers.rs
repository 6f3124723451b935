//! The registers that tell threads and teams apart, by their names, and which of them a region reads.

use ipda_llvm::Value;
use ipda_symbolic::AtomId;
use rustc_hash::{FxHashMap, FxHashSet};

/// The numbers of threads in a region, and what is known of the team's shape.
#[derive(Clone, Default)]
pub(crate) struct Threads {
    /// Lanes of a warp.
    pub lanes: u32,
    /// Threads of a team in x, y and z, where the kernel fixes them.
    pub extents: [Option<u32>; 3],
    /// Calls of `omp_get_thread_num` that return a thread's number in its team.
    pub numbers_in_team: FxHashSet<Value>,
    /// Where AMD's devices keep what is known of a launch.
    pub(super) implicit_arguments: Option<AtomId>,
    /// Registers by name.
    pub(super) registers: FxHashMap<&'static str, AtomId>,
}

/// Names of a thread's numbers, of a team's extents, of a team's numbers and of the league's extents, as CUDA and HIP have them.
pub(super) const NUMBER: [&str; 3] = ["threadIdx.x", "threadIdx.y", "threadIdx.z"];
pub(crate) const EXTENT: [&str; 3] = ["blockDim.x", "blockDim.y", "blockDim.z"];
pub(super) const TEAM: [&str; 3] = ["blockIdx.x", "blockIdx.y", "blockIdx.z"];
pub(crate) const TEAMS: [&str; 3] = ["gridDim.x", "gridDim.y", "gridDim.z"];
/// The functions of OpenMP that say a team's number, and how many there are.
pub(super) const TEAM_OF_OPENMP: &str = "omp_get_team_num";
pub(super) const TEAMS_OF_OPENMP: &str = "omp_get_num_teams";
/// The number in a team of one dimension, as OpenMP counts.
pub(super) const IN_TEAM: &str = "thread number";

/// Whether an instruction reads a number that differs between the threads of a team.
pub(crate) fn is_thread_register(instruction: Value) -> bool {
    instruction.calls(|name| {
        let register = name.strip_prefix("llvm.nvvm.read.ptx.sreg.").or_else(|| name.strip_prefix("llvm.amdgcn."));
        register.is_some_and(|register| {
            let starts = ["tid.", "laneid", "warpid", "lanemask.", "workitem.id.", "mbcnt."];
            starts.iter().any(|start| register.starts_with(start))
        })
    })
}

impl Threads {
    /// Before any register is read.
    pub(crate) fn new(lanes: u32, extents: [Option<u32>; 3], numbers_in_team: FxHashSet<Value>) -> Threads {
        Threads { lanes, extents, numbers_in_team, ..Threads::default() }
    }

    /// The symbols of a thread's numbers in x, y and z, where the code reads them.
    pub(crate) fn numbers(&self) -> [Option<AtomId>; 3] {
        NUMBER.map(|name| self.registers.get(name).copied())
    }

    /// The symbol of the team's extent in x, where the code reads it.
    pub(crate) fn width(&self) -> Option<AtomId> {
        self.registers.get(EXTENT[0]).copied()
    }

    /// How many registers were read so far: the numbers that a map of lanes must know.
    pub(crate) fn known(&self) -> usize {
        self.registers.len()
    }

    /// The symbol of a thread's number in a team of one dimension, where the code reads it.
    pub(crate) fn number_in_team(&self) -> Option<AtomId> {
        self.registers.get(IN_TEAM).copied()
    }
}
