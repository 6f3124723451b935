//! What of a report is compared: little enough that those of a large build fit in memory.

use std::cmp::Ordering;
use std::path::PathBuf;

use ipda_models::report::{Class, Location, MemoryKind, Region, Report};

use super::change::Change;
use crate::input;
use crate::select::cost::{Cost, ancestors};
use crate::select::rows::state;
use crate::select::totals::Totals;
use crate::select::values::Values;
use crate::select::{Query, Unseen};
use crate::words::grouped;

/// One report.
pub struct Digest {
    pub source: String,
    pub target: String,
    pub regions: Vec<DigestRegion>,
    totals: Totals,
}

/// One region.
#[derive(Clone)]
pub struct DigestRegion {
    pub function: String,
    pub location: Location,
    /// What became of its loops.
    pub loops: &'static str,
    pub accesses: Vec<DigestAccess>,
}

/// One access.
#[derive(Clone)]
pub struct DigestAccess {
    kind: &'static str,
    object: String,
    bytes: u64,
    depth: usize,
    memory: MemoryKind,
    location: Option<Location>,
    pub class: Class,
    pub needed: Option<u64>,
    /// Sectors, or passes, beyond the least, in one launch; none where the count is open.
    excess: Option<f64>,
}

/// Reads the reports at `paths`.
pub fn read(
    paths: &[PathBuf],
    query: &Query,
    values: &Values,
    unseen: &mut Unseen,
) -> (Vec<Digest>, Vec<anyhow::Error>) {
    let mut digests = Vec::new();
    let errors = input::for_each(paths, |mut report| {
        unseen.see(&report);
        if query.narrow(&mut report, values) {
            digests.push(Digest::of(&report, values));
        }
    });
    (digests, errors)
}

/// The sums of all.
pub fn totals(digests: &[Digest]) -> Totals {
    let mut totals = Totals::default();
    digests.iter().for_each(|digest| totals.add(&digest.totals));
    totals
}

impl Digest {
    fn of(report: &Report, values: &Values) -> Digest {
        let mut totals = Totals::of_file(report);
        for region in &report.regions {
            totals.add(&Totals::of_region(region, report, values));
        }
        let regions = report.regions.iter().map(|region| DigestRegion::of(region, report, values)).collect();
        Digest { source: report.source.clone(), target: report.target.clone(), regions, totals }
    }
}

impl DigestRegion {
    fn of(region: &Region, report: &Report, values: &Values) -> DigestRegion {
        let access = |access: &ipda_models::report::Access| {
            let cost = Cost::of(access, region, &report.hardware, values);
            DigestAccess {
                kind: access.kind.name(),
                object: access.object.clone(),
                bytes: access.bytes,
                depth: ancestors(access, region).len(),
                memory: access.memory,
                location: access.location.clone(),
                class: cost.class,
                needed: cost.needed,
                excess: cost.excess(),
            }
        };
        DigestRegion {
            function: region.function.clone(),
            location: region.location.clone(),
            loops: region.transformation.as_ref().map_or("", state),
            accesses: region.accesses.iter().map(access).collect(),
        }
    }

    /// The same for regions of which only lines moved.
    pub fn signature(&self) -> (String, Vec<(&'static str, String, u64, usize)>) {
        (self.function.clone(), self.accesses.iter().map(DigestAccess::signature).collect())
    }

    /// The excess of all accesses to one memory in a launch; none where that of one is open.
    pub(super) fn excess(&self, memory: MemoryKind) -> Option<f64> {
        self.accesses.iter().filter(|access| access.memory == memory).map(|access| access.excess).sum()
    }
}

impl DigestAccess {
    /// The same for accesses of which only the place moved.
    pub fn signature(&self) -> (&'static str, String, u64, usize) {
        (self.kind, self.object.clone(), self.bytes, self.depth)
    }

    /// The same for accesses that may have been brought into another loop, or got another type.
    pub fn loose_signature(&self) -> (&'static str, String) {
        (self.kind, self.object.clone())
    }

    /// Where it is.
    pub fn place(&self) -> String {
        self.location.as_ref().map_or_else(|| "?".to_owned(), ToString::to_string)
    }

    /// `load of A`.
    pub fn what(&self) -> String {
        format!("{} of {}", self.kind, self.object)
    }

    /// `32 sectors a warp, uncoalesced`.
    pub fn cost(&self) -> String {
        let noun = if self.memory == MemoryKind::Shared { "pass" } else { "sector" };
        match self.needed {
            Some(needed) => format!("{} a warp ({})", crate::words::counted(needed, noun), self.class.name()),
            None => self.class.name().to_owned(),
        }
    }

    /// Whether it takes more than it must, or may.
    pub fn is_costly(&self) -> bool {
        self.excess.is_none_or(|excess| excess > 0.0)
    }

    /// How good it is, as far as counts do not say.
    fn rank(&self) -> u8 {
        match self.class {
            Class::Uniform | Class::Coalesced | Class::ConflictFree => 0,
            Class::Strided => 1,
            Class::Symbolic | Class::DataDependent | Class::Unknown => 2,
            Class::Uncoalesced | Class::BankConflict => 3,
        }
    }

    /// What became of it, for itself; none where it is as it was.
    pub fn becomes(&self, new: &DigestAccess) -> Option<Change> {
        let by_rank = new.rank().cmp(&self.rank());
        let by_excess = match (self.excess, new.excess) {
            (Some(old), Some(new)) => new.total_cmp(&old).then(by_rank),
            _ => by_rank,
        };
        match by_excess {
            Ordering::Less => Some(Change::Better),
            Ordering::Greater => Some(Change::Worse),
            Ordering::Equal if self.class != new.class || self.needed != new.needed => Some(Change::Changed),
            Ordering::Equal => None,
        }
    }

    /// How its excess grew, beside that of the regions; none where it did not, or is open.
    pub fn growth(&self, new: &DigestAccess, regions: [&DigestRegion; 2]) -> Option<Growth> {
        let own = [self.excess?, new.excess?];
        let grew = own[1] > own[0] && self.memory == new.memory;
        let [old, new] = regions.map(|region| region.excess(self.memory));
        grew.then_some(Growth { memory: self.memory, own, region: old.zip(new).map(<[f64; 2]>::from) })
    }
}

/// Excessive sectors, or passes, of a launch, before and after.
pub struct Growth {
    memory: MemoryKind,
    /// Of the access.
    own: [f64; 2],
    /// Of all accesses of its region, where they are known.
    region: Option<[f64; 2]>,
}

impl Growth {
    /// Whether the region as a whole is no worse: what this access costs more, others cost less.
    pub fn is_made_up_for(&self) -> bool {
        self.region.is_some_and(|[old, new]| new <= old)
    }

    /// In a launch: `14,336 excessive sectors in a launch, was 0; all of the region 14,336, was 14,336`.
    pub fn sentence(&self) -> String {
        let noun = if self.memory == MemoryKind::Shared { "passes" } else { "sectors" };
        let [old, new] = self.own.map(grouped);
        let region = match self.region.map(|both| both.map(grouped)) {
            Some([old, new]) => format!("; all of the region {new}, was {old}"),
            None => String::new(),
        };
        format!("{new} excessive {noun} in a launch, was {old}{region}")
    }
}
