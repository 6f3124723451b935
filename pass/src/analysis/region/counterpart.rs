//! What the host's version of a region says of the same variables and loops. A device's code for NVIDIA's processors is compiled without
//! debug information of variables; the host's code of the same source has it.

use crate::analysis::maps::SectionLength;
use crate::analysis::names::Names;
use ipda_llvm::Value;
use ipda_models::report::{Location, Region};
use ipda_symbolic::members_in;
use rustc_hash::FxHashMap;

/// A loop's source variable, or those of a collapsed loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoopVariable {
    pub name: String,
    /// Whether the variable's value is the iteration number itself.
    pub is_iteration_number: bool,
}

/// The host's version of a region, for what people read: nothing that is done rests on it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Counterpart {
    /// The names of captured variables, where known.
    captures: Vec<Option<String>>,
    loops: Vec<(Location, LoopVariable)>,
    pub lengths: Vec<SectionLength>,
    /// The members of structures that it reads, by the text of the load.
    pub(super) members: FxHashMap<String, String>,
}

impl Counterpart {
    /// Of what is said of the host's version, and the lengths of what its launch maps.
    pub(crate) fn new(region: &Region, lengths: &[SectionLength]) -> Counterpart {
        let is_name = |(at, name): (usize, &str)| name != format!("arg{at}");
        let names = region.captures.iter().map(|capture| &capture.name[..]).enumerate();
        let variable = |entry: &ipda_models::report::Loop| {
            let name = entry.variable.clone()?;
            // Another one's number may have the same name, and then a number behind it.
            let is_iteration_number = entry.index.as_ref().is_some_and(|index| index.starts_with(&name));
            Some((entry.location.clone()?, LoopVariable { name, is_iteration_number }))
        };
        // All of its texts, wherever they stand.
        let text = serde_yaml::to_string(region).unwrap_or_default();
        Counterpart {
            captures: names.map(|each| is_name(each).then(|| each.1.to_owned())).collect(),
            loops: region.loops.iter().filter_map(variable).collect(),
            lengths: lengths.to_vec(),
            members: members_in(&text).into_iter().collect(),
        }
    }

    /// Names the captured variables that have no name.
    pub(super) fn name(&self, captured: &[Value], names: &mut Names) {
        if captured.len() != self.captures.len() {
            return;
        }
        for (&argument, name) in captured.iter().zip(&self.captures) {
            if let Some(name) = name {
                names.variables.entry(argument).or_insert_with(|| name.clone());
            }
        }
    }

    /// The variable of the loop at a place; none where the place has several.
    pub(super) fn variable_at(&self, location: &Location) -> Option<LoopVariable> {
        let mut there = self.loops.iter().filter(|(place, _)| place == location).map(|(_, variable)| variable);
        let first = there.next()?;
        there.all(|other| other == first).then(|| first.clone())
    }
}
