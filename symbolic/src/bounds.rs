//! Ranges of polynomials: interval arithmetic, sharpened by facts (as in Blume and Eigenmann, "Symbolic Range Propagation", IPPS 1995) and by taking
//! predicates for true and for false.

use crate::atom::{Atom, OpaqueOp, Predicate};
use crate::coeff::Coeff;
use crate::facts::{Facts, Truth};
use crate::id::AtomId;
use crate::interval::Interval;
use crate::polynomial::{Atoms, Monomial, Polynomial};
use crate::space::Space;
use smallvec::{SmallVec, smallvec};

/// How many predicates are decided both ways, one inside the other.
const MAX_CASES: u32 = 3;
/// Of polynomials with more terms than this, no predicates are decided both ways.
const MAX_SPLIT_TERMS: usize = 64;
/// Bits of the ends of a product of ranges that are found in a step of work.
const BITS_OF_STEP: usize = 128;

impl Space {
    /// What the values of a polynomial lie in.
    pub fn range(&self, p: &Polynomial) -> Interval {
        self.range_under(p, &Facts::none())
    }

    /// What the values of a polynomial lie in where the facts hold.
    pub fn range_under(&self, p: &Polynomial, facts: &Facts) -> Interval {
        let plain = self.plain_range(p, facts);
        if plain.as_point().is_some() || self.limits.is_spent() {
            return plain;
        }
        let relevant = self.relevant(p, facts);
        if relevant.is_empty() && !self.has_cases(p) {
            return plain;
        }
        let (low, high) = (self.low(p, &relevant, facts), self.low(&-p, &relevant, facts).map(|low| -low));
        known_both_ways(plain, Interval::new(low, high))
    }

    /// Whether [`Space::range_under`] lies in an interval; asks for no more than that.
    pub fn is_within(&self, p: &Polynomial, facts: &Facts, interval: &Interval) -> bool {
        self.range_within(p, facts, interval).is_some()
    }

    /// [`Space::range_under`] where it lies in an interval; asks for no more than that.
    pub fn range_within(&self, p: &Polynomial, facts: &Facts, interval: &Interval) -> Option<Interval> {
        let within = |range: Interval| Some(range).filter(|range| range.is_within(interval));
        let plain = self.plain_range(p, facts);
        if plain.as_point().is_some() || self.limits.is_spent() {
            return within(plain);
        }
        let relevant = self.relevant(p, facts);
        if relevant.is_empty() && !self.has_cases(p) {
            return within(plain);
        }
        if self.has_counterexample(p, facts, |value| interval.contains(value)) {
            return None;
        }
        let high = || self.low(&-p, &relevant, facts).map(|low| -low);
        // The end that intervals alone leave open comes first: mostly it stays open, and then the other one does not matter.
        let (low, high) = if plain.begins_in(interval) {
            let high = high();
            if !plain.ends_in(interval) && !Interval::new(None, high.clone())?.ends_in(interval) {
                return None;
            }
            (self.low(p, &relevant, facts), high)
        } else {
            let low = self.low(p, &relevant, facts);
            if !Interval::new(low.clone(), None)?.begins_in(interval) {
                return None;
            }
            (low, high())
        };
        within(known_both_ways(plain, Interval::new(low, high)))
    }

    /// What `p` is at least where the facts hold, if more than `limit`; asks for no more than that.
    pub(crate) fn low_above(&self, p: &Polynomial, facts: &Facts, limit: &Coeff) -> Option<Coeff> {
        let plain = self.plain_range(p, facts);
        let relevant = self.relevant(p, facts);
        let is_above = |low: &Coeff| low > limit;
        if relevant.is_empty() && !self.has_cases(p) || self.limits.is_spent() {
            return plain.low().cloned().filter(is_above);
        }
        if self.has_counterexample(p, facts, is_above) {
            return None;
        }
        self.low(p, &relevant, facts).max(plain.low().cloned()).filter(is_above)
    }

    /// Whether `p >= 0` where the facts hold.
    pub fn prove_nonneg(&self, p: &Polynomial, facts: &Facts) -> Truth {
        match () {
            () if self.proves_nonneg(p, facts) => Truth::Yes,
            () if self.proves_nonneg(&(-p - Polynomial::one()), facts) => Truth::No,
            () => Truth::Unknown,
        }
    }

    /// Whether `p >= 0` is shown where the facts hold; asks for no more than that.
    pub fn proves_nonneg(&self, p: &Polynomial, facts: &Facts) -> bool {
        match Truth::of_nonneg(&self.plain_range(p, facts)) {
            Truth::Yes => true,
            Truth::No => false,
            Truth::Unknown if self.limits.is_spent() => false,
            Truth::Unknown => {
                let relevant = self.relevant(p, facts);
                let may_be_bounded = !relevant.is_empty() || self.has_cases(p);
                if !may_be_bounded {
                    return false;
                }
                let is_claimed = |value: &Coeff| !value.is_negative();
                if let Some(known) = self.bounds.get(p, &relevant) {
                    return known.is_some_and(|low| is_claimed(&low));
                }
                // Most of what is true follows from one fact, and most of what is not is refuted by an example that there is.
                !self.has_known_counterexample(p, facts, is_claimed)
                    && (self.low_by_one_fact(p, &relevant).is_some_and(|low| is_claimed(&low))
                        || !self.has_counterexample(p, facts, is_claimed)
                            && self.low(p, &relevant, facts).is_some_and(|low| is_claimed(&low)))
            }
        }
    }

    /// Whether more than the ranges of its atoms may bound a polynomial of which no facts are known.
    fn has_cases(&self, p: &Polynomial) -> bool {
        // An indicator that is open is both 0 and 1 somewhere.
        if p.as_affine_in_atom().is_some_and(AtomId::is_idempotent) {
            return false;
        }
        let mut atoms = p.terms().flat_map(|(monomial, _)| monomial.powers().map(|(atom, _)| atom));
        atoms.any(|atom| {
            let has_arguments = |op: OpaqueOp| matches!(op, OpaqueOp::Min | OpaqueOp::Max);
            match self.atom(atom) {
                Atom::FloorDiv(..) => true,
                Atom::Op(op, _) => has_arguments(*op),
                _ => atom.is_idempotent(),
            }
        })
    }

    /// The facts that can tell something about `p`: those that share atoms with it, or with facts that do.
    fn relevant(&self, p: &Polynomial, facts: &Facts) -> Facts {
        if facts.is_empty() {
            return Facts::none();
        }
        self.limits.work_on(facts.iter().len());
        // Few enough to be looked through.
        let mut reached = Atoms::new();
        let reach = |reached: &mut Atoms, atoms: &[AtomId]| {
            for linked in atoms.iter().flat_map(|&atom| self.linked(atom)) {
                if !reached.contains(linked) {
                    reached.push(*linked);
                }
            }
        };
        reach(&mut reached, &p.atoms());
        let mut is_relevant: SmallVec<[bool; 32]> = smallvec![false; facts.iter().len()];
        let mut left = is_relevant.len();
        loop {
            let before = left;
            for (fact, is_relevant) in facts.iter().zip(&mut is_relevant) {
                let touches = |atom: &AtomId| self.linked(*atom).iter().any(|linked| reached.contains(linked));
                if !*is_relevant && fact.atoms.iter().any(touches) {
                    *is_relevant = true;
                    left -= 1;
                    reach(&mut reached, &fact.atoms);
                }
            }
            match left {
                0 => return facts.clone(),
                _ if left == before => return facts.select(|index| is_relevant[index]),
                _ => {}
            }
        }
    }

    /// A lower bound of the values of a polynomial where the relevant facts hold, which are some of all.
    fn low(&self, p: &Polynomial, relevant: &Facts, all: &Facts) -> Option<Coeff> {
        if let Some(known) = self.bounds.get(p, relevant) {
            return known;
        }
        let least = self.least_at_examples(p, all);
        let low = self.low_by_cases(p, &self.with_quotient_facts(p, relevant), least.as_ref(), MAX_CASES);
        self.bounds.keep(p, relevant, low.clone());
        low
    }

    /// The facts together with the condition, an indicator polynomial, being 1.
    pub fn assume(&self, facts: &Facts, condition: &Polynomial) -> Facts {
        let mut facts = facts.clone();
        for atom in condition.atoms().into_iter().filter(|atom| atom.is_idempotent()) {
            // If the condition cannot be 1 without the atom being 1 (or 0), the atom is 1 (or 0).
            for (impossible, implied) in [(Indicator::Zero, Indicator::One), (Indicator::One, Indicator::Zero)] {
                if is_zero_with(condition, atom, impossible) {
                    facts = self.assume_indicator(&facts, atom, implied);
                }
            }
        }
        facts
    }

    /// The facts together with an indicator having a value.
    pub(crate) fn assume_indicator(&self, facts: &Facts, atom: AtomId, value: Indicator) -> Facts {
        self.limits.work_on(facts.iter().len());
        let mut facts = facts.clone();
        facts.assume_zero(Polynomial::from(atom) - value.polynomial());
        match (self.atom(atom), value) {
            (Atom::Predicate(Predicate::NonNegative(p)), Indicator::One) => facts.assume_nonneg(p.clone()),
            (Atom::Predicate(Predicate::NonNegative(p)), Indicator::Zero) => {
                facts.assume_nonneg(-p - Polynomial::one())
            }
            (Atom::Predicate(Predicate::Zero(p)), Indicator::One) => facts.assume_zero(p.clone()),
            _ => {}
        }
        facts
    }

    /// `least` is a value that is taken where the facts hold: a bound cannot be greater.
    fn low_by_cases(&self, p: &Polynomial, facts: &Facts, least: Option<&Coeff>, cases: u32) -> Option<Coeff> {
        if self.limits.is_spent() {
            return self.plain_range(p, facts).low().cloned();
        }
        let decided = |atom: &AtomId| atom.is_idempotent() && p.terms().len() > 1;
        let is_long = p.terms().len() > MAX_SPLIT_TERMS;
        if is_long {
            self.limits.count(|hits| hits.proof_terms += 1);
        }
        if cases > 0
            && !is_long
            && let Some(atom) = p.atoms().into_iter().find(decided)
        {
            let case = |value: Indicator| {
                let facts = self.assume_indicator(facts, atom, value);
                self.low_by_cases(&p.replace(atom, &value.polynomial()), &facts, least, cases - 1)
            };
            let when_one = case(Indicator::One)?;
            return case(Indicator::Zero).map(|when_zero| when_zero.min(when_one));
        }
        let plain = self.plain_range(p, facts).low().cloned();
        let known = if facts.is_empty() || p.as_constant().is_some() {
            plain
        } else {
            self.search_lower_bound(p, facts, plain, least)
        };
        let is_open = known.as_ref().is_none_or(Coeff::is_negative) && (known.is_none() || known.as_ref() != least);
        if is_open && cases > 0 && !is_long {
            known.max(self.low_by_arguments(p, facts, least, cases - 1))
        } else {
            known
        }
    }

    /// A lower bound of a polynomial in which a minimum or maximum occurs with other terms, from what it is with each argument
    /// instead: `max(a, b) - a` is at least `a - a`, and `a - min(a, b)` is `a - a` or, where `a >= b`, `a - b`.
    fn low_by_arguments(&self, p: &Polynomial, facts: &Facts, least: Option<&Coeff>, cases: u32) -> Option<Coeff> {
        if p.terms().len() < 2 {
            return None;
        }
        let (op, args, rate, rest) = p.atoms().into_iter().find_map(|atom| {
            let Atom::Op(op @ (OpaqueOp::Min | OpaqueOp::Max), args) = self.atom(atom) else { return None };
            let (rate, rest) = p.split_affine(atom)?;
            Some((*op, args, rate.as_constant()?.clone(), rest))
        })?;
        let with =
            |arg: &Polynomial, facts: &Facts| self.low_by_cases(&(&rest + &arg.scale(&rate)), facts, least, cases);
        if (op == OpaqueOp::Max) == rate.is_positive() {
            // At least what each argument makes of it.
            return args.iter().filter_map(|arg| with(arg, facts)).max();
        }
        let lows = args.iter().map(|arg| {
            let mut taken = facts.clone();
            for other in args {
                taken.assume_nonneg(if op == OpaqueOp::Max { arg - other } else { other - arg });
            }
            with(arg, &taken)
        });
        lows.reduce(|a, b| Some(a?.min(b?))).flatten()
    }

    /// Interval arithmetic, term by term.
    pub(crate) fn plain_range(&self, p: &Polynomial, facts: &Facts) -> Interval {
        let range = |(monomial, coefficient): (&Monomial, &Coeff)| match monomial.is_one() {
            true => Interval::point(coefficient.clone()),
            false => self.monomial_range(monomial, facts).scale(coefficient),
        };
        self.limits.work_on(p.terms().len());
        p.terms().map(range).reduce(|sum, range| sum.add(&range)).unwrap_or(Interval::point(0))
    }

    pub(crate) fn monomial_range(&self, monomial: &Monomial, facts: &Facts) -> Interval {
        // Most are of one atom.
        if monomial.degree() == 1
            && let Some((atom, _)) = monomial.powers().next()
        {
            let own = self.atom_range(atom);
            return facts.atom_range(atom).and_then(|known| own.intersect(known)).unwrap_or_else(|| own.clone());
        }
        let mut product: Option<Interval> = None;
        let mut may_be_off = false;
        for (atom, power) in monomial.powers() {
            let own = self.atom_range(atom);
            let range = facts.atom_range(atom).and_then(|known| own.intersect(known));
            let range = range.as_ref().unwrap_or(own);
            // Any number of indicators keep the product or make it 0.
            if atom.is_idempotent() && *range == Interval::BOOLEAN {
                may_be_off = true;
            } else {
                let factor = range.pow(power);
                product = Some(match product {
                    Some(product) => product.mul(&factor),
                    None => factor,
                });
            }
        }
        let product = product.unwrap_or(Interval::point(1));
        // High powers have ends of thousands of bits.
        let bits = [product.low(), product.high()].into_iter().flatten().map(Coeff::bits).sum::<u64>();
        self.limits.work_on(monomial.powers().count() + bits as usize / BITS_OF_STEP);
        if may_be_off { product.hull(&Interval::point(0)) } else { product }
    }
}

/// What intervals alone say, and what the search for bounds does.
fn known_both_ways(plain: Interval, found: Option<Interval>) -> Interval {
    // Contradictory facts: the place is never reached.
    found.and_then(|found| plain.intersect(&found)).unwrap_or(plain)
}

/// Whether a polynomial is zero where an indicator has a value.
fn is_zero_with(p: &Polynomial, atom: AtomId, value: Indicator) -> bool {
    let (with, others): (Vec<_>, Vec<_>) = p.terms().partition(|(monomial, _)| monomial.has(atom));
    match value {
        Indicator::Zero => others.is_empty(),
        // Terms with the atom differ without it as well, so each has one of the others to cancel it.
        Indicator::One => with.len() == others.len() && p.replace(atom, &Polynomial::one()).is_zero(),
    }
}

/// A value of an indicator.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Indicator {
    Zero,
    One,
}

impl Indicator {
    pub(crate) fn polynomial(self) -> Polynomial {
        match self {
            Indicator::Zero => Polynomial::zero(),
            Indicator::One => Polynomial::one(),
        }
    }
}
