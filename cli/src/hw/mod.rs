//! `ipda hw`: the descriptions of hardware that time models go by.

mod check;
mod list;
mod measure;
mod show;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;

use crate::document::terminal::{PLAIN, Page, Paint};
use crate::look::Width;

/// What can be done with hardware descriptions.
#[derive(Subcommand)]
pub enum Command {
    /// Print the built-in descriptions: GPUs, CPUs and links.
    List(Width),
    /// Print a description, value by value, with the source of each value.
    Show {
        /// A built-in name or alias, or the path of a YAML file.
        #[arg(value_name = "NAME|FILE")]
        device: String,
        #[command(flatten)]
        width: Width,
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

/// Runs the command. The text goes to standard output.
pub fn run(command: &Command) -> ExitCode {
    let (text, success) = match command {
        Command::List(width) => {
            let page = Page { width: width.columns(), paint: Paint::None };
            (list::document(page.width).on(&page), true)
        }
        Command::Show { device, width } => match show::document(device) {
            Ok(out) => (out.on(&Page { width: width.columns(), paint: Paint::None }), true),
            Err(errors) => {
                errors.iter().for_each(complain);
                return ExitCode::FAILURE;
            }
        },
        Command::Check { files } => {
            let (out, errors) = check::check(files);
            errors.iter().for_each(complain);
            (out.on(&PLAIN), errors.is_empty())
        }
        Command::Measure(arguments) => match measure::text(arguments) {
            Ok(text) => (text, true),
            Err(error) => {
                crate::terminal::complain(&error);
                return ExitCode::FAILURE;
            }
        },
        Command::Schema => (ipda_hwdb::json_schema(), true),
    };
    match crate::terminal::print(&text) {
        Err(error) => {
            crate::terminal::complain(&error);
            ExitCode::FAILURE
        }
        Ok(()) if success => ExitCode::SUCCESS,
        Ok(()) => ExitCode::FAILURE,
    }
}

fn complain(error: &ipda_hwdb::LoadError) {
    crate::terminal::tell(format_args!("ipda: {error}"));
}
