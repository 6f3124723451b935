//! The machines that times are predicted for.

use anyhow::{Context, Result, bail};
use ipda_hwdb::{Cpu, Gpu, Link};
use ipda_models::predict::Machines;
use ipda_models::report::Report;

/// The machines, and in words where nobody chose one.
pub(crate) fn find_machines(
    gpu: Option<&str>,
    cpu: Option<&str>,
    link: Option<&str>,
    report: &Report,
) -> Result<(Machines, Vec<String>)> {
    let mut chosen = Vec::new();
    let gpu = match gpu {
        Some(name) => Gpu::find(name)?,
        None => {
            chosen
                .push("the GPU is the one that the report counted for; --gpu names another of ipda hw list".to_owned());
            Gpu::find(&report.hardware.name)?
        }
    };
    let cpu = match cpu {
        Some(name) => Cpu::find(name)?,
        None => {
            let architecture = report.target.split('-').next().unwrap_or_default();
            let found = Cpu::of_target(&report.target).with_context(|| {
                format!("the report's target is {architecture}, which is no host's: name one with --cpu")
            })?;
            chosen.push(format!(
                "the host is what processors for {architecture} have in common, which says little about times; --cpu names one of ipda hw list"
            ));
            found
        }
    };
    let link = match link {
        Some(name) => Link::find(name)?,
        None => {
            let usual =
                gpu.links.first().with_context(|| format!("{} names no link: name one with --link", gpu.name))?;
            chosen.push("the link is the GPU's usual one; --link names another of ipda hw list".to_owned());
            Link::find(usual)?
        }
    };
    Ok((Machines { gpu, cpu, link }, chosen))
}

/// Lets a device run with the clock that it always keeps, and says with which. What its caches and memory give in a second stays.
pub(super) fn at_base_clock(gpu: &mut Gpu) -> Result<String> {
    let base = gpu.chip.base_clock.clone();
    let Ok(value) = &base else {
        bail!(
            "the description of {} has no chip.base_clock: predict without --clock base, or add it to the description",
            gpu.name
        )
    };
    let sentence = format!("the device runs with its base clock, {}", value.get());
    gpu.chip.clock = base;
    Ok(sentence)
}
