//! What the host compilation learns from the device compilations: they run first, and their finished objects are
//! embedded in the host's module.
//!
//! The host's code does not show how the device hands out iterations (an explicit `schedule(static)` looks like none).
//! So the device side plants one constant in its module that says so, a line a kernel, and the host side reads it back,
//! together with the execution modes that the optimiser left in the kernels' environments, the instructions that it left in their loops
//! (a second constant, planted after optimisation), and the registers and memory that the finished code needs. Without embedded objects the
//! host's own view serves.

mod binary;
mod constant;
mod cubin;
mod driver;
mod forget;
mod image;
mod instructions;
mod kernel;
mod report;

use crate::analysis::finished::{SourceRegion, source_of};
use crate::analysis::region::Setting;
use crate::analysis::written::Use;
use crate::openmp::KernelEnvironment;
use crate::openmp::outline::TargetRegion;
use crate::transform::overwritten::Overwritten;
use constant::plant_text;
pub(crate) use driver::{Place, host_code};
pub(crate) use forget::forget_reports;
pub(crate) use image::{DeviceImage, read};
use inkwell::module::Module;
use ipda_llvm::Value;
use ipda_models::report::Resources;
use kernel::PREFIX;
pub(crate) use kernel::{KernelFacts, LaunchStep, Version};
pub(crate) use report::{Relayed, plant_report};

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

/// Whether all images compute what a host's version of a kernel does; not where one does not say.
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

/// Plants the facts in a device module.
pub(crate) fn plant(module: &Module<'_>, facts: &[KernelFacts]) {
    plant_text(module, PREFIX, &kernel::write(facts));
}

/// The facts that a device module has; none where they cannot be read back.
pub(crate) fn planted(module: &Module<'_>) -> Option<Vec<KernelFacts>> {
    let are_facts = |name: &[u8]| name.starts_with(PREFIX.as_bytes());
    let mut all = Vec::new();
    for global in module.get_globals().filter(|global| are_facts(global.get_name().to_bytes())) {
        let bytes = Value::of(&global).initializer().and_then(Value::string_bytes)?;
        all.extend(kernel::parse(str::from_utf8(bytes).ok()?)?);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// One launch of a kernel, with more iterations by these factors.
    fn version(kernel: &str, factors: &[&str]) -> Version {
        let iterations = factors.iter().map(|factor| factor.parse().expect("a sum")).collect();
        Version { launches: vec![LaunchStep { kernel: kernel.into(), iterations }] }
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
