//! Which level of the memory gives what, and how long a warp waits for it.
//!
//! Reuse is found as in [`crate::reuse`]. Data that several warps of a team, or several teams, touch in the same iteration is reused
//! too, with what the body touches as working set. Working sets are those of all accesses that share the cache: in L1 the teams
//! of one multiprocessor that run at a time, in L2 those of all. Teams that run at a time may touch the same, as those do that are beside each other on
//! a row: what they touch together is counted for as many neighbours as there are.
//!
//! A kernel finds in L2 what lies there from before: what was just copied to the device, or what the launch before has used. Both go through
//! it. Data that is gone through in the same order again is not found where it does not fit, and L2s of two partitions keep what both use twice
//! (NVIDIA A100 Tensor Core GPU Architecture, 2020, L2 cache): all is found up to half of L2's capacity, and nothing from the whole of it on. Where a profiler
//! empties it before the kernel, loads find nothing there; what is stored stays there as before.
//!
//! Accesses of a thread that are under way together, as those of an unrolled loop, find each other's sectors whatever else a cache holds: a line that is
//! on its way stays. What lies between two such turns is what all warps touch in one.
//!
//! All numbers but cycles are of one warp and one iteration of the parallel loop, in sectors.

use super::access::{Access, ApartBy, Touched};
use super::parameters::Parameters;
use super::spread::Spread;
use crate::form::{Num, Truth};
use crate::gpu::AccessKind;
use crate::reuse::{Carried, fetched, kept};

/// What moves, and how long a warp waits for it.
pub(crate) struct Traffic {
    /// What a warp asks L1 for.
    pub(crate) asked: Num,
    /// What goes between L1 and L2.
    pub(crate) from_l2: Num,
    /// What goes between L2 and memory.
    pub(crate) from_memory: Num,
    /// Cycles that a warp waits.
    pub(crate) wait: Num,
    /// Of these, the ones for which the memory serves it: what a load takes longer that goes there than one that L2 answers.
    pub(crate) served: Num,
    /// Whether loops bring loads again that a warp has waited for.
    pub(crate) is_repeated: Truth,
}

impl Traffic {
    /// `parallelism` loads of a thread are under way together.
    pub(crate) fn of(
        parameters: &Parameters,
        accesses: &[Access],
        spread: &Spread,
        shared_memory: u64,
        parallelism: Num,
    ) -> Traffic {
        let traffic = Caches::of(parameters, accesses, spread, shared_memory).traffic(accesses, parallelism);
        // Of nothing, nobody waits.
        let is_nothing = spread.warp_iterations == Num::ZERO;
        if is_nothing { Traffic { wait: Num::ZERO, served: Num::ZERO, ..traffic } } else { traffic }
    }
}

/// A cache and what lies in it.
struct Cache {
    /// Sectors.
    capacity: Num,
    /// What is touched while the loops outside of a depth stand still, by depth: the whole nest first, the innermost body last.
    sets: Vec<Num>,
}

impl Cache {
    /// What is fetched into it of `requested`, by accesses in so many loops. `touched` says what is fetched if the reuse is found that the
    /// loop at a depth carries, and all reuse further inside; `in_all` if all of it is that the parallel loop's iterations have.
    fn fetched(&self, requested: Num, loops: usize, touched: impl Fn(usize) -> Num, in_all: Option<Num>) -> Num {
        // Between threads in the body, then along each loop: between two iterations lies what one of them touches.
        let inside = (0..=loops).rev().map(|depth| (self.sets[(depth + 1).min(loops)], touched(depth)));
        let reuse = inside.chain(in_all.map(|fetched| (self.sets[0], fetched)));
        fetched(requested, reuse.map(|(working, fetched)| Carried { working, fetched }), self.capacity)
    }

    /// Which of the places that a search comes to are not there: each place is one of twice as many as the one before, of all sectors at last. Those are kept
    /// that most searches come to, in half of the cache, as what the others fetch passes through it.
    fn share_of_probes(&self, access: &Access) -> Num {
        let Some(probes) = access.probes else { return Num::ONE };
        let beyond = (access.total / self.capacity.max(1.0)).log2() + 1.0;
        (beyond / probes.max(1.0)).min(1.0)
    }
}

/// The caches of a device, for a kernel.
struct Caches<'a> {
    parameters: &'a Parameters,
    l1: Cache,
    l2: Cache,
    /// Teams that share the L2, and their threads.
    teams: Num,
    threads: Num,
    /// Accesses that fetch data which no other has.
    streams: f64,
    /// What these fetch in the whole kernel.
    all: Num,
    /// A warp's part of what its team touches, of what those teams touch, and of what the kernel touches.
    of_team: Num,
    of_teams: Num,
    of_kernel: Num,
    /// The part of what L2 does not get from the kernel's own accesses that does not lie there from before either.
    new_to_l2: Num,
    /// Cycles of a load that goes to memory.
    memory_latency: Num,
}

impl Caches<'_> {
    fn of<'a>(parameters: &'a Parameters, accesses: &[Access], spread: &Spread, shared_memory: u64) -> Caches<'a> {
        let taken = spread.teams_at_a_time * (parameters.l1.taken_by_shared * shared_memory);
        let deepest = accesses.iter().map(Access::depth).max().unwrap_or(0);
        let cache = |bytes: Num, teams: Num| {
            // Whole lines (NVIDIA, Nsight Compute Kernel Profiling Guide: a line of L1 and L2 is four sectors with one tag).
            let own = |access: &Access, depth: usize| {
                let touched = access.touched(depth);
                let all = shared_by(touched, teams);
                let other = access.same.and_then(|other| accesses.get(other));
                // Rows above and below are those of the threads around, but for as far as they are apart.
                let new = match (other, access.apart) {
                    (Some(other), _) => (all - shared_by(other.touched(depth.min(access.depth())), teams)).max(0.0),
                    (None, Some(apart)) => all.min(apart.sectors),
                    (None, None) => all,
                };
                new * touched.spread
            };
            let set = |depth: usize| accesses.iter().map(|access| own(access, depth)).sum();
            Cache { capacity: bytes / parameters.sector, sets: (0..=deepest).map(set).collect() }
        };
        let of_teams = 1.0 / (spread.all_at_a_time * spread.warps_of_team);
        let iterations = match spread.warp_iterations.known() {
            Some(some) if some > 0.0 => spread.warp_iterations,
            _ => spread.warp_iterations.max(1.0),
        };
        let own: Num = accesses.iter().filter(|access| access.apart.is_none()).map(|access| access.total).sum();
        Caches {
            parameters,
            new_to_l2: new_to_l2(own * parameters.sector, parameters.l2.capacity),
            l1: cache((parameters.l1.capacity - taken).max(0.0), spread.teams_at_a_time),
            l2: cache(parameters.l2.capacity, spread.all_at_a_time),
            teams: spread.all_at_a_time,
            threads: spread.all_at_a_time * spread.warps_of_team * parameters.lanes,
            all: own,
            streams: accesses.iter().filter(|access| access.apart.is_none()).count() as f64,
            of_team: of_teams * spread.all_at_a_time,
            of_teams,
            of_kernel: 1.0 / iterations,
            memory_latency: parameters.memory.latency + beyond_tlb(parameters, accesses),
        }
    }

    /// What the accesses move; what caches keep is found for all of them together. Stores and atomic updates go to the L2.
    fn traffic(&self, all: &[Access], parallelism: Num) -> Traffic {
        let of = |kinds: &[AccessKind]| all.iter().filter(|access| kinds.contains(&access.kind)).collect::<Vec<_>>();
        let (loads, stores) = (of(&[AccessKind::Load]), of(&[AccessKind::Store]));
        let waited_for = of(&[AccessKind::Load, AccessKind::Atomic]);
        let (loaded, stored, updated) = (asked(&loads), asked(&stores), asked(&of(&[AccessKind::Atomic])));
        let anew = |accesses: &[&Access]| sum(accesses, Access::asked_anew);
        let anew_to = |cache: &Cache| sum(&loads, |access| access.asked_anew() * cache.share_of_probes(access));
        let waited_for_in_l2 = self.l1_takes(&loads, anew_to(&self.l1), self.of_team, |touched| touched.team) + updated;
        let new_to_loads = if self.parameters.l2.is_emptied { Num::ONE } else { self.new_to_l2 };
        // What searches find in L2 is more than they find in L1.
        let searches: Vec<&Access> = loads.iter().copied().filter(|access| access.probes.is_some()).collect();
        let found_in_l2 = |weight: &dyn Fn(&Access) -> Num| {
            sum(&searches, |access| {
                let [in_l1, in_l2] = [&self.l1, &self.l2].map(|cache| cache.share_of_probes(access));
                weight(access) * (in_l1 - in_l2)
            })
        };
        let less_found = |asked: Num, weight: &dyn Fn(&Access) -> Num| {
            if searches.is_empty() { asked } else { (asked - found_in_l2(weight)).max(0.0) }
        };
        let asked_of_l2 = less_found(waited_for_in_l2, &Access::asked_anew);
        let waited_for_in_memory = self.l2_takes(&waited_for, asked_of_l2, |_| Num::ONE) * new_to_loads;
        // What is updated has come from memory, and goes back as what is stored does.
        let changed = of(&[AccessKind::Store, AccessKind::Atomic]);
        let stored_in_memory = self.l2_takes(&changed, anew(&changed), |_| Num::ONE) * self.new_to_l2;

        let executions = sum(&waited_for, |access| access.executions() * access.references);
        let of_one_turn: f64 = waited_for.iter().map(|access| access.turn * access.references).sum();
        let of_thread = |access: &Access| access.executions() * (access.departures * access.references);
        let alone = sum(&loads, |access| of_thread(access) * self.l1.share_of_probes(access));
        let behind_l1 = (self.l1_takes(&loads, alone, Num::ONE, |touched| touched.waits) + updated).min(executions);
        let waits_for_sector = |access: &Access| access.departures * (1.0 / access.sectors);
        // Nobody knows whose sectors come from memory, and each has its own waits for them.
        let asked_of_l2 = less_found(behind_l1, &of_thread);
        let behind_l2 = self.l2_takes(&waited_for, asked_of_l2, waits_for_sector) * new_to_loads;
        let (l1, l2) = (&self.parameters.l1, &self.parameters.l2);
        let requested = loaded + updated;
        // The sectors of one access come one after another, and so do accesses that are under way together.
        let departures = (requested - executions).max(0.0) * (self.parameters.sector / l1.throughput);
        // Loads that are under way together take as long as the slowest of them.
        let together = executions / parallelism;
        let served = behind_l2.min(together) * (self.memory_latency - l2.latency);
        Traffic {
            is_repeated: Num::new(of_one_turn).less(executions),
            served,
            asked: requested + stored,
            from_l2: waited_for_in_l2 + stored,
            from_memory: waited_for_in_memory + stored_in_memory,
            wait: together * l1.latency + behind_l1.min(together) * (l2.latency - l1.latency) + served + departures,
        }
    }

    /// What all iterations fetch into L2 for an access: what another one has fetched is found, as far as what all of them touch meanwhile fits.
    fn in_all(&self, access: &Access) -> Num {
        let Some(apart) = access.apart else { return access.total };
        let known = match apart.by {
            ApartBy::List => access.total,
            _ => (access.total - apart.sectors).max(0.0),
        };
        access.total - self.found_of_another(access) * known
    }

    /// The share of an access's data that L2 has kept since another access touched it: threads that run at the same time go through their own loops side
    /// by side, and an iteration of such a loop finds what one before it has touched.
    fn found_of_another(&self, access: &Access) -> Num {
        let Some(apart) = access.apart else { return Num::ZERO };
        let sets = &self.l2.sets;
        let innermost = sets.len() - 1;
        let meanwhile = |set: Num| kept(set + apart.sectors * self.streams, self.l2.capacity);
        match apart.by {
            ApartBy::Any => meanwhile(sets[0]),
            // Where nobody goes further, all that is around is there, or on its way.
            ApartBy::List => kept((apart.sectors * self.streams).min(self.all), self.l2.capacity),
            ApartBy::Threads(threads) => {
                threads.at_most(self.threads).choose(meanwhile(sets[innermost]), meanwhile(sets[0]))
            }
            ApartBy::Iterations(depth, by) => {
                let turns = if depth + 1 < access.depth() { by } else { (by / access.turn).max(1.0) };
                kept(sets[(depth + 1).min(innermost)] * turns, self.l2.capacity)
            }
        }
    }

    /// What of the data that an access touches at a depth no other one has brought.
    fn new_at(&self, access: &Access, depth: usize) -> Num {
        match access.apart.map(|apart| apart.by) {
            Some(ApartBy::Threads(_) | ApartBy::List) => 1.0 - self.found_of_another(access),
            Some(ApartBy::Iterations(of, by)) if depth <= of => {
                let new = access.trips.get(of).map_or(Num::ZERO, |trips| (by / trips.max(1.0)).min(1.0));
                1.0 - self.found_of_another(access) * (1.0 - new)
            }
            _ => Num::ONE,
        }
    }

    /// What L1 takes from L2 of `requested`, for a warp; `of` says what is touched, and `part` which part of that is its own.
    fn l1_takes(&self, accesses: &[&Access], requested: Num, part: Num, of: impl Fn(Touched) -> Num) -> Num {
        let touched = |depth: usize| reached(accesses, depth, |access| of(access.touched(depth))) * part;
        self.l1.fetched(requested, deepest(accesses), touched, None)
    }

    /// What L2 takes from memory of `requested`, for a warp, each sector with the weight of its access, if it has nothing from before. Teams that do not run
    /// at the same time find each other's data only if what all of those touch fits.
    fn l2_takes(&self, accesses: &[&Access], requested: Num, weight: impl Fn(&Access) -> Num) -> Num {
        let together = |access: &Access, depth: usize| {
            shared_by(access.touched(depth), self.teams) * weight(access) * self.new_at(access, depth)
        };
        let touched = |depth: usize| reached(accesses, depth, |access| together(access, depth)) * self.of_teams;
        let in_all = sum(accesses, |access| self.in_all(access) * weight(access)) * self.of_kernel;
        self.l2.fetched(requested, deepest(accesses), touched, Some(in_all))
    }
}

/// The part of so many bytes that does not lie in L2 from before.
fn new_to_l2(bytes: Num, capacity: Num) -> Num {
    (2.0 * (bytes / capacity.max(1.0)) - 1.0).max(0.0).min(1.0)
}

/// What that many teams touch.
fn shared_by(touched: Touched, teams: Num) -> Num {
    (touched.team * teams).min(touched.grid)
}

/// Cycles that loads which go to memory wait longer, since addresses are translated for more memory than the buffer covers.
fn beyond_tlb(parameters: &Parameters, accesses: &[Access]) -> Num {
    let Some(tlb) = &parameters.memory.tlb else { return Num::ZERO };
    let touched = accesses.iter().map(|access| access.total * parameters.sector).sum::<Num>();
    tlb.miss * (1.0 - tlb.reach / touched.max(tlb.reach))
}

fn sum(accesses: &[&Access], of: impl Fn(&Access) -> Num) -> Num {
    accesses.iter().map(|access| of(access)).sum()
}

fn asked(accesses: &[&Access]) -> Num {
    sum(accesses, Access::asked)
}

fn deepest(accesses: &[&Access]) -> usize {
    accesses.iter().map(|access| access.depth()).max().unwrap_or(0)
}

/// What is touched at a depth as often as that is reached.
fn reached(accesses: &[&Access], depth: usize, of: impl Fn(&Access) -> Num) -> Num {
    sum(accesses, |access| of(access) * access.before(depth))
}
