//! From what was seen of regions to the report, and to what the finished code is known by.

use super::compilation::Compilation;
use super::team_chunk;
use crate::analysis::finished::SourceRegion;
use crate::analysis::maps;
use crate::analysis::region::{Analysed, DeviceSchedule};
use crate::facts;
use crate::openmp::outline::TargetRegion;
use ipda_models::report::{Names, Region, Report};
use ipda_models::summary::Expressions;
use std::cell::RefCell;
use std::rc::Rc;

/// A region that is described.
pub(super) struct Reported {
    /// Its place among the module's regions.
    pub region: usize,
    pub schedules: Vec<DeviceSchedule>,
    pub source: SourceRegion,
}

/// The report of those regions that are described, in their order, and what else is known of each.
pub(super) fn report(
    compilation: &Compilation<'_, '_>,
    described: impl Iterator<Item = Option<Analysed>>,
) -> (Report, Vec<Reported>) {
    let mut report = compilation.header();
    let mut all = Vec::new();
    for (number, (region, analysed)) in compilation.regions.iter().zip(described).enumerate() {
        let Some(Analysed { region: result, schedules, loops, readings, mut expressions }) = analysed else { continue };
        let captures = result.captures.iter().map(|capture| capture.name.clone()).collect();
        report.regions.push(with_facts(compilation, region, result, expressions.as_mut()));
        let expressions = Rc::new(RefCell::new(expressions));
        let (symbol, in_lockstep) = (region.symbol.clone(), Vec::new());
        let source = SourceRegion { symbol, captures, readings, loops, in_lockstep, expressions };
        all.push(Reported { region: number, schedules, source });
    }
    (report, all)
}

/// What the host's launch and the device's compilations say of a region.
fn with_facts(
    compilation: &Compilation<'_, '_>,
    region: &TargetRegion,
    mut result: Region,
    expressions: Option<&mut Expressions>,
) -> Region {
    let images = compilation.images();
    let (facts, _) = facts::of_kernel(images, &region.symbol);
    if let Some(maps) = compilation.maps().get(&region.symbol) {
        maps::attach(&mut result, expressions, maps);
    }
    if let Some(read_only) = compilation.read_only().get(&region.symbol) {
        read_only.report(&mut result);
    }
    result.team_chunk = team_chunk::in_code(compilation, region, &result);
    result.resources = facts::resources(images, &region.symbol);
    let reported = facts.and_then(|facts| facts.reported.clone());
    result.transformation = reported.map(|reported| Names::of(&result).in_transformation(reported));
    result
}
