//! Checking files that people write.

use std::fmt::Write;
use std::path::PathBuf;

use ipda_hwdb::{Device, LoadError};

use super::list::Tally;

/// A line for each file that is right, and everything that is wrong with the others.
pub fn check(files: &[PathBuf]) -> (String, Vec<LoadError>) {
    let mut text = String::new();
    let mut errors = Vec::new();
    for file in files {
        match Device::load(file) {
            Ok(device) => {
                let Tally { facts, measured, unverified, estimates, unknown } = Tally::of(&device);
                let _ = writeln!(
                    text,
                    "{}: {} {}: {facts} facts, {measured} measured, {unverified} unverified, {estimates} estimates, {unknown} unknown",
                    file.display(),
                    device.kind(),
                    device.name(),
                );
            }
            Err(problems) => errors.extend(problems),
        }
    }
    (text, errors)
}
