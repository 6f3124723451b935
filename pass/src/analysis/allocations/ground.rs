//! Why two pointers lead to different memory.

use ipda_llvm::{Opcode, Value};
use ipda_models::report::Location;

/// Why two pointers never lead to common bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Ground {
    /// Whether a function's parameters are declared `restrict`; else both lead to allocations of their own.
    pub by_restrict: bool,
    /// Where memory is allocated, as far as that has a place in the source.
    pub places: Vec<Location>,
}

impl Ground {
    /// Both pointers lead to what is allocated at these places, or to variables.
    pub(super) fn of(sites: &[Value]) -> Ground {
        let has_place = |site: &&Value| site.is_instruction() && !site.is(Opcode::LLVMAlloca);
        let places = sites.iter().filter(has_place).filter_map(|site| site.location()).collect();
        Ground { by_restrict: false, places }
    }

    /// The pointers are parameters, of which the program says so.
    pub(super) fn of_restrict() -> Ground {
        Ground { by_restrict: true, places: Vec::new() }
    }

    pub(super) fn add(&mut self, other: Ground) {
        self.by_restrict |= other.by_restrict;
        for place in other.places {
            if !self.places.contains(&place) {
                self.places.push(place);
            }
        }
    }
}
