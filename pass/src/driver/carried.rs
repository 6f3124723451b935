//! What one phase of a module's compilation leaves for a later one. The optimiser runs in between, and the plugin's passes are separate calls
//! from it; a thread compiles one module at a time, and what is left is for that module alone.

use crate::analysis::finished::SourceRegion;
use crate::analysis::finished::marks::SourceNumbers;
use crate::decision::table::Waiting;
use crate::facts::DeviceImage;
use inkwell::module::Module;
use ipda_models::predict::Machines;
use ipda_models::report::Report;
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

/// What the start leaves for the end.
pub(super) struct Started {
    /// The report, where somebody reads it.
    pub report: Option<Reports>,
    /// The report's regions, as the finished code is known by.
    pub sources: Vec<SourceRegion>,
    /// The regions whose tables are not finished.
    pub waiting: Vec<Waiting>,
    /// The machines that they are predicted for, or why there are none.
    pub machines: Result<Machines, String>,
    /// Whether loops carry numbers.
    pub is_numbered: bool,
    /// The devices' finished objects, where they were read.
    pub images: Option<Rc<[DeviceImage]>>,
}

/// A report that somebody reads.
pub(super) struct Reports {
    /// As this compilation sees the regions.
    pub own: Report,
    /// With the devices' word on what their code does, where they have left it.
    pub shown: Option<Report>,
    /// Which kernel each region is.
    pub kernels: Vec<String>,
    /// The file or folder that it was written to.
    pub path: Option<PathBuf>,
}

impl Reports {
    /// Of what nobody reads yet.
    pub(super) fn of_own(own: Report) -> Reports {
        Reports { own, shown: None, kernels: Vec::new(), path: None }
    }

    /// What people read.
    pub(super) fn shown(&self) -> &Report {
        self.shown.as_ref().unwrap_or(&self.own)
    }

    pub(super) fn shown_mut(&mut self) -> &mut Report {
        self.shown.as_mut().unwrap_or(&mut self.own)
    }
}

impl Default for Started {
    fn default() -> Started {
        Started {
            report: None,
            sources: Vec::new(),
            waiting: Vec::new(),
            machines: Err("no region was launched".into()),
            is_numbered: false,
            images: None,
        }
    }
}

enum Carried {
    Nothing,
    /// By which module's start.
    Started(*const (), Box<Started>),
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

/// The start of a module ends, and leaves the numbers of its loops in it.
pub(super) fn start(module: &Module<'_>, started: Started, numbers: Option<SourceNumbers<'_, '_>>) {
    CARRIED.set(Carried::Started(address(module), Box::new(started)));
    if let Some(numbers) = numbers {
        numbers.keep();
    }
}

/// What the start of a module left; nothing where there was none.
pub(super) fn started(module: &Module<'_>) -> Started {
    match CARRIED.replace(Carried::Nothing) {
        Carried::Started(of, started) if of == address(module) => *started,
        _ => Started::default(),
    }
}

/// What tells modules apart that are compiled at one time.
fn address(module: &Module<'_>) -> *const () {
    module.as_mut_ptr().cast_const().cast()
}

/// The end ends, and found what this text says.
pub(super) fn finish(text: String) {
    CARRIED.set(Carried::Finished(text));
}

/// What the end found.
pub(super) fn finished() -> Option<String> {
    CARRIED.with_borrow(|carried| match carried {
        Carried::Finished(text) => Some(text.clone()),
        Carried::Nothing | Carried::Started(..) => None,
    })
}
