//! What the host compilation learns from the device compilations: they run first, and their finished objects are
//! embedded in the host's module.
//!
//! The host's code does not show how the device hands out iterations (an explicit `schedule(static)` looks like none).
//! So the device side plants one constant in its module that says so, a line a kernel, and the host side reads it back,
//! together with the execution modes that the optimiser left in the kernels' environments, the instructions that it left in their loops
//! (a second constant, planted behind it), and the registers and memory that the finished code needs. Without embedded objects the
//! host's own view serves.

mod cubin;
mod driver;
mod image;
mod instructions;

use crate::analyse::{DeviceSchedule, Setting};
use crate::finished::{SourceRegion, source_of};
use crate::ir::Value;
use crate::omp::{KernelEnvironment, Schedule};
use crate::outline::TargetRegion;
use crate::transform::{Made, Outcome, Sum};
pub(crate) use driver::another_compilation_speaks;
pub(crate) use image::{DeviceImage, read};
use inkwell::module::{Linkage, Module};
use ipda_models::report::{Resources, Transformation};
use serde::{Deserialize, Serialize};

const PREFIX: &str = "__ipda_facts_";
const HEADER: &str = "ipda facts 4\n";

/// What the device side says of one kernel.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct KernelFacts {
    pub kernel: String,
    /// The shared loops in program order.
    pub schedules: Vec<DeviceSchedule>,
    /// What the device side did with its loops.
    pub outcome: Outcome,
    /// What tells whether the host's version is like it.
    pub likeness: Option<u64>,
}

/// The same as it is written: a line of schedules, such as `chunked:1 static:?`.
#[derive(Serialize, Deserialize)]
struct Written {
    kernel: String,
    schedules: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    told: Option<Transformation>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    factors: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    likeness: Option<u64>,
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

/// By which numbers, multiplied, a kernel's fused loop has more iterations than the one that was written; none where the images do not say
/// the same: one launch serves them all.
pub(crate) fn common_factors<'a>(images: &'a [DeviceImage], kernel: &str) -> &'a [Sum] {
    let factors = |image: &'a DeviceImage| {
        let facts = image.kernels.iter().find(|facts| facts.kernel == kernel);
        facts.map_or(&[][..], |facts| factors_of(&facts.outcome))
    };
    let mut all = images.iter().map(factors);
    let first = all.next().unwrap_or_default();
    if all.all(|other| other == first) { first } else { &[] }
}

/// Those of the preferred version: a launch tells the runtime one count, whichever version runs.
fn factors_of(outcome: &Outcome) -> &[Sum] {
    outcome.versions.first().map_or(&[], |made| &made.factors)
}

/// Whether all images compute what a host's version of a kernel does; not where one does not tell.
pub(crate) fn are_like(images: &[DeviceImage], kernel: &str, likeness: u64) -> bool {
    let of_image = |image: &DeviceImage| image.kernels.iter().find(|facts| facts.kernel == kernel)?.likeness;
    !images.is_empty() && images.iter().all(|image| of_image(image) == Some(likeness))
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

fn write(facts: &[KernelFacts]) -> String {
    let schedule = |schedule: &DeviceSchedule| {
        let known = SCHEDULES.iter().find(|(_, known)| *known == schedule.schedule);
        let (name, _) = known.expect("all schedules are listed");
        format!("{name}:{}", schedule.chunk.map_or_else(|| "?".to_string(), |chunk| chunk.to_string()))
    };
    let written = |facts: &KernelFacts| Written {
        kernel: facts.kernel.clone(),
        schedules: facts.schedules.iter().map(schedule).collect::<Vec<_>>().join(" "),
        told: facts.outcome.told.clone(),
        factors: factors_of(&facts.outcome).iter().map(Sum::to_string).collect(),
        likeness: facts.likeness,
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
        let factors = written.factors.iter().map(|factor| factor.parse().ok()).collect::<Option<Vec<_>>>()?;
        let versions = if factors.is_empty() { Vec::new() } else { vec![Made { factors }] };
        Some(KernelFacts {
            kernel: written.kernel,
            schedules: written.schedules.split_whitespace().map(schedule).collect::<Option<_>>()?,
            outcome: Outcome { told: written.told, versions },
            likeness: written.likeness,
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
    let processor = crate::outline::processor(module).unwrap_or_default();
    let of_kernel = |counted: instructions::Counted| {
        let image =
            DeviceImage { processor: processor.clone(), instructions: vec![counted.clone()], ..DeviceImage::default() };
        resources(&[image], &counted.kernel).into_iter().next().map(|found| (counted.kernel, found))
    };
    instructions::count(setting, regions.iter(), sources).into_iter().filter_map(of_kernel).collect()
}

/// Plants the instructions that a GPU's kernels consist of behind the optimiser, where facts were planted in front of it.
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
    // The name follows the content: equal constants of several files merge, different ones do not clash.
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let value = module.get_context().const_string(text.as_bytes(), true);
    let triple = module.get_triple().as_str().to_string_lossy().into_owned();
    const DEVICE_GLOBAL_MEMORY: u16 = 1;
    let space = (!triple.starts_with("x86")).then(|| DEVICE_GLOBAL_MEMORY.into());
    let global = module.add_global(value.get_type(), space, &format!("{prefix}{hash:016x}"));
    global.set_initializer(&value);
    global.set_constant(true);
    global.set_linkage(Linkage::WeakODR);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ipda_models::report::TransformationState;

    #[test]
    fn facts_survive_the_way_through_the_object() {
        let told = Transformation {
            state: TransformationState::Left,
            threads: Vec::new(),
            is_interchange: false,
            gain: None,
            conditions: Vec::new(),
            roles: Vec::new(),
            reasons: vec!["a: reason, with \"signs\"".into()],
            clause: None,
        };
        let facts = vec![
            KernelFacts {
                kernel: "__omp_offloading_1_2_f_l3".into(),
                schedules: vec![
                    DeviceSchedule { schedule: Schedule::StaticChunked, chunk: None },
                    DeviceSchedule { schedule: Schedule::StaticChunked, chunk: Some(1) },
                ],
                outcome: Outcome {
                    told: Some(told),
                    versions: vec![Made {
                        factors: vec![
                            "1*s32.2".parse().expect("a sum"),
                            "-1 + 3*u64.1^2*s32.2".parse().expect("a sum"),
                        ],
                    }],
                },
                likeness: Some(u64::MAX),
            },
            KernelFacts { kernel: "__omp_offloading_1_2_g_l9".into(), ..KernelFacts::default() },
        ];
        assert_eq!(parse(&write(&facts)), Some(facts));
        assert_eq!(parse("ipda facts 999\n"), None);
    }
}
