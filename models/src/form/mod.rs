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
mod simplify;

use std::cell::RefCell;
use std::fmt;

use rustc_hash::FxHashMap;

use range::Range;

pub use num::{Num, Truth};

/// A value that is known later.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    Min(Place, Place),
    /// The larger one.
    Max(Place, Place),
    /// The largest whole number that is not above.
    Floor(Place),
    /// `a < b`
    Less(Place, Place),
    /// `a == b`
    Equal(Place, Place),
    /// Both hold.
    And(Place, Place),
    /// One holds, or both.
    Or(Place, Place),
    /// Not.
    Not(Place),
    /// If the first holds, the second, else the third.
    Choose(Place, Place, Place),
}

impl Step {
    /// The operations, made of up to three operands, by the numbers that they have in tables.
    pub const OPERATIONS: [fn(Place, Place, Place) -> Step; 13] = [
        |a, b, _| Step::Add(a, b),
        |a, b, _| Step::Subtract(a, b),
        |a, b, _| Step::Multiply(a, b),
        |a, b, _| Step::Divide(a, b),
        |a, b, _| Step::Min(a, b),
        |a, b, _| Step::Max(a, b),
        |a, _, _| Step::Floor(a),
        |a, b, _| Step::Less(a, b),
        |a, b, _| Step::Equal(a, b),
        |a, b, _| Step::And(a, b),
        |a, b, _| Step::Or(a, b),
        |a, _, _| Step::Not(a),
        Step::Choose,
    ];

    /// The number of its operation; constants and leaves have none.
    pub fn operation(self) -> Option<usize> {
        let kind = std::mem::discriminant(&self);
        Step::OPERATIONS.iter().position(|made| std::mem::discriminant(&made(0, 0, 0)) == kind)
    }

    /// What it is made of.
    pub fn operands(self) -> impl Iterator<Item = Place> {
        let (a, b, c) = match self {
            Step::Constant(_) | Step::Leaf(_) => (None, None, None),
            Step::Floor(a) | Step::Not(a) => (Some(a), None, None),
            Step::Add(a, b)
            | Step::Subtract(a, b)
            | Step::Multiply(a, b)
            | Step::Divide(a, b)
            | Step::Min(a, b)
            | Step::Max(a, b)
            | Step::Less(a, b)
            | Step::Equal(a, b)
            | Step::And(a, b)
            | Step::Or(a, b) => (Some(a), Some(b), None),
            Step::Choose(a, b, c) => (Some(a), Some(b), Some(c)),
        };
        [a, b, c].into_iter().flatten()
    }

    /// The same of other operands.
    pub fn map(self, of: impl Fn(Place) -> Place) -> Step {
        match self {
            Step::Constant(_) | Step::Leaf(_) => self,
            Step::Floor(a) => Step::Floor(of(a)),
            Step::Not(a) => Step::Not(of(a)),
            Step::Add(a, b) => Step::Add(of(a), of(b)),
            Step::Subtract(a, b) => Step::Subtract(of(a), of(b)),
            Step::Multiply(a, b) => Step::Multiply(of(a), of(b)),
            Step::Divide(a, b) => Step::Divide(of(a), of(b)),
            Step::Min(a, b) => Step::Min(of(a), of(b)),
            Step::Max(a, b) => Step::Max(of(a), of(b)),
            Step::Less(a, b) => Step::Less(of(a), of(b)),
            Step::Equal(a, b) => Step::Equal(of(a), of(b)),
            Step::And(a, b) => Step::And(of(a), of(b)),
            Step::Or(a, b) => Step::Or(of(a), of(b)),
            Step::Choose(a, b, c) => Step::Choose(of(a), of(b), of(c)),
        }
    }
}

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

/// When a leaf is known.
pub fn stage_of(leaf: &Leaf) -> Stage {
    match leaf {
        Leaf::Machine(_) => Stage::Machine,
        Leaf::Captured(_) | Leaf::HostThreads => Stage::Launch,
    }
}

fn evaluate(step: Step, leaves: &[f64], of: impl Fn(Place) -> f64) -> f64 {
    let truth = |holds: bool| if holds { 1.0 } else { 0.0 };
    match step {
        Step::Constant(bits) => f64::from_bits(bits),
        Step::Leaf(number) => leaves[number as usize],
        Step::Add(a, b) => of(a) + of(b),
        Step::Subtract(a, b) => of(a) - of(b),
        Step::Multiply(a, b) => of(a) * of(b),
        Step::Divide(a, b) => of(a) / of(b),
        Step::Min(a, b) => min(of(a), of(b)),
        Step::Max(a, b) => max(of(a), of(b)),
        Step::Floor(a) => of(a).floor(),
        Step::Less(a, b) => truth(of(a) < of(b)),
        Step::Equal(a, b) => truth(of(a) == of(b)),
        Step::And(a, b) => truth(of(a) != 0.0 && of(b) != 0.0),
        Step::Or(a, b) => truth(of(a) != 0.0 || of(b) != 0.0),
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

/// As one instruction of most processors does it: what is no number is not the minimum, if it comes first.
fn min(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

fn max(a: f64, b: f64) -> f64 {
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
/// returns beside. It has no step that no result needs. What `work` records within `work` is a form of its own, of which no number
/// may leave it.
pub fn record<T, E>(work: impl FnOnce() -> Result<(Vec<Num>, T), E>) -> Result<(Form, T), E> {
    let around = RECORDING.replace(Some(Recording::default()));
    // A fault in `work` leaves a recording behind, which the next one replaces.
    let outcome = work().map(|(results, beside)| (results.into_iter().map(Num::place).collect::<Vec<Place>>(), beside));
    let recorded = RECORDING.replace(around).unwrap_or_default();
    let (results, beside) = outcome?;
    let form = Form { results, ..recorded.form };
    Ok((form.in_order(), beside))
}

impl Form {
    /// Only what results need, in the order of tables (`table::program`): constants, those of launches first; leaves and steps of machines; variables, the
    /// number of threads and steps of launches.
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
        const LAUNCH_STEP: u8 = 6;
        let rank = |place: &Place| {
            let at = *place as usize;
            match (self.steps[at], stages[at]) {
                (Step::Constant(_), _) => u8::from(!is_used_at_launch[at]),
                (Step::Leaf(_), Stage::Machine) => 2,
                (_, Stage::Machine) => 3,
                (Step::Leaf(number), Stage::Launch) => 4 + u8::from(self.leaves[number as usize] == Leaf::HostThreads),
                (_, Stage::Launch) => LAUNCH_STEP,
            }
        };
        let mut order: Vec<Place> = (0..self.steps.len() as Place).filter(|place| is_used[*place as usize]).collect();
        order.sort_by_key(rank);
        let of_launch = order.partition_point(|place| rank(place) < LAUNCH_STEP);
        let of_launch = order.split_off(of_launch);
        order.extend(self.by_operation(&of_launch));
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

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Leaf::Machine(key) => f.write_str(key),
            Leaf::Captured(name) => f.write_str(name),
            Leaf::HostThreads => f.write_str("host.threads"),
        }
    }
}
