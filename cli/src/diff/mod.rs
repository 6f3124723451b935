//! `ipda diff OLD NEW`: what became better and worse between two builds.

mod align;
mod change;
mod digest;
mod print;

use std::path::PathBuf;

use crate::select::rows::Cell;
use crate::select::totals::Totals;
use crate::select::values::Values;
use crate::select::{Query, Unseen, is_same_file};

pub use print::{Request, run};

use align::aligned;
use change::Change;
use digest::{Digest, DigestAccess, DigestRegion, Growth};

/// One thing that is not as it was.
pub struct Difference {
    change: Change,
    function: String,
    old: Option<Side>,
    new: Option<Side>,
    /// What an access costs more, in a launch.
    growth: Option<Growth>,
}

/// How it was, or is.
enum Side {
    Access(DigestAccess),
    /// A region: its place, what became of its loops, how many accesses it has.
    Region {
        place: String,
        loops: &'static str,
        accesses: usize,
    },
}

impl Side {
    fn of(region: &DigestRegion) -> Side {
        Side::Region { place: region.location.to_string(), loops: region.loops, accesses: region.accesses.len() }
    }

    fn place(&self) -> String {
        match self {
            Side::Access(access) => access.place(),
            Side::Region { place, .. } => place.clone(),
        }
    }

    fn what(&self) -> String {
        match self {
            Side::Access(access) => access.what(),
            Side::Region { .. } => "region".into(),
        }
    }

    fn cost(&self) -> String {
        match self {
            Side::Access(access) => access.cost(),
            Side::Region { loops, accesses, .. } => {
                let loops = if loops.is_empty() { "as written" } else { loops };
                format!("{}, loops {loops}", crate::words::counted(*accesses as u64, "access"))
            }
        }
    }
}

impl Difference {
    /// Whether a build that must not become worse fails: what costs more, and what is new and not as good as it could be.
    pub fn is_worse(&self) -> bool {
        match (self.change, &self.new) {
            (Change::Worse, _) => true,
            (Change::New, Some(Side::Access(access))) => access.is_costly(),
            _ => false,
        }
    }

    /// `gemm.c:17:34: load of A in gemm: 32 sectors a warp, was 4 (uncoalesced, was coalesced)`.
    pub fn sentence(&self) -> String {
        let shown = self.new.as_ref().or(self.old.as_ref());
        let (place, what) = shown.map_or_else(Default::default, |side| (side.place(), side.what()));
        let function = &self.function;
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => {
                let growth = self.growth.as_ref().map(|growth| format!("; {}", growth.sentence())).unwrap_or_default();
                format!("{place}: {what} in {function}: {}, was {}{growth}", new.cost(), old.cost())
            }
            (None, Some(new)) => format!("{place}: {what} in {function} is new: {}", new.cost()),
            (Some(old), None) => format!("{place}: {what} in {function} is gone: {}", old.cost()),
            (None, None) => String::new(),
        }
    }

    fn row(&self) -> Vec<Cell> {
        let text = |text: Option<String>| text.map_or(Cell::Empty, Cell::Text);
        let shown = self.new.as_ref().or(self.old.as_ref());
        let access = |side: &Option<Side>| match side {
            Some(Side::Access(access)) => Some(access.clone()),
            _ => None,
        };
        let (old, new) = (access(&self.old), access(&self.new));
        let class =
            |access: &Option<DigestAccess>| access.as_ref().map_or(Cell::Empty, |access| access.class.name().into());
        let needed = |access: &Option<DigestAccess>| {
            access.as_ref().and_then(|access| access.needed).map_or(Cell::Empty, Cell::from)
        };
        vec![
            self.change.name().into(),
            text(shown.map(Side::place)),
            text(self.old.as_ref().filter(|_| self.new.is_some()).map(Side::place)),
            self.function[..].into(),
            text(shown.map(Side::what)),
            class(&new),
            class(&old),
            needed(&new),
            needed(&old),
            text(self.new.as_ref().map(Side::cost)),
            text(self.old.as_ref().map(Side::cost)),
        ]
    }
}

/// Two builds side by side.
pub struct Compared {
    /// All differences, the worst first.
    pub differences: Vec<Difference>,
    /// What could not be read.
    pub errors: Vec<anyhow::Error>,
    /// What was asked for, and neither build has.
    unseen: Unseen,
    old: Totals,
    new: Totals,
    same: usize,
    /// How many reports of each side were read.
    read: [usize; 2],
}

/// Compares the reports at `old` with those at `new`.
pub fn compare(old: &[PathBuf], new: &[PathBuf], query: &Query, values: &Values) -> Compared {
    let mut unseen = query.regions.unseen();
    let (old, mut errors) = digest::read(old, query, values, &mut unseen);
    let (new, more) = digest::read(new, query, values, &mut unseen);
    errors.extend(more);
    let read = [old.len(), new.len()];
    let (of_old, of_new) = (digest::totals(&old), digest::totals(&new));
    let mut compared = Compared { differences: Vec::new(), errors, unseen, old: of_old, new: of_new, same: 0, read };
    for (old, new) in pairs(&old, &new) {
        compared.regions(old.map_or(&[], |old| &old.regions), new.map_or(&[], |new| &new.regions));
    }
    compared.differences.sort_by_key(|difference| difference.change);
    compared
}

/// Reports of one source for one target; by the ends of their paths where those are not the same.
fn pairs<'a>(old: &'a [Digest], new: &'a [Digest]) -> Vec<(Option<&'a Digest>, Option<&'a Digest>)> {
    if let ([old], [new]) = (old, new) {
        return vec![(Some(old), Some(new))];
    }
    let key = |digest: &'a Digest| (&digest.source[..], &digest.target[..]);
    let mut by_key: std::collections::HashMap<_, usize> = std::collections::HashMap::new();
    for (at, digest) in old.iter().enumerate() {
        by_key.entry(key(digest)).or_insert(at);
    }
    let mut is_taken = vec![false; old.len()];
    let mut found: Vec<Option<usize>> = Vec::new();
    for digest in new {
        let at = by_key.get(&key(digest)).copied().filter(|&at| !is_taken[at]);
        if let Some(at) = at {
            is_taken[at] = true;
        }
        found.push(at);
    }
    for (digest, at) in new.iter().zip(&mut found).filter(|(_, at)| at.is_none()) {
        let is_like = |other: &Digest| other.target == digest.target && is_same_file(&other.source, &digest.source);
        *at = (0..old.len()).find(|&at| !is_taken[at] && is_like(&old[at]));
        if let Some(at) = *at {
            is_taken[at] = true;
        }
    }
    let both = new.iter().zip(&found).map(|(new, at)| (at.map(|at| &old[at]), Some(new)));
    let gone = old.iter().zip(&is_taken).filter(|(_, is_taken)| !**is_taken).map(|(old, _)| (Some(old), None));
    both.chain(gone).collect()
}

impl Compared {
    /// Whether there is nothing to compare with.
    fn lacks_a_side(&self) -> bool {
        self.read.contains(&0)
    }

    fn regions(&mut self, old: &[DigestRegion], new: &[DigestRegion]) {
        // First those whose accesses are the same, then those of one function in their order.
        for pair in aligned(old, new, DigestRegion::signature, |region| region.function.clone()) {
            match pair {
                (Some(old), Some(new)) => self.region(&old, &new),
                (None, Some(new)) => self.whole_region(Change::New, &new),
                (Some(old), None) => self.whole_region(Change::Gone, &old),
                (None, None) => {}
            }
        }
    }

    fn region(&mut self, old: &DigestRegion, new: &DigestRegion) {
        if old.loops != new.loops {
            let rank = |loops: &str| matches!(loops, "left" | "possible");
            let change = match (rank(old.loops), rank(new.loops)) {
                (false, true) => Change::Worse,
                (true, false) => Change::Better,
                _ => Change::Changed,
            };
            self.differences.push(Difference {
                change,
                function: new.function.clone(),
                old: Some(Side::of(old)),
                new: Some(Side::of(new)),
                growth: None,
            });
        }
        let key = |access: &DigestAccess| access.signature();
        for pair in aligned(&old.accesses, &new.accesses, key, DigestAccess::loose_signature) {
            let change = match &pair {
                (Some(old), Some(new)) => old.becomes(new),
                (None, Some(_)) => Some(Change::New),
                (Some(_), None) => Some(Change::Gone),
                (None, None) => None,
            };
            let Some(change) = change else {
                self.same += 1;
                continue;
            };
            let growth = match &pair {
                (Some(before), Some(after)) => before.growth(after, [old, new]),
                _ => None,
            };
            // Loops in another order change places for the better and for the worse: what counts is the launch.
            let is_made_up_for = growth.as_ref().is_some_and(Growth::is_made_up_for);
            let change = if change == Change::Worse && is_made_up_for { Change::Changed } else { change };
            let function = new.function.clone();
            let (old, new) = (pair.0.map(Side::Access), pair.1.map(Side::Access));
            self.differences.push(Difference { change, function, old, new, growth });
        }
    }

    /// A region that came or went; of its accesses, those that cost something.
    fn whole_region(&mut self, change: Change, region: &DigestRegion) {
        let costly = region.accesses.iter().filter(|access| change == Change::New && access.is_costly());
        for each in [Side::of(region)].into_iter().chain(costly.cloned().map(Side::Access)) {
            let (old, new) = if change == Change::New { (None, Some(each)) } else { (Some(each), None) };
            self.differences.push(Difference { change, function: region.function.clone(), old, new, growth: None });
        }
    }
}
