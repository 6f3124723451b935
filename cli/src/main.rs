//! The program `ipda`: compiles with the plugin, shows the reports that it writes to people, writes what they found into sources, predicts
//! times, knows hardware descriptions, and starts `ipda-trace`.
#![forbid(unsafe_code)]

mod cc;
mod diff;
mod doctor;
mod explain;
mod fix;
mod formats;
mod gate;
mod html;
mod hw;
mod input;
mod man;
mod predict;
mod report;
mod scratch;
mod select;
mod show;
mod toolchain;
mod trace;
mod view;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ColorChoice, CommandFactory, Parser, Subcommand};

use crate::formats::Format;
use crate::gate::Rule;
use crate::select::Query;
use crate::select::rows::Kind;
use crate::select::values::{Given, Values};
use crate::view::{Detail, Page, Paint};

/// Width where the output is not a terminal.
const DEFAULT_WIDTH: u16 = 120;

/// What memory accesses of GPU code cost, why, and what helps: compiles with the plugin for clang 19, reads its reports, and writes what they
/// found into sources.
#[derive(Parser)]
#[command(name = "ipda", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compile C with clang 19 and the plugin: a drop-in for a compiler; `ipda cc --help` tells more.
    #[command(disable_help_flag = true)]
    Cc(CompilerArguments),
    /// Compile C++ with clang 19 and the plugin.
    #[command(name = "c++", disable_help_flag = true)]
    Cxx(CompilerArguments),
    /// Look whether everything is there that compiling with the plugin needs, and tell how to get what is not.
    ///
    /// The exit status is 0 where nothing is missing. What only programs for GPUs need may be absent.
    Doctor,
    /// Print what the plugin saw in each OpenMP target region and each kernel, as tables.
    ///
    /// The plugin writes report files when it runs with IPDA_REPORT=PATH in the environment.
    Report(ReportArguments),
    /// Explain what was found at a place in the source, step by step, and what would make it better.
    Explain(ExplainArguments),
    /// Write down in the source what the reports found: collapse clauses, and loops in another order.
    ///
    /// What cannot be written safely is left, and a sentence says why; the exit status is then 1.
    Fix(fix::Arguments),
    /// Compare the reports of two builds: what became better, what worse, what is new, what is gone.
    Diff(DiffArguments),
    /// Predict how long regions take on the host and on the device, and say what that rests on.
    Predict(Box<predict::Arguments>),
    /// Print the decision tables that a program carries: of each region, where it may run, and what its time depends on.
    Show(show::Arguments),
    /// Descriptions of GPUs, CPUs and links: list them, show one, check files.
    Hw {
        #[command(subcommand)]
        command: hw::Command,
    },
    /// Run the target regions of a device module on the CPU and compare what each warp touches with what the plugin says.
    ///
    /// All arguments go to the program ipda-trace; `ipda trace --help` lists them.
    #[command(disable_help_flag = true)]
    Trace {
        /// What ipda-trace is given.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        arguments: Vec<OsString>,
    },
    /// Write manual pages, one for each command, into a folder; packages are made with it.
    #[command(hide = true)]
    Man {
        /// Where the pages go.
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
}

#[derive(clap::Args)]
struct CompilerArguments {
    /// What the compiler is given.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    arguments: Vec<OsString>,
}

#[derive(clap::Args)]
struct ReportArguments {
    /// Report files, or folders with report files (*.yaml).
    #[arg(required = true, value_name = "FILE|FOLDER")]
    paths: Vec<PathBuf>,
    /// How the output is written.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Print one list instead of everything.
    #[arg(long, value_enum, value_name = "LIST")]
    only: Option<Kind>,
    /// Print the tables of every region, however many there are.
    #[arg(long)]
    all: bool,
    /// End with status 3 where a rule is broken: CLASS>COUNT, excess>SECTORS, excess>PERCENT%, divergent>COUNT, rejects>COUNT,
    /// worse-than=REPORT; can be given several times.
    #[arg(long, value_name = "RULE")]
    fail_on: Vec<Rule>,
    /// Also print each access's address, the calls that lead to it, its cache lines and the count of the greedy fit, how the stride
    /// follows from the address, and the captured variables.
    #[arg(long)]
    details: bool,
    /// Write pages for a browser into this folder instead: an index, and a page for each source.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["format", "only", "all", "fail_on", "details", "width"])]
    html: Option<PathBuf>,
    /// Where the pages' sources are, if not where the reports say; can be given several times.
    #[arg(long, value_name = "FOLDER", requires = "html")]
    source: Vec<PathBuf>,
    #[command(flatten)]
    machines: html::MachineNames,
    #[command(flatten)]
    query: Query,
    #[command(flatten)]
    look: Look,
}

#[derive(clap::Args)]
struct DiffArguments {
    /// The report or folder of the build before.
    old: PathBuf,
    /// The report or folder of the build after.
    new: PathBuf,
    /// End with status 3 where something costs more, or is new and not as good as it could be.
    #[arg(long)]
    fail_on_worse: bool,
    /// How the output is written.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    #[command(flatten)]
    query: Query,
    #[command(flatten)]
    look: Look,
}

#[derive(clap::Args)]
struct ExplainArguments {
    /// The place, such as gemm.c:17 or gemm.c:17:34.
    #[arg(value_name = "FILE:LINE[:COLUMN]")]
    place: explain::Place,
    /// Report files, or folders with report files [default: what IPDA_REPORT names, else the current folder].
    #[arg(long = "report", value_name = "FILE|FOLDER")]
    reports: Vec<PathBuf>,
    /// The value of a variable of the program, such as -D n=4096; sizes that are not given count 128.
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    define: Vec<Given>,
    #[command(flatten)]
    look: Look,
}

/// The look of the output for people.
#[derive(clap::Args)]
struct Look {
    /// Columns to print [default: as wide as the terminal, 120 where there is none].
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(60..))]
    width: Option<u16>,
    /// When to use colour.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
}

fn main() -> ExitCode {
    if let Some(language) = cc::called_as_compiler() {
        return compile(language, &std::env::args_os().skip(1).collect::<Vec<_>>());
    }
    match Arguments::parse().command {
        Command::Report(arguments) => report(&arguments),
        Command::Diff(arguments) => diff(arguments),
        Command::Predict(arguments) => predict::run(&arguments),
        Command::Explain(arguments) => explain(arguments),
        Command::Hw { command } => hw::run(&command, terminal_width()),
        Command::Trace { arguments } => trace::run(&arguments).unwrap_or_else(|error| {
            complain(&error);
            ExitCode::FAILURE
        }),
        Command::Cc(words) => compile(cc::Language::C, &words.arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Doctor => doctor::run(),
        Command::Fix(arguments) => fix::run(&arguments),
        Command::Man { folder } => man::write(Arguments::command(), &folder).map_or_else(
            |error| {
                complain(&error);
                ExitCode::FAILURE
            },
            |()| ExitCode::SUCCESS,
        ),
        Command::Cxx(words) => compile(cc::Language::Cxx, &words.arguments),
    }
}

/// Writes the pages of `ipda report --html`.
fn pages(folder: &Path, arguments: &ReportArguments) -> ExitCode {
    let options = html::Options { roots: html::Roots(arguments.source.clone()), machines: arguments.machines.clone() };
    let errors = html::write(folder, &arguments.paths, &arguments.query, &options).unwrap_or_else(|error| vec![error]);
    errors.iter().for_each(complain);
    if errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(report::UNREADABLE) }
}

fn compile(language: cc::Language, arguments: &[OsString]) -> ExitCode {
    cc::run(language, arguments).unwrap_or_else(|error| {
        complain(&error);
        ExitCode::FAILURE
    })
}

fn report(arguments: &ReportArguments) -> ExitCode {
    let ReportArguments { paths, format, only, all, fail_on, details, query, look, html, .. } = arguments;
    if let Some(folder) = html {
        return pages(folder, arguments);
    }
    let page = look.page(if *details { Detail::Full } else { Detail::Brief });
    report::run(&report::Request { paths, query, format: *format, only: *only, all: *all, rules: fail_on, page: &page })
}

fn diff(arguments: DiffArguments) -> ExitCode {
    let DiffArguments { old, new, fail_on_worse, format, query, look } = arguments;
    let page = look.page(Detail::Brief);
    let request = diff::Request { query: &query, format, fails_on_worse: fail_on_worse, page: &page };
    diff::run(&[old], &[new], &request)
}

fn explain(arguments: ExplainArguments) -> ExitCode {
    let ExplainArguments { place, mut reports, define, look } = arguments;
    if reports.is_empty() {
        reports.push(std::env::var_os("IPDA_REPORT").map_or_else(|| PathBuf::from("."), PathBuf::from));
    }
    let request = explain::Request {
        place: &place,
        reports: &reports,
        values: &Values::new(&define),
        page: &look.page(Detail::Brief),
    };
    explain::run(&request)
}

fn complain(error: &anyhow::Error) {
    let _ = writeln!(io::stderr(), "ipda: {error:#}");
}

/// Whether to use colour on standard output.
fn has_colour(choice: ColorChoice) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    }
}

/// Columns of the terminal, or what is used where there is none.
fn terminal_width() -> usize {
    comfy_table::Table::new().width().unwrap_or(DEFAULT_WIDTH).into()
}

impl Look {
    fn page(&self, detail: Detail) -> Page {
        Page {
            width: self.width.map_or_else(terminal_width, usize::from),
            paint: if has_colour(self.color) { Paint::Ansi } else { Paint::None },
            detail,
        }
    }
}
