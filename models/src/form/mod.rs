//! Closed forms: the arithmetic of a model, written down instead of carried out.
//!
//! A [`Num`] is a number or, while [`record`] runs, a place in a [`Form`]. The models compute with `Num`; with numbers alone they give
//! numbers, and with [leaves](Leaf) among them they give a form, which can be evaluated for any values of the leaves, here or in a program.
//! What is chosen between is part of the form, so that neither `if` nor a comparison of Rust's decides: [`Num::less`] and
//! [`Truth::choose`] do.
//!
//! A form has two stages. What depends on machines alone is computed once, when a program learns which machines it has; the rest is computed at
//! each launch.

mod num;
mod range;
mod recording;
mod simplify;
mod step;

use std::fmt;

use step::evaluate;

pub use num::{Num, Truth, record};
pub use step::{Leaf, Place, Stage, Step, stage_of};

/// A program without branches: steps in an order in which they can be computed, each one once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Form {
    leaves: Vec<Leaf>,
    steps: Vec<Step>,
    results: Vec<Place>,
}

impl Form {
    /// What it depends on.
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// Its steps.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Where its results are, in the order in which they were asked for.
    pub fn results(&self) -> &[Place] {
        &self.results
    }

    /// When each step can be computed.
    pub fn stages(&self) -> Vec<Stage> {
        let mut stages: Vec<Stage> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let own = match step {
                Step::Leaf(number) => stage_of(&self.leaves[*number as usize]),
                _ => Stage::Machine,
            };
            stages.push(step.operands().map(|place| stages[place as usize]).fold(own, Stage::max));
        }
        stages
    }

    /// Those steps of the first stage, but for constants, that the second one needs, and results of the first stage: what is kept for the launches.
    pub fn prepared(&self) -> Vec<Place> {
        let stages = self.stages();
        let is_constant = |place: Place| matches!(self.steps[place as usize], Step::Constant(_));
        let mut is_kept = vec![false; self.steps.len()];
        for (step, stage) in self.steps.iter().zip(&stages) {
            if *stage == Stage::Launch {
                step.operands().for_each(|operand| is_kept[operand as usize] = true);
            }
        }
        self.results.iter().for_each(|result| is_kept[*result as usize] = true);
        let all = 0..self.steps.len() as Place;
        let keeps = |place: &Place| {
            is_kept[*place as usize] && stages[*place as usize] == Stage::Machine && !is_constant(*place)
        };
        all.filter(keeps).collect()
    }

    /// The value of each step; a truth is 1 or 0. Leaves that `value` does not know are no numbers.
    pub fn values(&self, value: impl Fn(&Leaf) -> Option<f64>) -> Vec<f64> {
        let leaves: Vec<f64> = self.leaves.iter().map(|leaf| value(leaf).unwrap_or(f64::NAN)).collect();
        let mut values: Vec<f64> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            values.push(evaluate(*step, &leaves, |place| values[place as usize]));
        }
        values
    }

    /// The results.
    pub fn evaluate(&self, value: impl Fn(&Leaf) -> Option<f64>) -> Vec<f64> {
        let values = self.values(value);
        self.results.iter().map(|result| values[*result as usize]).collect()
    }

    /// Whether every step's operands come before it and its leaf exists: not so in a form that was read from a damaged file.
    pub fn is_sound(&self) -> bool {
        let count = self.steps.len();
        let step_is = |(at, step): (usize, &Step)| {
            let leaf = !matches!(step, Step::Leaf(number) if *number as usize >= self.leaves.len());
            leaf && step.operands().all(|operand| (operand as usize) < at)
        };
        self.steps.iter().enumerate().all(step_is) && self.results.iter().all(|result| (*result as usize) < count)
    }
}

impl Form {
    /// Only what results need, in the order of tables (`table::program`): constants, those of launches first, and of both those first that 32 bits hold;
    /// leaves of machines, sorted, and their steps; variables, the number of threads and steps of launches.
    fn in_order(&self) -> Form {
        let stages = self.stages();
        let mut is_used = vec![false; self.steps.len()];
        let mut is_used_at_launch = is_used.clone();
        for result in &self.results {
            is_used[*result as usize] = true;
            is_used_at_launch[*result as usize] = true;
        }
        for (at, step) in self.steps.iter().enumerate().rev().filter(|(_, step)| step.operands().next().is_some()) {
            if is_used[at] {
                for operand in step.operands() {
                    is_used[operand as usize] = true;
                    is_used_at_launch[operand as usize] |= stages[at] == Stage::Launch;
                }
            }
        }
        const MACHINE_STEP: u8 = 5;
        const LAUNCH_STEP: u8 = 8;
        let rank = |place: &Place| {
            let at = *place as usize;
            match (self.steps[at], stages[at]) {
                (constant @ Step::Constant(_), _) => {
                    2 * u8::from(!is_used_at_launch[at]) + u8::from(constant.single().is_none())
                }
                (Step::Leaf(_), Stage::Machine) => 4,
                (_, Stage::Machine) => MACHINE_STEP,
                (Step::Leaf(number), Stage::Launch) => 6 + u8::from(self.leaves[number as usize] == Leaf::HostThreads),
                (_, Stage::Launch) => LAUNCH_STEP,
            }
        };
        let mut order: Vec<Place> = (0..self.steps.len() as Place).filter(|place| is_used[*place as usize]).collect();
        let key = |place: &Place| match self.steps[*place as usize] {
            Step::Leaf(number) => match &self.leaves[number as usize] {
                Leaf::Machine(key) => Some(key),
                Leaf::Captured(_) | Leaf::HostThreads => None,
            },
            _ => None,
        };
        order.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| key(a).cmp(&key(b))));
        for kind in [MACHINE_STEP, LAUNCH_STEP] {
            let ends = [kind, kind + 1].map(|end| order.partition_point(|place| rank(place) < end));
            let steps = self.by_operation(&order[ends[0]..ends[1]]);
            order.splice(ends[0]..ends[1], steps);
        }
        let mut new_places = vec![0; self.steps.len()];
        let mut form = Form::default();
        for place in order {
            new_places[place as usize] = form.steps.len() as Place;
            match self.steps[place as usize] {
                Step::Leaf(number) => form.push_leaf(self.leaves[number as usize].clone()),
                other => form.steps.push(other.map(|place| new_places[place as usize])),
            }
        }
        form.results = self.results.iter().map(|result| new_places[*result as usize]).collect();
        form
    }

    /// Steps in an order in which each stands behind those that it needs, and as many as can of one operation stand one after the other: what goes
    /// through them in this order turns to another operation seldom. (List scheduling; the operation with most steps that can be taken is next.)
    fn by_operation(&self, steps: &[Place]) -> Vec<Place> {
        let operands = |place: Place| self.steps[place as usize].operands();
        // Those of each step that are among these, one step behind the other; the users of a step begin where those of the one before it end.
        let mut is_own = vec![false; self.steps.len()];
        steps.iter().for_each(|place| is_own[*place as usize] = true);
        let mut missing = vec![0_u32; self.steps.len()];
        let mut ends = vec![0_usize; self.steps.len() + 1];
        for place in steps.iter().copied() {
            for operand in operands(place).filter(|operand| is_own[*operand as usize]) {
                missing[place as usize] += 1;
                ends[operand as usize + 1] += 1;
            }
        }
        (1..ends.len()).for_each(|at| ends[at] += ends[at - 1]);
        let begins = ends.clone();
        let mut users: Vec<Place> = vec![0; begins[self.steps.len()]];
        for place in steps.iter().copied() {
            for operand in operands(place).filter(|operand| is_own[*operand as usize]) {
                users[ends[operand as usize]] = place;
                ends[operand as usize] += 1;
            }
        }
        let mut ready: [Vec<Place>; Step::OPERATIONS.len()] = Default::default();
        let operation = |place: Place| self.steps[place as usize].operation().unwrap_or_default();
        for place in steps.iter().copied().filter(|place| missing[*place as usize] == 0) {
            ready[operation(place)].push(place);
        }
        let mut order = Vec::with_capacity(steps.len());
        // Of several with as many the first one.
        while let Some(next) =
            (0..ready.len()).rev().max_by_key(|at| ready[*at].len()).filter(|at| !ready[*at].is_empty())
        {
            while !ready[next].is_empty() {
                for place in std::mem::take(&mut ready[next]) {
                    order.push(place);
                    for user in &users[begins[place as usize]..begins[place as usize + 1]] {
                        missing[*user as usize] -= 1;
                        if missing[*user as usize] == 0 {
                            ready[operation(*user)].push(*user);
                        }
                    }
                }
            }
        }
        order
    }

    /// The same without all but the first results.
    pub fn with_results(mut self, count: usize) -> Form {
        self.results.truncate(count);
        self.in_order()
    }

    /// A form that is read from somewhere: its steps must be such that [`Form::is_sound`].
    pub(crate) fn of_parts(steps: Vec<Step>, leaves: Vec<Leaf>, results: Vec<Place>) -> Option<Form> {
        let form = Form { leaves, steps, results };
        form.is_sound().then_some(form)
    }

    fn push_leaf(&mut self, leaf: Leaf) {
        self.steps.push(Step::Leaf(self.leaves.len() as u32));
        self.leaves.push(leaf);
    }
}

/// A line for each step, such as `t7 = t5 * t6`, and what is computed when.
impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stages = self.stages();
        let name = |place: Place| match self.steps[place as usize] {
            Step::Constant(bits) => f64::from_bits(bits).to_string(),
            Step::Leaf(number) => self.leaves[number as usize].to_string(),
            _ => format!("t{place}"),
        };
        for stage in [Stage::Machine, Stage::Launch] {
            let of_stage = |(at, _): &(usize, &Step)| stages[*at] == stage;
            for (at, step) in self.steps.iter().enumerate().filter(of_stage) {
                let text = match *step {
                    Step::Constant(_) | Step::Leaf(_) => continue,
                    Step::Add(a, b) => format!("{} + {}", name(a), name(b)),
                    Step::Subtract(a, b) => format!("{} - {}", name(a), name(b)),
                    Step::Multiply(a, b) => format!("{} * {}", name(a), name(b)),
                    Step::Divide(a, b) => format!("{} / {}", name(a), name(b)),
                    Step::Min(a, b) => format!("min({}, {})", name(a), name(b)),
                    Step::Max(a, b) => format!("max({}, {})", name(a), name(b)),
                    Step::Floor(a) => format!("floor({})", name(a)),
                    Step::Less(a, b) => format!("{} < {}", name(a), name(b)),
                    Step::Equal(a, b) => format!("{} == {}", name(a), name(b)),
                    Step::And(a, b) => format!("{} and {}", name(a), name(b)),
                    Step::Or(a, b) => format!("{} or {}", name(a), name(b)),
                    Step::Not(a) => format!("not {}", name(a)),
                    Step::Choose(a, b, c) => format!("if {} then {} else {}", name(a), name(b), name(c)),
                };
                writeln!(f, "{} t{at} = {text}", if stage == Stage::Machine { "once  " } else { "launch" })?;
            }
        }
        Ok(())
    }
}
