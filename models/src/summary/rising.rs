//! Indices that are computed in floating point, as an image's `(int)(j * scale)`: how far neighbouring iterations are apart is the program's secret, but
//! they go on evenly, and stay in their array. They are taken to go through it once: along a row from its begin to its end, or through all rows.

use ipda_symbolic::{AtomId, Interval, Polynomial, Space, Symbol, Varies};

use super::region::Slope;
use super::value::{Point, number};
use super::{AccessSummary, Bound, LoopSummary};
use crate::form::Num;

/// Has addresses go on evenly with what values in them rise with.
pub(super) fn with_slopes(
    space: &mut Space,
    loops: &[LoopSummary],
    accesses: &mut [AccessSummary],
    rising: &[Vec<(Polynomial, Polynomial)>],
) -> Vec<Slope> {
    let mut slopes: Vec<Slope> = Vec::new();
    for (access, rising) in accesses.iter().zip(rising) {
        let Ok(address) = &access.address else { continue };
        let values: Vec<(AtomId, &Polynomial)> =
            rising.iter().filter_map(|(value, with)| Some((value.as_atom()?, with))).collect();
        let units: Vec<Polynomial> = (values.iter().map(|(value, _)| *value))
            .chain(loops.iter().map(|l| l.index))
            .filter_map(|atom| address.coefficient_of(atom))
            .filter(|unit| !unit.is_zero())
            .collect();
        for (value, with) in values {
            let is_known = slopes.iter().any(|slope| slope.value == value && slope.object == access.object);
            let Some(unit) = address.coefficient_of(value).filter(|unit| !unit.is_zero() && !is_known) else {
                continue;
            };
            let row = units.iter().filter(|row| is_longer(row, &unit)).min_by_key(|row| row.degree()).cloned();
            let name = format!("slope {}", slopes.len());
            let symbol = space.symbol(Symbol { name, range: Interval::ALL, varies: Varies::No });
            let Some(atom) = symbol.as_atom() else { continue };
            slopes.push(Slope { atom, value, object: access.object.clone(), with: with.clone(), unit, row });
        }
    }
    for access in accesses {
        let own: Vec<&Slope> = slopes.iter().filter(|slope| slope.object == access.object).collect();
        if let Ok(address) = &mut access.address {
            let along = |atom: AtomId| {
                let slope = own.iter().find(|slope| slope.value == atom)?;
                Some(Polynomial::from_atom(slope.atom) * slope.with.clone())
            };
            *address = space.substitute(address, &mut { along });
        }
    }
    slopes
}

/// Whether a number of bytes is that of a row of which another one is of an element.
fn is_longer(row: &Polynomial, element: &Polynomial) -> bool {
    match (row.as_constant(), element.as_constant()) {
        (Some(row), Some(element)) => number(row).abs() > number(element).abs(),
        _ => row.degree() > element.degree(),
    }
}

impl Bound<'_> {
    /// With values for slopes.
    pub(super) fn with_values_of_slopes(mut self) -> Self {
        for slope in &self.summary.slopes {
            let value = self.slope(slope);
            self.values.resize(self.values.len().max(slope.atom.index() + 1), None);
            self.values[slope.atom.index()] = Some(value);
        }
        self
    }

    fn slope(&self, slope: &Slope) -> Num {
        self.note("indices that are computed in floating point go evenly through their array");
        let unit = self.at(&slope.unit, &Point::new()).ok();
        let row = match &slope.row {
            Some(row) => self.at(row, &Point::new()).ok(),
            None => self.mapped_bytes_if_known(&slope.object),
        };
        let at_ends = [false, true].map(|is_last| {
            let number = |of: usize| {
                if is_last { (self.trips(of, &Point::new()) - 1.0).max(0.0) } else { Num::ZERO }
            };
            let point: Point = self.summary.loops.iter().enumerate().map(|(of, l)| (l.index, number(of))).collect();
            self.at(&slope.with, &point).ok()
        });
        match (row, unit, at_ends) {
            (Some(row), Some(unit), [Some(first), Some(last)]) => {
                let steps = (last - first).abs() + 1.0;
                (row.abs() / unit.abs().max(1.0) / steps).max(0.0)
            }
            _ => Num::ONE,
        }
    }
}
