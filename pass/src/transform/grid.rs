//! The threads of a nest by a mapping, on an example: which iterations the lanes of some warps run, and where their accesses go.

use super::own_digits::{own_digits, replaced};
use super::question::Question;
use super::sizes::Sizes;
use crate::analysis::dependences::{NestAccess, SharedNest};
use crate::analysis::region::Analysis;
use ipda_symbolic::{
    Atom, AtomId, Code, Coeff, Hull, Idle, Leaf, LoopId, Mapping, Monomial, Nest, Part, Polynomial, TripCount,
};
use rustc_hash::FxHashMap;

/// Warps that are looked at: the first one, and some further on, as parts of all.
const WARPS: [f64; 3] = [0.0, 0.37, 0.71];
/// More of them where lanes are idle, as in a triangle's empty half: they say how many are. Each loop's part of a warp moves on by the root of a
/// prime of its own, which spreads them evenly over all loops together (Kronecker's sequence).
const WARPS_OF_PART: u32 = 16;
/// All of them where there are no more.
const WARPS_OF_ALL: u32 = 64;
/// Iterations that are looked at of a thread that runs through several.
const TURNS: u32 = 16;
const PRIMES: [f64; 5] = [2.0, 3.0, 5.0, 7.0, 11.0];
/// Operations of code that take as long as a step of the analysis.
const OPERATIONS_OF_STEP: usize = 8;
/// Where pointers lead: apart, and to the beginning of a sector.
const PLACE: i64 = 1 << 40;

/// A nest with a mapping by which it could run.
pub(super) struct Candidate {
    pub mapping: Mapping,
    /// Its fused loops run as often as they do at most.
    pub nest: Nest,
    pub hulls: Vec<Hull>,
    /// How many of its loops are digits of the shared one's number.
    digits: usize,
}

impl Candidate {
    pub(super) fn new(analysis: &mut Analysis<'_>, nest: &SharedNest, mapping: Mapping) -> Candidate {
        let digits = nest.digits;
        let can_be_asked = |of: usize| of >= digits && Question::is_in(analysis.cfg, nest.in_cfg(of));
        let (nest, hulls) = nest.nest.hulls(&mut analysis.lowering.space, &mapping, can_be_asked);
        Candidate { mapping, nest, hulls, digits }
    }

    /// The same, but the idle numbers of loops that begin later in each iteration of another one come first, as in a triangle whose rows begin at the diagonal;
    /// none where there is no such loop.
    ///
    /// What stands before a loop is done by the thread that has its first number: nothing outside of such a loop may have an effect.
    pub(super) fn with_idle_first(&self, accesses: &[NestAccess]) -> Option<Candidate> {
        let is_whole = self.mapping.keeps_loops_whole() && self.own_digits().is_empty();
        let is_only = |of: usize| self.hulls.iter().filter(|hull| hull.of == of).count() == 1;
        let holds_all = |id: LoopId| accesses.iter().all(|access| !access.writes || access.loops.contains(&id));
        let mut hulls = self.hulls.clone();
        let mut moved: Vec<usize> = Vec::new();
        for hull in hulls.iter_mut().filter(|hull| is_whole && hull.of >= self.digits) {
            let falls = hull.falls_with().is_some_and(|on| !moved.contains(&on));
            if falls && is_only(hull.of) && holds_all(self.nest.loops[hull.of].id) {
                hull.idle = Idle::First;
                moved.push(hull.of);
            }
        }
        let Candidate { mapping, nest, digits, .. } = self;
        (!moved.is_empty()).then(|| Candidate { mapping: mapping.clone(), nest: nest.clone(), hulls, digits: *digits })
    }

    /// The loops whose own condition tells their idle numbers.
    pub(super) fn asked(&self) -> impl Iterator<Item = usize> {
        self.hulls.iter().filter(|hull| hull.idle == Idle::Asked).map(|hull| hull.of)
    }

    /// The loops whose idle numbers come first, each with the one that its count falls with, the outermost first.
    pub(super) fn moved(&self) -> impl Iterator<Item = (usize, usize)> {
        let moved = self.hulls.iter().filter(|hull| hull.idle == Idle::First);
        moved.filter_map(|hull| Some((hull.of, hull.falls_with()?)))
    }

    /// As [`own_digits`] of the mapping.
    pub(super) fn own_digits(&self) -> &[Part] {
        own_digits(&self.mapping, self.digits)
    }

    /// As [`replaced`] of the mapping.
    pub(super) fn replaced(&self) -> Vec<usize> {
        replaced(&self.mapping, self.digits)
    }

    pub(super) fn trips(&self, at: usize) -> Option<&Polynomial> {
        match &self.nest.loops[at].trips {
            TripCount::Exactly(trips) => Some(trips),
            _ => None,
        }
    }
}

/// Which warps are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sample {
    /// As few as it takes where all are much the same.
    Few,
    /// So many that they say how many lanes are idle, and all where there are no more.
    Spread,
}

/// The threads of a nest by a mapping.
pub(super) struct Grid<'a, 'b> {
    pub example: Example<'a, 'b>,
    candidate: &'a Candidate,
    /// How often the nest's loops run.
    trips: Vec<i64>,
    /// The size of each part of the mapping, and how many values it has, those of threads first.
    sizes: Vec<(i64, i64)>,
    /// The loops that run one iteration each.
    replaced: Vec<usize>,
    /// The bounds of its hulls in the first iterations of other loops.
    bounds: Vec<i64>,
    /// The iterations in the middle of these.
    pub middle: FxHashMap<LoopId, i64>,
    /// Of a warp.
    pub lanes: i64,
}

/// The iterations that the lanes of a warp run which are not idle: of each lane one number for each loop of the nest.
pub(super) struct Warp {
    numbers: Vec<i64>,
    loops: usize,
}

impl Warp {
    pub(super) fn is_idle(&self) -> bool {
        self.numbers.is_empty()
    }

    fn lanes(&self) -> impl ExactSizeIterator<Item = &[i64]> {
        self.numbers.chunks_exact(self.loops)
    }
}

impl<'a, 'b> Grid<'a, 'b> {
    pub(super) fn new(analysis: &'a Analysis<'b>, sizes: &'a Sizes, candidate: &'a Candidate) -> Grid<'a, 'b> {
        let example = Example { analysis, sizes };
        let mut middle: FxHashMap<LoopId, i64> = FxHashMap::default();
        let mut trips: Vec<i64> = Vec::new();
        for entry in &candidate.nest.loops {
            let count = match &entry.trips {
                TripCount::Exactly(trips) | TripCount::AtMost(trips) | TripCount::Modulo(trips) => {
                    example.count(trips, &middle)
                }
                TripCount::Unknown(_) => sizes.unknown,
            };
            trips.push(count);
            middle.insert(entry.id, count / 2);
        }
        let lanes = i64::from(analysis.setting.geometry.lanes);
        let numbers = candidate.mapping.numbers(&trips.iter().map(|&count| count as u64).collect::<Vec<_>>(), |_| 1);
        let numbers = numbers.unwrap_or_default();
        let sizes = numbers.into_iter().map(|(size, count)| (size as i64, count as i64)).collect();
        // They say how often loops run, and are no places; no loop of the nest changes them.
        let bounds = candidate.hulls.iter().map(|hull| example.times(&hull.base, &middle)).collect();
        Grid { example, candidate, trips, sizes, replaced: candidate.replaced(), bounds, middle, lanes }
    }

    /// The loops that run one iteration each, those that are fused first, the slowest first, and how often they run.
    pub(super) fn fused(&self) -> impl Iterator<Item = (usize, i64)> {
        let mapping = &self.candidate.mapping;
        let others = self.replaced.iter().copied().filter(|at| !mapping.fused().any(|of| of == *at));
        mapping.fused().chain(others).map(|of| (of, self.trips[of]))
    }

    /// The parts that make the number of a thread together, the slowest first, each with its size and how many values it has.
    fn parts(&self) -> impl DoubleEndedIterator<Item = (usize, i64, i64)> {
        let threads = self.candidate.mapping.threads().iter().zip(&self.sizes);
        threads.map(|(part, &(size, count))| (part.of, size, count))
    }

    /// The digits that a thread runs through by itself, likewise.
    fn own(&self) -> impl Iterator<Item = (usize, i64, i64)> {
        let sizes = self.sizes.iter().skip(self.candidate.mapping.threads().len());
        self.candidate.own_digits().iter().zip(sizes).map(|(part, &(size, count))| (part.of, size, count))
    }

    /// How many iterations of a loop a thread runs by itself.
    pub(super) fn own_of(&self, of: usize) -> i64 {
        self.own().filter(|(at, ..)| *at == of).map(|(.., count)| count).product()
    }

    /// Those that have iterations, as far as whole numbers say.
    pub(super) fn threads(&self) -> f64 {
        let of_loop = |(of, trips): (usize, i64)| ((trips - 1) / self.own_of(of).max(1) + 1) as f64;
        self.fused().map(of_loop).product()
    }

    /// Of threads, also where they have no iteration.
    pub(super) fn numbers(&self) -> f64 {
        self.parts().map(|(_, _, count)| count as f64).product()
    }

    pub(super) fn id(&self, of: usize) -> LoopId {
        self.candidate.nest.loops[of].id
    }

    pub(super) fn is_fused(&self, id: LoopId) -> bool {
        self.fused().any(|(of, _)| self.id(of) == id)
    }

    /// Some warps of so many.
    pub(super) fn warps(&self, all: f64, sample: Sample) -> Vec<Warp> {
        let parts: Vec<_> = self.parts().collect();
        let numbers: Vec<i64> = if sample == Sample::Few {
            WARPS.iter().map(|part| (all * part) as i64).collect()
        } else if self.candidate.hulls.is_empty() && all <= f64::from(WARPS_OF_ALL) {
            (0..all as i64).collect()
        } else {
            let by_parts = |step: u32| {
                let part = |prime: &f64| (prime.sqrt() * f64::from(step)).fract();
                let digits = PRIMES.iter().cycle().zip(&parts);
                let digits = digits.map(|(prime, &(_, _, count))| (count as f64 * part(prime), count));
                let thread = digits.fold(0.0, |number, (digit, count)| number * count as f64 + digit.floor());
                (thread / self.lanes as f64) as i64
            };
            (0..WARPS_OF_PART).map(by_parts).collect()
        };
        let fused: Vec<(usize, i64)> = self.fused().collect();
        let mut middle: Vec<i64> = self.candidate.nest.loops.iter().map(|entry| self.middle[&entry.id]).collect();
        fused.iter().for_each(|&(of, _)| middle[of] = 0);
        let warps = numbers.into_iter().enumerate().flat_map(|(at, number)| {
            let turns = self.turns(at as u32).into_iter();
            turns.map(move |turn| (number, turn))
        });
        let warp = |(number, turn): (i64, Vec<i64>)| {
            let mut others = middle.clone();
            self.own().zip(turn).for_each(|((of, size, _), digit)| others[of] += digit * size);
            self.warp(number, &parts, &fused, &others)
        };
        warps.map(warp).collect()
    }

    /// Digits of what a thread runs through by itself, in a warp that is looked at: all where there are few, else some that are spread evenly over those of all
    /// warps.
    fn turns(&self, warp: u32) -> Vec<Vec<i64>> {
        let counts: Vec<i64> = self.own().map(|(.., count)| count).collect();
        if counts.iter().try_fold(1_i64, |all, count| all.checked_mul(*count)).is_some_and(|all| all <= TURNS.into()) {
            return counts.iter().fold(vec![Vec::new()], |turns, &count| {
                let longer =
                    |turn: &Vec<i64>| (0..count).map(|digit| [&turn[..], &[digit]].concat()).collect::<Vec<_>>();
                turns.iter().flat_map(longer).collect()
            });
        }
        let turn = |at: u32| {
            let part = |prime: &f64| (prime.sqrt() * f64::from(warp * TURNS + at)).fract();
            PRIMES.iter().cycle().zip(&counts).map(|(prime, &count)| (count as f64 * part(prime)) as i64).collect()
        };
        (0..TURNS).map(turn).collect()
    }

    /// A warp by its number, with iterations of the loops that are not fused, and 0 for those that are.
    fn warp(&self, number: i64, parts: &[(usize, i64, i64)], fused: &[(usize, i64)], others: &[i64]) -> Warp {
        let loops = others.len();
        let mut warp = Warp { numbers: Vec::with_capacity(loops * self.lanes as usize), loops };
        // The digits of the first lane, the fastest first; those of the next one are counted up from them.
        let number = number.min(i64::MAX / self.lanes - 1);
        let mut rest = number * self.lanes;
        let mut digits: Vec<i64> = Vec::with_capacity(parts.len());
        for &(_, _, count) in parts.iter().rev() {
            digits.push(rest % count);
            rest /= count;
        }
        for _ in 0..self.lanes {
            let begin = warp.numbers.len();
            warp.numbers.extend_from_slice(others);
            let numbers = &mut warp.numbers[begin..];
            for (&(of, size, _), digit) in parts.iter().rev().zip(&digits) {
                numbers[of] += digit * size;
            }
            let is_in = |&(of, count): &(usize, i64)| numbers[of] < count;
            if rest > 0 || !fused.iter().all(is_in) || !self.has_iteration(numbers) {
                warp.numbers.truncate(begin);
            }
            let full = digits.iter().zip(parts.iter().rev()).take_while(|&(&digit, &(_, _, count))| digit + 1 == count);
            let full = full.count();
            digits[..full].fill(0);
            match digits.get_mut(full) {
                Some(digit) => *digit += 1,
                None => rest += 1,
            }
        }
        warp
    }

    /// Whether a thread with these numbers has an iteration, which is not so in a triangle's empty half; they become those of the iteration.
    fn has_iteration(&self, numbers: &mut [i64]) -> bool {
        self.candidate.hulls.iter().zip(&self.bounds).all(|(hull, &bound)| {
            let slopes = hull.slopes.iter().map(|(on, slope)| slope.to_i64().unwrap_or(0) * numbers[*on]);
            let more = slopes.sum::<i64>();
            match hull.idle {
                Idle::Asked => numbers[hull.of] < self.example.times(&hull.base, &self.by_loop(numbers)),
                Idle::Last => numbers[hull.of] < bound + more,
                Idle::First => {
                    numbers[hull.of] += more;
                    numbers[hull.of] >= 0
                }
            }
        })
    }

    fn by_loop(&self, numbers: &[i64]) -> FxHashMap<LoopId, i64> {
        self.candidate.nest.loops.iter().map(|entry| entry.id).zip(numbers.iter().copied()).collect()
    }

    /// How often a thread makes an access.
    pub(super) fn runs(&self, access: &NestAccess) -> f64 {
        let runs_of = |&id: &LoopId| match self.position(id) {
            Some(at) if self.is_fused(id) => self.own_of(at) as f64,
            Some(at) => self.trips[at] as f64,
            None => {
                let count = |trips| self.example.count(trips, &self.middle);
                access.trips.get(&id).map_or(self.example.sizes.unknown, count) as f64
            }
        };
        access.loops.iter().map(runs_of).product()
    }

    fn position(&self, id: LoopId) -> Option<usize> {
        self.candidate.nest.loops.iter().position(|entry| entry.id == id)
    }

    /// A value, such as an access's address, with numbers for everything but the iterations of the nest's loops.
    pub(super) fn form(&self, value: &'a Polynomial) -> Form<'a> {
        let example = &self.example;
        let space = &example.analysis.lowering.space;
        let none = FxHashMap::default();
        let term = |(monomial, factor): (&Monomial, &Coeff)| {
            let (mut factor, mut loops) = (factor.to_i64()?, Vec::new());
            for (atom, power) in monomial.powers() {
                for _ in 0..power {
                    match space.atom(atom) {
                        Atom::Iteration(id) => match self.position(*id) {
                            Some(at) => loops.push(at),
                            None => factor = factor.wrapping_mul(example.missing()),
                        },
                        Atom::Load { address, .. } if !space.loops_of(address).is_empty() => return None,
                        Atom::Symbol(_) | Atom::Load { .. } => {
                            factor = factor.wrapping_mul(example.value(&Polynomial::from(atom), &none));
                        }
                        _ => return None,
                    }
                }
            }
            Some((factor, loops))
        };
        let terms: Option<Vec<(i64, Vec<usize>)>> = value.terms().map(term).collect();
        let Some(terms) = terms else { return self.code(value) };
        let mut sum = Sum { constant: 0, slopes: Vec::new(), products: Vec::new() };
        for (factor, loops) in terms {
            match loops[..] {
                [] => sum.constant = sum.constant.wrapping_add(factor),
                [at] => sum.slopes.push((at, factor)),
                _ => sum.products.push((factor, loops)),
            }
        }
        Form::Sum(sum)
    }

    /// The same of any value.
    fn code(&self, value: &'a Polynomial) -> Form<'a> {
        let example = &self.example;
        let space = &example.analysis.lowering.space;
        let mut leaf = |atom: AtomId| match space.atom(atom) {
            Atom::Iteration(id) => Some(match self.position(*id) {
                Some(at) => Leaf::Input(at),
                None => Leaf::Value(Coeff::from(example.missing())),
            }),
            Atom::Load { address, .. } if !space.loops_of(address).is_empty() => Some(Leaf::Image(scattered, address)),
            _ => example.leaf(atom).map(Leaf::Value),
        };
        match space.code(value, self.candidate.nest.loops.len(), &mut leaf) {
            Some(code) => Form::Code(code, value),
            None => Form::Whole(value),
        }
    }

    /// A value with these iterations of the nest's loops; `scratch` saves allocations.
    fn at(&self, form: &Form<'_>, numbers: &[i64], scratch: &mut Vec<i64>) -> i64 {
        let whole = |value| self.example.place(value, &self.by_loop(numbers));
        match form {
            Form::Sum(sum) => sum.at(numbers),
            Form::Code(code, value) => code.run(numbers, scratch).unwrap_or_else(|| whole(value)),
            Form::Whole(value) => whole(value),
        }
    }

    /// Where the lanes of a warp go, in order.
    pub(super) fn places(&self, form: &Form<'_>, warp: &Warp) -> Vec<i64> {
        if let Form::Code(code, _) = form {
            let operations = code.operations() * warp.lanes().len();
            self.example.analysis.lowering.space.work_on(operations.div_ceil(OPERATIONS_OF_STEP));
        }
        let mut scratch = Vec::new();
        let mut places: Vec<i64> = warp.lanes().map(|numbers| self.at(form, numbers, &mut scratch)).collect();
        if !places.is_sorted() {
            places.sort_unstable();
        }
        places
    }
}

/// Numbers for all that an address is made of.
pub(super) struct Example<'a, 'b> {
    pub analysis: &'a Analysis<'b>,
    pub sizes: &'a Sizes,
}

/// A value on an example, such as an address.
pub(super) enum Form<'a> {
    Sum(Sum),
    /// An iteration is part of something else than a product.
    Code(Code, &'a Polynomial),
    /// With numbers that are too large for code.
    Whole(&'a Polynomial),
}

/// A sum of products of a factor and the iterations of loops of the nest.
pub(super) struct Sum {
    constant: i64,
    /// Each with the loop whose iteration it is a factor of.
    slopes: Vec<(usize, i64)>,
    /// With the iterations of several loops.
    products: Vec<(i64, Vec<usize>)>,
}

impl Sum {
    fn at(&self, numbers: &[i64]) -> i64 {
        let along = self.slopes.iter().map(|&(of, slope)| slope.wrapping_mul(numbers[of]));
        let product =
            |(factor, loops): &(i64, Vec<usize>)| loops.iter().map(|&at| numbers[at]).fold(*factor, i64::wrapping_mul);
        along.chain(self.products.iter().map(product)).fold(self.constant, i64::wrapping_add)
    }
}

impl Example<'_, '_> {
    /// The iteration of a loop of which nothing is known.
    fn missing(&self) -> i64 {
        self.sizes.unknown / 2
    }

    /// How often a loop runs, at least once.
    fn count(&self, trips: &Polynomial, numbers: &FxHashMap<LoopId, i64>) -> i64 {
        self.times(trips, numbers).max(1)
    }

    /// How often a loop runs. From one place of memory to the next, as the rows of a list of elements, it runs as often as one of which nothing is
    /// known.
    fn times(&self, trips: &Polynomial, numbers: &FxHashMap<LoopId, i64>) -> i64 {
        let space = &self.analysis.lowering.space;
        let is_of_list = |atom: &AtomId| match space.atom(*atom) {
            Atom::Load { address, .. } => !space.loops_of(address).is_empty(),
            _ => false,
        };
        match self.value(trips, numbers) {
            ..1 if space.atoms(trips).iter().any(is_of_list) => self.sizes.unknown,
            times => times,
        }
    }

    pub(super) fn value(&self, value: &Polynomial, numbers: &FxHashMap<LoopId, i64>) -> i64 {
        self.value_with(value, numbers, |_| None)
    }

    /// An address. What is read from different places of memory, as a row's beginning in a list or an index, are different numbers there.
    pub(super) fn place(&self, address: &Polynomial, numbers: &FxHashMap<LoopId, i64>) -> i64 {
        let space = &self.analysis.lowering.space;
        self.value_with(address, numbers, |from| {
            let varies = !space.loops_of(from).is_empty();
            varies.then(|| scattered(self.place(from, numbers)))
        })
    }

    fn value_with(
        &self,
        value: &Polynomial,
        numbers: &FxHashMap<LoopId, i64>,
        loaded: impl Fn(&Polynomial) -> Option<i64>,
    ) -> i64 {
        let space = &self.analysis.lowering.space;
        let mut of = |atom: AtomId| match space.atom(atom) {
            Atom::Iteration(id) => Some(Coeff::from(numbers.get(id).copied().unwrap_or(self.missing()))),
            Atom::Load { address, .. } => loaded(address).map(Coeff::from).or_else(|| self.leaf(atom)),
            _ => self.leaf(atom),
        };
        space.eval(value, &mut of).and_then(|value| value.to_i64()).unwrap_or(0)
    }

    /// A number for a symbol, or for what memory holds.
    fn leaf(&self, atom: AtomId) -> Option<Coeff> {
        match self.analysis.lowering.space.atom(atom) {
            Atom::Symbol(symbol) => {
                let is_pointer = self.analysis.lowering.argument_of(atom).is_some_and(|value| value.ty().is_pointer());
                let size = Coeff::from(match is_pointer {
                    true => PLACE * (1 + atom.index() as i64 % 4096),
                    false => self.sizes.size(atom),
                });
                let fits = symbol.range.contains(&size);
                Some(if fits { size } else { symbol.range.high().or(symbol.range.low()).cloned().unwrap_or(size) })
            }
            Atom::Load { .. } => Some(Coeff::from(self.sizes.size(atom))),
            _ => None,
        }
    }
}

/// A number that hardly another one has, for a number: by the golden ratio (Knuth, "The Art of Computer Programming", volume 3, 6.4).
fn scattered(number: i64) -> i64 {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    const BITS: u32 = 24;
    ((number as u64).wrapping_mul(GOLDEN) >> (u64::BITS - BITS)) as i64
}
