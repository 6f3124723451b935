//! How loops and threads move the addresses of accesses, in closed form.

use ipda_symbolic::{Atom, AtomId, OpaqueOp, Polynomial};

use super::pattern::{Pattern, spread_over};
use crate::form::Num;
use crate::summary::{Bound, Group, Point, atoms_in, varies_with};

/// A value that stands for one which is loaded: further than any cache line or page.
const FAR_AWAY: f64 = 8_388_608.0;

/// A loop, as far as addresses are concerned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Extent {
    pub(super) move_by: Move,
    pub(super) count: Num,
}

/// What an iteration more does to an address.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Move {
    /// So many bytes.
    By(Num),
    /// Anywhere, as the index is loaded.
    Anywhere,
}

/// The loops whose iterations are handed out together, the slowest first; neighbouring threads are `step` apart.
#[derive(Debug, Clone)]
pub(super) struct Threads {
    pub(super) loops: Vec<(usize, Num)>,
    pub(super) step: Num,
}

/// Where the accesses of a group go.
pub(super) struct Reach<'a> {
    bound: &'a Bound<'a>,
    pub(super) group: &'a Group,
    /// Bytes of the longest run of the group's accesses, and how many such runs there are, so far apart.
    block: f64,
    runs: Option<(Num, Num)>,
}

impl<'a> Reach<'a> {
    pub(super) fn new(bound: &'a Bound<'a>, group: &'a Group, piece: f64) -> Reach<'a> {
        let (block, runs) = crate::summary::clustered(&group.offsets, group.bytes, piece);
        Reach { bound, group, block, runs: runs.map(|runs| (runs.stride.into(), runs.count.into())) }
    }

    /// One access of the group.
    pub(super) fn of_one(&self) -> Reach<'a> {
        Reach { block: self.group.bytes, runs: None, ..*self }
    }

    /// An iteration of a loop more.
    pub(super) fn of_loop(&self, of: usize) -> Move {
        self.moved(of, None)
    }

    /// What the loop's number divided by the divisor does, or the rest where there are such quotients.
    fn moved(&self, of: usize, divisor: Option<(&Polynomial, Num)>) -> Move {
        let (Some(address), summary) = (&self.group.address, self.bound.summary()) else { return Move::Anywhere };
        let index = summary.loops[of].index;
        if self.bound.is_scattered_in(address, index) {
            return Move::Anywhere;
        }
        let space = &summary.space;
        let varies = |p: &Polynomial| varies_with(space, p, index);
        let moving = Polynomial::from_terms(address.terms().filter_map(|(monomial, factor)| {
            let term = Polynomial::term(monomial.clone(), factor.clone());
            varies(&term).then(|| (monomial.clone(), factor.clone()))
        }));
        if moving.is_zero() {
            return Move::By(Num::ZERO);
        }
        // What else is multiplied with the number stands in the middle.
        let around = summary.loops.iter().enumerate().filter(|(at, _)| *at != of);
        let mut point: Point = around
            .filter(|(_, l)| varies_with(space, &moving, l.index))
            .map(|(at, l)| (l.index, ((self.bound.trips(at, &Point::new()) - 1.0) / 2.0).max(0.0)))
            .collect();
        // Values that are loaded once take the loop far away.
        let is_unknown = |atom: &AtomId| match space.atom(*atom) {
            Atom::Load { .. } => true,
            Atom::Symbol(_) => self.bound.at(&Polynomial::from_atom(*atom), &Point::new()).is_err(),
            _ => false,
        };
        point.extend(atoms_in(space, &moving).into_iter().filter(is_unknown).map(|atom| (atom, Num::new(FAR_AWAY))));
        let mut from = point.clone();
        from.push((index, Num::ZERO));
        point.push((index, divisor.map_or(Num::ONE, |(_, divisor)| divisor)));
        for (atom, is_quotient, by) in self.divisions(index) {
            let same = divisor.is_some_and(|(divisor, _)| *divisor == by);
            let smaller = divisor.is_none();
            if same || smaller {
                let goes_on = same == is_quotient;
                point.push((atom, Num::from(u32::from(goes_on))));
                from.push((atom, Num::ZERO));
            }
        }
        let at = |point: &Point| self.bound.at(&moving, point);
        match (at(&point), at(&from)) {
            (Ok(with), Ok(without)) => Move::By((with - without).abs()),
            _ => Move::Anywhere,
        }
    }

    /// Quotients and rests of a loop's number in the address, with what it is divided by.
    fn divisions(&self, index: AtomId) -> Vec<(AtomId, bool, Polynomial)> {
        let Some(address) = &self.group.address else { return Vec::new() };
        let space = &self.bound.summary().space;
        let of = |atom: AtomId| {
            let (dividend, divisor, is_quotient) = match space.atom(atom) {
                Atom::FloorDiv(dividend, divisor) => (dividend, divisor, true),
                Atom::Op(OpaqueOp::TruncDiv, operands) => (operands.first()?, operands.get(1)?, true),
                Atom::Op(OpaqueOp::TruncRem, operands) => (operands.first()?, operands.get(1)?, false),
                _ => return None,
            };
            dividend.coefficient_of(index).filter(|factor| factor.is_one())?;
            Some((atom, is_quotient, divisor.clone()))
        };
        atoms_in(space, address).into_iter().filter_map(of).collect()
    }

    /// The threads' numbers as the address sees them, the fastest part first, for so many neighbours.
    pub(super) fn of_threads(&self, threads: &Threads, together: Num) -> Vec<Extent> {
        let mut extents = Vec::new();
        let (mut left, mut step) = (together, threads.step);
        for (number, (of, trips)) in threads.loops.iter().enumerate().rev() {
            let index = self.bound.summary().loops[*of].index;
            let mut divisors: Vec<(Polynomial, Num)> = Vec::new();
            for (_, _, divisor) in self.divisions(index) {
                let value = self.bound.at(&divisor, &Point::new());
                if let Some(value) = value.ok().filter(|_| divisors.iter().all(|(other, _)| *other != divisor)) {
                    divisors.push((divisor, value.max(1.0)));
                }
            }
            for part in 0..=divisors.len() {
                let own = part.checked_sub(1).map(|at| &divisors[at]);
                let unit = own.map_or(Num::ONE, |(_, unit)| *unit);
                let move_by = self.moved(*of, own.map(|(divisor, unit)| (divisor, *unit)));
                let is_last = number == 0 && part == divisors.len();
                // The slowest part takes what is left: there are never more neighbours than threads.
                if is_last && step == Num::ONE {
                    extents.push(Extent { move_by, count: left });
                    continue;
                }
                let end = divisors.get(part).map_or(*trips, |(_, next)| *next);
                let reach = if unit == Num::ONE { end } else { end / unit }.max(1.0);
                let (stride, room) = if step == Num::ONE {
                    (move_by, reach)
                } else {
                    let apart = match move_by {
                        Move::By(bytes) => Move::By(bytes * step),
                        Move::Anywhere => Move::Anywhere,
                    };
                    (apart, (reach / step).max(1.0))
                };
                let count = room.min(left);
                extents.push(Extent { move_by: stride, count });
                left = (left * (1.0 / room)).max(1.0);
                step = if step == Num::ONE { step } else { (step / reach).max(1.0) };
            }
        }
        extents
    }

    /// The same for all of the threads' iterations.
    pub(super) fn of_all_threads(&self, threads: &Threads) -> Vec<Extent> {
        let apart = Threads { loops: threads.loops.clone(), step: Num::ONE };
        let mut extents = Vec::new();
        for (of, trips) in apart.loops.iter().rev() {
            let alone = Threads { loops: vec![(*of, *trips)], step: Num::ONE };
            extents.extend(self.of_threads(&alone, *trips));
        }
        extents
    }

    /// The distinct pieces that all iterations of the loops touch.
    pub(super) fn pieces(&self, extents: &[Extent], piece: f64) -> Num {
        let references = self.group.offsets.len() as f64;
        if self.group.address.is_none() {
            return extents.iter().map(|extent| extent.count.max(1.0)).product::<Num>() * references;
        }
        let moves = |extent: &&Extent| extent.move_by != Move::By(Num::ZERO) && extent.count != Num::ONE;
        let moving: Vec<&Extent> = extents.iter().filter(moves).collect();
        if moving.iter().any(|extent| extent.move_by == Move::Anywhere) {
            let drawn = moving.iter().map(|extent| extent.count.max(1.0)).product::<Num>() * references;
            return spread_over(drawn, self.bound.mapped_bytes(&self.group.object), piece);
        }
        let by = |extent: &&Extent| match extent.move_by {
            Move::By(bytes) => Some((bytes, extent.count)),
            Move::Anywhere => None,
        };
        let loops = self.runs.into_iter().chain(moving.iter().filter_map(by)).collect();
        Pattern { block: self.block, loops }.pieces(piece)
    }
}
