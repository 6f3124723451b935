//! What spares work where accesses are many: those on the same bases go together, and those that differ by a constant alone share their tests,
//! so that many of them on one object cost as many tests as there are different distances.

use super::accesses::{Accesses, Item};
use super::position::{common_loops, loop_ids};
use crate::analyse::Analysis;
use ipda_symbolic::{AtomId, Coeff, Vector, dependence_with};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Accesses on the same bases, by their numbers; the groups in the order of their first accesses.
pub(super) fn groups(items: &[Item]) -> Vec<Vec<usize>> {
    let mut known: FxHashMap<_, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let next = groups.len();
        let group = *known.entry((&item.bases, &item.test_objects)).or_insert(next);
        if group == next {
            groups.push(Vec::new());
        }
        groups[group].push(at);
    }
    groups
}

/// Tests that were made.
pub(super) struct Tests {
    shapes: Shapes,
    verdicts: FxHashMap<(usize, usize, Coeff, bool), Rc<[Vector]>>,
}

impl Tests {
    pub(super) fn new(items: &[Item]) -> Tests {
        Tests { shapes: Shapes::of(items), verdicts: FxHashMap::default() }
    }

    /// How many tests were made.
    pub(super) fn made(&self) -> usize {
        self.verdicts.len()
    }

    /// At which distances two accesses meet, the first before the second in program order.
    pub(super) fn vectors(
        &mut self,
        analysis: &mut Analysis<'_>,
        accesses: &Accesses,
        first: usize,
        second: usize,
    ) -> Rc<[Vector]> {
        let Shapes { of, constants } = &self.shapes;
        let key = (of[first], of[second], &constants[second] - &constants[first], first == second);
        let made = self.verdicts.entry(key).or_insert_with(|| {
            let (a, b) = (&accesses.items[first], &accesses.items[second]);
            let ids = loop_ids(analysis, &common_loops(a, b));
            let is_constant = |atom: AtomId| accesses.constant_loads.contains(&atom);
            let space = &mut analysis.lowering.space;
            dependence_with(space, &a.test, &b.test, &ids, first == second, &is_constant).vectors.into()
        });
        Rc::clone(made)
    }
}

/// Accesses whose tests are the same but for a constant.
struct Shapes {
    of: Vec<usize>,
    constants: Vec<Coeff>,
}

impl Shapes {
    /// That an address stays in its object is said of each constant anew; no object comes this close to half of the machine's addresses, so
    /// that it is one fact for all constants below.
    const MOST_CONSTANT: i64 = 1 << 32;

    fn of(items: &[Item]) -> Shapes {
        let mut known: FxHashMap<_, usize> = FxHashMap::default();
        let mut shapes = Shapes { of: Vec::new(), constants: Vec::new() };
        for item in items {
            let constant = item.test.address.constant_term();
            let most = Coeff::from(Shapes::MOST_CONSTANT);
            let own = (constant > most || constant < -&most).then(|| constant.clone());
            let form = item.test.address.without_constant();
            let key = (form, own, item.test.bytes, &item.loops, item.facts.clone(), item.stays_in_object);
            let next = known.len();
            shapes.of.push(*known.entry(key).or_insert(next));
            shapes.constants.push(constant);
        }
        shapes
    }
}
