//! Where options come from: pass parameters, the environment, and the file.

use super::{ByRegion, CONFIG, OPTIONS, OptionFile, Options, PluginOption, Transform, variable};
use std::env;
use std::path::PathBuf;

/// The environment variable that counts before the file's `report`.
pub const REPORT: &str = "IPDA_REPORT";
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

impl Options {
    /// All sources together: pass parameters, then environment variables, then the file, then defaults. Each problem is one sentence; the option
    /// then has its default.
    pub fn read(parameters: &str) -> (Options, Vec<String>) {
        let mut problems = Vec::new();
        let mut options = Options::default();
        if let Some(path) = OptionFile::path() {
            match OptionFile::read(&path) {
                Ok(file) => {
                    for (option, value) in file.all() {
                        options.set(option, value, &format!("{}: {}", path.display(), option.key), &mut problems);
                    }
                }
                Err(problem) => problems.push(problem),
            }
        }
        for option in &OPTIONS {
            let name = option.variable();
            if let Some(value) = variable(&name) {
                match value.to_str() {
                    Some(value) => options.set(option, value, &name, &mut problems),
                    None if option.key == "report" => options.report = Some(value.into()),
                    None if option.key == "host_code" => options.host_code = Some(value.into()),
                    None => problems.push(format!("{name} is no text")),
                }
            }
        }
        options.takes_host_shapes = variable("IPDA_TEST_HOST_SHAPES").is_some();
        problems.extend(unknown_variables());
        options.set_parameters(parameters, &mut problems);
        // Who wants the results of a build without the plugin gets its order of iterations, too.
        if variable("IPDA_REPRODUCIBLE").is_some_and(|value| value == "1") {
            options.transform = ByRegion::of_all(Transform::Report);
        }
        (options, problems)
    }
}

/// The report that a compilation is asked for here, by the environment or by the file: a file or a folder.
pub fn report() -> Option<PathBuf> {
    variable(REPORT).map(PathBuf::from).or_else(|| OptionFile::here().get("report").map(PathBuf::from))
}

/// Variables that are taken for options and are none, a sentence each.
fn unknown_variables() -> Vec<String> {
    let mut known: Vec<String> = OPTIONS.iter().map(PluginOption::variable).collect();
    known.push(CONFIG.into());
    let is_unknown = |name: &String| {
        let is_for_tests = name.starts_with("IPDA_TEST_");
        name.starts_with("IPDA_") && !is_for_tests && !known.contains(name) && !OF_PROGRAMS.contains(&name.as_str())
    };
    let names = env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).filter(is_unknown);
    let problem = |name| format!("environment variable {name} is not an option; the options are {}", known.join(", "));
    names.map(problem).collect()
}
