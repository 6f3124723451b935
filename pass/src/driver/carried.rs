//! What one phase of a module's compilation leaves for a later one. The optimiser runs in between, and the plugin's passes are separate calls
//! from it; a thread compiles one module at a time.

use crate::analysis::finished::SourceRegion;
use crate::decision::table::Waiting;
use ipda_models::predict::Machines;
use ipda_models::report::Report;
use std::cell::RefCell;
use std::path::PathBuf;

/// What the start leaves for the end.
pub(super) struct Started {
    /// The report, where somebody reads it, and the file or folder that it was written to.
    pub report: Option<(Report, Option<PathBuf>)>,
    /// The report's regions, as the finished code is known by.
    pub sources: Vec<SourceRegion>,
    /// The regions whose tables are not finished.
    pub waiting: Vec<Waiting>,
    /// The machines that they are predicted for, or why there are none.
    pub machines: Result<Machines, String>,
    /// Whether loops carry numbers.
    pub is_numbered: bool,
}

impl Default for Started {
    fn default() -> Started {
        Started {
            report: None,
            sources: Vec::new(),
            waiting: Vec::new(),
            machines: Err("no region was launched".into()),
            is_numbered: false,
        }
    }
}

enum Carried {
    Nothing,
    Started(Box<Started>),
    /// What the end found of the code, as text, for whoever prints it.
    Finished(String),
}

thread_local! {
    static CARRIED: RefCell<Carried> = const { RefCell::new(Carried::Nothing) };
}

/// Another module's compilation begins.
pub(super) fn forget() {
    CARRIED.set(Carried::Nothing);
}

/// The start ends.
pub(super) fn start(started: Started) {
    CARRIED.set(Carried::Started(Box::new(started)));
}

/// What the start left; nothing where there was none.
pub(super) fn started() -> Started {
    match CARRIED.replace(Carried::Nothing) {
        Carried::Started(started) => *started,
        Carried::Nothing | Carried::Finished(_) => Started::default(),
    }
}

/// The end ends, and found what this text says.
pub(super) fn finish(text: String) {
    CARRIED.set(Carried::Finished(text));
}

/// What the end found.
pub(super) fn finished() -> Option<String> {
    CARRIED.with_borrow(|carried| match carried {
        Carried::Finished(text) => Some(text.clone()),
        Carried::Nothing | Carried::Started(_) => None,
    })
}
