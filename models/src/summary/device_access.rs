//! What the accesses of a kernel touch.

use ipda_symbolic::{Atom, AtomId, Polynomial};

use super::count::Together;
use super::device::{Grain, OnDevice};
use super::footprint::Distance;
use super::pattern::Group;
use super::phase::Phase;
use super::reach::{Extent, Move, Reach, Threads};
use super::value::{Point, atoms_in, number, varies_with};
use super::{AccessKind, Bound, Condition};
use crate::form::Num;
use crate::gpu::extended::{Access, Apart, ApartBy, Touched};
use crate::reuse::reached;

/// The most iterations of loops whose references are taken as those of one stencil.
const FEW: f64 = 32.0;

/// The most groups that others are compared with.
const MAX_HEADS: usize = 64;

/// What all accesses of a phase have in common.
pub(super) struct Grid<'a> {
    pub(super) phase: &'a Phase,
    pub(super) threads: &'a Threads,
    pub(super) at_once: &'a Threads,
    pub(super) busy: Num,
    /// Those that run at a time.
    pub(super) teams: Num,
    pub(super) iterations: Num,
    /// How many executions of each group are under way together.
    pub(super) turns: &'a [f64],
}

impl Grid<'_> {
    /// So many lanes of a warp.
    fn together(&self, lanes: Num) -> Together {
        let follow = self.threads.step == Num::ONE && self.threads.lanes.is_empty();
        if follow { Together::of(lanes, &self.threads.loops) } else { Together::default() }
    }
}

/// What another access has brought of a group's data.
enum Brought {
    /// The same data, by the group of that number.
    Same(usize),
    /// What is around.
    Around(Around),
}

/// How far a load is from where another one has been.
struct Around {
    bytes: Num,
    /// Without what loops of their own add.
    places: Polynomial,
}

/// What a thread touches in executions that are under way together.
#[derive(Clone, Copy)]
struct InTurn {
    /// The share of its sectors that no other of these accesses has: of a turn that begins with a sector, and of one that begins anywhere, as where
    /// lanes' addresses have several positions in their sectors.
    anew: [Num; 2],
    /// Sectors of the lines around, over its own, if it begins anywhere in a line.
    lines: Num,
}

impl OnDevice<'_> {
    pub(super) fn accesses(&self, groups: &[Group], grid: &Grid<'_>) -> Vec<Access> {
        let apart = self.bound.distances(groups);
        let access = |((group, turn), apart): ((&Group, &f64), Option<(Num, Polynomial)>)| {
            let apart = apart.map(|(bytes, apart)| Apart {
                sectors: bytes / self.grain.sector,
                by: self.apart_by(group, grid, bytes, &apart),
            });
            Access { apart, ..self.access(&Reach::new(self.bound, group, self.grain.sector), grid, *turn) }
        };
        let beside = self.bound.beside(groups);
        let mut accesses: Vec<Access> = groups.iter().zip(grid.turns).zip(apart).map(access).collect();
        for (access, bytes) in accesses.iter_mut().zip(beside) {
            if let (None, Some(bytes)) = (access.apart, bytes) {
                access.apart = Some(Apart { sectors: bytes / self.grain.sector, by: ApartBy::List });
            }
        }
        for (at, brought) in self.brought(groups, grid) {
            let head = match brought {
                Brought::Same(head) => head,
                Brought::Around(Around { bytes, places }) => {
                    let by = self.threads_apart(&groups[at], grid, bytes, &places);
                    accesses[at].apart.get_or_insert(Apart { sectors: bytes / self.grain.sector, by });
                    continue;
                }
            };
            let more = (accesses[at].total - accesses[head].total).max(0.0);
            let access = &mut accesses[at];
            access.same = Some(head);
            if groups[at].kind == AccessKind::Load && access.apart.is_none() {
                // What the thread has just stored there is in L2, and no other thread's way leads to it.
                let is_stored = groups[head].kind == AccessKind::Store && groups[at].in_loop == groups[head].in_loop;
                let by = if is_stored { ApartBy::Threads(Num::ZERO) } else { ApartBy::Any };
                access.apart = Some(Apart { sectors: more, by });
            }
        }
        accesses
    }

    /// The groups that go through the data of one before, whichever loops of its own a thread does it in: addresses that are the same but for what these add,
    /// and for less than neighbouring threads are apart. Of each its number, and that of the other. Beside them loads that come so far away to what another
    /// one loads, as `u[i + r * n]` does in a stencil's loop over a few `r`.
    fn brought(&self, groups: &[Group], grid: &Grid<'_>) -> Vec<(usize, Brought)> {
        let summary = self.summary();
        let of_thread = |group: &Group| {
            let address = group.address.as_ref()?;
            let inner: Vec<AtomId> =
                self.bound.inner(grid.phase, group.in_loop).into_iter().map(|of| summary.loops[of].index).collect();
            let is_own = |p: &Polynomial| inner.iter().any(|index| varies_with(&summary.space, p, *index));
            let terms = address.terms().map(|(monomial, factor)| (monomial.clone(), factor.clone()));
            let of_threads =
                terms.filter(|(monomial, factor)| !is_own(&Polynomial::term(monomial.clone(), factor.clone())));
            let of_threads = Polynomial::from_terms(of_threads);
            let steps =
                grid.threads.loops.iter().filter_map(|(of, _)| address.coefficient_of(summary.loops[*of].index));
            let steps = steps.filter_map(|step| Some(number(step.as_constant()?).abs())).filter(|step| *step > 0.0);
            Some((
                of_threads.without_constant(),
                number(&of_threads.constant_term()),
                steps.reduce(f64::min).unwrap_or(0.0),
            ))
        };
        let parts: Vec<_> = groups.iter().map(of_thread).collect();
        let mut heads: Vec<usize> = Vec::new();
        let mut found = Vec::new();
        for (at, group) in groups.iter().enumerate() {
            let Some((place, constant, step)) = parts[at].as_ref().filter(|_| group.kind != AccessKind::Atomic) else {
                continue;
            };
            let is_same = |head: &&usize| {
                let (other, of_other, _) = parts[**head].as_ref().expect("heads have addresses");
                groups[**head].object == group.object
                    && other == place
                    && (constant - of_other).abs() <= (step - group.bytes).max(0.0)
            };
            if let Some(head) = heads.iter().find(is_same) {
                found.push((at, Brought::Same(*head)));
                continue;
            }
            if let Some(other) = heads.iter().find_map(|head| self.around(group, &groups[*head], grid)) {
                found.push((at, Brought::Around(other)));
                continue;
            }
            if heads.len() < MAX_HEADS {
                heads.push(at);
            }
        }
        found
    }

    /// How far a load is from where another one of the same array has been, if loops of their own with few iterations lead no further than a launch's value
    /// times a number.
    fn around(&self, group: &Group, other: &Group, grid: &Grid<'_>) -> Option<Around> {
        let is_load = |group: &Group| group.kind == AccessKind::Load;
        if group.object != other.object || group.bytes != other.bytes || !is_load(group) || !is_load(other) {
            return None;
        }
        let summary = self.summary();
        let mut places = group.address.clone()? - other.address.clone()?;
        let mut reach = Num::ZERO;
        let mut own: Vec<usize> = [group, other].map(|group| self.bound.inner(grid.phase, group.in_loop)).concat();
        own.sort_unstable();
        own.dedup();
        for of in own {
            let index = summary.loops[of].index;
            let by = places.coefficient_of(index)?;
            if by.is_zero() {
                continue;
            }
            let trips = number(summary.loops[of].trips.as_ref().ok()?.as_constant()?);
            if !(1.0..=FEW).contains(&trips) || !summary.space.is_invariant(&by) {
                return None;
            }
            places = places.replace(index, &Polynomial::zero());
            reach += self.bound.at(&by, &Point::new()).ok()?.abs() * (trips - 1.0);
        }
        let is_moved = reach != Num::ZERO;
        let is_fixed = is_moved && summary.space.is_invariant(&places) && !self.bound.passes_by(group, &places);
        let bytes = is_fixed.then(|| self.bound.at(&places, &Point::new()).ok()).flatten()?.abs() + reach;
        Some(Around { bytes, places })
    }

    /// What brings a group to the data of another one, so many bytes away.
    fn apart_by(&self, group: &Group, grid: &Grid<'_>, bytes: Num, apart: &Polynomial) -> ApartBy {
        let Some(address) = &group.address else { return ApartBy::Any };
        if apart.is_zero() {
            return ApartBy::Threads(Num::ZERO);
        }
        let step = |of: usize| address.coefficient_of(self.summary().loops[of].index);
        let inner = self.bound.inner(grid.phase, group.in_loop);
        for (depth, of) in inner.into_iter().enumerate() {
            if let Some(by) = step(of).and_then(|step| Bound::iterations_apart(apart, &step)) {
                return ApartBy::Iterations(depth, by);
            }
        }
        self.threads_apart(group, grid, bytes, apart)
    }

    /// The same by other threads alone.
    fn threads_apart(&self, group: &Group, grid: &Grid<'_>, bytes: Num, apart: &Polynomial) -> ApartBy {
        let Some(address) = &group.address else { return ApartBy::Any };
        let step = |of: usize| address.coefficient_of(self.summary().loops[of].index);
        let mut faster = Num::ONE;
        for (of, trips) in grid.threads.loops.iter().rev() {
            let Some(step) = step(*of) else { return ApartBy::Any };
            if let Some(by) = Bound::iterations_apart(apart, &step) {
                return ApartBy::Threads(faster * by);
            }
            // Elements of rows one after the other: as many threads as places.
            if let (true, Some(step)) = (faster == Num::ONE, step.as_constant().filter(|step| !step.is_zero()))
                && grid.threads.loops.len() == 1
            {
                return ApartBy::Threads(bytes / number(step).abs());
            }
            faster *= *trips;
        }
        ApartBy::Any
    }

    /// `turn` executions are under way together.
    fn access(&self, reach: &Reach<'_>, grid: &Grid<'_>, turn: f64) -> Access {
        let group = reach.group;
        let inner = self.bound.inner(grid.phase, group.in_loop);
        let all = [&self.bound.around(grid.phase)[..], &inner[..]].concat();
        let mut trips = self.bound.mean_trips(&all).split_off(all.len() - inner.len());
        let mut loops: Vec<Extent> =
            inner.iter().zip(&trips).map(|(of, trips)| Extent { move_by: reach.of_loop(*of), count: *trips }).collect();
        // What iterations in lockstep share is loaded once for all of them.
        if let Some(in_lockstep) = reach.in_lockstep(grid.threads) {
            trips.push(in_lockstep.count);
            loops.push(in_lockstep);
        }
        let (turn, walked) = self.walked(&loops, turn, grid.threads);
        let everywhere = [&reach.of_all_threads(grid.threads)[..], &loops].concat();
        let reach = &reach.within(&everywhere);
        let (lanes, sectors) = reach.sectors(grid.threads, grid.busy, self.lanes(), self.grain.sector);
        let probability = self.probability(group, grid, &all, sectors);
        let team = reach.of_threads(grid.at_once, grid.busy);
        let together = reach.of_threads(grid.at_once, (grid.busy * grid.teams).min(grid.iterations));
        let departures = self.positions(&lanes, group, sectors);
        // Lanes at random share what they find; others go on side by side.
        let is_random = lanes.iter().any(|extent| extent.move_by == Move::Anywhere);
        let from = |depth: usize| if depth < loops.len() { &loops[depth..] } else { walked.as_slice() };
        let waits = |depth: usize| {
            if is_random {
                reach.pieces(&[&lanes, from(depth)].concat(), self.grain.sector) * (departures / sectors)
            } else {
                reach.pieces(from(depth), self.grain.sector) * departures
            }
        };
        let of_turn = self.in_turn(reach, walked, turn);
        let anew = of_turn.map_or(Num::ONE, |turn| {
            let [first, anywhere] = turn.anew;
            // Of two positions and more, what begins anywhere is of less than two turns.
            (departures * first).min(anywhere)
        });
        let turn = walked.map_or(1.0, |_| turn);
        // Further parts of threads' numbers may not be reached by a team.
        let nearest: Vec<Extent> = team.iter().copied().find(Extent::leads_away).into_iter().collect();
        let is_listed = grid.threads.loops.iter().any(|(of, _)| reach.is_listed(*of));
        let of_lines = reach.of_pieces(self.grain.line);
        let sectors_of_line = self.grain.line / self.grain.sector;
        let of_share = reach.of_share(if probability.known() == Some(0.0) { Num::ONE } else { probability });
        let touched = |depth: usize| {
            let inside = from(depth);
            let pieces = |threads: &[Extent]| of_share.pieces(&[threads, inside].concat(), self.grain.sector);
            let sparse = |extent: &Extent| self.lines_for(extent, reach.block());
            let most = nearest.iter().chain(inside).map(sparse).fold(sectors_of_line, f64::min);
            let is_dense = is_listed || most <= 1.0;
            let grid = pieces(&together);
            let is_drawn = reach.group.address.is_none()
                || together.iter().chain(inside).any(|extent| extent.move_by == Move::Anywhere);
            let spread = if is_drawn {
                // An array has no more lines than it is long.
                let lines = of_lines.pieces(&[&together, inside].concat(), self.grain.line);
                (lines * sectors_of_line / grid.max(1.0)).clamp(1.0, sectors_of_line)
            } else {
                let is_turn = depth == loops.len() && walked.is_some();
                match is_dense {
                    // A turn begins at any sector of a line.
                    true if is_turn && !nearest.iter().any(|extent| sparse(extent) <= 1.0) => {
                        of_turn.map_or(Num::ONE, |turn| turn.lines)
                    }
                    true => Num::ONE,
                    false => most.into(),
                }
            };
            Touched { team: pieces(&team), grid, spread, waits: waits(depth) }
        };
        let before = reached(probability, &trips);
        let executions = before.last().copied().unwrap_or(Num::ONE);
        let is_combined = group.may_be_combined && self.combines() && !lanes.iter().any(Extent::moves);
        let together = if is_combined { self.lanes().into() } else { Num::ONE };
        let each = executions * grid.iterations / (together * probability).max(1.0).min(together);
        let updates = self.updates(reach, &everywhere, each, sectors);
        Access {
            kind: group.kind.into(),
            references: group.offsets.len() as f64,
            touched: (0..=loops.len()).map(touched).collect(),
            turn,
            anew,
            sectors,
            departures,
            total: reach.pieces(&everywhere, self.grain.sector),
            updates,
            apart: None,
            same: None,
            probes: self.probes(group, &trips),
            before,
            probability,
            trips,
        }
    }

    /// How many places a search comes to, if the group is where its loop, the last of those that run so often, halves a table.
    fn probes(&self, group: &Group, trips: &[Num]) -> Option<Num> {
        let l = &self.summary().loops[group.in_loop?];
        let is_search = group.kind == AccessKind::Load && l.trips.is_err() && l.halved.is_some();
        trips.last().copied().filter(|_| is_search)
    }

    /// How many executions are under way together, and where these go along the innermost loop; elsewhere, each of them goes to a place of its own.
    fn walked(&self, loops: &[Extent], turn: f64, threads: &Threads) -> (f64, Option<Extent>) {
        // Loops in lockstep are not unrolled.
        let turn = if threads.taken.is_some() { turn.min(1.0) } else { turn };
        let innermost = loops.last();
        let turn = innermost.and_then(|of| of.count.known()).map_or(turn, |most| turn.min(most.max(1.0)));
        let walked = innermost.filter(|of| turn > 1.0 && self.is_dense(of));
        (turn, walked.map(|of| Extent { count: turn.into(), ..*of }))
    }

    /// What a thread touches in a turn; none where it is a place.
    fn in_turn(&self, reach: &Reach<'_>, walked: Option<Extent>, turn: f64) -> Option<InTurn> {
        let references = reach.group.offsets.len() as f64;
        if reach.group.address.is_none() || references == 1.0 && walked.is_none() {
            return None;
        }
        let Grain { sector, line, .. } = self.grain;
        let own = reach.pieces(walked.as_slice(), sector);
        let (times, parts) = if walked.is_some() { (turn, 1.0) } else { (1.0, 1.0 / turn.min(1.0)) };
        let anew = |more: f64| ((own + (parts - 1.0 + more)) * (1.0 / (references * times))).min(1.0);
        // As far as it reaches into the next one.
        let more = 1.0 - reach.group.bytes.min(sector) / sector;
        Some(InTurn { anew: [anew(0.0), anew(more)], lines: (own + (line / sector - 1.0)) / own })
    }

    /// How likely a warp makes an access that touches so many sectors, in the iterations of all loops around it.
    fn probability(&self, group: &Group, grid: &Grid<'_>, all: &[usize], sectors: Num) -> Num {
        if group.active.is_some() {
            return Num::ONE;
        }
        let (own, together) = self.conditions_of_lanes(group, grid);
        let likelihood =
            |conditions: &[Condition], together: &Together| self.bound.likelihood(conditions, all, together);
        if group.kind == AccessKind::Atomic {
            return likelihood(&group.conditions, &Together::default());
        }
        // A warp makes it if any of its lanes does, and a sector is touched if any of those does that share it. Warps of which no lane comes there make none.
        let of_sector = self.lanes() / sectors;
        let of_warp = match together.is_empty() {
            true => Num::ONE,
            false => likelihood(&together, &grid.together(of_sector)),
        };
        match own.is_empty() {
            true => of_warp,
            false => (likelihood(&own, &Together::default()) * of_sector).min(1.0) * of_warp,
        }
    }

    /// The conditions of a group that hold in some lanes of a warp and not in others, as those on values that each has loaded, and the others.
    fn conditions_of_lanes(&self, group: &Group, grid: &Grid<'_>) -> (Vec<Condition>, Vec<Condition>) {
        let space = &self.summary().space;
        let is_own = |atom: AtomId| match space.atom(atom) {
            Atom::Load { address, .. } => {
                let varies = |(of, _): &(usize, Num)| varies_with(space, address, self.summary().loops[*of].index);
                grid.threads.loops.iter().any(varies)
            }
            _ => false,
        };
        let differs =
            |condition: &Condition| condition.expression().is_some_and(|p| atoms_in(space, p).into_iter().any(is_own));
        group.conditions.iter().cloned().partition(differs)
    }

    /// Whether the processor's compiler makes one update of a warp's, where all of them are of one place: ptxas does for integers, by the lanes' votes or
    /// their sum, as the code says that it makes for sm_75, sm_80 and sm_90.
    fn combines(&self) -> bool {
        self.processor.starts_with("sm_")
    }

    /// How often each place is updated atomically on average, or each sector by warps if that is more often, where the iterations of all threads make each of the group's updates so often.
    fn updates(&self, reach: &Reach<'_>, everywhere: &[Extent], executions: Num, sectors: Num) -> Num {
        let group = reach.group;
        if group.kind != AccessKind::Atomic {
            return Num::ZERO;
        }
        let active = group.active.as_ref().map_or(self.lanes(), |active| active.len() as f64);
        let updates = executions * (group.offsets.len() as f64 * active / self.lanes());
        let of_place = updates / reach.pieces(everywhere, group.bytes).max(1.0);
        // A sector takes a warp's updates of different places in it at once, but one warp after the other.
        let requests = executions * sectors * (group.offsets.len() as f64 / self.lanes());
        of_place.max(requests / reach.pieces(everywhere, self.grain.sector).max(1.0))
    }

    /// How many times as much as it touches the lines are that a loop goes along with a block of so many bytes: those of whole structures have all of
    /// their sectors touched. At most all sectors of a line for one, as where its distance is a launch's.
    fn lines_for(&self, extent: &Extent, block: f64) -> f64 {
        let Grain { sector, line, .. } = self.grain;
        let Move::By(distance) = extent.move_by else { return line / sector };
        let known = distance.always().filter(|bytes| *bytes > 0.0 && extent.count != Num::ONE);
        known.map_or(line / sector, |bytes| (bytes / block.max(sector)).clamp(1.0, line / sector))
    }

    /// Whether a loop goes from sector to sector.
    fn is_dense(&self, extent: &Extent) -> bool {
        let Move::By(distance) = extent.move_by else { return false };
        extent.count != Num::ONE && distance.always().is_some_and(|bytes| bytes > 0.0 && bytes <= self.grain.sector)
    }

    /// How many different positions in their sectors the lanes' addresses have: what the fastest part of their number that moves at all does says it.
    fn positions(&self, lanes: &[Extent], group: &Group, sectors: Num) -> Num {
        if group.address.is_none() {
            return sectors;
        }
        // As elements of 2^n bytes, each lies within a sector.
        let mut moving = lanes.iter().filter(|extent| extent.moves());
        let Some(fastest) = moving.next() else { return Num::ONE };
        let of = |extent: &Extent| match extent.move_by {
            Move::Anywhere => Num::ONE,
            Move::By(distance) => self.positions_by(distance, group.bytes),
        };
        // Where that has one iteration, the next part says it, as far as that is not the same.
        let is_later = fastest.count.known().is_none() && of(fastest).known().is_none();
        let next = moving.next().filter(|_| is_later);
        let positions = next.map_or_else(|| of(fastest), |next| fastest.count.more(1.0).choose(of(fastest), of(next)));
        positions.min(sectors)
    }

    /// How many different positions in their sectors elements have that are so far apart.
    fn positions_by(&self, distance: Distance, bytes: f64) -> Num {
        let (apart, is_whole) = (distance.bytes, |number: Num| number.floor().is(number));
        let sector = self.grain.sector;
        let most = (sector / bytes).max(1.0);
        let is_within = distance.always().is_some_and(|apart| apart < sector && sector % apart == 0.0);
        let halves = is_whole(apart * (2.0 / sector)).choose(2.0, most);
        is_whole(apart / sector).or(is_within.into()).choose(1.0, halves)
    }
}
