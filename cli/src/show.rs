//! `ipda show`: the decision tables that a program, a shared object or an object file carries.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use ipda_models::files;
use ipda_models::table::{SECTION, Table};
use object::{Object, ObjectSection};

use crate::document::terminal::PLAIN;
use crate::document::{Detail, Document, Tone};

/// What clang writes for the optimisation at link time instead of an object.
const BITCODE: [&[u8]; 2] = [b"BC\xc0\xde", b"\xde\xc0\x17\x0b"];
const ARCHIVE: &[u8] = b"!<arch>\n";
/// A program is no longer than that, in bytes.
const MAX_BYTES: u64 = 4 << 30;

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
    for file in &arguments.files {
        let mut out = Document::default();
        if arguments.files.len() > 1 {
            out.line(Tone::Plain, format!("{}:", file.display()));
        }
        let detail = if arguments.steps { Detail::Full } else { Detail::Brief };
        let shown = show(file, detail, &mut out);
        if let Err(error) = crate::terminal::print(&out.on(&PLAIN)) {
            crate::terminal::complain(&error);
            return ExitCode::FAILURE;
        }
        for error in shown.unwrap_or_else(|error| vec![error]) {
            crate::terminal::tell(format_args!("ipda: {}: {error:#}", file.display()));
            is_whole = false;
        }
    }
    if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Adds the tables of a file: what is wrong with some of them.
fn show(file: &Path, detail: Detail, out: &mut Document) -> Result<Vec<anyhow::Error>> {
    let bytes = files::read(file, MAX_BYTES).context("cannot read it")?;
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
            let text = match table {
                Ok(table) if detail == Detail::Full => format!("{table:#}"),
                Ok(table) => table.to_string(),
                Err(error) => {
                    errors.push(error.into());
                    continue;
                }
            };
            out.code(0, text.lines().map(|line| (Tone::Plain, line.to_owned())).collect());
        }
    }
    if count == 0 {
        bail!(
            "it has no decision tables: no region in it was compiled with ipda's plugin, or IPDA_DECISION=off was set"
        );
    }
    Ok(errors)
}
