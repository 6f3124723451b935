//! The plugin's options: each is declared once, in [`OPTIONS`], with its name, what it may be, what it means and how it is read. The plugin reads
//! them all ([`Options`]), `ipda cc` what it needs of them, and the pages that list them are compared with the declaration.

mod by_region;
mod file;
mod sources;

use crate::report::CostModel;
pub use by_region::{ByRegion, Transform, VersionRequest};
pub use file::{FILE_NAME, OptionFile};
pub use sources::{REPORT, report};

use ipda_hwdb::{Cpu, Gpu, Link};
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// The environment variable that names another file than [`FILE_NAME`].
pub const CONFIG: &str = "IPDA_CONFIG";

/// An option of the plugin.
pub struct PluginOption {
    /// Its name as a pass parameter and in the file.
    pub key: &'static str,
    /// What is written for it, as `PATH` or `off|on`.
    pub values: &'static str,
    /// What it does, for people.
    pub meaning: &'static str,
    /// The page of the documentation, or the part of that on options, which says more.
    pub page: Option<&'static str>,
    /// What counts where it is not set, for people.
    pub default: &'static str,
    read: fn(&mut Options, &str) -> Result<(), String>,
}

/// All options.
pub const OPTIONS: [PluginOption; 16] = [
    PluginOption {
        key: "report",
        values: "PATH",
        meaning: "write a report; a file, or a folder for one file per translation unit",
        page: None,
        default: "no report",
        read: |options, value| {
            options.report = Some(PathBuf::from(value));
            Ok(())
        },
    },
    PluginOption {
        key: "gpu",
        values: "NAME",
        meaning: "the GPU whose warp, sector, line and bank sizes count, and for which launches predict times: a name that `ipda hw list` prints, or the path of a YAML file",
        page: Some("hardware.md"),
        default: "by target",
        read: |options, value| named(&mut options.gpu, value, Gpu::find(value)),
    },
    PluginOption {
        key: "cpu",
        values: "NAME",
        meaning: "the host for which launches predict times, likewise",
        page: Some("decision.md"),
        default: "by target",
        read: |options, value| named(&mut options.cpu, value, Cpu::find(value)),
    },
    PluginOption {
        key: "link",
        values: "NAME",
        meaning: "what connects the host with the GPU, likewise",
        page: Some("decision.md"),
        default: "by target",
        read: |options, value| named(&mut options.link, value, Link::find(value)),
    },
    PluginOption {
        key: "remarks",
        values: "auto|here|off",
        meaning: "`auto` remarks once per region, `here` remarks in this compilation whichever side it is, `off` none",
        page: None,
        default: "`auto`",
        read: |options, value| {
            let words = [("auto", Remarks::Auto), ("here", Remarks::Here), ("off", Remarks::Off)];
            word(&mut options.remarks, value, words)
        },
    },
    PluginOption {
        key: "transform",
        values: "off|report|on",
        meaning: "`on` changes loops, `report` only tells what would be changed, `off` neither; for some regions by function or function and line, as `on,main=off,solve:42=report`",
        page: None,
        default: "`on`",
        read: |options, value| {
            options.transform = ByRegion::<Transform>::parse(value)?;
            Ok(())
        },
    },
    PluginOption {
        key: "mapping",
        values: "MAPPING",
        meaning: "for experiments: makes this mapping where it is legal, whether or not it pays: loops as a report names them, as `main:42=j i lanes 4x8`, or digits of their iteration numbers",
        page: Some("loops.md"),
        default: "by sectors and threads",
        read: |options, value| {
            options.mapping = ByRegion::<Option<String>>::parse(value)?;
            Ok(())
        },
    },
    PluginOption {
        key: "version",
        values: "VERSION",
        meaning: "for experiments: `0` or `written` leaves loops as they are written, `1` makes what is made by default, or where nothing is, the best mapping that is legal, `2` the next best one, and so on, `fused`, `reordered` or `lanes` the first of that kind; for some regions as `main:42=2`. Where `mapping` names one, that counts",
        page: Some("loops.md"),
        default: "by sectors and threads",
        read: |options, value| {
            options.version = ByRegion::<Option<VersionRequest>>::parse(value)?;
            Ok(())
        },
    },
    PluginOption {
        key: "decision",
        values: "off|on",
        meaning: "`on`: launches can choose between host and device; `off`: they are left as they are",
        page: Some("decision.md"),
        default: "`on`",
        read: |options, value| word(&mut options.decision, value, [("off", Decision::Off), ("on", Decision::On)]),
    },
    PluginOption {
        key: "maps",
        values: "off|on",
        meaning: "`on`: launches do not copy back what their kernels never write; `off`: they copy as their clauses say",
        page: Some("maps.md"),
        default: "`on`",
        read: |options, value| word(&mut options.maps, value, [("off", Maps::Off), ("on", Maps::On)]),
    },
    PluginOption {
        key: "model",
        values: "tti|mca",
        meaning: "who says what the host's code costs, for reports and launches: `tti` LLVM's cost model, `mca` its machine-code analyser, for which the host's code is generated once more",
        page: Some("research/finished-code.md"),
        default: "`tti`",
        read: |options, value| word(&mut options.model, value, [("tti", CostModel::Tti), ("mca", CostModel::Mca)]),
    },
    PluginOption {
        key: "const",
        values: "NAMES",
        meaning: "functions of other files that touch no memory and compute their results from their arguments, with commas or blanks between them: as if they were declared with the attribute `const`",
        page: Some("remarks.md"),
        default: "none",
        read: |options, value| {
            options.constant = names(value);
            Ok(())
        },
    },
    PluginOption {
        key: "pure",
        values: "NAMES",
        meaning: "functions of other files that write no memory, though they may read any, likewise: as if they were declared with the attribute `pure`",
        page: Some("remarks.md"),
        default: "none",
        read: |options, value| {
            options.pure = names(value);
            Ok(())
        },
    },
    PluginOption {
        key: "host_code",
        values: "FILE",
        meaning: "for a device's module, the host's module as the front end makes it, whose launches show which arrays are different ones; clang's driver names it to its device compilations",
        page: Some("#the-plugin-in-opt"),
        default: "the driver's",
        read: |options, value| {
            options.host_code = Some(PathBuf::from(value));
            Ok(())
        },
    },
    PluginOption {
        key: "check",
        values: "0|1",
        meaning: "`1` checks between the plugin's phases that the module is valid IR and that it agrees with what was found of its regions, and warns where not",
        page: Some("#what-the-plugin-does"),
        default: "`0`",
        read: |options, value| word(&mut options.check, value, [("0", Check::Off), ("1", Check::On)]),
    },
    PluginOption {
        key: "trace",
        values: "off|phase|time",
        meaning: "`phase` writes to standard error what each phase of the plugin did, with which region, how long, and in how many steps; `time` a table of how long its phases and regions took",
        page: Some("#what-the-plugin-does"),
        default: "`off`",
        read: |options, value| {
            word(&mut options.trace, value, [("off", Trace::Off), ("phase", Trace::Phase), ("time", Trace::Time)])
        },
    },
];

impl PluginOption {
    /// The environment variable that sets it.
    pub fn variable(&self) -> String {
        format!("IPDA_{}", self.key.to_uppercase())
    }

    /// Its line in the table of the documentation's page on options.
    pub fn row(&self) -> String {
        let PluginOption { key, values, meaning, default, .. } = self;
        let values = values.replace('|', "\\|");
        let file = |page: &str| page.rsplit('/').next().unwrap_or(page).to_owned();
        let named = |page: &str| page.strip_prefix('#').map_or_else(|| file(page), |part| part.replace('-', " "));
        let more = self.page.map(|page| format!(" ([{}]({page}))", named(page)));
        let variable = self.variable();
        format!(
            "| `ipda<{key}={values}>` | `{variable}={values}` | `{key}: {values}` | {meaning}{} | {default} |",
            more.unwrap_or_default()
        )
    }

    fn with_key(key: &str) -> Option<&'static PluginOption> {
        OPTIONS.iter().find(|option| option.key == key)
    }
}

/// Which compilation speaks to the user when a region is compiled several times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Remarks {
    /// The host compilation, or the device compilation if there is no other.
    #[default]
    Auto,
    /// This one in any case.
    Here,
    /// None.
    Off,
}

/// Whether launches decide where regions run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Decision {
    /// The device's runtime alone.
    Off,
    /// They do.
    #[default]
    On,
}

/// Whether launches copy less than their clauses say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Maps {
    /// They copy as their clauses say.
    Off,
    /// What a kernel never writes is not copied back.
    #[default]
    On,
}

/// Whether the plugin checks its own work between its phases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Check {
    /// It does not.
    #[default]
    Off,
    /// It does.
    On,
}

/// Whether the plugin tells on standard error what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trace {
    /// It does not.
    #[default]
    Off,
    /// Phase by phase.
    Phase,
    /// How long they took.
    Time,
}

/// The options in force.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Where report files go: a file, or a folder.
    pub report: Option<PathBuf>,
    /// The device to count for, and which predictions are for; without it, by the target.
    pub gpu: Option<String>,
    /// The host that predictions are for; without it, by the target.
    pub cpu: Option<String>,
    /// What connects both; without it, by the device.
    pub link: Option<String>,
    /// Which compilation speaks.
    pub remarks: Remarks,
    /// What is done with loops.
    pub transform: ByRegion<Transform>,
    /// Which mappings are made in place of those of least regret.
    pub mapping: ByRegion<Option<String>>,
    /// Which versions are made in place of those of least regret.
    pub version: ByRegion<Option<VersionRequest>>,
    /// Whether launches decide.
    pub decision: Decision,
    /// Whether launches copy less.
    pub maps: Maps,
    /// Who says what the host's code costs.
    pub model: CostModel,
    /// Functions of other files that are as if declared `const`.
    pub constant: Vec<String>,
    /// Likewise those that are as if declared `pure`.
    pub pure: Vec<String>,
    /// The host's module for a device's; without it, what the driver names.
    pub host_code: Option<PathBuf>,
    /// Whether phases are checked.
    pub check: Check,
    /// Whether phases are reported.
    pub trace: Trace,
    /// For tests: device code for a host, which runs everywhere, is transformed as if it were a GPU's.
    pub takes_host_shapes: bool,
}

impl Options {
    fn set_parameters(&mut self, parameters: &str, problems: &mut Vec<String>) {
        for parameter in parameters.split(';').filter(|parameter| !parameter.is_empty()) {
            let found = parameter.split_once('=').and_then(|(key, value)| Some((PluginOption::with_key(key)?, value)));
            match found {
                Some((option, value)) => self.set(option, value, &format!("pass parameter {}", option.key), problems),
                None => {
                    let all: Vec<String> =
                        OPTIONS.iter().map(|known| format!("{}={}", known.key, known.values)).collect();
                    let name = parameter.split_once('=').map_or(parameter, |(key, _)| key);
                    problems.push(format!("pass parameter {name:?} is not one of {}", all.join(", ")));
                }
            }
        }
    }

    fn set(&mut self, option: &PluginOption, value: &str, origin: &str, problems: &mut Vec<String>) {
        if let Err(problem) = (option.read)(self, value) {
            problems.push(format!("{origin}: {problem}"));
        }
    }
}

/// What is wrong with pass parameters, a sentence each.
pub fn parameter_problems(parameters: &str) -> Vec<String> {
    let mut problems = Vec::new();
    Options::default().set_parameters(parameters, &mut problems);
    problems
}

/// A variable of the environment; an empty one is none.
pub fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// Names with commas or blanks between them. LLVM takes commas among pass parameters for its own.
fn names(value: &str) -> Vec<String> {
    let is_between = |c: char| c == ',' || c.is_whitespace();
    value.split(is_between).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Takes a name that the hardware database knows.
fn named<T, E: ToString>(option: &mut Option<String>, value: &str, found: Result<T, E>) -> Result<(), String> {
    found.map_err(|problem| problem.to_string())?;
    *option = Some(value.into());
    Ok(())
}

/// Takes one of some words.
fn word<T: Copy, const N: usize>(option: &mut T, value: &str, words: [(&str, T); N]) -> Result<(), String> {
    match words.iter().find(|(word, _)| *word == value) {
        Some((_, found)) => {
            *option = *found;
            Ok(())
        }
        None => Err(format!("{value:?} is not one of {}", words.map(|(word, _)| word).join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn page(name: &str) -> String {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name);
        std::fs::read_to_string(path).expect("a page")
    }

    #[test]
    fn the_page_has_a_row_for_each_option_and_no_others() {
        let page = page("options.md");
        let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `ipda<")).collect();
        let declared: Vec<String> = OPTIONS.iter().map(PluginOption::row).collect();
        assert_eq!(rows, declared);
    }

    #[test]
    fn cmake_has_all_options() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../cmake/ipda-config.cmake");
        let text = std::fs::read_to_string(path).expect("the configuration for CMake");
        let listed = text.split("set(ipda_options ").nth(1).and_then(|rest| rest.split(')').next());
        let declared: Vec<String> = OPTIONS[1..].iter().map(|option| option.key.to_uppercase()).collect();
        assert_eq!(listed, Some(&declared.join(" ")[..]));
    }

    #[test]
    fn an_option_is_called_and_declared_once() {
        let keys: BTreeMap<&str, usize> =
            OPTIONS.iter().enumerate().map(|(number, option)| (option.key, number)).collect();
        assert_eq!(keys.len(), OPTIONS.len());
        assert_eq!(OPTIONS[0].variable(), REPORT);
    }

    #[test]
    fn words_that_are_listed_are_read_and_others_are_not() {
        for option in &OPTIONS {
            for word in option.values.split('|').filter(|word| word.chars().all(char::is_lowercase)) {
                assert_eq!((option.read)(&mut Options::default(), word), Ok(()), "{}={word}", option.key);
            }
            if option.values.contains('|') {
                let problem = (option.read)(&mut Options::default(), "loud").expect_err("no such word");
                let listed = format!("is not one of {}", option.values.replace('|', ", "));
                assert!(problem.contains(&listed), "{problem}");
            }
        }
    }

    #[test]
    fn parameters_that_are_none_are_reported_with_those_that_are() {
        assert_eq!(parameter_problems("report=a;check=1;trace=phase"), Vec::<String>::new());
        let problems = parameter_problems("raport=a;report");
        assert_eq!(problems.len(), 2);
        assert!(
            problems[0].starts_with("pass parameter \"raport\" is not one of report=PATH, gpu=NAME"),
            "{problems:?}"
        );
        assert!(problems[1].ends_with("check=0|1, trace=off|phase|time"), "{problems:?}");
    }
}
