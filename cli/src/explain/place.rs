//! A place in the source, as the command line names it.

use std::str::FromStr;

/// A place in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, as the user names it.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column, if one is asked for.
    pub column: Option<u32>,
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Place, String> {
        let expected = "expected FILE:LINE or FILE:LINE:COLUMN, such as gemm.c:17:34";
        let number = |text: &str| text.parse::<u32>().ok().filter(|&number| number > 0);
        let (before, last) = text.rsplit_once(':').ok_or(expected)?;
        let last = number(last).ok_or(expected)?;
        let (file, line, column) = match before.rsplit_once(':').and_then(|(file, line)| Some((file, number(line)?))) {
            Some((file, line)) => (file, line, Some(last)),
            None => (before, last, None),
        };
        if file.is_empty() { Err(expected.into()) } else { Ok(Place { file: file.into(), line, column }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read() {
        let place = |file: &str, line, column| Place { file: file.into(), line, column };
        assert_eq!("a.c:7".parse(), Ok(place("a.c", 7, None)));
        assert_eq!("a.c:7:12".parse(), Ok(place("a.c", 7, Some(12))));
        assert_eq!("c:a.c:7".parse(), Ok(place("c:a.c", 7, None)));
        for bad in ["a.c", "a.c:x", ":7", "a.c:0"] {
            bad.parse::<Place>().expect_err(bad);
        }
    }
}
