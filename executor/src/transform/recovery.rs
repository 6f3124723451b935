//! Collapse clauses taken out of sources, and whether the plugin finds them again.

use super::pair::Pair;
use super::sectors::{file_name, in_order, table, traffic};
use crate::oracle::Directives;
use std::io::Write;
use std::path::PathBuf;

/// Prints a table with a row for each region with a clause: the sectors that warps touch with the clause, without it, and without it but
/// with the plugin; gives how many are not found again.
pub fn recovery(sources: &[PathBuf], out: &mut dyn Write) -> anyhow::Result<usize> {
    let folder = tempfile::tempdir()?;
    let mut table = table(&["input", "region", "loops in the clause", "with it", "without", "found", "why not"]);
    let (mut clauses, mut lost) = (0, 0);
    for source in sources {
        let text = std::fs::read_to_string(source)?;
        let (stripped, depths) = without_clauses(&text);
        if depths.is_empty() {
            continue;
        }
        let directives = Directives::read(source)?;
        let copy = folder.path().join(file_name(source));
        std::fs::write(&copy, stripped)?;
        let (with, without) = (Pair::compile(source, folder.path())?, Pair::compile(&copy, folder.path())?);
        for (&kernel, &plain) in in_order(&with.original).iter().zip(&in_order(&without.original)) {
            let line = with.original.region(kernel).line;
            // The clause may stand on a line that goes on with the directive's.
            let Some((_, depth)) = depths.iter().find(|(at, _)| (line..line + 3).contains(at)) else { continue };
            let Some(changed) = without.changed_kernel(plain) else { continue };
            let of = |subject, kernel| traffic(subject, kernel, &directives.description);
            let expert = of(&with.original, kernel)?.sectors;
            let before = of(&without.original, plain)?.sectors;
            let after = of(&without.changed, changed)?.sectors;
            clauses += 1;
            lost += usize::from(after > expert);
            let region = with.original.region(kernel);
            table.add_row([
                file_name(source),
                format!("{}:{}", region.function, region.line),
                depth.to_string(),
                expert.to_string(),
                before.to_string(),
                after.to_string(),
                without.outcome(plain).err().unwrap_or_default().to_owned(),
            ]);
        }
    }
    writeln!(out, "{table}\n\n{clauses} clauses, {} found again", clauses - lost)?;
    Ok(lost)
}

/// A source without its collapse clauses, and the lines and numbers of those.
fn without_clauses(text: &str) -> (String, Vec<(u32, u32)>) {
    let (mut stripped, mut found) = (String::new(), Vec::new());
    let mut is_directive = false;
    for (number, line) in text.lines().enumerate() {
        is_directive |= line.trim_start().starts_with("#pragma");
        let clause = line.find("collapse(").filter(|_| is_directive);
        match clause.and_then(|at| Some((at, at + line[at..].find(')')?))) {
            Some((first, last)) => {
                let depth = line[first..last].trim_start_matches("collapse(").trim().parse();
                found.extend(depth.ok().map(|depth| (number as u32 + 1, depth)));
                stripped.push_str(&line[..first]);
                stripped.push_str(&line[last + 1..]);
            }
            None => stripped.push_str(line),
        }
        stripped.push('\n');
        is_directive &= line.ends_with('\\');
    }
    (stripped, found)
}

#[cfg(test)]
mod tests {
    use super::without_clauses;

    #[test]
    fn clauses_alone_are_taken_out() {
        let text = "// collapse(3)\n#pragma omp target \\\n    collapse( 2 ) map(x)\nfor (;;) collapse(4);\n";
        let (stripped, found) = without_clauses(text);
        assert_eq!(found, [(3, 2)]);
        assert_eq!(stripped, "// collapse(3)\n#pragma omp target \\\n     map(x)\nfor (;;) collapse(4);\n");
    }
}
