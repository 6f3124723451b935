//! The program `ipda`: compiles with the plugin, prints and compares its reports, writes changes into sources, predicts times, lists and measures hardware,
//! and starts `ipda-trace`.
#![forbid(unsafe_code)]

mod access;
mod action;
mod cc;
mod diff;
mod doctor;
mod document;
mod explain;
mod findings;
mod fix;
mod formats;
mod gate;
mod html;
mod hw;
mod input;
mod look;
mod man;
#[cfg(test)]
mod mutated;
mod predict;
mod report;
mod roofs;
mod scratch;
mod select;
mod show;
mod terminal;
mod toolchain;
mod trace;
mod view;
mod words;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use ipda_models::options;

use crate::document::{Detail, Extent, Loops};
use crate::formats::{Format, SchemaOf};
use crate::gate::Rule;
use crate::look::Look;
use crate::select::Query;
use crate::select::rows::Kind;
use crate::select::values::{Given, Values};
use crate::terminal::{UNREADABLE, complain};

/// Shows what the memory accesses of GPU code cost, why, and what helps.
///
/// ipda compiles with its plugin for clang 19, prints the reports that the plugin writes, predicts times, and changes sources as the reports
/// propose.
#[derive(Parser)]
#[command(name = "ipda", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compile C with clang 19 and the plugin, in place of a compiler; `ipda cc --help` says more.
    #[command(disable_help_flag = true)]
    Cc(CompilerArguments),
    /// Compile C++ with clang 19 and the plugin, in place of a compiler.
    #[command(name = "c++", disable_help_flag = true)]
    Cxx(CompilerArguments),
    /// Check that everything that compiling with the plugin needs is installed, and say how to install what is missing.
    ///
    /// The exit status is 0 if nothing is missing, else 1. What is needed only to build or run programs for GPUs may be absent.
    Doctor,
    /// Print what the plugin found in each OpenMP target region and each kernel, as tables.
    ///
    /// The plugin writes report files if IPDA_REPORT=PATH is set when the compiler runs.
    ///
    /// Exit status: 0 if all is well, 1 if something could not be read, 2 if the command is wrong, 3 if a rule of --fail-on is broken.
    Report(ReportArguments),
    /// Explain step by step what was found at a place in the source, and what would make it better.
    Explain(ExplainArguments),
    /// Write into the source what the reports propose: collapse and map clauses, and loops in another order.
    ///
    /// What cannot be written safely is left as it is, and a sentence says why; the exit status is then 1.
    Fix(fix::Arguments),
    /// Compare the reports of two builds: what is better, what is worse, what is new, what is gone.
    Diff(DiffArguments),
    /// Predict how long regions take on the host and on the device, and say what that rests on.
    Predict(Box<predict::Arguments>),
    /// Print the decision tables that a program carries: for each region, where it may run, and what its time depends on.
    Show(show::Arguments),
    /// Descriptions of GPUs, CPUs and links: list them, show one, check files, measure this machine.
    Hw {
        #[command(subcommand)]
        command: hw::Command,
    },
    /// Run the kernels of a device module on the CPU, and compare what each warp touches with what the plugin says.
    ///
    /// All arguments go to the program ipda-trace; `ipda trace --help` lists them.
    #[command(disable_help_flag = true)]
    Trace {
        /// Arguments for ipda-trace.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        arguments: Vec<OsString>,
    },
    /// Print what makes a shell complete commands and options; `source <(ipda completions bash)` in bash.
    Completions {
        /// The shell.
        #[arg(value_enum, value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Print a JSON schema: of the lists of `--format json`, or of the report files that the plugin writes.
    Schema {
        /// What it is of.
        #[arg(value_enum, value_name = "FORM", default_value = "lists")]
        of: SchemaOf,
    },
    /// Write manual pages, one for each command, into a folder.
    Man {
        /// Where the pages go.
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
}

#[derive(clap::Args)]
struct CompilerArguments {
    /// Arguments for the compiler.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    arguments: Vec<OsString>,
}

#[derive(clap::Args)]
struct ReportArguments {
    /// Report files, or folders of report files (*.yaml).
    #[arg(required = true, value_name = "FILE|FOLDER")]
    paths: Vec<PathBuf>,
    /// The form of the output.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Print only one list.
    #[arg(long, value_enum, value_name = "LIST")]
    only: Option<Kind>,
    /// Print the tables of every region, even if there are more than 24.
    #[arg(long)]
    all: bool,
    /// End with status 3 if a rule is broken: CLASS>COUNT, excess>SECTORS, excess>PERCENT%, divergent>COUNT, rejects>COUNT,
    /// worse-than=REPORT; can be given several times.
    #[arg(long, value_name = "RULE")]
    fail_on: Vec<Rule>,
    /// Also print, for each access, its address, how the stride follows from it, its cache lines, the count of the greedy fit, and the
    /// calls that lead to it; for each region, the captured variables and the instructions of the finished code.
    #[arg(long)]
    details: bool,
    /// Show the accesses in the loops of the source, where the plugin changed them.
    #[arg(long)]
    as_written: bool,
    /// Instead of printing, write pages for a browser into this folder: an index, and a page for each source.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["format", "only", "all", "fail_on", "details", "as_written", "width"])]
    html: Option<PathBuf>,
    /// Where the sources are, if not where the reports say; can be given several times. Pages hold no files but those under these folders, the
    /// reports' and the working directory.
    #[arg(long, visible_alias = "root", value_name = "FOLDER", requires = "html")]
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
    /// The report of the build before, or its folder of reports.
    old: PathBuf,
    /// The report of the build after, or its folder of reports.
    new: PathBuf,
    /// End with status 3 if something costs more, or is new and not as good as it could be.
    #[arg(long)]
    fail_on_worse: bool,
    /// The form of the output.
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
    /// Report files, or folders of report files [default: what IPDA_REPORT names, else the current folder].
    #[arg(long = "report", value_name = "FILE|FOLDER")]
    reports: Vec<PathBuf>,
    /// The value of a variable of the program, such as -D n=4096, or of one that the region loads, such as -D 'load8([d] + 16)=7'; sizes
    /// without a value count as 128.
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    define: Vec<Given>,
    /// The form of the output.
    #[arg(long, value_enum, default_value = "text")]
    format: explain::Format,
    #[command(flatten)]
    look: Look,
}

fn main() -> ExitCode {
    if let Some(language) = cc::called_as_compiler() {
        return compile(language, &std::env::args_os().skip(1).collect::<Vec<_>>());
    }
    run(Arguments::parse())
}

fn run(arguments: Arguments) -> ExitCode {
    match arguments.command {
        Command::Report(arguments) => report(&arguments),
        Command::Diff(arguments) => diff(arguments),
        Command::Predict(arguments) => predict::run(&arguments),
        Command::Explain(arguments) => explain(arguments),
        Command::Hw { command } => hw::run(&command),
        Command::Trace { arguments } => trace::run(&arguments).unwrap_or_else(failed),
        Command::Cc(words) => compile(cc::Language::C, &words.arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Doctor => doctor::run().unwrap_or_else(failed),
        Command::Fix(arguments) => fix::run(&arguments),
        Command::Man { folder } => {
            man::write(Arguments::command(), &folder).map_or_else(failed, |()| ExitCode::SUCCESS)
        }
        Command::Schema { of } => terminal::print_exactly(formats::json::text(&formats::schema(of)).as_bytes())
            .map_or_else(failed, |()| ExitCode::SUCCESS),
        Command::Completions { shell } => completions(shell).map_or_else(failed, |()| ExitCode::SUCCESS),
        Command::Cxx(words) => compile(cc::Language::Cxx, &words.arguments),
    }
}

/// Writes the pages of `ipda report --html`.
fn pages(folder: &Path, arguments: &ReportArguments) -> ExitCode {
    let roots = html::Roots::new(&arguments.source, &arguments.paths);
    let options = html::Options { roots, machines: arguments.machines.clone() };
    let errors = html::write(folder, &arguments.paths, &arguments.query, &options).unwrap_or_else(|error| vec![error]);
    for file in options.roots.left_out() {
        complain(&anyhow::anyhow!(
            "{file} is outside of the working directory and of the reports' folders, and left out: name its folder as --source"
        ));
    }
    errors.iter().for_each(complain);
    if errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(UNREADABLE) }
}

/// Prints the script of a shell's completions.
fn completions(shell: clap_complete::Shell) -> anyhow::Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "ipda", &mut text);
    terminal::print_exactly(&text)
}

fn compile(language: cc::Language, arguments: &[OsString]) -> ExitCode {
    cc::run(language, arguments).unwrap_or_else(failed)
}

fn failed(error: anyhow::Error) -> ExitCode {
    complain(&error);
    ExitCode::FAILURE
}

fn report(arguments: &ReportArguments) -> ExitCode {
    let ReportArguments { paths, format, only, all, fail_on, details, as_written, query, look, html, .. } = arguments;
    if let Some(folder) = html {
        return pages(folder, arguments);
    }
    let gpu = match arguments.machines.device() {
        Ok(gpu) => gpu,
        Err(error) => return failed(error),
    };
    let extent = Extent {
        detail: if *details { Detail::Full } else { Detail::Brief },
        loops: if *as_written { Loops::AsWritten } else { Loops::AsRun },
    };
    let (page, rules) = (&look.page(), &fail_on[..]);
    let gpu = gpu.as_ref();
    report::run(&report::Request { paths, query, format: *format, only: *only, all: *all, gpu, rules, extent, page })
}

fn diff(arguments: DiffArguments) -> ExitCode {
    let DiffArguments { old, new, fail_on_worse, format, query, look } = arguments;
    let page = look.page();
    let request = diff::Request { query: &query, format, fails_on_worse: fail_on_worse, page: &page };
    diff::run(&[old], &[new], &request)
}

fn explain(arguments: ExplainArguments) -> ExitCode {
    let ExplainArguments { place, mut reports, define, format, look } = arguments;
    if reports.is_empty() {
        reports.push(options::variable(options::REPORT).map_or_else(|| PathBuf::from("."), PathBuf::from));
    }
    let request = explain::Request {
        place: &place,
        reports: &reports,
        values: &Values::new(&define),
        page: &look.page(),
        format,
    };
    explain::run(&request)
}
