//! What is chosen for all regions and for some.

use crate::versions::Recipe;
use std::num::NonZeroUsize;

/// The name of version 0.
const AS_WRITTEN: &str = "written";

/// What is done with loops that would run better in another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Transform {
    /// Nothing, and nothing is reported.
    Off,
    /// It is reported.
    Report,
    /// They are changed.
    #[default]
    On,
}

/// Which version of a region's loops is made, where the program's author chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionRequest {
    /// The loops as they are written, which are version 0.
    AsWritten,
    /// What has this number: first what is made by default, if anything is, then the other mappings that are legal by predicted times.
    Number(NonZeroUsize),
    /// The first of these mappings whose recipe has this name.
    Named(&'static str),
}

/// The same for all regions, and for some of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ByRegion<T> {
    all: T,
    /// By the function around a region, with its line where one region alone is meant.
    regions: Vec<(String, Option<u32>, T)>,
}

impl<T: Default> ByRegion<T> {
    /// `WORD`, or `WORD,main=WORD,main:42=WORD`: of several that fit a region, the last one counts.
    fn parse_with<'t>(
        entries: impl IntoIterator<Item = &'t str>,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<ByRegion<T>, String> {
        let mut chosen = ByRegion::default();
        for entry in entries {
            let (region, word) = entry.rsplit_once('=').map_or((None, entry), |(name, word)| (Some(name.trim()), word));
            let found = read(word.trim())?;
            match region {
                None => chosen.all = found,
                Some(name) => {
                    let line = name.rsplit_once(':').and_then(|(name, line)| Some((name, line.parse().ok()?)));
                    let (name, line) = line.map_or((name, None), |(name, line)| (name, Some(line)));
                    chosen.regions.push((name.to_string(), line, found));
                }
            }
        }
        Ok(chosen)
    }

    /// The same for all regions.
    pub fn of_all(all: T) -> Self {
        ByRegion { all, regions: Vec::new() }
    }

    /// For one region, by the function that it is in and its line.
    pub fn of_region(&self, function: &str, line: u32) -> &T {
        let fits = |(name, at, _): &&(String, Option<u32>, T)| name == function && at.is_none_or(|at| at == line);
        self.regions.iter().rev().find(fits).map_or(&self.all, |(_, _, found)| found)
    }
}

impl ByRegion<Transform> {
    /// `on`, or `off,main=on,main:42=report`.
    ///
    /// # Errors
    /// A sentence that names the words that there are.
    pub fn parse(text: &str) -> Result<Self, String> {
        let words = [("off", Transform::Off), ("report", Transform::Report), ("on", Transform::On)];
        ByRegion::parse_with(text.split(',').map(str::trim).filter(|entry| !entry.is_empty()), |word| {
            let mut found = Transform::default();
            super::word(&mut found, word, words)
                .map_err(|problem| format!("{problem}; write for example on,main=off,main:42=report"))?;
            Ok(found)
        })
    }

    /// Whether no region is looked at.
    pub fn are_off(&self) -> bool {
        self.all == Transform::Off && self.regions.iter().all(|(_, _, found)| *found == Transform::Off)
    }
}

/// Mappings: the loops whose numbers make the number of a thread, the slowest first, as a report names them.
impl ByRegion<Option<String>> {
    /// `i j lanes 4x8`, or `main:42=j i,solve=i/8 j | i%8`.
    ///
    /// # Errors
    /// A sentence that says what can be written.
    pub fn parse(text: &str) -> Result<Self, String> {
        ByRegion::parse_with(entries(text), |word| match word.starts_with(|letter: char| letter.is_ascii_digit()) {
            false if !word.is_empty() => Ok(Some(word.split_whitespace().collect::<Vec<_>>().join(" "))),
            _ => Err(format!("\"{word}\" is no mapping; write for example main:42=i j lanes 4x8")),
        })
    }

    /// Whether there is any.
    pub fn has_any(&self) -> bool {
        self.all.is_some() || self.regions.iter().any(|(_, _, mapping)| mapping.is_some())
    }
}

impl ByRegion<Option<VersionRequest>> {
    /// `0`, or `main:42=v2,solve=written`.
    ///
    /// # Errors
    /// A sentence that says what can be written.
    pub fn parse(text: &str) -> Result<Self, String> {
        ByRegion::parse_with(text.split(',').map(str::trim).filter(|entry| !entry.is_empty()), |word| {
            if let Some(name) = Recipe::NAMES_OF_MAPPINGS.into_iter().find(|name| *name == word) {
                return Ok(Some(VersionRequest::Named(name)));
            }
            let number = if word == AS_WRITTEN { "0" } else { word.strip_prefix('v').unwrap_or(word) };
            match number.parse::<usize>().map(NonZeroUsize::new) {
                Ok(None) => Ok(Some(VersionRequest::AsWritten)),
                Ok(Some(number)) => Ok(Some(VersionRequest::Number(number))),
                Err(_) => {
                    let names = Recipe::NAMES_OF_MAPPINGS.join(", ");
                    Err(format!(
                        "\"{word}\" is no version; write for example 0, {AS_WRITTEN}, main:42=2, or one of {names}"
                    ))
                }
            }
        })
    }
}

/// The entries of a text, between commas: but names of functions have some in brackets, and those of loops that a clause collapsed between them.
fn entries(text: &str) -> Vec<&str> {
    let text = text.trim_end_matches(|letter: char| letter == ',' || letter.is_whitespace());
    let mut entries: Vec<&str> = Vec::new();
    let (mut depth, mut begin, mut last) = (0_usize, 0, 0);
    for (at, letter) in text.char_indices().chain([(text.len(), ',')]) {
        match letter {
            '<' | '(' => depth += 1,
            '>' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 || at == text.len() => {
                // What has no region is part of the mapping before.
                if text[last..at].contains('=') || last == 0 {
                    begin = last;
                } else {
                    entries.pop();
                }
                entries.push(text[begin..at].trim());
                last = at + 1;
            }
            _ => {}
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::{ByRegion, Transform, VersionRequest};
    use std::num::NonZeroUsize;

    #[test]
    fn the_last_word_that_fits_a_region_counts() {
        let transforms = ByRegion::<Transform>::parse("off,main=on,main:42=report").expect("three of them");
        assert_eq!(*transforms.of_region("other", 42), Transform::Off);
        assert_eq!(*transforms.of_region("main", 41), Transform::On);
        assert_eq!(*transforms.of_region("main", 42), Transform::Report);
        assert!(!transforms.are_off());
        assert!(ByRegion::<Transform>::parse("on,main=maybe").is_err());
    }

    #[test]
    fn mappings_have_names_of_loops() {
        let mappings = ByRegion::<Option<String>>::parse("main:42=j  i lanes 4x8, solve=k").expect("two of them");
        assert_eq!(*mappings.of_region("main", 42), Some("j i lanes 4x8".into()));
        assert_eq!(*mappings.of_region("main", 41), None);
        assert_eq!(*mappings.of_region("solve", 7), Some("k".into()));
        assert!(ByRegion::<Option<String>>::parse("main=2").is_err());
        assert!(ByRegion::<Option<String>>::parse("main=").is_err());
    }

    #[test]
    fn versions_have_numbers() {
        let versions =
            ByRegion::<Option<VersionRequest>>::parse("written,main:42=2, solve=v1, sum=0").expect("four of them");
        assert_eq!(*versions.of_region("main", 42), NonZeroUsize::new(2).map(VersionRequest::Number));
        assert_eq!(*versions.of_region("main", 41), Some(VersionRequest::AsWritten));
        assert_eq!(*versions.of_region("solve", 7), NonZeroUsize::new(1).map(VersionRequest::Number));
        assert_eq!(*versions.of_region("sum", 7), Some(VersionRequest::AsWritten));
        for wrong in ["main=", "main=-1", "j i", "main=vv1"] {
            assert!(ByRegion::<Option<VersionRequest>>::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn commas_are_part_of_names() {
        let named = |text: &str| Some(text.to_owned());
        let mappings = ByRegion::<Option<String>>::parse("coll:2=i, j k, ns::solve<float, 2>=j i").expect("two");
        assert_eq!(*mappings.of_region("coll", 2), named("i, j k"));
        assert_eq!(*mappings.of_region("ns::solve<float, 2>", 9), named("j i"));
        assert_eq!(*mappings.of_region("other", 1), None);
        let mappings = ByRegion::<Option<String>>::parse("i, j k, ").expect("one for all; a comma at the end ends it");
        assert_eq!(*mappings.of_region("other", 1), named("i, j k"));
    }
}
