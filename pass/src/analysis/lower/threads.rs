//! The values of what tells threads apart: of registers with a thread's numbers, and of the runtime's functions that read them.

use super::registers::{EXTENT, IN_TEAM, NUMBER, TEAM, TEAM_OF_OPENMP, TEAMS, TEAMS_OF_OPENMP};
use super::{Guarantees, Lowered, Lowering, ObjectKind};
use ipda_llvm::Value;
use ipda_symbolic::{AtomId, Facts, Interval, Polynomial, Symbol, Varies};

/// The most threads of a team on NVIDIA's and AMD's devices.
const MAX_THREADS: i64 = 1024;
/// On NVIDIA's devices in z.
const MAX_THREADS_IN_Z: i64 = 64;
/// The most teams of a league in x; in y and z there are no more.
const MAX_TEAMS: i64 = i32::MAX as i64;

fn counts_lower_lanes(call: Value) -> bool {
    let is_lower = call.calls(|name| name == "llvm.amdgcn.mbcnt.lo");
    is_lower
        && matches!(call.call_args()[..], [mask, before] if mask.as_int() == Some(-1) && before.as_int() == Some(0))
}

impl Lowering<'_> {
    /// The value of a register that tells threads or teams apart. None for other functions.
    pub(super) fn thread_register(&mut self, name: &str, call: Value, bits: u32) -> Option<Lowered> {
        if name == "__kmpc_get_hardware_thread_id_in_block" || self.threads.numbers_in_team.contains(&call) {
            return Some(self.register(IN_TEAM, bits, Interval::between(0, MAX_THREADS - 1), Varies::Thread));
        }
        // All calls in a region return the same.
        match name {
            TEAM_OF_OPENMP => {
                return Some(self.register(TEAM_OF_OPENMP, bits, Interval::between(0, MAX_TEAMS - 1), Varies::No));
            }
            TEAMS_OF_OPENMP => {
                return Some(self.register(TEAMS_OF_OPENMP, bits, Interval::between(1, MAX_TEAMS), Varies::No));
            }
            _ => {}
        }
        let register = name.strip_prefix("llvm.nvvm.read.ptx.sreg.").or_else(|| name.strip_prefix("llvm.amdgcn."))?;
        match register {
            "laneid" => return Some(self.lane_number(bits)),
            "mbcnt.lo" | "mbcnt.hi" if self.counts_lanes_below(call) => return Some(self.lane_number(bits)),
            "implicitarg.ptr" => return Some(self.implicit_arguments(bits)),
            "warpsize" | "wavefrontsize" => {
                let lanes = Polynomial::from(i64::from(self.threads.lanes));
                return Some(self.exact_unsigned(lanes, bits, Guarantees::default()));
            }
            _ => {}
        }
        let (kind, axis) = register.rsplit_once('.')?;
        let axis = ["x", "y", "z"].iter().position(|&known| known == axis)?;
        Some(match kind {
            "tid" => self.thread_number(axis, bits, if axis == 2 { MAX_THREADS_IN_Z } else { MAX_THREADS }),
            "workitem.id" => self.thread_number(axis, bits, MAX_THREADS),
            "ntid" => self.extent(axis, bits),
            "ctaid" | "workgroup.id" => {
                self.register(TEAM[axis], bits, Interval::between(0, MAX_TEAMS - 1), Varies::No)
            }
            "nctaid" => self.teams(axis, bits),
            _ => return None,
        })
    }

    /// The value of the launch that AMD's devices keep in memory at an address, if it is one: of `hidden_block_count` and
    /// `hidden_group_size` (LLVM's user guide for AMDGPU, kernel arguments of code object version 5).
    pub(super) fn launch_value(&mut self, address: &Polynomial, bits: u32) -> Option<Lowered> {
        let is_start = |atom: &AtomId| self.threads.implicit_arguments == Some(*atom);
        let start = address.atoms().into_iter().find(is_start)?;
        let offset = (address - &Polynomial::from(start)).as_constant()?.to_u64()?;
        match (bits, offset) {
            (32, 0 | 4 | 8) => Some(self.teams(offset as usize / 4, bits)),
            (16, 12 | 14 | 16) => Some(self.extent((offset as usize - 12) / 2, bits)),
            _ => None,
        }
    }

    /// The memory beside a kernel's arguments on AMD's devices.
    fn implicit_arguments(&mut self, bits: u32) -> Lowered {
        let pointer = self.pointer("implicit arguments", bits, ObjectKind::Runtime);
        self.threads.implicit_arguments = pointer.value.as_atom();
        pointer
    }

    /// Whether a count of the lanes below, in the warp's lower or upper 32 lanes, is that of all of them: AMD's way to a lane's number.
    fn counts_lanes_below(&self, call: Value) -> bool {
        match call.call_args()[..] {
            _ if counts_lower_lanes(call) => self.threads.lanes == 32,
            [mask, before] => self.threads.lanes == 64 && mask.as_int() == Some(-1) && counts_lower_lanes(before),
            _ => false,
        }
    }

    fn lane_number(&mut self, bits: u32) -> Lowered {
        let lane = self.space.lane_number();
        Lowered { signed: true, ..self.exact_unsigned(lane.into(), bits, Guarantees::default()) }
    }

    fn thread_number(&mut self, axis: usize, bits: u32, most: i64) -> Lowered {
        let most = self.threads.extents[axis].map_or(most, i64::from);
        self.register(NUMBER[axis], bits, Interval::between(0, most - 1), Varies::Thread)
    }

    fn extent(&mut self, axis: usize, bits: u32) -> Lowered {
        match self.threads.extents[axis] {
            Some(extent) => self.exact_unsigned(Polynomial::from(i64::from(extent)), bits, Guarantees::default()),
            None => self.register(EXTENT[axis], bits, Interval::between(1, MAX_THREADS), Varies::No),
        }
    }

    fn teams(&mut self, axis: usize, bits: u32) -> Lowered {
        self.register(TEAMS[axis], bits, Interval::between(1, MAX_TEAMS), Varies::No)
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
        let range = Interval::between(1, MAX_THREADS);
        self.register("threads", 64, range, Varies::No).value
    }

    /// How many threads share a loop: fewer than the team has where one of them runs the code outside of parallel regions, or where a
    /// clause asks for fewer.
    pub(crate) fn threads_of_loop(&mut self) -> Polynomial {
        let range = Interval::between(1, MAX_THREADS);
        self.register("threads of loop", 64, range, Varies::No).value
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
