//! The same region as the thesis's set-up sees it: what stands in how many loops and conditions.

use super::phase::Phase;
use super::reach::{Reach, Threads};
use super::{AccessKind, Bound, DevicePart, HostPart};
use crate::form::Num;
use crate::gpu::thesis::Instructions;
use crate::report::InstructionClass;
use crate::versions::VersionId;

/// A phase in the thesis's set-up.
#[derive(Debug, Clone, PartialEq)]
pub struct ThesisWork {
    /// Instructions and accesses by place.
    pub instructions: Vec<Instructions>,
    /// Cycles of the host's code by the number of loops around it in an iteration of the shared loop.
    pub host_cycles: Vec<f64>,
    /// Transactions of an uncoalesced access, on average.
    pub uncoal_per_mw: f64,
}

impl Bound<'_> {
    /// Each phase of a version; sectors say what is coalesced.
    pub fn thesis_work(
        &self,
        processor: &str,
        host_processor: &str,
        sector: f64,
        version: VersionId,
    ) -> Vec<ThesisWork> {
        let phases = self.phases(version).unwrap_or_default();
        phases.iter().map(|phase| self.thesis_phase(phase, version, [processor, host_processor], sector)).collect()
    }

    fn thesis_phase(
        &self,
        phase: &Phase,
        version: VersionId,
        [processor, host_processor]: [&str; 2],
        sector: f64,
    ) -> ThesisWork {
        let all = self.around(phase);
        let PhaseAccesses { mut instructions, nest, uncoal_per_mw } = self.phase_accesses(phase, sector);
        let trips: Vec<f64> =
            self.mean_trips(&[&all[..], &nest[..]].concat()).split_off(all.len()).into_iter().map(Num::get).collect();
        let counted = self.counted_phase(version, phase);
        let of_version =
            counted.map_or(1.0, |counted| self.instructions_factor(self.handed_out(&counted).iterations, phase).get());
        // What unrolling and vectors made of an iteration, for one iteration of the source.
        let in_source = |depth: u32, times: f64| {
            let loops = (depth.saturating_sub(1) as usize).min(trips.len());
            let runs: f64 = trips[..loops].iter().product();
            (loops, if runs > 0.0 { times / runs } else { 0.0 })
        };
        let code = self.code_for(processor).map(|code| &code.parts[..]).unwrap_or_default();
        for part in code.iter().filter(|part| part.shared == Some(phase.of)) {
            let (loops, times) = in_source(part.depth, self.executions(part, phase).get() * of_version);
            instructions.push(of_part(part, loops, times));
        }
        let mut host_cycles = vec![0.0; trips.len() + 1];
        let host = self.summary.host_code.as_ref();
        for part in host.iter().flat_map(|code| &code.parts).filter(|part| part.shared == Some(phase.of)) {
            let executions = self.mean(&part.executions, phase, part.depth).get() * part.chance;
            let (loops, times) = in_source(part.depth, executions);
            let processors = [host_processor, host.map_or("", |code| code.processor.as_str())];
            host_cycles[loops] += cycles_of(part, processors) * times;
        }
        ThesisWork { instructions, host_cycles, uncoal_per_mw }
    }

    /// The accesses of a phase; sectors say what is coalesced.
    fn phase_accesses(&self, phase: &Phase, sector: f64) -> PhaseAccesses {
        let mut instructions = Vec::new();
        let (mut uncoalesced, mut transactions) = (0.0, 0.0);
        let mut nest: Vec<usize> = Vec::new();
        let parallel = self.handed_out(phase);
        let threads = Threads { loops: parallel.loops, step: Num::ONE, apart: None, lanes: Vec::new(), taken: None };
        let lanes = f64::from(self.summary.lanes);
        let busy = parallel.iterations.clamp(1.0, lanes);
        for group in self.groups(phase.of) {
            let inner = self.inner(phase, group.in_loop);
            let (_, sectors) = Reach::new(self, &group, sector).sectors(&threads, busy, lanes, sector);
            let sectors = sectors.get();
            let least = (lanes * group.bytes / sector).ceil();
            let count = group.offsets.len() as f64 * if group.kind == AccessKind::Atomic { 2.0 } else { 1.0 };
            let mut place = Instructions {
                loops: inner.len() as u32,
                conditions: group.conditions.len() as u32,
                ..Instructions::default()
            };
            if sectors <= least + 1.0 {
                place.coalesced = count;
            } else {
                place.uncoalesced = count;
                uncoalesced += count;
                transactions += count * sectors;
            }
            instructions.push(place);
            if inner.len() > nest.len() {
                nest = inner;
            }
        }
        let uncoal_per_mw = if uncoalesced > 0.0 { transactions / uncoalesced } else { lanes };
        PhaseAccesses { instructions, nest, uncoal_per_mw }
    }
}

/// What a phase asks of memory.
struct PhaseAccesses {
    instructions: Vec<Instructions>,
    /// The deepest loops around one of them.
    nest: Vec<usize>,
    /// Transactions of an uncoalesced access, on average.
    uncoal_per_mw: f64,
}

fn of_part(part: &DevicePart, loops: usize, times: f64) -> Instructions {
    use InstructionClass as Class;
    let (mut integer, mut float) = (0.0, 0.0);
    for (class, count) in &part.counts {
        match class {
            Class::LoadGlobal | Class::StoreGlobal | Class::Atomic => {}
            Class::Convert => float += count * times,
            class if class.is_float() => float += count * times,
            _ => integer += count * times,
        }
    }
    Instructions { loops: loops as u32, integer, float, ..Instructions::default() }
}

fn cycles_of(part: &HostPart, processors: [&str; 2]) -> f64 {
    let of = |name: &str| part.cycles.iter().find(|(processor, _)| processor == name).map(|(_, cycles)| *cycles);
    processors.into_iter().find_map(of).unwrap_or(part.instructions)
}
