//! What an access costs a launch: the sectors that its warps touch, those that would do, and how often a warp makes it.

use ipda_models::report::{
    Access, Class, Hardware, Lanes, LanesKind, Loop, LoopKind, MemoryKind, Region, StrideKind, TransformationState,
};

use super::values::{ASSUMED, NoNames, Scope, Values};

/// Another size than [`ASSUMED`]: what holds for both is taken to hold for all.
const OTHER_SIZE: u64 = 1021;

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

/// An access in loops that the plugin changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Changed {
    /// Bytes between neighbouring threads.
    Stride(i128),
    /// They are not the same everywhere, or for all sizes.
    Other,
    /// Only one thread of a row makes it.
    OneThread,
}

impl Cost {
    /// The cost of `access`, in the loops that run: as written, or as the plugin changed them.
    pub fn of(access: &Access, region: &Region, hardware: &Hardware, values: &Values) -> Cost {
        let (runs, runs_basis) = runs(access, region, hardware, values);
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
        if let Some(changed) = in_changed_loops(access, region, hardware, values) {
            let InChanged { needed, basis, class, how } = changed;
            return Cost { changed: Some(how), ..cost(Some(needed), basis, class) };
        }
        if let Some(count) = access.sectors {
            return cost(Some(count.aligned), Basis::Exact, access.class);
        }
        let exact = |text: &str, scope: &dyn Scope| values.exact(text, scope);
        if let Some(offsets) = lane_offsets(access, hardware, &exact) {
            let count = sectors(&offsets, access, hardware);
            return cost(Some(count), Basis::Exact, class_of(&offsets, count, access, hardware));
        }
        let assumed = |text: &str, scope: &dyn Scope| values.assumed(text, scope, ASSUMED);
        let needed = lane_offsets(access, hardware, &assumed).map(|offsets| sectors(&offsets, access, hardware));
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

/// The number of lane *t* for expressions in it.
struct Lane(i128);

impl Scope for Lane {
    fn index(&self, _: &str) -> Option<i128> {
        None
    }

    fn symbol(&self, name: &str) -> Option<i128> {
        match name {
            "lane number" => Some(self.0),
            // The first of them is as good as any.
            "warp number" | "warp of team" | "warp of row" => Some(0),
            _ => None,
        }
    }
}

/// The lanes that make an access, as far as they are the same in all warps.
fn active(access: &Access, hardware: &Hardware) -> Vec<i128> {
    let fixed = access.active_lanes.as_ref().filter(|lanes| lanes.kind == LanesKind::Fixed).and_then(list);
    fixed.unwrap_or_else(|| (0..i128::from(hardware.warp_lanes)).collect())
}

/// `0-15 20` as numbers.
fn list(lanes: &Lanes) -> Option<Vec<i128>> {
    let run = |run: &str| {
        let (first, last) = run.split_once('-').unwrap_or((run, run));
        Some(first.parse::<u8>().ok()?..=last.parse::<u8>().ok()?)
    };
    let runs: Option<Vec<_>> = lanes.text.as_deref()?.split_whitespace().map(run).collect();
    Some(runs?.into_iter().flatten().map(i128::from).collect())
}

type Evaluate<'a> = &'a dyn Fn(&str, &dyn Scope) -> Option<i128>;

/// How far each lane's address is from lane 0's.
fn lane_offsets(access: &Access, hardware: &Hardware, value: Evaluate<'_>) -> Option<Vec<i128>> {
    let stride = &access.stride;
    let text = stride.text.as_deref()?;
    let lanes = active(access, hardware);
    match stride.kind {
        StrideKind::Constant | StrideKind::Symbolic => {
            let step = value(text, &NoNames)?;
            lanes.iter().map(|lane| lane.checked_mul(step)).collect()
        }
        StrideKind::RowEnds => {
            let step = value(text, &NoNames)?;
            let at_end = value(stride.at_row_ends.as_deref()?, &NoNames)?;
            let row = value(stride.row_length.as_deref()?, &NoNames).filter(|&row| row > 0)?;
            let offset =
                |lane: &i128| (lane - lane / row).checked_mul(step)?.checked_add((lane / row).checked_mul(at_end)?);
            lanes.iter().map(offset).collect()
        }
        StrideKind::PerLane => lanes.iter().map(|&lane| value(text, &Lane(lane))).collect(),
        StrideKind::Vector | StrideKind::DataDependent | StrideKind::Unknown => None,
    }
}

/// The sectors that lanes at `offsets` touch, where lane 0 is at the start of a cache line.
fn sectors(offsets: &[i128], access: &Access, hardware: &Hardware) -> u64 {
    let size = i128::from(hardware.sector_bytes.max(1));
    let mut touched: Vec<(i128, i128)> = offsets
        .iter()
        .map(|offset| {
            let end = offset.saturating_add(i128::from(access.bytes.max(1)) - 1);
            (offset.div_euclid(size), end.div_euclid(size))
        })
        .collect();
    touched.sort_unstable();
    let mut count = 0_u64;
    let mut next = i128::MIN;
    for (first, last) in touched {
        let first = first.max(next);
        if last >= first {
            count = count.saturating_add(u64::try_from(last - first + 1).unwrap_or(u64::MAX));
            next = last + 1;
        }
    }
    count
}

fn class_of(offsets: &[i128], count: u64, access: &Access, hardware: &Hardware) -> Class {
    match count {
        _ if offsets.windows(2).all(|pair| pair[0] == pair[1]) => Class::Uniform,
        count if count <= least_of_lanes(access, hardware) => Class::Coalesced,
        count if count >= most(access, hardware) => Class::Uncoalesced,
        _ => Class::Strided,
    }
}

/// The count in the loops that the plugin made, within a row: neighbouring threads are one iteration of the fastest loop apart.
fn in_changed_loops(access: &Access, region: &Region, hardware: &Hardware, values: &Values) -> Option<InChanged> {
    let change = region.transformation.as_ref().filter(|change| change.state == TransformationState::Done)?;
    let named = change.threads.last()?;
    let fastest = region.loops.iter().find(|each| match (&named.location, &each.location) {
        (Some(named), Some(of_loop)) => named == of_loop,
        _ => each.id == named.name || each.variable.as_deref() == Some(&named.name),
    })?;
    if matches!(access.class, Class::DataDependent | Class::Unknown) {
        return None;
    }
    let is_inside = ancestors(access, region).iter().any(|each| each.id == fastest.id);
    if !is_inside {
        // One thread of a row makes it.
        let needed = words(access, hardware);
        return Some(InChanged { needed, basis: Basis::Exact, class: Class::Uniform, how: Changed::OneThread });
    }
    let offsets = |otherwise: u64| {
        let at = |lane: i128| values.assumed(&access.address, &Fastest { fastest, lane, region }, otherwise);
        let first = at(0)?;
        active(access, hardware).into_iter().map(|lane| Some(at(lane)? - first)).collect::<Option<Vec<i128>>>()
    };
    let (found, other) = (offsets(ASSUMED)?, offsets(OTHER_SIZE)?);
    let needed = sectors(&found, access, hardware);
    let step = |offsets: &[i128]| {
        let step = offsets.get(1).copied().unwrap_or(0);
        (0..).zip(offsets).all(|(lane, offset)| *offset == step * lane).then_some(step)
    };
    let how = match (step(&found), step(&other)) {
        (Some(step), Some(same)) if step == same => Changed::Stride(step),
        _ => Changed::Other,
    };
    let is_same = sectors(&other, access, hardware) == needed;
    let (basis, class) = match is_same {
        true => (Basis::Exact, class_of(&found, needed, access, hardware)),
        false => (Basis::Assumed, access.class),
    };
    Some(InChanged { needed, basis, class, how })
}

/// What is found of an access in changed loops.
struct InChanged {
    needed: u64,
    basis: Basis,
    class: Class,
    how: Changed,
}

/// The iteration number of the fastest loop differs from thread to thread, those of the others do not.
struct Fastest<'a> {
    fastest: &'a Loop,
    lane: i128,
    region: &'a Region,
}

impl Scope for Fastest<'_> {
    fn index(&self, name: &str) -> Option<i128> {
        Some(if is_index(self.fastest, name) { self.lane } else { 0 })
    }

    fn symbol(&self, name: &str) -> Option<i128> {
        // Arrays begin at a cache line.
        self.region.captures.iter().any(|capture| capture.name == name && capture.ty == "pointer").then_some(0)
    }
}

/// What expressions call a loop's iteration number.
pub fn index_name(each: &Loop) -> &str {
    each.index.as_deref().or(each.variable.as_deref()).unwrap_or(&each.id)
}

/// Whether expressions call a loop's iteration number so. Without an index in the report, it has the variable's name, or one made of it
/// where the variable does not begin at 0 or has another step.
pub fn is_index(each: &Loop, name: &str) -> bool {
    match &each.index {
        Some(index) => index == name,
        None => name.strip_prefix('#').unwrap_or(name) == index_name(each),
    }
}

/// The loops around an access, the innermost first.
pub fn ancestors<'a>(access: &Access, region: &'a Region) -> Vec<&'a Loop> {
    let find = |id: &str| region.loops.iter().find(|each| each.id == id);
    let mut found: Vec<&Loop> = Vec::new();
    let mut next = access.in_loop.as_deref().and_then(find);
    while let Some(each) = next.filter(|_| found.len() < region.loops.len()) {
        found.push(each);
        next = each.parent.as_deref().and_then(find);
    }
    found
}

/// Iteration numbers are taken in the middle of their range, where a sum over all iterations has its mean if it grows evenly.
struct Middle<'a> {
    loops: &'a [&'a Loop],
    values: &'a Values,
    basis: Basis,
    /// Which of the two numbers in the middle.
    middle: i128,
}

impl Middle<'_> {
    /// The mean value of an expression, if it is none below `least`.
    fn value(&self, text: &str, least: i128) -> Option<f64> {
        let [low, high] = [0, 1].map(|middle| {
            let of = Middle { middle, ..*self };
            let value = match self.basis {
                Basis::Exact => self.values.exact(text, &of),
                Basis::Assumed => self.values.assumed(text, &of, ASSUMED),
            };
            value.filter(|&value| value >= least).map(|value| value as f64)
        });
        Some((low? + high?) / 2.0)
    }
}

impl Scope for Middle<'_> {
    fn index(&self, name: &str) -> Option<i128> {
        let at = self.loops.iter().position(|each| is_index(each, name))?;
        let outer = Middle { loops: &self.loops[at + 1..], ..*self };
        let trips = outer.value(self.loops[at].trips.value.as_deref()?, 0)?;
        Some(((trips as i128 - 1).max(0) + self.middle) / 2)
    }
}

/// How often a warp makes an access in a launch.
fn runs(access: &Access, region: &Region, hardware: &Hardware, values: &Values) -> (f64, Basis) {
    let loops = ancestors(access, region);
    // Exactly, else as assumed, else by nothing.
    let count = |loops: &[&Loop], text: Option<&str>| {
        let of = |basis| Middle { loops, values, basis, middle: 0 };
        match text.and_then(|text| of(Basis::Exact).value(text, 0)) {
            Some(count) => (Some(count), Basis::Exact),
            None => (text.and_then(|text| of(Basis::Assumed).value(text, 1)), Basis::Assumed),
        }
    };
    let trips: Vec<(f64, Basis)> = (0..loops.len())
        .map(|at| {
            let (trips, basis) = count(&loops[at + 1..], loops[at].trips.value.as_deref());
            (trips.unwrap_or(ASSUMED as f64), basis)
        })
        .collect();
    let innermost_shared = (0..loops.len()).find(|&at| loops[at].kind != LoopKind::Sequential);
    let inside = innermost_shared.unwrap_or(loops.len());
    let lanes = f64::from(hardware.warp_lanes.max(1));
    // Teams and the loops around the shared one, then the threads of a team.
    let mut basis = Basis::Exact;
    let mut warps = 1.0;
    for (each, (trips, of_trips)) in loops.iter().zip(&trips).skip(inside) {
        basis = basis.and(*of_trips);
        warps *= match each.kind {
            LoopKind::Sequential | LoopKind::Distribute => *trips,
            LoopKind::For | LoopKind::DistributeParallelFor => (trips / lanes).ceil(),
        };
    }
    let (in_thread, of_count) = count(&loops, access.executions.value.as_deref());
    let in_thread = in_thread.unwrap_or_else(|| trips[..inside].iter().map(|(trips, _)| trips).product());
    (in_thread * warps, basis.and(of_count))
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
                    super::sectors(&offsets, &access, hardware),
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
        let offsets = lane_offsets(&access, &report.hardware, &exact).expect("distances");
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
