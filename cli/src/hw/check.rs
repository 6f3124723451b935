//! Checking files that people write.

use std::path::PathBuf;

use ipda_hwdb::{Device, LoadError};

use super::list::Tally;
use crate::document::{Document, Tone};

/// A line for each file that is right, and everything that is wrong with the others.
pub fn check(files: &[PathBuf]) -> (Document, Vec<LoadError>) {
    let mut out = Document::default();
    let mut errors = Vec::new();
    for file in files {
        match Device::load(file) {
            Ok(device) => {
                let Tally { facts, measured, unverified, estimates, unknown } = Tally::of(&device);
                let device = format!("{}: {} {}", file.display(), device.kind(), device.name());
                let counts =
                    format!("{facts} facts, {measured} measured, {unverified} unverified, {estimates} estimates");
                out.line(Tone::Plain, format!("{device}: {counts}, {unknown} unknown"));
            }
            Err(problems) => errors.extend(problems),
        }
    }
    (out, errors)
}
