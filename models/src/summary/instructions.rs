//! What finished device code does in one iteration of a shared loop.

use ipda_symbolic::{Atom, AtomId, Polynomial};

use super::count::{Together, with_conditions};
use super::phase::Phase;
use super::value::{Point, all_atoms_in, ratio, value, varies_with};
use super::{Bound, Condition, DeviceCode, DevicePart, Expression};
use crate::form::Num;
use crate::report::InstructionClass;
use crate::versions::VersionId;

/// What stands for the values of variables that nobody knows yet.
pub(super) const THOUSAND: f64 = 1000.0;

impl Bound<'_> {
    /// The code for the processor, or for the one that is nearest to it.
    pub(crate) fn code_for(&self, processor: &str) -> Option<&DeviceCode> {
        let codes = &self.summary.device_code;
        if let Some(exact) = codes.iter().find(|code| code.processor == processor) {
            return Some(exact);
        }
        let number = |name: &str| -> Option<i64> { name.strip_prefix("sm_")?.trim_end_matches('a').parse().ok() };
        let distance = |code: &&DeviceCode| match (number(&code.processor), number(processor)) {
            (Some(one), Some(other)) => (one - other).abs(),
            _ => i64::MAX,
        };
        let nearest = codes.iter().filter(|code| !code.parts.is_empty()).min_by_key(distance)?;
        self.note(format!(
            "the code of {} stands for that of {processor}, which the report does not have",
            nearest.processor
        ));
        Some(nearest)
    }

    /// The phase of the version whose finished code was counted, where that is another one.
    pub(super) fn counted_phase(&self, version: VersionId, phase: &Phase) -> Option<Phase> {
        let other = self.summary.version_that_runs();
        let of = match &self.summary.of_digits {
            Some(digits) => digits.stands_for(phase.of).unwrap_or(phase.of),
            None => phase.of,
        };
        let phases = || self.phases(other).into_iter().flatten();
        (version != other).then(|| phases().find(|other| other.of == of)).flatten()
    }

    /// Finished code is counted for an iteration of the version that it is of, of which there are so many: how much of it one of this version does.
    pub(super) fn instructions_factor(&self, counted: Num, phase: &Phase) -> Num {
        let own = self.handed_out(phase).iterations;
        self.note("the report has the finished code of one version of the loops: the other does the same work with the same instructions");
        own.more(0.0).and(counted.more(0.0)).choose(counted / own.max(1.0), 1.0)
    }

    /// How often a part runs in one iteration of the phase, if its branches lead there; none if it belongs to another one. `is_first_in` tells of a
    /// loop around whether the phase is the first in it: that one has the code between all of them. The kernel goes through the phase `repeats` times.
    pub(crate) fn times_of(
        &self,
        part: &DevicePart,
        phase: &Phase,
        busy_threads: Num,
        omp_rep: Num,
        is_first_in: &dyn Fn(Option<usize>) -> bool,
        repeats: Num,
    ) -> Option<Num> {
        let loops = self.shared_trips(phase);
        let warp = Together::of(self.summary.lanes.into(), &loops);
        let times = || self.mean_together(&part.executions, phase, part.depth, &warp);
        match part.shared {
            Some(of) if of == phase.of => Some(times()),
            // Code between the shared loops runs once for many iterations of the inner one, and code around all of them once for a thread.
            Some(of) if phase.parallel.contains(&of) && is_first_in(Some(of)) => {
                let inner = loops.last().map_or(Num::ONE, |(_, trips)| *trips);
                // Rounded up as whole iterations are, which a mean need not be.
                let rounds = ((inner - 1.0) / busy_threads).floor() + 1.0;
                Some(times() / rounds.max(1.0) / repeats.max(1.0))
            }
            None if is_first_in(None) => Some(times() / omp_rep.max(1.0)),
            _ => None,
        }
    }

    /// How often a part runs in one iteration of the phase.
    pub(crate) fn executions(&self, part: &DevicePart, phase: &Phase) -> Num {
        self.mean(&part.executions, phase, part.depth) * part.chance
    }

    /// How often code at a depth runs if the loops around it are those of the source.
    fn as_in_the_source(&self, phase: &Phase, depth: u32) -> Num {
        self.note("finished loops without a known number of iterations run as often as those of the source");
        let inner = self.loops_in_the_source(phase, depth);
        let all = self.around(phase);
        let trips = self.mean_trips(&[&all[..], &inner[..]].concat());
        trips[all.len()..].iter().copied().product()
    }

    /// The loops around code at a depth, if they are those of the source.
    fn loops_in_the_source(&self, phase: &Phase, depth: u32) -> Vec<usize> {
        let nests = (0..self.summary.loops.len()).map(|innermost| self.summary.chain(Some(innermost)));
        let of_phase = nests.filter(|nest| nest.contains(&phase.of)).max_by_key(Vec::len).unwrap_or_default();
        let mut inner = self.inner(phase, of_phase.last().copied());
        inner.truncate(depth.saturating_sub(1) as usize);
        inner
    }

    /// How often code runs where all variables are a thousand: which code is the hottest, before values are known.
    pub(crate) fn times_of_a_thousand(&self, expression: &Expression, phase: &Phase, depth: u32) -> f64 {
        let known =
            expression.as_ref().ok().and_then(|p| self.of_a_thousand(&with_conditions(&self.summary.space, p).1));
        known.unwrap_or_else(|| self.trips_of_a_thousand(&self.loops_in_the_source(phase, depth)))
    }

    /// How often loops inside one another iterate where all variables are a thousand, and so are trip counts that are not known.
    pub(super) fn trips_of_a_thousand(&self, loops: &[usize]) -> f64 {
        let trips = |of: &usize| {
            let bound = self.summary.loops[*of].trips.as_ref().ok();
            bound.and_then(|trips| self.of_a_thousand(trips)).unwrap_or(THOUSAND).max(0.0)
        };
        loops.iter().map(trips).product()
    }

    fn of_a_thousand(&self, p: &Polynomial) -> Option<f64> {
        let space = &self.summary.space;
        let given = |atom: AtomId| match space.atom(atom) {
            Atom::Symbol(_) | Atom::Iteration(_) => Some(Num::new(THOUSAND)),
            _ => None,
        };
        value(space, p, &given).ok().map(Num::get)
    }

    /// The mean of an expression over the iterations of the phase.
    pub(crate) fn mean(&self, expression: &Expression, phase: &Phase, depth: u32) -> Num {
        self.mean_together(expression, phase, depth, &Together::default())
    }

    /// The same of what is done if one of the lanes that do it together does: code whose conditions hold for one of a warp.
    fn mean_together(&self, expression: &Expression, phase: &Phase, depth: u32, together: &Together) -> Num {
        let (conditions, without) = match expression {
            Ok(p) => with_conditions(&self.summary.space, p),
            Err(_) => (Vec::new(), Polynomial::zero()),
        };
        let expression = &expression.clone().map(|_| without);
        let mean = self.mean_without(expression, phase, depth);
        if conditions.is_empty() {
            return mean;
        }
        let all = self.around(phase);
        let expressions: Vec<&Polynomial> = conditions.iter().filter_map(Condition::expression).collect();
        let space = &self.summary.space;
        let has = |l: &usize| expressions.iter().any(|p| varies_with(space, p, self.summary.loops[*l].index));
        let more = (0..self.summary.loops.len()).filter(|l| !all.contains(l)).filter(has);
        let loops: Vec<usize> = all.iter().copied().chain(more).collect();
        mean * self.likelihood(&conditions, &loops, together)
    }

    fn mean_without(&self, expression: &Expression, phase: &Phase, depth: u32) -> Num {
        let all = self.around(phase);
        let unknown = || self.as_in_the_source(phase, depth);
        let Ok(p) = expression else { return unknown() };
        // Loops of a thread whose numbers the expression has: their means too.
        let atoms = all_atoms_in(&self.summary.space, p);
        let has = |l: &usize| atoms.contains(&self.summary.loops[*l].index);
        let more = (0..self.summary.loops.len()).filter(|l| !all.contains(l)).filter(has);
        let all: Vec<usize> = all.iter().copied().chain(more).collect();
        let is_unknown = |point: &Point| Num::from(u32::from(self.at(p, point).is_err()));
        if !all.iter().any(has) {
            return self.at(p, &Point::new()).map_or_else(|_| unknown(), |times| times.max(0.0));
        }
        if self.sum(&all, &mut Point::new(), &[], &is_unknown) != Num::ZERO {
            return unknown();
        }
        let count = self.sum(&all, &mut Point::new(), &[p], &|_| Num::ONE);
        let sum = self.sum(&all, &mut Point::new(), &[p], &|point| self.at(p, point).unwrap_or(Num::ZERO));
        ratio(sum, count).max(0.0)
    }
}

/// Instructions of a thread that can be under way together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parallelism {
    /// Floats and integers wait for their own kind only: 1 or more.
    pub(crate) arithmetic: f64,
    /// Loads, where there are some.
    pub(crate) loads: Option<f64>,
}

impl Default for Parallelism {
    fn default() -> Parallelism {
        Parallelism { arithmetic: 1.0, loads: None }
    }
}

impl DevicePart {
    pub(crate) fn parallelism(&self) -> Parallelism {
        let of = |is: fn(InstructionClass) -> bool| -> f64 {
            self.counts.iter().filter(|(class, _)| is(*class)).map(|(_, count)| count).sum()
        };
        let (floats, integers) = (of(InstructionClass::is_float), of(InstructionClass::is_integer));
        let loads = of(|class| class == InstructionClass::LoadGlobal);
        Parallelism {
            arithmetic: ((floats + integers) / floats.max(integers).max(1.0)).max(1.0),
            // Loads after a store that may change what they read stay behind it, and it waits for its value: no warp issues out of order.
            loads: Some(loads / self.load_runs.max(1.0)).filter(|loads| *loads > 0.0),
        }
    }
}
