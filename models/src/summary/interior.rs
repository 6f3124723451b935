//! Where accesses go but at edges: `a[i == 0 ? n - 1 : i - 1]`, `a[max(i - 1, 0)]` and `a[(i + n - 1) % n]` are `a[i - 1]` in all iterations but one.
//!
//! So are they where a conversion, which changes none of these numbers, is around the condition.
//!
//! What the few others touch is next to nothing, but a condition hides from all that reads addresses that rows follow each other and that references
//! touch the same data. Which case is the usual one is found by trying: at places inside of the loops, with values of variables by which rows and
//! columns are long. It is the same for predictions and for forms, which must know it before values are known.

use ipda_symbolic::{Atom, AtomId, OpaqueOp, Polynomial, Predicate};

use super::bind::TRIPS_WITHOUT_A_VALUE;
use super::value::{Point, atoms_in, value};
use super::{AccessSummary, LoopSummary, RegionSummary};
use crate::form::Num;
use crate::report::LoopKind;

/// How often a case must be the one that is met.
const PLACES: usize = 8;

/// What variables are tried with, and how far the next one is from it: those that threads' iterations depend on, those of other loops, others.
const LONG: [(f64, f64); 3] = [(10_007.0, 1_230.0), (101.0, 12.0), (5.0, 1.0)];

/// By how much others are larger at every second place: where it matters which they are, no case is the usual one.
const LARGER: f64 = 1e6;

/// How far values go on that rise evenly: so that they stay in rows, which are tried with lengths like those of loops.
const SLOPE: f64 = 0.5;

/// The part of a loop's iterations at each end that is not tried.
const EDGE: f64 = 0.1;

/// Where in a loop's iterations the places are, loop by loop: rests of multiples of irrational numbers, so that no period of a program's meets them.
const ROTATIONS: [f64; 4] =
    [0.618_033_988_749_895, 0.414_213_562_373_095, 0.732_050_807_568_877, 0.645_751_311_064_591];

/// The most cases that an address is freed of.
const MAX_CASES: usize = 32;

impl RegionSummary {
    /// Has addresses be those that accesses have but at edges.
    pub(super) fn without_edges(mut self) -> RegionSummary {
        let has_cases = |access: &AccessSummary| access.address.as_ref().is_ok_and(|address| self.has_cases(address));
        if !self.accesses.iter().any(has_cases) {
            return self;
        }
        let [small, large] = [1.0, LARGER].map(|times| self.tried_variables(times));
        let addresses: Vec<Option<Polynomial>> = self
            .accesses
            .iter()
            .map(|access| {
                let address = access.address.as_ref().ok().filter(|address| self.has_cases(address))?;
                let places = self.places(access.in_loop, [&small, &large])?;
                Some(self.interior(address, &places))
            })
            .collect();
        for (access, address) in self.accesses.iter_mut().zip(addresses) {
            if let Some(address) = address {
                access.address = Ok(address);
            }
        }
        self
    }

    fn has_cases(&self, address: &Polynomial) -> bool {
        let is_case = |atom: AtomId| {
            matches!(
                self.space.atom(atom),
                Atom::Predicate(_)
                    | Atom::FloorDiv(..)
                    | Atom::Op(OpaqueOp::Min | OpaqueOp::Max | OpaqueOp::TruncDiv | OpaqueOp::TruncRem, _)
            ) || self.hides_edges(atom)
        };
        address.atoms().iter().any(|atom| is_case(*atom))
    }

    /// Whether an atom is a conversion of what has another case at an edge, as `(int)(j > 0 ? j - 1 : n - 1)`.
    fn hides_edges(&self, atom: AtomId) -> bool {
        let Atom::Wrap { value, .. } = self.space.atom(atom) else { return false };
        let is_edge = |own: &AtomId| {
            matches!(self.space.atom(*own), Atom::Predicate(_) | Atom::Op(OpaqueOp::Min | OpaqueOp::Max, _))
                || self.hides_edges(*own)
        };
        value.atoms().iter().any(is_edge)
    }

    /// Variables with values of which loops are long, and so many times as large where no loop depends on them.
    fn tried_variables(&self, times: f64) -> Point {
        let depends = |atom: AtomId, is_of: &dyn Fn(&LoopSummary) -> bool| {
            let bounds = self.loops.iter().filter(|l| is_of(l)).filter_map(LoopSummary::bound);
            bounds.into_iter().any(|bound| atoms_in(&self.space, bound).contains(&atom))
        };
        let value = |(number, input): (usize, &super::Input)| {
            // What rows are long by that values go through evenly, as well.
            let is_row = |access: &AccessSummary| {
                let atoms =
                    access.address.as_ref().map_or_else(|_| Vec::new(), |address| atoms_in(&self.space, address));
                atoms.contains(&input.atom) && self.slopes.iter().any(|slope| atoms.contains(&slope.atom))
            };
            let is_shared =
                depends(input.atom, &|l| l.kind != LoopKind::Sequential) || self.accesses.iter().any(is_row);
            let rank = if is_shared { 0 } else { 2 - usize::from(depends(input.atom, &|_| true)) };
            let (first, apart) = LONG[rank];
            let times = if rank == 2 { times } else { 1.0 };
            // Arrays are far from each other, and lie at lines.
            let tried = if input.is_pointer { 0.0 } else { (first + apart * number as f64) * times };
            (input.atom, Num::new(tried))
        };
        let slopes = self.slopes.iter().map(|slope| (slope.atom, Num::new(SLOPE)));
        self.inputs.iter().enumerate().map(value).chain(slopes).collect()
    }

    /// Points inside of the loops around an access; none where a loop is not long with the values of variables, as one over `n / m` is not: all of its
    /// iterations would be edges.
    fn places(&self, innermost: Option<usize>, variables: [&Point; 2]) -> Option<Vec<Point>> {
        let chain = self.chain(innermost);
        let point = |place: usize| {
            let mut point = variables[place % 2].clone();
            for (depth, of) in chain.iter().enumerate() {
                let l = &self.loops[*of];
                let trips = l.bound().and_then(|trips| self.tried(trips, &point)).unwrap_or(TRIPS_WITHOUT_A_VALUE);
                if trips <= 1.0 && l.bound().is_some_and(|trips| trips.as_constant().is_none()) {
                    return None;
                }
                let turn = (ROTATIONS[depth % ROTATIONS.len()] * (place + 1) as f64).fract();
                point.push((l.index, Num::new((trips.max(1.0) * (EDGE + (1.0 - 2.0 * EDGE) * turn)).floor())));
            }
            Some(point)
        };
        (0..PLACES).map(point).collect()
    }

    fn tried(&self, p: &Polynomial, point: &Point) -> Option<f64> {
        let given = |atom: AtomId| point.iter().rev().find(|(own, _)| *own == atom).map(|(_, value)| *value);
        value(&self.space, p, &given).ok()?.known()
    }

    /// The address where all cases are those that the places meet.
    fn interior(&self, address: &Polynomial, places: &[Point]) -> Polynomial {
        let mut address = address.clone();
        for _ in 0..MAX_CASES {
            let usual = address.atoms().iter().find_map(|atom| Some((*atom, self.usual(*atom, &address, places)?)));
            match usual {
                Some((atom, value)) => address = address.replace(atom, &value),
                None => break,
            }
        }
        address
    }

    /// What an atom of the address is at all places, as a simpler expression.
    fn usual(&self, atom: AtomId, address: &Polynomial, places: &[Point]) -> Option<Polynomial> {
        let everywhere =
            |p: &Polynomial, is: &dyn Fn(f64) -> bool| places.iter().all(|place| self.tried(p, place).is_some_and(is));
        match self.space.atom(atom) {
            Atom::Predicate(Predicate::Zero(p)) => everywhere(p, &|value| value != 0.0).then(Polynomial::zero),
            Atom::Predicate(Predicate::NonNegative(p)) => {
                let holds = everywhere(p, &|value| value >= 0.0).then(Polynomial::one);
                holds.or_else(|| everywhere(p, &|value| value < 0.0).then(Polynomial::zero))
            }
            Atom::Op(op @ (OpaqueOp::Min | OpaqueOp::Max), operands) => {
                let is_first = |one: &&Polynomial| {
                    operands.iter().all(|other| {
                        let apart = *one - other;
                        everywhere(&apart, &|by| if *op == OpaqueOp::Min { by <= 0.0 } else { by >= 0.0 })
                    })
                };
                operands.iter().find(is_first).cloned()
            }
            Atom::FloorDiv(dividend, divisor) => {
                let is_below = everywhere(dividend, &|value| value >= 0.0)
                    && everywhere(&(dividend - divisor), &|value| value < 0.0);
                if is_below {
                    return Some(Polynomial::zero());
                }
                // `(i + 1) / m` is `i / m` but at the end of each row.
                let is_simpler = |other: &AtomId| match self.space.atom(*other) {
                    Atom::FloorDiv(own, by) => by == divisor && own.terms().len() < dividend.terms().len(),
                    _ => false,
                };
                let mut others = address.atoms().iter().copied().filter(is_simpler).collect::<Vec<_>>().into_iter();
                let same = |other: &AtomId| {
                    let apart = Polynomial::from_atom(atom) - Polynomial::from_atom(*other);
                    everywhere(&apart, &|by| by == 0.0)
                };
                others.find(same).map(Polynomial::from_atom)
            }
            Atom::Op(op @ (OpaqueOp::TruncDiv | OpaqueOp::TruncRem), operands) => {
                let [dividend, divisor] = &operands[..] else { return None };
                let is_below = everywhere(dividend, &|value| value >= 0.0)
                    && everywhere(&(dividend - divisor), &|value| value < 0.0);
                let rest = || if *op == OpaqueOp::TruncRem { dividend.clone() } else { Polynomial::zero() };
                is_below.then(rest)
            }
            Atom::Wrap { value, .. } if self.hides_edges(atom) => {
                everywhere(&(&Polynomial::from_atom(atom) - value), &|by| by == 0.0).then(|| value.clone())
            }
            _ => None,
        }
    }
}
