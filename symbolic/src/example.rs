//! Examples of what facts describe: points at which all of them hold. Where a claim fails at one, no proof of it exists, and none is searched for.

use crate::atom::{Atom, OpaqueOp};
use crate::coeff::Coeff;
use crate::contents::Contents;
use crate::example_cache::{MAX_EXAMPLES, Point, Set};
use crate::facts::{Fact, Facts};
use crate::id::AtomId;
use crate::interval::Interval;
use crate::polynomial::Polynomial;
use crate::space::Space;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// How often a value is changed before a point is given up.
const MAX_MOVES: usize = 16;
/// Values with more bits than this are none: powers of powers have any number of them.
const MAX_BITS: u64 = 1024;

/// What the values of a point begin with, before they are changed so that facts hold: of values that are the same for all threads and iterations, and
/// of others.
const RULES: [(Pick, Pick); MAX_EXAMPLES] = [
    (Pick::Few, Pick::Least),
    (Pick::Few, Pick::Many),
    (Pick::Many, Pick::Few),
    (Pick::Most, Pick::Least),
    (Pick::Most, Pick::Most),
    (Pick::Least, Pick::Least),
];

#[derive(Clone, Copy)]
enum Pick {
    Least,
    Few,
    Many,
    Most,
}

/// Whether a value is the same at all examples.
pub(crate) enum AtExamples {
    Same(Coeff),
    Different,
    /// There are none.
    Unknown,
}

impl Space {
    /// Whether a polynomial has a value that is not as claimed at some point where the facts hold.
    pub(crate) fn has_counterexample(
        &self,
        p: &Polynomial,
        facts: &Facts,
        is_as_claimed: impl Fn(&Coeff) -> bool,
    ) -> bool {
        let set = self.examples_of(facts);
        let mut points = (0..RULES.len()).filter_map(|rule| self.example(&set, facts, rule));
        points.any(|point| self.value_at(p, point).is_some_and(|value| !is_as_claimed(&value)))
    }

    /// Likewise, at those points that are known.
    pub(crate) fn has_known_counterexample(
        &self,
        p: &Polynomial,
        facts: &Facts,
        is_as_claimed: impl Fn(&Coeff) -> bool,
    ) -> bool {
        let set = self.examples_of(facts);
        set.found().any(|point| self.value_at(p, point).is_some_and(|value| !is_as_claimed(&value)))
    }

    /// The least value of a polynomial at those points that are known.
    pub(crate) fn least_at_examples(&self, p: &Polynomial, facts: &Facts) -> Option<Coeff> {
        self.examples_of(facts).found().filter_map(|point| self.value_at(p, point)).min()
    }

    /// What the quotient of two polynomials, rounded down, is at points where the facts hold.
    pub(crate) fn quotient_at_examples(&self, a: &Polynomial, b: &Polynomial, facts: &Facts) -> AtExamples {
        let set = self.examples_of(facts);
        let mut quotients = (0..RULES.len()).filter_map(|rule| {
            let point = self.example(&set, facts, rule)?;
            let (a, b) = (self.value_at(a, point)?, self.value_at(b, point)?);
            a.div_floor(&b)
        });
        match quotients.next() {
            None => AtExamples::Unknown,
            Some(first) if quotients.all(|other| other == first) => AtExamples::Same(first),
            Some(_) => AtExamples::Different,
        }
    }

    fn examples_of(&self, facts: &Facts) -> Rc<Set> {
        self.examples.of(facts)
    }

    fn example<'s>(&self, set: &'s Set, facts: &Facts, rule: usize) -> Option<&'s Point> {
        if set.points[rule].get().is_none() && self.limits.is_spent() {
            return None;
        }
        let find = || {
            let near = set.near[rule].as_ref();
            if let Some((near, known)) = near
                && facts.iter().skip(*known).all(|fact| self.holds(fact, near))
            {
                return Some(Rc::clone(near));
            }
            let found = near.and_then(|(near, _)| self.point(self.given_values(near), facts));
            found.or_else(|| self.point(Point { rule, values: RefCell::default() }, facts)).map(Rc::new)
        };
        set.points[rule].get_or_init(find).as_deref()
    }

    /// A point of the same given values.
    fn given_values(&self, point: &Point) -> Point {
        let values = point.values.borrow();
        let given = values.iter().filter(|(atom, _)| self.is_given(**atom)).map(|(&atom, value)| (atom, value.clone()));
        Point { rule: point.rule, values: RefCell::new(given.collect()) }
    }

    /// A point at which the facts hold. Where one does not, the value of an atom in it is changed as far as it takes, one after the other.
    fn point(&self, mut point: Point, facts: &Facts) -> Option<Point> {
        let mut moves: FxHashMap<AtomId, usize> = FxHashMap::default();
        let mut violated: Vec<&Rc<Fact>> = facts.iter().filter(|fact| !self.holds(fact, &point)).collect();
        for _ in 0..MAX_MOVES {
            if violated.is_empty() {
                return Some(point);
            }
            let moved = violated.iter().find_map(|fact| {
                let lacks = -self.value_at(&fact.polynomial, &point)?;
                self.moved(&fact.polynomial, &lacks, facts, &mut point, &moves)
            })?;
            *moves.entry(moved).or_default() += 1;
            let may_differ = |fact: &&Rc<Fact>| {
                fact.atoms.iter().any(|&atom| self.contents_of(atom).may_have(Contents::of_atom(moved)))
            };
            let was_violated = |fact: &&Rc<Fact>| violated.iter().any(|violated| Rc::ptr_eq(violated, fact));
            let is_violated =
                |fact: &&Rc<Fact>| if may_differ(fact) { !self.holds(fact, &point) } else { was_violated(fact) };
            violated = facts.iter().filter(is_violated).collect();
        }
        None
    }

    fn holds(&self, fact: &Fact, point: &Point) -> bool {
        self.value_at(&fact.polynomial, point).is_some_and(|value| !value.is_negative())
    }

    /// Changes the value of an atom so that the value of a polynomial changes by as much, or a little more: of the atoms that may do, one that was changed
    /// least often, and of these one that is not the same for all iterations.
    fn moved(
        &self,
        p: &Polynomial,
        by: &Coeff,
        facts: &Facts,
        point: &mut Point,
        moves: &FxHashMap<AtomId, usize>,
    ) -> Option<AtomId> {
        let mut atoms = p.atoms();
        atoms.sort_by_key(|&atom| (!self.is_given(atom), moves.get(&atom), self.is_fixed(atom)));
        atoms.into_iter().find_map(|atom| {
            let rate = self.value_at(&p.factor_of(atom), point)?;
            let by = match rate.signum() == by.signum() {
                true => by.abs().div_ceil(&rate.abs())?,
                false => -by.abs().div_ceil(&rate.abs())?,
            };
            let value = self.value_at(&atom.into(), point)?;
            match self.atom(atom) {
                Atom::Symbol(_) | Atom::Iteration(_) | Atom::Load { .. } => {
                    let new = value + by;
                    (new.bits() <= MAX_BITS && self.known_range(atom, facts).contains(&new)).then(|| {
                        let values = point.values.get_mut();
                        values.retain(|&other, _| self.is_given(other));
                        values.insert(atom, Some(new));
                        atom
                    })
                }
                Atom::FloorDiv(dividend, divisor) => {
                    let divisor = self.value_at(divisor, point)?;
                    self.moved(dividend, &(by * divisor), facts, point, moves)
                }
                Atom::Op(op @ (OpaqueOp::Min | OpaqueOp::Max), args) => {
                    let wanted = &value + &by;
                    // All others are on the right side already, or any will do.
                    let is_of_all = (*op == OpaqueOp::Min) == by.is_positive();
                    args.iter().find_map(|arg| {
                        let by_arg = &wanted - &self.value_at(arg, point)?;
                        let is_on_its_way = by_arg.signum() == by.signum();
                        (is_on_its_way || !is_of_all).then(|| self.moved(arg, &by_arg, facts, point, moves)).flatten()
                    })
                }
                Atom::Predicate(_) | Atom::Wrap { .. } | Atom::Op(..) => None,
            }
        })
    }

    fn value_at(&self, p: &Polynomial, point: &Point) -> Option<Coeff> {
        self.limits.work_on(p.terms().len());
        let mut values = point.values.borrow_mut();
        let mut given = |atom: AtomId| self.is_given(atom).then(|| self.first_value(atom, point.rule));
        // What is known of an atom's range may be more than what it is made of says.
        let is_possible =
            |atom: AtomId, value: &Coeff| value.bits() <= MAX_BITS && self.atom_range(atom).contains(value);
        self.eval_with(p, &mut given, &is_possible, &mut values)
    }

    /// Whether the value of an atom is not computed from others.
    fn is_given(&self, atom: AtomId) -> bool {
        matches!(self.atom(atom), Atom::Symbol(_) | Atom::Iteration(_) | Atom::Load { .. })
    }

    fn known_range(&self, atom: AtomId, facts: &Facts) -> Interval {
        let own = self.atom_range(atom);
        facts.atom_range(atom).and_then(|known| own.intersect(known)).unwrap_or_else(|| own.clone())
    }

    /// What the value of an atom is at first by a rule.
    fn first_value(&self, atom: AtomId, rule: usize) -> Coeff {
        let range = self.atom_range(atom);
        let (of_fixed, of_others) = RULES[rule];
        // Different atoms have different values.
        let own = (atom.index() as i64).wrapping_mul(0x9e37_79b9) >> 8;
        let wanted = match if self.is_fixed(atom) { of_fixed } else { of_others } {
            Pick::Least => Coeff::from(if range.low().is_some() { i64::MIN } else { -(1 << 20) }),
            Pick::Few => Coeff::from(2 + own.rem_euclid(5)),
            Pick::Many => Coeff::from(1000 + own.rem_euclid(997)),
            Pick::Most => Coeff::pow2(62),
        };
        let raised = range.low().map_or(wanted.clone(), |low| wanted.max(low.clone()));
        range.high().map_or(raised.clone(), |high| raised.min(high.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::RULES;
    use crate::{Coeff, Facts, Interval, Polynomial, Space, declare_as_symbols, parse};

    fn read(space: &mut Space, text: &str) -> Polynomial {
        declare_as_symbols(space, text, &mut 0);
        parse(space, text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    /// A space with such facts.
    fn known(texts: &[&str]) -> (Space, Facts) {
        let (mut space, mut facts) = (Space::new(), Facts::none());
        for text in texts {
            let fact = read(&mut space, text);
            facts.assume_nonneg(fact);
        }
        (space, facts)
    }

    const SETS: [&[&str]; 7] = [
        &[],
        &["[n] - 1", "[n] - 1 - [i]", "[i]"],
        // A collapsed nest, and a lane of a warp of it.
        &["[n] - 1", "[m] - 1", "[c]", "[n]*[m] - 1 - [c]", "2^62 - [n]*[m]"],
        &["[n] - 1", "[m] - 1", "[w]", "min([n]*[m] - 1, [last]) - 32*[w] - 31", "[l]", "31 - [l]"],
        // Equal values, and conditions with what they imply.
        &["[a] - 3*[b] + 1", "3*[b] - [a] - 1", "[b] - 7"],
        &["[[n] >= 5] - 1", "[n] - 5", "-[[m] == 2]", "40 - max([n], [m])"],
        &["floor([c] / [m]) - 3", "[m] - 2", "[m]*floor([c] / [m]) - 2*[m]"],
    ];

    #[test]
    fn facts_hold_at_their_examples() {
        for texts in SETS {
            let (space, facts) = known(texts);
            let set = space.examples_of(&facts);
            let examples: Vec<_> = (0..RULES.len()).filter_map(|rule| space.example(&set, &facts, rule)).collect();
            assert!(examples.len() >= 3, "{texts:?} has {} examples", examples.len());
            for fact in facts.nonneg() {
                for point in &examples {
                    let mut given = |atom| space.is_given(atom).then(|| point.values.borrow()[&atom].clone()).flatten();
                    let value = space.eval(fact, &mut given).expect("all has a value");
                    assert!(!value.is_negative(), "{} is {value}", space.display(fact));
                }
            }
        }
        // They contradict each other.
        let (space, facts) = known(&["[a] - [b] - 1", "[b] - [a]"]);
        let set = space.examples_of(&facts);
        assert!((0..RULES.len()).all(|rule| space.example(&set, &facts, rule).is_none()));
    }

    #[test]
    fn what_does_not_follow_is_refuted_and_what_follows_is_not() {
        let refutes = |set: usize, text: &str| {
            let (mut space, facts) = known(SETS[set]);
            let claim = read(&mut space, text);
            space.has_counterexample(&claim, &facts, |value| !value.is_negative())
        };
        for (set, text) in [
            (1, "[i] - 1"),
            (1, "[n] - 2 - [i]"),
            (1, "2^32 - [n]"),
            (2, "[c] - [m]"),
            (2, "[m] - [c]"),
            (2, "2^31 - [n]*[m]"),
            (2, "[n] - 1 - floor([c] / [m]) - 1"),
            (3, "[w] - 1"),
            (3, "30 - [l]"),
            (4, "[b] - 8"),
            (5, "[n] - 6"),
        ] {
            assert!(refutes(set, text), "{text} with {:?}", SETS[set]);
        }
        for (set, text) in [
            (1, "[n] - 1 - [i]"),
            (2, "[n] - 1 - floor([c] / [m])"),
            (2, "[m] - 1 - [c] + [m]*floor([c] / [m])"),
            (3, "[n]*[m] - 32*[w] - [l] - 1"),
            (4, "[a] - 20"),
            (5, "[[m] == 2] + 1"),
        ] {
            assert!(!refutes(set, text), "{text} with {:?}", SETS[set]);
        }
    }

    #[test]
    fn powers_of_powers_are_no_examples() {
        let power = "[n]^64";
        let nested = (0..6).fold("[n]".to_owned(), |inner, _| format!("floor({} / 3)", power.replace("[n]", &inner)));
        let (mut space, facts) = known(&["[n] - 2^60"]);
        let claim = read(&mut space, &format!("{nested} - 1"));
        assert!(!space.has_counterexample(&claim, &facts, |value| !value.is_negative()));
    }

    #[test]
    fn refuted_claims_take_no_search() {
        let (mut space, facts) = known(SETS[2]);
        let claim = read(&mut space, "2^40 - 8*[c] - 8*[m]*[n]");
        let set = space.examples_of(&facts);
        assert!((0..RULES.len()).filter(|&rule| space.example(&set, &facts, rule).is_some()).count() > 0);
        let before = space.work();
        assert!(space.range_within(&claim, &facts, &Interval::at_least(Coeff::ZERO)).is_none());
        assert!(space.work() - before < 100, "{}", space.work() - before);
    }
}
