//! False sharing on the host: threads that write to different places of one cache line at the same time take the line from each other
//! (Torrellas, Lam and Hennessy, "False Sharing and Spatial Locality in Multiprocessor Caches", IEEE Transactions on Computers 43, 1994).
//!
//! Neighbouring threads do so for as long as the loop runs where their chunks are shorter than a line, and where each has its own element of an
//! array by its number. Blocks, as the host hands them out by default, meet in a line at their ends alone.

use super::Analysis;
use super::access::Memory;
use crate::openmp::nest::SharedLoop;
use crate::openmp::{Schedule, Sharing};
use ipda_hwdb::Cpu;
use ipda_llvm::BlockId;
use ipda_models::report::{AccessKind, FalseSharing, FalseSharingCause};
use ipda_symbolic::{LaneMap, Polynomial, Start, Stride, lane_differences};

impl Analysis<'_> {
    /// Whether neighbouring threads of the host's version write into one cache line by this access, in iteration after iteration.
    pub(super) fn false_sharing(
        &mut self,
        address: &Polynomial,
        memory: &Memory,
        block: BlockId,
        shared: Option<&SharedLoop>,
    ) -> Option<FalseSharing> {
        let writes = matches!(memory.kind, AccessKind::Store | AccessKind::Atomic | AccessKind::CopyTo);
        if !self.setting.is_host || !writes {
            return None;
        }
        // The neighbour's place beside a thread's own: two lanes are threads that follow each other.
        let mut map = LaneMap::new(&mut self.lowering.space, 2);
        let number = self.lowering.threads.number_in_team();
        let number = number.filter(|&number| self.lowering.space.mentions(address, number));
        let iteration = shared.and_then(|shared| self.lowering.iteration(shared.index).as_atom());
        let iteration = iteration.filter(|&iteration| self.lowering.space.mentions(address, iteration));
        let cause = match (number, iteration, shared) {
            // Once for each thread is no matter.
            (Some(number), None, _) if self.cfg.loop_of(block).is_some() => {
                map.move_thread_number(&mut self.lowering.space, number);
                FalseSharingCause::ThreadNumber
            }
            (None, Some(iteration), Some(shared)) => {
                let chunk = shared.chunk.as_int().filter(|&chunk| chunk > 0 && shared.sharing == Sharing::Threads)?;
                let step = Polynomial::from(chunk);
                map.move_iterations(&mut self.lowering.space, iteration, &step, Start::Anywhere)?;
                match shared.schedule {
                    Schedule::StaticChunked => FalseSharingCause::Chunks,
                    Schedule::Dynamic => FalseSharingCause::DynamicChunks,
                    Schedule::Static | Schedule::Guided | Schedule::Runtime | Schedule::Auto => return None,
                }
            }
            _ => return None,
        };
        let facts = self.lowering.facts_at(block);
        let apart = match lane_differences(&mut self.lowering.space, address, &map, &facts) {
            Stride::Constant(apart) => apart,
            Stride::RowEnds { within, .. } => within.as_constant()?.clone(),
            _ => return None,
        };
        let bytes_apart = apart.to_i64()?.unsigned_abs();
        let triple = self.cfg.blocks.first()?.function().target_triple();
        let line_bytes = Cpu::of_target(&triple)?.line.get();
        (bytes_apart > 0 && bytes_apart < u64::from(line_bytes)).then_some(FalseSharing {
            bytes_apart,
            line_bytes,
            cause,
        })
    }
}
