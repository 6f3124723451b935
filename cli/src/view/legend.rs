//! What the words in the tables mean; only those that were used.

use ipda_models::report::{Access, Class, Region, Report, StrideKind};

use super::page::{Detail, Text, Tone};
use super::words::{CLASSES, class_meaning};

const LABEL: usize = 16;

/// Writes the legend, if there is anything to explain.
pub fn write(out: &mut Text, reports: &[Report]) {
    let accesses: Vec<&Access> =
        reports.iter().flat_map(|report| &report.regions).flat_map(|region| &region.accesses).collect();
    if accesses.is_empty() {
        return;
    }
    out.line(Tone::Bold, "What the words mean");
    let mut entry = |word: &str, meaning: &str| out.labelled(2, LABEL, word, Tone::Plain, meaning);
    entry("warp", "threads that execute together; their accesses are served together (AMD: wavefront)");
    entry("sector", "the smallest piece of memory that is moved; each one that a warp touches costs bandwidth");
    entry("bytes", "size of the access of one thread");
    entry("stride", "bytes from the address of one thread to that of the next thread");
    if accesses.iter().any(|access| access.stride.kind == StrideKind::RowEnds) {
        entry("in a row", "the stride but for the threads at which a row of a collapsed loop nest ends");
    }
    entry("sectors", "how many one warp touches: with all arrays aligned to a cache line..in the worst alignment");
    entry("least", "the fewest sectors that could hold the bytes of one warp");
    entry("runs", "how often one thread runs the access for one iteration of its parallel loop");
    entry("[N]", "the value of N when the program runs");
    for each in CLASSES {
        if accesses.iter().any(|access| access.class == each) {
            entry(each.name(), class_meaning(each));
        }
    }
    if accesses.iter().any(|access| access.class == Class::Uncoalesced) {
        entry("!", "uncoalesced");
    }
    if accesses.iter().any(|access| access.sectors.is_none()) {
        entry("?", "not known before the program runs");
    }
    let regions: Vec<&Region> = reports.iter().flat_map(|report| &report.regions).collect();
    if regions.len() > 1 {
        entry("undecided", "data-dependent and unknown accesses");
        if regions.iter().any(|region| !region.rejects.is_empty()) {
            entry("rejects", "parts of a region that were not understood");
        }
    }
    if out.page.detail == Detail::Full {
        out.labelled(
            2,
            LABEL,
            "greedy",
            Tone::Plain,
            "the count of a greedy fit of the addresses into 256-byte requests",
        );
    }
}
