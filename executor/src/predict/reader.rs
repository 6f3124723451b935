//! What predictions are read with: the machine, the launch and the values of a program.

use super::by_place::Setting;
use ipda_symbolic::{Banks, MemoryGeometry};

/// What predictions are read with.
pub(super) struct Reader<'a> {
    pub geometry: MemoryGeometry,
    pub banks: Banks,
    pub setting: Setting,
    pub symbols: &'a dyn Fn(&str) -> Option<i128>,
}
