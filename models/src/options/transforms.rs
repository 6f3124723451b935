//! What is done with loops, for all regions and for some.

/// What is done with loops that would run better in another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Transform {
    /// Nothing; nobody is told either.
    Off,
    /// People are told.
    Report,
    /// They are changed.
    #[default]
    On,
}

/// The same for all regions, and for some of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Transforms {
    all: Transform,
    /// By the function around a region, with its line where one region alone is meant.
    regions: Vec<(String, Option<u32>, Transform)>,
}

impl Transforms {
    /// `on`, or `off,main=on,main:42=report`: of several that fit a region, the last one counts.
    ///
    /// # Errors
    /// A sentence that names the words that there are.
    pub fn parse(text: &str) -> Result<Transforms, String> {
        let mut transforms = Transforms::default();
        for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            let (region, word) = entry.rsplit_once('=').map_or((None, entry), |(name, word)| (Some(name), word));
            let mut found = Transform::default();
            let words = [("off", Transform::Off), ("report", Transform::Report), ("on", Transform::On)];
            super::word(&mut found, word, words)
                .map_err(|problem| format!("{problem}; write for example on,main=off,main:42=report"))?;
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

    /// For one region, by the function that it is in and its line.
    pub fn of_region(&self, function: &str, line: u32) -> Transform {
        let fits =
            |(name, at, _): &&(String, Option<u32>, Transform)| name == function && at.is_none_or(|at| at == line);
        self.regions.iter().rev().find(fits).map_or(self.all, |(_, _, found)| *found)
    }

    /// Whether no region is looked at.
    pub fn are_off(&self) -> bool {
        self.all == Transform::Off && self.regions.iter().all(|(_, _, found)| *found == Transform::Off)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_that_fit_the_last_one_counts() {
        let transforms = Transforms::parse("off,main=on,main:42=report").expect("three of them");
        assert_eq!(transforms.of_region("other", 42), Transform::Off);
        assert_eq!(transforms.of_region("main", 41), Transform::On);
        assert_eq!(transforms.of_region("main", 42), Transform::Report);
        assert!(!transforms.are_off());
        assert!(Transforms::parse("on,main=maybe").is_err());
    }
}
