//! Measuring the machine that this runs on.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use ipda_hwdb::{Device, Gpu, names};
use ipda_measure::{Effort, GpuBench, Machine, measure_cpu};
use ipda_models::waiting::Waiting;

#[derive(clap::Args)]
pub struct Arguments {
    /// What to measure.
    #[arg(value_enum, default_value_t)]
    what: What,
    /// The name of the description.
    #[arg(long, default_value = "here")]
    name: String,
    /// The most threads to measure with [default: one for each processor].
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// The built-in GPU whose values are taken for what is not measured [default: one with the same processor].
    #[arg(long, value_name = "NAME")]
    based_on: Option<String>,
    /// Take only about a second, to see that it works; do not use the figures.
    #[arg(long)]
    quick: bool,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum What {
    /// The processors and the memory.
    #[default]
    Cpu,
    /// The first GPU of the CUDA driver.
    Gpu,
    /// The link to that GPU.
    Link,
}

pub fn text(arguments: &Arguments) -> Result<String> {
    let processors = Machine::of(Path::new("/")).processors;
    if let Some(threads) = arguments.threads.filter(|threads| usize::from(*threads) > processors) {
        bail!("--threads {threads} are more than this machine's processors, of which there are {processors}");
    }
    let effort = if arguments.quick { Effort::Quick } else { Effort::Thorough };
    let line = Waiting::on("measuring, which takes up to minutes");
    let text = match arguments.what {
        What::Cpu => measure_cpu(&arguments.name, arguments.threads.map(usize::from), effort),
        What::Gpu => {
            let gpu = open(effort)?;
            let base = base(arguments.based_on.as_deref(), &gpu)?;
            gpu.describe(&arguments.name, &base).map_err(|why| anyhow!("cannot measure the GPU: {why}"))?
        }
        What::Link => {
            open(effort)?.describe_link(&arguments.name).map_err(|why| anyhow!("cannot measure the link: {why}"))?
        }
    };
    drop(line);
    // What contradicts the base or itself is printed all the same, with what is wrong about it.
    if let Err(errors) = Device::parse(&text, Path::new("what was measured")) {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        bail!("what was measured is no description:\n{}\n{text}", errors.join("\n"));
    }
    Ok(text)
}

fn open(effort: Effort) -> Result<GpuBench> {
    GpuBench::open(effort).map_err(|why| anyhow!("no GPU can be measured: {why}"))
}

/// The built-in GPU that is named, or the one with the same processor whose name is most of the product's.
fn base(named: Option<&str>, gpu: &GpuBench) -> Result<String> {
    if let Some(name) = named {
        return Ok(Gpu::builtin(name)?.name);
    }
    let product = gpu.product.to_lowercase();
    let same = names().filter_map(|name| Gpu::builtin(name).ok()).filter(|known| known.processor == gpu.processor);
    let alike = |known: &Gpu| known.name.split('-').filter(|part| product.contains(part)).map(str::len).sum::<usize>();
    same.max_by_key(alike).map(|known| known.name).with_context(|| {
        format!("no built-in GPU has the processor {} of {}: name one with --based-on", gpu.processor, gpu.product)
    })
}
