//! What moves between the levels of the host's memory, in closed form.
//!
//! As in the extended model, but that what is found in a cache is computed for all accesses together. Threads share the last level's data;
//! of the nearer ones each has its part. All numbers are of one thread and one iteration of the shared loop.

use super::Builder;
use super::machine::LEVELS;
use super::reach::{Extent, Move, Reach, Threads};
use crate::cpu::{Placement, Start};
use crate::form::Num;
use crate::reuse::{Carried, fetched};
use crate::summary::{AccessKind, Group, Phase, Shift};

/// Working sets of so few lines are found in every cache.
const FEW_LINES: f64 = 64.0;
/// Accesses that are nearer to each other walk few pages, for each of which they touch many lines.
const FAR: f64 = 512.0;

/// How the loop's iterations lie on threads and cores.
pub(super) struct Sharing {
    pub(super) placement: Placement,
    pub(super) iterations: Num,
    pub(super) longest: Num,
}

/// What is fetched into each level from further away.
pub(super) struct Lines {
    /// Lines, with those that go back.
    pub(super) moved: [Num; LEVELS],
    /// Lines of loads that nothing fetches ahead; none where there are no such loads.
    pub(super) waited_for: Option<[Num; LEVELS]>,
    /// Pages that the address translation does not know.
    pub(super) walks: Num,
}

/// An access: distinct lines or pages while the loops outside of a depth stand still, and of all iterations together.
struct Touched {
    at: Vec<Num>,
    whole: Num,
    /// How often each loop is reached, and the access at the end.
    before: Vec<Num>,
    kind: AccessKind,
    /// How often each counts as waited for.
    waited_for: Num,
}

impl Touched {
    fn depth(&self) -> usize {
        self.at.len() - 1
    }

    fn at(&self, depth: usize) -> Num {
        self.at[depth.min(self.depth())]
    }

    fn before(&self, depth: usize) -> Num {
        self.before[depth.min(self.depth())]
    }
}

impl Builder<'_> {
    pub(super) fn lines(&self, groups: &[Group], phase: &Phase, sharing: &Sharing) -> Lines {
        let own = self.bound.fetching(groups);
        let shifts = self.bound.shifts(&own);
        let touched = |piece: f64| -> Vec<Touched> {
            let one = |(group, shift): (&&Group, &Option<Shift>)| self.touched(group, *shift, phase, sharing, piece);
            own.iter().zip(&shifts).map(one).collect()
        };
        let lines = touched(self.cpu_line);
        let runs = self.runs(sharing);
        // What is stored comes in, and goes out to the next level.
        let stored = ["l2", "l3", "memory"].map(|next| self.keys.leaf(&format!("cpu.{next}.stored")));
        let moved = std::array::from_fn(|level| {
            let moved = |access: &Touched| if access.kind == AccessKind::Load { Num::ONE } else { stored[level] };
            runs[level].chain(&lines, &moved)
        });
        let mut weights = lines.iter().map(|access| access.waited_for).filter(|weight| *weight != Num::ZERO);
        let waited_for = weights.next().map(|first| {
            // A weight that all have is a factor of the whole.
            let factor = if weights.all(|weight| weight == first) { first } else { Num::ONE };
            let weight = |access: &Touched| if access.waited_for == factor { Num::ONE } else { access.waited_for };
            runs.each_ref().map(|run| run.chain(&lines, &weight) * factor)
        });
        let far = own.iter().zip(&shifts).filter(|(group, _)| self.goes_far(group, phase));
        let pages: Vec<Touched> =
            far.map(|(group, shift)| self.touched(group, *shift, phase, sharing, self.page)).collect();
        let tlb = self.run(sharing, self.keys.leaf("cpu.tlb.entries"), Num::ONE, sharing.placement.of_core);
        Lines { moved, waited_for, walks: tlb.pages(&pages) }
    }

    /// Each level, with its part for a thread.
    fn runs(&self, sharing: &Sharing) -> [Run; LEVELS] {
        let level = |level: usize| {
            let cpu = |key: &str| self.keys.leaf(&format!("cpu.l{}.{key}", level + 1));
            let capacity = cpu("capacity") / self.cpu_line;
            let sharers = match level {
                // A core's own.
                0 => sharing.placement.of_core,
                _ => sharing.placement.sharers(cpu("cores")),
            };
            match level {
                2 => self.run(sharing, capacity, sharers, Num::ONE),
                _ => self.run(sharing, capacity, Num::ONE, sharers),
            }
        };
        std::array::from_fn(level)
    }

    fn run(&self, sharing: &Sharing, capacity: Num, sharers: Num, parts: Num) -> Run {
        Run {
            capacity,
            sharers,
            per_sharer: 1.0 / sharers,
            parts,
            per_iteration: 1.0 / sharing.iterations.max(1.0),
            busy: sharing.placement.threads,
            start: self.setting.start,
        }
    }

    /// Whether pages matter: some loop goes from page to page.
    fn goes_far(&self, group: &Group, phase: &Phase) -> bool {
        let reach = Reach::new(self.bound, group, self.page);
        let is_far = |of: &usize| match reach.of_loop(*of) {
            Move::By(bytes) => bytes.known().is_none_or(|bytes| bytes >= FAR),
            Move::Anywhere => true,
        };
        // The shared loop's iterations go on page by page; only what lies inside of it jumps.
        self.bound.inner(phase, group.in_loop).iter().any(is_far) || group.address.is_none()
    }

    fn touched(&self, group: &Group, shift: Option<Shift>, phase: &Phase, sharing: &Sharing, piece: f64) -> Touched {
        let reach = Reach::new(self.bound, group, piece);
        let inner = self.bound.inner(phase, group.in_loop);
        let all = [&phase.outside[..], &phase.parallel[..], &inner[..]].concat();
        let trips = self.bound.mean_trips(&all).split_off(all.len() - inner.len());
        let loops: Vec<Extent> =
            inner.iter().zip(&trips).map(|(of, trips)| Extent { move_by: reach.of_loop(*of), count: *trips }).collect();
        let mut before = vec![self.likelihood(group, &all)];
        for trips in &trips {
            before.push(before[before.len() - 1] * *trips);
        }
        let shared = phase.parallel[phase.parallel.len() - 1];
        let threads = Threads { loops: vec![(shared, sharing.iterations)], step: Num::ONE };
        let one = reach.of_threads(&threads, Num::ONE);
        let everything = [&reach.of_all_threads(&threads)[..], &loops].concat();
        let share = |of: usize, trips: Num| {
            let new = shift.filter(|shift| shift.of == of).map(|shift| (shift.by / trips.max(1.0)).min(1.0));
            new.unwrap_or(Num::ONE)
        };
        let own_part = |depth: usize| -> Num {
            inner.iter().zip(&trips).skip(depth).map(|(of, trips)| share(*of, *trips)).product()
        };
        let pieces = |depth: usize| reach.pieces(&[&one[..], &loops[depth..]].concat(), piece) * own_part(depth);
        let at = (0..=loops.len()).map(pieces).collect();
        let innermost = inner.last().copied().unwrap_or(shared);
        let waited_for = match (group.kind, reach.of_loop(innermost)) {
            (AccessKind::Store | AccessKind::Atomic, _) => Num::ZERO,
            (AccessKind::Load, Move::Anywhere) => Num::ONE,
            (AccessKind::Load, Move::By(bytes)) => bytes.more(self.page / 2.0).number(),
        };
        Touched {
            at,
            whole: reach.pieces(&everything, piece) * own_part(0) * share(shared, sharing.iterations),
            before,
            kind: group.kind,
            waited_for,
        }
    }
}

/// A cache, or the address translation, and who shares it.
struct Run {
    capacity: Num,
    sharers: Num,
    per_sharer: Num,
    /// Into how many parts the capacity is divided, beside.
    parts: Num,
    per_iteration: Num,
    busy: Num,
    start: Start,
}

impl Run {
    /// What one thread fetches in one iteration.
    fn chain(&self, accesses: &[Touched], weight: &dyn Fn(&Touched) -> Num) -> Num {
        let counted: Vec<(&Touched, Num)> =
            accesses.iter().map(|access| (access, weight(access))).filter(|(_, weight)| *weight != Num::ZERO).collect();
        let sum =
            |of: &dyn Fn(&Touched) -> Num| -> Num { counted.iter().map(|(access, weight)| of(access) * *weight).sum() };
        let shared = |access: &Touched, depth: usize| {
            if self.sharers == Num::ONE {
                access.at(depth)
            } else {
                access.at(depth).min(access.whole * self.per_sharer)
            }
        };
        let at = |depth: usize| sum(&|access| shared(access, depth) * access.before(depth));
        let set =
            |depth: usize| accesses.iter().map(|access| shared(access, depth)).sum::<Num>() * self.sharers * self.parts;
        let deepest = accesses.iter().map(Touched::depth).max().unwrap_or(0);
        let mut stages: Vec<usize> = if deepest == 0 { vec![0] } else { (1..=deepest).rev().collect() };
        // What lies within few lines is found.
        let few = stages.iter().take_while(|stage| {
            let lines: Option<f64> = accesses.iter().map(|access| access.at(**stage).known()).sum();
            lines.is_some_and(|lines| lines <= FEW_LINES)
        });
        let few = few.count();
        let requested = at(match few {
            0 => deepest,
            _ => stages[few - 1].saturating_sub(1),
        });
        stages.drain(..few);
        let nest =
            stages.into_iter().map(|stage| Carried { working: set(stage), fetched: at(stage.saturating_sub(1)) });
        // Of all of a thread's iterations, its part of the whole or as much as one of them touches.
        let in_all = sum(&|access| access.whole).max(at(0) * self.busy) * self.per_iteration;
        let parallel_loop = Carried { working: set(0), fetched: in_all };
        let of_all = accesses.iter().map(|access| access.whole).sum::<Num>() * (self.sharers * self.parts / self.busy);
        let earlier_run =
            (self.start == Start::Warm).then(|| Carried { working: of_all.max(set(0)), fetched: Num::ZERO });
        fetched(requested, nest.chain([parallel_loop]).chain(earlier_run), self.capacity)
    }

    /// The same of pages. Those that all iterations share matter where each of them touches many: where there are no loops inside of loops.
    fn pages(&self, accesses: &[Touched]) -> Num {
        let sum = |of: &dyn Fn(&Touched) -> Num| accesses.iter().map(of).sum::<Num>();
        let deepest = accesses.iter().map(Touched::depth).max().unwrap_or(0);
        let at = |depth: usize| sum(&|access| access.at(depth) * access.before(depth));
        let set = |depth: usize| sum(&|access| access.at(depth)) * self.parts;
        // The body's few pages are found.
        let requested = at(deepest.saturating_sub(1));
        let nest = (1..deepest).rev().map(|depth| Carried { working: set(depth), fetched: at(depth - 1) });
        let in_all = (deepest < 2).then(|| Carried {
            working: set(0),
            fetched: sum(&|access| access.whole).max(at(0) * self.busy) * self.per_iteration,
        });
        let earlier_run = (self.start == Start::Warm).then(|| Carried {
            working: (sum(&|access| access.whole) * (self.parts / self.busy)).max(set(0)),
            fetched: Num::ZERO,
        });
        fetched(requested, nest.chain(in_all).chain(earlier_run), self.capacity)
    }
}
