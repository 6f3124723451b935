//! Occupancy against results that follow by hand from the tables of the CUDA C++ Programming Guide, "Technical Specifications per
//! Compute Capability", and that NVIDIA's calculator shows.

mod common;

use common::SM_70;
use ipda_models::gpu::occupancy::{Limiter, SmLimits, TeamNeeds, occupancy};

/// Two chips' worth of registers, 16 teams.
const SM_37: SmLimits =
    SmLimits { teams: 16, registers: 131_072, shared: 112 << 10, shared_per_team: 48 << 10, ..SM_70 };
const SM_60: SmLimits = SmLimits { shared: 64 << 10, shared_per_team: 48 << 10, ..SM_70 };
const SM_75: SmLimits = SmLimits { warps: 32, teams: 16, shared: 64 << 10, shared_per_team: 64 << 10, ..SM_70 };
/// From 8.0 on the driver keeps a kilobyte for each team, and the unit is 128 bytes.
const SM_80: SmLimits =
    SmLimits { shared: 164 << 10, shared_per_team: 163 << 10, shared_unit: 128, shared_reserved: 1024, ..SM_70 };
const SM_86: SmLimits = SmLimits { warps: 48, teams: 16, shared: 100 << 10, shared_per_team: 99 << 10, ..SM_80 };
const SM_89: SmLimits = SmLimits { teams: 24, ..SM_86 };
const SM_90: SmLimits = SmLimits { shared: 228 << 10, shared_per_team: 227 << 10, ..SM_80 };

#[track_caller]
fn check(limits: &SmLimits, threads: u64, registers: u64, shared: u64, expected: (u64, u64, Limiter)) {
    let found = occupancy(limits, &TeamNeeds { threads, registers, shared }).expect("a team fits");
    assert_eq!((found.teams, found.warps, found.limited_by), expected);
}

#[test]
fn warps_and_teams_limit_small_kernels() {
    check(&SM_70, 128, 16, 0, (16, 64, Limiter::Warps));
    check(&SM_70, 32, 16, 0, (32, 32, Limiter::Teams));
    check(&SM_37, 64, 16, 0, (16, 32, Limiter::Teams));
    check(&SM_75, 256, 16, 0, (4, 32, Limiter::Warps));
    check(&SM_89, 32, 16, 0, (24, 24, Limiter::Teams));
    check(&SM_86, 1024, 32, 0, (1, 32, Limiter::Warps));
    // 1.5 teams of 1024 would fit into 48 warps.
    check(&SM_86, 768, 32, 0, (2, 48, Limiter::Warps));
    // Threads that fill no warp take one all the same.
    check(&SM_70, 33, 16, 0, (32, 64, Limiter::Warps));
}

#[test]
fn registers_are_given_to_warps_in_units_of_256() {
    // 32 registers: 1024 a warp, 64 warps.
    check(&SM_70, 256, 32, 0, (8, 64, Limiter::Warps));
    // 33: 1056 becomes 1280; 16384 / 1280 = 12 in each part, 48 warps.
    check(&SM_70, 256, 33, 0, (6, 48, Limiter::Registers));
    check(&SM_70, 128, 40, 0, (12, 48, Limiter::Registers));
    // 41: 1312 becomes 1536; 10 in each part.
    check(&SM_70, 128, 41, 0, (10, 40, Limiter::Registers));
    // 64: 2048, 32 warps. 128: 16 warps. 255: 8192, 8 warps.
    check(&SM_60, 256, 64, 0, (4, 32, Limiter::Registers));
    check(&SM_80, 128, 128, 0, (4, 16, Limiter::Registers));
    check(&SM_90, 256, 255, 0, (1, 8, Limiter::Registers));
    // 72: 2304; 7 in each part, 28 warps: three teams of 8, and four warps' registers over.
    check(&SM_90, 256, 72, 0, (3, 24, Limiter::Registers));
    // Twice the registers.
    check(&SM_37, 256, 64, 0, (8, 64, Limiter::Warps));
}

#[test]
fn shared_memory_is_given_to_teams_in_units() {
    check(&SM_70, 128, 32, 16 << 10, (6, 24, Limiter::Shared));
    // 96 KiB / (16 KiB + 256): 5.9.
    check(&SM_70, 128, 32, (16 << 10) + 1, (5, 20, Limiter::Shared));
    // With the driver's kilobyte: 164 / 17.
    check(&SM_80, 128, 32, 16 << 10, (9, 36, Limiter::Shared));
    check(&SM_90, 128, 32, 227 << 10, (1, 4, Limiter::Shared));
    check(&SM_90, 128, 32, 113 << 10, (2, 8, Limiter::Shared));
    check(&SM_60, 128, 32, 48 << 10, (1, 4, Limiter::Shared));
}

#[test]
fn unknown_registers_limit_nothing() {
    check(&SM_70, 128, 0, 0, (16, 64, Limiter::Warps));
}

#[test]
fn what_never_fits_is_an_error() {
    let refused = |threads, registers, shared| {
        occupancy(&SM_70, &TeamNeeds { threads, registers, shared }).expect_err("too much").parameter
    };
    assert_eq!(refused(0, 32, 0), "needs.threads");
    assert_eq!(refused(2048, 32, 0), "needs.threads");
    assert_eq!(refused(128, 256, 0), "needs.registers");
    assert_eq!(refused(128, 32, 97 << 10), "needs.shared");
    // 255 registers for 1024 threads are four times what there is.
    assert_eq!(refused(1024, 255, 0), "needs");
    let none = SmLimits { lanes: 0, ..SM_70 };
    assert_eq!(
        occupancy(&none, &TeamNeeds { threads: 1, registers: 0, shared: 0 }).expect_err("none").parameter,
        "limits.lanes"
    );
}

#[test]
fn shares_are_of_the_warps() {
    let half = occupancy(&SM_70, &TeamNeeds { threads: 128, registers: 64, shared: 0 }).expect("a team fits");
    assert_eq!(half.share(&SM_70), 0.5);
}
