//! The shared loops of a version with the loops around them, and how their iterations are handed out.

use super::bind::Known;
use super::value::{Point, atoms_in, ratio};
use super::{Bound, ChangedNest};
use crate::form::{Num, Truth};
use crate::report::LoopKind;
use crate::versions::VersionId;
use ipda_symbolic::Polynomial;

/// A shared loop with the loops around it, as a version runs them.
pub(crate) struct Phase {
    /// The shared loop itself.
    pub(crate) of: usize,
    /// Sequential loops around shared ones.
    pub(crate) outside: Vec<usize>,
    /// The loops whose iterations are handed out, the slowest first.
    pub(crate) parallel: Vec<usize>,
    /// Whether they were fused.
    pub(crate) is_changed: bool,
    /// How many iterations neighbouring threads are apart, where that is not one.
    pub(crate) apart: Option<Polynomial>,
    /// How many lanes of a warp run along each of them, where they are a tile.
    pub(crate) lanes: Vec<u32>,
}

/// How a version hands out the iterations of a phase.
pub(crate) struct HandedOut {
    /// The loops, the slowest first, with their iterations: whole numbers where these are known.
    pub(crate) loops: Vec<(usize, Num)>,
    /// Of all of them together.
    pub(crate) iterations: Num,
    /// Those that teams share, and those that the threads of a team do.
    pub(crate) of_teams: Num,
    pub(crate) of_threads: Num,
    /// Whether a team works on one iteration of the outer loops at a time.
    pub(crate) is_nested: bool,
    pub(crate) has_teams: bool,
}

/// Iterations of a loop that a thread takes in lockstep.
#[derive(Debug, Clone)]
pub(crate) struct Taken {
    /// How many: one where there are too few.
    pub(crate) several: Num,
    /// Whether there are enough.
    pub(crate) is_done: Truth,
    /// The loop.
    pub(crate) of: usize,
    /// How many of its iterations they are apart, where it is one that a clause collapsed from several.
    pub(crate) apart: Option<(Polynomial, Num)>,
    /// How many iterations there are of the loop of which some are taken together.
    pub(crate) trips: Num,
}

impl Bound<'_> {
    /// The phases of a version; none where the version does not exist.
    pub(crate) fn phases(&self, version: VersionId) -> Option<Vec<Phase>> {
        let summary = self.summary;
        let phase = |of: usize| {
            let chain = summary.chain(Some(of));
            let is_shared = |l: &usize| summary.loops[*l].kind != LoopKind::Sequential;
            let (parallel, outside) = chain.into_iter().partition(is_shared);
            Phase { of, outside, parallel, is_changed: false, apart: None, lanes: Vec::new() }
        };
        let phases: Vec<Phase> = summary.phases().into_iter().map(phase).collect();
        if version == VersionId::AS_WRITTEN {
            return Some(phases);
        }
        let changed = &summary.version(version)?.nests;
        let all_are_there = changed.iter().all(|nest| phases.iter().any(|phase| nest.threads.contains(&phase.of)));
        let phase = |phase: Phase| match changed.iter().find(|nest| nest.threads.contains(&phase.of)) {
            Some(ChangedNest { threads, apart, lanes }) => Phase {
                parallel: threads.clone(),
                is_changed: true,
                apart: apart.clone(),
                lanes: lanes.clone(),
                ..phase
            },
            None => phase,
        };
        all_are_there.then(|| phases.into_iter().map(phase).collect())
    }

    /// Whole iterations of a loop: of what is known later, means are taken as they are, but for guesses from the sizes of arrays.
    pub(super) fn whole(&self, of: usize, trips: Num) -> Num {
        let is_guessed =
            || self.summary.loops[of].trips.as_ref().is_ok_and(|trips| self.at(trips, &Point::new()).is_err());
        if self.known == Known::Now || is_guessed() { trips.ceil() } else { trips }
    }

    pub(crate) fn handed_out(&self, phase: &Phase) -> HandedOut {
        let loops = self.shared_trips(phase).into_iter();
        let loops: Vec<(usize, Num)> = loops.map(|(of, trips)| (of, self.whole(of, trips))).collect();
        let product = |loops: &[(usize, Num)]| loops.iter().map(|(_, trips)| *trips).product::<Num>();
        let iterations = product(&loops);
        let (last, outer) = loops.split_last().map_or((iterations, &loops[..]), |(last, outer)| (last.1, outer));
        let is_nested = !phase.is_changed && loops.len() > 1;
        let (of_teams, of_threads) = if is_nested { (product(outer), last) } else { (iterations, iterations) };
        let has_teams = phase.parallel.iter().any(|l| self.summary.loops[*l].kind != LoopKind::For);
        HandedOut { iterations, of_teams, of_threads, is_nested, has_teams, loops }
    }

    /// The loops around what a thread does in the phase, as they are nested in the source: the iterations of one may depend on those around it.
    pub(crate) fn around(&self, phase: &Phase) -> Vec<usize> {
        let mut all = [&phase.outside[..], &phase.parallel[..]].concat();
        all.sort_by_key(|of| self.summary.chain(Some(*of)).len());
        all
    }

    /// The loops whose iterations are handed out, the slowest first, with their mean iterations.
    pub(super) fn shared_trips(&self, phase: &Phase) -> Vec<(usize, Num)> {
        let around = self.around(phase);
        let mut all: Vec<(usize, Num)> = around.iter().copied().zip(self.mean_trips(&around)).collect();
        all.retain(|(of, _)| phase.parallel.contains(of));
        all.sort_by_key(|(of, _)| phase.parallel.iter().position(|other| other == of));
        all
    }

    /// The loops of a thread around an access of the phase, the outermost first.
    pub(crate) fn inner(&self, phase: &Phase, in_loop: Option<usize>) -> Vec<usize> {
        let chain = self.summary.chain(in_loop);
        chain.into_iter().filter(|l| !phase.parallel.contains(l) && !phase.outside.contains(l)).collect()
    }

    /// The same where a thread takes several iterations of a loop in lockstep.
    pub(super) fn handed_out_in_lockstep(&self, phase: &Phase, all: HandedOut, taken: &Taken) -> HandedOut {
        let lanes = phase.parallel.iter().position(|l| *l == taken.of).and_then(|at| phase.lanes.get(at));
        let tile = lanes.map_or(Num::ONE, |lanes| Num::from(*lanes));
        let of_loop = |(of, trips): &(usize, Num)| match &taken.apart {
            _ if *of != taken.of => (*of, *trips),
            None if tile == Num::ONE => (*of, trips.div_ceil(taken.several)),
            // The launch has room for no more than there are, which the last tile might make of a loop whose iterations are taken one at a time.
            None => (*of, (trips.div_ceil(tile).div_ceil(taken.several) * tile).min(*trips)),
            Some(_) => (*of, *trips / taken.trips.max(1.0) * taken.trips.div_ceil(taken.several)),
        };
        let loops: Vec<(usize, Num)> = all.loops.iter().map(of_loop).collect();
        let iterations = loops.iter().map(|(_, trips)| *trips).product();
        HandedOut { loops, iterations, of_teams: iterations, of_threads: iterations, ..all }
    }

    /// The mean number of iterations of each loop when it is reached.
    pub(crate) fn mean_trips(&self, loops: &[usize]) -> Vec<Num> {
        let mut before = Num::ONE;
        let mut trips = Vec::new();
        for depth in 1..=loops.len() {
            if !self.depends(loops[depth - 1], &loops[..depth - 1]) {
                trips.push(self.trips(loops[depth - 1], &Point::new()));
                before *= trips[depth - 1];
                continue;
            }
            let reached = self.sum(&loops[..depth], &mut Point::new(), &[], &|_| Num::ONE);
            trips.push(ratio(reached, before));
            before = reached;
        }
        trips
    }

    /// Whether the iterations of a loop depend on those of others, but through loaded values, which nobody knows.
    fn depends(&self, of: usize, on: &[usize]) -> bool {
        let trips = self.summary.loops[of].bound();
        let atoms = trips.map_or_else(Vec::new, |trips| atoms_in(&self.summary.space, trips));
        on.iter().any(|l| atoms.contains(&self.summary.loops[*l].index))
    }
}
