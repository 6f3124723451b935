//! Sources put to the test as a whole: compiled, run in all orders, and every prediction compared with what happens.

mod generated;

pub use generated::{Sample, fails, sample};

use crate::arguments::{Argument, ArgumentError, Defaults, Description};
use crate::interpreter::{Extent, Launch, Order, Races};
use crate::judge::{self, Finding, Plan};
use crate::load::{self, LoadError, LoadOptions};
use crate::predict::Summary;
use crate::subject::{RunError, Subject};
use crate::trace::{self, Trace};
use crate::trial;
use inkwell::context::Context;
use ipda::Counted;
use ipda_models::report::StrideKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use thiserror::Error;

/// Why a source could not be put to the test.
#[derive(Debug, Error)]
pub enum OracleError {
    /// clang said no.
    #[error("{path} does not compile: {message}")]
    Compile {
        /// The source.
        path: PathBuf,
        /// clang's first line.
        message: String,
    },
    /// clang is not there.
    #[error("cannot start {clang}: {reason}; install clang-19, or set LLVM_SYS_191_PREFIX to where LLVM 19 is")]
    NoClang {
        /// The program.
        clang: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// The module cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A file cannot be written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// A comment `// ORACLE: ` says what is not known.
    #[error(
        "{path}: `ORACLE: {line}` is none of `has races`, `depends on the launch`, `by hand: FILE` and `fails: WORDS`"
    )]
    Directive {
        /// The source.
        path: PathBuf,
        /// What the comment says.
        line: String,
    },
    /// The arguments in the source's comments are wrong.
    #[error(transparent)]
    Arguments(#[from] ArgumentError),
}

/// At which point of the compiler's way a module is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The front end's output, which is what the plugin sees.
    FrontEnd,
    /// After the device's optimisation.
    Optimised,
    /// The front end's output, in which the plugin has fused loops.
    Fused,
}

/// A program of the installed LLVM 19.
pub(crate) fn tool(name: &str) -> PathBuf {
    let prefix = std::env::var_os("LLVM_SYS_191_PREFIX").map_or_else(|| "/usr/lib/llvm-19".into(), PathBuf::from);
    prefix.join("bin").join(name)
}

/// Which of a source's compilations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The one for the host.
    Host,
    /// The one for the device.
    Device,
}

/// The GPUs that sources with OpenMP are compiled for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Target {
    /// NVIDIA's, with warps of 32 lanes.
    #[default]
    Nvptx64,
    /// AMD's, with warps of 64 lanes.
    Amdgcn,
}

impl Target {
    fn processor(self) -> &'static str {
        match self {
            Target::Nvptx64 => "--offload-arch=sm_90",
            Target::Amdgcn => "--offload-arch=gfx90a",
        }
    }
}

/// Compiles the device side of a source: C or C++ with OpenMP for `sm_90`, CUDA for `sm_90`, HIP for `gfx90a`.
pub fn compile(source: &Path, stage: Stage, output: &Path) -> Result<(), OracleError> {
    compile_side(source, stage, Side::Device, output)
}

/// As [`compile`], for either side.
pub fn compile_side(source: &Path, stage: Stage, side: Side, output: &Path) -> Result<(), OracleError> {
    compile_for(Target::default(), source, stage, side, output)
}

/// As [`compile_side`], for a target of OpenMP's.
pub fn compile_for(target: Target, source: &Path, stage: Stage, side: Side, output: &Path) -> Result<(), OracleError> {
    let language = source.extension().and_then(|extension| extension.to_str()).unwrap_or("c");
    let clang = tool(if language == "c" { "clang" } else { "clang++" });
    let mut command = Command::new(&clang);
    command.args(["-O2", "-g", "-Xclang", "-debug-info-kind=constructor"]);
    // Sources in these languages need no headers: the compiler's own words are enough.
    command.args(match language {
        "cu" => ["-x", "cuda", "-nocudainc", "-nocudalib", "--offload-arch=sm_90"],
        "hip" => ["-x", "hip", "-nogpuinc", "-nogpulib", "--offload-arch=gfx90a"],
        _ => ["-fopenmp", target.processor(), "-nogpulib", "-w", "-w"],
    });
    command.arg(if side == Side::Device { "--offload-device-only" } else { "--offload-host-only" });
    command.args(["-emit-llvm", "-c", "-w"]);
    if stage != Stage::Optimised {
        command.args(["-Xclang", "-disable-llvm-passes"]);
    }
    let result = command
        .arg(source)
        .arg("-o")
        .arg(output)
        .output()
        .map_err(|error| OracleError::NoClang { clang: clang.clone(), reason: error.to_string() })?;
    if result.status.success() {
        if stage == Stage::Fused {
            let context = Context::create();
            let module = load::read_any(&context, output)?;
            ipda::fuse_loops(&module, None, None, Counted::Fused);
            module.write_bitcode_to_path(output);
        }
        return Ok(());
    }
    let text = String::from_utf8_lossy(&result.stderr);
    let message = text.lines().find(|line| line.contains("error")).unwrap_or("clang failed").to_owned();
    Err(OracleError::Compile { path: source.to_owned(), message })
}

/// Which kernels of a source a comment is about.
#[derive(Debug, Default)]
pub enum Kernels {
    /// None of them.
    #[default]
    None,
    /// All of them.
    All,
    /// Those of the functions with these names.
    Of(Vec<String>),
}

impl Kernels {
    /// Reads what stands behind the words of a comment: nothing, or a colon and names.
    fn read(rest: &str) -> Kernels {
        match rest.strip_prefix(':') {
            Some(names) => Kernels::Of(names.split(',').map(|name| name.trim().to_owned()).collect()),
            None => Kernels::All,
        }
    }

    /// Whether the kernel of a function is one of them.
    pub fn contains(&self, function: &str) -> bool {
        match self {
            Kernels::None => false,
            Kernels::All => true,
            Kernels::Of(names) => names.iter().any(|name| name == function),
        }
    }
}

/// What a source's comments say for its tests: lines `// ARGS: ` hold a description of arguments, and `// ORACLE: ` what is expected that
/// would otherwise be wrong.
#[derive(Debug, Default)]
pub struct Directives {
    /// The arguments.
    pub description: Description,
    /// Whose results may depend on the launch: the source asks for thread numbers or the like.
    pub may_depend: Kernels,
    /// Which kernels have races, which must be found.
    pub has_races: Kernels,
    /// Words that the message must hold with which the kernel is refused or stops.
    pub fails: Option<String>,
    /// The source beside this one that holds the same regions with the clauses that an expert writes.
    pub by_hand: Option<String>,
}

impl Directives {
    /// Reads the comments of a source.
    pub fn read(source: &Path) -> Result<Directives, OracleError> {
        let text = std::fs::read_to_string(source)?;
        let lines = |key: &str| -> Vec<&str> {
            text.lines()
                .filter_map(|line| line.trim_start().strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(' '))
                .collect()
        };
        let yaml = lines("ARGS:").join("\n");
        let description = if yaml.is_empty() { Description::default() } else { Description::parse(&yaml, source)? };
        let mut directives = Directives { description, ..Directives::default() };
        for line in lines("ORACLE:") {
            let line = line.trim();
            if let Some(rest) = line.strip_prefix("depends on the launch") {
                directives.may_depend = Kernels::read(rest);
            } else if let Some(rest) = line.strip_prefix("has races") {
                directives.has_races = Kernels::read(rest);
            } else if let Some(words) = line.strip_prefix("fails: ") {
                directives.fails = Some(words.to_owned());
            } else if let Some(name) = line.strip_prefix("by hand: ") {
                directives.by_hand = Some(name.to_owned());
            } else {
                return Err(OracleError::Directive { path: source.to_owned(), line: line.to_owned() });
            }
        }
        Ok(directives)
    }
}

/// The counts of one kernel of a source.
#[derive(Debug, Default)]
pub struct Verdict {
    /// `gemm:11`.
    pub kernel: String,
    /// How predictions fared, over all launches.
    pub summary: Summary,
    /// Accesses by single lanes, over all traced launches.
    pub lane_accesses: u64,
    /// What is wrong, a sentence each.
    pub wrong: Vec<String>,
    /// Launches made.
    pub launches: usize,
}

impl Verdict {
    /// Accesses in the report, by kind of stride.
    pub fn entries(&self) -> [usize; 7] {
        KINDS.map(|kind| self.summary.entries_of(kind))
    }
}

/// All kinds of stride.
pub const KINDS: [StrideKind; 7] = [
    StrideKind::Constant,
    StrideKind::Vector,
    StrideKind::Symbolic,
    StrideKind::RowEnds,
    StrideKind::PerLane,
    StrideKind::DataDependent,
    StrideKind::Unknown,
];

/// The description with every array moved by one element, so that no base is aligned to more than its elements.
pub fn misaligned(description: &Description) -> Description {
    fn shift(argument: &mut Argument) {
        match argument {
            Argument::Array(array) => array.offset += array.element.size(),
            Argument::Pointers(pointers) => pointers.iter_mut().for_each(shift),
            _ => {}
        }
    }
    let mut moved = description.clone();
    moved.arguments.iter_mut().for_each(|(_, argument)| shift(argument));
    moved
}

/// No input of a sensible size takes more operations.
const MAX_STEPS: u64 = 50_000_000;

/// Launches in which predictions are compared: full warps, several warps a team, and fewer threads than iterations or more.
const TRACED: [(u32, u32); 3] = [(3, 64), (2, 128), (1, 32)];

/// Puts one kernel to the test.
pub fn kernel(subject: &Subject, kernel: usize, directives: &Directives) -> Verdict {
    let region = subject.region(kernel);
    let mut verdict = Verdict { kernel: format!("{}:{}", region.function, region.line), ..Verdict::default() };
    if let Err(error) = examine(subject, kernel, directives, &mut verdict) {
        verdict.wrong.push(error.to_string());
    }
    verdict
}

fn examine(subject: &Subject, kernel: usize, directives: &Directives, verdict: &mut Verdict) -> Result<(), RunError> {
    let parameters = &subject.parameters[kernel];
    // A source with several kernels has one description for all.
    let given = directives.description.only_for(parameters);
    let filled = |defaults: Defaults, launches: &[Launch]| {
        trial::with_room(subject, kernel, &given, &defaults, launches).fill_defaults(parameters, &defaults)
    };
    let code = &subject.program.kernels()[kernel];
    // A launch that the source describes is the largest of a target region, and the only one of a kernel, which is written for it.
    let asked = given.launch.unwrap_or_default();
    let within = |extent: Extent, most: Option<Extent>| match most {
        // The work of a region goes to however many threads there are; that of a kernel goes by the launch.
        Some(Extent([x, 1, 1])) if code.is_region => extent.at_most(x),
        Some(shape) => shape,
        None => extent,
    };
    let fit = |(teams, threads): (u32, u32)| {
        let (teams, threads) = code.at_most(teams.into(), threads.into());
        (within(teams, asked.teams), within(threads, asked.threads))
    };
    let launch = |geometry: (u32, u32)| {
        let (teams, threads) = fit(geometry);
        Launch { teams, threads, order: Order::Warps, races: Races::Ignore, max_steps: MAX_STEPS }
    };
    let mut traced = TRACED.to_vec();
    traced.dedup_by_key(|geometry| fit(*geometry));
    let launches: Vec<Launch> = traced.iter().map(|&geometry| launch(geometry)).collect();
    let description = filled(Defaults::default(), &launches)?;
    for geometry in traced {
        for description in [description.clone(), misaligned(&description)] {
            let traced: Result<Trace, RunError> =
                trace::trace(subject, kernel, &description, &launch(geometry), None::<std::io::Sink>);
            verdict.launches += 1;
            match (traced, &directives.fails) {
                (Ok(_), Some(words)) => verdict.wrong.push(format!("it runs, but was expected to fail: {words}")),
                (Ok(trace), None) => {
                    verdict.lane_accesses += trace.counts.lane_accesses();
                    verdict.summary.merge(trace.summary);
                }
                (Err(error), Some(words)) if error.to_string().contains(words.as_str()) => return Ok(()),
                (Err(error), _) => return Err(error),
            }
        }
    }
    verdict.wrong.extend(verdict.summary.sentences());
    // Small, for each thread runs alone: what the order hides shows with few iterations, too.
    let mut geometries = [(3, 64), (1, 32), (2, 40)].map(fit).to_vec();
    geometries.dedup();
    let plan = Plan { geometries, max_steps: MAX_STEPS, ..Plan::around(1.into(), 1.into()) };
    let in_warps: Vec<Launch> = plan.launches().filter(|launch| launch.order == Order::Warps).collect();
    let description = filled(Defaults { integer: 37, ..Defaults::default() }, &in_warps)?;
    verdict.launches += plan.launches().count();
    add_findings(
        verdict,
        judge::examine(subject, kernel, &description, &plan),
        &subject.region(kernel).function,
        directives,
    );
    Ok(())
}

/// Adds what was found of a function and its source does not expect, and what it expects and was not found.
fn add_findings(verdict: &mut Verdict, findings: Vec<Finding>, function: &str, directives: &Directives) {
    let (has_races, may_depend) = (directives.has_races.contains(function), directives.may_depend.contains(function));
    if has_races && !findings.iter().any(|finding| matches!(finding, Finding::Race { .. })) {
        verdict.wrong.push("its races are not found".into());
    }
    for finding in findings {
        let expected = match &finding {
            Finding::Race { .. } => has_races,
            Finding::Depends { .. } => may_depend || has_races,
            Finding::Failed { .. } | Finding::OriginalFailed { .. } | Finding::Differs { .. } => false,
        };
        if !expected {
            verdict.wrong.push(finding.to_string());
        }
    }
}

/// Compiles a source and puts all its kernels to the test.
pub fn source(path: &Path, folder: &Path) -> Result<Vec<Verdict>, OracleError> {
    let directives = Directives::read(path)?;
    let module = folder.join("module.bc");
    compile(path, Stage::FrontEnd, &module)?;
    let subject = Subject::load(&module, &LoadOptions::default(), None)?;
    Ok(subject.kernels(None).into_iter().map(|index| kernel(&subject, index, &directives)).collect())
}
