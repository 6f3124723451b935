//! What the plugin does with a module, phase by phase. A [`Compilation`] knows the module, and each phase is a function of its own for each side:
//!
//! | where in the pipeline | device | host |
//! |---|---|---|
//! | before optimisation | [`device::start`] | [`host::start`] |
//! | after LLVM's optimisation of OpenMP | [`part_choices`] | |
//! | after optimisation | [`device::end`] | [`host::end`] |
//!
//! Before optimisation, [`look`] flattens and analyses each region once; what follows from that (the report, what is planned with loops, which regions may
//! run on the host) is changed and reported afterwards. What the end needs of the start is [`carried`] over. [`prints`] has the passes that only print.

mod carried;
mod check;
mod compilation;
mod counterpart;
mod device;
mod finish;
mod host;
mod launches;
mod library;
mod look;
mod look_at_device;
mod look_at_host;
mod machines;
mod module;
mod prints;
mod relayed;
mod reported;
mod team_chunk;

pub use library::{
    Counted, FusedKernel, LoopRequest, dependences, dependences_with_times, empty_report, fuse_loops, give_back_nests,
    overlap_iterations, report,
};

use compilation::Compilation;
use inkwell::module::Module;
use ipda_llvm::{Print, Run, Session, part_choices, warn};
use ipda_models::options::Options;
use ipda_models::report::Side;
use module::has_regions;

/// What the trace calls the time before anything is looked at.
fn phase(run: Run) -> &'static str {
    match run {
        Run::Start | Run::Alone => "start",
        Run::Early => "early",
        Run::Last => "end",
        Run::Print(_) => "print",
    }
}

/// Runs a phase. Whether the module was changed.
pub(crate) fn run(session: Session, module: &Module<'_>, run: Run, parameters: &str) -> bool {
    if let Run::Print(print @ (Print::Graph | Print::Dot)) = run {
        prints::dependences(session, module, print);
        return false;
    }
    if run == Run::Early {
        return part_choices(module);
    }
    let is_start = matches!(run, Run::Start | Run::Alone);
    if is_start {
        carried::forget();
    }
    if !has_regions(module) {
        return false;
    }
    let (options, problems) = Options::read(parameters);
    let compilation = Compilation::new(session, module, options, phase(run));
    if is_start && compilation.speaks() {
        problems.iter().for_each(|problem| warn(module, problem));
    }
    match (run, compilation.side) {
        (Run::Early, _) => unreachable!("it needs no compilation"),
        (Run::Start | Run::Alone, Side::Device) => device::start(&compilation, run),
        (Run::Start | Run::Alone, Side::Host) => host::start(&compilation, run),
        (Run::Last, Side::Device) => device::end(&compilation),
        (Run::Last, Side::Host) => host::end(&compilation),
        (Run::Print(print), _) => {
            prints::print(&compilation, print);
            false
        }
    }
}

/// Tells the user what is wrong with pass parameters, if anything is; whether nothing is.
pub(crate) fn check_parameters(parameters: &str) -> bool {
    let problems = ipda_models::options::parameter_problems(parameters);
    for problem in &problems {
        eprintln!("ipda: {problem}");
    }
    problems.is_empty()
}
