//! Closed forms: the arithmetic of a model, written down instead of carried out.
//!
//! A [`Num`] is a number or, while [`record`] runs, a place in a [`Form`]. The models compute with `Num`; with numbers alone they give
//! numbers, and with [leaves](Leaf) among them they give a form, which can be evaluated for any values of the leaves, or become code.
//! What is chosen between is part of the form, so that neither `if` nor a comparison of Rust's decides: [`Num::less`] and
//! [`Truth::choose`] do.
//!
//! A form has two stages. What depends on machines alone is computed once, when a program learns which machines it has; the rest is computed at
//! each launch.

mod num;
mod range;
mod simplify;

use std::cell::RefCell;
use std::fmt;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use range::Range;

pub use num::{Num, Truth};

/// A value that is known later.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leaf {
    /// A parameter of a machine, such as `gpu.memory.bandwidth`, in the units of [`crate::machine`].
    Machine(String),
    /// A variable that the region captures, by its name in the report.
    Captured(String),
    /// The threads that the host would use: `omp_get_max_threads`.
    HostThreads,
}

/// When a value is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// When the machines are.
    Machine,
    /// When the region is launched.
    Launch,
}

/// A place in a form.
pub type Place = u32;

/// A step of a form. Its operands come before it. `Less` to `Not` give truths, which only they and `Choose` take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A number, as its bits.
    Constant(u64),
    /// A leaf, by its number in [`Form::leaves`].
    Leaf(u32),
    /// `a + b`
    Add(Place, Place),
    /// `a - b`
    Subtract(Place, Place),
    /// `a * b`
    Multiply(Place, Place),
    /// `a / b`
    Divide(Place, Place),
    /// The smaller one.
    Least(Place, Place),
    /// The larger one.
    Most(Place, Place),
    /// The largest whole number that is not above.
    Floor(Place),
    /// `a < b`
    Less(Place, Place),
    /// `a == b`
    Equal(Place, Place),
    /// Both.
    Both(Place, Place),
    /// One or both.
    Either(Place, Place),
    /// Not.
    Not(Place),
    /// If the first holds, the second, else the third.
    Choose(Place, Place, Place),
}

impl Step {
    /// What it is made of.
    pub fn operands(self) -> impl Iterator<Item = Place> {
        let (a, b, c) = match self {
            Step::Constant(_) | Step::Leaf(_) => (None, None, None),
            Step::Floor(a) | Step::Not(a) => (Some(a), None, None),
            Step::Add(a, b)
            | Step::Subtract(a, b)
            | Step::Multiply(a, b)
            | Step::Divide(a, b)
            | Step::Least(a, b)
            | Step::Most(a, b)
            | Step::Less(a, b)
            | Step::Equal(a, b)
            | Step::Both(a, b)
            | Step::Either(a, b) => (Some(a), Some(b), None),
            Step::Choose(a, b, c) => (Some(a), Some(b), Some(c)),
        };
        [a, b, c].into_iter().flatten()
    }

    fn map(self, of: impl Fn(Place) -> Place) -> Step {
        match self {
            Step::Constant(_) | Step::Leaf(_) => self,
            Step::Floor(a) => Step::Floor(of(a)),
            Step::Not(a) => Step::Not(of(a)),
            Step::Add(a, b) => Step::Add(of(a), of(b)),
            Step::Subtract(a, b) => Step::Subtract(of(a), of(b)),
            Step::Multiply(a, b) => Step::Multiply(of(a), of(b)),
            Step::Divide(a, b) => Step::Divide(of(a), of(b)),
            Step::Least(a, b) => Step::Least(of(a), of(b)),
            Step::Most(a, b) => Step::Most(of(a), of(b)),
            Step::Less(a, b) => Step::Less(of(a), of(b)),
            Step::Equal(a, b) => Step::Equal(of(a), of(b)),
            Step::Both(a, b) => Step::Both(of(a), of(b)),
            Step::Either(a, b) => Step::Either(of(a), of(b)),
            Step::Choose(a, b, c) => Step::Choose(of(a), of(b), of(c)),
        }
    }
}

/// A program without branches: steps in an order in which they can be computed, each one once.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
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
            values.push(carry_out(*step, &leaves, |place| values[place as usize]));
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

/// When a leaf is known.
pub fn stage_of(leaf: &Leaf) -> Stage {
    match leaf {
        Leaf::Machine(_) => Stage::Machine,
        Leaf::Captured(_) | Leaf::HostThreads => Stage::Launch,
    }
}

fn carry_out(step: Step, leaves: &[f64], of: impl Fn(Place) -> f64) -> f64 {
    let truth = |holds: bool| if holds { 1.0 } else { 0.0 };
    match step {
        Step::Constant(bits) => f64::from_bits(bits),
        Step::Leaf(number) => leaves[number as usize],
        Step::Add(a, b) => of(a) + of(b),
        Step::Subtract(a, b) => of(a) - of(b),
        Step::Multiply(a, b) => of(a) * of(b),
        Step::Divide(a, b) => of(a) / of(b),
        Step::Least(a, b) => least(of(a), of(b)),
        Step::Most(a, b) => most(of(a), of(b)),
        Step::Floor(a) => of(a).floor(),
        Step::Less(a, b) => truth(of(a) < of(b)),
        Step::Equal(a, b) => truth(of(a) == of(b)),
        Step::Both(a, b) => truth(of(a) != 0.0 && of(b) != 0.0),
        Step::Either(a, b) => truth(of(a) != 0.0 || of(b) != 0.0),
        Step::Not(a) => truth(of(a) == 0.0),
        Step::Choose(a, b, c) => {
            if of(a) != 0.0 {
                of(b)
            } else {
                of(c)
            }
        }
    }
}

/// As one instruction of most processors does it: what is no number is not the least, if it comes first.
fn least(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

fn most(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// A form while it is written.
#[derive(Default)]
struct Recording {
    form: Form,
    stages: Vec<Stage>,
    ranges: Vec<Range>,
    places: FxHashMap<Step, Place>,
}

thread_local! {
    static RECORDING: RefCell<Option<Recording>> = const { RefCell::new(None) };
}

/// Runs `work`, in which [`Num::leaf`] gives values that are known later: the form of the numbers that it returns, in that order, and what it
/// returns beside. Without a step that no result needs. What `work` records within `work` is a form of its own, of which no number
/// may leave it.
pub fn record<T, E>(work: impl FnOnce() -> Result<(Vec<Num>, T), E>) -> Result<(Form, T), E> {
    let around = RECORDING.replace(Some(Recording::default()));
    // A fault in `work` leaves a recording behind, which the next one replaces.
    let outcome = work().map(|(results, beside)| (results.into_iter().map(Num::place).collect::<Vec<Place>>(), beside));
    let recorded = RECORDING.replace(around).unwrap_or_default();
    let (results, beside) = outcome?;
    let form = Form { results, ..recorded.form };
    Ok((form.without_unused(), beside))
}

impl Form {
    fn without_unused(&self) -> Form {
        let mut is_used = vec![false; self.steps.len()];
        self.results.iter().for_each(|result| is_used[*result as usize] = true);
        for (at, step) in self.steps.iter().enumerate().rev() {
            if is_used[at] {
                step.operands().for_each(|operand| is_used[operand as usize] = true);
            }
        }
        let mut new_places = vec![0; self.steps.len()];
        let mut form = Form::default();
        for (at, step) in self.steps.iter().enumerate().filter(|(at, _)| is_used[*at]) {
            new_places[at] = form.steps.len() as Place;
            let step = match step {
                Step::Leaf(number) => {
                    let leaf = &self.leaves[*number as usize];
                    form.leaves.push(leaf.clone());
                    Step::Leaf(form.leaves.len() as u32 - 1)
                }
                other => other.map(|place| new_places[place as usize]),
            };
            form.steps.push(step);
        }
        form.results = self.results.iter().map(|result| new_places[*result as usize]).collect();
        form
    }
}

impl Recording {
    fn add(&mut self, step: Step) -> Place {
        if let Some(place) = self.places.get(&step) {
            return *place;
        }
        let own = match step {
            Step::Leaf(number) => stage_of(&self.form.leaves[number as usize]),
            _ => Stage::Machine,
        };
        let stage = step.operands().map(|place| self.stages[place as usize]).fold(own, Stage::max);
        let place = self.form.steps.len() as Place;
        let range = match step {
            Step::Leaf(number) => Range::of_leaf(&self.form.leaves[number as usize]),
            _ => Range::of(step, |place| self.ranges[place as usize]),
        };
        self.form.steps.push(step);
        self.stages.push(stage);
        self.ranges.push(range);
        self.places.insert(step, place);
        place
    }

    fn leaf(&mut self, leaf: Leaf) -> Place {
        let known = self.form.leaves.iter().position(|other| *other == leaf);
        let number = known.unwrap_or_else(|| {
            self.form.leaves.push(leaf);
            self.form.leaves.len() - 1
        });
        self.add(Step::Leaf(number as u32))
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
                    Step::Least(a, b) => format!("min({}, {})", name(a), name(b)),
                    Step::Most(a, b) => format!("max({}, {})", name(a), name(b)),
                    Step::Floor(a) => format!("floor({})", name(a)),
                    Step::Less(a, b) => format!("{} < {}", name(a), name(b)),
                    Step::Equal(a, b) => format!("{} == {}", name(a), name(b)),
                    Step::Both(a, b) => format!("{} and {}", name(a), name(b)),
                    Step::Either(a, b) => format!("{} or {}", name(a), name(b)),
                    Step::Not(a) => format!("not {}", name(a)),
                    Step::Choose(a, b, c) => format!("if {} then {} else {}", name(a), name(b), name(c)),
                };
                writeln!(f, "{} t{at} = {text}", if stage == Stage::Machine { "once  " } else { "launch" })?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Leaf::Machine(key) => f.write_str(key),
            Leaf::Captured(name) => f.write_str(name),
            Leaf::HostThreads => f.write_str("host.threads"),
        }
    }
}
