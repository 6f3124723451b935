//! The objects that an address points into, and what a person would call them.

use super::Analysis;
use ipda_llvm::SourceType;
use ipda_symbolic::{Atom, AtomId, Polynomial};

impl Analysis<'_> {
    /// Pointer atoms that the address is built on.
    pub(crate) fn objects(&self, address: &Polynomial) -> Vec<AtomId> {
        let mut found = Vec::new();
        for atom in address.atoms() {
            if self.lowering.object(atom).is_some() && !found.contains(&atom) {
                found.push(atom);
            }
        }
        found
    }

    /// What a person would call the object: `A`, `p->data`, `rows[]` for a pointer read from an array of pointers.
    pub(crate) fn object_name(&self, atom: AtomId) -> String {
        self.lowering.path(atom).0
    }

    /// Whether an object is a variable that the region refers to, and no pointer's target.
    pub(crate) fn is_variable(&self, atom: AtomId) -> bool {
        self.lowering.argument_of(atom).is_some() && self.lowering.path(atom).1.is_some_and(SourceType::is_reference)
    }

    /// The array that a loaded value comes from.
    pub(crate) fn index_array(&self, load: AtomId) -> String {
        match self.lowering.space.atom(load) {
            Atom::Load { address, .. } => match self.objects(address)[..] {
                [] => "memory".into(),
                [object, ..] if self.lowering.is_constant_table(object) => {
                    format!("the constant table {}", self.object_name(object))
                }
                [object, ..] => self.object_name(object),
            },
            _ => "memory".into(),
        }
    }
}
