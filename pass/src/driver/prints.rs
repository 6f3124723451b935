//! The passes that only print, to standard error.

use super::carried;
use super::compilation::Compilation;
use super::device;
use super::host;
use super::launches::{Launched, Launches};
use super::library::dependences_in;
use super::look::Described;
use super::look_at_device::{AskedOfDevice, look_at_device};
use super::look_at_host::look_at_host;
use super::{relayed, reported};
use crate::analysis::dependences::{self, Phases};
use crate::analysis::finished::{self, SourceRegion};
use crate::analysis::region;
use crate::common::apply::Apply;
use crate::decision::table::{self, Known};
use crate::output::print;
use crate::transform::chunk::HandedOut;
use inkwell::module::Module;
use ipda_llvm::{Print, Session};
use ipda_models::report::{Report, Side};
use ipda_models::source;
use ipda_models::table::Table;

pub(super) fn print(compilation: &Compilation<'_, '_>, what: Print) {
    match what {
        Print::Analysis => {
            let mut report = analysis(compilation);
            source::report_clauses(&mut report);
            eprint!("{}", print::text(&report));
        }
        Print::Model => {
            let now = || print::code(&finished_code(compilation));
            eprint!("{}", carried::finished().unwrap_or_else(now));
        }
        Print::Table => tables(compilation).iter().for_each(|table| eprint!("{table}")),
        Print::Graph | Print::Dot => dependences(compilation.session, compilation.module, what),
    }
}

/// The dependences of all regions, or functions, as text or as a graph.
pub(super) fn dependences(session: Session, module: &Module<'_>, what: Print) {
    let (found, _) = dependences_in(session, module, Phases::default());
    match what {
        Print::Dot => found.iter().for_each(|region| eprint!("{}", dependences::to_dot(region))),
        _ => eprint!("{}", dependences::text(&found)),
    }
}

/// What is found of all regions, with what would become of their loops.
fn analysis(compilation: &Compilation<'_, '_>) -> Report {
    match compilation.side {
        Side::Device => {
            let plans = device::may_transform(compilation);
            let asked = AskedOfDevice { described: Described::All, structural_hash: false, uses: false, plans };
            let mut seen = look_at_device(compilation, asked);
            let outcomes = device::change(compilation, &mut seen, Apply::No);
            device::report(compilation, &mut seen, &outcomes, &HandedOut::default()).0
        }
        Side::Host => {
            let seen = look_at_host(compilation, Described::All, None);
            let (own, reported) = reported::report(compilation, seen.into_iter().map(|seen| seen.description));
            let kernels: Vec<String> = reported.into_iter().map(|reported| reported.source.symbol).collect();
            relayed::shown(compilation.images(), &own, &kernels).unwrap_or(own)
        }
    }
}

/// The regions of a module as it is now, and the code that they consist of.
fn finished_code(compilation: &Compilation<'_, '_>) -> Report {
    let mut report = compilation.header();
    let setting = compilation.setting();
    report.regions = compilation.regions.iter().map(|region| region::empty_region(&setting, region)).collect();
    let symbols: Vec<&str> = compilation.regions.iter().map(|region| &region.symbol[..]).collect();
    match compilation.side {
        Side::Device => device::add_resources(compilation, &symbols, &[], &mut report),
        Side::Host => {
            let processors = finished::host_code::known_processors(&report.target);
            host::add_code(compilation, &symbols, &[], &processors, &mut report);
        }
    }
    report
}

/// The tables of a module: those that it has, else those of the code as it is now.
fn tables(compilation: &Compilation<'_, '_>) -> Vec<Table> {
    let made = table::read(compilation.module);
    if !made.is_empty() || compilation.side == Side::Device {
        return made;
    }
    let launches = Launches::of(compilation);
    let seen = look_at_host(compilation, Described::Decided, Some(&launches));
    let (launched, descriptions): (Vec<Option<Launched>>, Vec<_>) =
        seen.into_iter().map(|seen| (seen.launched, seen.description)).unzip();
    let (mut report, reported) = reported::report(compilation, descriptions.into_iter());
    let sources: Vec<SourceRegion> = reported.into_iter().map(|reported| reported.source).collect();
    let machines = launches.machines;
    let processors: Vec<String> = machines.iter().map(|machines| machines.cpu.processor.clone()).collect();
    host::add_code(compilation, &finished::symbols(&sources), &sources, &processors, &mut report);
    let waiting = launched.into_iter().flatten().map(|launched| launched.waiting).collect();
    table::tables(waiting, Known { report: &report, sources: &sources, machines: &machines })
}
