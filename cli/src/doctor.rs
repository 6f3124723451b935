//! `ipda doctor`: whether everything is there that a compilation with the plugin needs, and how to get what is not.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use anyhow::Result;
use ipda_hwdb::Device;
use ipda_models::report::Report;

use crate::document::terminal::PLAIN;
use crate::document::{Document, Tone};
use crate::scratch::Scratch;
use crate::toolchain::{self, Language};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Where remedies begin, below what is wrong.
const INDENT: usize = 32;

/// A target region, and a program around it.
const SOURCE: &str = "\
int main(void) {
  int a[64];
#pragma omp target teams distribute parallel for map(from : a)
  for (int i = 0; i < 64; ++i)
    a[i] = i;
  return a[63] != 63;
}
";

/// What was found out about one thing.
enum Finding {
    /// It is there; what it is.
    Ok(String),
    /// It is not, and nothing goes without: what is wrong, and what to type.
    Missing(String, String),
    /// It is not, and only something goes without: what, and what to type.
    Optional(String, String),
}

use Finding::{Missing, Ok as Good, Optional};

/// Looks at each thing and prints a line for it; the exit status is 0 where nothing is missing.
pub fn run() -> Result<ExitCode> {
    let findings = findings();
    let mut out = Document::default();
    out.line(Tone::Plain, format!("ipda {VERSION}"));
    for (thing, finding) in &findings {
        let (mark, what, remedy) = match finding {
            Good(what) => ("ok", what, None),
            Missing(what, remedy) => ("missing", what, Some(remedy)),
            Optional(what, remedy) => ("none", what, Some(remedy)),
        };
        out.line(Tone::Plain, format!("{mark:<8} {thing:<22} {what}"));
        if let Some(remedy) = remedy.filter(|remedy| !remedy.is_empty()) {
            out.indented(INDENT, Tone::Plain, format!("=> {remedy}"));
        }
    }
    let missing = findings.iter().filter(|(_, finding)| matches!(finding, Missing(..))).count();
    out.line(
        Tone::Plain,
        match missing {
            0 => "everything that is needed is there".into(),
            1 => "1 thing is missing".into(),
            more => format!("{more} things are missing"),
        },
    );
    crate::terminal::print(&out.on(&PLAIN))?;
    Ok(if missing == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn findings() -> Vec<(&'static str, Finding)> {
    let clang = toolchain::clang(Language::C, None);
    let plugin = toolchain::plugin();
    let scratch = scratch();
    let mut all = vec![("clang 19", of_clang(&clang)), ("plugin", of_plugin(&plugin))];
    all.push(match (&clang, &plugin, &scratch) {
        (Ok(clang), Ok(plugin), Ok(scratch)) => ("plugin in clang", of_loading(clang, plugin, scratch)),
        (_, _, Err(error)) => ("plugin in clang", Missing(format!("{error:#}"), "export TMPDIR=/var/tmp".into())),
        _ => ("plugin in clang", Missing("not tried without clang and the plugin".into(), String::new())),
    });
    let descriptions = Device::builtins().len();
    all.push(("hardware descriptions", Good(format!("{descriptions} built in (ipda hw list)"))));
    all.push(("ipda-trace", of_trace()));
    let llvm = clang.as_deref().map_or_else(|_| PathBuf::from("/usr/lib/llvm-19"), toolchain::llvm_of);
    let (runtime, tools, cuda) = (of_device_runtime(&llvm), of_offload_tools(&llvm), of_cuda());
    let is_complete = [&runtime, &tools, &cuda].iter().all(|finding| matches!(finding, Good(_)));
    all.extend([("device runtime", runtime), ("offload tools", tools), ("CUDA tree", cuda)]);
    if let (true, Ok(scratch)) = (is_complete, &scratch) {
        all.push(("program for sm_90", of_program(scratch)));
    }
    all.push(("GPU driver", of_driver()));
    all
}

fn of_clang(clang: &Result<PathBuf>) -> Finding {
    match clang {
        Ok(path) => match toolchain::full_version(path) {
            Some(version) => Good(format!("{version}, {}", path.display())),
            None => Missing(format!("{} does not run", path.display()), "apt-get install --reinstall clang-19".into()),
        },
        Err(_) => Missing("there is no clang 19".into(), "apt-get install clang-19".into()),
    }
}

fn of_plugin(plugin: &Result<PathBuf>) -> Finding {
    match plugin {
        Ok(path) => Good(path.display().to_string()),
        Err(error) => Missing(error.to_string(), "export LIBIPDA=/path/to/libipda.so".into()),
    }
}

/// Compiles a region with the plugin, and reads the report that it writes.
fn of_loading(clang: &Path, plugin: &Path, scratch: &Scratch) -> Finding {
    let report = scratch.path().join("report.yaml");
    let flags = "-O1 -fopenmp --offload-arch=sm_90 -nogpulib --offload-device-only -S -o /dev/null";
    let mut command = compiler(scratch, clang);
    command.arg(format!("-fpass-plugin={}", plugin.display())).args(flags.split(' ')).env("IPDA_REPORT", &report);
    let output = match command.arg("source.c").output() {
        Ok(output) => output,
        Err(error) => return Missing(error.to_string(), "apt-get install --reinstall clang-19".into()),
    };
    let read = fs::read_to_string(&report).ok().and_then(|text| tool(&text));
    let other = |version: &str| format!("the plugin is {version}, and this program ipda {VERSION}");
    match read {
        Some(tool) if tool == format!("ipda {VERSION}") => Good(format!("version {VERSION}, and it reports a region")),
        Some(tool) => Missing(other(&tool), "export LIBIPDA=/path/to/libipda.so of the same version".into()),
        None => Missing(first_line(&output), format!("ldd {}", plugin.display())),
    }
}

/// Who wrote a report; also of one that is of another version.
fn tool(text: &str) -> Option<String> {
    let line = || text.lines().find_map(|line| line.strip_prefix("tool: ")).map(|tool| tool.trim().to_owned());
    Report::from_yaml(text).ok().map(|report| report.tool).or_else(line)
}

fn of_trace() -> Finding {
    let beside = env::current_exe().ok().map(|own| own.with_file_name("ipda-trace")).filter(|path| path.is_file());
    match beside.or_else(|| toolchain::on_path("ipda-trace")) {
        Some(path) => Good(path.display().to_string()),
        None => Optional(
            "`ipda trace` cannot run kernels on the CPU".into(),
            "cargo build --release -p ipda-executor (in a checkout)".into(),
        ),
    }
}

fn of_device_runtime(llvm: &Path) -> Finding {
    let entries = fs::read_dir(llvm.join("lib")).into_iter().flatten().flatten();
    let is_bitcode = |name: &str| name.starts_with("libomptarget-") && name.ends_with(".bc");
    let count = entries.filter(|entry| is_bitcode(&entry.file_name().to_string_lossy())).count();
    match count {
        0 => {
            Optional("no bitcode: programs for GPUs cannot be finished".into(), "apt-get install libomp-19-dev".into())
        }
        _ => Good(format!("bitcode for {count} processors in {}", llvm.join("lib").display())),
    }
}

fn of_offload_tools(llvm: &Path) -> Finding {
    let tools = ["clang-offload-packager", "clang-linker-wrapper", "ld.lld"];
    let absent: Vec<&str> = tools.into_iter().filter(|tool| !llvm.join("bin").join(tool).exists()).collect();
    match absent[..] {
        [] => Good(tools[..2].join(", ")),
        _ => Optional(
            format!("no {}: programs for GPUs cannot be linked", absent.join(", ")),
            "apt-get install clang-tools-19 lld-19".into(),
        ),
    }
}

fn of_cuda() -> Finding {
    // Packages bring what a checkout has in scripts/setup.
    let own = env::current_exe().ok().and_then(|own| Some(own.parent()?.parent()?.join("lib/ipda/cuda-tree")));
    let make = own
        .filter(|path| path.is_file())
        .map_or("scripts/setup (in a checkout)".into(), |path| path.display().to_string());
    let remedy = format!("{make}, which fetches 100 MB from PyPI, or export CUDA_PATH=/path/to/cuda-12");
    match toolchain::cuda() {
        None => Optional("no programs for NVIDIA's GPUs; `ipda cc --look` reports without it".into(), remedy),
        Some(tree) if !tree.join("bin/ptxas").exists() && toolchain::on_path("ptxas").is_none() => {
            Optional(format!("{} has no ptxas", tree.display()), remedy)
        }
        Some(tree) => Good(format!("ptxas and libdevice in {}", tree.display())),
    }
}

/// Builds a program the way a user would.
fn of_program(scratch: &Scratch) -> Finding {
    let Ok(own) = env::current_exe() else { return Missing("this program is not found".into(), String::new()) };
    let words = ["cc", "-O1", "-fopenmp", "--offload-arch=sm_90", "source.c", "-o", "program"];
    match compiler(scratch, &own).args(words).output() {
        Ok(output) if output.status.success() => Good("compiles and links".into()),
        Ok(output) => Optional(
            format!("cannot be built: {}", first_line(&output)),
            "ipda cc -v -fopenmp --offload-arch=sm_90 FILE.c, for all that clang says".into(),
        ),
        Err(error) => Missing(error.to_string(), String::new()),
    }
}

fn of_driver() -> Finding {
    let text = fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    let version = text.lines().next().and_then(|line| line.split("  ").map(str::trim).nth(1));
    match version {
        Some(version) => Good(format!("NVIDIA {version}")),
        None if Path::new("/dev/kfd").exists() => Good("AMD".into()),
        None => Optional("programs run on the host instead; reports need no GPU".into(), String::new()),
    }
}

/// What a failed command says first.
fn first_line(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.next().map_or_else(|| "the plugin says nothing".into(), str::to_owned)
}

/// A folder with the source.
fn scratch() -> Result<Scratch> {
    let scratch = Scratch::new("doctor")?;
    fs::write(scratch.path().join("source.c"), SOURCE)?;
    Ok(scratch)
}

/// A compiler in that folder, to which none of the plugin's options come through.
fn compiler(scratch: &Scratch, program: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(scratch.path());
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("IPDA_")) {
        command.env_remove(name);
    }
    command
}
