//! What the host compilation learns from the device compilations: they run first, and their finished objects are
//! embedded in the host's module.
//!
//! The host's code does not show how the device hands out iterations (an explicit `schedule(static)` looks like none).
//! So the device side plants one constant in its module that says so, a line a kernel, and the host side reads it back,
//! together with the execution modes that the optimiser left in the kernels' environments, the instructions that it left in their loops
//! (a second constant, planted behind it), and the registers and memory that the finished code needs. Without embedded objects the
//! host's own view serves.

mod binary;
mod cubin;
mod driver;
mod forget;
mod image;
mod instructions;
mod report;

use crate::analysis::finished::{SourceRegion, source_of};
use crate::analysis::region::{DeviceSchedule, Setting};
use crate::analysis::written::Use;
use crate::openmp::outline::TargetRegion;
use crate::openmp::{KernelEnvironment, Schedule};
use crate::transform::overwritten::Overwritten;
use crate::transform::{Made, Outcome, Sum};
pub(crate) use driver::{Place, host_code};
pub(crate) use forget::forget_reports;
pub(crate) use image::{DeviceImage, read};
use inkwell::module::{Linkage, Module};
use ipda_llvm::Value;
use ipda_models::hash::fnv1a;
use ipda_models::report::{Resources, Transformation};
pub(crate) use report::{Relayed, plant_report};
use serde::{Deserialize, Serialize};

const PREFIX: &str = "__ipda_facts_";
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
    /// What tells whether the host's version is like it.
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

/// What the images say of a kernel, the first image that knows it first.
pub(crate) fn of_kernel<'a>(
    images: &'a [DeviceImage],
    kernel: &str,
) -> (Option<&'a KernelFacts>, Option<KernelEnvironment>) {
    let facts = images.iter().flat_map(|image| &image.kernels).find(|facts| facts.kernel == kernel);
    let mode = images.iter().flat_map(|image| &image.environments).find(|(name, _)| name == kernel);
    (facts, mode.map(|(_, mode)| *mode))
}

/// How a kernel is launched: the steps of the version that was made of it. None, which is a launch as written, where the images do not say the
/// same, as one launch serves them all, or where a step is of another kernel, which the host's object does not register.
pub(crate) fn common_plan<'a>(images: &'a [DeviceImage], kernel: &str) -> &'a [LaunchStep] {
    let versions = |image: &'a DeviceImage| {
        let facts = image.kernels.iter().find(|facts| facts.kernel == kernel);
        facts.map_or(&[][..], |facts| &facts.versions)
    };
    let mut all = images.iter().map(versions);
    let first = all.next().unwrap_or_default();
    match first {
        [Version { launches }] if all.all(|other| other == first) => {
            if launches.iter().all(|step| step.kernel == kernel) { launches } else { &[] }
        }
        _ => &[],
    }
}

/// Whether all images compute what a host's version of a kernel does; not where one does not tell.
pub(crate) fn have_structural_hash(images: &[DeviceImage], kernel: &str, structural_hash: u64) -> bool {
    let of_image = |image: &DeviceImage| image.kernels.iter().find(|facts| facts.kernel == kernel)?.structural_hash;
    !images.is_empty() && images.iter().all(|image| of_image(image) == Some(structural_hash))
}

/// What a kernel does to what its captured variables lead to, where all images say that, and the same.
pub(crate) fn common_uses<'a>(images: &'a [DeviceImage], kernel: &str) -> Option<&'a [Use]> {
    let of_image = |image: &'a DeviceImage| {
        let mut known = image.kernels.iter().filter(|facts| facts.kernel == kernel);
        let found = known.next()?.uses.as_deref()?;
        known.all(|other| other.uses.as_deref() == Some(found)).then_some(found)
    };
    let mut all = images.iter().map(of_image);
    let first = all.next()??;
    all.all(|other| other == Some(first)).then_some(first)
}

/// What a kernel overwrites, where all images say the same.
pub(crate) fn common_overwritten<'a>(images: &'a [DeviceImage], kernel: &str) -> &'a [Overwritten] {
    let of_image = |image: &'a DeviceImage| {
        let mut known = image.kernels.iter().filter(|facts| facts.kernel == kernel);
        let found = known.next().map_or(&[][..], |facts| &facts.overwritten);
        if known.all(|other| other.overwritten == *found) { found } else { &[] }
    };
    let mut all = images.iter().map(of_image);
    let first = all.next().unwrap_or_default();
    if all.all(|other| other == first) { first } else { &[] }
}

/// What the images say of a kernel's finished code, one entry for each processor.
pub(crate) fn resources(images: &[DeviceImage], kernel: &str) -> Vec<Resources> {
    let of_image = |image: &DeviceImage| {
        let needs = image.needs.iter().find(|(name, _)| name == kernel).map(|(_, needs)| *needs);
        let counted = image.instructions.iter().find(|counted| counted.kernel == kernel);
        if needs.is_none() && counted.is_none() {
            return None;
        }
        let needs = needs.unwrap_or_default();
        let (loops, uncounted) = match counted.map(|counted| counted.loops.clone()) {
            Some(Ok(loops)) => (loops, None),
            Some(Err(reason)) => (Vec::new(), Some(reason)),
            None => (Vec::new(), Some("the device's compilation did not count them".into())),
        };
        Some(Resources {
            processor: if image.processor.is_empty() { image.triple.clone() } else { image.processor.clone() },
            registers: needs.registers,
            stack_bytes: needs.stack_bytes,
            shared_bytes: needs.shared_bytes,
            loops,
            uncounted,
        })
    };
    images.iter().filter_map(of_image).collect()
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

fn write(facts: &[KernelFacts]) -> String {
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

fn parse(text: &str) -> Option<Vec<KernelFacts>> {
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

/// Plants the facts in a device module.
pub(crate) fn plant(module: &Module<'_>, facts: &[KernelFacts]) {
    plant_text(module, PREFIX, &write(facts));
}

/// The facts that a device module has; none where they cannot be read back.
pub(crate) fn planted(module: &Module<'_>) -> Option<Vec<KernelFacts>> {
    let are_facts = |name: &[u8]| name.starts_with(PREFIX.as_bytes());
    let mut all = Vec::new();
    for global in module.get_globals().filter(|global| are_facts(global.get_name().to_bytes())) {
        let bytes = Value::of(&global).initializer().and_then(Value::string_bytes)?;
        all.extend(parse(str::from_utf8(bytes).ok()?)?);
    }
    Some(all)
}

/// What a device module's kernels consist of.
pub(crate) fn own_resources(
    module: &Module<'_>,
    setting: &Setting<'_>,
    regions: &[TargetRegion],
    sources: &[SourceRegion],
) -> Vec<(String, Resources)> {
    let processor = crate::openmp::outline::processor(module).unwrap_or_default();
    let of_kernel = |counted: instructions::Counted| {
        let image =
            DeviceImage { processor: processor.clone(), instructions: vec![counted.clone()], ..DeviceImage::default() };
        resources(&[image], &counted.kernel).into_iter().next().map(|found| (counted.kernel, found))
    };
    instructions::count(setting, regions.iter(), sources).into_iter().filter_map(of_kernel).collect()
}

/// Plants the instructions that a GPU's kernels consist of after optimisation, where facts were planted before it.
pub(crate) fn plant_instructions(
    module: &Module<'_>,
    setting: &Setting<'_>,
    regions: &[TargetRegion],
    sources: &[SourceRegion],
) {
    let has_facts = module.get_globals().any(|global| global.get_name().to_bytes().starts_with(PREFIX.as_bytes()));
    let is_for_host = module.get_triple().as_str().to_bytes().starts_with(b"x86");
    if has_facts && !is_for_host {
        let known = regions.iter().filter(|region| source_of(sources, &region.symbol).is_some());
        let counted = instructions::count(setting, known, sources);
        plant_text(module, instructions::PREFIX, &instructions::write(&counted));
    }
}

fn plant_text(module: &Module<'_>, prefix: &str, text: &str) {
    plant_bytes(module, prefix, &[text.as_bytes(), &[0]].concat());
}

fn plant_bytes(module: &Module<'_>, prefix: &str, bytes: &[u8]) {
    // The name follows the content: equal constants of several files merge, different ones do not clash.
    let value = module.get_context().const_string(bytes, false);
    let triple = module.get_triple().as_str().to_string_lossy().into_owned();
    const DEVICE_GLOBAL_MEMORY: u16 = 1;
    let space = (!triple.starts_with("x86")).then(|| DEVICE_GLOBAL_MEMORY.into());
    let global = module.add_global(value.get_type(), space, &format!("{prefix}{:016x}", fnv1a(bytes)));
    global.set_initializer(&value);
    global.set_constant(true);
    global.set_linkage(Linkage::WeakODR);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ipda_models::report::TransformationState;

    /// One launch of a kernel, with more iterations by these factors.
    fn version(kernel: &str, factors: &[&str]) -> Version {
        let iterations = factors.iter().map(|factor| factor.parse().expect("a sum")).collect();
        Version { launches: vec![LaunchStep { kernel: kernel.into(), iterations }] }
    }

    fn sum(text: &str) -> Sum {
        text.parse().expect("a sum")
    }

    #[test]
    fn facts_survive_the_way_through_the_object() {
        let reported = Transformation {
            state: TransformationState::Left,
            reasons: vec!["a: reason, with \"signs\"".into()],
            versions: Vec::new(),
        };
        let facts = vec![
            KernelFacts {
                kernel: "__omp_offloading_1_2_f_l3".into(),
                schedules: vec![
                    DeviceSchedule { schedule: Schedule::StaticChunked, chunk: None },
                    DeviceSchedule { schedule: Schedule::StaticChunked, chunk: Some(1) },
                ],
                reported: Some(reported),
                versions: vec![version("__omp_offloading_1_2_f_l3", &["1*s32.2", "-1 + 3*u64.1^2*s32.2"])],
                structural_hash: Some(u64::MAX),
                uses: Some(vec![Use::NeverWritten, Use::MayBeWritten]),
                overwritten: vec![Overwritten {
                    capture: 1,
                    bytes: 8,
                    start: sum("0"),
                    when: vec![sum("1*not-negative(1*s32.3 + -1)")],
                    loops: vec![(sum("8*s32.3"), sum("1*s32.2")), (sum("8"), sum("1*s32.3"))],
                }],
            },
            KernelFacts { kernel: "__omp_offloading_1_2_g_l9".into(), ..KernelFacts::default() },
        ];
        assert_eq!(parse(&write(&facts)), Some(facts));
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

    #[test]
    fn uses_are_what_all_images_say() {
        let facts = |kernel: &str, uses: Option<&[Use]>| KernelFacts {
            kernel: kernel.into(),
            uses: uses.map(<[Use]>::to_vec),
            ..KernelFacts::default()
        };
        let image = |kernels: &[KernelFacts]| DeviceImage { kernels: kernels.to_vec(), ..DeviceImage::default() };
        let [reads, writes] = [&[Use::NeverWritten][..], &[Use::MayBeWritten]];
        let read = || image(&[facts("f", Some(reads))]);
        assert_eq!(common_uses(&[], "f"), None);
        assert_eq!(common_uses(&[read()], "f"), Some(reads));
        assert_eq!(common_uses(&[read(), read()], "f"), Some(reads));
        let others = [
            vec![facts("f", Some(writes))],
            vec![facts("f", None)],
            vec![facts("g", Some(reads))],
            // Of two files in one image.
            vec![facts("f", Some(reads)), facts("f", Some(writes))],
        ];
        for other in others {
            assert_eq!(common_uses(&[read(), image(&other)], "f"), None);
            assert_ne!(common_uses(&[image(&other)], "f"), Some(reads));
        }
    }

    #[test]
    fn a_plan_is_what_all_images_say() {
        let image = |kernel: &str, versions: &[Version]| DeviceImage {
            kernels: vec![KernelFacts { kernel: kernel.into(), versions: versions.to_vec(), ..KernelFacts::default() }],
            ..DeviceImage::default()
        };
        let plan = |images: &[DeviceImage]| common_plan(images, "f").to_vec();
        let [twice, thrice, other] = [("f", "2"), ("f", "3"), ("g", "2")].map(|(kernel, sum)| version(kernel, &[sum]));
        let of = |version: &Version| image("f", std::slice::from_ref(version));
        assert_eq!(plan(&[of(&twice)]), twice.launches);
        assert_eq!(plan(&[of(&twice), of(&twice)]), twice.launches);
        assert_eq!(plan(&[of(&twice), of(&thrice)]), []);
        assert_eq!(plan(&[of(&twice), image("f", &[])]), []);
        assert_eq!(plan(&[of(&twice), image("g", &[])]), []);
        assert_eq!(plan(&[of(&other)]), []);
        // Which of several is to be launched, nobody says.
        assert_eq!(plan(&[image("f", &[twice, thrice])]), []);
        assert_eq!(plan(&[]), []);
    }
}
