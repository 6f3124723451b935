//! The report file: one versioned YAML document per translation unit, written by the plugin and read by the `ipda` program.
//!
//! These are wire types: they only carry text and numbers across a file, and change only with [`SCHEMA_VERSION`].
//! Symbolic quantities travel as text in the form that `ipda-symbolic` prints (`4*[NJ]` is four times the value of `NJ`).

mod access;
mod calls;
mod changed;
mod check;
mod condition;
mod dependence;
mod document;
mod function;
mod group;
mod guarantee;
mod hardware;
mod location;
mod loops;
mod names;
mod obstacle;
mod omitted;
mod region;
mod resources;
mod schedule;
mod skewed;
mod sources;
mod transformation;
mod version5;

pub use access::{
    Access, AccessKind, Class, Count, FalseSharing, FalseSharingCause, MemoryKind, Moved, Passes, Rising, Stride,
    StrideKind,
};
pub use calls::{in_source, number_in_source, text_in_source};
pub use changed::{ChangedNest, PartOfTile};
pub use check::Violation;
pub use condition::{Condition, Lanes, all_hold};
pub use dependence::{Dependence, DependenceEnd, DependenceKind, DependenceStep, Directions};
pub use document::{MAX_BYTES, OLDEST_VERSION, Report, SCHEMA_VERSION, Side, SourceFile};
pub use function::{FunctionEffects, FunctionNote, KnownBy};
pub use group::{Charge, Group, Member};
pub use guarantee::Guarantee;
pub use hardware::Hardware;
pub use location::Location;
pub use loops::{Branch, LikelyTrips, Loop, LoopKind, NamedLoop, Quantity, Skewed, SkewedLoop, TripsLaw};
pub use names::Names;
pub use obstacle::{ObstacleKind, Reason};
pub use region::{Capture, Limit, Map, MapKind, Mode, OnDevice, OnHost, Region, RegionKind, Reject, Totals, ValueType};
pub use resources::{
    CodePlace, CostModel, HostCode, HostLoop, InstructionClass, LaunchClauses, Lockstep, LoopInstructions, Resources,
};
pub use schedule::{Mapping, Schedule, WarpStart, Workers};
pub use sources::SourceState;
pub use transformation::{Transformation, TransformationState};

pub use crate::versions::{ConditionRole, Extent, Gain};
pub(crate) use omitted::is_false;

use crate::yaml;
use document::Unchecked;
use serde::Deserialize;

impl TryFrom<Unchecked> for Report {
    type Error = Violation;

    fn try_from(found: Unchecked) -> Result<Report, Violation> {
        if found.ipda_report != SCHEMA_VERSION {
            return Err(check::version(found.ipda_report));
        }
        let Unchecked { ipda_report, tool, source, sources, side, target, hardware, regions, rejects } = found;
        let report = Report { ipda_report, tool, source, sources, side, target, hardware, regions, rejects };
        check::report(&report)?;
        Ok(report)
    }
}

/// Why a report file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Not a report, or not YAML.
    #[error("{0}")]
    Malformed(#[from] yaml::Error),
    /// A report that no plugin writes: something in it cannot be.
    #[error("{0}")]
    Impossible(#[from] Violation),
    /// Written by another version.
    #[error(
        "report schema version {found}, this program reads versions {OLDEST_VERSION} to {SCHEMA_VERSION}: use the `ipda` of the same release as the plugin"
    )]
    Version {
        /// The version in the file.
        found: u32,
    },
}

const OLD_VERSIONS: std::ops::Range<u32> = OLDEST_VERSION..SCHEMA_VERSION;

impl Report {
    /// The YAML text of the report.
    pub fn to_yaml(&self) -> String {
        yaml::write(self).expect("a report has only strings, numbers and lists")
    }

    /// Reads one report, and checks all of it; the version is reported before anything else.
    ///
    /// # Errors
    /// Where the text is no report, one of another version, or one that says what cannot be.
    pub fn from_yaml(text: &str) -> Result<Report, ReadError> {
        #[derive(Deserialize)]
        struct Version {
            ipda_report: u32,
        }
        // Most files are right, and are read once.
        let read = match yaml::read::<Unchecked>(text) {
            Ok(report) if report.ipda_report == SCHEMA_VERSION => return Ok(report.try_into()?),
            Err(error @ yaml::Error::Shape { .. }) => return Err(error.into()),
            read => read,
        };
        match yaml::read(text)? {
            Version { ipda_report: SCHEMA_VERSION } => Ok(read?.try_into()?),
            Version { ipda_report: found } if OLD_VERSIONS.contains(&found) => {
                let report = version5::upgraded(yaml::read(text)?)?;
                Ok(serde_yaml::from_value::<Unchecked>(report).map_err(yaml::Error::from)?.try_into()?)
            }
            Version { ipda_report: found } => Err(ReadError::Version { found }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A report in which nearly each key occurs.
    const SMALL: &str = include_str!("small.yaml");

    fn small() -> Report {
        Report::from_yaml(SMALL).expect("it is in the form that is written")
    }

    #[test]
    fn a_report_survives_the_file() {
        assert_eq!(small().to_yaml(), SMALL);
        let region = &small().regions[0];
        assert_eq!(
            (region.kind, region.mode, &region.loops[1].parent),
            (RegionKind::Target, Mode::MadeSpmd, &Some("loop0".into()))
        );
        assert_eq!(region.accesses[0].stride.text.as_deref(), Some("4*[NJ]"));
    }

    #[test]
    fn a_report_from_before_the_decision_is_read() {
        let mut report = small();
        report.regions[0].on_host = None;
        let text = report.to_yaml();
        assert!(!text.contains("on_host"));
        assert_eq!(Report::from_yaml(&text).unwrap(), report);
        report.regions[0].on_host = Some(OnHost { may_run: true, reason: None });
        assert!(report.to_yaml().contains("on_host:\n    may_run: true\n"), "{}", report.to_yaml());
    }

    #[test]
    fn lanes_are_counted_by_runs() {
        let lanes = |lanes: &[u32]| Lanes::fixed(lanes.iter().copied());
        let some = lanes(&[0, 1, 2, 20, 22, 24, 25]);
        assert_eq!((some.count(), some.text().as_deref()), (Some(7), Some("0-2 20 22 24 25")));
        assert_eq!(some.list().map(Iterator::collect), Some(vec![0, 1, 2, 20, 22, 24, 25]));
        assert_eq!((lanes(&[]).count(), lanes(&[]).text().as_deref()), (Some(0), Some("")));
        assert_eq!(Lanes::Uniform.count(), None);
    }

    #[test]
    fn another_version_is_reported_before_anything_else() {
        let text = "ipda_report: 999\nsomething: new\n";
        let error = Report::from_yaml(text).expect_err("another version");
        assert!(matches!(error, ReadError::Version { found: 999 }), "{error}");
    }

    #[test]
    fn misspelt_keys_are_errors() {
        let text = SMALL.replace("side:", "sides:");
        assert!(matches!(Report::from_yaml(&text), Err(ReadError::Malformed(_))));
    }

    /// What is said of the report with some of its text changed.
    fn refusal(from: &str, to: &str) -> String {
        assert!(SMALL.contains(from), "{from}");
        Report::from_yaml(&SMALL.replacen(from, to, 1)).err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn what_cannot_be_is_reported_with_its_place() {
        for (from, to, place, problem) in [
            ("warp_lanes: 32", "warp_lanes: 4294967295", "hardware.warp_lanes", "4294967295 is not from 1 to 4096"),
            ("sector_bytes: 32", "sector_bytes: 0", "hardware.sector_bytes", "0 is not from 1 to 4096"),
            ("banks: 32", "banks: 0", "hardware.banks", "0 is not from 1 to 4096"),
            (
                "object: C\n    bytes: 4\n",
                "object: C\n    bytes: 1099511627777\n",
                "regions[0] (gemm, 4).accesses[0].bytes",
                "is more than",
            ),
            ("  loop: loop0", "  loop: loop7", "accesses[0].loop", "there is no loop loop7 in the region"),
            (
                "shared: loop0",
                "shared: acc0",
                "resources[0].loops[0].place.shared",
                "there is no loop acc0 in the region",
            ),
            (
                "parent: loop0",
                "parent: loop1",
                "regions[0] (gemm, 4).loops[1].parent",
                "there is no loop loop1 before this one",
            ),
            ("- id: loop1", "- id: loop0", "loops[1].id", "loop0 is the id of another loop, too"),
            ("chance: 0.5", "chance: 1.5", "place.chance", "1.5 is not from 0 to 1"),
            ("chance: 0.5", "chance: .nan", "place.chance", "NaN is not from 0 to 1"),
            ("float32: 1.5", "float32: -1.0", "resources[0].loops[0].counts.float32", "-1 is not from 0 to 1e18"),
            ("float32: 1.5", "float32: .inf", "resources[0].loops[0].counts.float32", "inf is not from 0 to 1e18"),
            ("cbf29ce484222325", "secret", "sources[0].fnv1a", "expected 16 hexadecimal digits"),
            (
                "kind: symbolic\n      conditions:\n      - kind: holds\n        value: '[[n] >= 4]'",
                "kind: fixed\n      lanes: [[0, 15], [20, 32]]",
                "active_lanes.lanes",
                "no rising lanes of a warp of 32",
            ),
        ] {
            let refusal = refusal(from, to);
            assert!(refusal.contains(place) && refusal.contains(problem), "{from} -> {to}: {refusal}");
        }
        let digits = "9".repeat(1_000_000);
        for (from, to) in
            [("4*[NJ]", &digits[..]), ("4*[NJ]", &digits[..65_000]), ("- signed-arithmetic", &"- - ".repeat(50_000))]
        {
            assert!(!refusal(from, to).is_empty(), "{from}");
        }
        assert_eq!(refusal("4*[NJ]", &digits[..300]), "");
    }

    #[test]
    fn versions_that_cannot_be_are_reported_with_their_place() {
        let threads = "      - step: fused\n        threads:\n";
        let many = format!("{threads}{}", "        - name: k\n".repeat(200));
        for (from, to, place, problem) in [
            ("- id: v1", "- id: v0", "transformation.versions[0].id", "v0 does not come after v0"),
            ("- id: v3", "- id: v1", "transformation.versions[1].id", "v1 does not come after v1"),
            ("- id: v1", "- id: '1'", "transformation.versions[0]", "1 is no version, such as v1"),
            ("    state: done", "    state: best", "transformation.state", "its versions say otherwise"),
            ("      state: made", "      state: possible", "transformation.state", "its versions say otherwise"),
            ("      state: left", "      state: possible", "versions[1].reasons", "nothing stands in the way"),
            ("      state: made", "      state: left", "versions[0].rests_on", "is not known to be right"),
            ("    rests_on:", "    reasons:", "versions[0].reasons", "nothing stands in the way"),
            (
                "    reasons:\n      - text: a dep",
                "    rests_on:\n      - text: a dep",
                "rests_on",
                "is not known to be right",
            ),
            (threads, &many, "versions[0].recipe[0].threads", "202 of them; 128 are read"),
            ("step: fused", "step: tiled", "transformation.versions[0]", "unknown variant `tiled`"),
            ("is_interchange: true", "is_interchanged: true", "transformation.versions[0]", "unknown field"),
            ("for: apart", "for: nothing", "transformation.versions[0]", "unknown variant `nothing`"),
            (
                "sectors_after: 1.5",
                "sectors_after: -1.5",
                "versions[0].gain.sectors_after",
                "-1.5 is not from 0 to 1e18",
            ),
        ] {
            let refusal = refusal(from, to);
            assert!(refusal.contains(place) && refusal.contains(problem), "{from} -> {to}: {refusal}");
        }
    }

    #[test]
    fn words_that_are_not_known_are_errors() {
        for (from, to) in [
            ("kind: static-chunked", "kind: staticchunked"),
            ("over: threads", "over: warps"),
            ("kind: wide-teams", "kind: wide"),
            ("kind: holds-not", "kind: not"),
            ("mode: made-spmd", "mode: fast"),
            ("type: pointer", "type: ptr"),
            ("- signed-arithmetic", "- arithmetic"),
        ] {
            let refusal = refusal(from, to);
            assert!(refusal.contains(to.rsplit(' ').next().unwrap_or_default()), "{from} -> {to}: {refusal}");
        }
    }

    #[test]
    fn whichever_way_a_report_is_read_it_is_checked() {
        let text = SMALL.replace("warp_lanes: 32", "warp_lanes: 0");
        let error = serde_yaml::from_str::<Report>(&text).expect_err("no lanes").to_string();
        assert!(error.contains("hardware.warp_lanes: 0 is not"), "{error}");
    }

    #[test]
    fn names_that_are_words_of_yaml_stay_names() {
        let mut report = small();
        report.regions[0].captures = ["y", "n", "NO", "on", "=", "1_000", "1:30", "0o7", "012", "~", "2001-01-01"]
            .map(|name| Capture { name: name.into(), ty: ValueType::Integer(32), map: None })
            .into();
        let text = report.to_yaml();
        assert_eq!(Report::from_yaml(&text).unwrap(), report);
        let captures = text.split("accesses:").next().unwrap_or_default();
        let quoted = captures.lines().filter(|line| line.contains("- name: '")).count();
        assert_eq!(quoted, 11, "{text}");
    }
}
