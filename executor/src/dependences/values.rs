//! Conditions of the graph, with a run's values put in.

use crate::predict::Expression;
use ipda::dependences::{Guard, RegionDependences};
use ipda_symbolic::Coeff;
use rustc_hash::FxHashMap;

/// What the names in the graph's expressions stand for in a run: scalars by value, pointers by address.
#[derive(Debug, Default)]
pub(super) struct Values {
    names: FxHashMap<String, i128>,
}

impl Values {
    pub(super) fn new(names: impl IntoIterator<Item = (String, i128)>) -> Values {
        Values { names: names.into_iter().collect() }
    }

    /// The value of an expression; none where it holds what only the graph's builder knows.
    pub(super) fn value(&self, text: &str) -> Option<Coeff> {
        let symbols = |name: &str| self.names.get(name).copied();
        Expression::read(text).ok()?.value(&symbols)
    }

    /// Whether all are at least 0.
    pub(super) fn hold(&self, conditions: &[String]) -> Option<bool> {
        let mut unknown = false;
        for condition in conditions {
            match self.value(condition) {
                Some(value) if value < Coeff::from(0) => return Some(false),
                Some(_) => {}
                None => unknown = true,
            }
        }
        (!unknown).then_some(true)
    }

    /// Whether a guard holds.
    pub(super) fn guard(&self, region: &RegionDependences, guard: &Guard) -> Option<bool> {
        let conditions = self.hold(&guard.conditions);
        if conditions == Some(false) {
            return conditions;
        }
        let mut unknown = conditions.is_none();
        for &(a, b) in &guard.disjoint {
            match self.are_disjoint(region, a, b) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => unknown = true,
            }
        }
        (!unknown).then_some(true)
    }

    /// Whether the footprints of two objects lie within the machine's addresses, and apart.
    fn are_disjoint(&self, region: &RegionDependences, a: usize, b: usize) -> Option<bool> {
        let footprint = |object: usize| {
            let (low, high) = region.objects[object].footprint.as_ref().ok()?;
            Some((self.value(low)?, self.value(high)?))
        };
        let ((low_a, high_a), (low_b, high_b)) = (footprint(a)?, footprint(b)?);
        let (first, end) = (Coeff::from(0), Coeff::from(1i128 << 64));
        let is_addressable = |low: &Coeff, high: &Coeff| *low >= first && *high <= end;
        let are_apart = high_a <= low_b || high_b <= low_a || high_a <= low_a || high_b <= low_b;
        Some(is_addressable(&low_a, &high_a) && is_addressable(&low_b, &high_b) && are_apart)
    }
}
