//! Reports people: remarks by LLVM's channel, and the report file.

mod file;
mod words;

pub(crate) use file::write_report;
use words::{
    access_text, divergence_text, loop_text, missed_text, not_brought_text, not_copied_back_text, plural, region_text,
    resources_text, subject, transformation_remarks, what,
};

use crate::openmp::outline::TargetRegion;
use crate::openmp::{ExecutionMode, KernelEnvironment};
use crate::output::remark::remark;
use inkwell::module::Module;
use ipda_llvm::{Audience, RemarkKind, Value};
use ipda_models::report::{Location, Mode, OnHost, Region, Report, TransformationState};
use rustc_hash::FxHashMap;

/// The kernels of a module with the functions that hold their regions: remarks belong to functions.
struct Holders(FxHashMap<(u32, String), (String, Value)>);

impl Holders {
    fn of(regions: &[TargetRegion]) -> Holders {
        let mut all = FxHashMap::default();
        for found in regions {
            let key = (found.name.line, found.function());
            all.entry(key).or_insert_with(|| (found.symbol.clone(), found.holder()));
        }
        Holders(all)
    }

    fn find(&self, region: &Region) -> Option<&(String, Value)> {
        self.0.get(&(region.location.line, region.function.clone()))
    }
}

/// Emits the remarks on the code of a report's regions, each for the audience of its number.
pub(crate) fn of_code(regions: &[TargetRegion], report: &Report, audience: impl Fn(usize) -> Audience) {
    let holders = Holders::of(regions);
    for (number, region) in report.regions.iter().enumerate() {
        let Some(&(_, function)) = holders.find(region) else { continue };
        let audience = audience(number);
        let send = |kind: RemarkKind, name: &str, text: &str, at: Option<&Location>| {
            remark(function, (kind, audience), name, text, at.unwrap_or(&region.location));
        };
        send(RemarkKind::Analysis, "Region", &region_text(region, report), None);
        for entry in &region.loops {
            send(RemarkKind::Analysis, "Loop", &loop_text(entry), entry.location.as_ref());
        }
        for access in &region.accesses {
            send(RemarkKind::Analysis, "Access", &access_text(access, region), access.location.as_ref());
            if let Some((name, text)) = missed_text(access, region, report) {
                send(RemarkKind::Missed, name, &text, access.location.as_ref());
            }
            if let Some(sharing) = &access.false_sharing {
                let text = format!("{}: {}", what(access), sharing.sentence());
                send(RemarkKind::Missed, "FalseSharing", &text, access.location.as_ref());
            }
        }
        for branch in &region.branches {
            if let Some(text) = divergence_text(branch) {
                send(RemarkKind::Missed, "Divergent", &text, branch.location.as_ref());
            }
        }
        for (kind, name, text, at) in region.transformation.iter().flat_map(transformation_remarks) {
            send(kind, name, &text, at);
        }
        // Whose loops are better now has missed nothing that can be told. Of the limit of all work the region's reason tells, with what it was used for.
        let is_better = region.transformation.as_ref().is_some_and(|of| of.state == TransformationState::Done);
        let kind = if is_better { RemarkKind::Analysis } else { RemarkKind::Missed };
        for limit in region.limits.iter().filter(|limit| limit.name != "work") {
            let meaning = limit.meaning().unwrap_or("more than the analysis looks at");
            let count = plural(limit.count as usize, "time", "times");
            let text =
                format!("the analysis met its limit {} {count}, and left something unknown: {meaning}", limit.name);
            send(kind, "Limit", &text, None);
        }
        for reject in &region.rejects {
            send(RemarkKind::Missed, &reject.name, &reject.reason, reject.location.as_ref());
        }
    }
}

/// Emits the remarks on what launches take and leave, and where they may run.
pub(crate) fn of_launches(regions: &[TargetRegion], report: &Report) {
    let holders = Holders::of(regions);
    for region in &report.regions {
        let Some(&(_, function)) = holders.find(region) else { continue };
        let send = |kind: RemarkKind, name: &str, text: &str| {
            remark(function, (kind, Audience::All), name, text, &region.location);
        };
        if let Some(text) = resources_text(region) {
            send(RemarkKind::Analysis, "Registers", &text);
        }
        for capture in &region.captures {
            if let Some(text) = not_copied_back_text(capture) {
                send(RemarkKind::Passed, "NotCopiedBack", &text);
            }
            if let Some(text) = not_brought_text(capture) {
                send(RemarkKind::Passed, "NotCopiedThere", &text);
            }
        }
        match &region.on_host {
            Some(OnHost { reason: Some(reason), .. }) => {
                let text = format!("its launches stay on the device: {}", reason.reason);
                send(RemarkKind::Missed, &reason.name, &text);
            }
            Some(OnHost { reason: None, .. }) => {
                let text = "each launch may run on the host as well, if IPDA_OFFLOAD says so when the program runs";
                send(RemarkKind::Analysis, "MayRunOnHost", text);
            }
            None => {}
        }
    }
}

/// Whether what is found is also sent as remarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remarks {
    Sent,
    LeftOut,
}

/// Reports kernels that were made SPMD while the module was optimised. Whether the report changed.
pub(crate) fn report_made_spmd(
    module: &Module<'_>,
    regions: &[TargetRegion],
    report: &mut Report,
    remarks: Remarks,
) -> bool {
    let mut changed = false;
    let is_generic = |region: &Region| region.mode == Mode::Generic;
    let holders = Holders::of(regions);
    for region in report.regions.iter_mut().filter(|region| is_generic(region)) {
        let Some((symbol, function)) = holders.find(region).cloned() else { continue };
        if current_mode(module, &symbol) != Some(Mode::MadeSpmd) {
            continue;
        }
        region.mode = Mode::MadeSpmd;
        changed = true;
        if remarks == Remarks::Sent {
            let text = format!("{} was {}", subject(region), region.mode.meaning(region.kind));
            remark(function, (RemarkKind::Analysis, Audience::All), "MadeSpmd", &text, &region.location);
        }
    }
    changed
}

/// The mode that a kernel's environment has now.
fn current_mode(module: &Module<'_>, kernel: &str) -> Option<Mode> {
    let environment = module.get_global(&format!("{kernel}_kernel_environment"))?;
    Some(match KernelEnvironment::of_global(Value::of(&environment))?.mode {
        ExecutionMode::Spmd => Mode::Spmd,
        ExecutionMode::Generic => Mode::Generic,
        ExecutionMode::MadeSpmd => Mode::MadeSpmd,
    })
}
