//! What tells threads apart: the registers with a thread's numbers, and the runtime's functions that read them.

use super::{Guarantees, Lowered, Lowering};
use crate::ir::Value;
use ipda_symbolic::{AtomId, Facts, Interval, Polynomial, Symbol, Varies};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most threads of a team on NVIDIA's and AMD's devices.
const MOST_THREADS: i64 = 1024;

/// The numbers of threads in a region, and what is known of the team's shape.
#[derive(Default)]
pub(crate) struct Threads {
    /// Lanes of a warp.
    pub lanes: u32,
    /// Threads of a team in x, y and z, where the kernel fixes them.
    pub extents: [Option<u32>; 3],
    /// Calls of `omp_get_thread_num` that return a thread's number in its team.
    pub numbers_in_team: FxHashSet<Value>,
    /// Registers by name.
    registers: FxHashMap<&'static str, AtomId>,
}

/// Names of a thread's numbers, of a team's extents, of a team's numbers and of the league's extents, as CUDA and HIP have them.
const NUMBER: [&str; 3] = ["threadIdx.x", "threadIdx.y", "threadIdx.z"];
const EXTENT: [&str; 3] = ["blockDim.x", "blockDim.y", "blockDim.z"];
const TEAM: [&str; 3] = ["blockIdx.x", "blockIdx.y", "blockIdx.z"];
const TEAMS: [&str; 3] = ["gridDim.x", "gridDim.y", "gridDim.z"];
/// The number in a team of one dimension, as OpenMP counts.
const IN_TEAM: &str = "thread number";

/// Whether an instruction reads a number that differs between the threads of a team.
pub(crate) fn is_thread_register(instruction: Value) -> bool {
    let name = instruction.callee().map(Value::name).unwrap_or_default();
    let register = name.strip_prefix("llvm.nvvm.read.ptx.sreg.").or_else(|| name.strip_prefix("llvm.amdgcn."));
    register.is_some_and(|register| {
        let starts = ["tid.", "laneid", "warpid", "lanemask.", "workitem.id.", "mbcnt."];
        starts.iter().any(|start| register.starts_with(start))
    })
}

impl Threads {
    /// Before any register is read.
    pub(crate) fn new(lanes: u32, extents: [Option<u32>; 3], numbers_in_team: FxHashSet<Value>) -> Threads {
        Threads { lanes, extents, numbers_in_team, registers: FxHashMap::default() }
    }

    /// The symbols of a thread's numbers in x, y and z, where the code reads them.
    pub(crate) fn numbers(&self) -> [Option<AtomId>; 3] {
        NUMBER.map(|name| self.registers.get(name).copied())
    }

    /// The symbol of the team's extent in x, where the code reads it.
    pub(crate) fn width(&self) -> Option<AtomId> {
        self.registers.get(EXTENT[0]).copied()
    }

    /// The symbol of a thread's number in a team of one dimension, where the code reads it.
    pub(crate) fn number_in_team(&self) -> Option<AtomId> {
        self.registers.get(IN_TEAM).copied()
    }
}

impl Lowering<'_> {
    /// The value of a register that tells threads or teams apart. None for other functions.
    pub(super) fn thread_register(&mut self, name: &str, call: Value, bits: u32) -> Option<Lowered> {
        if name == "__kmpc_get_hardware_thread_id_in_block" || self.threads.numbers_in_team.contains(&call) {
            return Some(self.register(IN_TEAM, bits, Interval::between(0, MOST_THREADS - 1), Varies::Thread));
        }
        let register = name.strip_prefix("llvm.nvvm.read.ptx.sreg.").or_else(|| name.strip_prefix("llvm.amdgcn."))?;
        match register {
            "laneid" => {
                let lane = self.space.lane_number();
                let value = self.exact_unsigned(lane.into(), bits, Guarantees::default());
                return Some(Lowered { signed: true, ..value });
            }
            "warpsize" | "wavefrontsize" => {
                let lanes = Polynomial::from(i64::from(self.threads.lanes));
                return Some(self.exact_unsigned(lanes, bits, Guarantees::default()));
            }
            _ => {}
        }
        let (kind, axis) = register.rsplit_once('.')?;
        let axis = ["x", "y", "z"].iter().position(|&known| known == axis)?;
        let most_threads = if axis == 2 { 64 } else { MOST_THREADS };
        let extent = self.threads.extents[axis];
        let most = extent.map_or(most_threads, i64::from);
        // Of the league: 2^31 - 1 teams in x, 65535 in y and z, and more on AMD's devices.
        let most_teams = i64::from(i32::MAX);
        Some(match kind {
            "tid" | "workitem.id" => self.register(NUMBER[axis], bits, Interval::between(0, most - 1), Varies::Thread),
            "ntid" => match extent {
                Some(extent) => {
                    let extent = Polynomial::from(i64::from(extent));
                    self.exact_unsigned(extent, bits, Guarantees::default())
                }
                None => self.register(EXTENT[axis], bits, Interval::between(1, most), Varies::No),
            },
            "ctaid" | "workgroup.id" => {
                self.register(TEAM[axis], bits, Interval::between(0, most_teams - 1), Varies::No)
            }
            "nctaid" => self.register(TEAMS[axis], bits, Interval::between(1, most_teams), Varies::No),
            _ => return None,
        })
    }

    fn register(&mut self, name: &'static str, bits: u32, range: Interval, varies: Varies) -> Lowered {
        let atom = self.threads.registers.get(name).copied().unwrap_or_else(|| {
            let symbol = self.space.symbol(Symbol { name: name.into(), range, varies });
            symbol.as_atom().expect("a symbol is one atom")
        });
        self.threads.registers.insert(name, atom);
        // The ranges fit both readings of 32 bits.
        self.residue(atom.into(), bits, Guarantees::default())
    }

    /// How many threads a team has, where that is not a number.
    pub(crate) fn threads_of_team(&mut self) -> Polynomial {
        let range = Interval::between(1, MOST_THREADS);
        self.register("threads", 64, range, Varies::No).value
    }

    /// How many iterations of a distributed loop a team has at a time.
    pub(crate) fn iterations_of_team(&mut self) -> Polynomial {
        self.register("iterations of team", 64, Interval::at_least(1), Varies::No).value
    }

    /// What holds everywhere: a thread's number is less than the team's extent, a team's less than the league's.
    pub(super) fn thread_facts(&mut self) -> Facts {
        let mut facts = Facts::none();
        for (number, extent) in NUMBER.into_iter().zip(EXTENT).chain(TEAM.into_iter().zip(TEAMS)) {
            let registers = &self.threads.registers;
            if let (Some(&number), Some(&extent)) = (registers.get(number), registers.get(extent)) {
                let last = &Polynomial::from(extent) - &Polynomial::from(number);
                facts.assume_nonneg(&last - &Polynomial::from(1));
            }
        }
        facts
    }
}
