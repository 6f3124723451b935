//! The dependence test against enumeration: random nests, in which all pairs of iterations are looked at.
//!
//! `IPDA_DEPENDENCE_CASES` sets how many nests are made, `IPDA_DEPENDENCE_SEED` the first.

use ipda_symbolic::{
    Access, AtomId, Coeff, Direction, Facts, Interval, LoopId, Pair, Polynomial, Signedness, Space, Symbol, Varies,
    Vector, dependence_with, dependence_within_iterations,
};
use std::collections::BTreeMap;
use std::collections::BTreeSet;

const CASES: u64 = 300;
/// How many values of the symbols are tried for each nest.
const VALUATIONS: u32 = 4;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }

    fn chance(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }
}

/// What addresses are made of.
#[derive(Clone, Copy, PartialEq)]
enum Terms {
    Any,
    /// The digits of an iteration number as well.
    Digits,
}

struct Nest {
    terms: Terms,
    space: Space,
    random: Random,
    /// `[n]`, `[m]`, `[N]`, `[c]`.
    symbols: Vec<Polynomial>,
    /// Changes with the first loop; and in ways that are not known.
    with_loop: Polynomial,
    with_all: Polynomial,
    table: Polynomial,
}

fn number(value: i64) -> Polynomial {
    Polynomial::from(value)
}

impl Nest {
    fn new(seed: u64, terms: Terms) -> Nest {
        let mut space = Space::new();
        let int = Interval::of_width(32, Signedness::Signed);
        let mut symbol =
            |name: &str, range: Interval, varies| space.symbol(Symbol { name: name.into(), range, varies });
        let symbols = vec![
            symbol("n", int.clone(), Varies::No),
            symbol("m", int.clone(), Varies::No),
            symbol("N", Interval::between(1, 1000), Varies::No),
            symbol("c", Interval::BOOLEAN, Varies::No),
        ];
        let with_loop = symbol("v", Interval::between(-9, 9), Varies::WithLoops(BTreeSet::from([LoopId(0)])));
        let with_all = symbol("q", Interval::between(-9, 9), Varies::PerThread("it is unknown".into()));
        let table = symbol("T", Interval::of_width(64, Signedness::Unsigned), Varies::No);
        Nest { terms, space, random: Random(seed), symbols, with_loop, with_all, table }
    }

    fn size(&mut self) -> Polynomial {
        let size = self.random.below(3) as usize;
        self.symbols[size].clone()
    }

    fn iteration(&mut self, loops: &[LoopId]) -> Polynomial {
        let id = *self.random.pick(loops);
        self.space.iteration(id)
    }

    fn product(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        self.space.product(a, b).expect("a small product")
    }

    fn indicator(&mut self, loops: &[LoopId]) -> Polynomial {
        if self.random.chance(3) {
            return self.symbols[3].clone();
        }
        let here = self.iteration(loops);
        let there = match self.random.below(3) {
            0 => number(self.random.between(0, 4)),
            1 => self.size(),
            _ => self.iteration(loops),
        };
        match self.random.chance(3) {
            true => self.space.eq(&here, &there),
            false => self.space.lt(&here, &there),
        }
    }

    /// Digits of an iteration number, each with a weight of its own.
    fn digits(&mut self, iteration: &Polynomial) -> Polynomial {
        let divisor = match self.random.below(4) {
            0 => self.symbols[2].clone(),
            1 => self.size(),
            _ => number(self.random.between(2, 4)),
        };
        let weight = |nest: &mut Nest| match nest.random.below(4) {
            0 => nest.size(),
            1 => divisor.clone() + number(nest.random.between(-1, 1)),
            _ => number(nest.random.between(0, 9)),
        };
        let (low, middle, high) = (weight(self), weight(self), weight(self));
        let shifted = iteration + &number(self.random.between(0, 1) * self.random.between(-2, 3));
        let quotient = self.space.floor_div(&shifted, &divisor, &Facts::none());
        let rest = self.space.floor_rem(&shifted, &divisor, &Facts::none());
        let low = if self.random.chance(2) { rest } else { self.product(&rest, &low) };
        if self.random.chance(2) {
            return self.product(&quotient, &middle) + low;
        }
        let more = number(self.random.between(2, 3));
        let above = self.space.floor_div(&quotient, &more, &Facts::none());
        let between = &quotient - &self.product(&above, &more);
        self.product(&above, &high) + self.product(&between, &middle) + low
    }

    fn term(&mut self, loops: &[LoopId]) -> Polynomial {
        let iteration = self.iteration(loops);
        let small = number(self.random.between(-4, 4));
        if self.terms == Terms::Digits && self.random.chance(3) {
            return self.digits(&iteration);
        }
        match self.random.below(16) {
            0..=4 => self.product(&iteration, &small),
            5..=7 => {
                let size = self.size();
                self.product(&iteration, &size)
            }
            8 => {
                let size = self.size() + &small;
                self.product(&iteration, &size)
            }
            9 => {
                let other = if self.random.chance(2) { self.iteration(loops) } else { self.unknown(&iteration) };
                self.product(&iteration, &other)
            }
            10 | 11 => {
                let divisor =
                    if self.random.chance(2) { number(self.random.between(2, 4)) } else { self.symbols[2].clone() };
                let factor = if self.random.chance(2) { number(self.random.between(1, 5)) } else { self.size() };
                let quotient = self.space.floor_div(&iteration, &divisor, &Facts::none());
                let rest = if self.random.chance(2) {
                    self.space.floor_rem(&iteration, &divisor, &Facts::none())
                } else {
                    Polynomial::zero()
                };
                self.product(&quotient, &factor) + rest
            }
            12 | 13 => {
                let indicator = self.indicator(loops);
                let factor = match self.random.below(6) {
                    0..=2 => self.size(),
                    3 | 4 => iteration,
                    _ => self.unknown(&iteration),
                };
                match self.random.below(4) {
                    // One value where the condition holds, another where it does not.
                    0 => {
                        let other = self.iteration(loops).scale(&Coeff::from(self.random.between(-4, 4)));
                        self.product(&indicator, &(factor - &other)) + other
                    }
                    1 => {
                        let both = self.indicator(loops);
                        let both = self.product(&indicator, &both);
                        self.product(&both, &factor)
                    }
                    _ => self.product(&indicator, &factor),
                }
            }
            14 => self.unknown(&iteration),
            _ => self.size(),
        }
    }

    /// A value of which a range is known, and with which loops it varies.
    fn unknown(&mut self, iteration: &Polynomial) -> Polynomial {
        match self.random.below(3) {
            0 => self.with_loop.clone(),
            1 => self.with_all.clone(),
            _ => {
                let address = &self.table + iteration;
                self.space.load(address, 4, self.random.below(2) as u32, Interval::between(-9, 9))
            }
        }
    }

    fn subscript(&mut self, loops: &[LoopId]) -> Polynomial {
        let row = self.random.chance(3) && loops.len() >= 2;
        if row {
            // Rows and columns, which may be exchanged.
            let (a, b) = (self.iteration(loops), self.iteration(loops));
            let size = if self.random.chance(3) { number(self.random.between(1, 6)) } else { self.size() };
            return self.product(&a, &size) + b;
        }
        let terms = self.random.between(1, 3);
        (0..terms).fold(Polynomial::zero(), |sum, _| sum + self.term(loops))
    }

    /// The strides of an array, from the innermost loop out: each dimension is as long as its loop runs, or nearly so, or of another size.
    fn strides(&mut self, bounds: &[Polynomial]) -> Vec<Polynomial> {
        let mut stride = number(*self.random.pick(&[1, 1, 1, 1, 2, 3, -1, 0]));
        let mut strides = Vec::new();
        for bound in bounds.iter().rev() {
            strides.push(if self.random.chance(8) { number(self.random.between(-1, 1)) } else { stride.clone() });
            let is_invariant = bound.atoms().iter().all(|&atom| self.space.iteration_loop(atom).is_none());
            let length = if is_invariant && !self.random.chance(3) { bound.clone() } else { self.size() };
            let length = match self.random.below(8) {
                0 => length - number(1),
                1 => length + number(1),
                2 => length.scale(&2.into()),
                3 => number(self.random.between(-1, 4)),
                _ => length,
            };
            stride = self.product(&stride, &length);
        }
        if self.random.chance(6) {
            strides.swap(0, bounds.len() - 1);
        }
        strides.reverse();
        strides
    }

    fn strided(&mut self, loops: &[LoopId], strides: &[Polynomial]) -> Polynomial {
        let mut sum = Polynomial::zero();
        for (&id, stride) in loops.iter().zip(strides) {
            let iteration = self.space.iteration(id);
            sum = sum + self.product(&iteration, stride);
        }
        sum
    }

    /// What a neighbour is away.
    fn neighbour(&mut self, strides: &[Polynomial]) -> Polynomial {
        let small = number(self.random.between(-2, 2));
        let stride = self.random.pick(strides).clone();
        match self.random.below(6) {
            0 => small,
            1 | 2 => stride.scale(&Coeff::from(self.random.between(-2, 2))),
            3 => stride + small,
            4 => self.product(&stride, &small) + number(1),
            _ => self.size() + small,
        }
    }

    /// Bounds of the loops, each of which may use the iteration numbers of those before.
    fn bounds(&mut self, loops: &[LoopId]) -> Vec<Polynomial> {
        let mut bounds = Vec::new();
        for (depth, _) in loops.iter().enumerate() {
            let offset = number(self.random.between(-1, 1));
            bounds.push(match self.random.below(8) {
                0 | 1 => number(self.random.between(1, 5)),
                2..=4 => self.size(),
                5 => self.size() + offset,
                6 if depth > 0 => self.iteration(&loops[..depth]) + offset,
                7 if depth > 0 => self.size() - self.iteration(&loops[..depth]),
                _ => self.size(),
            });
        }
        bounds
    }

    fn guard(&mut self, loops: &[LoopId]) -> Polynomial {
        match self.random.below(3) {
            0 => {
                let indicator = self.indicator(loops);
                if self.random.chance(2) { self.space.not(&indicator) } else { indicator }
            }
            1 => {
                let (a, b) = (self.iteration(loops), self.iteration(loops));
                self.space.le(&a, &b)
            }
            _ => {
                let (a, b) = (self.iteration(loops), number(self.random.between(0, 3)));
                self.space.ge(&a, &b)
            }
        }
    }

    fn access(&mut self, address: Polynomial, bytes: u64, loops: &[LoopId], conditions: &[Polynomial]) -> Access {
        let mut facts = Facts::none();
        for condition in conditions {
            match self.random.chance(2) {
                true => facts.assume_nonneg(condition.clone()),
                false => {
                    let indicator = self.space.nonneg(condition);
                    if indicator.as_constant().is_none() {
                        facts = self.space.assume(&facts, &indicator);
                    } else {
                        facts.assume_nonneg(condition.clone());
                    }
                }
            }
        }
        Access { address, bytes, loops: loops.to_vec(), facts }
    }
}

/// A point at which an access runs.
struct Point {
    common: Vec<i64>,
    address: i128,
}

struct Case {
    space: Space,
    source: Access,
    sink: Access,
    common: Vec<LoopId>,
    pair: Pair,
    /// Conditions under which each access runs, indicators and polynomials that are at least 0.
    runs: [Vec<Polynomial>; 2],
    on_symbols: Vec<Polynomial>,
    symbols: Vec<AtomId>,
    with_loop: AtomId,
    with_all: AtomId,
    table: AtomId,
    /// Loads of memory that nothing writes.
    constant: bool,
}

fn make(seed: u64) -> Case {
    make_of(seed, Terms::Any)
}

fn make_of(seed: u64, terms: Terms) -> Case {
    let mut nest = Nest::new(seed, terms);
    let depth = nest.random.between(1, 3) as u32;
    let common: Vec<LoopId> = (0..depth).map(LoopId).collect();
    let mut loops = [common.clone(), common.clone()];
    let same = nest.random.chance(3);
    if !same && nest.random.chance(6) && depth < 3 {
        loops[0].push(LoopId(10));
        loops[1].push(LoopId(11));
    }
    let common_bounds = nest.bounds(&common);
    let mut on_symbols = Vec::new();
    if nest.random.chance(2) {
        let (a, b) = (nest.size(), nest.size());
        on_symbols.push(&a - &b);
        if nest.random.chance(2) {
            on_symbols.push(nest.size() - number(1));
        }
    }
    let scale = *nest.random.pick(&[1_i64, 1, 2, 4, 4, 8]);
    let scale =
        if nest.random.chance(25) { Coeff::pow2(nest.random.between(58, 63) as u32) } else { Coeff::from(scale) };
    let is_small = scale.bits() < 8;
    let first = nest.subscript(&loops[0]);
    let second = match nest.random.below(4) {
        0 if loops[0] == loops[1] => nest.subscript(&loops[1]),
        _ if loops[0] != loops[1] => nest.subscript(&loops[1]),
        1 => &first + &nest.size(),
        _ => &first + &number(nest.random.between(-3, 3)),
    };
    let is_strided = loops[0] == loops[1] && nest.random.chance(2);
    let (first, second) = if is_strided {
        let strides = nest.strides(&common_bounds);
        let first = nest.strided(&common, &strides);
        if nest.random.chance(3) {
            let offset = number(nest.random.between(-1, 1));
            on_symbols.push(nest.size() - nest.size() + offset);
        }
        let second = &first + &nest.neighbour(&strides);
        (first, second)
    } else {
        (first, second)
    };
    let second = if same { first.clone() } else { second };
    let mut runs: [Vec<Polynomial>; 2] = [Vec::new(), Vec::new()];
    for (end, loops) in loops.iter().enumerate() {
        let mut bounds = common_bounds.clone();
        bounds.extend(nest.bounds(loops).drain(common.len()..));
        for (id, bound) in loops.iter().zip(&bounds) {
            let iteration = nest.space.iteration(*id);
            runs[end].push(bound - &iteration - number(1));
        }
        runs[end].extend(on_symbols.iter().cloned());
        if nest.random.chance(if is_strided { 12 } else { 4 }) {
            let guard = nest.guard(loops) - number(1);
            runs[end].push(guard);
        }
    }
    if same {
        runs[1] = runs[0].clone();
    }
    let base = nest.space.symbol(Symbol {
        name: "A".into(),
        range: Interval::of_width(64, Signedness::Unsigned),
        varies: Varies::No,
    });
    let mut accesses = [first, second].into_iter().enumerate().map(|(end, subscript)| {
        let offset = if nest.random.chance(3) && !same { nest.random.between(0, 4) } else { 0 };
        let address = &base + &subscript.scale(&scale) + number(offset);
        let bytes = *nest.random.pick(&[1, 2, 4, 4, 8, 3]);
        let mut access = nest.access(address, bytes, &loops[end], &runs[end]);
        if is_small && (nest.random.chance(2) || is_strided && !nest.random.chance(8)) {
            access.stays_near(&base);
        }
        access
    });
    let source = accesses.next().expect("two accesses");
    let sink = accesses.next().expect("two accesses");
    drop(accesses);
    let sink = if same { source.clone() } else { sink };
    let atom = |p: &Polynomial| p.as_atom().expect("a symbol is an atom");
    Case {
        source,
        sink,
        common,
        pair: if same { Pair::Itself } else { Pair::Two },
        runs,
        on_symbols,
        symbols: nest.symbols.iter().chain([&base]).map(atom).collect(),
        with_loop: atom(&nest.with_loop),
        with_all: atom(&nest.with_all),
        table: atom(&nest.table),
        constant: nest.random.chance(2),
        space: nest.space,
    }
}

/// The source of a nest, and another access of its address, in one loop more now and then, that runs where it does and more conditions hold.
fn of_one_address(seed: u64) -> Case {
    let mut case = make(seed);
    let loops = case.source.loops.len();
    let mut runs = case.runs[0].clone();
    let mut sink = case.source.clone();
    let mut more: Vec<Polynomial> = Vec::new();
    if case.sink.loops == case.source.loops {
        more.extend(case.runs[1][loops..].iter().cloned());
    }
    if seed.is_multiple_of(3) {
        let inner = LoopId(12);
        let bound = Polynomial::from(case.symbols[0]) - case.space.iteration(inner) - number(1);
        sink.loops.push(inner);
        sink.facts.assume_nonneg(bound.clone());
        runs.insert(loops, bound);
    }
    more.iter().for_each(|condition| sink.facts.assume_nonneg(condition.clone()));
    runs.extend(more);
    let common = case.source.loops.clone();
    Case { sink, common, runs: [case.runs[0].clone(), runs], ..case }
}

/// A number that follows from others.
fn mixed(parts: &[i64]) -> i64 {
    let mut random = Random(parts.iter().fold(7, |hash: u64, part| hash.wrapping_mul(31).wrapping_add(*part as u64)));
    random.between(-2, 2)
}

impl Case {
    fn value(&self, p: &Polynomial, symbols: &[i64], point: &BTreeMap<LoopId, i64>, salt: i64) -> Option<i128> {
        let space = &self.space;
        let first = point.get(&LoopId(0)).copied().unwrap_or(0);
        let all: Vec<i64> = self.common.iter().filter_map(|id| point.get(id).copied()).collect();
        let mut whole: Vec<i64> = point.values().copied().collect();
        whole.push(salt);
        let mut value_of = |atom: AtomId| {
            if let Some(index) = self.symbols.iter().position(|&symbol| symbol == atom) {
                return Some(Coeff::from(symbols[index]));
            }
            if let Some(id) = space.iteration_loop(atom) {
                return point.get(&id).map(|&value| Coeff::from(value));
            }
            if atom == self.with_loop {
                return Some(Coeff::from(mixed(&[salt, first])));
            }
            if atom == self.table {
                return Some(Coeff::from(0));
            }
            if atom == self.with_all {
                return Some(Coeff::from(mixed(&whole)));
            }
            None
        };
        let mut with_loads = |atom: AtomId| match space.atom(atom) {
            ipda_symbolic::Atom::Load { address, epoch, .. } => {
                let at = space.eval(address, &mut value_of)?.to_i64()?;
                let mut parts = vec![at, i64::from(*epoch), salt];
                if !self.constant {
                    parts.extend(&all);
                    parts.extend(&whole);
                }
                Some(Coeff::from(mixed(&parts)))
            }
            _ => value_of(atom),
        };
        let value = space.eval(p, &mut with_loads)?;
        value.to_string().parse().ok()
    }

    fn points(&self, end: usize, symbols: &[i64], salt: i64) -> Option<Vec<Point>> {
        let access = [&self.source, &self.sink][end];
        let mut points = vec![BTreeMap::new()];
        for (depth, &id) in access.loops.iter().enumerate() {
            let bound = &self.runs[end][depth];
            let mut next = Vec::new();
            for point in points {
                for value in 0..12 {
                    let mut point: BTreeMap<LoopId, i64> = point.clone();
                    point.insert(id, value);
                    if self.value(bound, symbols, &point, salt)? < 0 {
                        break;
                    }
                    next.push(point);
                }
            }
            points = next;
        }
        let mut found = Vec::new();
        for point in points {
            let runs =
                self.runs[end].iter().map(|fact| self.value(fact, symbols, &point, salt).map(|value| value >= 0));
            let runs: Option<Vec<bool>> = runs.collect();
            if runs?.into_iter().all(|holds| holds) {
                let address = self.value(&access.address, symbols, &point, salt)?;
                found.push(Point { common: self.common.iter().map(|id| point[id]).collect(), address });
            }
        }
        Some(found)
    }

    fn covers(&self, vector: &Vector, distances: &[i64], symbols: &[i64]) -> bool {
        let holds = |p: &Polynomial| self.value(p, symbols, &BTreeMap::new(), 0).is_some_and(|value| value >= 0);
        let is_excluded = vector.excluded_if.as_ref().is_some_and(|conditions| conditions.iter().all(holds));
        let has_step = |(step, &distance): (&ipda_symbolic::Step, &i64)| {
            let direction = match distance.signum() {
                1 => Direction::Less,
                0 => Direction::Equal,
                _ => Direction::Greater,
            };
            let value = |p: &Polynomial| self.value(p, symbols, &BTreeMap::new(), 0);
            let is_at = |p: &Polynomial| value(p) == Some(i128::from(distance));
            step.allows(direction) && step.distance.as_ref().is_none_or(is_at)
        };
        !is_excluded && vector.steps.iter().zip(distances).all(has_step)
    }

    fn check(&self, vectors: &[Vector], symbols: &[i64], salt: i64) -> Result<(), String> {
        let Some((sources, sinks)) = self.points(0, symbols, salt).zip(self.points(1, symbols, salt)) else {
            return Ok(());
        };
        let mut is_met = vec![false; vectors.len()];
        let mut seen = BTreeSet::new();
        for here in &sources {
            for there in &sinks {
                let difference = (there.address - here.address) as u64;
                if difference >= self.source.bytes && difference.wrapping_neg() >= self.sink.bytes {
                    continue;
                }
                let mut distances: Vec<i64> = there.common.iter().zip(&here.common).map(|(b, a)| b - a).collect();
                if self.pair == Pair::Itself {
                    match distances.iter().find(|&&distance| distance != 0) {
                        None => continue,
                        Some(&first) if first < 0 => distances.iter_mut().for_each(|distance| *distance = -*distance),
                        Some(_) => {}
                    }
                }
                if !seen.insert(distances.clone()) {
                    continue;
                }
                let mut is_covered = false;
                for (vector, is_met) in vectors.iter().zip(&mut is_met) {
                    if self.covers(vector, &distances, symbols) {
                        *is_met = true;
                        is_covered = true;
                    }
                }
                if !is_covered {
                    return Err(format!("{:?} and {:?} meet at {distances:?}", here.common, there.common));
                }
            }
        }
        let room = |points: &[Point], index: usize| points.iter().map(|point| point.common[index]).max().unwrap_or(-1);
        for (vector, is_met) in vectors.iter().zip(is_met) {
            let is_roomy = |(index, step): (usize, &ipda_symbolic::Step)| {
                let distance = step.distance.as_ref().and_then(|p| self.value(p, symbols, &BTreeMap::new(), 0));
                let needed = distance.map_or(1, |distance| distance.abs().max(0));
                i128::from(room(&sources, index).min(room(&sinks, index))) >= needed
            };
            let is_excluded = vector.excluded_if.as_ref().is_some_and(|conditions| {
                conditions.iter().all(|p| self.value(p, symbols, &BTreeMap::new(), 0).is_some_and(|value| value >= 0))
            });
            if vector.certain && !is_met && !is_excluded && vector.steps.iter().enumerate().all(is_roomy) {
                return Err(format!("{vector:?} is not certain"));
            }
        }
        Ok(())
    }

    fn text(&self, vectors: &[Vector]) -> String {
        let space = &self.space;
        let facts = |access: &Access| {
            let facts: Vec<String> = access.facts.nonneg().map(|fact| space.display(fact).to_string()).collect();
            facts.join("; ")
        };
        let mut text = format!(
            "{:?}, constant loads {}\n{} bytes at {}\n  where {}\n{} bytes at {}\n  where {}\n",
            self.pair,
            self.constant,
            self.source.bytes,
            space.display(&self.source.address),
            facts(&self.source),
            self.sink.bytes,
            space.display(&self.sink.address),
            facts(&self.sink),
        );
        for vector in vectors {
            for step in &vector.steps {
                let signs = [(step.less, '<'), (step.equal, '='), (step.greater, '>')];
                text.extend(signs.into_iter().filter(|(possible, _)| *possible).map(|(_, sign)| sign));
                if let Some(distance) = &step.distance {
                    text += &format!(" {}", space.display(distance));
                }
                text += ", ";
            }
            text += if vector.certain { "certain " } else { "" };
            for condition in vector.excluded_if.iter().flatten() {
                text += &format!("unless {} >= 0 ", space.display(condition));
            }
            text += &format!("{}\n", vector.missing);
        }
        text
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What some values of the symbols, of those that satisfy what holds, show to be wrong of a verdict.
fn refuted(case: &Case, vectors: &[Vector], random: &mut Random) -> Option<String> {
    let mut tried = 0;
    for _ in 0..4 * VALUATIONS {
        let symbols = [random.between(-2, 5), random.between(-2, 5), random.between(1, 5), random.between(0, 1), 4096];
        let holds = |fact: &Polynomial| case.value(fact, &symbols, &BTreeMap::new(), 0).is_some_and(|value| value >= 0);
        if !case.on_symbols.iter().all(holds) {
            continue;
        }
        if let Err(error) = case.check(vectors, &symbols, i64::from(tried)) {
            return Some(format!("{error} with n, m, N, c, A = {symbols:?}\n{}", case.text(vectors)));
        }
        tried += 1;
        if tried == VALUATIONS {
            break;
        }
    }
    None
}

#[test]
fn accesses_of_one_address_share_a_test() {
    let (cases, first) = (setting("IPDA_DEPENDENCE_CASES", CASES), setting("IPDA_DEPENDENCE_SEED", 1));
    let (mut apart, mut certain) = (0, 0);
    for seed in first..first + cases {
        let mut case = of_one_address(seed);
        let Case { source, sink, common, constant, .. } = &case;
        let (source, sink, common, constant) = (source.clone(), sink.clone(), common.clone(), *constant);
        assert!(source.covers(&sink), "seed {seed}: the same address, and fewer conditions");
        if !dependence_with(&mut case.space, &source, &source, &common, Pair::Itself, &|_| constant).is_empty() {
            continue;
        }
        apart += 1;
        case.pair = Pair::Two;
        for _ in 0..2 {
            let vector = dependence_within_iterations(&case.space, &case.source, &case.sink, &common);
            certain += u64::from(vector.certain);
            let error = refuted(&case, &[vector], &mut Random(!seed));
            assert!(error.is_none(), "seed {seed}: {}", error.unwrap_or_default());
            std::mem::swap(&mut case.source, &mut case.sink);
            case.runs.reverse();
        }
    }
    eprintln!("{cases} accesses: {apart} alone are apart, {certain} meet another for certain");
    assert!(apart * 10 > cases, "most nests have nothing to check");
}

#[test]
fn every_collision_is_covered() {
    collisions_are_covered(Terms::Any);
}

#[test]
fn every_collision_of_digits_is_covered() {
    collisions_are_covered(Terms::Digits);
}

fn collisions_are_covered(terms: Terms) {
    let (cases, first) = (setting("IPDA_DEPENDENCE_CASES", CASES), setting("IPDA_DEPENDENCE_SEED", 1));
    let mut total = 0;
    let (mut independent, mut with_conditions, mut certain, mut longest) = (0, 0, 0, (0, 0));
    let mut failures = 0;
    for seed in first..first + cases {
        let mut case = make_of(seed, terms);
        let (source, sink, common) = (case.source.clone(), case.sink.clone(), case.common.clone());
        let start = std::time::Instant::now();
        let constant = case.constant;
        let vectors = dependence_with(&mut case.space, &source, &sink, &common, case.pair, &|_| constant);
        total += start.elapsed().as_micros();
        longest = longest.max((start.elapsed().as_micros(), seed));
        independent += u64::from(vectors.is_empty());
        with_conditions += u64::from(vectors.iter().any(|vector| vector.excluded_if.is_some()));
        certain += u64::from(vectors.iter().any(|vector| vector.certain));
        if let Some(error) = refuted(&case, &vectors, &mut Random(!seed)) {
            failures += 1;
            eprintln!("seed {seed}: {error}");
        }
        assert!(failures < 4, "several nests with wrong verdicts");
    }
    eprintln!(
        "{cases} nests: {independent} independent, {with_conditions} with conditions, {certain} with certain collisions; \
         {} us a test, the longest {} us (seed {})",
        total / u128::from(cases),
        longest.0,
        longest.1
    );
    assert_eq!(failures, 0);
}

/// Where the work ends early, what was not looked at counts as a collision.
#[test]
fn with_few_steps_of_work_every_collision_is_covered() {
    let (cases, first) = (setting("IPDA_DEPENDENCE_CASES", CASES), setting("IPDA_DEPENDENCE_SEED", 1));
    let (mut given_up, mut independent) = (0, 0);
    for seed in first..first + cases {
        let mut case = make(seed);
        let (source, sink, common, constant) =
            (case.source.clone(), case.sink.clone(), case.common.clone(), case.constant);
        let steps = 1 << Random(seed).between(2, 11);
        let before = case.space.work();
        case.space.set_budget(before + steps);
        let vectors = dependence_with(&mut case.space, &source, &sink, &common, case.pair, &|_| constant);
        given_up += u64::from(case.space.gave_up());
        independent += u64::from(vectors.is_empty());
        let most = before + steps + 100_000;
        assert!(case.space.work() < most, "seed {seed}: {} steps instead of {steps}", case.space.work() - before);
        let error = refuted(&case, &vectors, &mut Random(!seed));
        assert!(error.is_none(), "seed {seed}, {steps} steps: {}", error.unwrap_or_default());
    }
    eprintln!("{cases} nests: {given_up} given up, {independent} independent");
    assert!(given_up * 5 > cases && independent * 20 > cases, "most nests have nothing to check");
}
