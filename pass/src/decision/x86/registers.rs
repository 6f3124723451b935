//! Instructions of x86-64 as bytes, as far as a form needs them: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2.

use rustc_hash::FxHashMap;

/// One of the registers for floating point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Xmm(u8);

impl Xmm {
    pub(super) const COUNT: usize = 16;

    pub(super) fn of(number: usize) -> Xmm {
        debug_assert!(number < Xmm::COUNT);
        Xmm(number as u8)
    }

    pub(super) fn number(self) -> usize {
        self.0.into()
    }
}

/// What a register for integers points to, by the number of that register: parameters come in the order rdi, rsi, rdx, rcx.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// The launch's array of values, which is read from the first parameter.
    Entries = 0,
    Scratch = 1,
    Values = 2,
    Prepared = 6,
    Arguments = 7,
}

/// An operand that can be in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rm {
    Register(Xmm),
    /// So many bytes from where a register points to.
    Memory(Base, i32),
    /// The number of a known number behind the code.
    Constant(usize),
}

/// For integers that are converted: r8, which belongs to nobody.
const INTEGER: u8 = 8;

const DOUBLE: Option<u8> = Some(0xf2);
const FLOAT: Option<u8> = Some(0xf3);
const RETURN: u8 = 0xc3;
const TRAP: u8 = 0xcc;

/// Code as it grows, and the numbers that come behind it.
#[derive(Default)]
pub(super) struct Encoder {
    bytes: Vec<u8>,
    constants: Vec<u64>,
    numbers: FxHashMap<u64, usize>,
    /// Where the distance to a number is to be put in, to which one, and where the instruction ends.
    distances: Vec<(usize, usize, usize)>,
}

impl Encoder {
    /// A number that is known, in memory.
    pub(super) fn constant(&mut self, bits: u64) -> Rm {
        let constants = &mut self.constants;
        Rm::Constant(*self.numbers.entry(bits).or_insert_with(|| {
            constants.push(bits);
            constants.len() - 1
        }))
    }

    /// The code with a return at its end, and its numbers.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.bytes.push(RETURN);
        while !self.bytes.len().is_multiple_of(8) {
            self.bytes.push(TRAP);
        }
        let start = self.bytes.len();
        for &(at, number, end) in &self.distances {
            let distance = (start + 8 * number - end) as u32;
            self.bytes[at..at + 4].copy_from_slice(&distance.to_le_bytes());
        }
        self.bytes.extend(self.constants.iter().flat_map(|bits| bits.to_le_bytes()));
        self.bytes
    }

    pub(super) fn load(&mut self, to: Xmm, from: Rm) {
        match from {
            Rm::Register(from) => self.copy(to, from),
            memory => self.sse(DOUBLE, false, 0x10, to.0, memory, None),
        }
    }

    pub(super) fn store(&mut self, from: Xmm, to: Rm) {
        self.sse(DOUBLE, false, 0x11, from.0, to, None);
    }

    pub(super) fn copy(&mut self, to: Xmm, from: Xmm) {
        if to != from {
            self.sse(None, false, 0x28, to.0, Rm::Register(from), None);
        }
    }

    /// A float in memory as a double.
    pub(super) fn widen(&mut self, to: Xmm, from: Rm) {
        self.sse(FLOAT, false, 0x5a, to.0, from, None);
    }

    pub(super) fn arithmetic(&mut self, op: u8, to: Xmm, by: Rm) {
        self.sse(DOUBLE, false, op, to.0, by, None);
    }

    pub(super) fn compare(&mut self, comparison: u8, to: Xmm, by: Rm) {
        self.sse(DOUBLE, false, 0xc2, to.0, by, Some(comparison));
    }

    pub(super) fn logic(&mut self, op: u8, to: Xmm, by: Xmm) {
        self.sse(None, false, op, to.0, Rm::Register(by), None);
    }

    /// The whole number towards 0.
    pub(super) fn truncate(&mut self, to: Xmm, from: Xmm) {
        self.sse(DOUBLE, true, 0x2c, INTEGER, Rm::Register(from), None);
        self.integer_to_real(to);
    }

    /// The integer that was read as a number.
    pub(super) fn integer_to_real(&mut self, to: Xmm) {
        // What was in the register is not waited for.
        self.sse(None, false, 0x57, to.0, Rm::Register(to), None);
        self.sse(DOUBLE, true, 0x2a, to.0, Rm::Register(Xmm(INTEGER)), None);
    }

    /// Reads the lowest bits of a word as an integer.
    pub(super) fn load_integer(&mut self, from: Rm, bits: u8, is_signed: bool) {
        const SHIFT: u8 = 0xc1;
        const LEFT: u8 = 4;
        const RIGHT: u8 = 5;
        const RIGHT_WITH_SIGN: u8 = 7;
        if bits == 32 {
            // movsxd, or mov of 32 bits, which clears the others.
            let (op, is_wide) = if is_signed { (0x63, true) } else { (0x8b, false) };
            return self.integer(op, is_wide, INTEGER, from);
        }
        self.integer(0x8b, true, INTEGER, from);
        let unused = 64_u8.saturating_sub(bits);
        for shift in [LEFT, if is_signed { RIGHT_WITH_SIGN } else { RIGHT }] {
            if unused > 0 {
                self.integer(SHIFT, true, shift, Rm::Register(Xmm(INTEGER)));
                self.bytes.push(unused);
            }
        }
    }

    /// Reads the pointer to one of the launch's arrays.
    pub(super) fn load_entries(&mut self, offset: u64) {
        self.integer(0x8b, true, Base::Entries as u8, Rm::Memory(Base::Arguments, offset as i32));
    }

    fn integer(&mut self, op: u8, is_wide: bool, register: u8, rm: Rm) {
        self.rex(is_wide, register, rm);
        self.bytes.push(op);
        self.operands(register, rm, 0);
    }

    fn sse(&mut self, prefix: Option<u8>, is_wide: bool, op: u8, register: u8, rm: Rm, immediate: Option<u8>) {
        self.bytes.extend(prefix);
        self.rex(is_wide, register, rm);
        self.bytes.extend([0x0f, op]);
        self.operands(register, rm, usize::from(immediate.is_some()));
        self.bytes.extend(immediate);
    }

    /// The prefix for operands of 64 bits and registers from the ninth one on.
    fn rex(&mut self, is_wide: bool, register: u8, rm: Rm) {
        let is_high = matches!(rm, Rm::Register(Xmm(8..)));
        let rex = u8::from(is_wide) << 3 | u8::from(register >= 8) << 2 | u8::from(is_high);
        if rex != 0 {
            self.bytes.push(0x40 | rex);
        }
    }

    /// What the two operands are, behind which so many bytes of the instruction follow.
    fn operands(&mut self, register: u8, rm: Rm, behind: usize) {
        const NEAR: u8 = 1 << 6;
        const FAR: u8 = 2 << 6;
        const BOTH_REGISTERS: u8 = 3 << 6;
        const BEHIND_CODE: u8 = 5;
        let register = (register & 7) << 3;
        match rm {
            Rm::Register(Xmm(other)) => self.bytes.push(BOTH_REGISTERS | register | other & 7),
            Rm::Memory(base, at) => match i8::try_from(at) {
                Ok(at) => self.bytes.extend([NEAR | register | base as u8, at as u8]),
                Err(_) => {
                    self.bytes.push(FAR | register | base as u8);
                    self.bytes.extend(at.to_le_bytes());
                }
            },
            Rm::Constant(number) => {
                self.bytes.push(register | BEHIND_CODE);
                let at = self.bytes.len();
                self.distances.push((at, number, at + 4 + behind));
                self.bytes.extend([0; 4]);
            }
        }
    }
}
