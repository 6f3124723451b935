//! Digits of iteration numbers that a thread runs through by itself, in loops around the one iteration that its number gives.
//!
//! ```text
//! i/8 j | i%8      for x in threads 0..ceil(n/8)*m: for d in 0..8: if 8*(x / m) + d < n: body(8*(x / m) + d, x % m)
//! ```
//!
//! So a thread has a block of iterations (`i/8 | i%8`), or every so manieth (`i%rest | i/rest`): Vanderbruggen et al., "Directive-Based Tile Abstraction to
//! Distribute Loops on Accelerators" (GPGPU-10, 2017), generate loops for tiles in this way. Numbers that have no iteration are skipped.

use super::sum::Sum;
use crate::openmp::{NUMBER_OF_TEAMS, SIZE_OF_TEAM};
use ipda_llvm::{Code, Opcode, Value, integer};
use ipda_symbolic::{Count, Given, Mapping, Part, Signedness, Size};
use llvm_sys::LLVMIntPredicate;

/// The parts inside that are not the code's loops in their places, outermost first: digits, and loops that run outside of these, or of loops that are around them.
/// The `digits` outermost loops are digits of the shared loop's number. The loops behind these parts stay in their places.
pub(super) fn own_digits(mapping: &Mapping, digits: usize) -> &[Part] {
    let inside = mapping.inside();
    let mut own = inside.len();
    while let Some(part) = own.checked_sub(1).map(|at| &inside[at]) {
        let is_before_next = inside.get(own).is_none_or(|next| part.of < next.of);
        if !is_only_part(mapping, part) || part.of < digits || !is_before_next {
            break;
        }
        own -= 1;
    }
    &inside[..own]
}

/// Whether a part is all of its loop: the lowest digit may be the rest, too.
fn is_only_part(mapping: &Mapping, part: &Part) -> bool {
    mapping.threads().iter().chain(mapping.inside()).filter(|other| other.of == part.of).count() == 1
}

/// The loops that the code has no more: each runs the iteration that its digits give. Outermost first.
pub(super) fn replaced(mapping: &Mapping, digits: usize) -> Vec<usize> {
    let own = own_digits(mapping, digits).iter().map(|part| part.of);
    let mut all: Vec<usize> = (0..digits).chain(mapping.fused()).chain(own).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// How many iterations of each fused loop a thread has, where they are a tile as OpenMP's `tile` makes it: of neighbouring iterations of the outermost
/// loops, in their order. Empty of all other mappings.
pub(super) fn tile(mapping: &Mapping, digits: usize) -> Vec<u32> {
    let is_known = |part: &&Part| part.count == Count::Rest && part.size.as_known().is_some();
    let fused: Vec<usize> = mapping.fused().collect();
    let keeps_order = digits == 1 && fused.iter().copied().eq(0..fused.len());
    if !mapping.threads().iter().all(|part| is_known(&part)) || fused.len() != mapping.threads().len() || !keeps_order {
        return Vec::new();
    }
    let sizes: Vec<u32> = mapping.threads().iter().filter_map(|part| part.size.as_known()).collect();
    let tiled = fused.iter().zip(&sizes).filter(|(_, size)| **size > 1);
    let wanted = tiled.map(|(of, size)| Part { of: *of, size: Size::ONE, count: Count::Const(*size) });
    let is_it = own_digits(mapping, digits).iter().copied().eq(wanted);
    if is_it && sizes.iter().any(|size| *size > 1) { sizes } else { Vec::new() }
}

/// How many of so many lanes of a warp go along which digits, the slowest first: of the last one all, where a warp is a part of a row. None where warps are not
/// alike.
pub(super) fn of_warp(mapping: &Mapping, lanes: u32) -> Option<Vec<(&Part, u32)>> {
    let (mut left, mut warp) = (lanes, Vec::new());
    for part in mapping.threads().iter().rev() {
        let along = match part.count {
            Count::Const(count) => count.min(left),
            Count::Rest | Count::Given(_) => left,
        };
        // A row may end in a warp: what is said holds within it.
        let is_alike = warp.is_empty() || matches!(part.count, Count::Const(count) if count.is_multiple_of(along));
        if !left.is_multiple_of(along) || along < left && !is_alike {
            return None;
        }
        warp.insert(0, (part, along));
        left /= along;
        if left == 1 {
            return Some(warp);
        }
    }
    None
}

/// How many values digits have, and how many iterations lie between two of them, as code.
pub(super) struct Numbers<'a> {
    pub here: &'a Code,
    pub mapping: &'a Mapping,
    /// How often loops run.
    pub trips: &'a [(usize, Value)],
}

impl Numbers<'_> {
    /// How many values a loop's rest has: none of a loop of which it is not known how often it runs.
    fn rest(&self, of: usize, like: Value) -> Option<Value> {
        let (_, trips) = self.trips.iter().find(|(at, _)| *at == of)?;
        let (known, given) = self.mapping.others(of)?;
        let trips = self.here.resize(*trips, like.ty(), Signedness::Unsigned);
        if given.is_empty() {
            return Some(tiles(self.here, trips, known));
        }
        let number = |number: u64| Value::int_of(like.ty(), number);
        let mut others = number(known.into());
        for given in given {
            let launched = self.here.resize(launched(self.here, given)?, like.ty(), Signedness::Unsigned);
            others = self.here.binary(Opcode::LLVMMul, others, launched);
        }
        // Where the guard does not hold it may be anything, and is divided by in vain.
        let is_none = self.here.compare(LLVMIntPredicate::LLVMIntEQ, others, number(0));
        let others = self.here.select(is_none, number(1), others);
        let more = self.here.binary(Opcode::LLVMSub, others, number(1));
        Some(self.here.binary(Opcode::LLVMUDiv, self.here.binary(Opcode::LLVMAdd, trips, more), others))
    }

    /// How many values a digit has, as a number like another one.
    pub(super) fn count(&self, part: &Part, like: Value) -> Option<Value> {
        match part.count {
            Count::Const(count) => Some(Value::int_of(like.ty(), count.into())),
            Count::Rest => self.rest(part.of, like),
            Count::Given(given) => Some(self.here.resize(launched(self.here, given)?, like.ty(), Signedness::Unsigned)),
        }
    }

    /// The digit's weight.
    pub(super) fn size(&self, part: &Part, like: Value) -> Option<Value> {
        if let Some(known) = part.size.as_known() {
            return Some(Value::int_of(like.ty(), known.into()));
        }
        let is_lower = |other: &&Part| other.of == part.of && other.size < part.size;
        let lower = self.mapping.threads().iter().chain(self.mapping.inside()).filter(is_lower);
        let counts = lower.map(|other| self.count(other, like)).collect::<Option<Vec<_>>>()?;
        counts.into_iter().reduce(|all, count| self.here.binary(Opcode::LLVMMul, all, count))
    }

    /// How many numbers of threads the digits of a loop make; none of a loop without such.
    pub(super) fn of_threads(&self, of: usize, like: Value) -> Option<Value> {
        let parts = self.mapping.threads().iter().filter(|part| part.of == of);
        let counts = parts.map(|part| self.count(part, like)).collect::<Option<Vec<_>>>()?;
        counts.into_iter().reduce(|all, count| self.here.binary(Opcode::LLVMMul, all, count))
    }
}

/// A number of teams or threads of a launch for NVIDIA's GPUs, in 64 bits; none of others, which it does not have.
pub(super) fn launched(here: &Code, given: Given) -> Option<Value> {
    let register = |name: &str| {
        let value = here.intrinsic(name, &[]);
        here.resize(value, integer(value, 64), Signedness::Unsigned)
    };
    match given {
        Given::Gang(0) => Some(register(NUMBER_OF_TEAMS)),
        Given::Worker(0) => Some(register(SIZE_OF_TEAM)),
        Given::Thread => Some(here.binary(Opcode::LLVMMul, register(NUMBER_OF_TEAMS), register(SIZE_OF_TEAM))),
        Given::Gang(_) | Given::Worker(_) | Given::Length(_) => None,
    }
}

/// Whether each loop, and each digit of the shared one, stays where the program has it.
pub(super) fn is_as_written(mapping: &Mapping, digits: usize) -> bool {
    mapping.fused().eq(0..digits) && own_digits(mapping, digits).is_empty() && mapping.keeps_loops_whole()
}

/// Whether it is something else than an order of loops with or without tiles of lanes.
pub(super) fn is_of_digits(mapping: &Mapping, digits: usize) -> bool {
    mapping.lanes().is_none() || !own_digits(mapping, digits).is_empty()
}

/// How many tiles of so many iterations a loop has that runs so often: the last one may have fewer.
pub(super) fn tiles(here: &Code, trips: Value, tile: u32) -> Value {
    if tile == 1 {
        return trips;
    }
    let [more, tile] = [tile - 1, tile].map(|number| Value::int_of(trips.ty(), number.into()));
    here.binary(Opcode::LLVMUDiv, here.binary(Opcode::LLVMAdd, trips, more), tile)
}

/// By which numbers, multiplied, a launch has more iterations for its threads than the shared loop, which is not cut into `digits` of its own: the shared loop's
/// own digits are numbers that are not handed out, and divide a factor. Rounded up; none where there is no such product. Of `trips` are those of the other loops
/// needed.
pub(super) fn factors_of_digits(mapping: &Mapping, digits: usize, trips: &[(usize, Sum)]) -> Option<Vec<Sum>> {
    let has_rest = |of: usize| mapping.threads().iter().any(|part| part.of == of && part.count == Count::Rest);
    // The product of the counts of some parts of a loop, where these are known.
    let known = |parts: &[Part], of: usize| {
        let mut of_loop = parts.iter().filter(|part| part.of == of && part.count != Count::Rest);
        of_loop.try_fold(1_u32, |all, part| match part.count {
            Count::Const(count) => all.checked_mul(count),
            Count::Rest | Count::Given(_) => None,
        })
    };
    if digits > 1 || !has_rest(0) {
        return None;
    }
    let inside = |of: usize| known(mapping.inside(), of);
    let mut factors = Vec::new();
    for of in mapping.fused() {
        let threads = known(mapping.threads(), of)?;
        let all = threads.checked_mul(inside(of)?)?;
        if of == 0 {
            continue;
        }
        factors.push(match has_rest(of) {
            true => {
                let (_, trips) = trips.iter().find(|(at, _)| *at == of)?;
                trips.plus(all - 1)?.divided_by(inside(of)?)?
            }
            false => Sum::number(threads)?,
        });
    }
    let share = inside(0)?;
    if let Some(first) = factors.first_mut() {
        *first = first.plus(share - 1)?.divided_by(share)?;
    }
    Some(factors)
}

#[cfg(test)]
mod tests {
    use super::{Count, Mapping, Sum, factors_of_digits};

    /// Numbers below a limit.
    fn generator(seed: u64) -> impl FnMut(u64) -> u64 {
        let mut state = seed;
        move |end: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % end
        }
    }

    /// Threads, and digits that they run through, of so many loops: the shared one's rest is a thread's.
    fn random_text(loops: usize, random: &mut impl FnMut(u64) -> u64) -> String {
        let (mut threads, mut inside) = (Vec::new(), Vec::new());
        for name in &["i", "j", "k"][..loops] {
            let (a, b) = (2 + random(3), 2 + random(4));
            let is_shared = *name == "i";
            match random(if is_shared { 4 } else { 6 }) {
                0 => threads.push(name.to_string()),
                1 => {
                    threads.push(format!("{name}/{a}"));
                    inside.push(format!("{name}%{a}"));
                }
                2 => {
                    threads.extend([format!("{name}/{}", a * b), format!("{name}%{a}")]);
                    inside.push(format!("{name}/{a}%{b}"));
                }
                3 => threads.extend([format!("{name}/{a}"), format!("{name}%{a}")]),
                4 => {
                    threads.push(format!("{name}%{a}"));
                    inside.push(format!("{name}/{a}"));
                }
                _ => {
                    threads.push(format!("{name}/rest%{a}"));
                    inside.push(format!("{name}%rest"));
                }
            }
        }
        for at in (1..threads.len()).rev() {
            threads.swap(at, random(at as u64 + 1) as usize);
        }
        format!("{} | {}", threads.join(" "), inside.join(" "))
    }

    #[test]
    fn a_launch_has_an_iteration_for_each_number_of_a_thread() {
        let mut random = generator(1);
        let names = ["i", "j", "k"];
        let (mut exact, mut rounded) = (0, 0);
        for _ in 0..5000 {
            let loops = 1 + random(3) as usize;
            let text = random_text(loops, &mut random);
            let mapping = Mapping::parse(&text, &names[..loops]).expect("digits of numbers");
            let inside = |of: usize| mapping.inside().iter().filter(move |part| part.of == of);
            let count = |count: Count| if let Count::Const(count) = count { u64::from(count) } else { 1 };
            let (others, _) = mapping.others(0).expect("small numbers");
            let share: u64 = inside(0).map(|part| count(part.count)).product();
            // Without numbers of the shared loop that have no iteration.
            let trips: Vec<u64> = (0..loops)
                .map(|of| if of == 0 { u64::from(others) * (1 + random(9)) } else { 1 + random(40) })
                .collect();
            let sums: Vec<(usize, Sum)> =
                trips.iter().map(|trips| Sum::number(*trips as u32).expect("a number")).enumerate().skip(1).collect();
            let factors = factors_of_digits(&mapping, 1, &sums).expect("all counts are numbers");
            let factors: Vec<u64> = factors.iter().map(|factor| factor.value(&[]) as u64).collect();
            let launched = trips[0] * factors.iter().product::<u64>();
            // Enumerated.
            let numbers = mapping.numbers(&trips, |_| 1).expect("small numbers");
            let threads: u64 = numbers[..mapping.threads().len()].iter().map(|(_, count)| count).product();
            if factors.is_empty() {
                assert_eq!(launched, threads * share, "{text} {trips:?}");
                continue;
            }
            assert!(launched >= threads, "{text} {trips:?}: {launched} for {threads}");
            // Each loop has as many numbers too many as threads of it have digits, at most, and the first factor is rounded up.
            let bound = |of: usize| {
                let of_loop: Vec<u64> =
                    mapping.threads().iter().filter(|part| part.of == of).map(|part| count(part.count)).collect();
                let numbers = numbers[..mapping.threads().len()].iter().zip(mapping.threads());
                let all: u64 = numbers.filter(|(_, part)| part.of == of).map(|((_, count), _)| count).product();
                all + of_loop.iter().product::<u64>()
            };
            let fused: Vec<usize> = mapping.fused().filter(|&of| of != 0).collect();
            let first = bound(fused[0]).div_ceil(share);
            let most = trips[0] * first * fused[1..].iter().map(|&of| bound(of)).product::<u64>();
            assert!(launched <= most, "{text} {trips:?}: {launched} for {threads}, {most} at most");
            if launched == threads { exact += 1 } else { rounded += 1 }
        }
        assert!(exact > 500 && rounded > 500, "{exact} exact, {rounded} rounded");
    }

    #[test]
    fn no_product_says_what_a_launch_of_other_threads_has() {
        let factors = |text: &str, digits: usize| {
            let mapping = Mapping::parse(text, &["i", "j"]).expect("a mapping");
            let sums: Vec<(usize, Sum)> =
                [5, 7].map(|trips| Sum::number(trips).expect("a number")).into_iter().enumerate().collect();
            factors_of_digits(&mapping, digits, &sums)
        };
        assert!(factors("i/8 j | i%8", 1).is_some());
        assert_eq!(factors("i/8 j | i%8", 2), None, "digits of one number");
        assert_eq!(factors("j/8 | i j%8", 1), None, "the shared loop makes no number");
        assert_eq!(factors("i%4 j | i/4", 1), None, "its rest makes none");
        assert_eq!(factors("i/rest%worker0 j | i%rest", 1), None);
        assert_eq!(factors("i j%gang0 | j/gang0", 1), None, "a number that the host does not have");
    }
}
