//! GPUs: what the coalescing of memory accesses depends on.

use std::path::Path;

use serde::Deserialize;

use crate::error::LoadError;
use crate::quantity::{Bytes, Estimate, InBanks, InBytes, InLanes, Provenance, Quantity};

/// The built-in entries by name.
const BUILTIN: [(&str, &str); 2] =
    [("h200", include_str!("../entries/gpu/h200.yaml")), ("mi210", include_str!("../entries/gpu/mi210.yaml"))];

/// The names that [`Gpu::builtin`] takes.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}

/// A GPU, as far as the coalescing of its memory accesses is concerned.
///
/// Invariant: `lanes`, `sector` and `line` are powers of two, and a line is one or more whole sectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gpu {
    /// The entry's name, such as `h200`.
    pub name: String,
    /// The product's name.
    pub product: String,
    /// LLVM's name of the processor, such as `sm_90` or `gfx90a`.
    pub processor: String,
    /// Threads that execute together: NVIDIA's warp, AMD's wavefront.
    pub lanes: u32,
    /// The smallest unit of a memory transaction.
    pub sector: Bytes,
    /// The cache line; the longest one where the levels differ.
    pub line: Bytes,
    /// Banks of the memory that the threads of a team share.
    pub banks: u32,
    /// The word that a bank gives at a time.
    pub bank_word: Bytes,
    /// Which of these are estimates, and on what basis.
    pub estimates: Vec<Estimate>,
}

impl Gpu {
    /// The built-in entry of that name; [`names`] lists them.
    ///
    /// # Errors
    /// [`LoadError::UnknownName`] for any other name.
    pub fn builtin(name: &str) -> Result<Gpu, LoadError> {
        let (_, text) = BUILTIN
            .iter()
            .find(|(known, _)| *known == name)
            .ok_or_else(|| LoadError::UnknownName { name: name.to_owned(), valid: names().collect() })?;
        Gpu::parse(text, Path::new(name))
    }

    /// Reads the description in the file at `path`.
    ///
    /// # Errors
    /// If the file cannot be read or is not a hardware description.
    pub fn load(path: impl AsRef<Path>) -> Result<Gpu, LoadError> {
        let path = path.as_ref();
        let text =
            std::fs::read_to_string(path).map_err(|source| LoadError::Unreadable { path: path.to_owned(), source })?;
        Gpu::parse(&text, path)
    }

    fn parse(text: &str, path: &Path) -> Result<Gpu, LoadError> {
        let entry: Entry = serde_yaml::from_str(text).map_err(|error| LoadError::malformed(path.to_owned(), &error))?;
        if entry.line.value < entry.sector.value {
            return Err(LoadError::Malformed {
                path: path.to_owned(),
                line: 1,
                column: 1,
                expected: format!(
                    "a line of {} bytes is shorter than a sector of {}",
                    entry.line.value, entry.sector.value
                ),
            });
        }
        Ok(entry.into())
    }
}

/// The schema of a file in `entries/gpu/`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    product: String,
    processor: String,
    warp_lanes: Quantity<InLanes>,
    sector: Quantity<InBytes>,
    line: Quantity<InBytes>,
    banks: Quantity<InBanks>,
    bank_word: Quantity<InBytes>,
}

impl From<Entry> for Gpu {
    fn from(entry: Entry) -> Gpu {
        let Entry { name, product, processor, warp_lanes, sector, line, banks, bank_word } = entry;
        let lanes = warp_lanes.value;
        let bytes = |value| Bytes::new(value);
        let (sector_bytes, line_bytes, word_bytes) = (bytes(sector.value), bytes(line.value), bytes(bank_word.value));
        let bank_count = banks.value;
        let provenances = [
            ("warp_lanes", warp_lanes.provenance),
            ("sector", sector.provenance),
            ("line", line.provenance),
            ("banks", banks.provenance),
            ("bank_word", bank_word.provenance),
        ];
        let estimates = provenances
            .into_iter()
            .filter_map(|(key, provenance)| match provenance {
                Provenance::Documented => None,
                Provenance::Estimated { basis } => Some(Estimate { key, basis }),
            })
            .collect();
        Gpu {
            name,
            product,
            processor,
            lanes,
            sector: sector_bytes,
            line: line_bytes,
            banks: bank_count,
            bank_word: word_bytes,
            estimates,
        }
    }
}
