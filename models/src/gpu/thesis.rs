//! Hong and Kim's model in the set-up of A. Chikin's thesis, "Compiler-Driven Performance on Heterogeneous Computing Platforms" (2018), section
//! 5.2.2, to reproduce its figures; nothing else should use it.
//!
//! It knows two classes of instructions of the compiler's IR, those that access memory and those that compute, and takes it that every
//! loop runs 128 times and every condition holds half of the time.

use super::geometry::{Launch, Share};
use super::hong_kim::{Parameters, Work};
use super::occupancy::Occupancy;
use crate::error::{ModelError, non_negative, some};
use crate::quantity::{Bytes, BytesPerSecond, Cycles, Hertz};

/// Iterations of every loop (thesis, "Instruction Loadout").
pub const TRIPS_OF_A_LOOP: f64 = 128.0;

/// How often a condition holds (the same place).
pub const TAKEN: f64 = 0.5;

/// Multiprocessors of the V100 in table 5.3. The product has 80; this is what the thesis computed with.
pub const V100_SMS: u64 = 84;

/// The latency of a computation on integers in table 5.3, in cycles.
const INTEGER_LATENCY: f64 = 4.0;

/// The latency of a computation on floats in table 5.3, in cycles.
const FLOAT_LATENCY: f64 = 8.0;

/// The V100 of table 5.3. The table has no departure delays, which the equations need, and does not say what an access moves; 128
/// bytes are 4 for each thread.
pub fn v100(departure_del_coal: Cycles, departure_del_uncoal: Cycles) -> Parameters {
    Parameters {
        mem_ld: Cycles::new(1029.0),
        departure_del_uncoal,
        departure_del_coal,
        issue_cycles: Cycles::new(1.0),
        freq: Hertz::new(1.53e9),
        mem_bandwidth: BytesPerSecond::new(900e9),
        load_bytes_per_warp: Bytes::new(128.0),
    }
}

/// Instructions that stand at the same place, as the compiler's IR has them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Instructions {
    /// Loops around them, without the parallel loop.
    pub loops: u32,
    /// Conditions around them.
    pub conditions: u32,
    /// Memory accesses that are coalesced, as the analysis of strides says.
    pub coalesced: f64,
    /// Memory accesses that are not.
    pub uncoalesced: f64,
    /// Computations on integers.
    pub integer: f64,
    /// Computations on floats.
    pub float: f64,
}

/// What a computation costs. The text says that instructions are counted and the table lists latencies; it is not said which
/// enters Comp_Cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// Every instruction costs the issue rate of the table, 1 cycle.
    IssueRate,
    /// Computations cost their latency, 4 and 8 cycles.
    Latency,
}

/// How often code inside of so many loops and conditions runs, for each iteration of the parallel loop.
pub fn executions(loops: u32, conditions: u32) -> f64 {
    TRIPS_OF_A_LOOP.powi(loops.min(i32::MAX as u32) as i32) * TAKEN.powi(conditions.min(i32::MAX as u32) as i32)
}

/// The model's input for a kernel with these instructions. Blocks are spread over all multiprocessors before one gets a second.
///
/// # Errors
/// If there are no multiprocessors or no teams, or counts are negative.
pub fn work(
    instructions: &[Instructions],
    reading: Reading,
    uncoal_per_mw: f64,
    sms: u64,
    launch: Launch,
    share: Share,
    occupancy: Occupancy,
) -> Result<Work, ModelError> {
    some("sms", sms)?;
    some("launch.teams", launch.teams)?;
    some("occupancy.teams", occupancy.teams)?;
    let (mut coal_mem_insts, mut uncoal_mem_insts, mut comp_insts) = (0.0, 0.0, 0.0);
    for place in instructions {
        let times = executions(place.loops, place.conditions);
        coal_mem_insts += times * non_negative("instructions.coalesced", place.coalesced)?;
        uncoal_mem_insts += times * non_negative("instructions.uncoalesced", place.uncoalesced)?;
        let integer = non_negative("instructions.integer", place.integer)?;
        let float = non_negative("instructions.float", place.float)?;
        comp_insts += times
            * match reading {
                Reading::IssueRate => integer + float,
                Reading::Latency => INTEGER_LATENCY * integer + FLOAT_LATENCY * float,
            };
    }
    let blocks = launch.teams as f64;
    let active_sms = blocks.min(sms as f64);
    let active_blocks_per_sm = (occupancy.teams as f64).min(blocks / active_sms);
    let warps_of_block = occupancy.warps as f64 / occupancy.teams as f64;
    Ok(Work {
        comp_insts,
        coal_mem_insts,
        uncoal_mem_insts,
        synch_insts: 0.0,
        uncoal_per_mw,
        active_warps: active_blocks_per_sm * warps_of_block,
        blocks,
        active_blocks_per_sm,
        active_sms,
        omp_rep: share.omp_rep as f64,
    })
}
