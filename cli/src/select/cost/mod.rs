//! What an access costs a launch: the sectors that its warps touch, those that would do, and how often a warp makes it.

mod basis;
mod blocks;
mod changed;
mod iterations;
mod lanes;
mod runs;

use std::borrow::Cow;

use ipda_models::report::{Access, Charge, Class, Group, Hardware, MemoryKind, Region};
use ipda_models::sizes::Sizes;
use ipda_symbolic::pieces;

use super::values::{Scope, Values};
use blocks::{all_blocks, least_of_lanes, most, own_block, words};

pub use basis::Basis;
pub use changed::{Changed, of_lane};
pub use iterations::{all_iterations, holds_numbers_of};
pub use runs::{ancestors, is_index};

/// What one access costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// Sectors that a warp touches, or passes over the banks; none where the program's data decide.
    pub needed: Option<u64>,
    /// The fewest that could do.
    pub least: u64,
    /// The most, one for each thread.
    pub most: u64,
    /// How often a warp makes the access in one launch; where the launch decides how many warps there are, how often one warp does.
    pub runs: f64,
    /// Of `needed`.
    pub count_basis: Basis,
    /// Whether all warps need as many as the first one, for which it is counted.
    is_of_all_warps: bool,
    /// Of `runs`.
    pub runs_basis: Basis,
    /// The class with what is given, and in the loops as the plugin changed them.
    pub class: Class,
    /// Where the plugin changed the loops around the access.
    pub changed: Option<Changed>,
    /// Whether its place stays in a register in the innermost loop around it, so that it is made once for all iterations of that.
    pub is_in_register: bool,
    /// Where the access is counted with others; `needed`, `least` and `most` are those that it would have alone.
    pub group: Option<InGroup>,
}

/// What the group of an access costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InGroup {
    /// Sectors that a warp touches with all of its accesses; none where the program's data decide.
    pub needed: Option<u64>,
    /// The fewest that could do.
    pub least: u64,
    /// The most, if each thread needs its own.
    pub most: u64,
    /// Its accesses.
    pub members: usize,
    /// Whether sums have it for this access.
    pub is_first: bool,
}

impl Cost {
    /// The cost of `access`, in the loops that run: as written, or as the plugin changed them.
    pub fn of(access: &Access, region: &Region, hardware: &Hardware, values: &Values) -> Cost {
        let cost = match changed::in_changed_loops(access, region, hardware, values) {
            Some(changed::InChanged { needed, least, basis, class, how, group }) => {
                let count = Counted { needed: Some(needed), least, basis, class, is_of_all_warps: true, group };
                let cost = Cost::new(access, region, hardware, values, count);
                let cost = match runs::runs_in_changed(access, region, hardware, values) {
                    Some((runs, runs_basis)) => Cost { runs, runs_basis, ..cost },
                    None => cost,
                };
                Cost { changed: Some(how), ..cost }
            }
            // What a warp touches then is not known.
            None if region.is_mapped(access) && access.memory == MemoryKind::Global => {
                let count = Counted {
                    needed: None,
                    least: None,
                    basis: Basis::Exact,
                    class: Class::Unknown,
                    is_of_all_warps: true,
                    group: None,
                };
                return Cost::new(access, region, hardware, values, count);
            }
            None => Cost::as_written(access, region, hardware, values),
        };
        match region.register_loop(access) {
            Some(around) => {
                let hardware = &if cost.changed.is_none() {
                    region.hardware_of(access, hardware)
                } else {
                    Cow::Borrowed(hardware)
                };
                let (runs, runs_basis) = runs::runs_outside(around, access, region, hardware, values);
                Cost { runs, runs_basis, is_in_register: true, ..cost }
            }
            None => cost,
        }
    }

    /// The cost of `access` in the loops as they were written, whatever the plugin did with them.
    pub fn as_written(access: &Access, region: &Region, hardware: &Hardware, values: &Values) -> Cost {
        let hardware = &region.hardware_of(access, hardware);
        Cost::new(access, region, hardware, values, count_as_written(access, region, hardware, values))
    }

    fn new(access: &Access, region: &Region, hardware: &Hardware, values: &Values, count: Counted) -> Cost {
        let Counted { needed, least, basis: count_basis, class, is_of_all_warps, group } = count;
        let (runs, runs_basis) = runs::runs(access, region, hardware, values);
        let least = match (access.memory, class) {
            (MemoryKind::Shared, _) => access.bank_passes.map_or(1, |passes| passes.least),
            (MemoryKind::Global, Class::Uniform) => words(access, hardware),
            // Lanes that use one address need less than each its own.
            (MemoryKind::Global, _) => {
                least.unwrap_or_else(|| least_of_lanes(access, hardware).min(needed.unwrap_or(u64::MAX)))
            }
        };
        let most = most(access, hardware);
        let group = region.group_of(access).map(|found| InGroup::of(found, group, access, hardware));
        Cost {
            needed,
            least,
            most,
            runs,
            count_basis,
            is_of_all_warps,
            runs_basis,
            class,
            changed: None,
            is_in_register: false,
            group,
        }
    }

    /// `needed`, where it holds for sure and for all warps.
    pub fn known(&self) -> Option<u64> {
        self.needed.filter(|_| self.count_basis == Basis::Exact && !self.is_by_warp())
    }

    /// Whether other warps are known to need other counts than the first one.
    pub fn is_by_warp(&self) -> bool {
        !self.is_of_all_warps
    }

    /// What sums have for the access: sectors or passes, the fewest, and the most. All of its group where it is the first, nothing where it is another.
    pub fn charged(&self) -> (Option<u64>, u64, u64) {
        match self.group {
            None => (self.needed, self.least, self.most),
            Some(InGroup { needed, least, most, is_first: true, .. }) => (needed, least, most),
            Some(InGroup { needed, .. }) => (needed.map(|_| 0), 0, 0),
        }
    }

    /// Sectors or passes that sums have for it, where they hold for sure and for all warps.
    pub fn known_charge(&self) -> Option<u64> {
        self.known().and(self.charged().0)
    }

    /// Sectors, or passes, beyond those that would do, in one launch; none where the count is open.
    pub fn excess(&self) -> Option<f64> {
        let (needed, least, _) = self.charged();
        Some(needed?.saturating_sub(least) as f64 * self.runs)
    }

    /// All sectors, or passes, in one launch.
    pub fn all(&self) -> Option<f64> {
        Some(self.charged().0? as f64 * self.runs)
    }

    /// By what the access is ranked: the excess, or the most that it can be.
    pub fn weight(&self) -> f64 {
        let (_, least, most) = self.charged();
        self.excess().unwrap_or_else(|| most.saturating_sub(least) as f64 * self.runs)
    }

    /// Whether neighbouring threads use neighbouring elements, in the loops that run: what is wasted lies where rows or warps begin between sectors, or is
    /// that not all threads of a warp make the access.
    pub fn is_of_neighbours(&self, access: &Access) -> bool {
        let is_next = |step: i128| step.unsigned_abs() <= access.bytes.into();
        match self.changed {
            Some(Changed::Stride(step) | Changed::Rows(step)) => is_next(step),
            Some(Changed::OneThread) => true,
            Some(Changed::Other | Changed::Open | Changed::Tile) => false,
            None => {
                let step = access.stride.text.as_deref().and_then(|step| step.parse().ok());
                access.class_within_rows == Some(Class::Coalesced) || step.is_some_and(is_next)
            }
        }
    }

    /// Whether both factors hold for sure.
    pub fn basis(&self) -> Basis {
        self.count_basis.and(self.runs_basis)
    }
}

/// The sectors or passes that a warp needs, on what that rests, and the class that it makes.
struct Counted {
    needed: Option<u64>,
    /// The fewest that hold the same bytes, where it is known which these are.
    least: Option<u64>,
    basis: Basis,
    class: Class,
    is_of_all_warps: bool,
    /// Sectors of the access's group, and the fewest.
    group: Option<(u64, u64)>,
}

impl InGroup {
    fn of(group: &Group, counted: Option<(u64, u64)>, access: &Access, hardware: &Hardware) -> InGroup {
        let lanes = access.lanes(hardware.warp_lanes);
        let sector = u64::from(hardware.sector_bytes.max(1));
        let bytes = group.bytes_of_lane();
        let of_lane = pieces(group.blocks().map(|block| (block.offset.into(), block.bytes)), sector);
        InGroup {
            needed: counted.map(|(needed, _)| needed),
            least: counted.map_or_else(|| bytes.saturating_mul(lanes).div_ceil(sector), |(_, least)| least),
            most: of_lane.saturating_mul(lanes),
            members: group.members.len(),
            is_first: group.first() == access.id,
        }
    }
}

fn count_as_written(access: &Access, region: &Region, hardware: &Hardware, values: &Values) -> Counted {
    let constant = match access.memory {
        MemoryKind::Global => access.sectors.map(|count| count.aligned),
        MemoryKind::Shared => access.bank_passes.map(|passes| passes.needed),
    };
    let loops = ancestors(access, region);
    let place = lanes::At { access, hardware, loops: &loops };
    let (own, all) = ([own_block(access, region)], all_blocks(access, region));
    let is_alone = access.group.is_none();
    let exact = |text: &str, scope: &dyn Scope| values.exact(text, scope);
    if constant.is_some() || access.memory == MemoryKind::Shared {
        let group = match region.charge(access) {
            Charge::Own => None,
            Charge::Group(group) | Charge::Counted(group) => group.sectors.map(|count| count.aligned).zip(group.least),
        };
        let least = if access.memory == MemoryKind::Shared { None } else { place.count(&own, &exact) };
        let least = least.map(|found| found.least);
        return Counted {
            needed: constant,
            least,
            basis: Basis::Exact,
            class: access.class,
            is_of_all_warps: true,
            group,
        };
    }
    if let (Some(found), Some(group)) = (place.count(&own, &exact), place.count(&all, &exact)) {
        let is_of_all_warps = place.is_of_all_warps(&own, &exact) && place.is_of_all_warps(&all, &exact);
        let class = if is_alone { found.class } else { group.class };
        let group = (!is_alone).then_some((group.sectors, group.least));
        let (needed, least) = (Some(found.sectors), Some(found.least));
        return Counted { needed, least, basis: Basis::Exact, class, is_of_all_warps, group };
    }
    let assumed = |text: &str, scope: &dyn Scope| values.assumed(text, scope, Sizes::Counted);
    let found = place.count(&own, &assumed);
    let (needed, least) = (found.map(|found| found.sectors), found.map(|found| found.least));
    let group = place.count(&all, &assumed).filter(|_| !is_alone).map(|found| (found.sectors, found.least));
    // But for the ends of rows, which class it is is known.
    let class = access.class_within_rows.unwrap_or(access.class);
    Counted { needed, least, basis: Basis::Assumed, class, is_of_all_warps: true, group }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::values::NoNames;
    use ipda_models::report::{Report, StrideKind};
    use ipda_symbolic::Block;

    fn report(name: &str) -> Report {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
        crate::input::read(&path).expect("a report of the golden tests")
    }

    fn values(given: &[&str]) -> Values {
        Values::new(&given.iter().map(|each| each.parse().expect("a value")).collect::<Vec<_>>())
    }

    /// What `ipda trace` counts when it runs this kernel with these sizes.
    #[test]
    fn counts_are_those_of_a_run() {
        let report = report("before/gemm.yaml");
        let values = values(&["NI=96", "NJ=40", "NK=24"]);
        let region = &report.regions[0];
        let found = region.accesses.iter().map(|access| {
            let cost = Cost::of(access, region, &report.hardware, &values);
            assert_eq!(cost.basis(), Basis::Exact);
            (cost.runs, cost.needed.expect("a count"))
        });
        let expected = [(120.0, 32), (120.0, 32), (2880.0, 32), (2880.0, 1), (2880.0, 32), (2880.0, 32)];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    /// Distances of lanes, and the count by brute force, byte by byte.
    #[test]
    fn sectors_are_those_that_hold_a_byte() {
        let report = report("before/gemm.yaml");
        let hardware = &report.hardware;
        for bytes in [1, 2, 4, 8, 16, 64] {
            for step in [-4096, -64, -36, -8, -1, 0, 1, 3, 4, 8, 12, 31, 32, 33, 200] {
                let offsets: Vec<i128> = (0..32).map(|lane| lane * step).collect();
                let touched = offsets.iter().flat_map(|offset| (0..i128::from(bytes)).map(move |byte| offset + byte));
                let sectors: std::collections::BTreeSet<i128> = touched.map(|byte| byte.div_euclid(32)).collect();
                let block = Block { offset: 0, bytes };
                assert_eq!(
                    lanes::sectors(&offsets, &[block], hardware),
                    sectors.len() as u64,
                    "{bytes} bytes, {step} apart"
                );
            }
        }
    }

    #[test]
    fn rows_end_where_the_report_says() {
        let report = report("before/gemm.yaml");
        let mut access = report.regions[0].accesses[0].clone();
        access.stride.kind = StrideKind::RowEnds;
        access.stride.text = Some("4".into());
        access.stride.at_row_ends = Some("4*[n] - 36".into());
        access.stride.row_length = Some("10".into());
        let values = values(&["n=100"]);
        let exact = |text: &str, scope: &dyn Scope| values.exact(text, scope);
        let offsets = lanes::lane_offsets(&access, &report.hardware, &exact, &NoNames).expect("distances");
        let expected: Vec<i128> = (0..32).map(|lane| 400 * (lane / 10) + 4 * (lane % 10)).collect();
        assert_eq!(offsets, expected);
        // Rows of 10 end where they like, rows of 16 in the same lanes of all warps.
        let cost = |access: &Access| Cost::as_written(access, &report.regions[0], &report.hardware, &values);
        assert_eq!((cost(&access).needed, cost(&access).known()), (Some(7), None));
        access.stride.row_length = Some("16".into());
        assert_eq!(cost(&access).known(), cost(&access).needed);
    }

    /// Against the enumerated nest of `collapse(3)`, whose address leaves out the middle loop.
    #[test]
    fn rows_end_in_longer_ones() {
        let report = report("before/gemm.yaml");
        let mut access = report.regions[0].accesses[0].clone();
        access.stride.kind = StrideKind::RowEnds;
        access.stride.text = Some("8".into());
        access.stride.at_row_ends = Some("-8*[m] + 8, 8*[m]*[l] - 8*[m] + 8".into());
        access.stride.row_length = Some("[m], [n]*[m]".into());
        for (m, n, l) in [(2, 3, 5), (4, 4, 7), (5, 2, 1), (40, 3, 2)] {
            let values = values(&[&format!("m={m}"), &format!("n={n}"), &format!("l={l}")]);
            let exact = |text: &str, scope: &dyn Scope| values.exact(text, scope);
            let offsets = lanes::lane_offsets(&access, &report.hardware, &exact, &NoNames).expect("distances");
            let expected: Vec<i128> = (0..32).map(|lane| 8 * (lane % m + lane / (n * m) * l * m)).collect();
            assert_eq!(offsets, expected, "{m}, {n}, {l}");
        }
    }

    /// Sizes that are arguments, that are loaded, and whose products may wrap: with values, each makes the stride what the same constant is.
    #[test]
    fn given_sizes_make_a_stride_a_constant() {
        let report = report("sizes/field.yaml");
        let given =
            values(&["nx=100", "ny=100", "nz=100", "load8@1([d])=100", "load8@1([d]+8)=100", "load8([d]+16)=100"]);
        let none = values(&[]);
        for region in &report.regions {
            for access in region.accesses.iter().filter(|access| access.object == "u") {
                let cost = |values| Cost::of(access, region, &report.hardware, values);
                let found = cost(&given);
                assert_eq!((found.class, found.known(), found.least), (Class::Uncoalesced, Some(32), 8));
                assert_eq!((found.runs, found.basis()), (39_996.0, Basis::Exact));
                assert_eq!((cost(&none).class, cost(&none).known()), (Class::Symbolic, None));
            }
        }
    }

    #[test]
    fn a_distance_that_iterations_change_has_no_count() {
        let report = report("sizes/field.yaml");
        let region = &report.regions[0];
        let mut access = region.accesses[0].clone();
        access.stride.text = Some("8*#i".into());
        let cost = Cost::of(&access, region, &report.hardware, &values(&["nx=100", "ny=100", "nz=100"]));
        assert_eq!((cost.class, cost.needed), (Class::Symbolic, None));
    }

    #[test]
    fn loops_that_the_plugin_changed_count_as_changed() {
        let report = report("built/gemm.yaml");
        let region = &report.regions[0];
        let values = values(&[]);
        let cost = |at: usize| Cost::of(&region.accesses[at], region, &report.hardware, &values);
        assert_eq!((cost(0).class, cost(0).changed), (Class::Coalesced, Some(Changed::Stride(4))));
        assert_eq!((cost(2).class, cost(2).needed), (Class::Uniform, Some(1)));
        assert_eq!((cost(3).class, cost(3).excess()), (Class::Coalesced, Some(0.0)));
    }

    /// The accesses to an array, and what each stands for in sums: sectors, and the fewest.
    fn charges(region: &Region, array: &str, report: &Report, values: &Values) -> Vec<(Class, u64, u64)> {
        let of_array = region.accesses.iter().filter(|access| access.object == array);
        let charge = |access| {
            let cost = Cost::of(access, region, &report.hardware, values);
            let (needed, least, _) = cost.charged();
            (cost.class, needed.expect("a count"), least)
        };
        of_array.map(charge).collect()
    }

    #[test]
    fn a_group_is_counted_for_its_first_access() {
        let report = report("groups.yaml");
        let region = |name: &str| report.regions.iter().find(|region| region.function == name).expect("a region");
        let of = |name: &str, array, given: &[&str]| charges(region(name), array, &report, &values(given));
        let mut expected = vec![(Class::Coalesced, 0, 0); 8];
        expected[0] = (Class::Coalesced, 32, 32);
        assert_eq!(of("gather", "nodelist", &[]), expected);
        for access in region("gather").accesses.iter().filter(|access| access.object == "nodelist") {
            let cost = Cost::of(access, region("gather"), &report.hardware, &values(&["nelem=640"]));
            assert_eq!((cost.needed, cost.least, cost.excess()), (Some(32), 4, Some(0.0)));
        }
        // A size that is given makes the group what the same constant makes it.
        assert_eq!(of("by_rows", "z", &["ld=2"]), [(Class::Coalesced, 8, 8), (Class::Coalesced, 0, 0)]);
        assert_eq!(of("by_rows", "z", &["ld=16"]), [(Class::Uncoalesced, 32, 8), (Class::Uncoalesced, 0, 0)]);
    }

    /// What sums say is what the plugin says of one iteration, for each warp.
    #[test]
    fn totals_have_the_union() {
        let report = report("groups.yaml");
        let values = values(&["nelem=640", "n=640", "ld=2"]);
        for region in report.regions.iter().filter(|region| region.totals.without_count == 0) {
            let totals = crate::select::totals::Totals::of_region(region, &report, &values);
            let of_warp: f64 = region.totals.sectors.as_ref().and_then(|text| text.parse().ok()).expect("a number");
            assert_eq!(totals.sectors.all, 20.0 * of_warp, "{}", region.function);
        }
    }
}
