//! Predictions as bytes, which the evaluator in programs reads as they are: `pass/support/program.h` tells their first part, for launches. Behind it is
//! what machines decide: constants that no launch needs (their number, 16 bits, and 8 bytes each), steps, and the slots of the prepared numbers (16 bits
//! each). Slots of this part are numbered so: constants of launches, other constants, parameters of machines, steps.

use crate::form::{Form, Leaf, Place, Stage, Step};

use super::{Carried, DEVICE, HOST, Prediction, Reading, TRANSFERS, WEIGHED};
use crate::versions::VersionId;

/// Slots that a prediction may take at a launch: the evaluator takes about one nanosecond and 8 bytes of the thread's stack for each.
pub const MAX_SLOTS: usize = 4096;

impl Prediction {
    /// As bytes for the evaluator in programs, or why it has none.
    ///
    /// # Errors
    /// If it takes too many steps, or a variable is not carried.
    pub fn program(&self) -> Result<Vec<u8>, &'static str> {
        write(self)
    }
}

/// A prediction as bytes, or why no launch can evaluate it.
fn write(prediction: &Prediction) -> Result<Vec<u8>, &'static str> {
    let form = &prediction.form;
    if !prediction.is_sound() {
        return Err("its launch does not carry what its prediction needs");
    }
    let parts = Parts::of(form);
    let prepared = form.prepared();
    let (slots, count) = parts.slots_at_launch(&prepared, prediction.captured.len());
    let entries_fit = prediction.captured.iter().all(|carried| carried.entry <= u16::MAX.into());
    if count > MAX_SLOTS || !entries_fit || form.steps().len() > usize::from(u16::MAX) {
        return Err("its prediction takes too many steps");
    }
    let mut bytes = Bytes::default();
    let counts = [parts.launch_constants, prepared.len(), prediction.captured.len(), parts.launch_steps];
    counts.into_iter().for_each(|count| bytes.number(count));
    let slot = |place: Place| slots[place as usize];
    let results = form.results();
    let own = [prediction.versions.len(), slot(results[TRANSFERS]), parts.machine_leaves, parts.machine_steps];
    [slot(results[HOST]), slot(results[WEIGHED])].into_iter().chain(own).for_each(|number| bytes.number(number));
    let (launch_constants, machine_constants) = form.steps()[..parts.constants].split_at(parts.launch_constants);
    launch_constants.iter().for_each(|step| bytes.constant(*step));
    prediction.captured.iter().for_each(|carried| bytes.captured(carried));
    bytes.steps(&form.steps()[parts.first_launch_step..], slot);
    for (version, result) in prediction.versions.iter().zip(&results[DEVICE..]) {
        [version.number().into(), slot(*result)].into_iter().for_each(|number| bytes.number(number));
    }
    bytes.number(machine_constants.len());
    machine_constants.iter().for_each(|step| bytes.constant(*step));
    bytes.steps(&form.steps()[parts.first_machine_step..parts.first_captured], |place| place as usize);
    prepared.iter().for_each(|place| bytes.number(*place as usize));
    Ok(bytes.0)
}

/// What was written, with names of its leaves: those of machines, then of captured variables.
pub(super) fn read(bytes: &[u8], names: Vec<String>, notes: Vec<String>) -> Option<Prediction> {
    let mut from = Reader(bytes);
    let [launch_constants, prepared, captured, launch_steps] = from.numbers()?;
    let [host, weighed, versions, transfers, machine_leaves, machine_steps] = from.numbers()?;
    let mut names = names.into_iter();
    let mut steps = from.constants(launch_constants)?;
    let carried = (0..captured).map(|_| from.captured()).collect::<Option<Vec<_>>>()?;
    let launch = from.steps(launch_steps)?;
    let (versions, of_versions) = from.versions(versions)?;
    let results = [vec![host, transfers, weighed], of_versions].concat();
    let [machine_constants] = from.numbers()?;
    steps.extend(from.constants(machine_constants)?);
    let mut leaves: Vec<Leaf> = names.by_ref().take(machine_leaves).map(Leaf::Machine).collect();
    steps.extend((0..leaves.len() as u32).map(Step::Leaf));
    steps.extend(from.steps(machine_steps)?);
    let prepared = (0..prepared).map(|_| from.number()).collect::<Option<Vec<usize>>>()?;
    let named = carried.into_iter().zip(names).map(|((entry, reading), name)| Carried { name, entry, reading });
    let captured: Vec<Carried> = named.collect();
    let first = steps.len();
    let threads_slot = launch_constants + prepared.len() + captured.len();
    let is_threads = |slot: usize| slot == threads_slot;
    let asks_threads = results.iter().copied().any(is_threads)
        || launch.iter().any(|step| step.operands().any(|slot| is_threads(slot as usize)));
    leaves.extend(captured.iter().map(|carried| Leaf::Captured(carried.name.clone())));
    leaves.extend(asks_threads.then_some(Leaf::HostThreads));
    let first_leaf = machine_leaves as u32;
    steps.extend((first_leaf..leaves.len() as u32).map(Step::Leaf));
    let unasked = usize::from(!asks_threads);
    let place = |slot: usize| -> Place {
        let place = match slot.checked_sub(launch_constants) {
            None => slot,
            Some(at) if at < prepared.len() => prepared[at],
            Some(at) => first + at - prepared.len() - if slot > threads_slot { unasked } else { 0 },
        };
        place as Place
    };
    steps.extend(launch.into_iter().map(|step| step.map(|slot| place(slot as usize))));
    let results = results.into_iter().map(place).collect();
    let form = Form::of_parts(steps, leaves, results).filter(|_| from.0.is_empty())?;
    Some(Prediction { form, versions, captured, notes })
}

/// How many steps of each kind a form has: they stand one kind behind the other.
struct Parts {
    launch_constants: usize,
    constants: usize,
    machine_leaves: usize,
    first_machine_step: usize,
    machine_steps: usize,
    first_captured: usize,
    first_launch_step: usize,
    launch_steps: usize,
}

impl Parts {
    fn of(form: &Form) -> Parts {
        let (steps, stages) = (form.steps(), form.stages());
        let position =
            |is_there: &dyn Fn(usize) -> bool| (0..steps.len()).find(|at| is_there(*at)).unwrap_or(steps.len());
        let constants = position(&|at| !matches!(steps[at], Step::Constant(_)));
        let first_machine_step =
            position(&|at| at >= constants && (stages[at] == Stage::Launch || !is_leaf(steps[at])));
        let first_captured = position(&|at| stages[at] == Stage::Launch);
        let first_launch_step = position(&|at| at >= first_captured && !is_leaf(steps[at]));
        let needs =
            steps[first_launch_step..].iter().flat_map(|step| step.operands()).chain(form.results().iter().copied());
        let launch_constants =
            needs.filter(|place| (*place as usize) < constants).max().map_or(0, |place| place as usize + 1);
        Parts {
            launch_constants,
            constants,
            machine_leaves: first_machine_step - constants,
            first_machine_step,
            machine_steps: first_captured - first_machine_step,
            first_captured,
            first_launch_step,
            launch_steps: steps.len() - first_launch_step,
        }
    }

    /// The slot of each step's value at a launch, and how many there are.
    fn slots_at_launch(&self, prepared: &[Place], captured: usize) -> (Vec<usize>, usize) {
        let mut slots: Vec<usize> = (0..self.first_launch_step + self.launch_steps).collect();
        let variables = (self.first_captured..self.first_launch_step).map(|at| at as Place);
        let first_step = self.launch_constants + prepared.len() + captured + 1;
        for (slot, place) in (self.launch_constants..).zip(prepared.iter().copied().chain(variables)) {
            slots[place as usize] = slot;
        }
        (0..self.launch_steps).for_each(|at| slots[self.first_launch_step + at] = first_step + at);
        (slots, first_step + self.launch_steps)
    }
}

fn is_leaf(step: Step) -> bool {
    matches!(step, Step::Leaf(_))
}

/// The kinds of readings by their numbers, and how many bits each reads where that is no choice.
const READINGS: [fn(u8) -> Reading; 6] =
    [Reading::Signed, Reading::Natural, |_| Reading::Float, |_| Reading::Double, |_| Reading::Size, |_| Reading::Trips];

fn reading(reading: Reading) -> [u8; 2] {
    match reading {
        Reading::Signed(bits) => [0, bits],
        Reading::Natural(bits) => [1, bits],
        Reading::Float => [2, 32],
        Reading::Double => [3, 64],
        Reading::Size => [4, 64],
        Reading::Trips => [5, 64],
    }
}

#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    /// A number that is known to be small.
    fn number(&mut self, number: usize) {
        self.0.extend((number as u16).to_le_bytes());
    }

    fn constant(&mut self, step: Step) {
        if let Step::Constant(bits) = step {
            self.0.extend(bits.to_le_bytes());
        }
    }

    fn captured(&mut self, carried: &Carried) {
        self.number(carried.entry as usize);
        self.0.extend(reading(carried.reading));
    }

    /// For each run of one operation its number, how many steps it has, and their operands.
    fn steps(&mut self, steps: &[Step], slot: impl Fn(Place) -> usize) {
        let runs = steps.chunk_by(|a, b| a.operation() == b.operation());
        for run in runs.flat_map(|run| run.chunks(u8::MAX.into())) {
            let operation = run[0].operation().expect("neither a constant nor a leaf");
            self.0.extend([operation as u8, run.len() as u8]);
            run.iter().flat_map(|step| step.operands()).for_each(|operand| self.number(slot(operand)));
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<usize> {
        Some(u16::from_le_bytes(self.take()?).into())
    }

    fn numbers<const N: usize>(&mut self) -> Option<[usize; N]> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Some(numbers)
    }

    fn constants(&mut self, count: usize) -> Option<Vec<Step>> {
        (0..count).map(|_| Some(Step::Constant(u64::from_le_bytes(self.take()?)))).collect()
    }

    fn captured(&mut self) -> Option<(u32, Reading)> {
        let entry = self.number()? as u32;
        let [kind, bits] = self.take()?;
        Some((entry, READINGS.get(usize::from(kind))?(bits)))
    }

    /// Ids, and the slot of the result of each.
    fn versions(&mut self, count: usize) -> Option<(Vec<VersionId>, Vec<usize>)> {
        (0..count).map(|_| Some((VersionId::new(u8::try_from(self.number()?).ok()?), self.number()?))).collect()
    }

    fn steps(&mut self, count: usize) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        while steps.len() < count {
            let [operation, run] = self.take()?;
            let made = Step::OPERATIONS.get(usize::from(operation))?;
            for _ in 0..run.max(1) {
                let mut operands = [0; 3];
                for operand in operands.iter_mut().take(made(0, 0, 0).operands().count()) {
                    *operand = self.number()? as Place;
                }
                let [a, b, c] = operands;
                steps.push(made(a, b, c));
            }
        }
        (steps.len() == count).then_some(steps)
    }
}
