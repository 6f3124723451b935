//! `ipda show`: the decision tables that a program, a shared object or an object file carries.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use ipda_models::files;
use ipda_models::table::{SECTION, Table};
use object::{Object, ObjectSection};

/// What clang writes for the optimisation at link time instead of an object.
const BITCODE: [&[u8]; 2] = [b"BC\xc0\xde", b"\xde\xc0\x17\x0b"];
const ARCHIVE: &[u8] = b"!<arch>\n";
/// A program is no longer than that, in bytes.
const MOST_BYTES: u64 = 4 << 30;

#[derive(clap::Args)]
pub struct Arguments {
    /// Programs, shared objects or object files (ELF).
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Also print each step of the predictions.
    #[arg(long)]
    steps: bool,
}

/// Prints the tables of all files; a file that cannot be read hides no other. The exit status is 0 where all could be.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut is_whole = true;
    let mut text = String::new();
    for file in &arguments.files {
        if arguments.files.len() > 1 {
            let _ = writeln!(text, "{}:", file.display());
        }
        let shown = show(file, arguments.steps, &mut text);
        if let Err(error) = crate::terminal::print(&text) {
            crate::terminal::complain(&error);
            return ExitCode::FAILURE;
        }
        text.clear();
        for error in shown.unwrap_or_else(|error| vec![error]) {
            crate::terminal::tell(format_args!("ipda: {}: {error:#}", file.display()));
            is_whole = false;
        }
    }
    if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Adds the tables of a file to a text: what is wrong with some of them.
fn show(file: &Path, has_steps: bool, text: &mut String) -> Result<Vec<anyhow::Error>> {
    let bytes = files::read(file, MOST_BYTES).context("cannot read it")?;
    if BITCODE.iter().any(|magic| bytes.starts_with(magic)) {
        bail!("it is LLVM bitcode, as -flto makes it: its tables are found in the program that is linked of it");
    }
    if bytes.starts_with(ARCHIVE) {
        bail!("it is an archive: extract its members with `ar x`, or look into the program that is linked with it");
    }
    let elf = object::File::parse(&bytes[..]).context("it is no ELF file that can be read")?;
    let mut errors = Vec::new();
    let mut count = 0;
    // An object file may have several sections of that name.
    for section in elf.sections().filter(|section| section.name() == Ok(SECTION)) {
        let content = section.data().context("its section ipda.table cannot be read")?;
        for table in Table::all(content) {
            count += 1;
            match table {
                Ok(table) if has_steps => _ = write!(text, "{table:#}"),
                Ok(table) => _ = write!(text, "{table}"),
                Err(error) => errors.push(error.into()),
            }
        }
    }
    if count == 0 {
        bail!(
            "it has no decision tables: no region in it was compiled with ipda's plugin, or IPDA_DECISION=off was set"
        );
    }
    Ok(errors)
}
