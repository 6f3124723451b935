//! How many teams a multiprocessor runs at a time.
//!
//! Computed as NVIDIA's occupancy calculator does, from the "Technical Specifications per Compute Capability" of the CUDA C++
//! Programming Guide: registers are given to warps in units, warps to the four parts of a multiprocessor in turn, shared memory to
//! teams in units, and what the driver keeps for itself comes on top.

use std::fmt;

use crate::error::{ModelError, some};
use crate::form::Num;

/// What a multiprocessor has. All numbers are those of one compute capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmLimits {
    /// Threads of a warp.
    pub lanes: u64,
    /// Warps at a time.
    pub warps: u64,
    /// Teams at a time.
    pub teams: u64,
    /// Threads of a team.
    pub threads_per_team: u64,
    /// Registers of 32 bits.
    pub registers: u64,
    /// Registers of one thread.
    pub registers_per_thread: u64,
    /// The unit in which a warp gets registers.
    pub register_unit: u64,
    /// The parts that a multiprocessor's registers and warps are divided into.
    pub parts: u64,
    /// Bytes of shared memory.
    pub shared: u64,
    /// Bytes of shared memory that one team can have.
    pub shared_per_team: u64,
    /// The unit of bytes in which a team gets shared memory.
    pub shared_unit: u64,
    /// Bytes of shared memory that the driver adds to each team.
    pub shared_reserved: u64,
}

/// What a team needs while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TeamNeeds {
    /// Its threads.
    pub threads: u64,
    /// Registers of each thread; 0 where that is unknown, which then limits nothing.
    pub registers: u64,
    /// Bytes of shared memory, with those that the launch adds.
    pub shared: u64,
}

/// How much of a multiprocessor is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// Teams at a time.
    pub teams: u64,
    /// Warps at a time.
    pub warps: u64,
    /// Why there are no more.
    pub limited_by: Limiter,
}

/// Why a multiprocessor does not run more teams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limiter {
    /// It keeps track of only so many warps.
    Warps,
    /// It keeps track of only so many teams.
    Teams,
    /// Registers.
    Registers,
    /// Shared memory.
    Shared,
}

impl fmt::Display for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limiter::Warps => "warps",
            Limiter::Teams => "teams",
            Limiter::Registers => "registers",
            Limiter::Shared => "shared memory",
        })
    }
}

impl Occupancy {
    /// The share of the warps that there could be.
    pub fn share(&self, limits: &SmLimits) -> f64 {
        self.warps as f64 / limits.warps as f64
    }
}

/// How many teams with these needs run at a time.
///
/// # Errors
/// If a limit is 0 or a team never fits.
pub fn occupancy(limits: &SmLimits, needs: &TeamNeeds) -> Result<Occupancy, ModelError> {
    limits.check()?;
    some("needs.threads", needs.threads)?;
    let refuse = |parameter, found: u64, expected| Err(ModelError::new(parameter, found, expected));
    if needs.threads > limits.threads_per_team {
        return refuse("needs.threads", needs.threads, "at most the threads that a team can have");
    }
    if needs.registers > limits.registers_per_thread {
        return refuse("needs.registers", needs.registers, "at most the registers that a thread can have");
    }
    if needs.shared > limits.shared_per_team {
        return refuse("needs.shared", needs.shared, "at most the shared memory that a team can have");
    }
    let team_warps = needs.threads.div_ceil(limits.lanes);
    let later = LimitsLater::from(limits);
    let by_warps = limits.warps / team_warps;
    let by_registers =
        later.warps_by_registers(needs.registers).map_or(u64::MAX, |warps| warps.get() as u64 / team_warps);
    let by_shared = match needs.shared + limits.shared_reserved {
        0 => u64::MAX,
        _ => later.teams_by_shared(needs.shared).get() as u64,
    };
    let all = [
        (by_warps, Limiter::Warps),
        (limits.teams, Limiter::Teams),
        (by_registers, Limiter::Registers),
        (by_shared, Limiter::Shared),
    ];
    let (teams, limited_by) = all.into_iter().min_by_key(|(teams, _)| *teams).expect("four of them");
    if teams == 0 {
        let found = format!("{needs:?}");
        return Err(ModelError::new("needs", found, "what a multiprocessor can give to one team"));
    }
    Ok(Occupancy { teams, warps: teams * team_warps, limited_by })
}

/// [`SmLimits`], in numbers that may be known later.
#[derive(Clone, Copy)]
pub(crate) struct LimitsLater {
    pub(crate) lanes: f64,
    pub(crate) warps: Num,
    pub(crate) teams: Num,
    pub(crate) registers: Num,
    pub(crate) register_unit: Num,
    pub(crate) parts: Num,
    pub(crate) shared: Num,
    pub(crate) shared_unit: Num,
    pub(crate) shared_reserved: Num,
}

impl From<&SmLimits> for LimitsLater {
    fn from(limits: &SmLimits) -> LimitsLater {
        LimitsLater {
            lanes: limits.lanes as f64,
            warps: limits.warps.into(),
            teams: limits.teams.into(),
            registers: limits.registers.into(),
            register_unit: limits.register_unit.into(),
            parts: limits.parts.into(),
            shared: limits.shared.into(),
            shared_unit: limits.shared_unit.into(),
            shared_reserved: limits.shared_reserved.into(),
        }
    }
}

impl LimitsLater {
    /// What differs from machine to machine, with a key each.
    pub(crate) fn by_keys(&mut self) -> Vec<(String, &mut Num)> {
        let LimitsLater {
            lanes: _,
            warps,
            teams,
            registers,
            register_unit,
            parts,
            shared,
            shared_unit,
            shared_reserved,
        } = self;
        let all = [
            ("warps", warps),
            ("teams", teams),
            ("registers", registers),
            ("register_unit", register_unit),
            ("parts", parts),
            ("shared", shared),
            ("shared_unit", shared_unit),
            ("shared_reserved", shared_reserved),
        ];
        all.map(|(key, number)| (key.to_owned(), number)).into()
    }
}

fn whole_units(amount: Num, unit: Num) -> Num {
    amount.div_ceil(unit) * unit
}

impl LimitsLater {
    /// Warps for which there are registers, if these are known.
    fn warps_by_registers(&self, registers: u64) -> Option<Num> {
        (registers > 0).then(|| {
            let of_warp = whole_units(Num::from(registers) * self.lanes, self.register_unit);
            (self.registers / self.parts / of_warp).floor() * self.parts
        })
    }

    /// Teams for which there is shared memory, where they use some.
    fn teams_by_shared(&self, shared: u64) -> Num {
        (self.shared / whole_units(self.shared_reserved + shared, self.shared_unit).max(1.0)).floor()
    }
}

/// The teams of [`occupancy`] as a closed form; one where none fits.
pub(crate) fn teams_later(limits: &LimitsLater, threads: Num, registers: u64, shared: u64) -> Num {
    let warps = limits.warps_by_registers(registers).map_or(limits.warps, |warps| limits.warps.min(warps));
    let by_warps = (warps / threads.div_ceil(limits.lanes)).floor();
    by_warps.min(limits.teams.min(limits.teams_by_shared(shared))).max(1.0)
}

impl SmLimits {
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        some("limits.lanes", self.lanes)?;
        some("limits.warps", self.warps)?;
        some("limits.teams", self.teams)?;
        some("limits.threads_per_team", self.threads_per_team)?;
        some("limits.registers", self.registers)?;
        some("limits.registers_per_thread", self.registers_per_thread)?;
        some("limits.register_unit", self.register_unit)?;
        some("limits.parts", self.parts)?;
        some("limits.shared_unit", self.shared_unit)?;
        // Sums and products of these stay within 64 bits.
        let all = [
            self.lanes,
            self.warps,
            self.teams,
            self.threads_per_team,
            self.registers,
            self.register_unit,
            self.registers_per_thread,
            self.parts,
            self.shared,
            self.shared_per_team,
            self.shared_unit,
            self.shared_reserved,
        ];
        match all.into_iter().find(|limit| *limit > u64::from(u32::MAX)) {
            Some(limit) => Err(ModelError::new("limits", limit, "less than 2^32")),
            None => Ok(()),
        }
    }
}
