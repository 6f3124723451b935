//! The mappings of two loops to teams and threads that TileK's authors compare (Vanderbruggen, Cavazos, Liao and Quinlan, "Directive-Based Tile Abstraction to
//! Distribute Loops on Accelerators", GPGPU-10, 2017, section 5.2), run and counted for their four kernels, beside what the plugin makes of the plain loops.

mod kernels;
mod source;

use crate::arguments::{Description, difference};
use crate::interpreter::{Extent, Launch, Order, Races};
use crate::oracle::tool;
use crate::record::Counts;
use crate::subject::{Run, Subject};
use crate::transform::{Code, Pair, table};
use anyhow::{Context, anyhow, bail};
use ipda_symbolic::{Count, Given, Mapping, Part};
use kernels::{KERNELS, Kernel};
use rustc_hash::FxHashMap;
use source::{Axes, mapped, plain};
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// The paper's launches of mappings with one axis and with two.
const AXES: [Axes; 2] = [Axes { teams: [16, 1], threads: [256, 1] }, Axes { teams: [4, 4], threads: [16, 16] }];

/// Operations of a warp after which a run ends.
const MAX_STEPS: u64 = 200_000_000;

/// What registers are asked for: sm_90's.
const PROCESSOR: &str = "sm_90";

/// What a launch did.
struct Cost {
    sectors: u64,
    /// Operations of warps, for as many iterations as a warp has lanes.
    operations: f64,
}

/// Prints a table for each kernel; how many mappings compute something else, or race. Registers are those of the ptxas in a folder of CUDA's.
pub fn mappings(cuda: Option<&Path>, out: &mut dyn Write) -> anyhow::Result<usize> {
    let mut wrong = 0;
    for kernel in &KERNELS {
        wrong += of_kernel(kernel, cuda, out).with_context(|| kernel.name)?;
    }
    Ok(wrong)
}

fn of_kernel(kernel: &Kernel, cuda: Option<&Path>, out: &mut dyn Write) -> anyhow::Result<usize> {
    let all = Mapping::for_teams(kernel.loops.len());
    let names = kernel.loops.each_ref().map(|of| of.name);
    let mut text = plain(kernel);
    let mut variants = Vec::new();
    for (at, mapping) in all.iter().enumerate() {
        let has_second_axis = |part: &Part| part.count == Count::Given(Given::Gang(1));
        let axes = AXES[usize::from(mapping.threads().iter().any(has_second_axis))];
        let name = format!("v{}", at + 1);
        text += &mapped(kernel, &name, mapping, axes)
            .ok_or_else(|| anyhow!("{} has no such axes", mapping.text(&names)))?;
        // A bar ends a cell.
        variants.push((name, mapping.text(&names).replace('|', "\\|"), axes));
    }
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("mappings.c");
    std::fs::write(&path, text)?;
    let pair = Pair::compile(&Code { optimised: true, ..Code::default() }, &path, folder.path())?;
    let registers = cuda.map(|cuda| registers(&path, cuda)).transpose()?.unwrap_or_default();
    let arguments = arguments(kernel, &path)?;
    let (own, reference) = launch(kernel, &pair.original, "plain", (8, 128), &arguments)?;
    let (changed, of_changed) = launch(kernel, &pair.changed, "plain", (8, 128), &arguments)?;
    let mut wrong = usize::from(differs(&reference, &of_changed));
    let mut rows = Vec::new();
    for (name, text, axes) in variants {
        let (cost, run) =
            launch(kernel, &pair.original, &name, (axes.all_teams(), axes.threads_of_team()), &arguments)?;
        let is_wrong = differs(&reference, &run);
        wrong += usize::from(is_wrong);
        let registers = registers.get(&name[..]).map_or_else(String::new, u32::to_string);
        let verdict = if is_wrong { "NO" } else { "yes" };
        rows.push((cost, [name, text, registers, verdict.to_owned()]));
    }
    rows.sort_by_key(|(cost, _)| cost.sectors);
    let sizes: Vec<String> = kernel.sizes.iter().map(|(name, size)| format!("{name} = {size}")).collect();
    writeln!(out, "## {}: {}\n", kernel.name, sizes.join(", "))?;
    let mut table = table(&["number", "mapping", "sectors", "instructions", "registers", "right"]);
    let plain_registers = registers.get("plain").map_or_else(String::new, u32::to_string);
    table.add_row(cells(&own, &["", "as written", &plain_registers, ""]));
    let made = plain_kernel(&pair.original)?;
    let by_plugin = format!("as the plugin changes it: {}", pair.mappings(made).join(", "));
    table.add_row(cells(&changed, &["", &by_plugin, "", ""]));
    for (cost, [name, text, registers, verdict]) in &rows {
        table.add_row(cells(cost, &[&name[1..], text, registers, verdict]));
    }
    writeln!(out, "{table}\n")?;
    Ok(wrong)
}

fn cells(cost: &Cost, [number, mapping, registers, verdict]: &[&str; 4]) -> Vec<String> {
    let [sectors, operations] = [cost.sectors.to_string(), format!("{:.0}", cost.operations)];
    [number, mapping, &sectors[..], &operations, registers, verdict].map(str::to_owned).into()
}

fn differs(reference: &Run, run: &Run) -> bool {
    let (a, b) = ((&reference.memory, &reference.arrays[..]), (&run.memory, &run.arrays[..]));
    !run.outcome.races.is_empty() || difference(a, b).is_some()
}

/// Sizes, and arrays whose neighbouring elements differ.
fn arguments(kernel: &Kernel, path: &Path) -> anyhow::Result<Description> {
    let mut text = String::new();
    for (name, size) in kernel.sizes {
        text += &format!("{name}: {size}\n");
    }
    for (at, parameter) in kernel.parameters.split(", ").enumerate() {
        let name = parameter.rsplit(['*', ' ']).next().unwrap_or(parameter);
        if parameter.contains('*') {
            text += &format!("{name}: {{ type: f32, count: 65536, fill: {{ modulo: {} }} }}\n", 7 + 2 * at);
        } else if parameter.starts_with("float") {
            text += &format!("{name}: 0.5\n");
        }
    }
    Ok(Description::parse(&text, path)?)
}

fn plain_kernel(subject: &Subject) -> anyhow::Result<usize> {
    let kernels = subject.kernels(Some("plain"));
    kernels.first().copied().context("the plain loops are no kernel")
}

fn launch(
    kernel: &Kernel,
    subject: &Subject,
    function: &str,
    (teams, threads): (u64, u64),
    arguments: &Description,
) -> anyhow::Result<(Cost, Run)> {
    let [number] = subject.kernels(Some(function))[..] else { bail!("there are not one kernel of {function}") };
    let arguments = arguments.only_for(&subject.parameters[number]);
    let extent = |number: u64| Extent::from(u32::try_from(number).unwrap_or(u32::MAX));
    let launch = Launch {
        teams: extent(teams),
        threads: extent(threads),
        order: Order::Warps,
        races: Races::Detect,
        max_steps: MAX_STEPS,
    };
    let mut counts = Counts::new(&subject.program, subject.geometry(), subject.banks());
    let run = subject.run(number, &arguments, &launch, Some(&mut counts))?;
    let own = subject.program.sites().filter(|(_, site)| !site.is_runtime).map(|(id, _)| counts.site(id).sectors);
    let warps = kernel.iterations() as f64 / f64::from(subject.program.lanes());
    Ok((Cost { sectors: own.sum(), operations: run.outcome.steps as f64 / warps }, run))
}

/// The registers of each function's kernel, by clang and the ptxas of a folder of CUDA's.
fn registers(path: &Path, cuda: &Path) -> anyhow::Result<FxHashMap<String, u32>> {
    let arch = format!("--offload-arch={PROCESSOR}");
    let output = Command::new(tool("clang"))
        .args(["-O2", "-w", "-fopenmp", &arch, "-c", "-o", "/dev/null", "-Xcuda-ptxas", "-v"])
        .arg(format!("--cuda-path={}", cuda.display()))
        .arg(format!("--libomptarget-nvptx-bc-path={}", tool("../lib").display()))
        .arg(path)
        .output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let mut of_functions = FxHashMap::default();
    let mut function = None;
    for line in text.lines() {
        if let Some((_, entry)) = line.split_once("Compiling entry function '") {
            // `__omp_offloading_DEVICE_FILE_FUNCTION_lLINE' for 'sm_90'`
            let name = entry.split('\'').next().unwrap_or(entry);
            function = name.rsplit('_').nth(1).map(str::to_owned);
        }
        let used = line.split_once("Used ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
        if let Some((function, used)) = function.take_if(|_| used.is_some()).zip(used) {
            of_functions.insert(function, used);
        }
    }
    if of_functions.is_empty() {
        bail!("ptxas says nothing of registers: {}", text.lines().next().unwrap_or("no output"));
    }
    Ok(of_functions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_mappings_of_a_kernel_compute_the_same() {
        let mut out = Vec::new();
        assert_eq!(of_kernel(&KERNELS[1], None, &mut out).expect("they run"), 0);
        let text = String::from_utf8(out).expect("a table");
        assert_eq!(text.lines().filter(|line| line.ends_with("yes |")).count(), 40, "{text}");
    }
}
