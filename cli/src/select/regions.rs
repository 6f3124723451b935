//! Which regions are wanted, by their names.

use std::collections::BTreeSet;

use clap::Args;
use ipda_models::report::{Region, Reject, Report};

/// Names of regions and of files.
#[derive(Args, Debug, Clone, Default)]
pub struct Wanted {
    /// Only regions in this function (`scale` is also A::scale), at this line, or at this place (FILE:LINE); can be given several times.
    #[arg(long, value_name = "FUNCTION|LINE|FILE:LINE", help_heading = "What to show")]
    region: Vec<String>,
    /// Only regions in source files whose path contains this; can be given several times.
    #[arg(long, value_name = "PART", help_heading = "What to show")]
    file: Vec<String>,
}

impl Wanted {
    /// Whether it leaves out anything.
    pub fn filters(&self) -> bool {
        !self.region.is_empty() || !self.file.is_empty()
    }

    /// Whether a region is wanted.
    pub fn keeps(&self, region: &Region) -> bool {
        (self.region.is_empty() || self.region.iter().any(|name| is_named(region, name))) && self.keeps_file_of(region)
    }

    /// Whether what is not understood is wanted: it is no region's.
    pub fn keeps_reject(&self, reject: &Reject) -> bool {
        let file = reject.location.as_ref().map(|location| &location.file[..]);
        self.region.is_empty() && (self.file.is_empty() || file.is_some_and(|file| self.names_file(file)))
    }

    /// The names, none of which a report had so far.
    pub fn unseen(&self) -> Unseen {
        Unseen { regions: self.region.clone(), files: self.file.clone(), wanted: self.clone(), known: BTreeSet::new() }
    }

    fn keeps_file_of(&self, region: &Region) -> bool {
        self.file.is_empty() || self.names_file(&region.location.file)
    }

    fn names_file(&self, file: &str) -> bool {
        self.file.iter().any(|part| file.contains(part.as_str()))
    }
}

/// Names that nothing in the reports had so far.
pub struct Unseen {
    regions: Vec<String>,
    files: Vec<String>,
    wanted: Wanted,
    /// Functions that have regions.
    known: BTreeSet<String>,
}

/// Functions that are kept for a person who has misspelt one.
const MAX_KNOWN: usize = 12;

impl Unseen {
    /// Drops the names that a report has, before it is narrowed.
    pub fn see(&mut self, report: &Report) {
        if !self.regions.is_empty() {
            self.known.extend(report.regions.iter().map(|region| region.function.clone()));
            while self.known.len() > MAX_KNOWN + 1 {
                self.known.pop_last();
            }
        }
        let regions = || report.regions.iter().filter(|region| self.wanted.keeps_file_of(region));
        self.regions.retain(|name| !regions().any(|region| is_named(region, name)));
        let of_rejects = report.rejects.iter().filter_map(|reject| reject.location.as_ref());
        let places = report.regions.iter().map(|region| &region.location).chain(of_rejects);
        let files: Vec<&str> = places.map(|place| &place.file[..]).chain([&report.source[..]]).collect();
        self.files.retain(|part| !files.iter().any(|file| file.contains(part.as_str())));
    }

    /// A sentence for each name that is left.
    pub fn sentences(&self) -> Vec<String> {
        let in_files = if self.wanted.file.is_empty() { "" } else { ", in the files asked for" };
        let mut known: Vec<&str> = self.known.iter().take(MAX_KNOWN).map(String::as_str).collect();
        if self.known.len() > MAX_KNOWN {
            known.push("and others");
        }
        let known = if known.is_empty() { String::new() } else { format!("; there are: {}", known.join(", ")) };
        let regions =
            self.regions.iter().map(move |name| format!("--region {name}: no region has this name{in_files}{known}"));
        let files = self.files.iter().map(|part| format!("--file {part}: no report is of such a file"));
        regions.chain(files).collect()
    }
}

/// Whether a name that the user gives is that of a region: of its function, its line, or its place.
fn is_named(region: &Region, name: &str) -> bool {
    let line = region.location.line.to_string();
    let is_place =
        |(file, at): (&str, &str)| !file.is_empty() && at == line && is_same_file(file, &region.location.file);
    name == line || is_function(name, &region.function) || name.rsplit_once(':').is_some_and(is_place)
}

/// Whether a name is that of a function, whole or without what stands before some `::`: `scale` is one of `Field<float, 3>::scale`.
fn is_function(name: &str, function: &str) -> bool {
    let mut depth = 0_usize;
    let begins = |(at, letter): (usize, char)| {
        match letter {
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && function[at..].starts_with("::") => return Some(at + 2),
            _ => {}
        }
        None
    };
    // What stands in brackets belongs to what is before them: `scale` is not one of `apply<A::scale>`.
    name == function || function.char_indices().filter_map(begins).any(|at| function[at..] == *name)
}

/// Whether two paths may name one file: one ends as the other, whole folders compared.
pub fn is_same_file(a: &str, b: &str) -> bool {
    let parts = |path: &str| -> Vec<String> {
        let parts = path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != "." && *part != "..");
        parts.rev().map(str::to_owned).collect()
    };
    let (a, b) = (parts(a), parts(b));
    !a.is_empty() && !b.is_empty() && a.iter().zip(&b).all(|(a, b)| a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_known_by_its_last_names() {
        for name in ["scale", "Field<float, 3>::scale", "ns::Field<float, 3>::scale"] {
            assert!(is_function(name, "ns::Field<float, 3>::scale"), "{name}");
        }
        for name in ["cale", "Field", "Field<float, 3>", "ns", "", ":scale"] {
            assert!(!is_function(name, "ns::Field<float, 3>::scale"), "{name}");
        }
        assert!(!is_function("scale>", "apply<A::scale>"));
        assert!(is_function("scale", "(anonymous namespace)::scale"));
        assert!(is_function("operator()", "main::{lambda(int)#1}::operator()"));
    }

    #[test]
    fn a_file_is_known_by_the_end_of_its_path() {
        assert!(is_same_file("gemm.c", "src/gemm.c"));
        assert!(is_same_file("../src/gemm.c", "/home/x/src/gemm.c"));
        assert!(!is_same_file("other/gemm.c", "src/gemm.c"));
        assert!(!is_same_file("mm.c", "src/gemm.c"));
        assert!(!is_same_file("", "gemm.c"));
    }
}
