//! What an access costs a launch: the sectors that its warps touch, those that would do, and how often a warp makes it.

mod changed;
mod lanes;
mod runs;

use ipda_models::report::{Access, Class, Hardware, MemoryKind, Region};

use super::values::{ASSUMED, Scope, Values};

pub use changed::Changed;
pub use runs::{ancestors, index_name, is_index};

/// Whether a figure holds for sure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// It follows from the report and from given values.
    Exact,
    /// A value was missing.
    Assumed,
}

impl Basis {
    fn and(self, other: Basis) -> Basis {
        if self == Basis::Exact { other } else { Basis::Assumed }
    }
}

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
    /// Of `runs`.
    pub runs_basis: Basis,
    /// The class with what is given, and in the loops as the plugin changed them.
    pub class: Class,
    /// Where the plugin changed the loops around the access.
    pub changed: Option<Changed>,
}

impl Cost {
    /// The cost of `access`, in the loops that run: as written, or as the plugin changed them.
    pub fn of(access: &Access, region: &Region, hardware: &Hardware, values: &Values) -> Cost {
        let (runs, runs_basis) = runs::runs(access, region, hardware, values);
        let most = most(access, hardware);
        let cost = |needed, count_basis, class: Class| {
            let least = match class {
                Class::Uniform => words(access, hardware),
                _ if access.memory == MemoryKind::Global => least_of_lanes(access, hardware),
                _ => least(access, hardware),
            };
            Cost { needed, least, most, runs, count_basis, runs_basis, class, changed: None }
        };
        if access.memory == MemoryKind::Shared {
            return cost(access.bank_passes.map(|passes| passes.needed), Basis::Exact, access.class);
        }
        if let Some(changed) = changed::in_changed_loops(access, region, hardware, values) {
            let changed::InChanged { needed, basis, class, how } = changed;
            return Cost { changed: Some(how), ..cost(Some(needed), basis, class) };
        }
        if let Some(count) = access.sectors {
            return cost(Some(count.aligned), Basis::Exact, access.class);
        }
        let exact = |text: &str, scope: &dyn Scope| values.exact(text, scope);
        if let Some(offsets) = lanes::lane_offsets(access, hardware, &exact) {
            let count = lanes::sectors(&offsets, access, hardware);
            return cost(Some(count), Basis::Exact, lanes::class_of(&offsets, count, access, hardware));
        }
        let assumed = |text: &str, scope: &dyn Scope| values.assumed(text, scope, ASSUMED);
        let needed =
            lanes::lane_offsets(access, hardware, &assumed).map(|offsets| lanes::sectors(&offsets, access, hardware));
        // But for the ends of rows, which class it is is known.
        cost(needed, Basis::Assumed, access.class_within_rows.unwrap_or(access.class))
    }

    /// Sectors, or passes, beyond those that would do, in one launch; none where the count is open.
    pub fn excess(&self) -> Option<f64> {
        Some(self.needed?.saturating_sub(self.least) as f64 * self.runs)
    }

    /// All sectors, or passes, in one launch.
    pub fn all(&self) -> Option<f64> {
        Some(self.needed? as f64 * self.runs)
    }

    /// By what the access is ranked: the excess, or the most that it can be.
    pub fn weight(&self) -> f64 {
        self.excess().unwrap_or_else(|| self.most.saturating_sub(self.least) as f64 * self.runs)
    }

    /// Whether both factors hold for sure.
    pub fn basis(&self) -> Basis {
        self.count_basis.and(self.runs_basis)
    }
}

/// The fewest sectors or passes that serve a warp.
pub fn least(access: &Access, hardware: &Hardware) -> u64 {
    if access.memory == MemoryKind::Shared {
        return access.bank_passes.map_or(1, |passes| passes.least);
    }
    if access.class == Class::Uniform { words(access, hardware) } else { least_of_lanes(access, hardware) }
}

/// The fewest sectors that hold the bytes of all lanes, each its own.
fn least_of_lanes(access: &Access, hardware: &Hardware) -> u64 {
    let bytes = access.bytes.saturating_mul(access.lanes(hardware.warp_lanes));
    bytes.div_ceil(u64::from(hardware.sector_bytes.max(1)))
}

/// The sectors that one thread needs.
fn words(access: &Access, hardware: &Hardware) -> u64 {
    match access.memory {
        MemoryKind::Global => access.bytes.div_ceil(u64::from(hardware.sector_bytes.max(1))),
        MemoryKind::Shared => 1,
    }
}

fn most(access: &Access, hardware: &Hardware) -> u64 {
    words(access, hardware).saturating_mul(access.lanes(hardware.warp_lanes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ipda_models::report::{Report, StrideKind};

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
                let access = Access { bytes, ..report.regions[0].accesses[0].clone() };
                let offsets: Vec<i128> = (0..32).map(|lane| lane * step).collect();
                let touched = offsets.iter().flat_map(|offset| (0..i128::from(bytes)).map(move |byte| offset + byte));
                let sectors: std::collections::BTreeSet<i128> = touched.map(|byte| byte.div_euclid(32)).collect();
                assert_eq!(
                    lanes::sectors(&offsets, &access, hardware),
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
        let offsets = lanes::lane_offsets(&access, &report.hardware, &exact).expect("distances");
        let expected: Vec<i128> = (0..32).map(|lane| 400 * (lane / 10) + 4 * (lane % 10)).collect();
        assert_eq!(offsets, expected);
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
}
