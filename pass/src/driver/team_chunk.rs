//! What a team takes at a time of a loop that teams and their threads share together.
//!
//! Clang 19 hands the loop out in chunks of as many iterations as a team has threads, and asks the device's runtime how many these are. LLVM 19's
//! `OpenMPOpt` puts a number there instead, the attribute that says for how many threads the kernel is compiled at most
//! (`foldKernelFnAttribute` in `llvm/lib/Transforms/IPO/OpenMPOpt.cpp`): what libomptarget starts may be fewer.

use super::compilation::Compilation;
use super::module::is_for_gpu;
use crate::openmp::ASKS_SIZE_OF_TEAM;
use crate::openmp::outline::TargetRegion;
use crate::transform::chunk;
use ipda_llvm::Value;
use ipda_models::options::Transform;
use ipda_models::report::{LoopKind, Region};

/// For how many threads a kernel is compiled at most, where clang knows a number.
const MOST: &str = "omp_target_thread_limit";

/// That number where no clause says one: clang's for NVIDIA's GPUs.
const MAX_OF_NVIDIA: u64 = 128;

/// The iterations of a chunk, where they are a number in the code; none where they are as many as the team has threads.
pub(super) fn in_code(compilation: &Compilation<'_, '_>, region: &TargetRegion, reported: &Region) -> Option<u64> {
    let is_together = reported.loops.iter().any(|entry| entry.kind == LoopKind::DistributeParallelFor);
    if !is_together || !keeps_number(compilation, region) {
        return None;
    }
    if !is_for_gpu(compilation.module) {
        // The host's side of it. With a clause, teams have as many threads as the number says.
        let has_clause = reported.launch.thread_limit.is_some() || reported.launch.num_threads.is_some();
        let is_nvidia = compilation.images().iter().any(|image| image.triple.starts_with("nvptx"));
        return (is_nvidia && !has_clause).then_some(MAX_OF_NVIDIA);
    }
    // A chunk of the program's own is not asked for.
    let asked = Value::of(&compilation.module.get_function(ASKS_SIZE_OF_TEAM)?);
    let is_of_region = |call: &Value| call.is_call() && chunk::is_part(region, call.block().function());
    asked.users().iter().find(|call| is_of_region(call))?;
    region.holder().text_attribute(MOST)?.parse().ok().filter(|most| *most > 0)
}

/// Whether LLVM's number stays in the region's code.
fn keeps_number(compilation: &Compilation<'_, '_>, region: &TargetRegion) -> bool {
    !region.holder().is_not_optimised() && region.transform(&compilation.options) != Transform::On
}
