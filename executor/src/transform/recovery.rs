//! Collapse clauses taken out of sources, and whether the plugin finds them again.

use super::pair::{Code, Pair};
use super::sectors::{file_name, in_order, table, traffic};
use crate::arguments::{Defaults, Description};
use crate::interpreter::{Launch, Order};
use crate::judge::{self, Plan};
use crate::oracle::Directives;
use crate::subject::Subject;
use crate::trial;
use std::fmt;
use std::io::Write;
use std::path::PathBuf;

/// The comment, on the line before a directive, with a clause that the directive must not have.
const WRONG: &str = "// wrong: ";

/// A clause of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Clause {
    /// The line of the clause, or of the directive that must not have it.
    line: u32,
    /// How many loops it fuses.
    depth: u32,
    kind: Kind,
}

/// Whether a directive has a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It has.
    Written,
    /// A comment says that it must not have it.
    Wrong,
}

/// What became of the clauses of some sources.
#[derive(Debug, Default)]
pub struct Recovery {
    /// Clauses with which kernels compute the same in all orders of threads, without a race.
    pub legal: usize,
    /// Those of them in kernels that the plugin changes, which then touch no more sectors than with the clauses.
    pub found: usize,
    /// Those of them in kernels that the plugin changes, which touch some more sectors than with the clauses: of what these save, no more than a
    /// quarter is missing. So it is with sums, whose iterations a team has in one block.
    pub nearly: usize,
    /// Those of them in kernels that stay, and touch no more sectors without the clauses.
    pub needless: usize,
    /// Clauses that the executor finds wrong.
    pub illegal: usize,
    /// Clauses of which a source says otherwise than the executor.
    pub disputed: usize,
}

impl Recovery {
    /// Legal clauses that are lost.
    pub fn lost(&self) -> usize {
        self.legal - self.found - self.nearly - self.needless
    }

    /// Adds legal clauses of a kernel that the plugin changes, by the sectors without them, with them, and without them but with the plugin.
    fn add_changed(&mut self, clauses: usize, [before, expert, after]: [u64; 3]) {
        if after <= expert {
            self.found += clauses;
        } else if 4 * (after - expert) <= before.saturating_sub(expert) {
            self.nearly += clauses;
        }
    }
}

impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Recovery { legal, found, nearly, needless, illegal, disputed } = self;
        write!(
            f,
            "{legal} legal clauses: {found} found again, {nearly} nearly, {needless} that save no sectors left alone, {} lost; ",
            self.lost()
        )?;
        write!(f, "{illegal} clauses are wrong")?;
        if *disputed > 0 {
            write!(f, "; of {disputed} the source says otherwise")?;
        }
        Ok(())
    }
}

/// Prints a table with a row for each region with clauses: whether they are legal, the sectors that warps touch with them, without them, and
/// without them but with the plugin; and one for each region with clauses that its comments call wrong.
pub fn recovery(code: &Code, sources: &[PathBuf], out: &mut dyn Write) -> anyhow::Result<Recovery> {
    let folder = tempfile::tempdir()?;
    let mut table =
        table(&["input", "region", "loops in the clause", "legal", "with it", "without", "found", "why not"]);
    let mut sum = Recovery::default();
    for source in sources {
        let text = std::fs::read_to_string(source)?;
        let clauses = clauses(&text);
        if clauses.is_empty() {
            continue;
        }
        let directives = Directives::read(source)?;
        let compile = |part: &str, text: &str| -> anyhow::Result<Pair> {
            let folder = folder.path().join(part);
            std::fs::create_dir_all(&folder)?;
            let copy = folder.join(file_name(source));
            std::fs::write(&copy, text)?;
            Ok(Pair::compile_with_host(code, &copy, &folder)?)
        };
        let without = compile("without", &without_clauses(&text))?;
        let regions = in_order(&without.original);
        for (kind, part, text) in
            [(Kind::Written, "with", text.clone()), (Kind::Wrong, "wrong", with_wrong_clauses(&text))]
        {
            if clauses.iter().all(|clause| clause.kind != kind) {
                continue;
            }
            let with = compile(part, &text)?;
            for (at, (&kernel, &plain)) in in_order(&with.original).iter().zip(&regions).enumerate() {
                let region = with.original.region(kernel);
                let next = regions.get(at + 1).map_or(u32::MAX, |&next| without.original.region(next).line);
                let is_here = |clause: &&Clause| clause.kind == kind && (region.line..next).contains(&clause.line);
                let here: Vec<&Clause> = clauses.iter().filter(is_here).collect();
                let Some(changed) = without.changed_kernel(plain).filter(|_| !here.is_empty()) else { continue };
                let of = |subject, kernel| traffic(subject, kernel, &directives.description).map(|found| found.sectors);
                let is_legal = is_legal(&with.original, kernel, &directives.description);
                let expert = of(&with.original, kernel);
                let (before, after) = (of(&without.original, plain)?, of(&without.changed, changed)?);
                let outcome = without.outcome(plain);
                sum.disputed += if is_legal == (kind == Kind::Wrong) { here.len() } else { 0 };
                match (is_legal, &expert) {
                    (true, Ok(expert)) => {
                        sum.legal += here.len();
                        match outcome {
                            Ok(_) => sum.add_changed(here.len(), [before, *expert, after]),
                            Err(_) if before <= *expert => sum.needless += here.len(),
                            Err(_) => {}
                        }
                    }
                    _ => sum.illegal += here.len(),
                }
                table.add_row([
                    file_name(source),
                    format!("{}:{}", region.function, region.line),
                    here.iter().map(|clause| clause.depth.to_string()).collect::<Vec<_>>().join(", "),
                    if is_legal { "yes".to_owned() } else { "no".to_owned() },
                    expert.map_or_else(|_| "fails".to_owned(), |sectors| sectors.to_string()),
                    before.to_string(),
                    after.to_string(),
                    outcome.err().and_then(|reason| reason.split("; ").next()).unwrap_or_default().to_owned(),
                ]);
            }
        }
    }
    writeln!(out, "{table}\n\n{sum}")?;
    Ok(sum)
}

/// Whether a kernel computes the same in all orders of its threads and several geometries, without a race.
fn is_legal(subject: &Subject, kernel: usize, given: &Description) -> bool {
    let code = &subject.program.kernels()[kernel];
    let plan = Plan::around(3.into(), 64.into()).for_kernel(code);
    let launches: Vec<Launch> = plan.launches().filter(|launch| launch.order == Order::Warps).collect();
    let given = given.only_for(&subject.parameters[kernel]);
    let description = trial::with_room(subject, kernel, &given, &Defaults::default(), &launches);
    judge::examine(subject, kernel, &description, &plan).is_empty()
}

/// Where the clause stands in a line of a directive.
fn place(line: &str) -> Option<(usize, usize)> {
    let first = line.find("collapse(")?;
    Some((first, first + line[first..].find(')')? + 1))
}

/// The lines of a source, each with whether it belongs to a directive.
fn directive_lines(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut goes_on = false;
    text.lines().map(move |line| {
        let is_directive = goes_on || line.trim_start().starts_with("#pragma");
        goes_on = is_directive && line.ends_with('\\');
        (line, is_directive)
    })
}

/// A source's clauses, and those that its comments call wrong.
fn clauses(text: &str) -> Vec<Clause> {
    let of = |line: u32, text: &str, kind: Kind| {
        let (first, last) = place(text)?;
        let depth = text[first..last - 1].trim_start_matches("collapse(").trim().parse().ok()?;
        Some(Clause { line, depth, kind })
    };
    let numbered = (1..).zip(directive_lines(text));
    let found = numbered.filter_map(|(line, (text, is_directive))| match text.trim_start().strip_prefix(WRONG) {
        Some(wrong) => of(line + 1, wrong, Kind::Wrong),
        None if is_directive => of(line, text, Kind::Written),
        None => None,
    });
    found.collect()
}

/// A source without its collapse clauses, line by line.
fn without_clauses(text: &str) -> String {
    let lines = directive_lines(text).map(|(line, is_directive)| match place(line).filter(|_| is_directive) {
        Some((first, last)) => format!("{}{}\n", &line[..first], &line[last..]),
        None => format!("{line}\n"),
    });
    lines.collect()
}

/// A source with the clauses that its comments call wrong, line by line.
fn with_wrong_clauses(text: &str) -> String {
    let mut wrong: Option<&str> = None;
    let lines = text.lines().map(|line| {
        let clause = wrong.take();
        if let Some(comment) = line.trim_start().strip_prefix(WRONG) {
            wrong = place(comment).map(|(first, last)| &comment[first..last]);
        }
        match clause {
            Some(clause) => match line.strip_suffix('\\') {
                Some(front) => format!("{front} {clause} \\\n"),
                None => format!("{line} {clause}\n"),
            },
            None => format!("{line}\n"),
        }
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::{Clause, Kind, clauses, with_wrong_clauses, without_clauses};

    const TEXT: &str = "// collapse(3)\n#pragma omp target \\\n    collapse( 2 ) map(x)\nfor (;;) collapse(4);\n\
        // wrong: collapse(3): rows meet\n#pragma omp target \\\n    map(y)\n";

    #[test]
    fn clauses_of_directives_are_found() {
        let expected =
            [Clause { line: 3, depth: 2, kind: Kind::Written }, Clause { line: 6, depth: 3, kind: Kind::Wrong }];
        assert_eq!(clauses(TEXT), expected);
    }

    #[test]
    fn clauses_alone_are_taken_out() {
        assert_eq!(without_clauses(TEXT), TEXT.replace("collapse( 2 )", ""));
    }

    #[test]
    fn wrong_clauses_are_put_in() {
        let expected = TEXT.replace("target \\\n    map(y)", "target  collapse(3) \\\n    map(y)");
        assert_eq!(with_wrong_clauses(TEXT), expected);
    }
}
