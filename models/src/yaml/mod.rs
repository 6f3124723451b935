//! YAML as this project reads and writes it: what is read is bounded before a parser sees it, and what is written means the same to readers
//! of YAML 1.1 and 1.2.

mod plain;

use ipda_hwdb::shape::{self, Excess};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Why a text was not read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is larger, or nested more deeply, than anything that this project writes.
    #[error("{0}")]
    Shape(#[from] Excess),
    /// It is no YAML, or means something else.
    #[error("{0}")]
    Malformed(#[from] serde_yaml::Error),
}

/// Reads one document, in a time that grows as its length does.
///
/// # Errors
/// Where it has more than [`shape::MAX_VALUES`] values, is nested deeper than [`shape::MAX_DEPTH`], has anchors, aliases or tags, or is not a `T`.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    shape::check(text)?;
    Ok(serde_yaml::from_str(text)?)
}

/// The text of a value.
///
/// # Errors
/// Where it has maps as keys, or enumerations inside of enumerations.
pub fn write<T: Serialize>(value: &T) -> Result<String, serde_yaml::Error> {
    Ok(plain::for_all_readers(&serde_yaml::to_string(value)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn words_that_another_version_takes_for_something_else_are_quoted() {
        let words = "y n Y N yes No on OFF = << ~ 1_000 1:30 190:20:30.15 012 0o14 0x1F 0b1 2001-12-14 2001-1-1T00:00 .5 1e3 1. +.inf .NaN _1 i 0-15 <=> < 4*[n] x:1 10.1.2.3 1e 3e+ - 0x";
        let words: Vec<&str> = words.split(' ').collect();
        let text = write(&words).unwrap();
        assert_eq!(read::<Vec<String>>(&text).unwrap(), words, "{text}");
        let plain: Vec<&str> = text.lines().filter(|line| !line.contains('\'')).collect();
        assert_eq!(plain.join(" "), "- _1 - i - 0-15 - <=> - < - 4*[n] - x:1 - 1e - 3e+ - 0x");
    }

    #[test]
    fn strings_that_look_like_numbers_or_dates_stay_what_they_are() {
        // A hash of a source may have no letter but an `e`.
        let words =
            ["12e4567890123456", "-7e991", "1.5e400", "1_0.5e+3", "0_1.e-3", "1_0e5", "2001-12-14 it's", "2001-1-1'"];
        let text = write(&words.map(|word| BTreeMap::from([(word, word)]))).unwrap();
        let read = read::<Vec<BTreeMap<String, String>>>(&text).unwrap();
        let again: Vec<(&str, &str)> = read.iter().flatten().map(|(key, value)| (&key[..], &value[..])).collect();
        assert_eq!(again, words.map(|word| (word, word)), "{text}");
        let quoted = words.map(|word| word.replace('\'', "''")).map(|word| format!("- '{word}': '{word}'\n"));
        assert_eq!(text, quoted.concat());
    }

    #[test]
    fn keys_and_lists_in_lists_are_quoted_and_blocks_stay() {
        let value: BTreeMap<&str, Vec<(&str, &str)>> =
            BTreeMap::from([("n", vec![("y", "a\nno\n- off"), ("z", "on")])]);
        let text = write(&value).unwrap();
        assert_eq!(text, "'n':\n- - 'y'\n  - |-\n    a\n    no\n    - off\n- - z\n  - 'on'\n");
        let long = "k".repeat(200);
        let value = BTreeMap::from([(long.as_str(), "off"), ("quoted: 'key'", "no")]);
        assert_eq!(read::<BTreeMap<String, String>>(&write(&value).unwrap()).unwrap()[&long], "off");
        assert!(write(&value).unwrap().contains("'off'") && write(&value).unwrap().contains(": 'no'"));
    }

    #[test]
    fn numbers_have_a_point_and_a_sign_where_there_is_an_exponent() {
        let numbers = [1.0, 1e16, 2.5e-7, 1e300, -3e20, 0.1];
        let text = write(&numbers.to_vec()).unwrap();
        assert_eq!(text, "- 1.0\n- 1.0e+16\n- 2.5e-7\n- 1.0e+300\n- -3.0e+20\n- 0.1\n");
        assert_eq!(read::<Vec<f64>>(&text).unwrap(), numbers);
    }
}
