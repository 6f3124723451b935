//! Steps that need not be taken, or only once for all launches.
//!
//! Products with 0 are 0, as the models' numbers are finite, and nothing is divided by 0.

use super::recording::Recording;
use super::step::{Place, Stage, Step, evaluate};

impl Recording {
    pub(super) fn constant(&mut self, value: f64) -> Place {
        // There is one 0.
        self.add(Step::Constant((value + 0.0).to_bits()))
    }

    fn number(&self, place: Place) -> Option<f64> {
        match self.form.steps[place as usize] {
            Step::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    fn is_of_machine(&self, place: Place) -> bool {
        self.stages[place as usize] == Stage::Machine
    }

    /// The step, or a cheaper one that gives the same, but for rounding.
    pub(super) fn simplified(&mut self, step: Step) -> Place {
        let mut numbers = step.operands().map(|place| self.number(place));
        if step.operands().next().is_some() && numbers.all(|number| number.is_some()) {
            let value = evaluate(step, &[], |place| self.number(place).unwrap_or(f64::NAN));
            return self.constant(value);
        }
        let is = |this: &Recording, place: Place, value: f64| this.number(place) == Some(value);
        match step {
            Step::Add(a, b) if is(self, a, 0.0) => b,
            Step::Add(a, b) | Step::Subtract(a, b) if is(self, b, 0.0) => a,
            Step::Subtract(a, b) if a == b => self.constant(0.0),
            Step::Add(a, b) if self.is_negative_of(a, b) || self.is_negative_of(b, a) => self.constant(0.0),
            Step::Multiply(a, b) if is(self, a, 0.0) || is(self, b, 0.0) => self.constant(0.0),
            Step::Multiply(a, b) if is(self, a, 1.0) => b,
            Step::Multiply(a, b) | Step::Divide(a, b) if is(self, b, 1.0) => a,
            Step::Divide(a, _) if is(self, a, 0.0) => a,
            Step::Divide(a, b) if a == b => self.constant(1.0),
            // One division for all launches.
            Step::Divide(a, b) if self.is_of_machine(b) && !is(self, a, 1.0) => {
                let one = self.constant(1.0);
                let inverse = self.simplified(Step::Divide(one, b));
                self.simplified(Step::Multiply(a, inverse))
            }
            Step::Multiply(a, b) => self.product(a, b),
            Step::Add(a, b) => self.ordered(a, b, Step::Add),
            Step::Min(a, b) | Step::Max(a, b) if a == b => a,
            Step::Min(a, b) if self.is_below(a, b) => a,
            Step::Min(a, b) if self.is_below(b, a) => b,
            Step::Max(a, b) if self.is_below(a, b) => b,
            Step::Max(a, b) if self.is_below(b, a) => a,
            Step::Min(a, b) | Step::Max(a, b) if self.has_operand(step, a, b) => a,
            Step::Min(a, b) | Step::Max(a, b) if self.has_operand(step, b, a) => b,
            Step::Min(a, b) => self.extreme(a, b, Step::Min),
            Step::Max(a, b) => self.extreme(a, b, Step::Max),
            Step::Less(a, b) if a == b || self.is_below(b, a) => self.constant(0.0),
            Step::Less(a, b) if self.range(a).high < self.range(b).low => self.constant(1.0),
            Step::Equal(a, b) if a == b => self.constant(1.0),
            Step::And(a, b) if is(self, a, 0.0) || is(self, b, 1.0) || a == b => a,
            Step::And(a, b) if is(self, b, 0.0) || is(self, a, 1.0) => b,
            Step::Or(a, b) if is(self, a, 1.0) || is(self, b, 0.0) || a == b => a,
            Step::Or(a, b) if is(self, b, 1.0) || is(self, a, 0.0) => b,
            Step::Choose(a, b, c) if b == c || is(self, a, 1.0) => b,
            Step::Choose(a, _, c) if is(self, a, 0.0) => c,
            Step::Floor(a) if self.is_whole(a) => a,
            other => self.add(other),
        }
    }

    fn range(&self, place: Place) -> super::range::Range {
        self.ranges[place as usize]
    }

    /// Whether one is never above the other.
    fn is_below(&self, low: Place, high: Place) -> bool {
        self.range(low).high <= self.range(high).low
    }

    /// Whether the first one is the same choice of the smaller or larger one, between the other and something else.
    fn has_operand(&self, of: Step, first: Place, other: Place) -> bool {
        let same = std::mem::discriminant(&of) == std::mem::discriminant(&self.form.steps[first as usize]);
        same && self.form.steps[first as usize].operands().any(|operand| operand == other)
    }

    /// Whether the first one is the other times -1.
    fn is_negative_of(&self, first: Place, other: Place) -> bool {
        let minus = |place: Place| self.number(place) == Some(-1.0);
        match self.form.steps[first as usize] {
            Step::Multiply(a, b) => a == other && minus(b) || b == other && minus(a),
            _ => false,
        }
    }

    /// Factors that only machines know are multiplied with each other first.
    fn product(&mut self, a: Place, b: Place) -> Place {
        let (a, b) = if self.is_of_machine(a) && !self.is_of_machine(b) { (b, a) } else { (a, b) };
        if self.is_of_machine(b)
            && !self.is_of_machine(a)
            && let Step::Multiply(x, y) = self.form.steps[a as usize]
            && self.is_of_machine(y)
        {
            let factor = self.simplified(Step::Multiply(y, b));
            return self.simplified(Step::Multiply(x, factor));
        }
        if self.is_of_machine(b) && !self.is_of_machine(a) {
            return self.add(Step::Multiply(a, b));
        }
        self.ordered(a, b, Step::Multiply)
    }

    /// What only machines know is compared with each other first.
    fn extreme(&mut self, a: Place, b: Place, of: fn(Place, Place) -> Step) -> Place {
        let (a, b) = if self.is_of_machine(a) && !self.is_of_machine(b) { (b, a) } else { (a, b) };
        let inner = self.form.steps[a as usize];
        let same = std::mem::discriminant(&of(a, b)) == std::mem::discriminant(&inner);
        if same
            && self.is_of_machine(b)
            && !self.is_of_machine(a)
            && let Step::Min(x, y) | Step::Max(x, y) = inner
            && self.is_of_machine(y)
        {
            let of_machine = self.simplified(of(y, b));
            return self.simplified(of(x, of_machine));
        }
        self.add(of(a, b))
    }

    /// Sums and products have one order, so that the same one is found again.
    fn ordered(&mut self, a: Place, b: Place, of: fn(Place, Place) -> Step) -> Place {
        self.add(of(a.max(b), a.min(b)))
    }

    fn is_whole(&self, place: Place) -> bool {
        match self.form.steps[place as usize] {
            Step::Floor(_) => true,
            Step::Constant(bits) => f64::from_bits(bits).fract() == 0.0,
            Step::Add(a, b) | Step::Subtract(a, b) | Step::Multiply(a, b) | Step::Min(a, b) | Step::Max(a, b) => {
                self.is_whole_leaf(a) && self.is_whole_leaf(b)
            }
            _ => false,
        }
    }

    /// Not further down, for the time that it takes.
    fn is_whole_leaf(&self, place: Place) -> bool {
        match self.form.steps[place as usize] {
            Step::Floor(_) => true,
            Step::Constant(bits) => f64::from_bits(bits).fract() == 0.0,
            _ => false,
        }
    }
}
