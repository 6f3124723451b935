//! Sums over regions and files.

use ipda_models::report::{Access, Class, Lanes, MemoryKind, Region, RegionKind, Report};
use ipda_models::sizes::Sizes;

use super::cost::{Basis, Cost};
use super::values::{NoNames, Values};
use crate::words::{and, counted, grouped, percent_text};

/// Transactions of one memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traffic {
    /// Beyond those that would do.
    pub excess: f64,
    /// All.
    pub all: f64,
    /// Accesses that are in neither.
    pub open: Open,
    /// Whether all of it holds for sure.
    pub basis: Basis,
}

/// Accesses that are not counted, by the reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Open {
    /// The program's data decide.
    by_data: u64,
    /// The analysis does not understand them.
    not_understood: u64,
    /// Their sectors differ from iteration to iteration, or no expression says what they are.
    without_number: u64,
}

impl Open {
    /// All of them.
    pub fn all(self) -> u64 {
        self.by_data + self.not_understood + self.without_number
    }

    fn add(&mut self, other: Open) {
        self.by_data += other.by_data;
        self.not_understood += other.not_understood;
        self.without_number += other.without_number;
    }

    fn add_class(&mut self, class: Class) {
        match class {
            Class::DataDependent => self.by_data += 1,
            Class::Unknown => self.not_understood += 1,
            _ => self.without_number += 1,
        }
    }

    /// `2 accesses that data decide and 1 access that is not understood`.
    fn words(self) -> String {
        let is_are = if self.not_understood == 1 { "is" } else { "are" };
        let parts = [
            (self.by_data, "that data decide".to_owned()),
            (self.not_understood, format!("that {is_are} not understood")),
            (self.without_number, "whose sectors are not one number".to_owned()),
        ];
        let said = parts.iter().filter(|(count, _)| *count > 0);
        and(&said.map(|(count, why)| format!("{} {why}", counted(*count, "access"))).collect::<Vec<_>>())
    }
}

impl Default for Traffic {
    fn default() -> Traffic {
        Traffic { excess: 0.0, all: 0.0, open: Open::default(), basis: Basis::Exact }
    }
}

impl Traffic {
    fn add_cost(&mut self, cost: &Cost) {
        match (cost.excess(), cost.all()) {
            (Some(excess), Some(all)) => {
                self.excess += excess;
                self.all += all;
                if cost.basis() == Basis::Assumed {
                    self.basis = Basis::Assumed;
                }
            }
            // What never runs needs no count.
            _ if cost.runs == 0.0 && cost.runs_basis == Basis::Exact => {}
            _ => self.open.add_class(cost.class),
        }
    }

    fn add(&mut self, other: &Traffic) {
        self.excess += other.excess;
        self.all += other.all;
        self.open.add(other.open);
        if other.basis == Basis::Assumed {
            self.basis = Basis::Assumed;
        }
    }

    /// The excess as a part of all, in percent; none where nothing is counted.
    pub fn percent(&self) -> Option<f64> {
        (self.all > 0.0).then(|| 100.0 * self.excess / self.all)
    }

    /// `1,234 excessive sectors (56 % of 2,200)`.
    pub fn sentence(&self, noun: &str) -> String {
        let Some(percent) = self.percent() else {
            return if self.open == Open::default() { format!("no {noun}") } else { format!("no {noun} counted") };
        };
        if self.excess <= 0.0 {
            return format!("no excessive {noun} (of {})", grouped(self.all));
        }
        format!("{} excessive {noun} ({} % of {})", grouped(self.excess), percent_text(percent), grouped(self.all))
    }
}

/// What a set of regions has.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Totals {
    /// Report files.
    pub files: u64,
    /// Regions and kernels.
    pub regions: u64,
    /// Of these, kernels: how many warps they have, the launch decides, so that what they cost is counted for one.
    pub kernels: u64,
    /// Regions whose loops the plugin changed.
    pub changed: u64,
    /// Accesses by class, in the order of [`super::CLASSES`].
    by_class: [u64; super::CLASSES.len()],
    /// Global memory.
    pub sectors: Traffic,
    /// Shared memory.
    pub passes: Traffic,
    /// Conditions that divide every warp.
    pub divergent: u64,
    /// Parts that were not understood.
    pub rejects: u64,
}

impl Totals {
    /// Of one region.
    pub fn of_region(region: &Region, report: &Report, values: &Values) -> Totals {
        let mut totals = Totals { regions: 1, ..Totals::default() };
        for access in &region.accesses {
            totals.add_access(access, &Cost::of(access, region, &report.hardware, values));
        }
        totals.kernels = u64::from(region.kind == RegionKind::Kernel);
        totals.changed = u64::from(region.transformation.as_ref().is_some_and(|change| change.made().next().is_some()));
        let divides = |branch: &&ipda_models::report::Branch| matches!(branch.lanes, Lanes::Fixed { .. });
        totals.divergent = region.branches.iter().filter(divides).count() as u64;
        totals.rejects = region.rejects.len() as u64;
        totals
    }

    /// What belongs to a file and none of its regions.
    pub fn of_file(report: &Report) -> Totals {
        Totals { files: 1, rejects: report.rejects.len() as u64, ..Totals::default() }
    }

    fn add_access(&mut self, access: &Access, cost: &Cost) {
        if let Some(at) = super::CLASSES.iter().position(|&class| class == cost.class) {
            self.by_class[at] += 1;
        }
        match access.memory {
            MemoryKind::Global => self.sectors.add_cost(cost),
            MemoryKind::Shared => self.passes.add_cost(cost),
        }
    }

    /// Adds what others have.
    pub fn add(&mut self, other: &Totals) {
        self.files += other.files;
        self.regions += other.regions;
        self.kernels += other.kernels;
        self.changed += other.changed;
        for (sum, count) in self.by_class.iter_mut().zip(other.by_class) {
            *sum += count;
        }
        self.sectors.add(&other.sectors);
        self.passes.add(&other.passes);
        self.divergent += other.divergent;
        self.rejects += other.rejects;
    }

    /// Accesses of a class.
    pub fn of_class(&self, class: Class) -> u64 {
        super::CLASSES.iter().position(|&each| each == class).map_or(0, |at| self.by_class[at])
    }

    /// All accesses.
    pub fn accesses(&self) -> u64 {
        self.by_class.iter().sum()
    }

    /// The classes that occur, with their counts.
    pub fn classes(&self) -> impl Iterator<Item = (Class, u64)> + '_ {
        super::CLASSES.into_iter().zip(self.by_class).filter(|(_, count)| *count > 0)
    }

    /// The traffic of both memories, and what it is counted for.
    pub fn traffic_sentence(&self) -> String {
        let mut sentence = self.sectors.sentence("sectors");
        if self.passes.all > 0.0 {
            sentence += &format!(", {} of shared memory", self.passes.sentence("passes"));
        }
        sentence += match (self.regions, self.kernels) {
            (1, 0) => " in a launch",
            (1, _) => " for each warp of a launch",
            (_, 0) => " in one launch of each region",
            (_, _) => " in one launch of each region, of a kernel for one warp",
        };
        let mut open = self.sectors.open;
        open.add(self.passes.open);
        if open.all() > 0 {
            sentence += &format!("; not in it: {}", open.words());
        }
        sentence
    }

    /// `128 for m and n`, where figures rest on sizes that nobody gave.
    pub fn sizes_of_figures(&self, values: &Values) -> Option<String> {
        if self.sectors.basis == Basis::Exact && self.passes.basis == Basis::Exact {
            return None;
        }
        /// More names say no more.
        const MAX_NAMED: usize = 3;
        let missing: Vec<String> = values.missing().iter().map(|name| name.to_string()).collect();
        let names = match missing.len() {
            0 => "what is not known".to_owned(),
            count if count > MAX_NAMED => "all sizes".to_owned(),
            _ => and(&missing),
        };
        Some(format!("{} for {names}", Sizes::Counted.value()))
    }

    /// What figures rest on, where values were missing.
    pub fn basis_sentence(&self, values: &Values) -> Option<String> {
        if self.sectors.basis == Basis::Exact && self.passes.basis == Basis::Exact {
            return None;
        }
        /// So many names are enough to know what to give.
        const MAX_NAMED: usize = 8;
        let missing = values.missing();
        let mut names: Vec<&str> = missing.iter().take(MAX_NAMED).map(String::as_str).collect();
        let more = format!("and {} more", missing.len().saturating_sub(MAX_NAMED));
        if missing.len() > MAX_NAMED {
            names.push(&more);
        }
        let given = match &names[..] {
            [] => String::new(),
            names => format!("; give the values that are known with -D NAME=VALUE: {}", names.join(", ")),
        };
        Some(format!(
            "sizes that are not known count {}, and so do the iterations of a loop of unknown length{given}",
            Sizes::Counted.value()
        ))
    }
}

/// The sectors of a warp for one iteration of the parallel loop, and how many accesses are not in it. What is constant is in the report;
/// with given values the sum is a number, and has in it what they make known of `accesses`, which are counted as written.
pub fn per_iteration<'a>(
    region: &Region,
    accesses: impl Iterator<Item = (&'a Access, &'a Cost)>,
    values: &Values,
) -> (Option<String>, u64) {
    let totals = &region.totals;
    let number = |text: &Option<String>| values.exact(text.as_deref()?, &NoNames);
    let Some(constant) = number(&totals.sectors) else {
        return (totals.sectors.clone(), totals.without_count.into());
    };
    let is_added = |access: &Access| access.sectors.is_none() && access.memory == MemoryKind::Global;
    let added: Vec<i128> = accesses
        .filter(|(access, _)| is_added(access))
        .filter_map(|(access, cost)| number(&access.executions.value)?.checked_mul(cost.known_charge()?.into()))
        .collect();
    let without = u64::from(totals.without_count).saturating_sub(added.len() as u64);
    let sum = added.into_iter().fold(constant, i128::saturating_add);
    (Some(sum.to_string()), without)
}
