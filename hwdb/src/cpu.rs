//! CPUs: what threads share without meaning to.

use std::path::Path;

use serde::Deserialize;

use crate::error::LoadError;
use crate::quantity::{Bytes, Estimate, InBytes, Provenance, Quantity};

/// The built-in entries by architecture, as target triples begin.
const BUILTIN: [(&str, &str); 3] = [
    ("aarch64", include_str!("../entries/cpu/aarch64.yaml")),
    ("powerpc64le", include_str!("../entries/cpu/powerpc64le.yaml")),
    ("x86_64", include_str!("../entries/cpu/x86_64.yaml")),
];

/// The architectures that [`Cpu::of_target`] knows.
pub fn architectures() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}

/// The processors of an architecture, as far as their caches' lines are concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cpu {
    /// The architecture, as target triples begin.
    pub name: String,
    /// In words.
    pub product: String,
    /// What one core takes away from another when it writes; a power of two.
    pub line: Bytes,
    /// Which of these are estimates, and on what basis.
    pub estimates: Vec<Estimate>,
}

impl Cpu {
    /// The processors that a target triple is for. None where no entry is of that architecture.
    pub fn of_target(triple: &str) -> Option<Cpu> {
        let architecture = triple.split('-').next()?;
        let (name, text) = BUILTIN.iter().find(|(name, _)| *name == architecture)?;
        Some(Cpu::parse(text, Path::new(name)).expect("the built-in entries are right"))
    }

    fn parse(text: &str, path: &Path) -> Result<Cpu, LoadError> {
        let entry: Entry = serde_yaml::from_str(text).map_err(|error| LoadError::malformed(path.to_owned(), &error))?;
        let Entry { name, product, line } = entry;
        let estimates = match line.provenance {
            Provenance::Documented => Vec::new(),
            Provenance::Estimated { basis } => vec![Estimate { key: "line", basis }],
        };
        Ok(Cpu { name, product, line: Bytes::new(line.value), estimates })
    }
}

/// The schema of a file in `entries/cpu/`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    product: String,
    line: Quantity<InBytes>,
}
