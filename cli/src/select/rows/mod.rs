//! Flat lists of what reports hold, for tables and other programs: a row for each access, region, loop, branch, change or reject.

mod kind;

use ipda_hwdb::Gpu;
use ipda_models::predict::OperationType;
use ipda_models::report::{
    Access, Location, LoopKind, MemoryKind, Region, Report, Schedule, Side, StrideKind, Transformation,
    TransformationState,
};
use ipda_models::sizes::Sizes;
use ipda_models::versions::{DeviceVersion, VersionState};

use super::cost::{Basis, Changed, Cost};
use super::totals::Totals;
use super::values::Values;
use super::{Query, Sort};
use crate::findings::Finding;
use crate::roofs::UnderRoofs;

pub use kind::{Cell, Kind};

fn thousandths(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

fn optional<T>(value: Option<T>) -> Cell
where
    Cell: From<T>,
{
    value.map_or(Cell::Empty, Cell::from)
}

/// A row, with what it is sorted by.
#[derive(Debug, Clone)]
struct Row {
    key: f64,
    cells: Vec<Cell>,
}

/// A list that keeps no more rows than are asked for.
pub struct List {
    /// What it is of.
    pub kind: Kind,
    sort: Sort,
    most: usize,
    rows: Vec<Row>,
    /// All rows that came, kept or not.
    pub seen: usize,
}

impl List {
    /// An empty list of at most `most` rows.
    pub fn new(kind: Kind, query: &Query, most: usize) -> List {
        List { kind, sort: query.sort, most, rows: Vec::new(), seen: 0 }
    }

    /// Adds what a report has; a device is that of rooflines.
    pub fn add(&mut self, report: &Report, values: &Values, gpu: Option<&Gpu>) {
        for region in &report.regions {
            match self.kind {
                Kind::Regions => self.add_region(report, region, values),
                Kind::Accesses => {
                    for access in &region.accesses {
                        self.add_access(report, region, access, values);
                    }
                }
                Kind::Loops => self.add_loops(report, region),
                Kind::Branches => self.add_branches(report, region),
                Kind::Changes => self.add_change(report, region),
                Kind::Rejects => {
                    for reject in &region.rejects {
                        self.add_reject(report, &region.function, reject);
                    }
                }
                Kind::Rooflines => self.add_roofline(report, region, values, gpu),
                Kind::Actions | Kind::Differences => {}
            }
        }
        if self.kind == Kind::Rejects {
            for reject in &report.rejects {
                self.add_reject(report, "", reject);
            }
        }
    }

    /// Adds what there is to do about a report's regions.
    pub fn add_findings(&mut self, report: &Report, findings: &[Finding]) {
        for Finding { action, function, fix } in findings {
            let [file, line, column] = place(Some(&action.location));
            let cells = vec![
                file,
                line,
                column,
                function[..].into(),
                action.state.name().into(),
                action.rule.name().into(),
                action.text[..].into(),
                optional(action.worth.as_deref()),
                optional(action.in_source.as_deref()),
                optional(fix.as_ref().map(|fix| &fix.diff[..])),
            ];
            self.push(0.0, report, cells);
        }
    }

    /// The rows in their order.
    pub fn finish(&mut self) -> Vec<Vec<Cell>> {
        self.prune();
        self.rows.drain(..).map(|row| row.cells).collect()
    }

    /// Rows in the order of the reports have a key of 0; the sort is stable.
    fn prune(&mut self) {
        self.rows.sort_by(|a, b| b.key.total_cmp(&a.key));
        self.rows.truncate(self.most);
    }

    fn push(&mut self, key: f64, report: &Report, mut cells: Vec<Cell>) {
        /// Rows that are kept beyond those asked for, before they are sorted out.
        const SLACK: usize = 1000;
        let side = match report.side {
            Side::Host => "host",
            Side::Device => "device",
        };
        cells.extend([Cell::from(&report.source[..]), side.into(), report.target[..].into()]);
        self.seen += 1;
        self.rows.push(Row { key: if self.sort == Sort::Place { 0.0 } else { key }, cells });
        if self.rows.len() > self.most.saturating_mul(2).saturating_add(SLACK) {
            self.prune();
        }
    }

    fn add_region(&mut self, report: &Report, region: &Region, values: &Values) {
        let totals = Totals::of_region(region, report, values);
        let sectors = totals.sectors;
        let key = match self.sort {
            Sort::Sectors => sectors.all,
            _ => sectors.excess + totals.passes.excess,
        };
        let basis = if sectors.basis == Basis::Exact { "exact" } else { "assumed" };
        let [file, line, _] = place(Some(&region.location));
        self.push(
            key,
            report,
            vec![
                file,
                line,
                region.function[..].into(),
                Cell::Number(sectors.excess),
                Cell::Number(sectors.all),
                sectors.percent().map_or(Cell::Empty, |percent| Cell::Number((percent * 10.0).round() / 10.0)),
                totals.accesses().into(),
                (sectors.open.all() + totals.passes.open.all()).into(),
                basis.into(),
                loops_state(region),
            ],
        );
    }

    fn add_roofline(&mut self, report: &Report, region: &Region, values: &Values, gpu: Option<&Gpu>) {
        let Ok(UnderRoofs { gpu, assumed, roofline }) = UnderRoofs::of(region, report, gpu, values) else { return };
        let [file, line, _] = place(Some(&region.location));
        let assumed =
            Some(format!("{} = {}", assumed.join(", "), Sizes::Timed.value())).filter(|_| !assumed.is_empty());
        let mut cells = vec![
            file,
            line,
            region.function[..].into(),
            gpu[..].into(),
            optional(assumed.as_deref()),
            Cell::Number(roofline.memory.get().round()),
            Cell::Number(roofline.l2.get().round()),
        ];
        let count = |of| if roofline.is_counted() { Cell::Number(roofline.of_type(of).round()) } else { Cell::Empty };
        cells.extend(OperationType::ALL.map(count));
        cells.extend([
            roofline.intensity().map_or(Cell::Empty, |of| Cell::Number(thousandths(of))),
            Cell::Number(roofline.time.get()),
            roofline.roof.to_string()[..].into(),
            Cell::Number(thousandths(roofline.share)),
        ]);
        self.push(roofline.time.get(), report, cells);
    }

    fn add_access(&mut self, report: &Report, region: &Region, access: &Access, values: &Values) {
        let cost = Cost::of(access, region, &report.hardware, values);
        let key = match self.sort {
            Sort::Excess | Sort::Place => cost.weight(),
            Sort::Sectors => cost.all().unwrap_or(cost.most as f64 * cost.runs),
            Sort::Runs => cost.runs,
            Sort::Class => -(super::CLASSES.iter().position(|&class| class == cost.class).unwrap_or(0) as f64),
        };
        let [file, line, column] = place(access.location.as_ref());
        let unit = if access.memory == MemoryKind::Shared { "passes" } else { "sectors" };
        let basis = match (cost.needed, cost.basis()) {
            (None, _) => "open",
            (_, Basis::Exact) => "exact",
            (_, Basis::Assumed) => "assumed",
        };
        let in_loop = access.in_loop.as_deref().map(|id| crate::words::short_name(id, region));
        self.push(
            key,
            report,
            vec![
                file,
                line,
                column,
                region.function[..].into(),
                u64::from(region.location.line).into(),
                access.kind.name().into(),
                access.object[..].into(),
                access.bytes.into(),
                optional(in_loop),
                stride(access, &cost),
                cost.class.name().into(),
                optional(cost.needed),
                cost.least.into(),
                optional(access.group.as_deref()),
                optional(cost.group.filter(|group| group.is_first).and_then(|group| group.needed)),
                optional(cost.group.filter(|group| group.is_first).map(|group| group.least)),
                unit.into(),
                Cell::Number(cost.runs),
                cost.excess().map_or(Cell::Empty, Cell::Number),
                basis.into(),
                loops_state(region),
                optional(access.stride.reason.as_deref()),
            ],
        );
    }

    fn add_loops(&mut self, report: &Report, region: &Region) {
        for each in &region.loops {
            let kind = match each.kind {
                LoopKind::DistributeParallelFor if region.launch.is_one_team() => "all threads of one team",
                LoopKind::Distribute if region.launch.is_one_team() => "one team",
                LoopKind::DistributeParallelFor => "all threads of all teams",
                LoopKind::Distribute => "teams",
                LoopKind::For => "threads of a team",
                LoopKind::Sequential => "each thread",
            };
            let trips = each.trips.value.as_deref().or(each.trips.unknown.as_deref());
            let [file, line, column] = place(each.location.as_ref());
            let cells = vec![
                file,
                line,
                column,
                region.function[..].into(),
                each.id[..].into(),
                optional(each.variable.as_deref()),
                optional(each.parent.as_deref()),
                kind.into(),
                optional(trips),
                optional(each.schedule.as_ref().map(Schedule::sentence).as_deref()),
            ];
            self.push(0.0, report, cells);
        }
    }

    fn add_branches(&mut self, report: &Report, region: &Region) {
        for branch in &region.branches {
            let [file, line, column] = place(branch.location.as_ref());
            let cells = vec![
                file,
                line,
                column,
                region.function[..].into(),
                optional(branch.in_loop.as_deref().map(|id| crate::words::short_name(id, region))),
                if branch.ends_loop { "yes" } else { "no" }.into(),
                branch.lanes.name().into(),
                optional(branch.lanes.text().as_deref()),
                optional(branch.lanes.reason()),
            ];
            self.push(0.0, report, cells);
        }
    }

    fn add_change(&mut self, report: &Report, region: &Region) {
        let Some(change) = &region.transformation else { return };
        let names = ipda_models::report::Names::of(region);
        let joined = |parts: Vec<String>| if parts.is_empty() { Cell::Empty } else { Cell::Text(parts.join("; ")) };
        for (version, obstacles) in change.parts() {
            let [file, line, _] = place(Some(&region.location));
            let reasons = obstacles.iter().map(|reason| names.in_text(&reason.in_short())).collect();
            let places = obstacles.iter().flat_map(|reason| &reason.locations).map(ToString::to_string).collect();
            let guard = version.iter().flat_map(|version| &version.guard);
            let threads = version.iter().flat_map(|version| version.recipe.threads());
            let gain = version.and_then(|version| version.gain.as_ref());
            let cells = vec![
                file,
                line,
                region.function[..].into(),
                match version {
                    Some(version) => version_state(version),
                    None if change.versions.is_empty() => state(change),
                    None => "left",
                }
                .into(),
                joined(threads.map(|named| names.of_loop(named)).collect()),
                gain.map_or(Cell::Empty, |gain| Cell::Number(gain.sectors_before)),
                gain.map_or(Cell::Empty, |gain| Cell::Number(gain.sectors_after)),
                joined(guard.map(|condition| names.in_text(&condition.text)).collect()),
                joined(reasons),
                joined(places),
                optional(version.and_then(|version| version.clause.as_deref())),
            ];
            self.push(0.0, report, cells);
        }
    }

    fn add_reject(&mut self, report: &Report, function: &str, reject: &ipda_models::report::Reject) {
        let [file, line, column] = place(reject.location.as_ref());
        let cells = vec![file, line, column, function.into(), reject.name[..].into(), reject.reason[..].into()];
        self.push(0.0, report, cells);
    }
}

/// File, line and column.
fn place(location: Option<&Location>) -> [Cell; 3] {
    let number = |n: u32| if n == 0 { Cell::Empty } else { Cell::Number(n.into()) };
    match location {
        Some(location) => [location.file[..].into(), number(location.line), number(location.column)],
        None => [Cell::Empty, Cell::Empty, Cell::Empty],
    }
}

/// The stride in one cell.
fn stride(access: &Access, cost: &Cost) -> Cell {
    let stride = &access.stride;
    match cost.changed {
        Some(Changed::Stride(bytes) | Changed::Rows(bytes)) => return Cell::Text(bytes.to_string()),
        Some(Changed::OneThread) => return "one thread".into(),
        Some(Changed::Tile) => return "tile".into(),
        Some(Changed::Other | Changed::Open) => return "in changed loops".into(),
        None => {}
    }
    match (stride.kind, &stride.text, &stride.at_row_ends) {
        (StrideKind::RowEnds, Some(text), Some(end)) => Cell::Text(format!("{text}, at row ends {end}")),
        (StrideKind::PerLane, Some(text), _) => Cell::Text(format!("from lane 0: {text}")),
        (_, Some(text), _) => text[..].into(),
        (_, None, _) => Cell::Empty,
    }
}

/// What became of a region's loops, in a word.
fn loops_state(region: &Region) -> Cell {
    region.transformation.as_ref().map_or(Cell::Empty, |change| state(change).into())
}

/// What became of loops, in a word.
pub fn state(change: &Transformation) -> &'static str {
    match change.state {
        TransformationState::Done => change.made().next().map_or("collapsed", version_state),
        TransformationState::Possible => "possible",
        TransformationState::Best => "best",
        TransformationState::Left => "left",
    }
}

/// What became of a version, in a word.
fn version_state(version: &DeviceVersion) -> &'static str {
    match version.state {
        VersionState::Made if version.recipe.promoted_arrays().is_some() => "promoted",
        VersionState::Made if version.recipe.digits_in_words().is_some() => "mapped",
        VersionState::Made if version.recipe.is_interchange() => "interchanged",
        VersionState::Made if !version.recipe.lanes().is_empty() => "tiled",
        VersionState::Made => "collapsed",
        VersionState::Possible => "possible",
        VersionState::Left => "left",
    }
}
