//! What warps did, counted: per access the transactions of memory, per branch whether lanes went different ways.

use crate::interpreter::{Observer, WarpAccess, WarpBranch};
use crate::program::{Program, SiteId};
use ipda_models::report::MemoryKind;
use ipda_symbolic::{Banks, MemoryGeometry};
use std::io::{self, Write};

/// How many sectors or lines of `unit` bytes the active lanes touch.
pub fn transactions(active: u64, addresses: &[u64], bytes: u64, unit: u64) -> u64 {
    /// The most lanes of a warp.
    const LANES: usize = 64;
    if bytes == 0 || active == 0 {
        return 0;
    }
    // Neighbouring lanes mostly touch the same unit or the next: sorted already.
    let mut spans = [(0_u64, 0_u64); LANES];
    let mut count = 0;
    let mut lanes = active;
    let mut sorted = true;
    while lanes != 0 {
        let address = addresses[lanes.trailing_zeros() as usize];
        lanes &= lanes - 1;
        let span = (address / unit, (address + bytes - 1) / unit);
        if count > 0 {
            if spans[count - 1] == span {
                continue;
            }
            sorted &= spans[count - 1] < span;
        }
        spans[count] = span;
        count += 1;
    }
    let spans = &mut spans[..count];
    if !sorted {
        spans.sort_unstable();
    }
    let (mut total, mut next_new) = (0, 0);
    for &mut (first, last) in spans {
        let first = first.max(next_new);
        if last >= first {
            total += last - first + 1;
            next_new = last + 1;
        }
    }
    total
}

/// In how many passes banked memory serves the active lanes, and the fewest in which it could serve as many words. Neighbouring lanes whose
/// bytes fill the banks once are served together; lanes that want the same word share it.
pub fn bank_passes(active: u64, addresses: &[u64], bytes: u64, banks: &Banks) -> (u64, u64) {
    let (count, word) = (u64::from(banks.count), u64::from(banks.word_bytes));
    if bytes == 0 || count == 0 || word == 0 {
        return (0, 0);
    }
    let together = (count * word / bytes).clamp(1, addresses.len() as u64) as usize;
    let (mut needed, mut least) = (0, 0);
    for first in (0..addresses.len()).step_by(together) {
        let mut words = std::collections::BTreeSet::new();
        for lane in (first..addresses.len().min(first + together)).filter(|lane| active >> lane & 1 == 1) {
            words.extend(addresses[lane] / word..=(addresses[lane] + bytes - 1) / word);
        }
        let in_bank = |bank: u64| words.iter().filter(|&&at| at % count == bank).count() as u64;
        needed += (0..count).map(in_bank).max().unwrap_or(0);
        least += (words.len() as u64).div_ceil(count);
    }
    (needed, least)
}

/// The counts of one access of the program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SiteCounts {
    /// How often a warp came by.
    pub warps: u64,
    /// Those with all lanes.
    pub full_warps: u64,
    /// Lanes that took part, over all warps.
    pub lanes: u64,
    /// Sectors touched, over all warps.
    pub sectors: u64,
    /// Lines touched, over all warps.
    pub lines: u64,
    /// The fewest sectors of a warp with all lanes; 0 where there was none.
    pub least: u64,
    /// The most.
    pub most: u64,
    /// Passes over the banks of a team's memory, over all warps.
    pub passes: u64,
    /// Bytes of a lane when it last ran, for copies whose size the program does not show.
    pub bytes: u64,
}

/// The counts of a conditional branch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BranchCounts {
    /// How often a warp came by.
    pub warps: u64,
    /// How often its lanes went different ways.
    pub divergent: u64,
}

/// Counts of a launch, or of several.
#[derive(Debug, Clone)]
pub struct Counts {
    geometry: MemoryGeometry,
    banks: Banks,
    all_lanes: u64,
    /// By access.
    pub sites: Vec<SiteCounts>,
    /// By conditional branch.
    pub branches: Vec<BranchCounts>,
}

impl Counts {
    /// Nothing counted yet.
    pub fn new(program: &Program, geometry: MemoryGeometry, banks: Banks) -> Counts {
        Counts {
            geometry,
            banks,
            all_lanes: if program.lanes() == 64 { u64::MAX } else { (1 << program.lanes()) - 1 },
            sites: vec![SiteCounts::default(); program.sites().len()],
            branches: vec![BranchCounts::default(); program.branches().len()],
        }
    }

    /// The counts of an access.
    pub fn site(&self, site: SiteId) -> &SiteCounts {
        &self.sites[site.0 as usize]
    }

    /// Accesses of single lanes to global memory, over all accesses.
    pub fn lane_accesses(&self) -> u64 {
        self.sites.iter().map(|site| site.lanes).sum()
    }

    /// Counts an access of a warp; gives its sectors, of which shared memory has none.
    pub fn add(&mut self, access: &WarpAccess<'_>) -> u64 {
        if access.memory == MemoryKind::Shared {
            let counts = &mut self.sites[access.site.0 as usize];
            counts.passes += bank_passes(access.active, access.addresses, access.bytes, &self.banks).0;
            counts.warps += 1;
            counts.lanes += u64::from(access.active.count_ones());
            counts.bytes = access.bytes;
            return 0;
        }
        let sectors = transactions(access.active, access.addresses, access.bytes, self.geometry.sector_bytes);
        let counts = &mut self.sites[access.site.0 as usize];
        counts.lines += transactions(access.active, access.addresses, access.bytes, self.geometry.line_bytes);
        counts.sectors += sectors;
        counts.warps += 1;
        counts.lanes += u64::from(access.active.count_ones());
        counts.bytes = access.bytes;
        if access.active == self.all_lanes {
            counts.least = if counts.full_warps == 0 { sectors } else { counts.least.min(sectors) };
            counts.most = counts.most.max(sectors);
            counts.full_warps += 1;
        }
        sectors
    }

    fn add_branch(&mut self, branch: &WarpBranch) {
        let counts = &mut self.branches[branch.branch as usize];
        counts.warps += 1;
        counts.divergent += u64::from(branch.is_divergent());
    }
}

impl Observer for Counts {
    fn access(&mut self, access: &WarpAccess<'_>) {
        self.add(access);
    }

    fn branch(&mut self, branch: &WarpBranch) {
        self.add_branch(branch);
    }

    fn wants_iterations(&self) -> bool {
        false
    }
}

/// Writes every access of a warp as a line of JSON while it happens, beside counting it; keeps nothing else in memory.
#[derive(Debug)]
pub struct Stream<W> {
    /// The counts.
    pub counts: Counts,
    out: W,
    line: String,
    /// What is said of each access of the program: kernel, id in the report, kind, place.
    prefixes: Vec<String>,
    /// The first error; nothing is written after it.
    error: Option<io::Error>,
}

impl<W: Write> Stream<W> {
    /// A stream into `out`. Each line begins with what `prefixes` says of the access: members of a JSON object, with a comma behind.
    pub fn new(counts: Counts, prefixes: Vec<String>, out: W) -> Stream<W> {
        Stream { counts, out, line: String::new(), prefixes, error: None }
    }

    /// Writes what is still in buffers; gives the first error, if there was one.
    pub fn finish(mut self) -> io::Result<Counts> {
        match self.error.take() {
            Some(error) => Err(error),
            None => self.out.flush().map(|()| self.counts),
        }
    }

    fn format(&mut self, access: &WarpAccess<'_>, sectors: u64) {
        use std::fmt::Write as _;
        let line = &mut self.line;
        line.clear();
        let lines = transactions(access.active, access.addresses, access.bytes, self.counts.geometry.line_bytes);
        let memory = if access.memory == MemoryKind::Shared { "\"memory\":\"shared\"," } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(
            line,
            "{{{}{memory}\"team\":{},\"warp\":{},\"iteration\":{:?},\"active\":\"{:#x}\",\"bytes\":{},\"sectors\":{sectors},\"lines\":{lines},\"addresses\":[",
            self.prefixes[access.site.0 as usize],
            access.team,
            access.warp,
            access.iteration,
            access.active,
            access.bytes
        );
        let mut lanes = access.active;
        while lanes != 0 {
            let _ = write!(line, "{}", access.addresses[lanes.trailing_zeros() as usize]);
            lanes &= lanes - 1;
            line.push_str(if lanes == 0 { "]}\n" } else { "," });
        }
    }
}

impl<W: Write> Observer for Stream<W> {
    fn access(&mut self, access: &WarpAccess<'_>) {
        let sectors = self.counts.add(access);
        if self.error.is_none() {
            self.format(access, sectors);
            self.error = self.out.write_all(self.line.as_bytes()).err();
        }
    }

    fn branch(&mut self, branch: &WarpBranch) {
        self.counts.add_branch(branch);
    }

    fn wants_iterations(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::transactions;

    #[test]
    fn counts_what_a_warp_touches() {
        let stride = |step: u64, base: u64| -> Vec<u64> { (0..32).map(|lane| base + lane * step).collect() };
        assert_eq!(transactions(u32::MAX.into(), &stride(4, 256), 4, 32), 4);
        assert_eq!(transactions(u32::MAX.into(), &stride(4, 260), 4, 32), 5);
        assert_eq!(transactions(u32::MAX.into(), &stride(0, 260), 4, 32), 1);
        assert_eq!(transactions(u32::MAX.into(), &stride(400, 256), 4, 32), 32);
        assert_eq!(transactions(0b101, &stride(32, 256), 4, 32), 2);
        assert_eq!(transactions(0, &stride(32, 256), 4, 32), 0);
    }

    #[test]
    fn the_order_of_lanes_does_not_matter() {
        let mut addresses: Vec<u64> = (0..32).map(|lane| 1024 + (lane * 7 % 32) * 12).collect();
        let count = transactions(u32::MAX.into(), &addresses, 8, 32);
        addresses.sort_unstable();
        assert_eq!(transactions(u32::MAX.into(), &addresses, 8, 32), count);
    }

    #[test]
    fn lanes_that_straddle_units_count_each_unit_once() {
        let addresses: Vec<u64> = (0..32).map(|lane| 1000 + lane * 24).collect();
        let mut units: Vec<u64> = addresses.iter().flat_map(|&a| (a / 32)..=((a + 23) / 32)).collect();
        units.sort_unstable();
        units.dedup();
        assert_eq!(transactions(u32::MAX.into(), &addresses, 24, 32), units.len() as u64);
    }
}
