//! Decision tables: what the compiler knows of a region that a launch, a person, or the library that finds machines needs to know.
//!
//! The plugin puts one for each region into the object, where they lie one after the other in a section of their own.

mod bits;
mod bytes;
mod keys;
mod program;
mod region;
mod seconds;
mod show;

use ipda_symbolic::{Signedness, in_words};
use serde::{Deserialize, Serialize};

use crate::form::{Form, Leaf, Place};
use crate::versions::VersionId;

pub use bytes::{Bytes, Placed, TableError};
pub use program::{MAX_SLOTS, Program};
pub use region::{MEMORY, Region};
pub use seconds::{DEVICE, HOST, SQUARES, Seconds, TRANSFERS, WEIGHED};

/// The section of an object that holds the tables.
pub const SECTION: &str = "ipda.table";

/// Versions have ids below this: a decision has 6 bits for them.
pub const MAX_VERSIONS: u8 = 64;

/// What is known of one region.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The function in the source that holds the region.
    pub function: String,
    /// Its file.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// The kernel's name in the device's image.
    pub kernel: String,
    /// Whether the host may run it although a device is there.
    pub on_host: Result<Allowed, Forbidden>,
    /// What can run, besides the host's version. Predictions and launches know each by its place.
    pub versions: Vec<Version>,
    /// The machines that stand in until others are found.
    pub machines: MachineNames,
    /// How long it takes, or why nobody can tell.
    pub prediction: Result<Prediction, String>,
}

impl Table {
    /// The region for people, such as `gemm at gemm.c:12`.
    pub fn title(&self) -> String {
        title(&self.function, &self.file, self.line)
    }
}

/// A region for people.
pub fn title(function: &str, file: &str, line: u32) -> String {
    format!("{function} at {file}:{line}")
}

/// The host may run a region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowed {
    /// The entries of the launch's arrays that must have a size and must not be on the device.
    pub entries: Vec<u32>,
}

/// The host may not run a region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forbidden {
    /// The reason's stable name.
    pub name: String,
    /// The reason as a sentence.
    pub reason: String,
}

/// A version of a region's loops on the device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// By which people ask for it.
    pub id: VersionId,
    /// In words.
    pub name: String,
    /// What the kernel tests before it takes this version; otherwise it takes the first one.
    pub guard: Vec<String>,
}

/// Names of hardware descriptions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineNames {
    /// The device.
    pub gpu: String,
    /// The host.
    pub cpu: String,
    /// What connects them.
    pub link: String,
}

/// How long a region takes, as a function of what its launch knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// What is computed: the seconds on the host, those of transfers, those on the host as they are weighed, the squares of both spreads' logarithms, and for each of `versions` the seconds on the device, with launch and transfers.
    #[serde(skip)]
    pub form: Form,
    /// The places of the versions that a launch may take, the lowest first. One that only the kernel's guard chooses has no result of its own.
    #[serde(skip)]
    pub versions: Vec<VersionId>,
    /// Where the launch carries the variables that the form needs, in the order of its leaves.
    #[serde(skip)]
    pub captured: Vec<Carried>,
    /// What was assumed.
    pub notes: Vec<String>,
}

/// A variable that a launch carries by value, the size of what it maps, or what it finds in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// Its name in the form.
    pub name: String,
    /// Which entry of the launch's arrays holds its bits, has the size, or leads to it.
    pub entry: u32,
    /// How they are read.
    pub reading: Reading,
}

impl Carried {
    /// Its name for people: `n[0]`, `g->ny` of what is in memory.
    pub fn words(&self) -> String {
        in_words(&self.name)
    }
}

/// How the bits of a variable are read as a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// The lowest so many are an integer with a sign.
    Signed(u8),
    /// The lowest so many are a natural number.
    Natural(u8),
    /// The lowest 32 are a float.
    Float,
    /// All are a double.
    Double,
    /// They are not read: the number is the entry's bytes, as the launch's array of sizes has them.
    Size,
    /// No entry is read: the number is that of the iterations that the launch asks for.
    Trips,
    /// The entry is an address: so many bytes behind it stands an integer of so many bytes. It is read where the launch maps these bytes to the device, which
    /// does not have them yet; else the number is [`UNREAD`].
    Memory {
        /// From the address on.
        offset: i16,
        /// Of the integer: 1, 2, 4 or 8.
        bytes: u8,
        /// Whether it has a sign.
        signedness: Signedness,
    },
}

/// The number of what a launch does not find in memory.
pub const UNREAD: f64 = i64::MIN as f64;

impl Reading {
    /// The number that an entry's bits are, its size, or what was found in memory.
    pub fn number(self, entry: u64) -> f64 {
        const WORD: u8 = 64;
        let unused = |bits: u8| u32::from(WORD.saturating_sub(bits)).min(u64::BITS - 1);
        match self {
            Reading::Signed(bits) => ((entry << unused(bits)) as i64 >> unused(bits)) as f64,
            Reading::Natural(bits) => (entry << unused(bits) >> unused(bits)) as f64,
            Reading::Float => f64::from(f32::from_bits(entry as u32)),
            Reading::Double => f64::from_bits(entry),
            Reading::Size | Reading::Memory { .. } => entry as i64 as f64,
            Reading::Trips => entry as f64,
        }
    }
}

impl Prediction {
    /// What the form keeps for launches, computed for machines with these parameters; none where one is not known.
    pub fn prepared(&self, machine: impl Fn(&str) -> Option<f64>) -> Option<Vec<f64>> {
        let is_known = |leaf: &Leaf| !matches!(leaf, Leaf::Machine(key) if machine(key).is_none());
        if !self.form.leaves().iter().all(is_known) {
            return None;
        }
        let values = self.form.values(|leaf| match leaf {
            Leaf::Machine(key) => machine(key),
            Leaf::Captured(_) | Leaf::HostThreads => None,
        });
        Some(self.form.prepared().into_iter().map(|place: Place| values[place as usize]).collect())
    }

    /// The results for a launch with these entries, sizes and iterations, on machines with these parameters, that finds nothing in memory.
    pub fn evaluate(
        &self,
        machine: impl Fn(&str) -> Option<f64>,
        entries: &[u64],
        sizes: &[u64],
        trips: u64,
        threads: f64,
    ) -> Vec<f64> {
        let captured = |name: &String| {
            let carried = self.captured.iter().find(|carried| carried.name == *name)?;
            let from = match carried.reading {
                Reading::Trips => return Some(carried.reading.number(trips)),
                Reading::Memory { .. } => return Some(UNREAD),
                Reading::Size => sizes,
                _ => entries,
            };
            Some(carried.reading.number(*from.get(carried.entry as usize)?))
        };
        self.form.evaluate(|leaf| match leaf {
            Leaf::Machine(key) => machine(key),
            Leaf::Captured(name) => captured(name),
            Leaf::HostThreads => Some(threads),
        })
    }

    /// What results for a launch say; none where some are missing.
    pub fn seconds(&self, results: &[f64]) -> Option<Seconds> {
        Seconds::of(results, &self.versions)
    }

    /// Whether the form can be computed: its steps are in order, it has the results, and all its variables are carried, in its order.
    fn is_sound(&self) -> bool {
        let named = self.form.leaves().iter().filter_map(|leaf| match leaf {
            Leaf::Captured(name) => Some(name),
            Leaf::Machine(_) | Leaf::HostThreads => None,
        });
        let is_width = |carried: &Carried| match carried.reading {
            Reading::Signed(bits) | Reading::Natural(bits) => (1..=64).contains(&bits),
            Reading::Memory { bytes, .. } => bytes.is_power_of_two() && bytes <= 8,
            Reading::Float | Reading::Double | Reading::Size | Reading::Trips => true,
        };
        self.form.is_sound()
            && self.has_right_versions()
            && self.form.results().len() == DEVICE + self.versions.len()
            && named.eq(self.captured.iter().map(|carried| &carried.name))
            && self.captured.iter().all(is_width)
    }

    fn has_right_versions(&self) -> bool {
        let is_id = |version: &VersionId| version.number() < MAX_VERSIONS;
        !self.versions.is_empty() && self.versions.is_sorted_by(|a, b| a < b) && self.versions.iter().all(is_id)
    }
}
