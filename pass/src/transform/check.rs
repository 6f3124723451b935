//! Translation validation of an edit: the changed code is analysed like any other, and its addresses must be those of the original at random points
//! (Pnueli, Siegel, Singerman, "Translation Validation", TACAS 1998, validates each run of a compiler so).
//! A kernel starts the device's runtime once.

use super::arguments::Arguments;
use super::profit::Candidate;
use super::sum;
use crate::analysis::dependences::{NestAccess, Outline, outline};
use crate::analysis::lower::{EXTENT, TEAMS};
use crate::analysis::names::Names;
use crate::analysis::region::{self, Analysis, Setting};
use crate::common::reject::RejectLog;
use crate::openmp::flatten::{Flat, flatten};
use crate::openmp::outline::TargetRegion;
use crate::openmp::{self, Sharing};
use ipda_llvm::Value;
use ipda_models::report::Reason;
use ipda_symbolic::{Atom, AtomId, Coeff, Given, LoopId, NestLoop, Part, Polynomial, TripCount};
use rustc_hash::{FxHashMap, FxHashSet};

/// Points that are drawn, at how many of which it is looked where all loops run there, and at how many at least.
const DRAWN: u64 = 256;
const POINTS: usize = 16;
const MIN_POINTS: usize = 6;

/// Draws, at most, of points for accesses that run at none of these.
const DRAWN_FOR_CONDITIONS: u64 = 64;

/// Iterations of a loop at a point, at most: sizes are small there, so that one of more has an end before its beginning and a count that wraps around, for
/// which guards choose the loops as written.
const LONGEST: i64 = 1 << 31;

/// The addresses of a nest's accesses at random points, computed from the code as written.
pub(super) struct Expected {
    points: Vec<Point>,
    accesses: Vec<Place>,
}

/// An access, and where it is at each point, as far as that is known: a residue modulo `2^64`.
struct Place {
    /// Whether it only reads.
    reads: bool,
    /// Whether nothing in an iteration of the fused loops needs what it reads: no more than how often these run, if that.
    may_vanish: bool,
    /// The kernel's parameter that it leads from, where it is one.
    object: Option<usize>,
    addresses: Vec<Option<u64>>,
    /// Whether it may run at each point: its address is what it is known to be only there.
    runs: Vec<bool>,
}

struct Point {
    seed: u64,
    /// The number of the fused thread, and the iterations of the loops inside.
    thread: i64,
    threads: i64,
    inside: Vec<i64>,
}

impl Expected {
    pub(super) fn of(
        analysis: &Analysis<'_>,
        accesses: &[NestAccess],
        candidate: &Candidate,
        arguments: &Arguments,
    ) -> Option<Expected> {
        let Candidate { mapping, nest, .. } = candidate;
        let fused: Vec<LoopId> = candidate.replaced().into_iter().map(|at| nest.loops[at].id).collect();
        let is_of_fused = |tests: &Vec<LoopId>| tests.iter().all(|id| fused.contains(id));
        let place = |access: &NestAccess| Place {
            reads: !access.writes,
            may_vanish: !access.writes && access.tests.as_ref().is_some_and(is_of_fused),
            object: object(access, arguments),
            addresses: Vec::new(),
            runs: Vec::new(),
        };
        let mut places: Vec<Place> = accesses.iter().map(place).collect();
        let mut points = Vec::new();
        'points: for seed in 0..DRAWN {
            let lacks_point = |place: &Place| !place.runs.contains(&true);
            let is_for_conditions = points.len() >= POINTS;
            if is_for_conditions && (seed >= DRAWN_FOR_CONDITIONS || !places.iter().any(lacks_point)) {
                break;
            }
            let values = Values { analysis, arguments, seed };
            let mut numbers: FxHashMap<LoopId, i64> = FxHashMap::default();
            let (mut thread, mut threads) = (0i64, 1i64);
            let mut trips_of: FxHashMap<usize, i64> = FxHashMap::default();
            let others = candidate.replaced().into_iter().filter(|at| !mapping.fused().any(|of| of == *at));
            for (place, at) in mapping.fused().chain(others).enumerate() {
                let trips = values.of(candidate.trips(at)?, &numbers)?.to_i64()?;
                if !(1..=LONGEST).contains(&trips) {
                    continue 'points;
                }
                // What conditions tell apart are mostly the first and the last iterations.
                let number = match mix(seed, 4000 + place as u64) % 6 {
                    0 => 0,
                    1 => trips - 1,
                    _ => (mix(seed, 1000 + place as u64) % trips as u64) as i64,
                };
                numbers.insert(nest.loops[at].id, number);
                trips_of.insert(at, trips);
            }
            let digits = numbers.clone();
            for (of, on) in candidate.moved() {
                let number = digits[&nest.loops[of].id] - numbers[&nest.loops[on].id];
                if number < 0 {
                    continue 'points;
                }
                numbers.insert(nest.loops[of].id, number);
            }
            let trips: Vec<u64> =
                (0..nest.loops.len()).map(|at| trips_of.get(&at).map_or(1, |trips| *trips as u64)).collect();
            let known = mapping.numbers(&trips, |given| values.launched(given))?;
            let digit = |part: &Part, (size, count): (u64, u64)| {
                Some((
                    digits[&nest.loops[part.of].id] / i64::try_from(size).ok()? % i64::try_from(count).ok()?,
                    count as i64,
                ))
            };
            for (part, &known) in mapping.threads().iter().zip(&known) {
                let (digit, count) = digit(part, known)?;
                let Some(all) = threads.checked_mul(count) else { continue 'points };
                thread = thread * count + digit;
                threads = all;
            }
            let own = candidate.own_digits();
            let known = &known[mapping.threads().len()..];
            let mut inside = own
                .iter()
                .zip(known)
                .map(|(part, known)| Some(digit(part, *known)?.0))
                .collect::<Option<Vec<i64>>>()?;
            for (at, part) in mapping.inside().iter().enumerate().skip(own.len()) {
                let number = (mix(seed, 2000 + (at - own.len()) as u64) % 7) as i64;
                numbers.insert(nest.loops[part.of].id, number);
                inside.push(number);
            }
            let may_run = |access: &NestAccess| {
                let is_false = |fact: &Polynomial| values.of(fact, &numbers).is_some_and(|fact| fact.is_negative());
                !access.conditions.iter().any(is_false)
            };
            if is_for_conditions
                && !places.iter().zip(accesses).any(|(place, access)| lacks_point(place) && may_run(access))
            {
                continue;
            }
            for (place, access) in places.iter_mut().zip(accesses) {
                place.addresses.push(values.residue(&access.address, &numbers));
                place.runs.push(may_run(access));
            }
            points.push(Point { seed, thread, threads, inside });
        }
        // Of what seems to run nowhere too little is known.
        for place in places.iter_mut().filter(|place| !place.runs.contains(&true)) {
            place.runs.fill(true);
        }
        (points.len() >= MIN_POINTS).then_some(Expected { points, accesses: places })
    }

    /// How many loops the changed code has at least in each other.
    pub(super) fn depth(&self) -> usize {
        1 + self.points.first().map_or(0, |point| point.inside.len())
    }

    /// Whether changed code has the same accesses at the same places; else what differs. `before` are the addresses of what it reads on the way to
    /// the loop.
    pub(super) fn differs(
        &self,
        analysis: &Analysis<'_>,
        loops: &[NestLoop],
        (accesses, before): (&[NestAccess], &[Polynomial]),
        arguments: &Arguments,
        objects: &mut Objects,
    ) -> Option<String> {
        let (TripCount::Exactly(trips) | TripCount::Modulo(trips)) = &loops[0].trips else {
            return Some("the fused loop has no count".into());
        };
        let at_points = |address: &Polynomial| {
            let at = |point: &Point| {
                let ids = loops.iter().map(|entry| entry.id);
                let numbers = std::iter::once(&point.thread).chain(&point.inside).copied();
                Values { analysis, arguments, seed: point.seed }.residue(address, &ids.zip(numbers).collect())
            };
            self.points.iter().map(at).collect()
        };
        // A count of so many bits is one of no more threads: the guard sees to that.
        let bits = match &loops[0].trips {
            TripCount::Modulo(_) => bits_of_number(analysis, loops[0].id),
            _ => None,
        };
        let is_count = |found: &Coeff, threads: i64| {
            let less = found - &Coeff::from(threads);
            bits.map_or(less.is_zero(), |bits| less.rem_euclid(&Coeff::pow2(bits)).is_some_and(|rest| rest.is_zero()))
        };
        for point in &self.points {
            let found = Values { analysis, arguments, seed: point.seed }.of(trips, &FxHashMap::default());
            if !found.as_ref().is_some_and(|found| is_count(found, point.threads)) {
                let found = found.map_or_else(|| "an unknown number of".into(), |found| found.to_string());
                return Some(format!("the fused loop would run {found} times for {} threads", point.threads));
            }
        }
        let place = |access: &NestAccess| Place {
            reads: !access.writes,
            may_vanish: false,
            object: object(access, arguments),
            addresses: at_points(&access.address),
            runs: vec![true; self.points.len()],
        };
        let found: Vec<Place> = accesses.iter().map(place).collect();
        self.note_objects(accesses, &found, objects);
        let before: Vec<Vec<Option<u64>>> = before.iter().map(at_points).collect();
        let problem = |order: &[usize]| {
            let found: Vec<&Place> = order.iter().map(|&at| &found[at]).collect();
            if found.len() == self.accesses.len() {
                let at = (self.accesses.iter().zip(&found)).position(|(expected, found)| !expected.is_at(found))?;
                let place = analysis.text(&accesses[order[at]].address);
                return Some(format!("the access at {place} could not be followed into it"));
            }
            let is_same = are_what_is_left_of(&self.accesses, &found, &before);
            (!is_same).then(|| format!("it would have {} accesses instead of {}", found.len(), self.accesses.len()))
        };
        let as_found: Vec<usize> = (0..found.len()).collect();
        let problem_as_found = problem(&as_found)?;
        // Where a condition is turned around, what is done on its two ways changes places.
        let block = |at: usize| analysis.cfg.id(accesses[at].instruction.block());
        let may_follow = |first: usize, second: usize| {
            block(first).zip(block(second)).is_none_or(|(first, second)| analysis.cfg.leads_to(first, second))
        };
        let as_expected = in_order(&self.accesses, &found, may_follow);
        problem(&as_expected).is_some().then_some(problem_as_found)
    }

    /// Notes where numbered accesses lead: only from where one of the code as written leads, at the same places, as its footprint is the one that
    /// guards compare.
    fn note_objects(&self, accesses: &[NestAccess], found: &[Place], objects: &mut Objects) {
        for (access, place) in accesses.iter().zip(found) {
            let Some(number) = access.instruction.number() else { continue };
            let is_known = place.addresses.iter().all(Option::is_some);
            let is_it = |written: &&Place| {
                written.object == place.object && written.reads == place.reads && written.is_known_at(&place.addresses)
            };
            let param = self.accesses.iter().find(is_it).filter(|_| is_known).and_then(|written| written.object);
            let known = objects.entry(number).or_insert(param);
            if *known != param {
                *known = None;
            }
        }
    }
}

/// The width of the number of a loop that threads share.
fn bits_of_number(analysis: &Analysis<'_>, of: LoopId) -> Option<u32> {
    let shared = analysis.nest.shared.iter().find(|shared| analysis.lowering.loop_id(shared.index) == of);
    shared.and_then(|shared| shared.phi.ty().int_bits())
}

/// The parameter whose object an access is in.
fn object(access: &NestAccess, arguments: &Arguments) -> Option<usize> {
    let given = access.object.and_then(|object| arguments.given(object)).filter(|given| given.is_pointer);
    given.map(|given| given.param)
}

impl Place {
    /// Whether it is where it is expected, as far as that is known.
    fn is_at(&self, found: &Place) -> bool {
        let agrees = |(expected, found): (&Option<u64>, &Option<u64>)| expected.is_none() || expected == found;
        self.reads == found.reads && self.where_it_runs(&found.addresses).all(agrees)
    }

    /// Whether it is known to be at these addresses, at all points at which it may run.
    fn is_known_at(&self, addresses: &[Option<u64>]) -> bool {
        self.where_it_runs(addresses).all(|(expected, found)| expected.is_some() && expected == found)
    }

    /// Whether all is known of where it is.
    fn is_known(&self) -> bool {
        self.where_it_runs(&self.addresses).all(|(address, _)| address.is_some())
    }

    /// Its addresses with others, at the points at which it may run.
    fn where_it_runs<'a>(
        &'a self,
        others: &'a [Option<u64>],
    ) -> impl Iterator<Item = (&'a Option<u64>, &'a Option<u64>)> {
        self.addresses.iter().zip(others).zip(&self.runs).filter(|(_, runs)| **runs).map(|(both, _)| both)
    }
}

/// What was found, as near to the order of what is expected as can be: of two accesses of which the second may follow the first, none changes places.
fn in_order(expected: &[Place], found: &[Place], may_follow: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut order = Vec::new();
    let mut left: Vec<usize> = (0..found.len()).collect();
    for place in expected {
        let is_next = |&at: &usize| {
            place.is_at(&found[left[at]]) && left[..at].iter().all(|&before| !may_follow(before, left[at]))
        };
        if let Some(at) = (0..left.len()).find(is_next) {
            order.push(left.remove(at));
        }
    }
    order.extend(left);
    order
}

/// Whether what was found are the expected accesses in their order, without reads that changed code need not have: of which nothing needs what they
/// read, or behind another read of the same place, `before` the loop or in it. The compiler makes one of them.
fn are_what_is_left_of(expected: &[Place], found: &[&Place], before: &[Vec<Option<u64>>]) -> bool {
    let Some(missing) = expected.len().checked_sub(found.len()) else { return false };
    let is_before: FxHashSet<&[Option<u64>]> = before.iter().map(Vec::as_slice).collect();
    let mut first: FxHashMap<&[Option<u64>], usize> = FxHashMap::default();
    for (at, place) in found.iter().enumerate().filter(|(_, place)| place.reads) {
        first.entry(&place.addresses).or_insert(at);
    }
    // Whether the first so many, less a number that are missing, are those that were found so far, by that number.
    let mut is_reached = vec![false; missing + 1];
    is_reached[0] = true;
    for (number, place) in expected.iter().enumerate() {
        let is_known = place.is_known();
        // Elsewhere than where it runs, its address may be another.
        let (read_at, is_before) = match place.runs.contains(&false) {
            false => (first.get(&place.addresses[..]).copied(), is_before.contains(&place.addresses[..])),
            true => (
                found.iter().position(|found| found.reads && place.is_known_at(&found.addresses)),
                before.iter().any(|addresses| place.is_known_at(addresses)),
            ),
        };
        let may_miss = |found: usize| {
            let is_read_before = is_known && (is_before || read_at.is_some_and(|at| at < found));
            place.reads && (place.may_vanish || is_read_before)
        };
        for less in (0..=missing).rev() {
            let is_it = |at: usize| found.get(at).is_some_and(|found| place.is_at(found));
            let with = is_reached[less] && number.checked_sub(less).is_some_and(is_it);
            // One more is missing behind as many of those found.
            let without = |less: usize| is_reached[less] && number.checked_sub(less).is_some_and(may_miss);
            is_reached[less] = with || less.checked_sub(1).is_some_and(without);
        }
    }
    is_reached[missing]
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
            Atom::Symbol(symbol) => {
                let given = self.arguments.given(atom).map(|given| self.argument(given));
                given.or_else(|| self.register(&symbol.name))
            }
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

    fn residue(&self, value: &Polynomial, numbers: &FxHashMap<LoopId, i64>) -> Option<u64> {
        self.of(value, numbers)?.rem_euclid(&Coeff::pow2(64))?.to_u64()
    }

    /// A number of teams or threads.
    fn launched(&self, given: Given) -> u64 {
        let number = |which: u64| mix(self.seed, 3000 + which) % 5 + 2;
        match given {
            Given::Gang(axis) => number(axis.into()),
            Given::Worker(axis) => number(10 + u64::from(axis)),
            Given::Thread => self.launched(Given::Gang(0)) * self.launched(Given::Worker(0)),
            Given::Length(number) => number.into(),
        }
    }

    /// The same as the value of a register.
    fn register(&self, name: &str) -> Option<Coeff> {
        let is_it = |(_, names): &(Given, [&str; 3])| names[0] == name;
        let (given, _) = [(Given::Gang(0), TEAMS), (Given::Worker(0), EXTENT)].into_iter().find(is_it)?;
        Some(Coeff::from(self.launched(given) as i64))
    }

    fn argument(&self, given: sum::Given) -> Coeff {
        let number = mix(self.seed, given.param as u64 * 67);
        match given.is_pointer {
            true => Coeff::from((number % (1 << 40)) as i64 & !15),
            false => Coeff::from((number % 60 + 3) as i64),
        }
    }
}

/// The kernel's parameter that each access with a number leads from, where that is one.
pub(super) type Objects = FxHashMap<u64, Option<usize>>;

/// Why nothing can be said of the code that runs by its flattened code.
pub(super) fn obstacle(flat: &Flat) -> Option<Reason> {
    match &flat.code {
        Err(reason) => Some(reason.sentence().into()),
        // The code that runs has them: between its load and its store, another thread's store would be lost.
        Ok(copy) if copy.lacks_stores() => Some("it stores what it has loaded from the same place, unchanged".into()),
        Ok(_) => None,
    }
}

/// What an edited kernel does otherwise than expected of some of its shared loops, by their places in their order, of which there are so many: the
/// first that differs, by its number among those expected. Else where its numbered accesses lead.
pub(super) fn differs(
    setting: &Setting<'_>,
    region: &TargetRegion,
    expected: &[(usize, &Expected)],
    loops: usize,
) -> Result<Objects, (usize, String)> {
    let flat = flatten(setting.session, region, setting.trace);
    if let Some(reason) = obstacle(&flat) {
        return Err((0, reason.text));
    }
    let differs = |analysis: &mut Analysis<'_>, params: &[Value]| {
        let mut objects = Objects::default();
        let of_threads = analysis.nest.shared.iter().filter(|shared| shared.sharing == Sharing::Threads);
        let shared: Vec<usize> = of_threads.map(|shared| shared.index).collect();
        if shared.len() != loops {
            return Err((0, format!("threads would share {} loops instead of {loops}", shared.len())));
        }
        let problem = expected.iter().enumerate().find_map(|(number, (at, expected))| {
            let Outline { loops, accesses, before } = outline(analysis, shared[*at], expected.depth());
            let arguments = Arguments::of(analysis, params);
            expected
                .differs(analysis, &loops, (&accesses, &before), &arguments, &mut objects)
                .map(|problem| (number, problem))
        });
        problem.map_or(Ok(objects), Err)
    };
    let Flat { code, mut log } = flat;
    let Ok(copy) = code else { return Err((0, "its code is not found".into())) };
    let params = copy.function().params();
    let look = |is_deaf_to_facts: bool, log: &mut RejectLog| {
        let given = region::Given { names: Names::read(&copy), lengths: &[] };
        region::analysed(setting, region, &copy, given, log, |analysis| {
            analysis.lowering.is_deaf_to_facts = is_deaf_to_facts;
            analysis.loops(&mut region::empty_region(setting, region));
            differs(analysis, &params)
        })
    };
    // At points, what facts simplify is the same number. Only what cannot be computed without them, as some counts, asks for them.
    let mut found = look(true, &mut log);
    if matches!(found, Some(Err(_))) {
        found = look(false, &mut log);
    }
    if let Some(reject) = log.into_vec().into_iter().next() {
        return Err((0, Reason::from(reject).text));
    }
    found.unwrap_or_else(|| Err((0, "its loops are entangled".into())))
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
        // The runtime's own functions are large, and start nothing.
        if function.with_name(openmp::is_runtime_name) {
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

#[cfg(test)]
mod tests {
    use super::{Place, are_what_is_left_of, in_order};

    fn read(address: u64) -> Place {
        Place {
            reads: true,
            may_vanish: false,
            object: None,
            addresses: vec![Some(address), Some(2 * address)],
            runs: vec![true, true],
        }
    }

    fn write(address: u64) -> Place {
        Place { reads: false, ..read(address) }
    }

    fn unneeded(address: u64) -> Place {
        Place { may_vanish: true, ..read(address) }
    }

    fn unknown_read() -> Place {
        Place { addresses: vec![None, None], ..unneeded(0) }
    }

    fn unknown_write() -> Place {
        Place { addresses: vec![None, None], ..write(0) }
    }

    fn is_left(expected: &[Place], found: &[Place], before: &[u64]) -> bool {
        let before: Vec<_> = before.iter().map(|&address| read(address).addresses).collect();
        are_what_is_left_of(expected, &found.iter().collect::<Vec<_>>(), &before)
    }

    #[test]
    fn reads_that_the_compiler_merged_or_that_nothing_needs_may_be_missing() {
        assert!(is_left(&[read(1), read(2), read(1), write(3)], &[read(1), read(2), write(3)], &[]));
        assert!(is_left(&[unneeded(1), read(2), write(3)], &[read(2), write(3)], &[]));
        assert!(is_left(&[read(1), read(2), write(3)], &[read(2), write(3)], &[1]));
        // One that might be any of those found is none of them.
        assert!(is_left(&[unknown_read(), read(2), write(3)], &[read(2), write(3)], &[]));
        assert!(is_left(&[unneeded(1), unneeded(2), read(1), write(3)], &[unneeded(1), write(3)], &[]));
    }

    #[test]
    fn nothing_else_may_be_missing() {
        // A read that is needed, also where another one comes behind it; a write; what is elsewhere at one point.
        assert!(!is_left(&[read(1), write(3)], &[write(3)], &[]));
        assert!(!is_left(&[read(1), read(2), write(3), read(1)], &[read(2), write(3), read(1)], &[]));
        assert!(!is_left(&[read(1), write(3), write(3)], &[read(1), write(3)], &[3]));
        assert!(!is_left(&[unneeded(1), unknown_write(), write(3)], &[write(3)], &[]));
        let elsewhere = Place { addresses: vec![Some(1), Some(3)], ..read(1) };
        assert!(!is_left(&[read(1), read(1)], &[elsewhere], &[]));
        let elsewhere = Place { addresses: vec![Some(3), Some(7)], ..write(3) };
        assert!(!is_left(&[unneeded(1), write(3)], &[elsewhere], &[]));
    }

    #[test]
    fn only_what_is_on_different_ways_changes_places() {
        let expected = [read(1), read(2), write(3)];
        let found = [read(2), read(1), write(3)];
        assert_eq!(in_order(&expected, &found, |_, second| second == 2), [1, 0, 2]);
        assert_eq!(in_order(&expected, &found, |_, _| true), [0, 1, 2]);
        // What is expected nowhere stays behind what precedes it.
        assert_eq!(in_order(&expected, &[read(4), read(2), write(3)], |_, second| second == 2), [1, 0, 2]);
    }

    #[test]
    fn nothing_may_be_added_or_change_places() {
        assert!(!is_left(&[read(1)], &[read(1), read(1)], &[]));
        assert!(!is_left(&[unneeded(1), write(2), write(3)], &[write(3), write(2)], &[]));
        assert!(!is_left(&[unneeded(1), read(2), write(2)], &[write(2), read(2)], &[]));
    }
}
