//! Values that the kernel finds in memory at places which a launch knows, as what `map(to: n)` brings or a member of a structure: a launch looks
//! there itself, where the memory is the host's alone.

use ipda_symbolic::{Atom, AtomId, Coeff, Interval, Signedness};

use super::bind::{Known, TRIPS_WITHOUT_A_VALUE, Unread};
use super::value::{Point, atoms_in, number};
use super::{AccessKind, Bound, LoopSummary, RegionSummary};
use crate::form::{Leaf, Num};
use crate::spread::Cause;
use crate::table::{Reading, UNREAD};
use crate::transfer::Direction;

/// A value that a launch may find in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// What forms call it: `load4([n])`.
    pub name: String,
    /// Which of the inputs leads to it.
    pub input: usize,
    /// How it is read.
    pub reading: Reading,
    pub(super) atom: AtomId,
}

impl RegionSummary {
    /// The values that numbers of iterations depend on and that a launch may find in memory: integers that far behind the begin of what a map brings to
    /// the device, to which the region writes nothing.
    pub fn loaded(&self) -> Vec<Loaded> {
        let mut found: Vec<Loaded> = Vec::new();
        let atoms = self.loops.iter().filter_map(LoopSummary::bound).flat_map(|p| atoms_in(&self.space, p));
        for loaded in atoms.filter_map(|atom| self.loaded_at(atom)) {
            if found.iter().all(|known| known.name != loaded.name) {
                found.push(loaded);
            }
        }
        found
    }

    fn loaded_at(&self, atom: AtomId) -> Option<Loaded> {
        let Atom::Load { address, bytes, range, .. } = self.space.atom(atom) else { return None };
        let base = address.as_atom_and_constant()?;
        let offset = i16::try_from(address.constant_term().to_i64()?).ok()?;
        let input = self.inputs.iter().position(|input| input.atom == base && input.is_pointer)?;
        let is_brought =
            |map: &super::MapSummary| !map.by_value && matches!(map.direction, Some(Direction::To | Direction::ToFrom));
        self.maps.iter().find(|map| map.name == self.inputs[input].name).filter(|map| is_brought(map))?;
        let bytes = u8::try_from(*bytes).ok().filter(|bytes| [1, 2, 4, 8].contains(bytes))?;
        let signed = Interval::of_width(8 * u32::from(bytes), Signedness::Signed);
        let is_above = |high: &Coeff| signed.high().is_none_or(|most| high > most);
        let has_more = range.high().is_none_or(is_above);
        // Addresses, which nobody needs, are read so.
        if bytes == 8 && has_more {
            return None;
        }
        let is_unsigned = bytes < 8 && (has_more || self.is_taken_without_sign(atom, 8 * u32::from(bytes)));
        let signedness = if is_unsigned { Signedness::Unsigned } else { Signedness::Signed };
        let is_written = |access: &super::AccessSummary| {
            access.kind != AccessKind::Load && access.address.as_ref().is_ok_and(|written| written == address)
        };
        if self.accesses.iter().any(is_written) {
            return None;
        }
        let name = self.space.display(&atom.into()).to_string();
        Some(Loaded { name, input, reading: Reading::Memory { offset, bytes, signedness }, atom })
    }
}

impl RegionSummary {
    /// Whether all that is made of a value of so many bits is made without its sign, as of an `unsigned` variable: where it is more than all with a sign
    /// are, it counts as often.
    fn is_taken_without_sign(&self, atom: AtomId, bits: u32) -> bool {
        let (mut is_taken, mut pending, mut seen) = (false, self.expressions().collect::<Vec<_>>(), Vec::new());
        while let Some(p) = pending.pop() {
            for of in p.atoms().into_iter().filter(|of| *of == atom || !seen.contains(of)).collect::<Vec<_>>() {
                seen.push(of);
                match self.space.atom(of) {
                    _ if of == atom => return false,
                    // What is left is the same for numbers that are so many bits apart.
                    Atom::Wrap { signed, bits: left, value } if *left <= bits && value.atoms().contains(&atom) => {
                        is_taken |= *signed == Signedness::Unsigned;
                    }
                    Atom::Load { .. } => {}
                    other => pending.extend(other.operands()),
                }
            }
        }
        is_taken
    }
}

impl<'a> Bound<'a> {
    /// With what a launch finds in memory. What it does not find, or nobody gave, counts as a loop of as many iterations does of which nobody says how many
    /// there are.
    pub(super) fn with_values_in_memory(self) -> Bound<'a> {
        let (notes, causes) = (self.notes(), self.causes());
        let mut values = self.values.clone();
        let mut any = Num::ZERO;
        let loaded = self.summary.loaded();
        for Loaded { name, atom, .. } in loaded.into_iter().filter(|loaded| self.given(loaded.atom).is_none()) {
            let otherwise = self.without(&name, atom);
            let value = match self.known {
                Known::Now => Num::given(otherwise.get()),
                Known::Later => {
                    let leaf = Num::leaf(Leaf::Captured(name));
                    let is_unread = leaf.is(UNREAD);
                    any = any.max(is_unread.number());
                    let read = if self.summary.is_count(atom) { leaf.max(0.0) } else { leaf };
                    is_unread.choose(otherwise, read)
                }
            };
            values.resize(values.len().max(atom.index() + 1), None);
            values[atom.index()] = Some(value);
        }
        let mut bound = Bound::with_values(self.summary, values, self.known);
        bound.launched = self.launched;
        if self.known == Known::Now {
            bound.assume_as(&self);
            return bound;
        }
        let new = self.causes().into_iter().filter(|cause| !causes.contains(cause));
        bound.unread = Some(Unread { any, square: new.map(Cause::square).sum() });
        notes.into_iter().for_each(|note| bound.note(note));
        causes.into_iter().for_each(|cause| bound.rests_on(cause));
        let guesses = self.guesses().into_iter();
        guesses.for_each(|guess| bound.note(format!("where a launch does not find it in memory, {guess}")));
        bound
    }

    /// What a value in memory counts as where nobody knows it.
    fn without(&self, name: &str, atom: AtomId) -> Num {
        let mut loops = self.summary.loops.iter().enumerate();
        let counted = loops.find_map(|(of, l)| {
            let trips = l.trips.as_ref().ok().filter(|trips| trips.as_atom_and_constant() == Some(atom))?;
            Some(self.trips(of, &Point::new()) - number(&trips.constant_term()))
        });
        counted.unwrap_or_else(|| {
            self.rests_on(Cause::UnknownCount);
            self.guess(
                format!("{name} counts {TRIPS_WITHOUT_A_VALUE}"),
                &format!("nobody said what it is (-D '{name}=..' does)"),
            );
            Num::new(TRIPS_WITHOUT_A_VALUE)
        })
    }

    /// The square of the spread that comes from values that the launch does not find in memory.
    pub(crate) fn square_of_unread(&self) -> Num {
        self.unread.map_or(Num::ZERO, |unread| unread.any * unread.square)
    }
}
