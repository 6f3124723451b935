//! Closed forms as machine code of x86-64.
//!
//! A form is straight-line arithmetic: to take it through a compiler's code generator costs more than all that is known of it is worth. Its
//! steps become instructions of SSE2, which every processor of the architecture has, one after the other. Values stay in registers for as
//! long as there are some; the one that is needed last goes to memory first (Belady 1966). Numbers that are known lie behind the code.

mod registers;

use super::code::{ALL_WHOLE, BASE_POINTERS, SCRATCH, SIZES};
use ipda_models::form::{Leaf, Place, Stage, Step};
use ipda_models::table::{Carried, Prediction, Reading};
use registers::{Base, Encoder, Rm, Xmm};

/// An instruction with two operands, by its last byte: the second operand, which can be in memory, changes the first one.
#[derive(Clone, Copy)]
enum Op {
    Add = 0x58,
    Multiply = 0x59,
    Subtract = 0x5c,
    Least = 0x5d,
    Divide = 0x5e,
    Most = 0x5f,
}

/// A comparison, by its number in the instruction: truths are masks, of ones or of nothing.
#[derive(Clone, Copy)]
enum Comparison {
    Equal = 0,
    Less = 1,
    NotEqual = 4,
    NotLess = 5,
}

/// A logical instruction, by its last byte: both operands are in registers.
#[derive(Clone, Copy)]
enum Logic {
    And = 0x54,
    /// The second one without the first one.
    Without = 0x55,
    Or = 0x56,
}

/// Where a step's value is.
#[derive(Debug, Clone, Copy, Default)]
struct Home {
    register: Option<Xmm>,
    memory: Option<Rm>,
}

/// Whether code of this kind runs on a target, under the calling convention of System V.
pub(super) fn is_for(triple: &str) -> bool {
    triple.starts_with("x86_64-") && triple.contains("-linux") && !triple.ends_with("x32")
}

/// The code of a prediction, with the parameters that `code` tells; none where a step has no value at a launch, or too many are needed at a time.
pub(super) fn machine_code(prediction: &Prediction) -> Option<Vec<u8>> {
    let mut writer = Writer::new(prediction)?;
    writer.read_captured(prediction)?;
    for at in 0..prediction.form.steps().len() {
        writer.now = at;
        if writer.last_use[at].is_some() && writer.homes[at].memory.is_none() {
            writer.step(at as Place)?;
        }
    }
    writer.give_back()?;
    Some(writer.encoder.finish())
}

struct Writer<'a> {
    steps: &'a [Step],
    /// The step that is being written.
    now: usize,
    /// The steps that need each one, and their end for a result.
    uses: Vec<Vec<usize>>,
    last_use: Vec<Option<usize>>,
    homes: Vec<Home>,
    results: [Place; 2],
    /// What each register holds.
    held: [Option<Place>; Xmm::COUNT],
    /// Registers that the step at work needs.
    pinned: Vec<Xmm>,
    /// Words of scratch memory that are taken.
    taken: u64,
    encoder: Encoder,
}

impl<'a> Writer<'a> {
    fn new(prediction: &'a Prediction) -> Option<Writer<'a>> {
        let form = &prediction.form;
        let steps = form.steps();
        let &[host, device, ..] = form.results() else { return None };
        let stages = form.stages();
        let mut uses: Vec<Vec<usize>> = vec![Vec::new(); steps.len()];
        uses[host as usize].push(steps.len());
        uses[device as usize].push(steps.len());
        for (at, step) in steps.iter().enumerate().rev() {
            if stages[at] == Stage::Launch && !uses[at].is_empty() {
                step.operands().for_each(|operand| uses[operand as usize].push(at));
            }
        }
        let last_use = uses.iter().map(|uses| uses.first().copied()).collect();
        let mut homes = vec![Home::default(); steps.len()];
        let mut encoder = Encoder::default();
        for (at, step) in steps.iter().enumerate() {
            if let Step::Constant(bits) = step {
                homes[at].memory = Some(encoder.constant(*bits));
            }
        }
        for (number, place) in (0..).zip(form.prepared()) {
            homes[place as usize].memory = Some(Rm::Memory(Base::Prepared, 8 * number));
        }
        let (held, pinned) = ([None; Xmm::COUNT], Vec::new());
        Some(Writer { steps, now: 0, uses, last_use, homes, results: [host, device], held, pinned, taken: 0, encoder })
    }

    /// Reads the captured variables, and puts them where the caller wants them.
    fn read_captured(&mut self, prediction: &Prediction) -> Option<()> {
        let (a, b) = (Xmm::of(0), Xmm::of(1));
        // The number of threads comes in the first register.
        let threads = self.scratch()?;
        self.encoder.store(a, threads);
        let is_size = |carried: &Carried| carried.reading == Reading::Size;
        // Sizes behind values, whose array's address they overwrite.
        let (sizes, values): (Vec<_>, Vec<_>) =
            (0..).zip(&prediction.captured).partition(|(_, carried)| is_size(carried));
        self.encoder.load_entries(BASE_POINTERS);
        for (at, (number, carried)) in values.iter().chain(&sizes).enumerate() {
            if at == values.len() {
                self.encoder.load_entries(SIZES);
            }
            let entry = Rm::Memory(Base::Entries, i32::try_from(carried.entry).ok()?.checked_mul(8)?);
            let encoder = &mut self.encoder;
            match carried.reading {
                Reading::Double => encoder.load(a, entry),
                Reading::Float => encoder.widen(a, entry),
                Reading::Signed(bits) => {
                    encoder.load_integer(entry, bits, true);
                    encoder.integer_to_real(a);
                }
                Reading::Size => {
                    encoder.load_integer(entry, 64, true);
                    encoder.integer_to_real(a);
                }
                Reading::Natural(bits) if bits < 64 => {
                    encoder.load_integer(entry, bits, false);
                    encoder.integer_to_real(a);
                }
                // In two parts, of which the upper one is exact, so that their sum is rounded once.
                Reading::Natural(_) => {
                    let Rm::Memory(base, at) = entry else { return None };
                    encoder.load_integer(Rm::Memory(base, at + 4), 32, false);
                    encoder.integer_to_real(a);
                    let scale = encoder.constant(4_294_967_296.0_f64.to_bits());
                    encoder.arithmetic(Op::Multiply as u8, a, scale);
                    encoder.load_integer(entry, 32, false);
                    encoder.integer_to_real(b);
                    encoder.arithmetic(Op::Add as u8, a, Rm::Register(b));
                }
            }
            encoder.store(a, Rm::Memory(Base::Values, 8 * number));
        }
        let form = &prediction.form;
        for (at, step) in self.steps.iter().enumerate() {
            let Step::Leaf(number) = step else { continue };
            self.homes[at].memory = match &form.leaves()[*number as usize] {
                Leaf::HostThreads => Some(threads),
                Leaf::Captured(name) => {
                    let place = prediction.captured.iter().position(|carried| carried.name == *name)?;
                    Some(Rm::Memory(Base::Values, 8 * i32::try_from(place).ok()?))
                }
                Leaf::Machine(_) => self.homes[at].memory,
            };
        }
        Some(())
    }

    fn step(&mut self, at: Place) -> Option<()> {
        let step = self.steps[at as usize];
        let result = match step {
            Step::Constant(_) | Step::Leaf(_) => return None,
            Step::Add(a, b) => self.commutative(Op::Add, a, b)?,
            Step::Multiply(a, b) => self.commutative(Op::Multiply, a, b)?,
            Step::Subtract(a, b) => self.binary(Op::Subtract, a, b)?,
            Step::Divide(a, b) => self.binary(Op::Divide, a, b)?,
            // The second operand where one is no number, as `form` says.
            Step::Least(a, b) => self.binary(Op::Least, a, b)?,
            Step::Most(a, b) => self.binary(Op::Most, a, b)?,
            Step::Floor(a) => self.floor(a)?,
            Step::Less(a, b) => self.compare(Comparison::Less, a, b)?,
            Step::Equal(a, b) => self.compare(Comparison::Equal, a, b)?,
            Step::Both(a, b) => self.logical(Logic::And, a, b)?,
            Step::Either(a, b) => self.logical(Logic::Or, a, b)?,
            Step::Not(a) => {
                let result = self.fresh_truth(a)?;
                let ones = self.loaded(u64::MAX)?;
                self.encoder.logic(Logic::Without as u8, result, ones);
                result
            }
            Step::Choose(a, b, c) => self.choose(a, b, c)?,
        };
        self.pinned.clear();
        for (register, held) in self.held.iter_mut().enumerate() {
            if let Some(place) = *held
                && self.last_use[place as usize].is_none_or(|last| last <= self.now)
            {
                *held = None;
                debug_assert!(self.homes[place as usize].register == Some(Xmm::of(register)));
                self.homes[place as usize].register = None;
            }
        }
        self.held[result.number()] = Some(at);
        self.homes[at as usize].register = Some(result);
        Some(())
    }

    fn commutative(&mut self, op: Op, a: Place, b: Place) -> Option<Xmm> {
        if self.ends_here(b) && !self.ends_here(a) { self.binary(op, b, a) } else { self.binary(op, a, b) }
    }

    fn binary(&mut self, op: Op, a: Place, b: Place) -> Option<Xmm> {
        let second = self.number(b)?;
        let result = self.fresh(a)?;
        self.encoder.arithmetic(op as u8, result, second);
        Some(result)
    }

    fn compare(&mut self, comparison: Comparison, a: Place, b: Place) -> Option<Xmm> {
        let second = self.number(b)?;
        let result = self.fresh(a)?;
        self.encoder.compare(comparison as u8, result, second);
        Some(result)
    }

    fn logical(&mut self, logic: Logic, a: Place, b: Place) -> Option<Xmm> {
        let second = self.truth(b)?;
        let result = self.fresh_truth(a)?;
        self.encoder.logic(logic as u8, result, second);
        Some(result)
    }

    fn choose(&mut self, a: Place, b: Place, c: Place) -> Option<Xmm> {
        let condition = self.truth(a)?;
        let then = self.fresh(b)?;
        self.encoder.logic(Logic::And as u8, then, condition);
        let otherwise = self.number_in_register(c)?;
        let rest = self.free()?;
        self.encoder.copy(rest, condition);
        self.encoder.logic(Logic::Without as u8, rest, otherwise);
        self.encoder.logic(Logic::Or as u8, then, rest);
        Some(then)
    }

    /// Towards 0, and one less where that is above; what is whole or has no integer of 64 bits stays as it is, with its sign.
    fn floor(&mut self, a: Place) -> Option<Xmm> {
        let x = self.number_in_register(a)?;
        let [whole, above, kept] = [self.free()?, self.free()?, self.free()?];
        let encoder = &mut self.encoder;
        encoder.truncate(whole, x);
        encoder.copy(above, x);
        encoder.compare(Comparison::Less as u8, above, Rm::Register(whole));
        // Of what is too large the magnitude is not below the limit, nor that of what is no number.
        encoder.copy(kept, x);
        let [sign, limit, one] =
            [u64::MAX >> 1, ALL_WHOLE.to_bits(), 1.0_f64.to_bits()].map(|bits| encoder.constant(bits));
        let mask = self.free()?;
        let encoder = &mut self.encoder;
        encoder.load(mask, sign);
        encoder.logic(Logic::And as u8, kept, mask);
        encoder.compare(Comparison::NotLess as u8, kept, limit);
        encoder.copy(mask, whole);
        encoder.compare(Comparison::Equal as u8, mask, Rm::Register(x));
        encoder.logic(Logic::Or as u8, kept, mask);
        encoder.load(mask, one);
        encoder.logic(Logic::And as u8, above, mask);
        encoder.arithmetic(Op::Subtract as u8, whole, Rm::Register(above));
        // kept ? x : whole
        encoder.copy(mask, x);
        encoder.logic(Logic::And as u8, mask, kept);
        encoder.logic(Logic::Without as u8, kept, whole);
        encoder.logic(Logic::Or as u8, mask, kept);
        Some(mask)
    }

    /// Puts the two results where the caller finds them.
    fn give_back(&mut self) -> Option<()> {
        self.now = self.steps.len();
        let mut homes = [Rm::Register(Xmm::of(0)); 2];
        for (home, place) in homes.iter_mut().zip(self.results) {
            *home = match self.number(place)? {
                Rm::Register(register) => {
                    let scratch = self.scratch()?;
                    self.encoder.store(register, scratch);
                    scratch
                }
                memory => memory,
            };
        }
        self.encoder.load(Xmm::of(0), homes[0]);
        self.encoder.load(Xmm::of(1), homes[1]);
        Some(())
    }

    fn is_truth(&self, place: Place) -> bool {
        use Step::{Both, Either, Equal, Less, Not};
        matches!(self.steps[place as usize], Less(..) | Equal(..) | Both(..) | Either(..) | Not(_))
            && !matches!(self.homes[place as usize].memory, Some(Rm::Memory(Base::Prepared, _)))
    }

    /// A step's number, in a register or in memory.
    fn number(&mut self, place: Place) -> Option<Rm> {
        if self.is_truth(place) {
            let mask = self.register(place)?;
            let one = self.loaded(1.0_f64.to_bits())?;
            self.encoder.logic(Logic::And as u8, one, mask);
            return Some(Rm::Register(one));
        }
        let home = self.homes[place as usize];
        match home.register {
            Some(register) => {
                self.pinned.push(register);
                Some(Rm::Register(register))
            }
            None => home.memory,
        }
    }

    fn number_in_register(&mut self, place: Place) -> Option<Xmm> {
        match self.number(place)? {
            Rm::Register(register) => Some(register),
            memory => {
                let register = self.free()?;
                self.encoder.load(register, memory);
                Some(register)
            }
        }
    }

    /// A step's truth, as a mask in a register that must stay as it is.
    fn truth(&mut self, place: Place) -> Option<Xmm> {
        if self.is_truth(place) { self.register(place) } else { self.fresh_truth(place) }
    }

    /// A register of one's own with a step's truth.
    fn fresh_truth(&mut self, place: Place) -> Option<Xmm> {
        if self.is_truth(place) {
            return self.fresh_bits(place);
        }
        let result = self.fresh_bits(place)?;
        let zero = self.encoder.constant(0);
        self.encoder.compare(Comparison::NotEqual as u8, result, zero);
        Some(result)
    }

    /// A register of one's own with a step's number.
    fn fresh(&mut self, place: Place) -> Option<Xmm> {
        match self.number(place)? {
            // A truth's number is nobody else's.
            Rm::Register(register) if self.homes[place as usize].register != Some(register) => Some(register),
            _ => self.fresh_bits(place),
        }
    }

    /// A register of one's own with what a step left: the step's, where nobody needs it again.
    fn fresh_bits(&mut self, place: Place) -> Option<Xmm> {
        let home = self.homes[place as usize];
        if let Some(register) = home.register
            && self.ends_here(place)
            && self.steps[self.now].operands().filter(|operand| *operand == place).count() == 1
        {
            self.pinned.push(register);
            return Some(register);
        }
        let result = self.free()?;
        // Making room may have moved it.
        match (self.homes[place as usize].register, self.homes[place as usize].memory) {
            (Some(register), _) => self.encoder.copy(result, register),
            (None, Some(memory)) => self.encoder.load(result, memory),
            (None, None) => return None,
        }
        Some(result)
    }

    /// A register with what a step left, which must stay as it is.
    fn register(&mut self, place: Place) -> Option<Xmm> {
        if let Some(register) = self.homes[place as usize].register {
            self.pinned.push(register);
            return Some(register);
        }
        let memory = self.homes[place as usize].memory?;
        let register = self.free()?;
        self.encoder.load(register, memory);
        Some(register)
    }

    /// A register with a number that is known.
    fn loaded(&mut self, bits: u64) -> Option<Xmm> {
        let constant = self.encoder.constant(bits);
        let register = self.free()?;
        self.encoder.load(register, constant);
        Some(register)
    }

    fn ends_here(&self, place: Place) -> bool {
        self.homes[place as usize].register.is_some() && self.last_use[place as usize] == Some(self.now)
    }

    /// A register for the step at work: one that holds nothing, else that of the value which is needed last.
    fn free(&mut self) -> Option<Xmm> {
        let of_others = || (0..Xmm::COUNT).map(Xmm::of).filter(|register| !self.pinned.contains(register));
        let empty = of_others().find(|register| self.held[register.number()].is_none());
        let register = match empty {
            Some(register) => register,
            None => {
                let next_use = |place: Place| {
                    let of_later = |at: &&usize| **at >= self.now;
                    self.uses[place as usize].iter().rev().find(of_later).copied().unwrap_or(usize::MAX)
                };
                let register = of_others().max_by_key(|register| self.held[register.number()].map(next_use))?;
                let place = self.held[register.number()].take()? as usize;
                if self.homes[place].memory.is_none() {
                    let scratch = self.scratch()?;
                    self.encoder.store(register, scratch);
                    self.homes[place].memory = Some(scratch);
                }
                self.homes[place].register = None;
                register
            }
        };
        self.pinned.push(register);
        Some(register)
    }

    /// A word of the caller's scratch memory.
    fn scratch(&mut self) -> Option<Rm> {
        let at = self.taken;
        self.taken += 1;
        (at < SCRATCH).then_some(Rm::Memory(Base::Scratch, 8 * at as i32))
    }
}
