//! What an iteration of a shared loop costs the host, with everything in the first cache.

use super::phase::Phase;
use super::{AccessKind, Bound, HostCode, HostPart};
use crate::form::Num;
use crate::report::CostModel;
use crate::spread::Cause;

/// Cycles of one iteration of a shared loop, with everything in the first cache.
#[derive(Debug, Clone, PartialEq)]
pub struct HostCost {
    /// What the model takes.
    pub cycles: f64,
    /// The same where a model has seen the code: for which processor, and which.
    pub analysed: Option<(String, f64, CostModel)>,
    /// max(instructions / width, loads / ports, stores / ports).
    pub three_terms: f64,
}

/// Ports for loads and stores of the three-term bound (Abel and Reineke, "uiCA", ICS 2022: its baseline, for processors since Haswell).
const LOAD_PORTS: f64 = 2.0;
/// The same for stores.
const STORE_PORTS: f64 = 1.0;

/// Instructions that start in a cycle.
#[derive(Clone, Copy)]
pub(crate) struct Width(pub(crate) Num);

impl Width {
    /// Where the description does not say.
    pub(crate) const USUAL: Num = Num::new(4.0);

    /// max(instructions / width, loads / ports, stores / ports)
    fn three_terms(self, instructions: Num, loads: Num, stores: Num) -> Num {
        (instructions / self.0).max(loads / LOAD_PORTS).max(stores / STORE_PORTS)
    }

    fn of(self, part: &HostPart) -> Num {
        self.three_terms(part.instructions.into(), part.loads.into(), part.stores.into())
    }
}

impl Bound<'_> {
    /// The finished code of a phase; none where it cannot be distinguished from what surrounds the loop.
    fn host_parts(&self, phase: &Phase) -> Option<&HostCode> {
        let of_phase = |part: &HostPart| part.shared == Some(phase.of);
        self.summary.host_code.as_ref().filter(|code| code.parts.iter().any(of_phase))
    }

    /// Cycles of one iteration, and of what each thread does once: the model's for the processor (`is` says whether a name is that one's),
    /// else for the one that was compiled for, else the bound.
    pub(super) fn host_cycles(&self, phase: &Phase, width: Width, is: &dyn Fn(&str) -> Option<Num>) -> (Num, Num) {
        let Some(code) = self.host_parts(phase) else { return (self.cycles_without_code(phase, width), Num::ZERO) };
        let names = analysed(code);
        if names.is_empty() {
            self.note("the report has no analysis of the host's loops: the bound by width and ports stands for it");
        }
        let cycles = |part: &HostPart| {
            let bound = width.of(part);
            let of = |name: &str| {
                let known = part.cycles.iter().find(|(own, _)| own == name).map(|(_, cycles)| Num::new(*cycles));
                known.unwrap_or(bound)
            };
            let usual = of(&code.processor);
            let others = names.iter().filter(|name| **name != code.processor);
            let other = |name: &&str| Some(is(name)? * (of(name) - usual));
            usual + others.filter_map(other).sum::<Num>()
        };
        let (mut of_iteration, mut once) = (Num::ZERO, Num::ZERO);
        for part in &code.parts {
            let times = || self.mean(&part.executions, phase, part.depth);
            match part.shared {
                Some(of) if of == phase.of => of_iteration += times() * (cycles(part) * part.chance),
                None => once += times() * (cycles(part) * part.chance),
                Some(_) => {}
            }
        }
        (of_iteration, once)
    }

    /// What an iteration costs, and who says so.
    pub(super) fn host_cost(&self, phase: &Phase, processor: &str, width: Width) -> HostCost {
        let is = |name: &str| Some(Num::from(u32::from(name == processor)));
        let cycles = self.host_cycles(phase, width, &is).0.get();
        let Some(code) = self.host_parts(phase) else {
            return HostCost { cycles, analysed: None, three_terms: cycles };
        };
        let own = code.parts.iter().filter(|part| part.shared == Some(phase.of));
        let bound = |part: &HostPart| self.mean(&part.executions, phase, part.depth) * width.of(part) * part.chance;
        let three_terms = own.map(bound).sum::<Num>().get();
        let names = analysed(code);
        let name = [processor, &code.processor].into_iter().find(|name| names.contains(name));
        if let Some(name) = name.filter(|name| *name != processor) {
            self.note(format!("the host's loops were analysed for {name}, not for {processor}"));
        }
        HostCost { cycles, analysed: name.map(|name| (name.to_owned(), cycles, code.model)), three_terms }
    }

    /// Cycles of an iteration without the host's code: an instruction for each access and one to compute with it.
    fn cycles_without_code(&self, phase: &Phase, width: Width) -> Num {
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
        self.rests_on(Cause::NoCode);
        width.three_terms((loads + stores) * 2.0, loads, stores)
    }
}

/// The processors that the code was analysed for.
fn analysed(code: &HostCode) -> Vec<&str> {
    let mut names: Vec<&str> = code.parts.iter().flat_map(|part| &part.cycles).map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}
