//! The accesses of a region with what the dependence test needs: address, size, loops, and what holds where they run.

use super::bases::{Base, Bases};
use super::result::UnitKind;
use crate::analysis::lower::Guarantees;
use crate::analysis::region::Analysis;
use ipda_llvm::{BlockId, Operation, Value};
use ipda_models::report::AccessKind;
use ipda_symbolic::{Access, Atom, AtomId, Coeff, Facts, Polynomial, Symbol, Varies};
use rustc_hash::{FxHashMap, FxHashSet};

/// What of memory an access touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// So many bytes at its address.
    Known,
    /// Whatever a function reads that is not followed, of which the address says nothing.
    Any,
}

/// An access as it is where some polynomials are at least 0.
#[derive(Debug, Clone)]
pub(super) struct Unwrapped {
    pub test: Access,
    pub conditions: Vec<Polynomial>,
}

/// An access as the graph's builder sees it.
pub(super) struct Item {
    pub instruction: Value,
    pub kind: AccessKind,
    pub extent: Extent,
    /// As people know it.
    pub address: Polynomial,
    /// As the test sees it: what no loop changes is a symbol that varies with nothing. Its loops are those that people see.
    pub test: Access,
    /// What holds there, without that the address stays in its object; and whether that holds, too.
    pub facts: Facts,
    pub stays_in_object: bool,
    /// All steps from where its pointer begins are marked as staying in one object.
    pub is_marked: bool,
    pub block: BlockId,
    /// The access without conversions that may wrap, under conditions.
    pub unwrapped: Option<Unwrapped>,
    /// The same loops, by index in the CFG.
    pub loops: Vec<usize>,
    /// The loop in whose test it is: there it runs once more than the body.
    pub in_test_of: Option<usize>,
    pub bases: Vec<Base>,
    /// The pointers that the address is built on: of `address`, and of `test`.
    pub objects: Vec<AtomId>,
    pub test_objects: Vec<AtomId>,
    /// The operation of an atomic update that commutes with itself.
    pub update: Option<Operation>,
    pub in_every_iteration: bool,
    /// Whether the address is computed from iteration numbers and values that are one for the whole region.
    pub is_function_of_iterations: bool,
}

impl Item {
    pub(super) fn reads(&self) -> bool {
        matches!(self.kind, AccessKind::Load | AccessKind::CopyFrom | AccessKind::Atomic)
    }

    pub(super) fn writes(&self) -> bool {
        matches!(self.kind, AccessKind::Store | AccessKind::CopyTo | AccessKind::Atomic)
    }

    /// Whether both are atomic updates by one operation, which are right in any order, though their result may depend on it.
    pub(super) fn commutes_with(&self, other: &Item) -> bool {
        self.update.is_some() && self.update == other.update && self.test.bytes == other.test.bytes
    }

    /// The one object that the address is in, by the symbol of its address.
    pub(super) fn object(&self) -> Option<AtomId> {
        let ([atom], [in_test]) = (&self.objects[..], &self.test_objects[..]) else { return None };
        self.test.address.number_times(*in_test).is_some_and(Coeff::is_one).then_some(*atom)
    }
}

/// An instruction whose effects are not followed.
pub(super) struct Opaque {
    pub what: String,
    pub instruction: Value,
    /// The loops of the CFG that it is an obstacle to.
    pub loops: Vec<usize>,
}

/// By access, the object in whose section it lies; none where that was not shown.
#[derive(Default)]
pub(super) struct Sections {
    pub inside: Vec<Option<AtomId>>,
}

impl Sections {
    /// Whether two accesses lie in sections of different list items.
    pub(super) fn apart(&self, first: usize, second: usize) -> bool {
        matches!((self.inside[first], self.inside[second]), (Some(a), Some(b)) if a != b)
    }
}

/// What touches memory in a region.
pub(super) struct Accesses {
    pub items: Vec<Item>,
    pub opaque: Vec<Opaque>,
    pub bases: Bases,
    pub rests_on: Guarantees,
    pub rests_on_inbounds: bool,
    /// Loads whose memory is not written while loops run.
    pub constant_loads: FxHashSet<AtomId>,
    /// Which lie in sections of map clauses.
    pub sections: Sections,
    /// How often each loop runs at most, as the test sees it.
    pub max_trips: FxHashMap<usize, Polynomial>,
    /// Symbols that the test sees in place of what people see.
    pub stand_ins: FxHashMap<AtomId, Polynomial>,
}

impl Accesses {
    /// A value as the test sees it. What is read from memory that nothing writes meanwhile, at an address that is one for all iterations, is
    /// a value that varies with nothing; so is, in a kernel, what tells threads apart, since one thread is looked at.
    pub(super) fn for_test(&mut self, analysis: &mut Analysis<'_>, value: &Polynomial) -> Polynomial {
        let atoms = analysis.lowering.space.atoms(value);
        for &atom in &atoms {
            if self.stand_ins.contains_key(&atom) || self.constant_loads.contains(&atom) {
                continue;
            }
            let of_thread = match analysis.lowering.space.atom(atom) {
                Atom::Load { .. } => false,
                Atom::Symbol(Symbol { varies: Varies::Thread, .. }) if self.bases.unit == UnitKind::Kernel => true,
                _ => continue,
            };
            if !of_thread {
                // Between chunks the runtime alone is at work: a write of the user's own is seen as an effect that is not followed.
                if !analysis.lowering.is_constant_load(atom, &analysis.nest.hidden) {
                    continue;
                }
                self.constant_loads.insert(atom);
                if !analysis.is_region_invariant(atom) {
                    continue;
                }
            }
            let space = &mut analysis.lowering.space;
            let (name, range) = (space.label(atom).map(str::to_string), space.atom_range(atom).clone());
            let name = name.unwrap_or_else(|| space.display(&atom.into()).to_string());
            let name = name.trim_start_matches('[').trim_end_matches(']').to_string();
            let stand_in = space.symbol(Symbol { name, range, varies: Varies::No });
            self.stand_ins.insert(atom, stand_in);
        }
        if !atoms.iter().any(|atom| self.stand_ins.contains_key(atom)) {
            return value.clone();
        }
        let stand_ins = &self.stand_ins;
        analysis.lowering.space.substitute(value, &mut |atom| stand_ins.get(&atom).cloned())
    }

    /// The symbol that the test sees in place of a value, if it sees one.
    pub(super) fn stand_in(&self, atom: AtomId) -> Option<AtomId> {
        self.stand_ins.get(&atom)?.as_atom()
    }
}

impl Analysis<'_> {
    /// Whether a loaded value is one for the whole region: its address varies with nothing.
    fn is_region_invariant(&self, load: AtomId) -> bool {
        let space = &self.lowering.space;
        let Atom::Load { address, .. } = space.atom(load) else { return false };
        !space.depends_on(address, |atom| match space.atom(atom) {
            Atom::Symbol(symbol) => symbol.varies != Varies::No,
            Atom::Iteration(_) => true,
            Atom::Load { .. } => !self.is_region_invariant(atom),
            _ => false,
        })
    }
}
