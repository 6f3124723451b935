//! The differences as text and lists.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use super::change::Change;
use super::{Compared, Difference, Side, compare};
use crate::document::terminal::Page;
use crate::document::{Document, Tone};
use crate::formats::{self, Format, Head, Rows};
use crate::select::Query;
use crate::select::rows::{Cell, Kind};
use crate::select::values::Values;
use crate::terminal::{RULE_BROKEN, UNREADABLE};
use crate::words::grouped;

/// Prints the differences.
pub fn run(old: &[PathBuf], new: &[PathBuf], request: &Request<'_>) -> ExitCode {
    let values = request.query.values();
    let compared = compare(old, new, request.query, &values);
    // What is not there never becomes worse.
    let misspelt = compared.unseen.sentences();
    // What could not be read did not become better.
    if !compared.errors.is_empty() && compared.lacks_a_side() {
        compared.errors.iter().for_each(crate::terminal::complain);
        return ExitCode::from(UNREADABLE);
    }
    let mut out = crate::terminal::output();
    let written = compared.write(request, &values, &mut out).and_then(|()| out.flush());
    drop(out);
    for error in &compared.errors {
        crate::terminal::complain(error);
    }
    for sentence in &misspelt {
        crate::terminal::complain(&anyhow::anyhow!("{sentence}: nothing was compared for it"));
    }
    for warning in values.warnings() {
        crate::terminal::complain(&anyhow::Error::msg(warning));
    }
    let is_written = match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            crate::terminal::complain(&anyhow::Error::new(error).context("cannot write the output"));
            false
        }
        _ => true,
    };
    if !compared.errors.is_empty() || !is_written {
        return ExitCode::from(UNREADABLE);
    }
    if !misspelt.is_empty() {
        return ExitCode::from(crate::terminal::WRONG_COMMAND);
    }
    let worse = compared.differences.iter().filter(|each| each.is_worse()).count();
    if request.fails_on_worse && worse > 0 {
        crate::terminal::complain(&anyhow::anyhow!(
            "--fail-on-worse: {worse} {} worse than before, or new and not as good as could be",
            if worse == 1 { "is" } else { "are" }
        ));
        return ExitCode::from(RULE_BROKEN);
    }
    ExitCode::SUCCESS
}

/// What is printed.
pub struct Request<'a> {
    /// What of the reports.
    pub query: &'a Query,
    /// In which form.
    pub format: Format,
    /// Whether the exit status says that something became worse.
    pub fails_on_worse: bool,
    /// The page for people.
    pub page: &'a Page,
}

impl Compared {
    fn write(&self, request: &Request<'_>, values: &Values, out: &mut impl Write) -> io::Result<()> {
        if request.format == Format::Table {
            return out.write_all(self.document(request, values).on(request.page).as_bytes());
        }
        let all: Vec<Vec<Cell>> = self.differences.iter().map(Difference::row).collect();
        let rows: Vec<Vec<Cell>> = all.iter().take(request.query.rows_for_programs()).cloned().collect();
        let table = Rows { kind: Kind::Differences, left_out: all.len() - rows.len(), rows };
        let head = Head { totals: self.new.clone(), basis: self.new.basis_sentence(values) };
        formats::write(out, request.format, &head, &[table])
    }

    fn document(&self, request: &Request<'_>, values: &Values) -> Document {
        let mut out = Document::default();
        for change in [Change::Worse, Change::New, Change::Better, Change::Gone, Change::Changed] {
            let of_change: Vec<&Difference> = self.differences.iter().filter(|each| each.change == change).collect();
            if of_change.is_empty() {
                continue;
            }
            out.heading(format!("{} ({})", change.name(), of_change.len()));
            let shown = request.query.rows_for_people();
            for difference in of_change.iter().take(shown) {
                let tone = match change {
                    Change::Worse => Tone::Bad,
                    Change::New if difference.is_worse() => Tone::Bad,
                    _ => Tone::Plain,
                };
                out.labelled(2, 2, "-", tone, &difference.sentence());
                let places = [&difference.old, &difference.new].map(|side| side.as_ref().map(Side::place));
                if let [Some(old), Some(new)] = places
                    && old != new
                {
                    out.labelled(4, 0, "", Tone::Faint, &format!("it was at {old}"));
                }
            }
            if of_change.len() > shown {
                out.wrapped(2, &format!("... and {} more; --top 0 lists all", of_change.len() - shown));
            }
            out.blank();
        }
        let (old, new) = (&self.old.sectors, &self.new.sectors);
        let same = crate::words::counted(self.same as u64, "access");
        out.wrapped(0, &format!("{same} as before; {}, before: {}", new.sentence("sectors"), old.sentence("sectors")));
        if old.excess > 0.0 && new.excess != old.excess {
            let factor = new.excess / old.excess;
            let text = match factor {
                factor if factor > 1.0 => format!("{} excessive sectors more", grouped(new.excess - old.excess)),
                _ => format!("{} excessive sectors less", grouped(old.excess - new.excess)),
            };
            out.wrapped(0, &text);
        }
        if let Some(basis) = self.new.basis_sentence(values).or_else(|| self.old.basis_sentence(values)) {
            out.wrapped(0, &format!("where {basis}"));
        }
        out
    }
}
