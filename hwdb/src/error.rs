//! Why an entry could not be used: always the user's data, never a fault of the program.

use std::path::{Path, PathBuf};

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Why a hardware description could not be loaded. Each message is one sentence that names the place and what was expected.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// No entry of that name is built in.
    #[error("unknown {kind} `{name}`: {}the known ones are {}", hint(name, valid), valid.join(", "))]
    UnknownName {
        /// What was looked for, such as `GPU`.
        kind: &'static str,
        /// The name that was asked for.
        name: String,
        /// The names of the built-in entries.
        valid: Vec<&'static str>,
    },
    /// The file cannot be read.
    #[error("cannot read the hardware description {}: {source}", path.display())]
    Unreadable {
        /// The file that was asked for.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is not a hardware description.
    #[error("{}:{line}:{column}: {expected}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// The key, what was found there and what was expected.
        expected: String,
    },
}

fn hint(name: &str, valid: &[&'static str]) -> String {
    nearest(name, valid.iter().copied()).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default()
}

/// The most similar of the names, if it could be a slip.
pub(crate) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    /// Below this similarity (Jaro and Winkler's) two names are not meant to be the same.
    const SIMILAR: f64 = 0.8;
    names
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(similarity, _)| *similarity >= SIMILAR)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}

/// Which of a key and its value is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Key,
    Value,
}

/// Something wrong in an entry, by the keys that lead to it.
#[derive(Debug)]
pub(crate) struct Problem {
    pub path: Vec<String>,
    pub place: Place,
    pub message: String,
}

impl Problem {
    /// The problem with its position in `text`, the file that it is about.
    pub fn at(self, file: &Path, text: &str) -> LoadError {
        // An entry that builds on another lacks keys that the whole has: the nearest one that is there is named.
        let place = (0..=self.path.len()).rev().find_map(|length| {
            let place = if length == self.path.len() { self.place } else { Place::Value };
            position(text, &self.path[..length], place)
        });
        let (line, column) = place.unwrap_or((1, 1));
        let key = match self.place {
            Place::Key => self.path.split_last().map(|(_, above)| above.join(".")).unwrap_or_default(),
            Place::Value => self.path.join("."),
        };
        let expected = if key.is_empty() { self.message } else { format!("{key}: {}", self.message) };
        LoadError::Malformed { path: file.to_owned(), line, column, expected }
    }
}

impl LoadError {
    /// What the YAML reader says about a file that is no YAML.
    pub(crate) fn not_yaml(path: PathBuf, error: &serde_yaml::Error) -> LoadError {
        let (line, column) = error.location().map_or((1, 1), |at| (at.line(), at.column()));
        let message = error.to_string();
        // The reader repeats the position at the end of its sentence.
        let expected = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message).to_owned();
        LoadError::Malformed { path, line, column, expected }
    }
}

/// Line and column of what the keys lead to: the YAML reader gives positions only with errors, so one is made there.
fn position(text: &str, path: &[String], place: Place) -> Option<(usize, usize)> {
    let seek = Seek { path, place };
    match seek.deserialize(serde_yaml::Deserializer::from_str(text)) {
        Ok(()) => None,
        Err(error) if error.to_string().contains(REACHED) => error.location().map(|at| (at.line(), at.column())),
        Err(_) => None,
    }
}

/// The error that marks the place; no text of a file is part of it.
const REACHED: &str = "\u{1}reached\u{1}";

/// Fails where the path ends.
struct Seek<'a> {
    path: &'a [String],
    place: Place,
}

impl<'de> DeserializeSeed<'de> for Seek<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seek<'_> {
    type Value = ();

    // The sentence of the error where a scalar is met: the path ends there or leads nowhere.
    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.path.is_empty() { REACHED } else { "more keys" })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Some((next, rest)) = self.path.split_first() else {
            return Err(A::Error::custom(REACHED));
        };
        let wanted = if rest.is_empty() && self.place == Place::Key { Some(next.as_str()) } else { None };
        while let Some(key) = map.next_key_seed(KeySeek { wanted })? {
            if key == *next {
                map.next_value_seed(Seek { path: rest, place: self.place })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        if self.path.is_empty() {
            return Err(A::Error::custom(REACHED));
        }
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

/// Reads a key as text, and fails at the one that is wanted.
struct KeySeek<'a> {
    wanted: Option<&'a str>,
}

impl<'de> DeserializeSeed<'de> for KeySeek<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeek<'_> {
    type Value = String;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a word")
    }

    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<String, E> {
        if self.wanted == Some(key) { Err(E::custom(REACHED)) } else { Ok(key.to_owned()) }
    }
}
