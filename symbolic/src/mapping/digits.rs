//! Digits of iteration numbers.

/// A digit of a loop's iteration number: the number divided by `size`, modulo `count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The loop's position in its nest.
    pub of: usize,
    /// The digit's weight: how many iterations lie between two of its values.
    pub size: Size,
    /// How many values it has.
    pub count: Count,
}

/// A number of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// Known when the code is made.
    Const(u32),
    /// As many as the loop's other parts leave of its trip count, rounded up: the last values may have no iteration.
    Rest,
    /// Known when the loops begin.
    Given(Given),
}

/// A number that is known when the loops begin, and at least 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Given {
    /// How many teams there are along an axis, which is below 3.
    Gang(u8),
    /// How many threads a team has along an axis, which is below 3.
    Worker(u8),
    /// How many threads there are.
    Thread,
    /// A length of a tile, by its number, which is below 8.
    Length(u8),
}

/// A digit's weight: the product of the counts of lower digits of its loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    // In this order, of two digits of one loop the higher one is greater: it has all factors of the lower.
    has_rest: bool,
    /// A bit for each number that is given.
    given: u16,
    known: u32,
}

impl Part {
    /// All of a loop.
    pub fn whole(of: usize) -> Part {
        Part { of, size: Size::ONE, count: Count::Rest }
    }

    /// Whether it is all of its loop.
    pub fn is_whole(&self) -> bool {
        *self == Part::whole(self.of)
    }
}

impl Given {
    /// Those that there may be.
    pub(super) fn all() -> impl Iterator<Item = Given> {
        let gangs = (0..3).map(Given::Gang);
        gangs.chain((0..3).map(Given::Worker)).chain([Given::Thread]).chain((0..8).map(Given::Length))
    }

    /// Whether a digit of so many values is no loop, but a part of the thread's number.
    pub fn is_of_threads(self) -> bool {
        match self {
            Given::Gang(_) | Given::Worker(_) | Given::Thread => true,
            Given::Length(_) => false,
        }
    }

    fn bit(self) -> Option<u16> {
        Given::all().position(|other| other == self).map(|at| 1 << at)
    }
}

impl Size {
    /// That of the lowest digit.
    pub const ONE: Size = Size::known(1);

    /// A number of iterations.
    pub const fn known(iterations: u32) -> Size {
        Size { has_rest: false, given: 0, known: iterations }
    }

    /// The number of iterations, where no factor of it is known later only.
    pub fn as_known(self) -> Option<u32> {
        (self == Size::known(self.known)).then_some(self.known)
    }

    /// The weight of the digit above one of so many values. None where there can be no such: of a second rest, of the same given number twice, of less
    /// than 2 values, and where the known factors do not fit 32 bits.
    pub fn times(self, count: Count) -> Option<Size> {
        match count {
            Count::Const(0 | 1) => None,
            Count::Const(count) => Some(Size { known: self.known.checked_mul(count)?, ..self }),
            Count::Rest => (!self.has_rest).then_some(Size { has_rest: true, ..self }),
            Count::Given(given) => {
                let bit = given.bit().filter(|bit| self.given & bit == 0)?;
                Some(Size { given: self.given | bit, ..self })
            }
        }
    }

    /// Whether the loop's rest is a factor; the given numbers that are; the known factor.
    pub(super) fn factors(self) -> (bool, impl Iterator<Item = Given>, u32) {
        let is_factor = move |given: &Given| given.bit().is_some_and(|bit| self.given & bit != 0);
        (self.has_rest, Given::all().filter(is_factor), self.known)
    }
}

/// Whether parts of a loop, the highest first, are the digits of one number.
pub(super) fn are_digits(parts: &[Part]) -> bool {
    let mut size = Some(Size::ONE);
    for part in parts.iter().rev() {
        if Some(part.size) != size {
            return false;
        }
        size = part.size.times(part.count);
    }
    size.is_some_and(|size| size.has_rest)
}
