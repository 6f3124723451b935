//! The report file: one versioned YAML document per translation unit, written by the plugin and read by the `ipda` program.
//!
//! These are wire types: they only carry text and numbers across a file, and change only with [`SCHEMA_VERSION`].
//! Symbolic quantities travel as text in the form that `ipda-symbolic` prints (`4*[NJ]` is four times the value of `NJ`).

mod access;
mod calls;
mod dependence;
mod lanes;
mod names;
mod obstacle;
mod region;
mod resources;
mod sources;
mod transformation;

pub use access::{
    Access, AccessKind, Class, Count, FalseSharing, FalseSharingCause, MemoryKind, Passes, Stride, StrideKind,
};
pub use calls::{in_source, number_in_source, text_in_source};
pub use dependence::{Dependence, DependenceEnd, DependenceKind, DependenceStep};
pub use lanes::{Branch, Lanes, LanesKind, Loop, LoopKind, Quantity};
pub use names::Names;
pub use obstacle::{ObstacleKind, Reason};
pub use region::{Capture, Limit, Map, Mode, ModeKind, OnHost, Region, RegionKind, Reject, Totals};
pub use resources::{CodePlace, HostCode, HostLoop, InstructionClass, LaunchClauses, LoopInstructions, Resources};
pub use sources::{SourceFile, SourceState};
pub use transformation::{ConditionRole, Extent, Gain, NamedLoop, Transformation, TransformationState};

use serde::{Deserialize, Serialize};

/// The version of this schema; a reader refuses files with a later one.
pub const SCHEMA_VERSION: u32 = 5;

/// The oldest version that is still read: version 4 has no hashes of sources, and of what stands in the way of better loops the words alone.
pub const OLDEST_VERSION: u32 = 4;

/// Words in [`Region::mapping`] where counts hold only for teams of full warps.
pub const FULL_WARPS: &str = "as teams of full warps do";

/// Words in [`Region::mapping`] where counts hold only for teams whose rows are full warps.
pub const WIDE_TEAMS: &str = "threads wide in x: a warp's threads are neighbours in x";

/// Everything that the plugin saw in one translation unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// From [`OLDEST_VERSION`] to [`SCHEMA_VERSION`].
    pub ipda_report: u32,
    /// Name and version of the writer, such as `ipda 0.1.0`.
    pub tool: String,
    /// The main source file as it was given to the compiler.
    pub source: String,
    /// What the source files were like that the report names places in, as far as the compilation could read them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceFile>,
    /// Which compilation the report was made in.
    pub side: Side,
    /// The target triple of that compilation.
    pub target: String,
    /// The device whose lanes, sectors and lines were counted.
    pub hardware: Hardware,
    /// The target regions, in source order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<Region>,
    /// Regions that were found and could not be described at all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejects: Vec<Reject>,
}

/// Host or device compilation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The host's module.
    Host,
    /// A device module.
    Device,
}

/// Sizes that the counts rest on; from the hardware database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hardware {
    /// Entry name in the hardware database, such as `h200`.
    pub name: String,
    /// Threads that execute together.
    pub warp_lanes: u32,
    /// Smallest unit of a memory transaction, bytes.
    pub sector_bytes: u32,
    /// Cache line, bytes.
    pub line_bytes: u32,
    /// Banks of the memory that a team shares.
    pub banks: u32,
    /// Word of a bank, bytes.
    pub bank_bytes: u32,
}

/// A place in the user's source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Location {
    /// File name as the compiler knows it.
    pub file: String,
    /// Line, counted from 1; 0 where only the file is known.
    pub line: u32,
    /// Column, counted from 1; 0 where only the line is known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub column: u32,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        if self.column > 0 {
            write!(f, ":{}", self.column)?;
        }
        Ok(())
    }
}

fn is_false(b: &bool) -> bool {
    !*b
}

/// Why a report file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Not a report, or not YAML.
    #[error("{0}")]
    Malformed(#[from] serde_yaml::Error),
    /// Written by another version.
    #[error(
        "report schema version {found}, this program reads versions {OLDEST_VERSION} to {SCHEMA_VERSION}: use the `ipda` of the same release as the plugin"
    )]
    Version {
        /// The version in the file.
        found: u32,
    },
}

const VERSIONS: std::ops::RangeInclusive<u32> = OLDEST_VERSION..=SCHEMA_VERSION;

impl Report {
    /// The YAML text of the report.
    pub fn to_yaml(&self) -> String {
        serde_yaml::to_string(self).expect("a report has only strings, numbers and lists")
    }

    /// Reads one report; the version is checked before anything else.
    pub fn from_yaml(text: &str) -> Result<Report, ReadError> {
        #[derive(Deserialize)]
        struct Version {
            ipda_report: u32,
        }
        // Most files are right, and are read once.
        let read = match serde_yaml::from_str::<Report>(text) {
            Ok(report) if VERSIONS.contains(&report.ipda_report) => return Ok(report),
            read => read,
        };
        let Version { ipda_report: found } = serde_yaml::from_str(text)?;
        if !VERSIONS.contains(&found) {
            return Err(ReadError::Version { found });
        }
        Ok(read?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Report {
        let stride = Stride {
            kind: StrideKind::Symbolic,
            text: Some("4*[NJ]".into()),
            at_row_ends: None,
            row_length: None,
            reason: None,
        };
        let access = Access {
            id: "acc0".into(),
            in_loop: Some("loop0".into()),
            kind: AccessKind::Load,
            memory: MemoryKind::Global,
            object: "C".into(),
            bytes: 4,
            location: Some(Location { file: "gemm.c".into(), line: 7, column: 19 }),
            called_from: vec![Location { file: "main.c".into(), line: 30, column: 5 }],
            address: "[C] + 4*i*[NJ]".into(),
            stride,
            class: Class::Symbolic,
            class_within_rows: None,
            sectors: None,
            lines: None,
            greedy_requests: None,
            bank_passes: None,
            active_lanes: Some(Lanes { kind: LanesKind::Symbolic, text: Some("[[n] > 3]".into()), reason: None }),
            condition: Some("[i < 32]".into()),
            executions: Quantity { value: Some("[NJ]".into()), unknown: None },
            assumptions: vec![],
            steps: vec!["a step".into()],
            false_sharing: Some(FalseSharing { bytes_apart: 4, line_bytes: 64, cause: FalseSharingCause::Chunks }),
        };
        Report {
            ipda_report: SCHEMA_VERSION,
            tool: "ipda 0.0.0".into(),
            source: "gemm.c".into(),
            sources: vec![SourceFile { file: "gemm.c".into(), fnv1a: "cbf29ce484222325".into() }],
            side: Side::Host,
            target: "x86_64-pc-linux-gnu".into(),
            hardware: Hardware {
                name: "h200".into(),
                warp_lanes: 32,
                sector_bytes: 32,
                line_bytes: 128,
                banks: 32,
                bank_bytes: 4,
            },
            regions: vec![Region {
                kind: RegionKind::Target,
                function: "gemm".into(),
                location: Location { file: "gemm.c".into(), line: 4, column: 0 },
                mode: Mode { kind: ModeKind::MadeSpmd, why: "because: it is".into() },
                captures: vec![Capture { name: "C".into(), ty: "pointer".into(), map: None }],
                loops: vec![],
                accesses: vec![access],
                branches: vec![],
                totals: Totals { sectors: Some("0".into()), without_count: 1, by_class: vec![(Class::Symbolic, 1)] },
                mapping: vec![],
                transformation: None,
                resources: vec![Resources {
                    processor: "sm_90".into(),
                    registers: Some(40),
                    stack_bytes: Some(0),
                    shared_bytes: None,
                    loops: vec![LoopInstructions {
                        place: CodePlace {
                            depth: 1,
                            line: Some(7),
                            shared: Some("loop0".into()),
                            executions: Quantity { value: Some("[NJ]".into()), unknown: None },
                            chance: 0.5,
                        },
                        counts: [(InstructionClass::LoadGlobal, 2.0), (InstructionClass::Float32, 1.5)].into(),
                    }],
                    uncounted: None,
                }],
                host_code: Some(HostCode {
                    processor: "x86-64".into(),
                    loops: vec![HostLoop {
                        place: CodePlace {
                            depth: 2,
                            line: None,
                            shared: Some("loop0".into()),
                            executions: Quantity { value: None, unknown: Some("it depends on data".into()) },
                            chance: 1.0,
                        },
                        instructions: 12.0,
                        loads: 2.0,
                        stores: 1.0,
                        calls: 0.0,
                        cycles: [("znver3".into(), 2.25)].into(),
                    }],
                    unanalysed: None,
                }),
                on_host: Some(OnHost {
                    may_run: false,
                    reason: Some(Reject { name: "NoSection".into(), reason: "no: clause".into(), location: None }),
                }),
                launch: LaunchClauses {
                    num_teams: Some(Quantity { value: Some("[n]".into()), unknown: None }),
                    ..LaunchClauses::default()
                },
                rejects: vec![Reject { name: "Recursion".into(), reason: "f calls itself".into(), location: None }],
                limits: vec![Limit { name: "product-terms".into(), count: 2 }],
            }],
            rejects: vec![],
        }
    }

    #[test]
    fn a_report_survives_the_file() {
        let report = small();
        assert_eq!(Report::from_yaml(&report.to_yaml()).expect("its own text is read"), report);
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
        let lanes = |kind, text: &str| Lanes { kind, text: Some(text.into()), reason: None };
        assert_eq!(lanes(LanesKind::Fixed, "0-15 20 22 24-25").count(), Some(20));
        assert_eq!(lanes(LanesKind::Fixed, "").count(), Some(0));
        assert_eq!(lanes(LanesKind::Fixed, "5-1").count(), None);
        assert_eq!(lanes(LanesKind::Symbolic, "0").count(), None);
    }

    #[test]
    fn another_version_is_told_before_anything_else() {
        let text = "ipda_report: 999\nsomething: new\n";
        let error = Report::from_yaml(text).expect_err("another version");
        assert!(matches!(error, ReadError::Version { found: 999 }), "{error}");
    }

    #[test]
    fn a_report_of_version_4_is_read() {
        let mut old = small();
        (old.ipda_report, old.sources) = (4, Vec::new());
        assert_eq!(Report::from_yaml(&old.to_yaml()).unwrap(), old);
        let older = old.to_yaml().replace("ipda_report: 4", "ipda_report: 3");
        let error = Report::from_yaml(&older).expect_err("too old").to_string();
        assert!(error.contains("version 3, this program reads versions 4 to 5"), "{error}");
    }

    #[test]
    fn misspelt_keys_are_errors() {
        let text = small().to_yaml().replace("side:", "sides:");
        assert!(matches!(Report::from_yaml(&text), Err(ReadError::Malformed(_))));
    }
}
