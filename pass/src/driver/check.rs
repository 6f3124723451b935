//! The plugin's check of its own work between phases, where `IPDA_CHECK` asks for it: the module is valid IR, has the regions that were found,
//! and what was left in it for others can be read back and speaks of these regions.

use super::compilation::Compilation;
use crate::decision::table;
use crate::facts;
use crate::openmp::outline::{self, TargetRegion};
use inkwell::module::Module;
use ipda_llvm::warn;
use ipda_models::options::Check;

impl Compilation<'_, '_> {
    /// A phase has ended: where that is asked for, the module must be valid, and agree with what is known of it.
    pub(super) fn ends(&self, phase: &str) {
        if self.options.check == Check::On {
            all(self, phase);
        }
    }
}

/// Warns of all that is wrong after a phase.
fn all(compilation: &Compilation<'_, '_>, phase: &str) {
    let Compilation { module, regions, trace, .. } = compilation;
    let step = trace.begin("check", None);
    let problems = problems(module, regions);
    problems.iter().for_each(|problem| warn(module, &format!("the check after {phase}: {problem}")));
    step.end(format_args!("{phase}, {} problems", problems.len()));
}

/// What is wrong with a module that should have these regions, a sentence each.
fn problems(module: &Module<'_>, regions: &[TargetRegion]) -> Vec<String> {
    let invalid = module.verify().err().map(|message| format!("the module is no valid IR: {}", message.to_string()));
    let symbols: Vec<&str> = regions.iter().map(|region| &region.symbol[..]).collect();
    let now = outline::find(module);
    let is_same = now.iter().map(|region| &region.symbol[..]).eq(symbols.iter().copied());
    let other = (!is_same).then(|| "the module has other regions than before".to_string());
    let facts = match facts::planted(module) {
        Some(facts) => facts.into_iter().map(|facts| ("facts", facts.kernel)).collect(),
        None => return invalid.into_iter().chain(other).chain(["its facts cannot be read back".into()]).collect(),
    };
    let tables = table::read(module).into_iter().map(|table| ("a table", table.kernel));
    let foreign = Vec::into_iter(facts).chain(tables).filter(|(_, kernel)| !symbols.contains(&&kernel[..]));
    let foreign = foreign.map(|(what, kernel)| format!("it has {what} of {kernel}, which is none of its regions"));
    invalid.into_iter().chain(other).chain(foreign).collect()
}
