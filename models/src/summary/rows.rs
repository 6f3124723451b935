//! Loops over rows that lie one after the other in arrays, such as those of sparse matrices in the CSR format.

use ipda_symbolic::{Atom, AtomId, Polynomial};

use super::Bound;
use super::bind::Known;
use super::value::{Point, number, varies_with};
use crate::form::Num;
use crate::spread::Cause;

/// The rows that a loop is one of: from the value that the loop around loads to the one that its next iteration does.
struct Rows {
    /// The loop around.
    around: usize,
    /// The place where the row begins.
    start: AtomId,
}

impl Bound<'_> {
    /// How long such a row is on average: all rows together have as many elements as the arrays that are read or written in them.
    pub(super) fn mean_of_rows(&self, of: usize, point: &Point) -> Option<Num> {
        let Rows { around, start } = self.rows(of)?;
        let (index, l) = (self.summary.loops[of].index, &self.summary.loops[of]);
        let elements = self.summary.accesses.iter().filter_map(|access| {
            if !self.summary.chain(access.in_loop).contains(&of) {
                return None;
            }
            let address = access.address.as_ref().ok()?;
            let size = address.coefficient_of(index)?;
            let size = size.as_constant().filter(|size| address.number_times(start) == Some(*size)).map(number)?;
            let map = self.summary.maps.iter().find(|map| map.name == access.object && !map.by_value)?;
            let is_known = self.known == Known::Later || self.is_size_known(map);
            let bytes = is_known.then(|| self.mapped_bytes(&access.object)).flatten()?;
            (size > 0.0).then(|| bytes / size)
        });
        let elements = elements.reduce(Num::min)?;
        let rows = &self.summary.loops[around].name;
        self.note(format!(
            "loop {} goes round as often as what it walks along has elements for each iteration of loop {rows}",
            l.name
        ));
        self.rests_on(Cause::RowsOfMeanLength);
        Some(elements / self.trips(around, point).max(1.0))
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
        trips.is_none_or(|trips| !varies_with(&self.summary.space, trips, index)).then_some(Rows { around, start })
    }
}
