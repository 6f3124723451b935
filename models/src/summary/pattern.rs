//! Where accesses go: reference groups, what the lanes of a warp touch, and what loops touch.

use std::collections::HashMap;

use ipda_symbolic::{Atom, AtomId, OpaqueOp, Polynomial, Space};

use super::average::Point;
use super::footprint::{Extent, Pattern, common_divisor};
use super::value::{Scope, value, varies_with};
use super::{AccessKind, Bound, Condition};
use crate::form::Num;

/// Places of a nest at which the sectors of a warp are counted.
const SAMPLES: u32 = 16;
/// Sectors of a warp's accesses that are counted one by one, at most: where blocks that are copied are longer, the rest is taken to be like the
/// beginning.
const MOST_SECTORS: f64 = 32_768.0;
/// Loaded indices lie so many elements apart, each on a boundary that no sector or line crosses.
const SCATTERED: u64 = 1 << 17;
const SCATTERED_UNIT: f64 = 128.0;

/// Accesses of one kind to one array in one loop whose addresses differ by constants.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub(crate) object: String,
    pub(crate) kind: AccessKind,
    pub(crate) bytes: f64,
    pub(crate) in_loop: Option<usize>,
    pub(crate) address: Option<Polynomial>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) active: Option<Vec<u32>>,
    /// Distinct ones, from the first access's address.
    pub(crate) offsets: Vec<f64>,
}

impl Group {
    /// Whether both begin at the same place in the same loop.
    pub(crate) fn is_at(&self, other: &Group) -> bool {
        self.in_loop == other.in_loop
            && self.address.is_some()
            && self.address == other.address
            && self.bytes == other.bytes
    }

    /// Whether both do the same under the same conditions to the same array, not atomically.
    pub(crate) fn is_like(&self, other: &Group) -> bool {
        self.object == other.object
            && self.kind == other.kind
            && self.kind != AccessKind::Atomic
            && self.bytes == other.bytes
            && self.in_loop == other.in_loop
            && self.conditions == other.conditions
    }
}

/// The loops whose iterations are handed out together, the slowest first, with their iterations; neighbouring threads are `step` apart.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Threads {
    pub(super) loops: Vec<(usize, f64)>,
    pub(super) step: f64,
}

/// A part of a loop's number that addresses see on its own: `number / unit`, up to `count`.
#[derive(Debug, Clone, Copy)]
struct Digit {
    of: usize,
    unit: f64,
    count: f64,
}

impl Bound<'_> {
    /// The reference groups of the accesses in a loop and those inside of it.
    pub(crate) fn groups(&self, inside: usize) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        // Those whose addresses are the same but for a constant.
        let mut alike: HashMap<Polynomial, Vec<usize>> = HashMap::new();
        for access in &self.summary.accesses {
            if !self.summary.chain(access.in_loop).contains(&inside) {
                continue;
            }
            let address = match &access.address {
                Ok(address) => Some(address.clone()),
                Err(_) => {
                    self.note(format!("{} in {} goes anywhere: its address is not known", access.object, access.place));
                    None
                }
            };
            let variable = address.as_ref().map(Polynomial::without_constant);
            let distance = |group: &Group| {
                let is_same = group.in_loop == access.in_loop
                    && group.kind == access.kind
                    && group.bytes == access.bytes as f64
                    && group.object == access.object
                    && group.conditions == access.conditions
                    && group.active == access.active;
                let difference = address.as_ref()?.constant_term() - group.address.as_ref()?.constant_term();
                is_same.then_some(difference.to_i64()? as f64)
            };
            let mut candidates = variable.as_ref().and_then(|variable| alike.get(variable)).into_iter().flatten();
            match candidates.find_map(|at| Some((*at, distance(&groups[*at])?))) {
                Some((at, offset)) => {
                    if !groups[at].offsets.contains(&offset) {
                        groups[at].offsets.push(offset);
                    }
                }
                None => {
                    if let Some(variable) = variable {
                        alike.entry(variable).or_default().push(groups.len());
                    }
                    groups.push(Group {
                        object: access.object.clone(),
                        kind: access.kind,
                        bytes: access.bytes.max(1) as f64,
                        in_loop: access.in_loop,
                        address,
                        conditions: access.conditions.clone(),
                        active: access.active.clone(),
                        offsets: vec![0.0],
                    });
                }
            }
        }
        groups
    }

    /// The address at a point. Arrays begin at a line's boundary; indices that are loaded are spread evenly.
    fn address(&self, address: &Polynomial, point: &Point) -> f64 {
        let scope = Addresses { bound: self, address, point };
        // Only a division by 0 has no value.
        value(&self.summary.space, address, &scope).map_or(0.0, Num::get)
    }

    /// Whether an address depends on a loop through values that nobody knows.
    pub(crate) fn is_scattered_in(&self, address: &Polynomial, index: AtomId) -> bool {
        let space = &self.summary.space;
        super::value::atoms_in(space, address).into_iter().any(|atom| {
            if self.given(atom).is_some() {
                return false;
            }
            match space.atom(atom) {
                Atom::Load { address, .. } => varies_with(space, address, index),
                Atom::Symbol(_) => !self.is_fixed(address, atom),
                _ => false,
            }
        })
    }

    /// Whether a symbol is the same for all iterations: a variable from outside, or the place where an array begins.
    fn is_fixed(&self, address: &Polynomial, atom: AtomId) -> bool {
        let is_input = self.summary.inputs.iter().any(|input| input.atom == atom);
        is_input || address.coefficient_of(atom).is_some_and(|factor| factor.is_one())
    }

    /// Whether indices of the group are loaded.
    pub(crate) fn is_indirect(&self, group: &Group) -> bool {
        let Some(address) = &group.address else { return true };
        self.summary.loops.iter().any(|l| self.is_scattered_in(address, l.index))
    }

    /// Sectors that one access of a warp touches, and how many of them it leaves at the same time as the loop around goes on.
    pub(super) fn sectors(
        &self,
        group: &Group,
        threads: &Threads,
        inner: &[(usize, f64)],
        lanes: u32,
        sector: f64,
    ) -> (f64, f64) {
        let Some(address) = &group.address else { return (f64::from(lanes), 1.0) };
        let is_active = |lane: &u32| group.active.as_ref().is_none_or(|active| active.contains(lane));
        let active: Vec<u32> = (0..lanes).filter(is_active).collect();
        let all: f64 = threads.loops.iter().map(|(_, trips)| trips).product();
        let most = (MOST_SECTORS / active.len().max(1) as f64).floor().max(1.0);
        let beyond = (group.bytes / sector / most).max(1.0);
        let warps = (all / f64::from(lanes) / threads.step).floor().max(1.0);
        let (mut sectors, mut in_step) = (0.0, 0.0);
        for sample in 0..SAMPLES {
            let mut point: Point = Vec::new();
            for (depth, (of, trips)) in (1_u32..).zip(inner) {
                point.push((self.summary.loops[*of].index, spread(sample, depth, *trips).into()));
            }
            let warp = spread(sample, 0, warps) * f64::from(lanes) * threads.step;
            let place = |lane: &u32| {
                let mut here = point.clone();
                let number = warp + f64::from(*lane) * threads.step;
                if number >= all && *lane > 0 {
                    return None;
                }
                self.push_numbers(&mut here, threads, number.min(all - 1.0).max(0.0));
                Some(self.address(address, &here))
            };
            let mut touched: Vec<(f64, f64)> = Vec::new();
            for place in active.iter().filter_map(place) {
                let first = (place / sector).floor();
                let last = ((place + group.bytes - 1.0) / sector).floor();
                // Beyond 2^53 sums of numbers no longer grow: the number of sectors is bounded by itself.
                for number in 0..=(last - first).clamp(0.0, most) as u32 {
                    let at = first + f64::from(number);
                    touched.push((at, (place - at * sector).max(0.0)));
                }
            }
            touched.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.total_cmp(&right.1)));
            touched.dedup_by_key(|(at, _)| *at);
            let count = touched.len().max(1) as f64;
            // Lanes with the same position in their sectors leave them together.
            let mut positions: Vec<f64> = touched.iter().map(|(_, position)| *position).collect();
            positions.sort_by(f64::total_cmp);
            positions.dedup();
            sectors += count * beyond;
            in_step += (count / positions.len().max(1) as f64).max(1.0);
        }
        (sectors / f64::from(SAMPLES), in_step / f64::from(SAMPLES))
    }

    /// Bytes from one iteration of a loop to the next; none where they are not always the same.
    pub(super) fn distance(&self, group: &Group, of: usize) -> Option<f64> {
        let address = group.address.as_ref()?;
        let index = self.summary.loops[of].index;
        if self.is_scattered_in(address, index) {
            return None;
        }
        let at = |number: f64| self.address(address, &vec![(index, number.into())]);
        let [first, second, third] = [0.0, 1.0, 2.0].map(at);
        (second - first == third - second).then_some((second - first).abs())
    }

    /// The numbers of the loops' iterations in the iteration of all loops together.
    fn push_numbers(&self, point: &mut Point, threads: &Threads, mut number: f64) {
        for (at, (of, trips)) in threads.loops.iter().enumerate().rev() {
            let trips = trips.max(1.0);
            let own = if at == 0 { number } else { number % trips };
            number = ((number - own) / trips).floor();
            point.push((self.summary.loops[*of].index, own.into()));
        }
    }

    /// The distinct pieces that the group touches in `together` iterations of the threads' loops, from the first on, `threads.step` apart,
    /// and in all of `inner`, while `around` stand still.
    pub(super) fn pieces(
        &self,
        group: &Group,
        threads: &Threads,
        together: f64,
        around: &[(usize, f64)],
        inner: &[(usize, f64)],
        piece: f64,
    ) -> f64 {
        let references = group.offsets.len() as f64;
        let executions = together.max(1.0) * inner.iter().map(|(_, trips)| trips.max(1.0)).product::<f64>();
        let Some(address) = &group.address else { return executions * references };
        let middle: Point = around
            .iter()
            .chain(inner)
            .chain(&threads.loops)
            .map(|(of, trips)| (self.summary.loops[*of].index, ((trips - 1.0) / 2.0).floor().max(0.0).into()))
            .collect();
        let stride = |digit: &Digit| {
            let index = self.summary.loops[digit.of].index;
            let with = |number: f64| {
                let mut point = middle.clone();
                point.push((index, number.into()));
                self.address(address, &point)
            };
            with(digit.unit) - with(0.0)
        };
        let whole = |(of, trips): &(usize, f64)| Digit { of: *of, unit: 1.0, count: trips.max(1.0) };
        let digits = self.digits(address, threads, together);
        let inside: Vec<Digit> = digits.iter().copied().chain(inner.iter().map(whole)).collect();
        let is_scattered = |digit: &&Digit| self.is_scattered_in(address, self.summary.loops[digit.of].index);
        if inside.iter().any(|digit| is_scattered(&digit)) {
            let places = inside.iter().filter(|digit| is_scattered(digit) || stride(digit) != 0.0);
            let drawn: f64 = places.map(|digit| digit.count).product::<f64>() * references;
            return spread_over(drawn, self.mapped_bytes(&group.object).map(Num::get), piece);
        }
        let extents: Vec<Extent> =
            inside.iter().map(|digit| Extent { stride: stride(digit), count: digit.count }).collect();
        // Where the pattern begins moves with what stands still here, and with the threads beyond.
        let beyond = digits.iter().map(|digit| stride(digit) * digit.count);
        let still = around.iter().map(|of| stride(&whole(of)));
        let covers_all = threads.loops.iter().map(|(_, trips)| trips).product::<f64>() <= together;
        let start_unit = still.chain(beyond.filter(|_| !covers_all)).fold(0.0, common_divisor);
        let pattern = Pattern { bytes: group.bytes, offsets: &group.offsets, loops: &extents, start_unit };
        pattern.pieces(piece)
    }

    /// The threads' numbers as addresses see them, the fastest part first, for so many neighbours.
    fn digits(&self, address: &Polynomial, threads: &Threads, together: f64) -> Vec<Digit> {
        let mut digits = Vec::new();
        let mut left = together.max(1.0);
        let mut step = threads.step;
        for (of, trips) in threads.loops.iter().rev() {
            let mut units = vec![1.0];
            units.extend(
                self.divisors(address, self.summary.loops[*of].index).into_iter().filter(|unit| *unit < *trips),
            );
            for (at, unit) in units.iter().enumerate() {
                let end = units.get(at + 1).copied().unwrap_or(*trips);
                // Where threads are further apart than a part reaches, the next part takes what is left of the distance.
                let reach = (end / unit).max(1.0);
                let (stride, count) = if step < reach { (unit * step, (reach / step).ceil()) } else { (*unit, 1.0) };
                step = (step / reach).max(1.0);
                digits.push(Digit { of: *of, unit: stride, count: count.min(left) });
                left = (left / count).ceil().max(1.0);
            }
        }
        digits
    }

    /// What the address divides a loop's number by, as collapsed loops do, ascending.
    fn divisors(&self, address: &Polynomial, index: AtomId) -> Vec<f64> {
        let space = &self.summary.space;
        let divisor_of = |atom: AtomId| {
            let (dividend, divisor) = match space.atom(atom) {
                Atom::FloorDiv(dividend, divisor) => (dividend, divisor),
                Atom::Op(OpaqueOp::TruncDiv | OpaqueOp::TruncRem, operands) => (operands.first()?, operands.get(1)?),
                _ => return None,
            };
            dividend.coefficient_of(index).filter(|factor| factor.is_one())?;
            self.at(divisor, &Vec::new()).ok().map(Num::get).filter(|divisor| *divisor > 1.0)
        };
        let mut divisors: Vec<f64> =
            super::value::atoms_in(space, address).into_iter().filter_map(divisor_of).collect();
        divisors.sort_by(f64::total_cmp);
        divisors.dedup();
        divisors
    }
}

/// Pieces that so many accesses at random touch of an array of that size; each its own where the size is not known.
fn spread_over(accesses: f64, bytes: Option<f64>, piece: f64) -> f64 {
    match bytes.map(|bytes| (bytes / piece).max(1.0)) {
        Some(pieces) => (pieces * -(-accesses / pieces).exp_m1()).max(1.0),
        None => accesses,
    }
}

/// A whole number below `count`, for each sample and loop another, evenly spread: multiples of an irrational number do that.
fn spread(sample: u32, depth: u32, count: f64) -> f64 {
    // The roots of the first primes.
    const STEPS: [f64; 6] = [0.414_213_562, 0.732_050_808, 0.236_067_977, 0.645_751_311, 0.316_624_790, 0.605_551_275];
    let step = STEPS[depth as usize % STEPS.len()];
    ((f64::from(sample) * step).fract() * count).floor().clamp(0.0, (count - 1.0).max(0.0))
}

/// Values in an address.
struct Addresses<'a> {
    bound: &'a Bound<'a>,
    address: &'a Polynomial,
    point: &'a Point,
}

impl Scope for Addresses<'_> {
    fn given(&self, space: &Space, atom: AtomId) -> Option<Num> {
        if let Some((_, number)) = self.point.iter().rev().find(|(index, _)| *index == atom) {
            return Some(*number);
        }
        if let Some(value) = self.bound.given(atom) {
            return Some(value);
        }
        match space.atom(atom) {
            Atom::Load { address, .. } => {
                let place = value(space, address, self).map_or(0.0, Num::get);
                Some(scattered(place.to_bits()))
            }
            Atom::Symbol(_) if self.bound.is_fixed(self.address, atom) => Some(Num::ZERO),
            Atom::Symbol(_) => {
                let numbers = self.point.iter().map(|(_, number)| number.get());
                Some(scattered(numbers.fold(atom.index() as u64, |hash, number| mix(hash ^ number.to_bits()))))
            }
            // Of no loop around.
            Atom::Iteration(_) => Some(Num::ZERO),
            _ => None,
        }
    }
}

fn scattered(seed: u64) -> Num {
    Num::new((mix(seed) % SCATTERED) as f64 * SCATTERED_UNIT)
}

/// The finaliser of MurmurHash3, which spreads all bits.
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    bits ^ (bits >> 33)
}
