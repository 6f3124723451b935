//! Predictions as bytes, which the evaluator in programs reads as they are: `pass/support/program.h` tells their first part, for launches. Behind it is
//! what machines decide: constants that no launch needs (as those of launches, their two numbers before them), steps, and a bit for each parameter of
//! machines and each of these steps, whether it is one of the prepared numbers. Slots of this part are numbered so: constants of launches, other
//! constants, parameters of machines, steps.
//!
//! Operands take one byte, as nearly all are results of the last steps or stand in one of the first slots.

use crate::form::{Form, Leaf, Place, Stage, Step};

use ipda_symbolic::Signedness;

use super::{Carried, DEVICE, HOST, Prediction, Reading, SQUARES, TRANSFERS, WEIGHED, bits};
use crate::versions::VersionId;

/// Slots that a prediction may take at a launch, and what machines decide of it: the evaluator takes about one nanosecond and 8 bytes of the thread's stack
/// for each, and operands have 12 bits.
pub const MAX_SLOTS: usize = 4096;

impl Prediction {
    /// As bytes for the evaluator in programs, or why it has none.
    ///
    /// # Errors
    /// If it takes too many steps, or a variable is not carried.
    pub fn program(&self) -> Result<Program, &'static str> {
        write(self)
    }
}

/// A prediction as a program has it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// As the object holds it.
    pub bytes: Vec<u8>,
    /// How many of them are constants.
    pub constants: usize,
    /// Numbers of 16 bits that it takes as launches evaluate it.
    pub spread: usize,
}

/// A prediction as bytes, or why no launch can evaluate it.
fn write(prediction: &Prediction) -> Result<Program, &'static str> {
    let form = &prediction.form;
    if !prediction.is_sound() {
        return Err("its launch does not carry what its prediction needs");
    }
    let parts = Parts::of(form);
    let prepared = form.prepared();
    let (slots, count) = parts.slots_at_launch(&prepared, prediction.captured.len());
    let fits = |carried: &Carried| match carried.reading {
        Reading::Memory { .. } => carried.entry <= u8::MAX.into(),
        _ => carried.entry <= u16::MAX.into(),
    };
    let entries_fit = prediction.captured.iter().all(fits);
    if count.max(parts.first_captured) > MAX_SLOTS || !entries_fit {
        return Err("its prediction takes too many steps");
    }
    let mut bytes = Bytes::default();
    let (launch_constants, machine_constants) = form.steps()[..parts.constants].split_at(parts.launch_constants);
    bytes.counts_of(launch_constants);
    let first = count - parts.launch_steps;
    let counts = [prepared.len(), prediction.captured.len(), parts.launch_steps, first];
    counts.into_iter().for_each(|count| bytes.number(count));
    let slot = |place: Place| slots[place as usize];
    let results = form.results();
    let own = [HOST, WEIGHED, SQUARES, SQUARES + 1].map(|at| slot(results[at]));
    let others = [prediction.versions.len(), slot(results[TRANSFERS]), parts.machine_leaves, parts.machine_steps];
    own.into_iter().chain(others).for_each(|number| bytes.number(number));
    bytes.constants(launch_constants);
    bytes.0.extend(prediction.captured.iter().flat_map(carried));
    let spread = bytes.steps(&form.steps()[parts.first_launch_step..], first, slot);
    for (version, result) in prediction.versions.iter().zip(&results[DEVICE..]) {
        [version.number().into(), slot(*result)].into_iter().for_each(|number| bytes.number(number));
    }
    bytes.counts_of(machine_constants);
    bytes.constants(machine_constants);
    let machine_steps = &form.steps()[parts.first_machine_step..parts.first_captured];
    bytes.steps(machine_steps, parts.first_machine_step, |place| place as usize);
    let of_machines = parts.constants..parts.first_captured;
    let is_prepared = of_machines.map(|place| prepared.binary_search(&(place as Place)).is_ok());
    bytes.0.extend(bits::to_bytes(is_prepared));
    let constants = [launch_constants, machine_constants].map(bytes_of).iter().sum();
    Ok(Program { bytes: bytes.0, constants, spread: spread + 2 * prediction.versions.len() })
}

/// What was written, with names of its leaves: those of machines, then of captured variables.
pub(super) fn read(bytes: &[u8], names: Vec<String>, notes: Vec<String>) -> Option<Prediction> {
    let mut from = Reader(bytes);
    let constants = from.numbers()?;
    let [prepared, captured, launch_steps, first] = from.numbers()?;
    let [host, weighed, of_host, of_device] = from.numbers()?;
    let [versions, transfers, machine_leaves, machine_steps] = from.numbers()?;
    let mut names = names.into_iter();
    let mut steps = from.constants(constants)?;
    let launch_constants = steps.len();
    let carried = (0..captured).map(|_| from.captured()).collect::<Option<Vec<_>>>()?;
    let threads_slot = launch_constants + prepared + captured;
    // What the evaluator is told, so that it need not add.
    if first != threads_slot + 1 {
        return None;
    }
    let launch = from.steps(launch_steps, first)?;
    let (versions, of_versions) = from.versions(versions)?;
    let results = [vec![host, transfers, weighed, of_host, of_device], of_versions].concat();
    let constants = from.numbers()?;
    steps.extend(from.constants(constants)?);
    let mut leaves: Vec<Leaf> = names.by_ref().take(machine_leaves).map(Leaf::Machine).collect();
    steps.extend((0..leaves.len() as u32).map(Step::Leaf));
    steps.extend(from.steps(machine_steps, steps.len())?);
    let of_machines = machine_leaves + machine_steps;
    let bits = bits::of_bytes(from.bytes(of_machines.div_ceil(8))?);
    let first_of_machines = steps.len() - of_machines;
    let places: Vec<usize> = bits.map(|at| first_of_machines + at).collect();
    if places.len() != prepared || places.last().is_some_and(|last| *last >= steps.len()) {
        return None;
    }
    let prepared = places;
    let named = carried.into_iter().zip(names).map(|((entry, reading), name)| Carried { name, entry, reading });
    let captured: Vec<Carried> = named.collect();
    let first = steps.len();
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

/// The kinds from this one on read memory: bit 0 is set where the integer has no sign, and the two above it say of how many bytes it is, as a power of 2.
const IN_MEMORY: u8 = 8;

/// What a launch carries, in 4 bytes: the entry (16 bits), kind of reading and bits; of what is in memory, how far behind the address, kind and entry.
fn carried(carried: &Carried) -> [u8; 4] {
    let [low, high] = (carried.entry as u16).to_le_bytes();
    let [kind, bits] = match carried.reading {
        Reading::Signed(bits) => [0, bits],
        Reading::Natural(bits) => [1, bits],
        Reading::Float => [2, 32],
        Reading::Double => [3, 64],
        Reading::Size => [4, 64],
        Reading::Trips => [5, 64],
        Reading::Memory { offset, bytes, signedness } => {
            let [near, far] = offset.to_le_bytes();
            let is_natural = u8::from(signedness == Signedness::Unsigned);
            return [near, far, IN_MEMORY | (bytes.ilog2() as u8) << 1 | is_natural, low];
        }
    };
    [low, high, kind, bits]
}

/// Steps of a run: 4 bits say how many there are.
const LONGEST_RUN: u8 = 15;

/// Bytes of operands below this say how many steps before the one before they are, those from it which slot they have.
const NEAR: usize = 128;

/// Bytes of operands from this on have the upper 4 bits of the slot, and its lower 8 bits follow.
const FAR: u8 = 240;

/// The first constants, as long as 32 bits hold them.
fn singles(constants: &[Step]) -> impl Iterator<Item = f32> {
    constants.iter().map_while(|step| step.single())
}

/// How many bytes constants take.
fn bytes_of(constants: &[Step]) -> usize {
    let singles = singles(constants).count();
    singles * size_of::<f32>() + (constants.len() - singles) * size_of::<f64>()
}

#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    /// A number that is known to be small.
    fn number(&mut self, number: usize) {
        self.0.extend((number as u16).to_le_bytes());
    }

    /// How many of these constants are written in 32 bits, and how many in 64.
    fn counts_of(&mut self, constants: &[Step]) {
        let singles = singles(constants).count();
        [singles, constants.len() - singles].into_iter().for_each(|count| self.number(count));
    }

    fn constants(&mut self, constants: &[Step]) {
        let mut written = 0;
        for single in singles(constants) {
            self.0.extend(single.to_le_bytes());
            written += 1;
        }
        for step in &constants[written..] {
            if let Step::Constant(bits) = step {
                self.0.extend(bits.to_le_bytes());
            }
        }
    }

    /// For each run of one operation its number, how many steps it has, and their operands. The first step has slot `first`. How many runs and operands
    /// there are.
    fn steps(&mut self, steps: &[Step], first: usize, slot: impl Fn(Place) -> usize) -> usize {
        let runs = steps.chunk_by(|a, b| a.operation() == b.operation());
        let mut own = first;
        let mut written = 0;
        for run in runs.flat_map(|run| run.chunks(LONGEST_RUN.into())) {
            let operation = run[0].operation().expect("neither a constant nor a leaf") as u8;
            self.0.push(operation << 4 | run.len() as u8);
            for step in run {
                step.operands().for_each(|operand| self.operand(slot(operand), own));
                own += 1;
            }
            written += 1 + run.iter().map(|step| step.operands().count()).sum::<usize>();
        }
        written
    }

    /// An operand of the step in slot `own`.
    fn operand(&mut self, slot: usize, own: usize) {
        let before = own.saturating_sub(1 + slot);
        match slot + NEAR {
            _ if before < NEAR => self.0.push(before as u8),
            low if low < FAR.into() => self.0.push(low as u8),
            _ => self.0.extend([FAR + (slot >> 8) as u8, slot as u8]),
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (first, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(first)
    }

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

    fn constants(&mut self, [singles, doubles]: [usize; 2]) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        for _ in 0..singles {
            steps.push(Step::Constant(f64::from(f32::from_le_bytes(self.take()?)).to_bits()));
        }
        for _ in 0..doubles {
            steps.push(Step::Constant(u64::from_le_bytes(self.take()?)));
        }
        Some(steps)
    }

    /// An operand of the step in slot `own`.
    fn operand(&mut self, own: usize) -> Option<usize> {
        let [byte] = self.take()?;
        match usize::from(byte) {
            before if before < NEAR => own.checked_sub(1 + before),
            low if byte < FAR => Some(low - NEAR),
            _ => Some(usize::from(byte - FAR) << 8 | usize::from(self.take::<1>()?[0])),
        }
    }

    fn captured(&mut self) -> Option<(u32, Reading)> {
        let [low, high, kind, bits] = self.take()?;
        if kind & IN_MEMORY != 0 {
            let signedness = if kind & 1 == 0 { Signedness::Signed } else { Signedness::Unsigned };
            let (offset, bytes) = (i16::from_le_bytes([low, high]), 1 << (kind >> 1 & 3));
            return Some((bits.into(), Reading::Memory { offset, bytes, signedness }));
        }
        Some((u16::from_le_bytes([low, high]).into(), READINGS.get(usize::from(kind))?(bits)))
    }

    /// Ids, and the slot of the result of each.
    fn versions(&mut self, count: usize) -> Option<(Vec<VersionId>, Vec<usize>)> {
        (0..count).map(|_| Some((VersionId::new(u8::try_from(self.number()?).ok()?), self.number()?))).collect()
    }

    /// The first one has slot `first`.
    fn steps(&mut self, count: usize, first: usize) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        while steps.len() < count {
            let [run] = self.take()?;
            let made = Step::OPERATIONS.get(usize::from(run >> 4))?;
            for _ in 0..run & LONGEST_RUN {
                let mut operands = [0; 3];
                for operand in operands.iter_mut().take(made(0, 0, 0).operands().count()) {
                    *operand = self.operand(first + steps.len())? as Place;
                }
                let [a, b, c] = operands;
                steps.push(made(a, b, c));
            }
        }
        (steps.len() == count).then_some(steps)
    }
}
