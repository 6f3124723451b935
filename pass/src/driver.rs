//! What the plugin does with a module, phase by phase. A [`Compilation`] knows the module, and each phase is a function of its own for each side:
//!
//! | where in the pipeline | device | host |
//! |---|---|---|
//! | in front of the optimiser | [`device::start`] | [`host::start`] |
//! | behind it | [`device::end`] | [`host::end`] |
//!
//! In front, [`look`] flattens and analyses each region once; what follows from that (the report, what is planned with loops, which regions may
//! run on the host) is changed and told afterwards. What the end needs of the start is [`carried`] over. [`prints`] has the passes that only print.

mod carried;
mod check;
mod compilation;
mod device;
mod finish;
mod host;
mod launches;
mod library;
mod look;
mod module;
mod prints;
mod told;

pub use library::{dependences, dependences_with_times, empty_report, fuse_loops, give_back_nests, report};

use crate::ffi::{SessionRef, Str, ipda_warn};
use compilation::Compilation;
use inkwell::module::Module;
use ipda_models::options::Options;
use ipda_models::report::Side;
use llvm_sys::prelude::LLVMModuleRef;
use module::has_regions;
use std::mem::ManuallyDrop;

/// Why the plugin runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// In front of the optimiser.
    Start(Pipeline),
    /// At the end of clang's pipeline.
    Last,
    /// As a pass that prints.
    Print(Print),
}

impl Kind {
    /// What the trace calls the time before anything is looked at.
    fn phase(self) -> &'static str {
        match self {
            Kind::Start(_) => "start",
            Kind::Last => "end",
            Kind::Print(_) => "print",
        }
    }
}

/// What a start is the start of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pipeline {
    /// clang's pipeline, at whose end the plugin runs again.
    Whole,
    /// Nothing else: `-passes=ipda`.
    Alone,
}

/// What is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Print {
    /// As `-passes='print<ipda>'`.
    Analysis,
    /// As `-passes='print<ipda-model>'`: what became of the code.
    Model,
    /// As `-passes='print<ipda-table>'`: what a launch decides by.
    Table,
    /// As `-passes='print<ipda-ddg>'`: the dependences.
    Graph,
    /// As `-passes='print<ipda-ddg-dot>'`: the same for Graphviz.
    Dot,
}

/// Runs a phase. Whether the module was changed.
///
/// # Safety
/// `session` and `module` are valid for the time of the call.
pub(crate) unsafe fn run(session: SessionRef, raw: LLVMModuleRef, kind: Kind, parameters: &str) -> bool {
    // SAFETY: by the caller's promise; LLVM keeps owning the module.
    let module = ManuallyDrop::new(unsafe { Module::new(raw) });
    if let Kind::Print(print @ (Print::Graph | Print::Dot)) = kind {
        prints::dependences(session, &module, print);
        return false;
    }
    if matches!(kind, Kind::Start(_)) {
        carried::forget();
    }
    if !has_regions(&module) {
        return false;
    }
    let (options, problems) = Options::read(parameters);
    let compilation = Compilation::new(session, &module, options, kind.phase());
    if matches!(kind, Kind::Start(_)) && compilation.speaks() {
        problems.iter().for_each(|problem| warn(&module, problem));
    }
    match (kind, compilation.side) {
        (Kind::Start(pipeline), Side::Device) => device::start(&compilation, pipeline),
        (Kind::Start(pipeline), Side::Host) => host::start(&compilation, pipeline),
        (Kind::Last, Side::Device) => device::end(&compilation),
        (Kind::Last, Side::Host) => host::end(&compilation),
        (Kind::Print(print), _) => {
            prints::print(&compilation, print);
            false
        }
    }
}

/// Tells whoever compiles the module.
fn warn(module: &Module<'_>, text: &str) {
    // SAFETY: the module is valid.
    unsafe { ipda_warn(module.as_mut_ptr(), Str::new(text)) };
}
