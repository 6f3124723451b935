//! Products of powers of atoms, nearly all of which are one machine word.

use crate::id::AtomId;
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A product of powers of atoms; without any it is 1.
// Invariant: ascending atoms, powers at least 1, powers of idempotent atoms 1.
#[derive(Clone, PartialEq, Eq)]
pub struct Monomial(Repr);

// Invariant: `Word` whenever the powers fit, so that derived equality is equality of powers.
#[derive(Clone, PartialEq, Eq)]
enum Repr {
    /// From the highest bit on: the degree, then a slot for each power, then zeros. A slot has the atom's complement and the power, so that
    /// words are ordered as monomials are.
    Word(u64),
    // Thin, and rare.
    Many(Box<Powers>),
}

type Powers = SmallVec<[(AtomId, u32); 4]>;

/// Bits of a slot, of the power in it, and what its atom is taken from.
const SLOT: u32 = 20;
const POWER: u32 = 3;
const ATOMS: u32 = (1 << (SLOT - POWER)) - 1;
const SLOTS: u32 = 3;
/// Where the degree is.
const DEGREE: u32 = SLOTS * SLOT;
const MAX_DEGREE: u32 = (1 << (u64::BITS - DEGREE)) - 1;
const MAX_POWER: u32 = (1 << POWER) - 1;

/// A slot; `None` where the power does not fit into one. No slot is 0.
fn slot((atom, power): (AtomId, u32)) -> Option<u64> {
    let key = ATOMS.checked_sub(atom.bits()).filter(|&key| key > 0 && power <= MAX_POWER)?;
    Some(u64::from(key << POWER | power))
}

fn power_in(slot: u64) -> (AtomId, u32) {
    let slot = slot as u32;
    (AtomId::of_bits(ATOMS - (slot >> POWER)), slot & MAX_POWER)
}

/// Slots one after the other as they become a word.
#[derive(Default)]
struct Packing {
    slots: u64,
    count: u32,
    degree: u32,
}

impl Packing {
    fn push(&mut self, slot: u64) {
        self.slots = self.slots << SLOT | slot;
        self.count += 1;
        self.degree += slot as u32 & MAX_POWER;
    }

    fn word(self) -> Option<u64> {
        let fits = self.count <= SLOTS && self.degree <= MAX_DEGREE;
        fits.then(|| u64::from(self.degree) << DEGREE | self.slots << (SLOT * (SLOTS - self.count)))
    }
}

/// The powers of a monomial.
#[derive(Clone)]
struct PowersOf<'a> {
    /// The slots from the highest bit on.
    word: u64,
    many: std::slice::Iter<'a, (AtomId, u32)>,
}

impl Iterator for PowersOf<'_> {
    type Item = (AtomId, u32);

    fn next(&mut self) -> Option<(AtomId, u32)> {
        if self.word == 0 {
            return self.many.next().copied();
        }
        let power = power_in(self.word >> (u64::BITS - SLOT));
        self.word <<= SLOT;
        Some(power)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (u64::BITS - self.word.trailing_zeros()).div_ceil(SLOT) as usize + self.many.len();
        (left, Some(left))
    }
}

impl ExactSizeIterator for PowersOf<'_> {}

impl Monomial {
    pub(crate) const ONE: Monomial = Monomial(Repr::Word(0));

    /// A power of an atom that is at least the first, and the first for idempotent ones.
    pub(crate) fn power(atom: AtomId, power: u32) -> Monomial {
        Monomial::of([(atom, power)].into_iter())
    }

    /// Of ascending atoms.
    fn of(powers: impl Iterator<Item = (AtomId, u32)> + Clone) -> Monomial {
        let mut packing = Packing::default();
        for power in powers.clone() {
            match slot(power).filter(|_| packing.count < SLOTS) {
                Some(slot) => packing.push(slot),
                None => return Monomial(Repr::Many(Box::new(powers.collect()))),
            }
        }
        match packing.word() {
            Some(word) => Monomial(Repr::Word(word)),
            None => Monomial(Repr::Many(Box::new(powers.collect()))),
        }
    }

    /// Atoms with their powers, in ascending order.
    pub fn powers(&self) -> impl ExactSizeIterator<Item = (AtomId, u32)> + Clone + '_ {
        match &self.0 {
            Repr::Word(word) => PowersOf { word: word << (u64::BITS - DEGREE), many: [].iter() },
            Repr::Many(powers) => PowersOf { word: 0, many: powers.iter() },
        }
    }

    /// Whether this is the empty product.
    pub fn is_one(&self) -> bool {
        matches!(self.0, Repr::Word(0))
    }

    /// Sum of the powers.
    pub fn degree(&self) -> u32 {
        match &self.0 {
            Repr::Word(word) => (word >> DEGREE) as u32,
            Repr::Many(powers) => powers.iter().map(|&(_, power)| power).sum(),
        }
    }

    /// The atom, where this is the first power of one.
    pub(crate) fn as_atom(&self) -> Option<AtomId> {
        match &self.0 {
            Repr::Word(word) if word >> DEGREE == 1 => {
                Some(power_in(word << (u64::BITS - DEGREE) >> (u64::BITS - SLOT)).0)
            }
            Repr::Word(_) => None,
            Repr::Many(powers) => match powers[..] {
                [(atom, 1)] => Some(atom),
                _ => None,
            },
        }
    }

    /// Power of one atom; 0 where it does not occur.
    pub fn degree_in(&self, atom: AtomId) -> u32 {
        match &self.0 {
            Repr::Word(word) => place_in(*word, atom).map_or(0, |place| (word >> place) as u32 & MAX_POWER),
            Repr::Many(powers) => powers.iter().find(|(a, _)| *a == atom).map_or(0, |&(_, power)| power),
        }
    }

    /// Whether an atom occurs.
    pub(crate) fn has(&self, atom: AtomId) -> bool {
        match &self.0 {
            Repr::Word(word) => place_in(*word, atom).is_some(),
            Repr::Many(powers) => powers.iter().any(|(a, _)| *a == atom),
        }
    }

    /// The quotient, if the divisor's powers all occur.
    pub fn div_exact(&self, divisor: &Monomial) -> Option<Monomial> {
        if divisor.is_one() {
            return Some(self.clone());
        }
        let mut quotient = Powers::new();
        let mut divisor = divisor.powers().peekable();
        for (atom, power) in self.powers() {
            let taken = divisor.next_if(|&(d, _)| d == atom).map_or(0, |(_, power)| power);
            match power.checked_sub(taken)? {
                0 => {}
                left => quotient.push((atom, left)),
            }
        }
        divisor.next().is_none().then(|| Monomial::of(quotient.iter().copied()))
    }

    pub(crate) fn without(&self, atom: AtomId) -> Monomial {
        match &self.0 {
            Repr::Word(word) => Monomial(Repr::Word(match place_in(*word, atom) {
                None => *word,
                Some(place) => {
                    let below = word & ((1 << place) - 1);
                    let above = word >> (place + SLOT) << (place + SLOT);
                    (above | below << SLOT) - ((word >> place & u64::from(MAX_POWER)) << DEGREE)
                }
            })),
            Repr::Many(powers) => Monomial::of(powers.iter().copied().filter(|&(a, _)| a != atom)),
        }
    }

    pub(crate) fn mul(&self, other: &Monomial) -> Monomial {
        if let (Repr::Word(a), Repr::Word(b)) = (&self.0, &other.0)
            && let Some(word) = product(*a, *b)
        {
            return Monomial(Repr::Word(word));
        }
        let mut product = Powers::new();
        let (mut left, mut right) = (self.powers().peekable(), other.powers().peekable());
        while let (Some(&(a, m)), Some(&(b, n))) = (left.peek(), right.peek()) {
            match a.cmp(&b) {
                Ordering::Less => product.extend(left.next()),
                Ordering::Greater => product.extend(right.next()),
                Ordering::Equal => {
                    product.push((a, if a.is_idempotent() { 1 } else { m + n }));
                    left.next();
                    right.next();
                }
            }
        }
        product.extend(left);
        product.extend(right);
        Monomial::of(product.iter().copied())
    }
}

/// How many bits are behind the slot of an atom.
fn place_in(word: u64, atom: AtomId) -> Option<u32> {
    let key = u64::from(ATOMS.checked_sub(atom.bits()).filter(|&key| key > 0)?);
    let is_at = |place: u32| (word >> (place + POWER)) & u64::from(ATOMS) == key;
    if is_at(2 * SLOT) {
        Some(2 * SLOT)
    } else if is_at(SLOT) {
        Some(SLOT)
    } else if is_at(0) {
        Some(0)
    } else {
        None
    }
}

/// The product as a word, where it fits into one.
fn product(a: u64, b: u64) -> Option<u64> {
    if a == 0 || b == 0 {
        return Some(a | b);
    }
    let (mut left, mut right) = (a << (u64::BITS - DEGREE), b << (u64::BITS - DEGREE));
    let mut packing = Packing::default();
    while left | right != 0 {
        if packing.count == SLOTS {
            return None;
        }
        let (first, second) = (left >> (u64::BITS - SLOT), right >> (u64::BITS - SLOT));
        match (first >> POWER).cmp(&(second >> POWER)) {
            Ordering::Greater => {
                packing.push(first);
                left <<= SLOT;
            }
            Ordering::Less => {
                packing.push(second);
                right <<= SLOT;
            }
            Ordering::Equal => {
                let ((atom, power), (_, more)) = (power_in(first), power_in(second));
                packing.push(slot((atom, if atom.is_idempotent() { 1 } else { power + more }))?);
                left <<= SLOT;
                right <<= SLOT;
            }
        }
    }
    packing.word()
}

impl Default for Monomial {
    fn default() -> Monomial {
        Monomial::ONE
    }
}

impl From<AtomId> for Monomial {
    fn from(atom: AtomId) -> Monomial {
        Monomial::power(atom, 1)
    }
}

impl Hash for Monomial {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Repr::Word(word) => state.write_u64(*word),
            Repr::Many(powers) => powers.hash(state),
        }
    }
}

impl fmt::Debug for Monomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.powers()).finish()
    }
}

/// Graded lexicographic order: by degree, then by the power of the earliest atom that differs.
impl Ord for Monomial {
    fn cmp(&self, other: &Monomial) -> Ordering {
        if let (Repr::Word(a), Repr::Word(b)) = (&self.0, &other.0) {
            return a.cmp(b);
        }
        self.degree().cmp(&other.degree()).then_with(|| {
            let differing = self.powers().zip(other.powers()).find(|(a, b)| a != b);
            differing.map_or(Ordering::Equal, |((a, m), (b, n))| b.cmp(&a).then(m.cmp(&n)))
        })
    }
}

impl PartialOrd for Monomial {
    fn partial_cmp(&self, other: &Monomial) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
