//! How loops and threads move the addresses of accesses.

use std::cmp::Ordering;

use ipda_symbolic::{Atom, AtomId, OpaqueOp, Polynomial, Space};

use super::footprint::{Distance, Pattern, clustered, spread_over};
use super::pattern::Group;
use super::phase::Taken;
use super::value::{Point, atoms_in, divided, quotient, value, varies_with};
use super::{AccessKind, Bound};
use crate::form::Num;

/// A value that stands for one which is loaded: further than any cache line or page.
const FAR_AWAY: f64 = 8_388_608.0;

/// Whether a loop's number goes on by a constant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Steps {
    Constant,
    Varying,
}

/// A loop, as far as addresses are concerned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extent {
    pub(crate) move_by: Move,
    pub(crate) count: Num,
}

/// What an iteration more does to an address.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Move {
    /// So far.
    By(Distance),
    /// Anywhere, as the index is loaded.
    Anywhere,
}

impl Move {
    /// So many iterations more.
    fn times(self, number: Num) -> Move {
        match self {
            Move::By(_) if number == Num::ONE => self,
            Move::By(Distance { bytes, is_fixed }) => Move::By(Distance { bytes: bytes * number, is_fixed }),
            Move::Anywhere => Move::Anywhere,
        }
    }
}

impl Taken {
    /// Whether it is the part of that loop's number, or the number itself.
    fn is_part(&self, of: usize, divisor: Option<&Polynomial>) -> bool {
        self.of == of && self.apart.as_ref().map(|(apart, _)| apart) == divisor
    }
}

impl Extent {
    /// Whether an iteration more leads anywhere else.
    pub(crate) fn leads_away(&self) -> bool {
        !matches!(self.move_by, Move::By(distance) if distance.bytes == Num::ZERO)
    }

    /// Whether all of it leads anywhere else.
    pub(crate) fn moves(&self) -> bool {
        self.leads_away() && self.count != Num::ONE
    }
}

/// The loops whose iterations are handed out together, the slowest first; neighbouring threads are `step` apart.
#[derive(Debug, Clone)]
pub(crate) struct Threads {
    pub(crate) loops: Vec<(usize, Num)>,
    pub(crate) step: Num,
    /// How far neighbouring ones are apart in the number of their one loop, where several loops that a clause collapsed changed places in it.
    pub(crate) apart: Option<Polynomial>,
    /// How many lanes of a warp run along each loop, or each of those that the one was collapsed from, the slowest first, where they are a tile.
    pub(crate) lanes: Vec<u32>,
    /// Iterations of one of the loops that each takes together.
    pub(crate) taken: Option<Taken>,
}

/// A quotient or a rest of a loop's number, or of such a quotient.
struct Division {
    atom: AtomId,
    is_quotient: bool,
    /// What the loop's number is divided by, altogether.
    by: Polynomial,
    is_of_quotient: bool,
}

/// Where the accesses of a group go.
pub(crate) struct Reach<'a> {
    bound: &'a Bound<'a>,
    pub(crate) group: &'a Group,
    /// Bytes of the longest run of the group's accesses, and how many such runs there are, so far apart.
    block: f64,
    runs: Option<(Distance, Num)>,
    /// Whether what is at random are the beginnings of rows, of which no two share elements.
    are_rows: bool,
    /// Whether the places are those of a tile that repeats in two directions, in an array that is no longer.
    repeats: bool,
    /// Whether one loop goes further than the distance of another one, as the iterations of all rows do beside a loop over the rows above and below.
    slides: bool,
    /// The share of iterations that make the access.
    share: Num,
    /// Bytes of the array that values which nobody knows can choose among, where other parts of the address go through some of it.
    room: Option<Num>,
}

impl<'a> Reach<'a> {
    pub(crate) fn new(bound: &'a Bound<'a>, group: &'a Group, piece: f64) -> Reach<'a> {
        let (block, runs) = clustered(&group.offsets, group.bytes, piece);
        let runs = runs.map(|(stride, count)| (Distance::fixed(stride), count.into()));
        Reach {
            bound,
            group,
            block,
            runs,
            are_rows: bound.walks_rows(group),
            slides: slides(bound, group),
            repeats: repeats(bound, group),
            share: Num::ONE,
            room: None,
        }
    }

    /// The same of an array that all of these iterations go through, without leaving it: what is added to `x[list[i] + rows * j]` by the list is less than what
    /// `j` leaves of the array.
    pub(crate) fn within(&self, everywhere: &[Extent]) -> Reach<'a> {
        let by = |extent: &Extent| match extent.move_by {
            Move::By(distance) if extent.moves() => Some(distance.bytes * (extent.count - 1.0).max(0.0)),
            _ => None,
        };
        let reached: Vec<Num> = everywhere.iter().filter_map(by).collect();
        let is_drawn = everywhere.iter().any(|extent| extent.move_by == Move::Anywhere);
        let bytes = self.bound.mapped_bytes_if_known(&self.group.object).filter(|_| is_drawn && !reached.is_empty());
        Reach { room: bytes.map(|bytes| bytes - reached.into_iter().sum::<Num>()), ..*self }
    }

    /// The same of accesses that only this share of iterations makes.
    pub(crate) fn of_share(&self, share: Num) -> Reach<'a> {
        Reach { share, ..*self }
    }

    /// The same in pieces of another size.
    pub(crate) fn of_pieces(&self, piece: f64) -> Reach<'a> {
        let (block, runs) = clustered(&self.group.offsets, self.group.bytes, piece);
        Reach { block, runs: runs.map(|(stride, count)| (Distance::fixed(stride), count.into())), ..*self }
    }

    /// Bytes of the longest run of the group's accesses.
    pub(crate) fn block(&self) -> f64 {
        self.block
    }

    /// One access of the group.
    pub(crate) fn of_one(&self) -> Reach<'a> {
        Reach { block: self.group.bytes, runs: None, ..*self }
    }

    /// An iteration of a loop more.
    pub(crate) fn of_loop(&self, of: usize) -> Move {
        self.moved(of, None)
    }

    /// The iterations that a thread takes in lockstep, of which one more of them leads so far; none where all of them go to the same place.
    pub(crate) fn in_lockstep(&self, threads: &Threads) -> Option<Extent> {
        let taken = threads.taken.as_ref()?;
        let at = threads.loops.iter().position(|(of, _)| *of == taken.of)?;
        let tile = threads.lanes.get(at).map_or(Num::ONE, |lanes| Num::from(*lanes));
        let move_by = self.moved(taken.of, taken.apart.as_ref().map(|(apart, by)| (apart, *by))).times(tile);
        let leads_away = !self.stays(taken.of, taken.apart.as_ref().map(|(apart, _)| apart));
        Some(Extent { move_by, count: taken.several }).filter(|extent| leads_away && extent.leads_away())
    }

    /// Whether the address stays the same where the loop's number goes on by `apart`, or by one, whatever values variables have.
    fn stays(&self, of: usize, apart: Option<&Polynomial>) -> bool {
        let Some(address) = &self.group.address else { return false };
        let (space, index) = (&self.bound.summary().space, self.bound.summary().loops[of].index);
        let apart = apart.cloned().unwrap_or_else(Polynomial::one);
        let divisions = self.divisions(index);
        let mut there = address.replace(index, &(Polynomial::from_atom(index) + apart.clone()));
        for atom in address.atoms() {
            let Some(Division { is_quotient, by: divisor, is_of_quotient, .. }) =
                divisions.iter().find(|division| division.atom == atom)
            else {
                if atom != index && varies_with(space, &Polynomial::from_atom(atom), index) {
                    return false;
                }
                continue;
            };
            // Of slower digits none goes on.
            let more = match (quotient(&apart, divisor), quotient(divisor, &apart)) {
                (Some(more), _) if *is_quotient => more,
                (None, Some(_)) if !is_quotient && !is_of_quotient => apart.clone(),
                (None, None) => return false,
                (None, Some(_)) if *is_of_quotient => return false,
                _ => Polynomial::zero(),
            };
            there = there.replace(atom, &(Polynomial::from_atom(atom) + more));
        }
        there == *address
    }

    /// What the loop's number divided by the divisor does, or the rest where there are such quotients.
    fn moved(&self, of: usize, divisor: Option<(&Polynomial, Num)>) -> Move {
        let (Some(address), summary) = (&self.group.address, self.bound.summary()) else { return Move::Anywhere };
        let index = summary.loops[of].index;
        if self.is_scattered(address, index, divisor) {
            let rising = self.rising(address, of).filter(|_| divisor.is_none());
            return rising.map_or(Move::Anywhere, |bytes| Move::By(Distance { bytes, is_fixed: false }));
        }
        let space = &summary.space;
        let parts = self.parts_said(index, divisor);
        let said = |atom: AtomId| parts.iter().find(|(own, _)| *own == atom).map(|(_, goes_on)| !goes_on);
        // What is loaded by a quotient that stands is the same as well.
        let is_still = |atom: AtomId| {
            matches!(space.atom(atom), Atom::Load { .. } | Atom::Wrap { .. }) && is_still(space, atom, index, &said)
        };
        let varies = |p: &Polynomial| {
            p.atoms().iter().any(|atom| !is_still(*atom) && varies_with(space, &Polynomial::from_atom(*atom), index))
        };
        let moving = Polynomial::from_terms(address.terms().filter_map(|(monomial, factor)| {
            let term = Polynomial::term(monomial.clone(), factor.clone());
            varies(&term).then(|| (monomial.clone(), factor.clone()))
        }));
        if moving.is_zero() {
            return Move::By(Distance::ZERO);
        }
        // What else is multiplied with the number stands in the middle.
        let around = summary.loops.iter().enumerate().filter(|(at, _)| *at != of);
        let mut point: Point = around
            .filter(|(_, l)| varies_with(space, &moving, l.index))
            .map(|(at, l)| (l.index, ((self.bound.trips(at, &Point::new()) - 1.0) / 2.0).max(0.0)))
            .collect();
        // Values that are loaded once take the loop far away.
        let is_unknown = |atom: &AtomId| match space.atom(*atom) {
            _ if self.bound.given(*atom).is_some() => false,
            Atom::Load { .. } => true,
            Atom::Symbol(_) => self.bound.at(&Polynomial::from_atom(*atom), &Point::new()).is_err(),
            _ => false,
        };
        point.extend(atoms_in(space, &moving).into_iter().filter(is_unknown).map(|atom| (atom, Num::new(FAR_AWAY))));
        let mut from = point.clone();
        from.push((index, Num::ZERO));
        point.push((index, divisor.map_or(Num::ONE, |(_, divisor)| divisor)));
        for &(atom, goes_on) in &parts {
            point.push((atom, Num::from(u32::from(goes_on))));
            from.push((atom, Num::ZERO));
        }
        let at = |point: &Point| self.bound.at(&moving, point);
        match (at(&point), at(&from)) {
            (Ok(with), Ok(without)) => {
                let stands = |atom: AtomId| point.iter().any(|(own, value)| *own == atom && *value == Num::ZERO);
                let step = divisor.and_then(|(divisor, _)| divisor.as_constant());
                let steps = if divisor.is_none() || step.is_some() { Steps::Constant } else { Steps::Varying };
                let is_fixed = self.is_fixed(&moving, index, steps, &stands);
                let always = || Some(Num::new((self.tried(&moving, &point)? - self.tried(&moving, &from)?).abs()));
                let bytes = is_fixed.then(always).flatten().unwrap_or_else(|| (with - without).abs());
                Move::By(Distance { bytes, is_fixed })
            }
            _ => Move::Anywhere,
        }
    }

    /// What quotients and rests of a loop's number do where the part goes on that is the number divided so, or its fastest: go on by one, or stand.
    fn parts_said(&self, index: AtomId, divisor: Option<(&Polynomial, Num)>) -> Vec<(AtomId, bool)> {
        let said = |Division { atom, is_quotient, by, is_of_quotient }: Division| {
            let same = divisor.is_some_and(|(divisor, _)| *divisor == by);
            // Those of a quotient that stands do as well.
            let goes_on = if is_of_quotient { same && is_quotient } else { same == is_quotient };
            (same || divisor.is_none()).then_some((atom, goes_on))
        };
        self.divisions(index).into_iter().filter_map(said).collect()
    }

    /// Whether an address depends on that part of a loop's number through values that nobody knows. What is loaded by a quotient alone, as the rows
    /// `x[list[i / n]]`, is the same for neighbours.
    fn is_scattered(&self, address: &Polynomial, index: AtomId, divisor: Option<(&Polynomial, Num)>) -> bool {
        let space = &self.bound.summary().space;
        let mut scattering = self.bound.scattering(address, index).peekable();
        if scattering.peek().is_none() {
            return false;
        }
        let parts = self.parts_said(index, divisor);
        let said = |atom: AtomId| parts.iter().find(|(own, _)| *own == atom).map(|(_, goes_on)| !goes_on);
        // `x[list[i % n] + n * (i / n)]` reads the same place of the list in the next row, where the number and its quotient both go on.
        let comes_back = |place: &Polynomial| {
            let Some((divisor, _)) = divisor else { return false };
            let mut there = place.replace(index, &(Polynomial::from_atom(index) + divisor.clone()));
            for atom in place.atoms().into_iter().filter(|atom| *atom != index) {
                match parts.iter().find(|(own, _)| *own == atom) {
                    Some((_, true)) => there = there.replace(atom, &(Polynomial::from_atom(atom) + Polynomial::one())),
                    Some((_, false)) => {}
                    None if varies_with(space, &Polynomial::from_atom(atom), index) => return false,
                    None => {}
                }
            }
            there == *place
        };
        scattering.any(|atom| match space.atom(atom) {
            Atom::Load { address, .. } => !is_still(space, atom, index, &said) && !comes_back(address),
            _ => true,
        })
    }

    /// Whether neighbouring iterations of the loop go to neighbouring places since a list of them says so.
    pub(crate) fn is_listed(&self, of: usize) -> bool {
        self.group.address.as_ref().is_some_and(|address| self.rising(address, of).is_some())
    }

    /// How far neighbouring iterations are apart in an array whose places are listed in another one, a place for each iteration, if each is listed
    /// once. That is so where the loop stores by the list, as iterations of a parallel loop that stored to one place would race. Such lists are of
    /// most of the array's elements, and taken as rising.
    fn rising(&self, address: &Polynomial, of: usize) -> Option<Num> {
        let summary = self.bound.summary();
        let (space, index) = (&summary.space, summary.loops[of].index);
        let varies = |atom: &AtomId| *atom == index || varies_with(space, &Polynomial::from_atom(*atom), index);
        let moving: Vec<AtomId> = address.atoms().iter().copied().filter(varies).collect();
        let &[listed] = &moving[..] else { return None };
        let Atom::Load { address: place, bytes, .. } = space.atom(listed) else { return None };
        let step = place.coefficient_of(index)?.as_constant().and_then(|step| step.to_i64().map(i64::unsigned_abs));
        let is_list = step == Some(*bytes) && !varies_with(space, &place.split_affine(index)?.1, index);
        let is_stored_by = |address: &Polynomial| address.coefficient_of(listed).is_some_and(|by| !by.is_zero());
        let mut stores = summary.accesses.iter().filter(|access| access.kind == AccessKind::Store);
        let is_once = stores.any(|store| store.address.as_ref().is_ok_and(is_stored_by));
        let by = address.coefficient_of(listed)?.as_constant()?.to_i64()?.unsigned_abs() as f64;
        if !is_list || !is_once {
            return None;
        }
        let trips = self.bound.trips(of, &Point::new()).max(1.0);
        self.bound.note("a list of places by which the loop stores has each once, and is taken as rising");
        Some((self.bound.mapped_bytes(&self.group.object)? / trips).max(by))
    }

    /// An expression with values that are as good as any others, where the point has none that is the same at each launch.
    fn tried(&self, p: &Polynomial, point: &Point) -> Option<f64> {
        const ANY: f64 = 64.0;
        let space = &self.bound.summary().space;
        let given = |atom: AtomId| match point.iter().rev().find(|(own, _)| *own == atom) {
            Some((_, value)) => Some(value.known().unwrap_or(ANY).into()),
            None => matches!(space.atom(atom), Atom::Symbol(_) | Atom::Iteration(_) | Atom::Load { .. })
                .then_some(ANY.into()),
        };
        value(space, p, &given).ok()?.known()
    }

    /// Whether an expression moves with nothing but the number of a loop, if that goes on by a constant, and with quotients and rests of that, but
    /// for those that stand still.
    fn is_fixed(&self, p: &Polynomial, index: AtomId, steps: Steps, stands: &dyn Fn(AtomId) -> bool) -> bool {
        let divisions = self.divisions(index);
        let is_division = |atom: AtomId| divisions.iter().any(|division| division.atom == atom);
        // What fits its type, as the variable of a loop that a clause collapsed does, moves as what it is made of.
        let is_narrowed = |atom: AtomId| match self.bound.summary().space.atom(atom) {
            Atom::Wrap { value, .. } => self.is_fixed(value, index, steps, stands),
            _ => false,
        };
        let is_known = |atom: AtomId| {
            if atom == index { steps == Steps::Constant } else { is_division(atom) || is_narrowed(atom) }
        };
        let is_still = |atom: AtomId| {
            is_still(&self.bound.summary().space, atom, index, &|atom| is_division(atom).then(|| stands(atom)))
        };
        let mut moving = p.terms().filter(|(monomial, _)| !monomial.powers().any(|(atom, _)| is_still(atom)));
        moving.all(|(monomial, _)| monomial.powers().all(|(atom, _)| is_known(atom)))
    }

    /// Quotients and rests of a loop's number in the address, and those of such quotients by a variable, with what it is divided by.
    fn divisions(&self, index: AtomId) -> Vec<Division> {
        let Some(address) = &self.group.address else { return Vec::new() };
        let space = &self.bound.summary().space;
        let of = |atom: AtomId| {
            let (dividend, divisor, is_quotient) = divided(space, atom)?;
            if dividend.coefficient_of(index).is_some_and(|factor| factor.is_one()) {
                return Some(Division { atom, is_quotient, by: divisor, is_of_quotient: false });
            }
            let Atom::FloorDiv(number, first) = space.atom(dividend.as_atom()?) else { return None };
            number.coefficient_of(index).filter(|factor| factor.is_one())?;
            let by = first.clone() * divisor.clone();
            divisor.as_constant().is_none().then_some(Division { atom, is_quotient, by, is_of_quotient: true })
        };
        let mut atoms = atoms_in(space, address);
        // Those by which values are loaded as well.
        let mut at = 0;
        while at < atoms.len() {
            if let Atom::Load { address, .. } = space.atom(atoms[at]) {
                let others: Vec<AtomId> =
                    atoms_in(space, address).into_iter().filter(|atom| !atoms.contains(atom)).collect();
                atoms.extend(others);
            }
            at += 1;
        }
        atoms.into_iter().filter_map(of).collect()
    }

    /// The threads' numbers as the address sees them, the fastest part first, for so many neighbours.
    pub(crate) fn of_threads(&self, threads: &Threads, together: Num) -> Vec<Extent> {
        if !threads.lanes.is_empty() && threads.step == Num::ONE {
            return self.of_tiles(threads, together);
        }
        let mut extents = Vec::new();
        let (mut left, mut step) = (together, threads.step);
        for (number, (of, trips)) in threads.loops.iter().enumerate().rev() {
            let index = self.bound.summary().loops[*of].index;
            let mut divisors: Vec<(Polynomial, Num)> = Vec::new();
            for Division { by: divisor, .. } in self.divisions(index) {
                let value = self.bound.at(&divisor, &Point::new());
                if let Some(value) = value.ok().filter(|_| divisors.iter().all(|(other, _)| *other != divisor)) {
                    divisors.push((divisor, value.max(1.0)));
                }
            }
            // Rows of which several are taken together do not follow each other, also where the address is one of elements one after the other.
            if let Some((apart, by)) =
                threads.taken.as_ref().filter(|taken| taken.of == *of).and_then(|t| t.apart.as_ref())
                && divisors.iter().all(|(other, _)| other != apart)
            {
                divisors.push((apart.clone(), *by));
            }
            // A slower digit's iterations are a product of more counts.
            divisors.sort_by(|(one, _), (other, _)| {
                let constants = || Some(one.as_constant()?.cmp(other.as_constant()?));
                one.degree().cmp(&other.degree()).then(constants().unwrap_or(Ordering::Equal))
            });
            // Of collapsed loops that changed places, another is the fastest.
            let mut parts: Vec<usize> = (0..=divisors.len()).collect();
            let is_fastest = |(divisor, _): &(Polynomial, Num)| threads.apart.as_ref() == Some(divisor);
            if let Some(fastest) = divisors.iter().position(is_fastest) {
                parts[..=fastest + 1].rotate_right(1);
            }
            for (place, &part) in parts.iter().enumerate() {
                let own = part.checked_sub(1).map(|at| &divisors[at]);
                let unit = own.map_or(Num::ONE, |(_, unit)| *unit);
                let move_by = self.moved(*of, own.map(|(divisor, unit)| (divisor, *unit)));
                let taken = threads.taken.as_ref().filter(|taken| taken.is_part(*of, own.map(|(divisor, _)| divisor)));
                let several = taken.map_or(Num::ONE, |taken| taken.several);
                let move_by = move_by.times(several);
                let is_last = number == 0 && place == divisors.len();
                // The slowest part takes what is left: there are never more neighbours than threads.
                if is_last && step == Num::ONE {
                    extents.push(Extent { move_by, count: left });
                    continue;
                }
                let end = divisors.get(part).map_or(*trips, |(_, next)| *next / several);
                let reach = if unit == Num::ONE { end } else { end / unit }.max(1.0);
                let (stride, room) =
                    if step == Num::ONE { (move_by, reach) } else { (move_by.times(step), (reach / step).max(1.0)) };
                let count = room.min(left);
                extents.push(Extent { move_by: stride, count });
                left = (left * (1.0 / room)).max(1.0);
                step = if step == Num::ONE { step } else { (step / reach).max(1.0) };
            }
        }
        extents
    }

    /// The same where a warp is a tile: first the lanes along each part, then its tiles.
    fn of_tiles(&self, threads: &Threads, together: Num) -> Vec<Extent> {
        let in_rows = Threads { lanes: Vec::new(), taken: None, ..threads.clone() };
        let parts_of =
            |alone: &(usize, Num)| self.of_threads(&Threads { loops: vec![*alone], ..in_rows.clone() }, alone.1);
        let parts: Vec<Vec<Extent>> = threads.loops.iter().rev().map(parts_of).collect();
        let is_of_loops = threads.lanes.len() == threads.loops.len();
        let mut lanes = threads.lanes.iter().rev().map(|&lanes| Num::from(lanes));
        let (mut of_lanes, mut of_tiles) = (Vec::new(), Vec::new());
        for ((of, _), parts) in threads.loops.iter().rev().zip(parts) {
            let taken = threads.taken.as_ref().filter(|taken| taken.is_part(*of, None));
            for (place, Extent { move_by, count }) in parts.into_iter().enumerate() {
                let own = if place == 0 || !is_of_loops { lanes.next().unwrap_or(Num::ONE) } else { Num::ONE };
                let several = taken.filter(|_| place == 0).map_or(Num::ONE, |taken| taken.several);
                let far = move_by.times(own * several);
                of_lanes.push(Extent { move_by, count: own.min(count) });
                of_tiles.push(Extent { move_by: far, count: (count / own).max(1.0) });
            }
        }
        let mut left = together;
        let mut extents: Vec<Extent> = of_lanes.into_iter().chain(of_tiles).collect();
        for extent in &mut extents {
            let room = extent.count;
            extent.count = room.min(left);
            left = (left * (1.0 / room)).max(1.0);
        }
        extents
    }

    /// The lanes of a warp as the address sees them, of a team with so many busy threads, and the sectors that one access of theirs touches.
    pub(crate) fn sectors(&self, threads: &Threads, busy: Num, lanes: f64, sector: f64) -> (Vec<Extent>, Num) {
        let active = self.group.active.as_ref().map_or(lanes, |active| active.len() as f64);
        let extents = self.of_threads(threads, busy.min(active));
        let sectors = match self.group.address {
            Some(_) => match &self.group.active {
                Some(active) => self.of_active(active, &self.of_threads(threads, busy.min(lanes)), lanes, sector),
                None => self.of_one().pieces(&extents, sector),
            },
            None => Num::new(lanes),
        };
        (extents, sectors)
    }

    /// The sectors that those lanes touch of a warp which are active, of `all` that its lanes go through: where lanes share sectors, those of which one is.
    fn of_active(&self, active: &[u32], all: &[Extent], lanes: f64, sector: f64) -> Num {
        let sectors = self.of_one().pieces(all, sector);
        let share = |groups: f64| {
            let mut touched: Vec<u32> = active.iter().map(|lane| (f64::from(*lane) * groups / lanes) as u32).collect();
            touched.dedup();
            touched.len() as f64 / groups
        };
        // Of sizes by which lanes share sectors, the one that is nearest.
        let mut of_all = Num::new(share(lanes));
        let mut groups = lanes;
        while groups > 1.0 {
            of_all = sectors.at_most(groups * 0.75).choose(share(groups / 2.0), of_all);
            groups /= 2.0;
        }
        sectors * of_all
    }

    /// All of the threads' iterations.
    pub(crate) fn of_all_threads(&self, threads: &Threads) -> Vec<Extent> {
        let apart = Threads { step: Num::ONE, ..threads.clone() };
        let mut extents = Vec::new();
        for (of, trips) in apart.loops.iter().rev() {
            let alone = Threads { loops: vec![(*of, *trips)], lanes: Vec::new(), ..apart.clone() };
            extents.extend(self.of_threads(&alone, *trips));
        }
        extents
    }

    /// The distinct pieces that all iterations of the loops touch.
    pub(crate) fn pieces(&self, extents: &[Extent], piece: f64) -> Num {
        let references = self.group.offsets.len() as f64;
        let all = |extents: &[Extent]| extents.iter().map(|extent| extent.count.max(1.0)).product::<Num>();
        let drawn_from = |drawn: Num| {
            let bytes = self.bound.mapped_bytes(&self.group.object);
            match bytes.filter(|_| self.are_rows) {
                Some(bytes) => drawn.min((bytes / piece).max(1.0)),
                None => spread_over(drawn, bytes, piece),
            }
        };
        if self.group.address.is_none() {
            return drawn_from(all(extents) * references);
        }
        let moving: Vec<&Extent> = extents.iter().filter(|extent| extent.moves()).collect();
        let by = |extent: &&Extent| match extent.move_by {
            Move::By(distance) => Some((distance, extent.count)),
            Move::Anywhere => None,
        };
        let loops = self.runs.into_iter().chain(moving.iter().filter_map(by)).collect();
        let side_by_side = Pattern { block: self.block, loops, slides: self.slides, share: self.share }.pieces(piece);
        let drawn: Vec<Extent> =
            moving.into_iter().copied().filter(|extent| extent.move_by == Move::Anywhere).collect();
        if !drawn.is_empty() {
            let all_drawn = all(&drawn);
            let anywhere = drawn_from(all_drawn * side_by_side);
            return match self.room.filter(|_| !self.are_rows) {
                Some(room) => anywhere.min(spread_over(all_drawn, Some(room), piece) * side_by_side),
                None => anywhere,
            };
        }
        match self.bound.mapped_bytes_if_known(&self.group.object).filter(|_| self.repeats) {
            Some(bytes) => side_by_side.min((bytes / piece).max(1.0)),
            None => side_by_side,
        }
    }
}

/// Whether one loop around a group goes further than the distance of another. What is known of that before values are: the one moves by a number, as often
/// as a product of more variables says than the other's distance is of.
fn slides(bound: &Bound<'_>, group: &Group) -> bool {
    let (summary, Some(address)) = (bound.summary(), &group.address) else { return false };
    let moves = |of: usize| {
        let by = address.coefficient_of(summary.loops[of].index)?;
        (!by.is_zero()).then_some((of, by))
    };
    let moving: Vec<(usize, Polynomial)> = summary.chain(group.in_loop).into_iter().filter_map(moves).collect();
    let goes_by_number =
        |(of, by): &&(usize, Polynomial)| by.as_constant().is_some() && summary.loops[*of].trips.is_ok();
    moving.iter().filter(goes_by_number).any(|(of, _)| {
        let length = summary.loops[*of].trips.as_ref().map_or(0, Polynomial::degree);
        moving.iter().any(|(other, by)| other != of && by.as_constant().is_none() && by.degree() < length)
    })
}

/// Whether a group's address has rests of a loop's number by several divisors, such as `tile[y % m][x % m]`: how often each is met is not computed.
fn repeats(bound: &Bound<'_>, group: &Group) -> bool {
    let (summary, Some(address)) = (bound.summary(), &group.address) else { return false };
    let atoms = address.atoms();
    let divisors = atoms.iter().filter_map(|atom| match summary.space.atom(*atom) {
        Atom::FloorDiv(_, divisor) => Some(divisor),
        Atom::Op(OpaqueOp::TruncRem | OpaqueOp::TruncDiv, operands) => operands.get(1),
        _ => None,
    });
    let mut found: Vec<&Polynomial> = Vec::new();
    for divisor in divisors {
        if !found.contains(&divisor) {
            found.push(divisor);
        }
    }
    found.len() > 2
}

/// Whether an atom stands still though the number of a loop goes on: what is said to, quotients and rests of that, and so on.
fn is_still(space: &Space, atom: AtomId, index: AtomId, said: &dyn Fn(AtomId) -> Option<bool>) -> bool {
    if let Some(stands) = said(atom) {
        return stands;
    }
    let all: Vec<AtomId> = space.atom(atom).operands().into_iter().flat_map(|p| p.atoms().to_vec()).collect();
    let varies = |atom: &AtomId| *atom == index || varies_with(space, &Polynomial::from_atom(*atom), index);
    let moving: Vec<AtomId> = all.into_iter().filter(varies).collect();
    !moving.is_empty() && moving.into_iter().all(|atom| is_still(space, atom, index, said))
}
