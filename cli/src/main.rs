//! The program `ipda`: reads the reports that the plugin writes and shows them to people, knows hardware descriptions, and starts
//! `ipda-trace`.
#![forbid(unsafe_code)]

mod hw;
mod input;
mod predict;
mod trace;
mod view;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ColorChoice, Parser, Subcommand};

use crate::view::{Detail, Page, Paint};

/// Width where the output is not a terminal.
const DEFAULT_WIDTH: u16 = 120;

/// Reads the reports of the LLVM plugin libipda.so, and checks them by running the code.
#[derive(Parser)]
#[command(name = "ipda", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print what the plugin saw in each OpenMP target region and each kernel, as tables.
    ///
    /// The plugin writes report files when it runs with IPDA_REPORT=PATH in the environment.
    Report(ReportArguments),
    /// Predict how long regions take on the host and on the device, and say what that rests on.
    Predict(Box<predict::Arguments>),
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
}

#[derive(clap::Args)]
struct ReportArguments {
    /// Report files, or folders with report files (*.yaml).
    #[arg(required = true, value_name = "FILE|FOLDER")]
    paths: Vec<PathBuf>,
    /// Also print each access's address, the calls that lead to it, its cache lines and the count of the greedy fit, how the stride
    /// follows from the address, and the captured variables.
    #[arg(long)]
    details: bool,
    /// Columns to print [default: as wide as the terminal, 120 where there is none].
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(60..))]
    width: Option<u16>,
    /// When to use colour.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Report(arguments) => report(&arguments),
        Command::Predict(arguments) => predict::run(&arguments),
        Command::Hw { command } => hw::run(&command, terminal_width()),
        Command::Trace { arguments } => trace::run(&arguments).unwrap_or_else(|error| {
            complain(&error);
            ExitCode::FAILURE
        }),
    }
}

fn report(arguments: &ReportArguments) -> ExitCode {
    let (reports, mut errors) = input::read_all(&arguments.paths);
    if !reports.is_empty() {
        let text = view::render(&reports, &arguments.page());
        let mut stdout = io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            // A reader that has seen enough closes the pipe.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            Err(error) => errors.push(anyhow::Error::new(error).context("cannot write the output")),
            Ok(()) => {}
        }
    }
    for error in &errors {
        complain(error);
    }
    if errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
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

impl ReportArguments {
    fn page(&self) -> Page {
        Page {
            width: self.width.map_or_else(terminal_width, usize::from),
            paint: if has_colour(self.color) { Paint::Ansi } else { Paint::None },
            detail: if self.details { Detail::Full } else { Detail::Brief },
        }
    }
}
