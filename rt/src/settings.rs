//! What the environment asks for.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::machines::Wishes;

/// What is told of launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Log {
    /// Nothing.
    Nothing,
    /// A line after each.
    Calls,
    /// A table when the program ends.
    Summary,
}

/// Whether measured times correct predictions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Learning {
    /// No.
    Off,
    /// As long as the program runs.
    On,
    /// And kept in a file.
    Kept(PathBuf),
}

/// Whether learning may turn choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choices {
    /// The user has fixed them: IPDA_OFFLOAD=always|never, IPDA_REPRODUCIBLE=1.
    Fixed,
    /// They follow predictions.
    Predicted,
}

/// Which devices launches may go to that name none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceChoice {
    /// OpenMP's default device.
    Usual,
    /// The fastest.
    Any,
}

/// What the environment asks for.
#[derive(Debug, Clone)]
pub struct Settings {
    /// IPDA_LOG
    pub log: Log,
    /// IPDA_LEARN
    pub learning: Learning,
    /// IPDA_OFFLOAD, IPDA_REPRODUCIBLE
    pub choices: Choices,
    /// IPDA_DEVICES
    pub devices: DeviceChoice,
    /// IPDA_GPU, IPDA_CPU, IPDA_LINK, IPDA_HWDB
    pub wishes: Wishes,
    /// Which values mean nothing, a sentence each.
    pub problems: Vec<String>,
}

impl Settings {
    /// Reads them. An empty variable is as good as none; words that the launches' own code does not know it tells itself.
    pub fn read(variable: impl Fn(&str) -> Option<OsString>) -> Settings {
        let path = |name: &str| variable(name).filter(|value| !value.is_empty());
        let text = |name: &str| path(name).map(|value| value.to_string_lossy().into_owned());
        let is = |name: &str, words: &[&str]| {
            text(name).is_some_and(|value| words.iter().any(|word| value.eq_ignore_ascii_case(word)))
        };
        let log = match () {
            () if is("IPDA_LOG", &["calls"]) => Log::Calls,
            () if is("IPDA_LOG", &["summary"]) => Log::Summary,
            () => Log::Nothing,
        };
        let mut problems = Vec::new();
        let mut unknown = |name: &str, known: &str| {
            let value = text(name).unwrap_or_default();
            problems.push(format!("{name}={value}: not {known}; it is taken as if it had not been set"));
        };
        let learning = match path("IPDA_LEARN") {
            None => Learning::Off,
            Some(_) if is("IPDA_LEARN", &["off", "0"]) => Learning::Off,
            Some(_) if is("IPDA_LEARN", &["on", "1"]) => Learning::On,
            // A word that is misspelt makes no file.
            Some(file) if file.to_string_lossy().contains(['/', '.']) => Learning::Kept(file.into()),
            Some(_) => {
                unknown("IPDA_LEARN", "on, off, or a file with a / or . in its name");
                Learning::Off
            }
        };
        let is_fixed = is("IPDA_OFFLOAD", &["always", "never"]) || is("IPDA_REPRODUCIBLE", &["1"]);
        let wishes =
            Wishes { gpu: text("IPDA_GPU"), cpu: text("IPDA_CPU"), link: text("IPDA_LINK"), folder: path("IPDA_HWDB") };
        let choices = if is_fixed { Choices::Fixed } else { Choices::Predicted };
        let devices = match () {
            () if is("IPDA_DEVICES", &["any"]) => DeviceChoice::Any,
            () if text("IPDA_DEVICES").is_none() || is("IPDA_DEVICES", &["default"]) => DeviceChoice::Usual,
            () => {
                unknown("IPDA_DEVICES", "one of any, default");
                DeviceChoice::Usual
            }
        };
        Settings { log, learning, choices, devices, wishes, problems }
    }

    /// Whether launches are measured.
    pub fn wants_times(&self) -> bool {
        self.log != Log::Nothing || self.learning != Learning::Off
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(of: &[(&str, &str)]) -> Settings {
        Settings::read(|name| of.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn nothing_is_asked_for() {
        let none = read(&[]);
        assert_eq!((none.log, &none.learning, none.choices), (Log::Nothing, &Learning::Off, Choices::Predicted));
        assert!(!none.wants_times());
        let empty = read(&[("IPDA_LOG", ""), ("IPDA_LEARN", ""), ("IPDA_GPU", "")]);
        assert!(!empty.wants_times() && empty.wishes.gpu.is_none());
    }

    #[test]
    fn words_and_files() {
        assert_eq!(read(&[("IPDA_LOG", "Calls")]).log, Log::Calls);
        assert_eq!(read(&[("IPDA_LOG", "loud")]).log, Log::Nothing);
        assert_eq!(read(&[("IPDA_LEARN", "off")]).learning, Learning::Off);
        assert_eq!(read(&[("IPDA_LEARN", "ON")]).learning, Learning::On);
        assert_eq!(read(&[("IPDA_LEARN", "here.txt")]).learning, Learning::Kept("here.txt".into()));
        assert_eq!(read(&[("IPDA_LEARN", "sub/learned")]).learning, Learning::Kept("sub/learned".into()));
        assert_eq!(read(&[("IPDA_DEVICES", "Any")]).devices, DeviceChoice::Any);
        assert_eq!(read(&[("IPDA_DEVICES", "default")]).devices, DeviceChoice::Usual);
        for fixed in [("IPDA_OFFLOAD", "always"), ("IPDA_OFFLOAD", "never"), ("IPDA_REPRODUCIBLE", "1")] {
            assert_eq!(read(&[fixed]).choices, Choices::Fixed);
        }
        assert_eq!(read(&[("IPDA_OFFLOAD", "model")]).choices, Choices::Predicted);
    }

    #[test]
    fn what_is_misspelt_is_told_and_does_nothing() {
        let wrong = read(&[("IPDA_LEARN", "yes"), ("IPDA_DEVICES", "al")]);
        assert_eq!((wrong.learning, wrong.devices), (Learning::Off, DeviceChoice::Usual));
        let told = [
            "IPDA_LEARN=yes: not on, off, or a file with a / or . in its name; it is taken as if it had not been set",
            "IPDA_DEVICES=al: not one of any, default; it is taken as if it had not been set",
        ];
        assert_eq!(wrong.problems, told);
        let right = [("IPDA_LEARN", "On"), ("IPDA_DEVICES", "DEFAULT")];
        assert!(
            read(&right).problems.is_empty() && read(&[("IPDA_DEVICES", ""), ("IPDA_LEARN", "")]).problems.is_empty()
        );
    }
}
