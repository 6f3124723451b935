//! What the device side says of one kernel, and the text in which it reaches the host.

use crate::analysis::region::DeviceSchedule;
use crate::analysis::written::Use;
use crate::openmp::Schedule;
use crate::transform::overwritten::Overwritten;
use crate::transform::{Made, Outcome, Sum};
use ipda_models::report::Transformation;
use serde::{Deserialize, Serialize};

pub(super) const PREFIX: &str = "__ipda_facts_";
const HEADER: &str = "ipda facts 5\n";

/// What the device side says of one kernel.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct KernelFacts {
    pub kernel: String,
    /// The shared loops in program order.
    pub schedules: Vec<DeviceSchedule>,
    /// What the device side did with its loops, for people.
    pub reported: Option<Transformation>,
    /// The versions that the device side has made beside the one as written.
    pub versions: Vec<Version>,
    /// What says whether the host's version is like it.
    pub structural_hash: Option<u64>,
    /// What it does to the memory that each of its captured variables leads to, as it was written; none where it may write anything.
    pub uses: Option<Vec<Use>>,
    /// What it overwrites entirely, as it was written.
    pub overwritten: Vec<Overwritten>,
}

/// A version of a kernel: what a host does for one launch of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Version {
    /// One behind the other.
    pub launches: Vec<LaunchStep>,
}

/// A launch of a kernel in the course of a version.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LaunchStep {
    pub kernel: String,
    /// By which numbers, multiplied, it has more iterations than the loop that was written.
    pub iterations: Vec<Sum>,
}

impl KernelFacts {
    /// Of a kernel with what became of its loops.
    pub(crate) fn new(
        kernel: &str,
        schedules: Vec<DeviceSchedule>,
        outcome: Outcome,
        structural_hash: Option<u64>,
        uses: Option<Vec<Use>>,
        overwritten: Vec<Overwritten>,
    ) -> KernelFacts {
        let launch = |made: Made| LaunchStep { kernel: kernel.to_owned(), iterations: made.factors };
        let versions = outcome.versions.into_iter().map(|made| Version { launches: vec![launch(made)] }).collect();
        KernelFacts {
            kernel: kernel.to_owned(),
            schedules,
            reported: outcome.reported,
            versions,
            structural_hash,
            uses,
            overwritten,
        }
    }

    /// Whether there is nothing to say.
    pub(crate) fn is_empty(&self) -> bool {
        *self == KernelFacts { kernel: self.kernel.clone(), ..KernelFacts::default() }
    }
}

/// The same as it is written: a line of schedules, such as `chunked:1 static:?`, and a letter for each captured variable, as in `rwr`.
#[derive(Serialize, Deserialize)]
struct Written {
    kernel: String,
    schedules: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reported: Option<Transformation>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    versions: Vec<WrittenVersion>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    structural_hash: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    uses: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    overwritten: Vec<WrittenStore>,
}

#[derive(Serialize, Deserialize)]
struct WrittenStore {
    capture: usize,
    bytes: u64,
    start: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    when: Vec<String>,
    loops: Vec<(String, String)>,
}

impl WrittenStore {
    fn of(store: &Overwritten) -> WrittenStore {
        let Overwritten { capture, bytes, start, when, loops } = store;
        WrittenStore {
            capture: *capture,
            bytes: *bytes,
            start: start.to_string(),
            when: when.iter().map(Sum::to_string).collect(),
            loops: loops.iter().map(|(stride, trips)| (stride.to_string(), trips.to_string())).collect(),
        }
    }

    fn read(self) -> Option<Overwritten> {
        let sum = |text: String| text.parse::<Sum>().ok();
        let pair = |(stride, trips)| Some((sum(stride)?, sum(trips)?));
        Some(Overwritten {
            capture: self.capture,
            bytes: self.bytes,
            start: sum(self.start)?,
            when: self.when.into_iter().map(sum).collect::<Option<_>>()?,
            loops: self.loops.into_iter().map(pair).collect::<Option<_>>()?,
        })
    }
}

#[derive(Serialize, Deserialize)]
struct WrittenVersion {
    launches: Vec<WrittenStep>,
}

#[derive(Serialize, Deserialize)]
struct WrittenStep {
    kernel: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    iterations: Vec<String>,
}

impl WrittenVersion {
    fn of(version: &Version) -> WrittenVersion {
        let step = |step: &LaunchStep| WrittenStep {
            kernel: step.kernel.clone(),
            iterations: step.iterations.iter().map(Sum::to_string).collect(),
        };
        WrittenVersion { launches: version.launches.iter().map(step).collect() }
    }

    fn read(self) -> Option<Version> {
        let step = |WrittenStep { kernel, iterations }| {
            let iterations = iterations.iter().map(|factor: &String| factor.parse().ok()).collect::<Option<_>>()?;
            Some(LaunchStep { kernel, iterations })
        };
        Some(Version { launches: self.launches.into_iter().map(step).collect::<Option<_>>()? })
    }
}

const SCHEDULES: [(&str, Schedule); 6] = [
    ("chunked", Schedule::StaticChunked),
    ("static", Schedule::Static),
    ("dynamic", Schedule::Dynamic),
    ("guided", Schedule::Guided),
    ("runtime", Schedule::Runtime),
    ("auto", Schedule::Auto),
];

const USES: [(char, Use); 2] = [('r', Use::NeverWritten), ('w', Use::MayBeWritten)];

/// As it is planted.
pub(super) fn write(facts: &[KernelFacts]) -> String {
    let schedule = |schedule: &DeviceSchedule| {
        let known = SCHEDULES.iter().find(|(_, known)| *known == schedule.schedule);
        let (name, _) = known.expect("all schedules are listed");
        format!("{name}:{}", schedule.chunk.map_or_else(|| "?".to_string(), |chunk| chunk.to_string()))
    };
    let letter = |found: &Use| {
        let known = USES.iter().find(|(_, known)| known == found);
        known.expect("all uses are listed").0
    };
    let written = |facts: &KernelFacts| Written {
        kernel: facts.kernel.clone(),
        schedules: facts.schedules.iter().map(schedule).collect::<Vec<_>>().join(" "),
        reported: facts.reported.clone(),
        versions: facts.versions.iter().map(WrittenVersion::of).collect(),
        structural_hash: facts.structural_hash,
        uses: facts.uses.as_ref().map(|uses| uses.iter().map(letter).collect()),
        overwritten: facts.overwritten.iter().map(WrittenStore::of).collect(),
    };
    let written: Vec<Written> = facts.iter().map(written).collect();
    HEADER.to_string() + &serde_yaml::to_string(&written).expect("text and numbers are always written")
}

/// None where it is of another version, or broken.
pub(super) fn parse(text: &str) -> Option<Vec<KernelFacts>> {
    let written: Vec<Written> = serde_yaml::from_str(text.trim_end_matches('\0').strip_prefix(HEADER)?).ok()?;
    let facts = |written: Written| {
        let schedule = |word: &str| {
            let (name, chunk) = word.split_once(':')?;
            let (_, schedule) = SCHEDULES.iter().find(|(known, _)| *known == name)?;
            Some(DeviceSchedule { schedule: *schedule, chunk: chunk.parse().ok() })
        };
        let use_of = |letter: char| USES.iter().find(|(known, _)| *known == letter).map(|(_, found)| *found);
        let uses = written.uses.map(|letters| letters.chars().map(use_of).collect::<Option<_>>());
        Some(KernelFacts {
            kernel: written.kernel,
            schedules: written.schedules.split_whitespace().map(schedule).collect::<Option<_>>()?,
            reported: written.reported,
            versions: written.versions.into_iter().map(WrittenVersion::read).collect::<Option<_>>()?,
            structural_hash: written.structural_hash,
            uses: match uses {
                Some(uses) => Some(uses?),
                None => None,
            },
            overwritten: written.overwritten.into_iter().map(WrittenStore::read).collect::<Option<_>>()?,
        })
    };
    written.into_iter().map(facts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of two kernels, without the first line.
    const FACTS: &str = r#"- kernel: __omp_offloading_1_2_f_l3
  schedules: chunked:? chunked:1
  reported:
    state: left
    reasons:
    - text: 'a: reason, with "signs"'
  versions:
  - launches:
    - kernel: __omp_offloading_1_2_f_l3
      iterations:
      - 1*s32.2
      - -1 + 3*u64.1^2*s32.2
  structural_hash: 18446744073709551615
  uses: rw
  overwritten:
  - capture: 1
    bytes: 8
    start: '0'
    when:
    - 1*not-negative(1*s32.3 + -1)
    loops:
    - - 8*s32.3
      - 1*s32.2
    - - '8'
      - 1*s32.3
- kernel: __omp_offloading_1_2_g_l9
  schedules: ''
"#;

    #[test]
    fn facts_survive_the_way_through_the_object() {
        let text = format!("{HEADER}{FACTS}");
        let facts = parse(&text).expect("it is in the form that is written");
        assert_eq!(write(&facts), text);
        assert_eq!(facts[0].schedules.iter().map(|of| of.chunk).collect::<Vec<_>>(), [None, Some(1)]);
        assert_eq!(facts[0].structural_hash, Some(u64::MAX));
        assert_eq!(facts[1], KernelFacts { kernel: "__omp_offloading_1_2_g_l9".into(), ..KernelFacts::default() });
        for other in [999, 4] {
            assert_eq!(parse(&format!("ipda facts {other}\n[]\n")), None);
        }
    }

    #[test]
    fn letters_that_nobody_knows_say_nothing() {
        let text = |letters: &str| format!("{HEADER}- kernel: f\n  schedules: ''\n  uses: {letters}\n");
        assert_eq!(parse(&text("x")), None);
        let facts = parse(&text("wr")).expect("two letters");
        assert_eq!(facts[0].uses, Some(vec![Use::MayBeWritten, Use::NeverWritten]));
    }
}
