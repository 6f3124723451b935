//! Examples of sets of facts, kept for when they are asked for again.

use crate::coeff::Coeff;
use crate::facts::Facts;
use crate::id::AtomId;
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// How many examples facts have at most, each by a rule of its own.
pub(crate) const MAX_EXAMPLES: usize = 6;
/// How many sets of facts have examples that are kept.
const MAX_KEPT: usize = 1 << 10;

/// The examples of each set of facts that was asked about.
#[derive(Debug, Default)]
pub(crate) struct Examples {
    of: RefCell<FxHashMap<Facts, Rc<Set>>>,
    // Whose examples were asked for last: most of them are some of facts that are only a few more.
    last: RefCell<Option<(Facts, Rc<Set>)>>,
}

/// The examples of some facts, one by each rule, found when they are asked for; none where the search for it ended.
#[derive(Debug, Default)]
pub(crate) struct Set {
    pub(crate) points: [OnceCell<Option<Rc<Point>>>; MAX_EXAMPLES],
    /// Points at which the first so many of the facts hold.
    pub(crate) near: [Option<(Rc<Point>, usize)>; MAX_EXAMPLES],
}

/// A copy begins without any: its atoms to come are others.
impl Clone for Examples {
    fn clone(&self) -> Examples {
        Examples::default()
    }
}

impl Examples {
    pub(crate) fn of(&self, facts: &Facts) -> Rc<Set> {
        if let Some(known) = self.of.borrow().get(facts) {
            return Rc::clone(known);
        }
        let mut set = Set::default();
        if let Some((last_facts, last)) = &*self.last.borrow() {
            let common = last_facts.iter().zip(facts.iter()).take_while(|(a, b)| Rc::ptr_eq(a, b)).count();
            for ((near, own), before) in set.near.iter_mut().zip(&last.points).zip(&last.near) {
                let own = own.get().cloned().flatten().map(|point| (point, common));
                *near = own.or_else(|| before.as_ref().map(|(point, known)| (Rc::clone(point), common.min(*known))));
            }
        }
        let set = Rc::new(set);
        let mut of = self.of.borrow_mut();
        if of.len() >= MAX_KEPT {
            of.clear();
        }
        of.insert(facts.clone(), Rc::clone(&set));
        *self.last.borrow_mut() = Some((facts.clone(), Rc::clone(&set)));
        set
    }

    pub(crate) fn clear(&self) {
        self.of.borrow_mut().clear();
        *self.last.borrow_mut() = None;
    }
}

impl Set {
    pub(crate) fn found(&self) -> impl Iterator<Item = &Point> {
        self.points.iter().filter_map(|point| point.get()?.as_deref())
    }
}

/// Values of symbols, iteration numbers and loads by a rule, and of what is made of them.
#[derive(Debug)]
pub(crate) struct Point {
    pub(crate) rule: usize,
    pub(crate) values: RefCell<FxHashMap<AtomId, Option<Coeff>>>,
}
