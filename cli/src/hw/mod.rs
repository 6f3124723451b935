//! `ipda hw`: the descriptions of hardware that time models go by.

mod check;
mod list;
mod measure;
mod show;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;

/// What can be done with hardware descriptions.
#[derive(Subcommand)]
pub enum Command {
    /// Print the built-in descriptions: GPUs, CPUs and links.
    List,
    /// Print a description, value by value, with the source of each value.
    Show {
        /// A built-in name or alias, or the path of a YAML file.
        #[arg(value_name = "NAME|FILE")]
        device: String,
    },
    /// Check description files: print every place that is wrong, and what was expected there.
    Check {
        /// YAML files.
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Measure this machine, which should do nothing else meanwhile, and print a description of it.
    ///
    /// `ipda hw check` accepts what it prints. The costs of OpenMP are those of the libomp that is found; IPDA_LIBOMP=PATH names another one.
    /// GPUs are measured through the driver's libcuda.so.1; IPDA_LIBCUDA=PATH names another file.
    Measure(measure::Arguments),
    /// Print the JSON schema of description files, for editors.
    Schema,
}

/// Runs the command. The text goes to standard output, in columns up to `width`.
pub fn run(command: &Command, width: usize) -> ExitCode {
    let (text, success) = match command {
        Command::List => (list::text(width), true),
        Command::Show { device } => match show::text(device, width) {
            Ok(text) => (text, true),
            Err(errors) => {
                errors.iter().for_each(complain);
                return ExitCode::FAILURE;
            }
        },
        Command::Check { files } => {
            let (text, errors) = check::check(files);
            errors.iter().for_each(complain);
            (text, errors.is_empty())
        }
        Command::Measure(arguments) => match measure::text(arguments) {
            Ok(text) => (text, true),
            Err(error) => {
                let _ = writeln!(io::stderr(), "ipda: {error:#}");
                return ExitCode::FAILURE;
            }
        },
        Command::Schema => (ipda_hwdb::json_schema(), true),
    };
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        // A reader that has seen enough closes the pipe.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let _ = writeln!(io::stderr(), "ipda: cannot write the output: {error}");
            ExitCode::FAILURE
        }
        _ if success => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn complain(error: &ipda_hwdb::LoadError) {
    let _ = writeln!(io::stderr(), "ipda: {error}");
}
