//! What is chosen for all regions and for some.

use std::num::NonZeroUsize;

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

/// Which iterations of a region's nest threads run, where the program's author chooses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MappingRequest {
    /// The mapping of this number among those that are legal, from 1.
    Number(NonZeroUsize),
    /// The loops whose numbers make the number of a thread, the slowest first, as a report names them; behind `lanes`, the iterations of each that a warp runs.
    Named(String),
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

impl ByRegion<Option<MappingRequest>> {
    /// `i j lanes 4x8`, or `main:42=j i,solve=2`.
    ///
    /// # Errors
    /// A sentence that says what can be written.
    pub fn parse(text: &str) -> Result<Self, String> {
        ByRegion::parse_with(entries(text), |word| {
            let example = || {
                format!("\"{word}\" is no mapping; write for example main:42=i j lanes 4x8, or 2 for the second one")
            };
            match word.parse::<usize>().map(NonZeroUsize::new) {
                Ok(None) => Err(example()),
                Ok(Some(number)) => Ok(Some(MappingRequest::Number(number))),
                Err(_) if word.is_empty() => Err(example()),
                Err(_) => Ok(Some(MappingRequest::Named(word.split_whitespace().collect::<Vec<_>>().join(" ")))),
            }
        })
    }

    /// Whether any is asked for by the names of loops.
    pub fn has_names(&self) -> bool {
        let requests = self.regions.iter().map(|(_, _, request)| request).chain([&self.all]);
        requests.flatten().any(|request| matches!(request, MappingRequest::Named(_)))
    }

    /// One mapping for all regions.
    pub fn of_all(request: MappingRequest) -> Self {
        ByRegion { all: Some(request), regions: Vec::new() }
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
    use super::{ByRegion, MappingRequest, Transform};
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
    fn mappings_are_named_or_numbered() {
        let mappings =
            ByRegion::<Option<MappingRequest>>::parse("main:42=j  i lanes 4x8, solve=2").expect("two of them");
        assert_eq!(*mappings.of_region("main", 42), Some(MappingRequest::Named("j i lanes 4x8".into())));
        assert_eq!(*mappings.of_region("main", 41), None);
        assert_eq!(*mappings.of_region("solve", 7), NonZeroUsize::new(2).map(MappingRequest::Number));
        assert!(ByRegion::<Option<MappingRequest>>::parse("main=0").is_err());
        assert!(ByRegion::<Option<MappingRequest>>::parse("main=").is_err());
    }

    #[test]
    fn commas_are_part_of_names() {
        let named = |text: &str| Some(MappingRequest::Named(text.into()));
        let mappings =
            ByRegion::<Option<MappingRequest>>::parse("coll:2=i, j k, ns::solve<float, 2>=j i").expect("two");
        assert_eq!(*mappings.of_region("coll", 2), named("i, j k"));
        assert_eq!(*mappings.of_region("ns::solve<float, 2>", 9), named("j i"));
        assert_eq!(*mappings.of_region("other", 1), None);
        let mappings =
            ByRegion::<Option<MappingRequest>>::parse("i, j k, ").expect("one for all; a comma at the end ends it");
        assert_eq!(*mappings.of_region("other", 1), named("i, j k"));
    }
}
