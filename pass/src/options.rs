//! What the user asked for: pass parameters, then environment variables, then `ipda.yaml`, then defaults.

use crate::ir::demangle;
use crate::outline::TargetRegion;
use ipda_hwdb::{Cpu, Gpu, Link};
use ipda_models::options::{self, OptionFile};
use std::path::{Path, PathBuf};

/// Which compilation speaks to the user when a region is compiled several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Remarks {
    /// The host compilation, or the device compilation if there is no other.
    #[default]
    Auto,
    /// This one in any case.
    Here,
    /// None.
    Off,
}

impl Remarks {
    const NAMES: [(&str, Remarks); 3] = [("auto", Remarks::Auto), ("here", Remarks::Here), ("off", Remarks::Off)];
}

/// What is done with loops that would run better in another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Transform {
    /// Nothing; nobody is told either.
    Off,
    /// People are told.
    Report,
    /// They are changed.
    #[default]
    On,
}

impl Transform {
    const NAMES: [(&str, Transform); 3] =
        [("off", Transform::Off), ("report", Transform::Report), ("on", Transform::On)];

    fn parse(word: &str) -> Option<Transform> {
        Transform::NAMES.iter().find(|(name, _)| *name == word).map(|(_, found)| *found)
    }
}

/// Whether launches decide where regions run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Decision {
    /// The device's runtime alone.
    Off,
    /// They do.
    #[default]
    On,
}

/// The same for all regions, and for some of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Transforms {
    all: Transform,
    /// By the function around a region, with its line where one region alone is meant.
    regions: Vec<(String, Option<u32>, Transform)>,
}

impl Transforms {
    /// `on`, or `off,main=on,main:42=report`: of several that fit a region, the last one counts.
    fn parse(text: &str) -> Result<Transforms, String> {
        let mut transforms = Transforms::default();
        for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            let (region, word) = entry.rsplit_once('=').map_or((None, entry), |(name, word)| (Some(name), word));
            let found = Transform::parse(word).ok_or_else(|| {
                format!("{word:?} is not one of off, report, on; write for example on,main=off,main:42=report")
            })?;
            match region {
                None => transforms.all = found,
                Some(name) => {
                    let line = name.rsplit_once(':').and_then(|(name, line)| Some((name, line.parse().ok()?)));
                    let (name, line) = line.map_or((name, None), |(name, line)| (name, Some(line)));
                    transforms.regions.push((name.to_string(), line, found));
                }
            }
        }
        Ok(transforms)
    }

    /// For one region.
    pub(crate) fn of_region(&self, region: &TargetRegion) -> Transform {
        let function = demangle(&region.name.function);
        let fits = |(name, at, _): &&(String, Option<u32>, Transform)| {
            *name == function && at.is_none_or(|at| at == region.name.line)
        };
        self.regions.iter().rev().find(fits).map_or(self.all, |(_, _, found)| *found)
    }

    /// Whether no region is looked at.
    pub(crate) fn are_off(&self) -> bool {
        self.all == Transform::Off && self.regions.iter().all(|(_, _, found)| *found == Transform::Off)
    }
}

/// The options in force.
#[derive(Debug, Clone, Default)]
pub(crate) struct Options {
    /// Where report files go: a file, or a folder.
    pub report: Option<PathBuf>,
    /// The device to count for, and which predictions are for; without it, by the target.
    pub gpu: Option<String>,
    /// The host, and what connects it with the device, which predictions are for; without it, by the target.
    pub cpu: Option<String>,
    pub link: Option<String>,
    pub remarks: Remarks,
    pub transform: Transforms,
    pub decision: Decision,
    /// For tests: device code for a host, which runs everywhere, is transformed as if it were a GPU's.
    pub takes_host_shapes: bool,
}

impl Options {
    /// All sources together. Each problem is one sentence; the option then has its default.
    pub(crate) fn read(parameters: &str) -> (Options, Vec<String>) {
        let mut problems = Vec::new();
        let mut options = Options::default();
        let environment = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());

        if let Some(path) = OptionFile::path() {
            options.read_file(&path, &mut problems);
        }
        if let Some(path) = options::variable(options::REPORT) {
            options.report = Some(path.into());
        }
        let variables = [
            ("IPDA_GPU", "gpu"),
            ("IPDA_CPU", "cpu"),
            ("IPDA_LINK", "link"),
            ("IPDA_REMARKS", "remarks"),
            ("IPDA_TRANSFORM", "transform"),
            ("IPDA_DECISION", "decision"),
        ];
        for (variable, key) in variables {
            if let Some(value) = environment(variable) {
                options.set(key, &value, variable, &mut problems);
            }
        }
        options.takes_host_shapes = environment("IPDA_TEST_HOST_SHAPES").is_some();
        for (variable, _) in std::env::vars_os() {
            let name = variable.to_string_lossy();
            let is_for_tests = name.starts_with("IPDA_TEST_");
            let is_known = KNOWN_VARIABLES.contains(&&*name) || OF_PROGRAMS.contains(&&*name);
            if name.starts_with("IPDA_") && !is_for_tests && !is_known {
                problems.push(format!(
                    "environment variable {name} is not an option; the options are {}",
                    KNOWN_VARIABLES.join(", ")
                ));
            }
        }
        options.set_parameters(parameters, &mut problems);
        (options, problems)
    }

    fn set_parameters(&mut self, parameters: &str, problems: &mut Vec<String>) {
        for parameter in parameters.split(';').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=') {
                Some((key, value)) => self.set(key, value, &format!("pass parameter {key}"), problems),
                None => problems.push(parameter_problem(parameter)),
            }
        }
    }

    fn read_file(&mut self, path: &Path, problems: &mut Vec<String>) {
        let file = match OptionFile::read(path) {
            Ok(file) => file,
            Err(problem) => return problems.push(problem),
        };
        self.report = file.report;
        let named = [
            ("remarks", file.remarks),
            ("transform", file.transform),
            ("decision", file.decision),
            ("gpu", file.gpu),
            ("cpu", file.cpu),
            ("link", file.link),
        ];
        for (key, value) in named {
            if let Some(value) = value {
                self.set(key, &value, &format!("{}: {key}", path.display()), problems);
            }
        }
    }

    fn set(&mut self, key: &str, value: &str, origin: &str, problems: &mut Vec<String>) {
        match key {
            "report" => self.report = Some(PathBuf::from(value)),
            "gpu" | "cpu" | "link" => {
                let (option, found) = match key {
                    "gpu" => (&mut self.gpu, load_gpu(value).map(|_| ())),
                    "cpu" => (&mut self.cpu, Cpu::find(value).map(|_| ())),
                    _ => (&mut self.link, Link::find(value).map(|_| ())),
                };
                match found {
                    Ok(()) => *option = Some(value.into()),
                    Err(problem) => problems.push(format!("{origin}: {problem}")),
                }
            }
            "remarks" => match Remarks::NAMES.iter().find(|(name, _)| *name == value) {
                Some((_, remarks)) => self.remarks = *remarks,
                None => problems.push(format!("{origin}: {value:?} is not one of auto, here, off")),
            },
            "transform" => match Transforms::parse(value) {
                Ok(transforms) => self.transform = transforms,
                Err(problem) => problems.push(format!("{origin}: {problem}")),
            },
            "decision" => match value {
                "off" => self.decision = Decision::Off,
                "on" => self.decision = Decision::On,
                _ => problems.push(format!("{origin}: {value:?} is not one of off, on")),
            },
            _ => problems.push(parameter_problem(key)),
        }
    }
}

const KNOWN_VARIABLES: [&str; 8] = [
    "IPDA_REPORT",
    "IPDA_GPU",
    "IPDA_CPU",
    "IPDA_LINK",
    "IPDA_REMARKS",
    "IPDA_TRANSFORM",
    "IPDA_DECISION",
    "IPDA_CONFIG",
];

/// Those that compiled programs and `ipda` read: whoever sets them for a run may compile as well.
const OF_PROGRAMS: [&str; 8] = [
    "IPDA_OFFLOAD",
    "IPDA_LOG",
    "IPDA_REPRODUCIBLE",
    "IPDA_LEARN",
    "IPDA_HWDB",
    "IPDA_DEVICES",
    "IPDA_LIBCUDA",
    "IPDA_LIBOMP",
];

fn parameter_problem(parameter: &str) -> String {
    format!(
        "pass parameter {parameter:?} is not one of report=PATH, gpu=NAME, cpu=NAME, link=NAME, remarks=auto|here|off, transform=off|report|on, decision=off|on"
    )
}

/// What is wrong with pass parameters, a sentence each.
pub(crate) fn parameter_problems(parameters: &str) -> Vec<String> {
    let mut problems = Vec::new();
    Options::default().set_parameters(parameters, &mut problems);
    problems
}

/// A device by its name in the database, or by the path of a YAML file.
pub(crate) fn load_gpu(name: &str) -> Result<Gpu, ipda_hwdb::LoadError> {
    if name.ends_with(".yaml") || name.ends_with(".yml") { Gpu::load(Path::new(name)) } else { Gpu::builtin(name) }
}
