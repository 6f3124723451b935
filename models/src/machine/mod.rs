//! From hardware descriptions to what the models know of a machine.
//!
//! Every value that a description marks as an estimate, or that nobody has verified, becomes a [`Rest`] of the machine, and so does every
//! rule that stands in for a value that is not known. A prediction repeats those that it used.

mod cpu;
mod gpu;
mod link;

use std::collections::BTreeSet;

use ipda_hwdb::{Kind, Missing};
use thiserror::Error;

use crate::estimate::Assumption;
use crate::report::InstructionClass;

pub use cpu::{cpu_machine, liao_chapman_parameters};
pub use gpu::{gpu_machine, hong_kim_parameters, runtime_device};
pub use link::link;

/// A machine as a model takes it, and what that rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct Described<T> {
    /// The model's parameters.
    pub machine: T,
    /// What they rest on, beside facts and measurements.
    pub rests: Vec<Rest>,
}

/// Something that a machine's parameters rest on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rest {
    /// The description's name, such as `h200`.
    pub device: String,
    /// The key, such as `memory.l2_latency`.
    pub key: String,
    /// In a sentence: the value and where it comes from, or the rule that stands in for it.
    pub text: String,
    /// How sure it is.
    pub sureness: Sureness,
    /// What uses it.
    pub needed_for: NeededFor,
}

/// How sure a parameter is that is neither a fact nor measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sureness {
    /// The description calls it an estimate.
    Estimate,
    /// The description says that nobody has looked it up.
    Unverified,
    /// The description has none, and a rule stands in.
    Rule,
}

/// What uses a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NeededFor {
    /// Every prediction.
    All,
    /// Work with instructions of the class.
    Class(InstructionClass),
    /// Work with a dynamic schedule.
    DynamicSchedule,
    /// Work with barriers.
    Barriers,
    /// Work that updates a place atomically more than once.
    Updates,
    /// A reduction across teams.
    TeamReduction,
    /// More threads than cores.
    SharedCores,
    /// Data in memory that is not pinned.
    Pageable,
    /// Data in pinned memory.
    Pinned,
    /// Data that is new on the device.
    Allocation,
}

/// A description lacks what a model needs.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{device} has no `{key}` ({reason}), which the prediction needs; {remedy}")]
pub struct MachineError {
    /// The description's name.
    pub device: String,
    /// The key.
    pub key: String,
    /// Why there is no value.
    pub reason: String,
    /// What a person can do.
    pub remedy: String,
}

/// Reads values and notes what they rest on.
pub(crate) struct Reader<'a> {
    device: &'a str,
    needed_for: NeededFor,
    rests: Vec<Rest>,
}

impl<'a> Reader<'a> {
    fn new(device: &'a str) -> Reader<'a> {
        Reader { device, needed_for: NeededFor::All, rests: Vec::new() }
    }

    /// What is read next is needed for that alone.
    fn only_for(&mut self, needed_for: NeededFor) {
        self.needed_for = needed_for;
    }

    fn note(&mut self, key: &str, text: String, sureness: Sureness) {
        let rest = Rest { device: self.device.into(), key: key.into(), text, sureness, needed_for: self.needed_for };
        if !self.rests.contains(&rest) {
            self.rests.push(rest);
        }
    }

    fn used(&mut self, key: &str, assumption: Option<String>, kind: Kind) {
        if let Some(text) = assumption {
            self.note(key, text, if kind == Kind::Estimate { Sureness::Estimate } else { Sureness::Unverified });
        }
    }

    /// A rule that stands in for a value.
    fn rule(&mut self, key: &str, text: impl Into<String>) {
        self.note(key, text.into(), Sureness::Rule);
    }

    fn missing(&self, missing: &Missing) -> MachineError {
        MachineError {
            device: self.device.to_owned(),
            key: missing.key.clone(),
            reason: missing.reason.clone(),
            remedy: format!(
                "describe it in a YAML file with `based_on: {}` and give that file's path (docs/hardware.md)",
                self.device
            ),
        }
    }

    fn finish<T>(self, machine: T) -> Described<T> {
        Described { machine, rests: self.rests }
    }
}

/// The number of a value that may be missing, as `Option`.
macro_rules! known {
    ($reader:expr, $value:expr) => {
        match &$value {
            Ok(value) => {
                $reader.used(value.key(), value.assumption(), value.kind());
                Some(value.get().get())
            }
            Err(_) => None,
        }
    };
}

/// The number of a value that must be there, else the function returns the error.
macro_rules! needed {
    ($reader:expr, $value:expr) => {
        match $crate::machine::known!($reader, $value) {
            Some(number) => number,
            None => match &$value {
                Err(missing) => return Err($reader.missing(missing)),
                Ok(_) => unreachable!("a value that is there was read"),
            },
        }
    };
}

pub(crate) use {known, needed};

/// Adds the rests that work with these needs uses, each value once.
pub(crate) fn add_used(all: &mut Vec<Rest>, rests: &[Rest], needs: &BTreeSet<NeededFor>) {
    for rest in rests.iter().filter(|rest| rest.needed_for == NeededFor::All || needs.contains(&rest.needed_for)) {
        add(all, rest);
    }
}

/// Adds a rest unless its value is there already, for whatever use.
pub fn add(all: &mut Vec<Rest>, rest: &Rest) {
    let is_same = |other: &Rest| other.device == rest.device && other.key == rest.key && other.text == rest.text;
    if !all.iter().any(is_same) {
        all.push(rest.clone());
    }
}

/// One line for each kind of rest and device, that names the values; details are in the rests. Rules are reported one by one.
pub fn in_short(rests: &[Rest]) -> Vec<Assumption> {
    let mut lines = Vec::new();
    let mut devices: Vec<&str> = Vec::new();
    for rest in rests {
        if !devices.contains(&rest.device.as_str()) {
            devices.push(&rest.device);
        }
    }
    for device in devices {
        for (sureness, are) in [
            (Sureness::Estimate, "estimates"),
            (Sureness::Unverified, "stated from documents that nobody has looked up"),
        ] {
            let mut keys: Vec<&str> = Vec::new();
            for rest in rests.iter().filter(|rest| rest.device == device && rest.sureness == sureness) {
                if !keys.contains(&rest.key.as_str()) {
                    keys.push(&rest.key);
                }
            }
            if !keys.is_empty() {
                lines.push(Assumption(format!("of {device} these are {are}: {}", keys.join(", "))));
            }
        }
        for rest in rests.iter().filter(|rest| rest.device == device && rest.sureness == Sureness::Rule) {
            let line = Assumption(format!("{device}: {}", rest.text));
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}
