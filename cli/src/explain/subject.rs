//! What can be explained.

use ipda_models::report::{Branch, Location, Loop, Region, Reject, Report, Transformation};

use super::access::Group;
use super::loops;
use super::source::Sources;
use crate::document::Document;
use crate::select::values::Values;
use crate::words::{loop_name, region_name};

/// Something that can be explained.
pub enum Subject<'a> {
    Region(&'a Region, &'a Report),
    Access(Group<'a>),
    Loop(&'a Loop, &'a Region, &'a Report),
    Branch(&'a Branch, &'a Region, &'a Report),
    Reject(&'a Reject),
    Change(&'a Region),
    /// What stands in the way of a region's better loops, at a place with nothing else.
    Obstacle(&'a Location, &'a Region),
}

/// All that a region has, in the order of the source.
pub fn subjects<'a>(region: &'a Region, report: &'a Report) -> Vec<Subject<'a>> {
    let mut all = vec![Subject::Region(region, report)];
    all.extend(region.loops.iter().map(|each| Subject::Loop(each, region, report)));
    let mut groups: Vec<Group<'a>> = Vec::new();
    for access in &region.accesses {
        match groups.iter_mut().find(|group| group.takes(access, region)) {
            Some(group) => group.accesses.push(access),
            None => groups.push(Group { accesses: vec![access], alike: Vec::new(), region, report }),
        }
    }
    groups.sort_by_key(|group| group.accesses[0].location.as_ref().map(|location| (location.line, location.column)));
    all.extend(groups.into_iter().map(Subject::Access));
    // That a loop ends is reported with the loop, if it is reported there.
    let is_reported = |branch: &&Branch| {
        branch.ends_loop
            && region
                .loops
                .iter()
                .any(|each| branch.in_loop.as_ref() == Some(&each.id) && each.location == branch.location)
    };
    let conditions = region.branches.iter().filter(|branch| !is_reported(branch));
    all.extend(conditions.map(|branch| Subject::Branch(branch, region, report)));
    all.extend(region.rejects.iter().map(Subject::Reject));
    for location in obstacles(region) {
        let is_of_line = |other: &Location| (&other.file, other.line) == (&location.file, location.line);
        if !all.iter().filter_map(Subject::location).any(is_of_line) {
            all.push(Subject::Obstacle(location, region));
        }
    }
    all
}

/// The places that remarks name as what stands in the way of better loops.
fn obstacles(region: &Region) -> impl Iterator<Item = &Location> {
    let changes = region.transformation.iter();
    changes.flat_map(Transformation::obstacles).flat_map(|reason| &reason.locations)
}

impl Subject<'_> {
    pub fn location(&self) -> Option<&Location> {
        match self {
            Subject::Region(region, _) | Subject::Change(region) => Some(&region.location),
            Subject::Access(group) => group.accesses[0].location.as_ref(),
            Subject::Loop(each, ..) => each.location.as_ref(),
            Subject::Branch(branch, ..) => branch.location.as_ref(),
            Subject::Reject(reject) => reject.location.as_ref(),
            Subject::Obstacle(location, _) => Some(location),
        }
    }

    pub fn region(&self) -> Option<&Region> {
        match self {
            Subject::Region(region, _) | Subject::Change(region) => Some(region),
            Subject::Access(group) => Some(group.region),
            Subject::Loop(_, region, _) | Subject::Branch(_, region, _) | Subject::Obstacle(_, region) => Some(region),
            Subject::Reject(_) => None,
        }
    }

    pub fn name(&self) -> String {
        match self {
            Subject::Region(region, _) | Subject::Change(region) => region_name(region),
            Subject::Access(group) => group.name(),
            Subject::Loop(each, ..) => loop_name(each),
            Subject::Branch(..) => "a condition".into(),
            Subject::Reject(reject) => reject.reason.clone(),
            Subject::Obstacle(..) => "what stands in the way of better loops".into(),
        }
    }

    pub fn write(&self, out: &mut Document, sources: &mut Sources, values: &Values) {
        match self {
            Subject::Region(region, report) => loops::write_region(out, sources, region, report, values),
            Subject::Access(group) => group.write(out, sources, values),
            Subject::Loop(each, region, report) => loops::write_loop(out, sources, each, region, report),
            Subject::Branch(branch, region, report) => loops::write_branch(out, sources, branch, region, report),
            Subject::Reject(reject) => loops::write_reject(out, sources, reject),
            Subject::Change(region) | Subject::Obstacle(_, region) => loops::write_open_change(out, sources, region),
        }
    }
}
