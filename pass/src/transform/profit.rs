//! What a mapping of a nest costs: the sectors that its warps touch, counted lane by lane for a few warps of an example. Unknown sizes are large and odd in
//! the example, so that rows begin anywhere; those that make a trip count smaller as they grow, such as a loop's start or step, are small.

pub(super) use super::grid::Candidate;
use super::grid::{Example, Form, Grid, Sample};
pub(super) use super::sizes::Sizes;
use crate::analysis::dependences::{NestAccess, SharedNest};
use crate::analysis::region::Analysis;
use ipda_hwdb::Gpu;
use ipda_models::sizes::Sizes as SizeClass;
use ipda_symbolic::{Atom, AtomId, Coeff, Facts, LoopId, Polynomial, TripCount, sectors_at, sectors_together};
use rustc_hash::FxHashMap;

/// Iterations of a loop for which a version is worth making.
const ENOUGH: i64 = 32;
/// Rounds of making conditions true: each makes one true, and may make others false.
const ROUNDS: usize = 16;
/// A size of which nothing is known.
const SIZE: i64 = SizeClass::Compared.value() as i64;
/// Sizes at which a version must not cost more than the code as written: a small one, where the threads of incomplete tiles are idle, and a large one.
pub(super) const FEW: i64 = 33;
pub(super) const MANY: i64 = 8191;
/// A size that lowers trip counts as it grows, and one that lowers some and raises others.
const SMALL: i64 = 1;
const MIDDLING: i64 = 31;
/// A trip count from here on is a difference that has wrapped: above the square of the largest sizes, and below 2^32 divided by a small step.
const WRAPPED: i64 = 1 << 27;

/// Threads with which a device is bound by its memory's bandwidth and not by its latency: by rule of thumb, a quarter of the resident threads. None where
/// its description does not give these.
pub(super) fn enough_threads(gpu: &Gpu) -> Option<u64> {
    Some(gpu.resident_threads()? / 4)
}

/// The time of one more atomic update of a place, in sectors that a slice of the L2 could serve meanwhile: it makes updates of one place one after the
/// other. None where the description does not give their rate.
fn update_in_sectors(gpu: &Gpu) -> Option<f64> {
    let slice = gpu.memory.l2_slice_bandwidth.as_ref().ok()?.get().get();
    let updates = gpu.memory.l2_updates.as_ref().ok()?.get().get();
    Some(slice / f64::from(gpu.sector.get()) / updates)
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    /// Sectors of all warps, in all iterations of the region.
    pub sectors: f64,
    /// The time that atomic updates of one place take longer because the L2 makes them one after the other, as sectors.
    contended: f64,
    /// Threads that share the work.
    pub threads: f64,
    /// These, and the idle ones of incomplete tiles.
    pub numbers: f64,
    /// Sectors of a warp that is not idle, in one iteration of the loop that runs most often.
    pub per_warp: f64,
    /// That loop, where it runs in each thread.
    pub innermost: Option<LoopId>,
    /// How often a thread runs through it.
    runs: f64,
    /// As [`enough_threads`] has it.
    enough_threads: Option<f64>,
}

impl Cost {
    /// Sectors, with the time of atomic updates that wait for each other.
    pub(super) fn work(&self) -> f64 {
        self.sectors + self.contended
    }

    /// The same, with the sectors of a warp in one iteration of the loop that runs most often by another cost of the same threads.
    pub(super) fn in_iterations_of(&self, other: &Cost) -> Cost {
        Cost { per_warp: self.per_warp * self.runs / other.runs, runs: other.runs, innermost: other.innermost, ..*self }
    }

    pub(super) fn has_enough_threads(&self) -> bool {
        self.enough_threads.is_none_or(|enough| self.threads >= enough)
    }

    /// The work, times the factor by which threads are too few to hide latencies.
    pub(super) fn time(&self) -> f64 {
        self.work() * self.enough_threads.map_or(1.0, |enough| (enough / self.threads).max(1.0))
    }
}

/// Counts the sectors of all accesses of a nest if it ran by a mapping.
pub(super) fn cost(analysis: &Analysis<'_>, sizes: &Sizes, accesses: &[NestAccess], candidate: &Candidate) -> Cost {
    let has_idle_lanes = !candidate.hulls.is_empty() || !candidate.mapping.keeps_loops_whole();
    let sample = if has_idle_lanes { Sample::Spread } else { Sample::Few };
    cost_of_sample(analysis, sizes, accesses, candidate, sample)
}

/// The same, of some warps.
pub(super) fn cost_of_sample(
    analysis: &Analysis<'_>,
    sizes: &Sizes,
    accesses: &[NestAccess],
    candidate: &Candidate,
    sample: Sample,
) -> Cost {
    let grid = Grid::new(analysis, sizes, candidate);
    let (sector, gpu) = (analysis.setting.geometry.sector_bytes, analysis.setting.gpu);
    let update = update_in_sectors(gpu).unwrap_or(0.0);
    let (threads, numbers) = (grid.threads(), grid.numbers());
    let all_warps = (numbers / grid.lanes as f64).ceil();
    let warps = grid.warps(all_warps, sample);
    // In an example, all lanes may be idle.
    let at_work = warps.iter().filter(|warp| !warp.is_idle()).count().max(1) as f64;
    let (mut total, mut contended, mut max_runs, mut innermost) = (0.0, 0.0, 1.0, None);
    for together in counted_together(accesses) {
        let access = together[0];
        let mut runs = grid.runs(access);
        if runs > max_runs {
            (max_runs, innermost) = (runs, access.loops.last().copied().filter(|&id| !grid.is_fused(id)));
        }
        // Between fused loops, one thread stores for all.
        if access.writes {
            let once = grid.fused().filter(|(of, _)| !access.loops.contains(&grid.id(*of)));
            runs /= once.map(|(of, count)| count as f64 / grid.own_of(of) as f64).product::<f64>();
        }
        let forms: Vec<Form<'_>> = together.iter().map(|access| grid.form(&access.address)).collect();
        let is_same = |a: &NestAccess, b: &NestAccess| a.bytes == b.bytes && a.address == b.address;
        let first_of = |access: &&NestAccess| together.iter().position(|other| is_same(other, access)).unwrap_or(0);
        let firsts: Vec<usize> = together.iter().map(first_of).collect();
        for warp in &warps {
            let mut sectors: Vec<Vec<(i64, i64)>> = Vec::with_capacity(together.len());
            for (at, &first) in firsts.iter().enumerate() {
                sectors.push(match first < at {
                    true => sectors[first].clone(),
                    false => sectors_at(&grid.places(&forms[at], warp), together[at].bytes, sector),
                });
            }
            total += sectors_together(&sectors, analysis.setting.reuse_sectors) as f64 * runs;
            if access.is_atomic {
                contended += waiting(&grid.places(&forms[0], warp), sector) as f64 * runs * update;
            }
        }
    }
    let of_all = all_warps / warps.len() as f64;
    Cost {
        sectors: total * of_all,
        contended: contended * of_all,
        threads,
        numbers,
        per_warp: total / at_work / max_runs,
        innermost,
        runs: max_runs,
        enough_threads: enough_threads(gpu).map(|threads| threads as f64),
    }
}

/// The time of a mapping whose work is a share of what the loops cost as they are written, which is known. It counts no sectors.
pub(super) fn time_as_before(
    analysis: &Analysis<'_>,
    sizes: &Sizes,
    candidate: &Candidate,
    before: &Cost,
    share_of_work: f64,
) -> f64 {
    let threads = Grid::new(analysis, sizes, candidate).threads();
    Cost { sectors: before.work() * share_of_work, contended: 0.0, threads, ..*before }.time()
}

/// The pairs of fused loops, the outer one in the mapping first, where one access is coalesced if neighbouring threads go along one loop, and another
/// access if they go along the other: tiles of lanes serve both.
pub(super) fn disagreeing(
    analysis: &Analysis<'_>,
    sizes: &Sizes,
    accesses: &[NestAccess],
    candidate: &Candidate,
) -> Vec<(usize, usize)> {
    let grid = Grid::new(analysis, sizes, candidate);
    let sector = analysis.setting.geometry.sector_bytes;
    let fused: Vec<usize> = grid.fused().filter(|&(_, count)| count > 1).map(|(of, _)| of).collect();
    // How far each access gets in so many iterations of some loops.
    let steps = |moves: &[(usize, i64)]| -> Vec<u64> {
        let number_of = |id: LoopId| moves.iter().find(|(of, _)| grid.id(*of) == id).map_or(0, |(_, by)| *by);
        let at = |times: i64| {
            let numbers: FxHashMap<LoopId, i64> =
                grid.middle.iter().map(|(&id, &number)| (id, number + times * number_of(id))).collect();
            accesses.iter().map(|access| grid.example.place(&access.address, &numbers)).collect::<Vec<i64>>()
        };
        at(1).into_iter().zip(at(0)).map(|(next, first)| next.wrapping_sub(first).unsigned_abs()).collect()
    };
    // From a row to the next one at the same number, and at the same place where rows are shorter by what they begin further on.
    let along = |of: usize, other: usize| {
        let of_other = candidate.hulls.iter().filter(|hull| hull.of == other).flat_map(|hull| &hull.slopes);
        let mut falls = of_other.filter(|(on, slope)| *on == of && slope.is_negative());
        let at_place = falls.next().and_then(|(_, slope)| Some(steps(&[(of, 1), (other, slope.to_i64()?)])));
        std::iter::once(steps(&[(of, 1)])).chain(at_place).collect::<Vec<_>>()
    };
    let wants = |along: &[u64], not: &[u64]| {
        let is_far = |step: u64| step >= sector;
        let is_near = |step: u64| (1..sector).contains(&step);
        let mut both = along.iter().zip(not);
        let saves = both.clone().any(|(&along, &not)| !is_far(along) && is_far(not));
        let goes_along = both.any(|(&along, &not)| is_near(along) && !is_near(not));
        (saves, goes_along)
    };
    let disagree = |one: &[u64], other: &[u64]| {
        let (one, other) = (wants(one, other), wants(other, one));
        one.0 && other.0 || one.1 && other.1
    };
    let mut pairs = Vec::new();
    for (at, &first) in fused.iter().enumerate() {
        for &second in &fused[at + 1..] {
            let (one, other) = (along(first, second), along(second, first));
            if one.iter().any(|one| other.iter().any(|other| disagree(one, other))) {
                pairs.push((first, second));
            }
        }
    }
    pairs
}

/// The trip counts of a nest's loops, and of those around its accesses.
fn counts_of(nest: &SharedNest) -> Vec<&Polynomial> {
    let of_loops = nest.nest.loops.iter().filter_map(|entry| match &entry.trips {
        TripCount::Exactly(trips) | TripCount::AtMost(trips) | TripCount::Modulo(trips) => Some(trips),
        TripCount::Unknown(_) => None,
    });
    let mut counts: Vec<&Polynomial> = Vec::new();
    for count in of_loops.chain(nest.accesses.iter().flat_map(|access| access.trips.values())) {
        if !counts.contains(&count) {
            counts.push(count);
        }
    }
    counts
}

fn symbols_of(analysis: &Analysis<'_>, counts: &[&Polynomial]) -> Vec<AtomId> {
    let space = &analysis.lowering.space;
    let of_count = |count: &&Polynomial| space.atoms(count);
    let mut symbols: Vec<AtomId> = counts.iter().flat_map(of_count).collect();
    // A load from an invariant address, such as a structure's member, is one number.
    symbols.retain(|&atom| match space.atom(atom) {
        Atom::Symbol(_) => true,
        Atom::Load { address, .. } => space.loops_of(address).is_empty(),
        _ => false,
    });
    symbols.sort_unstable();
    symbols.dedup();
    symbols
}

/// Whether the facts say that a symbol is below another one, and none that it is above one.
fn starts_below_another(facts: &Facts, symbols: &[AtomId], symbol: AtomId) -> bool {
    let others = || symbols.iter().copied().filter(|&other| other != symbol);
    let is_below = |low: AtomId, high: AtomId| {
        facts.nonneg().any(|fact| {
            fact.number_times(low) == Some(&Coeff::MINUS_ONE)
                && fact.number_times(high) == Some(&Coeff::ONE)
                && fact.without_constant().terms().len() == 2
        })
    };
    others().any(|other| is_below(symbol, other)) && !others().any(|other| is_below(other, symbol))
}

impl Sizes {
    /// The sizes of a nest, within what is known where it runs, and within the arrays that it goes through.
    pub(super) fn of(analysis: &mut Analysis<'_>, nest: &SharedNest) -> Sizes {
        Sizes::of_class(analysis, nest, SIZE)
    }

    /// The same, with `unknown` for sizes of which nothing is known.
    pub(super) fn of_class(analysis: &mut Analysis<'_>, nest: &SharedNest, unknown: i64) -> Sizes {
        let innermost = Some(analysis.cfg.loops[nest.innermost()].header);
        let facts = innermost.map(|header| analysis.lowering.facts_at(header)).unwrap_or_default();
        Sizes::usual(analysis, nest, &facts, unknown).within(analysis, nest, &facts).in_arrays(analysis, nest)
    }

    fn usual(analysis: &Analysis<'_>, nest: &SharedNest, facts: &Facts, unknown: i64) -> Sizes {
        let counts = counts_of(nest);
        let symbols = symbols_of(analysis, &counts);
        let mut sizes = Sizes { known: FxHashMap::default(), unknown };
        // Of a product of differences, as that of the iterations of several loops together, none shows while another is 0: facts say which is positive.
        let starts = symbols.iter().copied().filter(|&symbol| starts_below_another(facts, &symbols, symbol));
        let is_hidden = |symbol: &AtomId| {
            let of = |size: i64| sizes.with(*symbol, size).values(analysis, &counts);
            of(SMALL) == of(unknown)
        };
        let hidden: Vec<AtomId> = starts.filter(is_hidden).collect();
        sizes.known.extend(hidden.into_iter().map(|symbol| (symbol, SMALL)));
        // What a step does shows once the loop's start is small, and that an end may be negative once both are.
        for may_be_negative in [false, false, true] {
            for &symbol in &symbols {
                if !sizes.known.contains_key(&symbol) {
                    let usual = if may_be_negative { Sizes::negative_of } else { Sizes::usual_of };
                    let usual = usual(&sizes, analysis, &counts, symbol);
                    sizes.known.extend(usual.map(|size| (symbol, size)));
                }
            }
        }
        sizes
    }

    /// What a size is taken to be, if not the usual one, beside these others.
    fn usual_of(&self, analysis: &Analysis<'_>, counts: &[&Polynomial], symbol: AtomId) -> Option<i64> {
        let [small, large] = [SMALL, self.unknown].map(|size| self.with(symbol, size).values(analysis, counts));
        // Of a loop that would not run, the trip count may be a difference that has wrapped.
        let has_more = |a: &i64, b: &i64| a > b && *a < WRAPPED;
        let lets_run_less = small.iter().zip(&large).any(|(small, large)| has_more(small, large));
        let lets_run_more = small.iter().zip(&large).any(|(small, large)| has_more(large, small));
        lets_run_less.then_some(if lets_run_more { MIDDLING } else { SMALL })
    }

    /// What a size is taken to be beside these others, if a loop counts up to 0, or from one negative number to another.
    fn negative_of(&self, analysis: &Analysis<'_>, counts: &[&Polynomial], symbol: AtomId) -> Option<i64> {
        let may_be_negative = !analysis.lowering.space.range(&Polynomial::from(symbol)).is_non_negative();
        let is_idle = |size: i64| {
            let counts = self.with(symbol, size).values(analysis, counts);
            counts.iter().any(|&count| count <= 0 || count >= WRAPPED)
        };
        let negative = -self.unknown;
        (may_be_negative && is_idle(SMALL) && is_idle(self.unknown) && !is_idle(negative)).then_some(negative)
    }

    fn values(&self, analysis: &Analysis<'_>, of: &[&Polynomial]) -> Vec<i64> {
        of.iter().map(|of| self.value(analysis, of)).collect()
    }

    /// Sizes near these that satisfy the facts about them.
    fn within(self, analysis: &Analysis<'_>, nest: &SharedNest, facts: &Facts) -> Sizes {
        let space = &analysis.lowering.space;
        let symbols = symbols_of(analysis, &counts_of(nest));
        let is_of_sizes = |fact: &&Polynomial| space.atoms(fact).iter().all(|atom| symbols.contains(atom));
        let facts: Vec<&Polynomial> = facts.nonneg().filter(is_of_sizes).collect();
        let mut sizes = self;
        for _ in 0..ROUNDS {
            let mut violated = facts.iter().filter(|fact| sizes.value(analysis, fact) < 0);
            let Some(next) = violated.find_map(|fact| sizes.making_true(analysis, fact, |_| true)) else { break };
            sizes = next;
        }
        sizes
    }

    /// These sizes, halved until all iterations stay within the arrays whose extents are known: first those by which a row runs into the next one, then
    /// those that lead farthest.
    fn in_arrays(self, analysis: &Analysis<'_>, nest: &SharedNest) -> Sizes {
        let mut sizes = self;
        for array in InArray::all(analysis, nest) {
            let counts: Vec<&Polynomial> = array.access.trips.values().chain([&array.offset]).collect();
            let counted = symbols_of(analysis, &counts);
            let before = sizes.clone();
            while !array.holds(analysis, &sizes) {
                let last = array.last(analysis, &sizes);
                let of = |&atom: &AtomId| {
                    let size = sizes.size(atom);
                    let reach = last.saturating_sub(array.last(analysis, &sizes.with(atom, 1)));
                    (size > 1).then(|| Reach { atom, reach, step: reach / (size - 1).max(1) })
                };
                let reaches: Vec<Reach> = counted.iter().filter_map(of).collect();
                let Some(next) = farthest(&reaches) else { break };
                sizes = sizes.with(next, sizes.size(next) / 2);
            }
            // What holds one iteration alone is no extent: the language says of an array of variable length that one element is there.
            if counted.iter().any(|&atom| sizes.size(atom) == 1 && before.size(atom) > 1) {
                sizes = before;
            }
        }
        sizes
    }

    /// These sizes but for one.
    fn with(&self, atom: AtomId, size: i64) -> Sizes {
        let known = self.known.clone().into_iter().chain([(atom, size)]).collect();
        Sizes { known, unknown: self.unknown }
    }

    /// Whether all loops of a nest run whose counts are the same in each iteration.
    pub(super) fn let_run(&self, analysis: &Analysis<'_>, nest: &SharedNest) -> bool {
        let space = &analysis.lowering.space;
        let fixed = counts_of(nest).into_iter().filter(|count| space.loops_of(count).is_empty());
        fixed.into_iter().all(|count| self.value(analysis, count) > 0)
    }

    /// Whether they satisfy a condition.
    pub(super) fn meet(&self, analysis: &Analysis<'_>, condition: &Polynomial) -> bool {
        self.value(analysis, condition) >= 0
    }

    fn value(&self, analysis: &Analysis<'_>, of: &Polynomial) -> i64 {
        Example { analysis, sizes: self }.value(of, &FxHashMap::default())
    }

    /// Sizes of which one is changed, by as little as makes a condition true.
    fn making_true(
        &self,
        analysis: &Analysis<'_>,
        condition: &Polynomial,
        is_allowed: impl Fn(&Sizes) -> bool,
    ) -> Option<Sizes> {
        let changed = |atom: AtomId, rises: bool| {
            let with = |size: i64| self.with(atom, size);
            let size = self.size(atom);
            let now = self.value(analysis, condition);
            let step = if rises { 1 } else { -1 };
            let next = with(size.checked_add(step)?).value(analysis, condition);
            let slope = next.checked_sub(now).filter(|&slope| slope > 0)?;
            let steps = now.checked_neg()?.checked_add(slope - 1)? / slope;
            let changed = with(size.checked_add(steps.checked_mul(step)?)?);
            (changed.value(analysis, condition) >= 0 && is_allowed(&changed)).then_some(changed)
        };
        let atoms = analysis.lowering.space.atoms(condition);
        // Larger ones first: these keep trip counts.
        let mut ways = [true, false].into_iter().flat_map(|rises| atoms.iter().map(move |&atom| (atom, rises)));
        ways.find_map(|(atom, rises)| changed(atom, rises))
    }

    /// Sizes near these that satisfy the conditions and keep each loop's trip count, or at least [`ENOUGH`] iterations; else the first condition for which
    /// there are none. So a row may be longer than what is used of it, or as long as a constant says; but a version that is right for ten iterations alone
    /// gains nothing.
    pub(super) fn meeting(
        &self,
        analysis: &Analysis<'_>,
        nest: &SharedNest,
        conditions: &[Polynomial],
    ) -> Result<Sizes, usize> {
        let of_loop = |trips: &'_ TripCount| match trips {
            TripCount::Exactly(trips) | TripCount::AtMost(trips) | TripCount::Modulo(trips) => Some(trips.clone()),
            TripCount::Unknown(_) => None,
        };
        let counts: Vec<Polynomial> = nest.nest.loops.iter().filter_map(|entry| of_loop(&entry.trips)).collect();
        let needed: Vec<i64> = counts.iter().map(|count| self.value(analysis, count).min(ENOUGH)).collect();
        // Nor behind the end of an array.
        let arrays: Vec<InArray> = InArray::all(analysis, nest).filter(|array| array.holds(analysis, self)).collect();
        let runs_enough = |sizes: &Sizes| {
            counts.iter().zip(&needed).all(|(count, &needed)| sizes.value(analysis, count) >= needed)
                && arrays.iter().all(|array| array.holds(analysis, sizes))
        };
        let mut sizes = self.clone();
        for _ in 0..ROUNDS {
            let Some(at) = conditions.iter().position(|condition| sizes.value(analysis, condition) < 0) else {
                return Ok(sizes);
            };
            sizes = sizes.making_true(analysis, &conditions[at], runs_enough).ok_or(at)?;
        }
        Err(0)
    }
}

/// An access, in each iteration, to an array whose extent is known.
struct InArray<'n> {
    access: &'n NestAccess,
    /// From the array's beginning, in bytes.
    offset: Polynomial,
    extent: i64,
}

impl<'n> InArray<'n> {
    fn all(analysis: &Analysis<'_>, nest: &'n SharedNest) -> impl Iterator<Item = InArray<'n>> {
        let in_array = |access: &'n NestAccess| {
            let argument = |atom| Some((atom, analysis.lowering.argument_of(atom)?));
            let (base, value) = access.address.atoms().into_iter().find_map(argument)?;
            let extent = i64::try_from(value.dereferenceable_bytes()?).ok()?;
            Some(InArray { access, offset: &access.address - &Polynomial::from(base), extent })
        };
        nest.accesses.iter().filter(|access| access.in_every_iteration).filter_map(in_array)
    }

    /// Where the last iterations of all loops are.
    fn last(&self, analysis: &Analysis<'_>, sizes: &Sizes) -> i64 {
        let example = Example { analysis, sizes };
        let none = FxHashMap::default();
        let last = self.access.trips.iter().map(|(id, trips)| (*id, (example.value(trips, &none) - 1).max(0)));
        example.value(&self.offset, &last.collect())
    }

    /// Whether they are within the array.
    fn holds(&self, analysis: &Analysis<'_>, sizes: &Sizes) -> bool {
        self.last(analysis, sizes).saturating_add_unsigned(self.access.bytes) <= self.extent
    }
}

/// How far a size leads in an array, in bytes, and how far each iteration of its loop.
struct Reach {
    atom: AtomId,
    reach: i64,
    step: i64,
}

/// The size that is most to blame for iterations behind an array's end.
fn farthest(reaches: &[Reach]) -> Option<AtomId> {
    let runs_over_rows = |own: &&Reach| {
        let rows = reaches.iter().map(|other| other.step).filter(|&step| own.step > 0 && step > own.step);
        rows.min().is_some_and(|row| own.reach >= row)
    };
    let inner = reaches.iter().filter(runs_over_rows).min_by_key(|reach| reach.step);
    // Where none leads on, as where one size is both a row's length and its use, any may.
    inner.or_else(|| reaches.iter().max_by_key(|reach| reach.reach)).map(|reach| reach.atom)
}

/// The accesses of a nest by groups whose sectors are counted together.
fn counted_together(accesses: &[NestAccess]) -> Vec<Vec<&NestAccess>> {
    let mut together: Vec<Vec<&NestAccess>> = Vec::new();
    let mut known: FxHashMap<usize, usize> = FxHashMap::default();
    for access in accesses {
        let at = *known.entry(access.made_with).or_insert(together.len());
        match together.get_mut(at) {
            Some(others) => others.push(access),
            None => together.push(vec![access]),
        }
    }
    together
}

/// How many updates wait for others of the same place: in each sector, those of the place that has most. Places are in order.
fn waiting(places: &[i64], sector: u64) -> usize {
    let sector = sector as i64;
    let of_sector = places.chunk_by(|a, b| a.div_euclid(sector) == b.div_euclid(sector));
    let waits = |places: &[i64]| places.chunk_by(|a, b| a == b).map(|same| same.len() - 1).max().unwrap_or(0);
    of_sector.map(waits).sum()
}
