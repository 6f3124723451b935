//! The machines that a build names: predictions in the program rest on them until better is known when it runs.
//!
//! What the user names comes first. Else the GPU is that of the device image's processor, or the nearest of its maker, the host the one that
//! `-march` names, or what all of its architecture have in common, and the link the GPU's usual one.

use inkwell::attributes::AttributeLoc;
use inkwell::module::Module;
use ipda_hwdb::{Cpu, Gpu, Link, cpu_targets, names};
use ipda_models::options::Options;
use ipda_models::predict::Machines;
use std::sync::{Mutex, PoisonError};

/// The machines that predictions are for, or why there are none; of the device images the processors.
pub(crate) fn machines(options: &Options, processors: &[&str], module: &Module<'_>) -> Result<Machines, String> {
    let gpu = match &options.gpu {
        Some(name) => Gpu::find(name).map_err(|error| error.to_string())?,
        None => processors
            .iter()
            .find_map(|processor| gpu_of(processor))
            .ok_or("no GPU is known for its device's processor: IPDA_GPU names one")?,
    };
    let cpu = match &options.cpu {
        Some(name) => Cpu::find(name).map_err(|error| error.to_string())?,
        None => {
            let triple = module.get_triple().as_str().to_string_lossy().into_owned();
            cpu_of(&triple, &host_processor(module).unwrap_or_default())
                .ok_or("no CPU is known for the host's architecture: IPDA_CPU names one")?
        }
    };
    let link = match options.link.as_ref().or(gpu.links.first()) {
        Some(name) => Link::find(name).map_err(|error| error.to_string())?,
        None => return Err(format!("{} names no link to a host: IPDA_LINK names one", gpu.name)),
    };
    Ok(Machines { gpu, cpu, link })
}

/// The GPU that stands for a processor of LLVM's. All phases of a module ask for the same one, which is read once.
pub(super) fn gpu_of(processor: &str) -> Option<Gpu> {
    static LAST: Mutex<Option<(String, Option<Gpu>)>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    match &*last {
        Some((known, gpu)) if known == processor => gpu.clone(),
        _ => {
            let gpu = find_gpu(processor);
            *last = Some((processor.to_owned(), gpu.clone()));
            gpu
        }
    }
}

fn find_gpu(processor: &str) -> Option<Gpu> {
    if let Ok(gpu) = Gpu::builtin(processor) {
        return Some(gpu);
    }
    let (maker, wanted) = generation(processor)?;
    let distance = |gpu: &Gpu| {
        let (of, number) = generation(&gpu.processor)?;
        // AMD's families share little, which is the number without its last two digits.
        let is_near = of == maker && (maker == Maker::Nvidia || number >> 8 == wanted >> 8);
        is_near.then(|| (number.abs_diff(wanted), number))
    };
    let all = names().filter_map(|name| Gpu::builtin(name).ok());
    let (_, gpu) = all.filter_map(|gpu| Some((distance(&gpu)?, gpu))).min_by_key(|(distance, _)| *distance)?;
    // Of several with one processor, the one that its name stands for.
    Gpu::builtin(&gpu.processor).ok().or(Some(gpu))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Maker {
    Nvidia,
    Amd,
}

/// `sm_90a` is NVIDIA's 90, `gfx90a` AMD's 0x90a.
fn generation(processor: &str) -> Option<(Maker, u32)> {
    if let Some(number) = processor.strip_prefix("sm_") {
        return Some((Maker::Nvidia, number.trim_end_matches(char::is_alphabetic).parse().ok()?));
    }
    // Features may follow, as in `gfx90a:xnack+`.
    let number = processor.strip_prefix("gfx")?.split(':').next()?;
    Some((Maker::Amd, u32::from_str_radix(number, 16).ok()?))
}

/// The CPU that stands for a host's triple and its processor's name.
fn cpu_of(triple: &str, processor: &str) -> Option<Cpu> {
    let architecture = triple.split('-').next()?;
    let found = cpu_targets().find(|cpu| cpu.architecture == architecture && cpu.processor == processor);
    found.and_then(|cpu| Cpu::builtin(cpu.name).ok()).or_else(|| Cpu::of_target(triple))
}

/// The processor that the module's functions are compiled for.
fn host_processor(module: &Module<'_>) -> Option<String> {
    let of_function = |function: inkwell::values::FunctionValue<'_>| {
        let attribute = function.get_string_attribute(AttributeLoc::Function, "target-cpu")?;
        Some(attribute.get_string_value().to_string_lossy().into_owned())
    };
    module.get_functions().filter(|function| function.count_basic_blocks() > 0).find_map(of_function)
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkwell::context::Context;
    use inkwell::targets::TargetTriple;

    fn gpu(processor: &str) -> Option<String> {
        gpu_of(processor).map(|gpu| gpu.name)
    }

    fn cpu(triple: &str, processor: &str) -> Option<String> {
        cpu_of(triple, processor).map(|cpu| cpu.name)
    }

    #[test]
    fn a_processor_stands_for_a_gpu() {
        let known = ["sm_90", "sm_80", "sm_70", "sm_89", "gfx90a", "gfx942"].map(gpu);
        let names = ["h100-sxm", "a100", "v100", "rtx4090", "mi210", "mi300x"];
        assert_eq!(known, names.map(|name| Some(name.to_owned())));
        let near = ["sm_90a", "sm_86", "sm_75", "sm_61", "sm_35", "sm_120", "gfx90a:xnack+", "gfx941"].map(gpu);
        let names = ["h100-sxm", "rtx3080", "v100", "p100", "k80", "h100-sxm", "mi210", "mi300x"];
        assert_eq!(near, names.map(|name| Some(name.to_owned())));
        assert_eq!(["gfx1030", "x86-64", "", "sm_", "gfx"].map(gpu), [const { None }; 5]);
    }

    #[test]
    fn a_processor_stands_for_a_cpu() {
        let x86 = "x86_64-pc-linux-gnu";
        assert_eq!(cpu(x86, "znver3").as_deref(), Some("epyc-milan"));
        assert_eq!(cpu(x86, "x86-64").as_deref(), Some("x86_64"));
        assert_eq!(cpu(x86, "alderlake").as_deref(), Some("x86_64"));
        assert_eq!(cpu("powerpc64le-unknown-linux-gnu", "pwr9").as_deref(), Some("power9"));
        assert_eq!(cpu("aarch64-unknown-linux-gnu", "znver3").as_deref(), Some("aarch64"));
        assert_eq!(cpu("riscv64-unknown-linux-gnu", ""), None);
    }

    #[test]
    fn what_the_user_names_comes_first() {
        let context = Context::create();
        let module = context.create_module("m");
        module.set_triple(&TargetTriple::create("x86_64-pc-linux-gnu"));
        let names = |options: &Options, processors: &[&str]| {
            machines(options, processors, &module).map(|found| [found.gpu.name, found.cpu.name, found.link.name])
        };
        let usual = names(&Options::default(), &["", "sm_80"]);
        assert_eq!(usual, Ok(["a100", "x86_64", "pcie4"].map(str::to_owned)));
        let options = Options {
            gpu: Some("v100".into()),
            cpu: Some("power9".into()),
            link: Some("pcie3".into()),
            ..Options::default()
        };
        assert_eq!(names(&options, &[]), Ok(["v100", "power9", "pcie3"].map(str::to_owned)));
        assert!(names(&Options::default(), &[]).is_err_and(|reason| reason.contains("IPDA_GPU")));
    }
}
