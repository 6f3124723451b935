//! Loops over rows that lie one after the other in arrays, such as those of sparse matrices in the CSR format.

use ipda_symbolic::{Atom, AtomId, Polynomial};

use super::bind::half_of;
use super::pattern::Group;
use super::value::{Point, atoms_in, number, varies_with};
use super::walks::{OfLoop, Rows};
use super::{AccessKind, Bound};
use crate::form::Num;
use crate::spread::Cause;

/// How long rows are that there are not: longer than any array.
const NO_ROWS: f64 = 1e18;

/// Arrays that a loop is taken to walk along, which differ by more than where it begins.
const MAX_WALKS: usize = 16;

impl Bound<'_> {
    /// What each loop does with rows, found once.
    fn of_loop(&self, of: usize) -> &OfLoop {
        let found = self.of_loops.get_or_init(|| {
            let mut walks: Vec<Vec<usize>> = vec![Vec::new(); self.summary.loops.len()];
            for number in 0..self.summary.accesses.len() {
                for of in self.summary.chain(self.summary.accesses[number].in_loop) {
                    let is_new = |walks: &[usize]| !walks.iter().any(|other| self.walk_alike(number, *other));
                    if walks[of].len() < MAX_WALKS && self.moves(number, of) && is_new(&walks[of]) {
                        walks[of].push(number);
                    }
                }
            }
            let of_loop = |(of, walks): (usize, Vec<usize>)| {
                let rows =
                    self.rows(of).or_else(|| self.listed_rows(of, &walks)).or_else(|| self.read_rows(of, &walks));
                OfLoop { walks, rows }
            };
            walks.into_iter().enumerate().map(of_loop).collect()
        });
        &found[of]
    }

    /// Whether an access goes on with each iteration of a loop.
    fn moves(&self, access: usize, of: usize) -> bool {
        let address = self.summary.accesses[access].address.as_ref().ok();
        let by = address.and_then(|address| address.coefficient_of(self.summary.loops[of].index));
        by.is_some_and(|by| !by.is_zero())
    }

    /// Whether two accesses of an array differ by no more than where they begin.
    fn walk_alike(&self, one: usize, other: usize) -> bool {
        let [one, other] = [one, other].map(|number| &self.summary.accesses[number]);
        let [from, to] = [one, other].map(|access| access.address.as_ref().ok().map(Polynomial::without_constant));
        one.object == other.object && one.in_loop == other.in_loop && from == to
    }

    /// How long such a row is on average: all rows together have as many elements as the arrays that are read or written in them.
    pub(super) fn mean_of_rows(&self, of: usize, point: &Point) -> Option<Num> {
        let Rows { around, start, are_listed } = self.of_loop(of).rows?;
        let index = self.summary.loops[of].index;
        let elements = self.walks(of).filter_map(|(object, address, _)| {
            let by = address.number_times(start).map(number).filter(|by| *by > 0.0)?;
            let step = address.coefficient_of(index)?.as_constant().map(number);
            // Rows that go on by more than their beginnings are apart have others between their elements, as the slices of formats for GPUs do.
            let size = match step {
                Some(step) if step > 0.0 => step.min(by),
                Some(_) => return None,
                None => by,
            };
            let is_from_start = are_listed || step == Some(by);
            is_from_start.then(|| Some(self.mapped_bytes_if_known(object)? / size)).flatten()
        });
        let elements = elements.reduce(Num::min)?;
        if let Some(listed) = self.rows_listed(start, around).filter(|_| are_listed) {
            let l = &self.summary.loops[of];
            self.note(format!(
                "loop {} runs as many iterations as what it walks along has elements for each beginning that is listed",
                l.name
            ));
            self.rests_on(Cause::RowsOfMeanLength);
            return Some(elements / listed.max(1.0));
        }
        let (l, rows) = (&self.summary.loops[of], &self.summary.loops[around].name);
        self.note(format!(
            "loop {} runs as many iterations as what it walks along has elements for each iteration of loop {rows}",
            l.name
        ));
        self.rests_on(Cause::RowsOfMeanLength);
        Some(elements / self.trips(around, point).max(1.0))
    }

    /// How many rows there are whose beginnings are listed: as many as the list has entries, which are as far apart as its places are at least. None where
    /// the loop around goes from entry to entry itself.
    fn rows_listed(&self, start: AtomId, around: usize) -> Option<Num> {
        let space = &self.summary.space;
        let Atom::Load { address, .. } = space.atom(start) else { return None };
        let moves = |term: &Polynomial| self.summary.loops.iter().any(|l| varies_with(space, term, l.index));
        let is_moving =
            |(monomial, factor): &(&_, &_)| moves(&Polynomial::term(Clone::clone(*monomial), Clone::clone(*factor)));
        let moving = address.terms().filter(is_moving).map(|(monomial, factor)| (monomial.clone(), factor.clone()));
        let entry = Polynomial::from_terms(moving).content();
        if address.coefficient_of(self.summary.loops[around].index)?.as_constant() == Some(&entry) {
            return None;
        }
        let mut loads = self.summary.accesses.iter();
        let list = loads.find(|access| access.address.as_ref().is_ok_and(|own| own == address))?;
        let entry = number(&entry).max(list.bytes as f64);
        Some(self.mapped_bytes_if_known(&list.object)? * (1.0 / entry))
    }

    /// How long a row is on average of which an expression has the end and the beginning, where a loop walks along such rows.
    pub(super) fn mean_of_row_between(&self, range: &Polynomial, point: &Point) -> Option<Num> {
        // Another load may find there what was stored meanwhile: the row is the same.
        let place = |atom: AtomId| match self.summary.space.atom(atom) {
            Atom::Load { address, .. } => Some(address),
            _ => None,
        };
        let ends: Vec<&Polynomial> = range.atoms().iter().filter_map(|atom| place(*atom)).collect();
        let begins = |of: &usize| {
            let start = self.of_loop(*of).rows.as_ref().and_then(|rows| place(rows.start));
            start.is_some_and(|start| ends.contains(&start))
        };
        (0..self.summary.loops.len()).find(begins).and_then(|of| self.mean_of_rows(of, point))
    }

    /// Whether a group goes along rows in a loop around it.
    pub(super) fn walks_rows(&self, group: &Group) -> bool {
        let Some(address) = &group.address else { return false };
        self.summary.chain(group.in_loop).into_iter().any(|of| {
            let rows = self.of_loop(of).rows;
            rows.is_some_and(|rows| address.number_times(rows.start).is_some())
                && address.coefficient_of(self.summary.loops[of].index).is_some_and(|by| !by.is_zero())
        })
    }

    /// How many iterations a loop runs whose end is not known: on average half of those up to where the next row begins that it walks along, or to the end of the
    /// array; all of the way where its step is a launch's value, such as the number of threads.
    pub(super) fn way(&self, of: usize, point: &Point) -> Option<Num> {
        let ways = self.walks(of).filter_map(|(object, address, size)| {
            let chain = self.summary.chain(Some(of));
            let rows = chain[..chain.len() - 1].iter().filter_map(|around| {
                let step = address.coefficient_of(self.summary.loops[*around].index)?;
                let is_apart = !step.is_zero() && self.summary.space.is_invariant(&step);
                let step = is_apart.then(|| self.at(&step, point).ok()).flatten()?;
                // Rows that begin before one has gone on are none.
                let length = step.abs() / size;
                Some(length.less(1.0).choose(NO_ROWS, length))
            });
            let length = rows.reduce(Num::min);
            let all = self.mapped_bytes_if_known(object).map(|bytes| bytes / size);
            let room = [length, all].into_iter().flatten().reduce(Num::min)?;
            Some(
                if size.known().is_some()
                    && address.coefficient_of(self.summary.loops[of].index)?.as_constant().is_some()
                {
                    half_of(room)
                } else {
                    room.max(1.0)
                },
            )
        });
        ways.reduce(Num::min)
    }

    /// The array in which a loop goes from place to place as each place says, such as the table that a hash is looked up in, and how many places it has: a loop
    /// that ends comes to none twice, where the place alone says which is next. None where it walks along, or the array's size is not known.
    pub(super) fn places_probed(&self, of: usize) -> Option<(&str, Num)> {
        let (summary, space) = (self.summary, &self.summary.space);
        if self.way(of, &Point::new()).is_some() {
            return None;
        }
        let own =
            summary.accesses.iter().filter(|access| access.in_loop == Some(of) && access.kind == AccessKind::Load);
        let places = own.filter_map(|access| {
            let address = access.address.as_ref().ok()?;
            let mut unknown = self.scattering(address, summary.loops[of].index);
            unknown.find(|atom| matches!(space.atom(*atom), Atom::Symbol(_)))?;
            let bytes = self.mapped_bytes_if_known(&access.object)?;
            Some((&access.object[..], bytes * (1.0 / access.bytes as f64)))
        });
        places.into_iter().next()
    }

    /// What a loop walks along: the array, the address and the bytes from one iteration to the next.
    fn walks(&self, of: usize) -> impl Iterator<Item = (&str, &Polynomial, Num)> {
        let index = self.summary.loops[of].index;
        self.of_loop(of).walks.iter().filter_map(move |access| {
            let access = &self.summary.accesses[*access];
            let address = access.address.as_ref().ok()?;
            let step = address.coefficient_of(index)?;
            let is_launched = step.as_constant().is_some() || self.summary.space.is_invariant(&step);
            let size = is_launched.then(|| self.at(&step, &Point::new()).ok()).flatten()?.abs();
            Some((&access.object[..], address, size.max(1.0)))
        })
    }

    /// The rows, where the number of iterations is the difference of a loaded value and the one before it.
    fn rows(&self, of: usize) -> Option<Rows> {
        let trips = self.summary.loops[of].trips.as_ref().ok()?;
        let mut loads = trips.terms().map(|(monomial, factor)| {
            let atom = Polynomial::term(monomial.clone(), 1_i64.into()).as_atom()?;
            match self.summary.space.atom(atom) {
                Atom::Load { address, .. } => Some((number(factor), atom, address)),
                _ => None,
            }
        });
        let (one, other) = (loads.next()??, loads.next()??);
        let ((_, _, end), (_, start, begin)) = if one.0 > other.0 { (one, other) } else { (other, one) };
        let is_difference = loads.next().is_none() && one.0.abs() == 1.0 && one.0 + other.0 == 0.0;
        let step = end.clone() - begin.clone();
        let chain = self.summary.chain(Some(of));
        let goes_on = |l: &usize| {
            let index = self.summary.loops[*l].index;
            *l != of && begin.coefficient_of(index).is_some_and(|by| !by.is_zero() && by == step)
        };
        let around = chain.into_iter().find(goes_on).filter(|_| is_difference)?;
        let trips = self.summary.loops[around].bound();
        let index = self.summary.loops[of].index;
        trips.is_none_or(|trips| !varies_with(&self.summary.space, trips, index)).then_some(Rows {
            around,
            start,
            are_listed: false,
        })
    }

    /// The rows, where the number of iterations is not known since each of them reads anew where the row ends, as what the loop stores may change it: the
    /// loop walks from a loaded place, and reads the one that the next iteration around loads; or its own again, to which a listed length is added.
    fn read_rows(&self, of: usize, walks: &[usize]) -> Option<Rows> {
        let (summary, space) = (self.summary, &self.summary.space);
        if summary.loops[of].trips.is_ok() {
            return None;
        }
        let chain = summary.chain(Some(of));
        let around = *chain[..chain.len() - 1].last()?;
        let index = summary.loops[around].index;
        let reads = |place: &Polynomial| {
            let mut own = summary.accesses.iter().filter(|access| access.in_loop == Some(of));
            own.any(|access| access.kind == AccessKind::Load && access.address.as_ref().is_ok_and(|own| own == place))
        };
        let begins_row = |atom: &AtomId| match space.atom(*atom) {
            Atom::Load { address, .. } => {
                let by = address.coefficient_of(index).filter(|by| !by.is_zero());
                by.is_some_and(|by| reads(&(address.clone() + by)))
            }
            _ => false,
        };
        let addresses = walks.iter().filter_map(|access| summary.accesses[*access].address.as_ref().ok());
        let starts: Vec<AtomId> =
            addresses.flat_map(|address| address.atoms().iter().copied().collect::<Vec<_>>()).collect();
        let is_read_anew = |atom: &&AtomId| match space.atom(**atom) {
            Atom::Load { address, .. } => varies_with(space, address, index) && reads(address),
            _ => false,
        };
        let followed = starts.iter().find(|atom| begins_row(atom)).map(|start| (*start, false));
        let (start, are_listed) = followed.or_else(|| Some((*starts.iter().find(is_read_anew)?, true)))?;
        Some(Rows { around, start, are_listed })
    }

    /// The rows, where their beginnings and lengths are listed: the loop walks from a loaded place, and runs as many iterations as another loaded value
    /// says, both loaded for each iteration of the loop around.
    fn listed_rows(&self, of: usize, walks: &[usize]) -> Option<Rows> {
        let space = &self.summary.space;
        let chain = self.summary.chain(Some(of));
        let around = *chain[..chain.len() - 1].last()?;
        let index = self.summary.loops[around].index;
        let is_listed = |atom: &AtomId| match space.atom(*atom) {
            Atom::Load { address, .. } => varies_with(space, address, index),
            _ => false,
        };
        let trips = self.summary.loops[of].trips.as_ref().ok()?;
        atoms_in(space, trips).iter().find(|atom| is_listed(atom))?;
        let own = self.summary.loops[of].index;
        let addresses = walks.iter().filter_map(|access| self.summary.accesses[*access].address.as_ref().ok());
        let start =
            addresses.flat_map(|address| address.atoms().iter().copied().collect::<Vec<_>>()).find(is_listed)?;
        let around_bound = self.summary.loops[around].bound();
        around_bound.is_none_or(|trips| !varies_with(space, trips, own)).then_some(Rows {
            around,
            start,
            are_listed: true,
        })
    }
}
