//! What spares work where accesses are many: those on the same bases go together, and those that differ by what nothing changes share their tests,
//! so that many of them on one object cost as many tests as there are different distances.

use super::accesses::{Accesses, Item};
use super::position::{common_loops, loop_ids};
use crate::analysis::region::Analysis;
use ipda_symbolic::{AtomId, Coeff, Pair, Polynomial, Space, Vector, dependence_with, dependence_within_iterations};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A table with an entry for each access at most.
fn with_room<K, V>(items: &[Item]) -> FxHashMap<K, V> {
    FxHashMap::with_capacity_and_hasher(items.len(), Default::default())
}

/// Accesses on the same bases, by their numbers; the groups in the order of their first accesses.
pub(super) fn groups(items: &[Item]) -> Vec<Vec<usize>> {
    let mut known: FxHashMap<_, usize> = with_room(items);
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

/// What makes two tests the same.
#[derive(PartialEq, Eq, Hash)]
struct Difference {
    shapes: (usize, usize),
    /// How far apart their origins are.
    distance: Polynomial,
    is_one_access: bool,
}

/// Tests that were made.
pub(super) struct Tests {
    shapes: Shapes,
    verdicts: FxHashMap<Difference, Rc<[Vector]>>,
    /// The same by both origins, which is found sooner.
    known: FxHashMap<(usize, usize, bool), Rc<[Vector]>>,
    /// Those by both origins that were made again as if nothing wrapped, with what is left then.
    unwrapped: FxHashMap<(usize, usize, bool), Rc<[Vector]>>,
    made: usize,
}

impl Tests {
    pub(super) fn new(analysis: &Analysis<'_>, items: &[Item]) -> Tests {
        let shapes = Shapes::of(&analysis.lowering.space, items);
        Tests {
            shapes,
            verdicts: FxHashMap::default(),
            known: FxHashMap::default(),
            unwrapped: FxHashMap::default(),
            made: 0,
        }
    }

    /// How many tests were made.
    pub(super) fn made(&self) -> usize {
        self.made
    }

    /// At which distances two accesses meet, the first before the second in program order.
    pub(super) fn vectors(
        &mut self,
        analysis: &mut Analysis<'_>,
        accesses: &Accesses,
        first: usize,
        second: usize,
    ) -> Rc<[Vector]> {
        let (from, to) = (self.shapes.places[first], self.shapes.places[second]);
        // Most pairs have two addresses, which their numbers show.
        let is_one_address = first != second && self.shapes.addresses[from] == self.shapes.addresses[to];
        if is_one_address && !self.known.contains_key(&(from, to, false)) {
            let common = common_loops(&accesses.items[first], &accesses.items[second]);
            if self.meet_within_iterations(analysis, accesses, [first, second], &common) {
                let ids = loop_ids(analysis, &common);
                let [a, b] = [first, second].map(|at| &accesses.items[at].test);
                let vector = dependence_within_iterations(&analysis.lowering.space, a, b, &ids);
                self.known.insert((from, to, false), Rc::new([vector]));
            }
        }
        let known = self.known.entry((from, to, first == second)).or_insert_with(|| {
            let Shapes { origins, .. } = &self.shapes;
            let ((shape, origin), (other_shape, other_origin)) = (&origins[from], &origins[to]);
            let difference = Difference {
                shapes: (*shape, *other_shape),
                distance: other_origin - origin,
                is_one_access: first == second,
            };
            let verdict = self.verdicts.entry(difference).or_insert_with(|| {
                let (a, b) = (&accesses.items[first], &accesses.items[second]);
                let ids = loop_ids(analysis, &common_loops(a, b));
                let is_constant = |atom: AtomId| accesses.constant_loads.contains(&atom);
                let space = &mut analysis.lowering.space;
                self.made += 1;
                dependence_with(space, &a.test, &b.test, &ids, Pair::of(first, second), &is_constant).into()
            });
            Rc::clone(verdict)
        });
        Rc::clone(known)
    }

    /// What is left as if nothing wrapped, made by `make` where it was not made before; `None` if it makes nothing.
    pub(super) fn unwrapped(
        &mut self,
        [first, second]: [usize; 2],
        make: impl FnOnce() -> Option<Rc<[Vector]>>,
    ) -> Option<Rc<[Vector]>> {
        let key = (self.shapes.places[first], self.shapes.places[second], first == second);
        if let Some(known) = self.unwrapped.get(&key) {
            return Some(Rc::clone(known));
        }
        let made = make()?;
        self.unwrapped.insert(key, Rc::clone(&made));
        Some(made)
    }

    /// Whether two accesses have one address, of which it is known, or will be asked anyway, that one of them alone has it in one iteration of
    /// the loops around both only, wherever the other runs.
    fn meet_within_iterations(
        &mut self,
        analysis: &mut Analysis<'_>,
        accesses: &Accesses,
        [first, second]: [usize; 2],
        common: &[usize],
    ) -> bool {
        let is_one_place = self.shapes.places[first] == self.shapes.places[second];
        [(first, second), (second, first)].into_iter().any(|(one, other)| {
            let (a, b) = (&accesses.items[one], &accesses.items[other]);
            (is_one_place || a.writes())
                && a.loops == common
                && a.test.covers(&b.test)
                && self.vectors(analysis, accesses, one, one).is_empty()
        })
    }
}

/// Accesses whose tests are the same but for how far apart they are: what varies of their addresses is one, and so is what holds there.
struct Shapes {
    /// By access: which origin.
    places: Vec<usize>,
    /// Different ones: which shape, and what nothing changes of the address.
    origins: Vec<(usize, Polynomial)>,
    /// By origin: which address, which is one for accesses of other sizes and under other conditions.
    addresses: Vec<usize>,
}

impl Shapes {
    /// That an address stays in its object is said of each origin anew; no object comes this close to half of the machine's addresses, so
    /// that it is one fact for all constants below.
    const MAX_CONSTANT: i64 = 1 << 32;

    fn of(space: &Space, items: &[Item]) -> Shapes {
        let mut known: FxHashMap<_, usize> = with_room(items);
        let mut numbers: FxHashMap<(usize, Polynomial), usize> = with_room(items);
        let mut addresses: FxHashMap<&Polynomial, usize> = with_room(items);
        let mut shapes = Shapes { places: Vec::new(), origins: Vec::new(), addresses: Vec::new() };
        for item in items {
            let constant = item.test.address.constant_term();
            let most = Coeff::from(Shapes::MAX_CONSTANT);
            let own = (constant > most || constant < -&most).then(|| constant.clone());
            let [fixed, varying] = space.split_invariant(&item.test.address);
            let key = (varying, own, item.test.bytes, &item.loops, item.facts.clone(), item.stays_in_object);
            let next = known.len();
            let shape = *known.entry(key).or_insert(next);
            let origin = (shape, fixed);
            let place = match numbers.get(&origin) {
                Some(&place) => place,
                None => {
                    let next = addresses.len();
                    shapes.addresses.push(*addresses.entry(&item.test.address).or_insert(next));
                    shapes.origins.push(origin.clone());
                    numbers.insert(origin, shapes.origins.len() - 1);
                    shapes.origins.len() - 1
                }
            };
            shapes.places.push(place);
        }
        shapes
    }
}
