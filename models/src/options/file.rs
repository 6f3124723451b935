//! The options file `ipda.yaml`, as the plugin and `ipda cc` read it: one reader, so that both see the same.

use super::{CONFIG, OPTIONS, PluginOption, variable};
use crate::files;
use crate::yaml;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::fmt;
use std::path::{Path, PathBuf};

/// Where the options are if [`CONFIG`] names no other file.
pub const FILE_NAME: &str = "ipda.yaml";
/// A file of options is no longer than that, in bytes.
const MAX_BYTES: u64 = 64 << 10;

/// What the file says, each option as it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OptionFile(Vec<(&'static str, String)>);

impl OptionFile {
    /// The file that counts here: the one that the environment names, else the one in the working directory if there is any.
    pub fn path() -> Option<PathBuf> {
        let named = variable(CONFIG).map(PathBuf::from);
        named.or_else(|| Some(PathBuf::from(FILE_NAME)).filter(|path| path.exists()))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// A sentence where it cannot be read, or says what no option is.
    pub fn read(path: &Path) -> Result<OptionFile, String> {
        let text =
            files::read_text(path, MAX_BYTES).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let read = yaml::read::<Option<OptionFile>>(&text).map_err(|error| {
            let keys = OPTIONS.map(|option| option.key).join(", ");
            format!("{}: {error}; the keys are {keys}", path.display())
        })?;
        // An empty file is an empty list of options.
        Ok(read.unwrap_or_default())
    }

    /// What counts here. A file that cannot be read sets nothing; the plugin reports what is wrong with it.
    pub fn here() -> OptionFile {
        OptionFile::path().and_then(|path| OptionFile::read(&path).ok()).unwrap_or_default()
    }

    /// What it says of an option, by its key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == key).map(|(_, value)| value.as_str())
    }

    /// The options that it sets.
    pub(super) fn all(&self) -> impl Iterator<Item = (&'static PluginOption, &str)> {
        self.0.iter().filter_map(|(key, value)| Some((PluginOption::with_key(key)?, value.as_str())))
    }
}

impl<'de> Deserialize<'de> for OptionFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OptionFile, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = OptionFile;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("options, as `transform: off`")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OptionFile, A::Error> {
                let mut found = OptionFile::default();
                while let Some(key) = map.next_key::<String>()? {
                    let Some(option) = PluginOption::with_key(&key) else {
                        return Err(A::Error::custom(format_args!("`{key}` is no option")));
                    };
                    if found.get(option.key).is_some() {
                        return Err(A::Error::custom(format_args!("`{key}` is there twice")));
                    }
                    if let Some(Written(value)) = map.next_value()? {
                        found.0.push((option.key, value));
                    }
                }
                Ok(found)
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

/// A word, or a number as a word.
struct Written(String);

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Written, D::Error> {
        struct Word;
        impl Visitor<'_> for Word {
            type Value = Written;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a word")
            }

            fn visit_str<E: Error>(self, value: &str) -> Result<Written, E> {
                Ok(Written(value.into()))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Written, E> {
                Ok(Written(value.to_string()))
            }
        }
        deserializer.deserialize_any(Word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<OptionFile, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ipda.yaml");
        std::fs::write(&path, text).expect("a file");
        OptionFile::read(&path)
    }

    #[test]
    fn options_are_read_as_they_are_written() {
        let file = read("transform: off\nreport: reports/\ncheck: 1\ngpu:\n").expect("options");
        let said = ["transform", "report", "check", "gpu"].map(|key| file.get(key));
        assert_eq!(said, [Some("off"), Some("reports/"), Some("1"), None]);
        assert_eq!(read(""), Ok(OptionFile::default()));
    }

    #[test]
    fn what_is_no_option_is_reported_with_the_keys_that_there_are() {
        for (text, problem) in [
            ("gpi: h200\n", "`gpi` is no option"),
            ("gpu: h200\ngpu: a100\n", "`gpu` is there twice"),
            ("transform: true\n", "expected a word"),
            ("- off\n", "expected options"),
        ] {
            let reported = read(text).expect_err(text);
            assert!(reported.contains(problem) && reported.contains("the keys are report, gpu"), "{reported}");
        }
    }
}
