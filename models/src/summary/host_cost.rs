//! What an iteration of a shared loop costs the host, with everything in the first cache.

use super::gpu_work::Phase;
use super::{AccessKind, Bound, HostPart};
use crate::form::Num;

/// Cycles of one iteration of a shared loop, with everything in the first cache.
#[derive(Debug, Clone, PartialEq)]
pub struct HostCost {
    /// What the model takes.
    pub cycles: f64,
    /// Of the machine-code analyser, and for which processor.
    pub analyser: Option<(String, f64)>,
    /// max(instructions / width, loads / ports, stores / ports).
    pub three_terms: f64,
}

/// Ports for loads and stores of the three-term bound (Abel and Reineke, "uiCA", ICS 2022: its baseline, for processors since Haswell).
const LOAD_PORTS: f64 = 2.0;
/// The same for stores.
const STORE_PORTS: f64 = 1.0;
/// Instructions that start in a cycle in the same bound, where the description does not say.
pub(crate) const WIDTH: f64 = 4.0;

/// max(instructions / width, loads / ports, stores / ports)
pub(crate) fn three_terms(instructions: Num, loads: Num, stores: Num, width: Num) -> Num {
    (instructions / width).max(loads / LOAD_PORTS).max(stores / STORE_PORTS)
}

impl Bound<'_> {
    /// Cycles of an iteration: the analyser's for the processor, else for the one that was compiled for, else the bound.
    pub(super) fn host_cost(
        &self,
        phase: &Phase,
        processor: &str,
        width: Option<f64>,
        iterations: f64,
        threads: u64,
    ) -> HostCost {
        let width = Num::new(width.unwrap_or(WIDTH));
        let without_code = || {
            let three_terms = self.cycles_without_code(phase, width).get();
            HostCost { cycles: three_terms, analyser: None, three_terms }
        };
        let bound_of =
            |part: &HostPart| three_terms(part.instructions.into(), part.loads.into(), part.stores.into(), width).get();
        let Some(code) = &self.summary.host_code else { return without_code() };
        let times = |part: &HostPart| -> f64 {
            let executions = self.mean(&part.executions, phase, part.depth).get() * part.chance;
            match part.shared {
                Some(of) if of == phase.of => executions,
                // Once for each thread that has iterations.
                None => executions * (threads as f64).min(iterations) / iterations.max(1.0),
                Some(_) => 0.0,
            }
        };
        let parts: Vec<(&HostPart, f64)> =
            code.parts.iter().map(|part| (part, times(part))).filter(|(_, times)| *times > 0.0).collect();
        // Code that cannot be told from what surrounds the loop says nothing of it.
        if !parts.iter().any(|(part, _)| part.shared == Some(phase.of)) {
            return without_code();
        }
        let three_terms = parts.iter().map(|(part, times)| bound_of(part) * times).sum();
        // What is outside of loops has no analysis of its own.
        let analysed = |name: &str| -> Option<f64> {
            let cycles = |part: &HostPart| part.cycles.iter().find(|(of, _)| of == name).map(|(_, cycles)| *cycles);
            let or_bound = |part: &HostPart| cycles(part).unwrap_or(bound_of(part));
            let is_analysed = parts.iter().any(|(part, _)| cycles(part).is_some());
            is_analysed.then(|| parts.iter().map(|(part, times)| or_bound(part) * times).sum())
        };
        let analyser =
            [processor, &code.processor].into_iter().find_map(|name| Some((name.to_owned(), analysed(name)?)));
        match &analyser {
            None => {
                self.note("the report has no analysis of the host's loops: the bound by width and ports stands for it")
            }
            Some((name, _)) if name != processor => {
                self.note(format!("the host's loops were analysed for {name}, not for {processor}"));
            }
            Some(_) => {}
        }
        HostCost { cycles: analyser.as_ref().map_or(three_terms, |(_, cycles)| *cycles), analyser, three_terms }
    }

    /// Cycles of an iteration without the host's code: an instruction for each access and one to compute with it.
    pub(crate) fn cycles_without_code(&self, phase: &Phase, width: Num) -> Num {
        let (mut loads, mut stores) = (Num::ZERO, Num::ZERO);
        for group in self.groups(phase.of) {
            let inner = self.inner(phase, group.in_loop);
            let all = [&phase.outside[..], &phase.parallel[..], &inner[..]].concat();
            let trips = self.mean_trips(&all).split_off(all.len() - inner.len());
            let count = trips.into_iter().product::<Num>() * group.offsets.len() as f64;
            match group.kind {
                AccessKind::Load => loads += count,
                AccessKind::Store | AccessKind::Atomic => stores += count,
            }
        }
        self.note("the report has no code of the host's version: two instructions for each access stand for it, without vectors");
        three_terms((loads + stores) * 2.0, loads, stores, width)
    }
}
