//! The mappings of two loops to teams and threads that TileK's authors compare (Vanderbruggen, Cavazos, Liao and Quinlan, "Directive-Based Tile Abstraction to
//! Distribute Loops on Accelerators", GPGPU-10, 2017, section 5.2), run and counted for their four kernels: written out as loops, and as the plugin makes them of the
//! plain loops where it is asked for them.

mod kernels;
mod made;
mod source;

use crate::arguments::{Description, difference};
use crate::interpreter::{Extent, Launch, Order, Races};
use crate::oracle::tool;
use crate::record::Counts;
use crate::subject::{Run, Subject};
use crate::transform::{Code, Pair, table};
use anyhow::{Context, anyhow, bail};
use ipda_symbolic::{Given, Mapping};
use kernels::{KERNELS, Kernel};
use made::Outcome;
use rustc_hash::FxHashMap;
use source::{Axes, mapped, plain};
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// The paper's launches of mappings with one axis and with two.
const AXES: [Axes; 2] = [Axes { teams: [16, 1], threads: [256, 1] }, Axes { teams: [4, 4], threads: [16, 16] }];

/// The function of the plain loops.
const PLAIN: &str = "plain";

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

/// A mapping of the plain loops.
struct Variant {
    /// Its function among those that are written out.
    name: String,
    mapping: Mapping,
    axes: Axes,
    /// As the plugin is asked for it.
    text: String,
}

/// A mapping's row of a table.
struct Row {
    name: String,
    text: String,
    cost: Cost,
    registers: String,
    is_right: bool,
    made: Made,
}

/// What the plugin makes of a mapping.
enum Made {
    /// Nothing; why.
    Left(String),
    /// Right in so many launches, in which it costs that with the table's sizes.
    Right(usize, Cost),
    /// Something else.
    Wrong(String),
}

/// What a kernel's table says of the mappings.
#[derive(Default)]
struct Sum {
    wrong: usize,
    /// Mappings that the plugin makes.
    made: usize,
    /// Launches of these that were compared.
    launches: usize,
}

/// Prints a table for each kernel; how many mappings compute something else, or race. Registers are those of the ptxas in a folder of CUDA's.
pub fn mappings(cuda: Option<&Path>, out: &mut dyn Write) -> anyhow::Result<usize> {
    let mut wrong = 0;
    for kernel in &KERNELS {
        wrong += of_kernel(kernel, cuda, 1, out).with_context(|| kernel.name)?.wrong;
    }
    Ok(wrong)
}

/// The mappings to teams, and those to threads.
fn variants(loops: &[&str]) -> anyhow::Result<Vec<Variant>> {
    let numbered = |prefix: &'static str, all: Vec<Mapping>| {
        all.into_iter().enumerate().map(move |(at, mapping)| (format!("{prefix}{}", at + 1), mapping))
    };
    let all = numbered("v", Mapping::for_teams(loops.len())).chain(numbered("t", Mapping::for_threads(loops.len())));
    let variant = |(name, mapping): (String, Mapping)| {
        let has_second_axis = mapping.given().any(|given| given == Given::Gang(1));
        let axes = AXES[usize::from(has_second_axis)];
        let asked_for = made::asked_for(&mapping, axes).ok_or_else(|| anyhow!("{name} has no such axes"))?;
        Ok(Variant { name, mapping, axes, text: asked_for.text(loops) })
    };
    all.map(variant).collect()
}

/// What is made is launched with each so manieth of the setups that there are.
fn of_kernel(kernel: &Kernel, cuda: Option<&Path>, every: usize, out: &mut dyn Write) -> anyhow::Result<Sum> {
    let names = kernel.loops.each_ref().map(|of| of.name);
    let variants = variants(&names)?;
    let mut text = plain(kernel, PLAIN, "");
    for Variant { name, mapping, axes, .. } in &variants {
        text += &mapped(kernel, name, mapping, *axes)
            .ok_or_else(|| anyhow!("{} has no such axes", mapping.text(&names)))?;
    }
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("mappings.c");
    std::fs::write(&path, text)?;
    let pair = Pair::compile(&Code { optimised: true, ..Code::default() }, &path, folder.path())?;
    let texts: Vec<String> = variants.iter().map(|variant| variant.text.clone()).collect();
    let made = made::Made::compile(kernel, &texts, folder.path())?;
    let registers = cuda.map(|cuda| registers(&path, cuda)).transpose()?.unwrap_or_default();
    let arguments = Description::parse(&(sizes(kernel) + &values(kernel)), &path)?;
    let values = Description::parse(&values(kernel), &path)?;
    let (own, reference) = launch(kernel, &pair.original, PLAIN, (8, 128), &arguments)?;
    let (changed, of_changed) = launch(kernel, &pair.changed, PLAIN, (8, 128), &arguments)?;
    let mut sum = Sum { wrong: usize::from(differs(&reference, &of_changed)), ..Sum::default() };
    let mut rows = Vec::new();
    for (number, Variant { name, mapping, axes, .. }) in variants.into_iter().enumerate() {
        let geometry = (axes.all_teams(), axes.threads_of_team());
        let (cost, run) = launch(kernel, &pair.original, &name, geometry, &arguments)?;
        let made = match made
            .outcome(number, &names, &texts[number], (&values, every))
            .with_context(|| texts[number].clone())?
        {
            Outcome::Left(reason) => Made::Left(reason),
            Outcome::Made(findings) => {
                let (cost, of_made) =
                    launch(kernel, &made.pair().changed, &made::function(number), geometry, &arguments)?;
                let differs = differs(&reference, &of_made).then(|| "it computes something else".to_owned());
                match findings.wrong.first().cloned().or(differs) {
                    Some(wrong) => Made::Wrong(wrong),
                    None => Made::Right(findings.launches, cost),
                }
            }
        };
        let is_right = !differs(&reference, &run);
        let registers = registers.get(&name[..]).map_or_else(String::new, u32::to_string);
        rows.push(Row { name, text: mapping.text(&names), cost, registers, is_right, made });
    }
    for row in &rows {
        sum.wrong += usize::from(!row.is_right);
        match &row.made {
            Made::Left(_) => {}
            Made::Right(launches, _) => {
                sum.made += 1;
                sum.launches += launches;
            }
            Made::Wrong(_) => sum.wrong += 1,
        }
    }
    rows.sort_by_key(|row| row.cost.sectors);
    let sizes: Vec<String> = kernel.sizes.iter().map(|(name, size)| format!("{name} = {size}")).collect();
    writeln!(out, "## {}: {}\n", kernel.name, sizes.join(", "))?;
    let mut table =
        table(&["number", "mapping", "sectors", "instructions", "registers", "right", "made", "sectors of that"]);
    let plain_registers = registers.get(PLAIN).map_or_else(String::new, u32::to_string);
    table.add_row(cells("", "as written", &own, &plain_registers, ["", "", ""]));
    let by_plugin = pair.mappings(plain_kernel(&pair.original)?).join(", ");
    table.add_row(cells("", &format!("as the plugin changes it: {by_plugin}"), &changed, "", ["", "", ""]));
    let mut notes: Vec<(String, Vec<String>)> = Vec::new();
    for row in &rows {
        let Row { name, text, cost, registers, is_right, made } = row;
        let number = name.strip_prefix('v').unwrap_or(name);
        let mut note = |text: &String| match notes.iter_mut().find(|(other, _)| other == text) {
            Some((_, numbers)) => numbers.push(number.to_owned()),
            None => notes.push((text.clone(), vec![number.to_owned()])),
        };
        let (verdict, sectors) = match made {
            Made::Left(why) => {
                note(why);
                ("left", String::new())
            }
            Made::Right(_, cost) => ("right", cost.sectors.to_string()),
            Made::Wrong(how) => {
                note(how);
                ("WRONG", String::new())
            }
        };
        let right = if *is_right { "yes" } else { "NO" };
        table.add_row(cells(number, &text.replace('|', "\\|"), cost, registers, [right, verdict, &sectors]));
    }
    writeln!(out, "{table}\n")?;
    for (text, numbers) in notes {
        writeln!(out, "{}: {text}.\n", numbers.join(", "))?;
    }
    let Sum { made, launches, .. } = sum;
    writeln!(out, "Of {made} mappings that are made, {launches} launches were compared with the loops as written.\n")?;
    Ok(sum)
}

/// Where a bar stands in a mapping, it is written so that it ends no cell.
fn cells(number: &str, mapping: &str, cost: &Cost, registers: &str, [right, made, of_that]: [&str; 3]) -> Vec<String> {
    let [sectors, operations] = [cost.sectors.to_string(), format!("{:.0}", cost.operations)];
    [number, mapping, &sectors, &operations, registers, right, made, of_that].map(str::to_owned).into()
}

fn differs(reference: &Run, run: &Run) -> bool {
    let (a, b) = ((&reference.memory, &reference.arrays[..]), (&run.memory, &run.arrays[..]));
    !run.outcome.races.is_empty() || difference(a, b).is_some()
}

/// The sizes of the table.
fn sizes(kernel: &Kernel) -> String {
    kernel.sizes.iter().map(|(name, size)| format!("{name}: {size}\n")).collect()
}

/// Arrays whose neighbouring elements differ, and other values.
fn values(kernel: &Kernel) -> String {
    let value = |(at, parameter): (usize, &str)| {
        let name = parameter.rsplit(['*', ' ']).next().unwrap_or(parameter);
        match parameter {
            _ if parameter.contains('*') => {
                format!("{name}: {{ type: f32, count: 65536, fill: {{ modulo: {} }} }}\n", 7 + 2 * at)
            }
            _ if parameter.starts_with("float") => format!("{name}: 0.5\n"),
            _ => String::new(),
        }
    };
    kernel.parameters.split(", ").enumerate().map(value).collect()
}

fn plain_kernel(subject: &Subject) -> anyhow::Result<usize> {
    let kernels = subject.kernels(Some(PLAIN));
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
    use kernels::Counter;

    #[test]
    fn all_mappings_of_a_kernel_compute_the_same_and_are_made() {
        let Kernel { loops: [i, j], .. } = KERNELS[1];
        // Fewer iterations than the table's, as primes.
        let loops = [Counter { trips: 67, ..i }, Counter { trips: 71, ..j }];
        let kernel = Kernel { loops, sizes: &[("n", 67), ("m", 71), ("l", 5)], ..KERNELS[1] };
        let mut out = Vec::new();
        let sum = of_kernel(&kernel, None, 9, &mut out).expect("they run");
        let text = String::from_utf8(out).expect("a table");
        assert_eq!((sum.wrong, sum.made), (0, 48), "{text}");
        assert!(sum.launches >= 48 * 30, "{text}");
        let cells =
            |line: &str| line.split(" | ").map(|cell| cell.trim_matches([' ', '|']).to_owned()).collect::<Vec<_>>();
        let rows: Vec<Vec<String>> = text.lines().filter(|line| line.contains(" right ")).map(cells).skip(1).collect();
        // What is written by hand and what is made touch the same.
        let is_right = |row: &Vec<String>| row[5..7] == ["yes", "right"] && row[2] == row[7];
        assert_eq!(rows.iter().filter(|row| is_right(row)).count(), 48, "{text}");
    }
}
