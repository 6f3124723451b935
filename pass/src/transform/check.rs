//! A second net under the edit: the changed code is analysed like any other, and its addresses must be those of the original at random points.
//! A kernel starts the device's runtime once.

use super::choose::obstacle;
use super::profit::Candidate;
use super::sum::{self, Arguments};
use crate::analysis::dependences::{NestAccess, outline};
use crate::analysis::names::Names;
use crate::analysis::region::{self, Analysis, Given, Setting};
use crate::openmp::Sharing;
use crate::openmp::flatten::{Flat, flatten};
use crate::openmp::outline::TargetRegion;
use ipda_llvm::Value;
use ipda_models::report::Reason;
use ipda_symbolic::{Atom, AtomId, Coeff, LoopId, NestLoop, Polynomial, TripCount};
use rustc_hash::{FxHashMap, FxHashSet};

/// Points that are drawn, at how many of which it is looked where all loops run there, and at how many at least.
const DRAWN: u64 = 256;
const POINTS: usize = 16;
const LEAST_POINTS: usize = 6;

/// The addresses of a nest's accesses at random points, computed from the code as written.
pub(super) struct Expected {
    points: Vec<Point>,
    /// Which of the accesses only read.
    reads: Vec<bool>,
}

struct Point {
    seed: u64,
    /// The number of the fused thread, and the iterations of the loops inside.
    thread: i64,
    threads: i64,
    inside: Vec<i64>,
    addresses: Vec<Option<Coeff>>,
}

impl Expected {
    pub(super) fn of(
        analysis: &Analysis<'_>,
        accesses: &[NestAccess],
        candidate: &Candidate,
        arguments: &Arguments,
    ) -> Option<Expected> {
        let Candidate { mapping, nest, .. } = candidate;
        let mut points = Vec::new();
        'points: for seed in 0..DRAWN {
            if points.len() == POINTS {
                break;
            }
            let values = Values { analysis, arguments, seed };
            let mut numbers: FxHashMap<LoopId, i64> = FxHashMap::default();
            let (mut thread, mut threads) = (0i64, 1i64);
            for (place, at) in mapping.fused().enumerate() {
                let trips = values.of(candidate.trips(at)?, &numbers)?.to_i64()?;
                let Some(all) = threads.checked_mul(trips).filter(|_| trips > 0) else { continue 'points };
                let number = (mix(seed, 1000 + place as u64) % trips as u64) as i64;
                thread = thread * trips + number;
                threads = all;
                numbers.insert(nest.loops[at].id, number);
            }
            let inside = (0..mapping.inside().len()).map(|at| (mix(seed, 2000 + at as u64) % 7) as i64);
            let inside: Vec<i64> = inside.collect();
            for (part, &number) in mapping.inside().iter().zip(&inside) {
                numbers.insert(nest.loops[part.of].id, number);
            }
            let addresses = accesses.iter().map(|access| values.of(&access.address, &numbers)).collect();
            points.push(Point { seed, thread, threads, inside, addresses });
        }
        let reads = accesses.iter().map(|access| !access.writes).collect();
        (points.len() >= LEAST_POINTS).then_some(Expected { points, reads })
    }

    /// How many loops the changed code has at least in each other.
    pub(super) fn depth(&self) -> usize {
        1 + self.points.first().map_or(0, |point| point.inside.len())
    }

    /// Which expected access is which of those that were found. Where fewer were found, the optimiser may have made one of several loads of a place; none
    /// where it is not seen which.
    fn pairs(&self, point: &Point, found: &[NestAccess], places: &[Option<Coeff>]) -> Option<Vec<(usize, usize)>> {
        let expected = &point.addresses;
        if found.len() == expected.len() {
            return Some((0..found.len()).map(|at| (at, at)).collect());
        }
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        let mut next = 0;
        for (at, address) in expected.iter().enumerate() {
            let is_it = next < found.len() && found[next].writes != self.reads[at] && agrees(address, &places[next]);
            let is_read_before =
                |&(_, before): &(usize, usize)| !found[before].writes && agrees(address, &places[before]);
            if is_it {
                pairs.push((at, next));
                next += 1;
            } else if !(self.reads[at] && address.is_some() && pairs.iter().any(is_read_before)) {
                return None;
            }
        }
        (next == found.len()).then_some(pairs)
    }

    /// Whether changed code has the same accesses at the same places; else what differs.
    pub(super) fn differs(
        &self,
        analysis: &Analysis<'_>,
        loops: &[NestLoop],
        accesses: &[NestAccess],
        arguments: &Arguments,
    ) -> Option<String> {
        let (TripCount::Exactly(trips) | TripCount::Modulo(trips)) = &loops[0].trips else {
            return Some("the fused loop has no count".into());
        };
        for point in &self.points {
            let values = Values { analysis, arguments, seed: point.seed };
            let found = values.of(trips, &FxHashMap::default());
            if found != Some(Coeff::from(point.threads)) {
                let found = found.map_or_else(|| "an unknown number of".into(), |found| found.to_string());
                return Some(format!("the fused loop would run {found} times for {} threads", point.threads));
            }
            let ids = loops.iter().map(|entry| entry.id);
            let numbers = std::iter::once(&point.thread).chain(&point.inside).copied();
            let numbers: FxHashMap<LoopId, i64> = ids.zip(numbers).collect();
            let found: Vec<_> = accesses.iter().map(|access| values.of(&access.address, &numbers)).collect();
            let Some(pairs) = self.pairs(point, accesses, &found) else {
                return Some(format!("it would have {} accesses instead of {}", accesses.len(), point.addresses.len()));
            };
            if let Some((_, at)) =
                pairs.into_iter().find(|&(expected, at)| !agrees(&point.addresses[expected], &found[at]))
            {
                let place = analysis.text(&accesses[at].address);
                return Some(format!("the access at {place} could not be followed into it"));
            }
        }
        None
    }
}

/// Whether an access is where it is expected, as far as that is known.
fn agrees(expected: &Option<Coeff>, found: &Option<Coeff>) -> bool {
    let is_same = |a: &Coeff, b: &Coeff| (a - b).rem_euclid(&Coeff::pow2(64)).is_some_and(|rest| rest.is_zero());
    match (expected, found) {
        (Some(expected), Some(found)) => is_same(expected, found),
        (None, _) => true,
        (Some(_), None) => false,
    }
}

struct Values<'a, 'b> {
    analysis: &'a Analysis<'b>,
    arguments: &'a Arguments,
    seed: u64,
}

impl Values<'_, '_> {
    fn of(&self, value: &Polynomial, numbers: &FxHashMap<LoopId, i64>) -> Option<Coeff> {
        let space = &self.analysis.lowering.space;
        let mut of = |atom: AtomId| match space.atom(atom) {
            Atom::Iteration(id) => Some(Coeff::from(numbers.get(id).copied().unwrap_or(3))),
            Atom::Symbol(_) => self.arguments.given(atom).map(|given| self.argument(given)),
            Atom::Load { address, .. } => {
                // Equal addresses hold equal values.
                let address = self.of(address, numbers)?;
                let low = address.rem_euclid(&Coeff::from(1i64 << 40))?.to_u64()?;
                Some(Coeff::from((mix(self.seed, low) % 1000) as i64))
            }
            _ => None,
        };
        space.eval(value, &mut of)
    }

    fn argument(&self, given: sum::Given) -> Coeff {
        let number = mix(self.seed, given.param as u64 * 67);
        match given.is_pointer {
            true => Coeff::from((number % (1 << 40)) as i64 & !15),
            false => Coeff::from((number % 60 + 3) as i64),
        }
    }
}

/// What an edited kernel does otherwise than expected of some of its shared loops, by their places in their order, of which there are so many: the
/// first that differs, by its number among those expected.
pub(super) fn differs(
    setting: &Setting<'_>,
    region: &TargetRegion,
    expected: &[(usize, &Expected)],
    loops: usize,
) -> Option<(usize, String)> {
    let flat = flatten(setting.session, region, setting.trace);
    if let Some(reason) = obstacle(&flat) {
        return Some((0, reason.text));
    }
    let differs = |analysis: &mut Analysis<'_>, params: &[Value]| {
        let of_threads = analysis.nest.shared.iter().filter(|shared| shared.sharing == Sharing::Threads);
        let shared: Vec<usize> = of_threads.map(|shared| shared.index).collect();
        if shared.len() != loops {
            return Some((0, format!("threads would share {} loops instead of {loops}", shared.len())));
        }
        expected.iter().enumerate().find_map(|(number, (at, expected))| {
            let (loops, accesses) = outline(analysis, shared[*at], expected.depth());
            let arguments = Arguments::of(analysis, params);
            expected.differs(analysis, &loops, &accesses, &arguments).map(|problem| (number, problem))
        })
    };
    let Flat { code, mut log } = flat;
    let copy = code.ok()?;
    let given = Given { names: Names::read(&copy), lengths: &[] };
    let params = copy.function().params();
    let found = region::analysed(setting, region, &copy, given, &mut log, |analysis| {
        analysis.loops(&mut region::empty_region(setting, region));
        differs(analysis, &params)
    });
    if let Some(reject) = log.into_vec().into_iter().next() {
        return Some((0, Reason::from(reject).text));
    }
    found.unwrap_or_else(|| Some((0, "its loops are entangled".into())))
}

/// Whether an instruction starts the device's runtime in a kernel.
pub(super) fn starts_runtime(instruction: Value) -> bool {
    instruction.calls(|name| name == "__kmpc_target_init")
}

/// What is wrong with a kernel that would lead to `next` where it leads to another function now: the runtime is started in one place. In
/// front of two, the compiler moves what they have in common, and the runtime is not ready there.
pub(super) fn starts_more_than_once(kernel: Value, now: Value, next: Value) -> Option<String> {
    let mut places = 0;
    let mut seen = FxHashSet::default();
    let mut left = vec![kernel];
    while let Some(function) = left.pop() {
        if !seen.insert(function) {
            continue;
        }
        for instruction in function.instructions() {
            places += usize::from(starts_runtime(instruction));
            // The runtime is given the functions that it calls.
            let named = instruction.operands().filter(|operand| operand.is_function());
            let led = named.map(|named| if function == kernel && named == now { next } else { named });
            left.extend(led);
        }
    }
    (places > 1).then(|| format!("the kernel would start the device's runtime in {places} places"))
}

/// SplitMix64 of two numbers.
fn mix(seed: u64, number: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number.wrapping_mul(0xbf58_476d_1ce4_e5b9));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
