//! A region's finished code in one function, and its loops in the names of the report.

use super::places::{Finished, Places};
use super::source::SourceRegion;
use super::unrolled::follow_main_loops;
use crate::analysis::names::Names;
use crate::analysis::region::{self, Analysis, Given, Setting};
use crate::common::reject::RejectReason;
use crate::openmp::flatten::{Flat, flatten};
use crate::openmp::outline::TargetRegion;
use ipda_llvm::{FunctionCopy, Opcode};

/// Hands a region's finished code to `work`, while there is one function of it all; or says why there is none.
pub(crate) fn in_region<R>(
    setting: &Setting<'_>,
    region: &TargetRegion,
    source: Option<&SourceRegion>,
    work: impl FnOnce(&Finished) -> R,
) -> Result<R, String> {
    let Flat { code, mut log } = flatten(setting.session, region, setting.trace);
    let copy = code.map_err(|reason| reason.sentence())?;
    follow_main_loops(&copy);
    let mut names = Names::read(&copy);
    if let Some(source) = source {
        take_names(&mut names, &copy, region, source);
    }
    let given = Given { names, lengths: &[] };
    let finished = |analysis: &mut Analysis<'_>| {
        let step = setting.trace.begin("count loops", Some(region));
        let finished = Places::new(analysis, source, &mut region::empty_region(setting, region)).finish();
        step.end(analysis.spent());
        finished
    };
    let found = region::analysed(setting, region, &copy, given, &mut log, finished);
    found.map(|finished| work(&finished)).ok_or_else(|| RejectReason::IrreducibleLoop { has_cancel: false }.sentence())
}

/// Calls the arguments by the names of the report, which tells captured variables apart by their places.
fn take_names(names: &mut Names, copy: &FunctionCopy, region: &TargetRegion, source: &SourceRegion) {
    let params = copy.function().params();
    let captured = if region.environment.is_some() && !params.is_empty() { &params[1..] } else { &params[..] };
    let are_same = captured.len() == source.captures.len();
    for (place, &argument) in captured.iter().enumerate() {
        let parts = argument.users().into_iter().filter(|user| matches!(user.opcode(), Some(Opcode::LLVMTrunc)));
        for value in parts.chain([argument]) {
            match source.captures.get(place).filter(|_| are_same) {
                Some(name) => _ = names.variables.insert(value, name.clone()),
                // Another variable may have that number in the report.
                None => _ = names.variables.entry(value).or_insert_with(|| format!("?{place}")),
            }
        }
    }
}
