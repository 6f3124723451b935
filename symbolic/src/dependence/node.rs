//! A part of the iteration space in which a collision is sought: equations that it must satisfy, and what holds there.

use super::eliminate::shows_nonneg;
use super::pair::{Pair, assume};
use super::solve::{simply_solved, solved};
use super::split;
use super::wrapping::{has_residue, is_below_wrap};
use crate::atom::AtomId;
use crate::bounds::Indicator;
use crate::coeff::Coeff;
use crate::facts::{Facts, Truth};
use crate::limits::MAX_CONTRADICTION_TRIES;
use crate::polynomial::Polynomial;
use crate::space::Space;

/// How often a node's equations are taken apart.
const MAX_ROUNDS: u32 = 24;
/// With more facts than this, not all are tried as a contradiction.
const MAX_CONTRADICTIONS: usize = 24;
/// How many failed attempts are looked at for conditions under which they succeed.
const MAX_ATTEMPTS: usize = 16;
/// How many indicators are decided both ways, one inside the other.
const MAX_CASES: u32 = 4;

/// `low <= form <= high`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Equation {
    pub form: Polynomial,
    pub low: Coeff,
    pub high: Coeff,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub equations: Vec<Equation>,
    /// That of the addresses, as long as its form may leave the integers of 64 bits: it holds modulo `2^64`.
    pub wrapping: Option<Equation>,
    /// Bounds of distances and facts about invariant values: few, so that what follows from them alone is found soon.
    pub near: Facts,
    /// All facts.
    pub full: Facts,
    distances: Vec<AtomId>,
    /// An unknown other than a distance was fixed.
    pub is_narrowed: bool,
    /// The distances of the common loops, by others.
    pub values: Vec<Polynomial>,
}

/// Whether a node may hold a collision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    Nothing,
    Perhaps,
}

/// Conditions each of which was missing in one attempt to exclude a collision.
pub(super) type Attempts = Vec<Vec<Polynomial>>;

/// Remembers what an attempt lacked.
pub(super) fn note(attempts: &mut Attempts, missing: Vec<Polynomial>) {
    if attempts.len() < MAX_ATTEMPTS && !attempts.contains(&missing) {
        attempts.push(missing);
    }
}

impl Equation {
    /// Divided by the greatest common divisor of its coefficients; `None` where no value fits (the GCD test, with an interval).
    fn reduced(&self) -> Option<Equation> {
        let constant = self.form.constant_term();
        let variable = self.form.without_constant();
        let (low, high) = (&self.low - &constant, &self.high - &constant);
        let gcd = variable.content();
        if gcd.is_zero() {
            return (!low.is_positive() && !high.is_negative()).then(|| Equation {
                form: Polynomial::zero(),
                low: Coeff::ZERO,
                high: Coeff::ZERO,
            });
        }
        let (low, high) = (low.div_ceil(&gcd)?, high.div_floor(&gcd)?);
        if low > high {
            return None;
        }
        // The interval is moved to 0, so that sizes divide the constant as they do the rest.
        let shift = if low.is_positive() || high.is_negative() { low.clone() } else { Coeff::ZERO };
        let form = variable.div_exact(&gcd)? - Polynomial::from(shift.clone());
        Some(Equation { form, low: low - &shift, high: high - &shift })
    }

    pub fn is_exact(&self) -> bool {
        self.low == self.high
    }
}

impl Node {
    pub fn new(pair: &Pair, equation: &Equation, wraps: bool) -> Node {
        let (exact, wrapping) = if wraps { (None, Some(equation.clone())) } else { (Some(equation.clone()), None) };
        Node {
            equations: exact.into_iter().collect(),
            wrapping,
            near: pair.near.clone(),
            full: pair.full.clone(),
            distances: pair.distances.clone(),
            is_narrowed: false,
            values: pair.distances.iter().map(|&distance| Polynomial::from(distance)).collect(),
        }
    }

    /// Whether no equation is left.
    pub fn is_decided(&self) -> bool {
        self.equations.is_empty() && self.wrapping.is_none()
    }

    /// Whether a distance is known by others.
    pub fn is_coupled(&self) -> bool {
        let is_own = |(value, &distance): (&Polynomial, &AtomId)| value.as_atom() == Some(distance);
        self.values.iter().zip(&self.distances).any(|pair| pair.0.as_constant().is_none() && !is_own(pair))
    }

    /// Whether `p >= 0` wherever a collision of this node may be.
    pub fn proves(&self, space: &Space, p: &Polynomial) -> bool {
        if let Some(value) = p.as_constant() {
            return !value.is_negative();
        }
        match Truth::of_nonneg(&space.plain_range(p, &self.full)) {
            Truth::Yes => true,
            Truth::No => false,
            Truth::Unknown(_) if space.is_spent() => false,
            Truth::Unknown(_) => {
                let eliminated = |facts: &Facts| shows_nonneg(space, p, facts);
                space.limits.take_proof()
                    && (eliminated(&self.near) || eliminated(&self.full) || space.proves_nonneg(p, &self.full))
            }
        }
    }

    /// Adds a fact.
    pub fn assume(&mut self, space: &Space, fact: Polynomial) -> Found {
        if self.proves(space, &(-&fact - Polynomial::one())) {
            return Found::Nothing;
        }
        // What is known last is the sharpest, and so tried first.
        let mut near = Facts::none();
        assume(&mut near, fact.clone());
        self.near.nonneg().for_each(|known| near.assume_nonneg(known.clone()));
        self.near = near;
        assume(&mut self.full, fact);
        Found::Perhaps
    }

    /// Takes the equations apart as far as possible.
    pub fn reduce(&mut self, space: &mut Space, attempts: &mut Attempts) -> Found {
        if let Some(equation) = self.wrapping.take_if(|equation| is_below_wrap(space, equation, &self.full)) {
            self.equations.push(equation);
        }
        if self.wrapping.as_ref().is_some_and(|equation| !has_residue(equation)) {
            return Found::Nothing;
        }
        let mut stuck: Vec<Equation> = Vec::new();
        for _ in 0..MAX_ROUNDS {
            let mut equations = Vec::with_capacity(self.equations.len());
            for equation in &self.equations {
                match equation.reduced() {
                    None => return Found::Nothing,
                    Some(reduced) if reduced.form.is_zero() || equations.contains(&reduced) => {}
                    Some(reduced) => equations.push(reduced),
                }
            }
            self.equations = equations;
            if let Some((atom, value)) = self.equations.iter().find_map(|equation| simply_solved(space, equation)) {
                if self.substitute(space, atom, &value) == Found::Nothing {
                    return Found::Nothing;
                }
                continue;
            }
            let Some(next) = self.equations.iter().position(|equation| !stuck.contains(equation)) else { break };
            let equation = self.equations[next].clone();
            if self.is_out_of_bounds(space, &equation) {
                return Found::Nothing;
            }
            match split::split(space, self, &equation, attempts) {
                Some((quotient, rest)) => {
                    self.equations.splice(next..=next, [quotient, rest]);
                }
                None => match solved(space, &equation) {
                    Some((atom, value)) => {
                        if self.substitute(space, atom, &value) == Found::Nothing {
                            return Found::Nothing;
                        }
                    }
                    None => stuck.push(equation),
                },
            }
        }
        Found::Perhaps
    }

    /// Banerjee's test: the bounds of the form do not reach its interval.
    fn is_out_of_bounds(&self, space: &Space, equation: &Equation) -> bool {
        let Equation { form, low, high } = equation;
        let one = Polynomial::one();
        self.proves(space, &(form - &Polynomial::from(high.clone()) - &one))
            || self.proves(space, &(Polynomial::from(low.clone()) - form - &one))
    }

    /// Puts the value of an atom in its place everywhere.
    pub fn substitute(&mut self, space: &mut Space, atom: AtomId, value: &Polynomial) -> Found {
        let range = space.atom_range(atom).clone();
        let low = range.low().map(|low| value - &Polynomial::from(low.clone()));
        let high = range.high().map(|high| &Polynomial::from(high.clone()) - value);
        for bound in [low, high].into_iter().flatten() {
            if !assume(&mut self.full, bound) {
                return Found::Nothing;
            }
        }
        self.is_narrowed |= !self.distances.contains(&atom);
        let mut value_of = |at| (at == atom).then(|| value.clone());
        for equation in self.equations.iter_mut().chain(&mut self.wrapping) {
            equation.form = space.substitute(&equation.form, &mut value_of);
        }
        for known in &mut self.values {
            *known = space.substitute(known, &mut value_of);
        }
        for facts in [&mut self.near, &mut self.full] {
            let mut moved = Facts::none();
            for fact in facts.iter() {
                space.work_on(1);
                if !space.mentions(&fact.polynomial, atom) {
                    moved.assume(fact);
                    continue;
                }
                let fact = space.substitute(&fact.polynomial, &mut value_of);
                if !assume(&mut moved, fact) {
                    return Found::Nothing;
                }
            }
            *facts = moved;
        }
        Found::Perhaps
    }

    /// Whether what holds here contradicts itself, or no case of a condition leaves a collision.
    pub fn is_empty(&self, space: &mut Space, attempts: &mut Attempts) -> bool {
        self.is_contradictory(space, attempts) || self.has_no_case(space, MAX_CASES)
    }

    fn is_contradictory(&self, space: &Space, attempts: &mut Attempts) -> bool {
        for fact in self.full.nonneg().take(MAX_CONTRADICTIONS) {
            let opposite = -fact - Polynomial::one();
            let usual = space.limits.set_tries(Some(MAX_CONTRADICTION_TRIES));
            let is_shown = self.proves(space, &opposite);
            space.limits.set_tries(usual);
            if is_shown {
                return true;
            }
            if self.near.contains(fact) {
                note(attempts, vec![opposite]);
            }
        }
        false
    }

    /// Decides the indicators of the equations both ways.
    fn has_no_case(&self, space: &mut Space, cases: u32) -> bool {
        if space.is_spent() {
            return false;
        }
        let is_open = |atom: &AtomId| atom.is_idempotent();
        let Some(atom) = self.equations.iter().flat_map(|equation| equation.form.atoms()).find(is_open) else {
            return false;
        };
        cases > 0
            && [Indicator::Zero, Indicator::One].into_iter().all(|value| {
                let mut case = self.clone();
                for facts in [&mut case.near, &mut case.full] {
                    *facts = space.assume_indicator(facts, atom, value);
                }
                let value = value.polynomial();
                let mut unused = Attempts::new();
                case.substitute(space, atom, &value) == Found::Nothing
                    || case.reduce(space, &mut unused) == Found::Nothing
                    || case.is_contradictory(space, &mut unused)
                    || case.has_no_case(space, cases - 1)
            })
    }
}
