//! Accesses that stay in what a map clause names: two list items of one construct share no storage (OpenMP 5.2, 5.8.3). Only the host's module
//! shows the clauses.

use super::accesses::{Accesses, Sections};
use crate::analysis::maps::{OfCaptures, Section};
use crate::analysis::region::Analysis;
use ipda_symbolic::{AtomId, Polynomial};
use rustc_hash::FxHashMap;

impl Sections {
    pub(super) fn find(analysis: &mut Analysis<'_>, accesses: &mut Accesses, sections: &[Section]) -> Sections {
        let mut known: FxHashMap<AtomId, (Polynomial, Polynomial)> = FxHashMap::default();
        for section in sections {
            let pointer = analysis.captured[section.capture];
            let object = analysis.lowering.lower(pointer).value.as_atom();
            let bounds = (value(analysis, accesses, &section.begin), value(analysis, accesses, &section.bytes));
            if let (true, Some(object), (Some(begin), Some(bytes))) = (pointer.ty().is_pointer(), object, bounds) {
                known.insert(object, (begin, bytes));
            }
        }
        let inside = accesses.items.iter().map(|item| {
            let object = item.object()?;
            let (begin, bytes) = known.get(&object)?;
            let from_begin = &(&item.test.address - &Polynomial::from(item.test_objects[0])) - begin;
            let to_end = &(bytes - &from_begin) - &Polynomial::from(item.test.bytes as i64);
            let is_inside =
                [from_begin, to_end].iter().all(|room| analysis.lowering.space.proves_nonneg(room, &item.facts));
            is_inside.then_some(object)
        });
        Sections { inside: inside.collect() }
    }
}

/// What a sum of products of captured variables is in the region; none where the region reads one as another number.
fn value(analysis: &mut Analysis<'_>, accesses: &mut Accesses, sum: &OfCaptures) -> Option<Polynomial> {
    let mut total = Polynomial::zero();
    for (factor, variables) in &sum.0 {
        let mut product = Polynomial::from(1).scale(factor);
        for (variable, power) in variables {
            let variable = analysis.lowering.captured_number(analysis.captured[variable.capture], variable.bits)?;
            for _ in 0..*power {
                product = analysis.lowering.space.product(&product, &variable)?;
            }
        }
        total = &total + &product;
    }
    Some(accesses.for_test(analysis, &total))
}
