//! What the environment asks for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::machines::Requested;

/// Where what launches learn is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Learning {
    /// Nowhere; or nothing is learned.
    NotKept,
    /// In a file.
    Kept(PathBuf),
}

/// Whether launches choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choices {
    /// They do not: IPDA_OFFLOAD is another word or none, or IPDA_REPRODUCIBLE=1.
    Fixed,
    /// They follow predictions: IPDA_OFFLOAD=model.
    Predicted,
}

/// Which devices launches may go to that name none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceChoice {
    /// OpenMP's default device.
    Default,
    /// The fastest.
    Any,
}

/// What the environment asks for.
#[derive(Debug, Clone)]
pub struct Settings {
    /// IPDA_LOG: whether launches log what is predicted.
    pub is_logged: bool,
    /// IPDA_LEARN
    pub learning: Learning,
    /// IPDA_OFFLOAD, IPDA_REPRODUCIBLE
    pub choices: Choices,
    /// IPDA_DEVICES
    pub devices: DeviceChoice,
    /// IPDA_GPU, IPDA_CPU, IPDA_LINK, IPDA_HWDB
    pub requested: Requested,
    /// Which values mean nothing, a sentence each.
    pub problems: Vec<String>,
}

impl Settings {
    /// Reads them. An empty variable is as good as none; words that the launches' own code does not know it reports itself.
    pub fn read(variable: impl Fn(&str) -> Option<OsString>) -> Settings {
        let path = |name: &str| variable(name).filter(|value| !value.is_empty());
        let text = |name: &str| path(name).map(|value| value.to_string_lossy().into_owned());
        let is = |name: &str, words: &[&str]| {
            text(name).is_some_and(|value| words.iter().any(|word| value.eq_ignore_ascii_case(word)))
        };
        let is_logged = is("IPDA_LOG", &["calls", "summary"]);
        let mut problems = Vec::new();
        let mut unknown = |name: &str, known: &str| {
            let value = text(name).unwrap_or_default();
            problems.push(format!("{name}={value}: not {known}; it is taken as if it had not been set"));
        };
        let learning = match path("IPDA_LEARN") {
            Some(_) if is("IPDA_LEARN", &["off", "0", "on", "1"]) => Learning::NotKept,
            None => Learning::NotKept,
            // A word that is misspelt makes no file.
            Some(file) if file.to_string_lossy().contains(['/', '.']) => Learning::Kept(file.into()),
            Some(_) => {
                unknown("IPDA_LEARN", "on, off, or a file with a / or . in its name");
                Learning::NotKept
            }
        };
        let is_predicted = is("IPDA_OFFLOAD", &["model"]) && !is("IPDA_REPRODUCIBLE", &["1"]);
        let requested = Requested {
            gpu: text("IPDA_GPU"),
            cpu: text("IPDA_CPU"),
            link: text("IPDA_LINK"),
            folder: path("IPDA_HWDB"),
        };
        let choices = if is_predicted { Choices::Predicted } else { Choices::Fixed };
        let devices = match () {
            () if is("IPDA_DEVICES", &["any"]) => DeviceChoice::Any,
            () if text("IPDA_DEVICES").is_none() || is("IPDA_DEVICES", &["default"]) => DeviceChoice::Default,
            () => {
                unknown("IPDA_DEVICES", "one of any, default");
                DeviceChoice::Default
            }
        };
        Settings { is_logged, learning, choices, devices, requested, problems }
    }

    /// The file in which what launches learn is kept; none where they learn nothing.
    pub fn file(&self) -> Option<&Path> {
        match &self.learning {
            Learning::Kept(path) if self.choices == Choices::Predicted => Some(path),
            Learning::Kept(_) | Learning::NotKept => None,
        }
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
        assert_eq!((none.is_logged, &none.learning, none.choices), (false, &Learning::NotKept, Choices::Fixed));
        let empty = read(&[("IPDA_LOG", ""), ("IPDA_LEARN", ""), ("IPDA_GPU", "")]);
        assert!(!empty.is_logged && empty.file().is_none() && empty.requested.gpu.is_none());
    }

    #[test]
    fn words_and_files() {
        assert!(read(&[("IPDA_LOG", "Calls")]).is_logged && !read(&[("IPDA_LOG", "loud")]).is_logged);
        assert_eq!(read(&[("IPDA_LEARN", "off")]).learning, Learning::NotKept);
        assert_eq!(read(&[("IPDA_LEARN", "ON")]).learning, Learning::NotKept);
        assert_eq!(read(&[("IPDA_LEARN", "here.txt")]).learning, Learning::Kept("here.txt".into()));
        assert_eq!(read(&[("IPDA_LEARN", "sub/learned")]).learning, Learning::Kept("sub/learned".into()));
        assert_eq!(read(&[("IPDA_DEVICES", "Any")]).devices, DeviceChoice::Any);
        assert_eq!(read(&[("IPDA_DEVICES", "default")]).devices, DeviceChoice::Default);
        let (model, file) = (("IPDA_OFFLOAD", "model"), ("IPDA_LEARN", "here.txt"));
        let fixed = [
            vec![("IPDA_OFFLOAD", "always")],
            vec![("IPDA_OFFLOAD", "never")],
            vec![model, ("IPDA_REPRODUCIBLE", "1")],
            vec![],
        ];
        for fixed in fixed {
            assert_eq!(read(&fixed).choices, Choices::Fixed);
            assert_eq!(read(&[&fixed[..], &[file]].concat()).file(), None);
        }
        assert_eq!(read(&[model]).choices, Choices::Predicted);
        assert_eq!(read(&[model, file]).file(), Some(Path::new("here.txt")));
    }

    #[test]
    fn what_is_misspelt_is_reported_and_does_nothing() {
        let wrong = read(&[("IPDA_LEARN", "yes"), ("IPDA_DEVICES", "al")]);
        assert_eq!((wrong.learning, wrong.devices), (Learning::NotKept, DeviceChoice::Default));
        let reported = [
            "IPDA_LEARN=yes: not on, off, or a file with a / or . in its name; it is taken as if it had not been set",
            "IPDA_DEVICES=al: not one of any, default; it is taken as if it had not been set",
        ];
        assert_eq!(wrong.problems, reported);
        let right = [("IPDA_LEARN", "On"), ("IPDA_DEVICES", "DEFAULT")];
        assert!(
            read(&right).problems.is_empty() && read(&[("IPDA_DEVICES", ""), ("IPDA_LEARN", "")]).problems.is_empty()
        );
    }
}
