//! The text of a hardware description.

use std::fmt::Write;

/// A value of a description, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub enum Stated {
    /// The system or the driver says so.
    Fact { value: String, unit: &'static str, source: String },
    /// Measured here.
    Measured { value: String, unit: &'static str, method: String },
    /// Not known.
    Unknown(String),
}

impl Stated {
    pub fn fact(value: impl ToString, unit: &'static str, source: &str) -> Stated {
        Stated::Fact { value: value.to_string(), unit, source: source.into() }
    }

    /// A measured number, with four digits; one that is none of a positive size is not known.
    pub fn measured(value: f64, unit: &'static str, method: String) -> Stated {
        if value.is_finite() && value > 0.0 {
            Stated::Measured { value: four_digits(value), unit, method }
        } else {
            Stated::Unknown(format!("measuring gave {value}: {method}"))
        }
    }

    /// The value, or that there is none, with what is left out.
    pub fn or_unknown(stated: Option<Stated>, why: &str) -> Stated {
        stated.unwrap_or_else(|| Stated::Unknown(why.into()))
    }
}

/// A description as text.
pub struct Text {
    text: String,
    /// Who measured, and on what.
    by: String,
}

impl Text {
    pub fn new(by: &str) -> Text {
        Text { text: String::new(), by: by.into() }
    }

    /// A key of the top level with words.
    pub fn words(&mut self, key: &str, words: &str) {
        let _ = writeln!(self.text, "{key}: {}", quoted(words));
    }

    pub fn section(&mut self, name: &str) {
        let _ = writeln!(self.text, "{name}:");
    }

    /// A key of the section.
    pub fn value(&mut self, key: &str, stated: &Stated) {
        let _ = match stated {
            Stated::Fact { value, unit, source } => {
                writeln!(self.text, "  {key}: {{value: {value}, unit: {unit}, source: {}}}", quoted(source))
            }
            Stated::Measured { value, unit, method } => writeln!(
                self.text,
                "  {key}:\n    value: {value}\n    unit: {unit}\n    measured_by: {}\n    method: {}",
                quoted(&self.by),
                quoted(method)
            ),
            Stated::Unknown(why) => writeln!(self.text, "  {key}: {{unknown: {}}}", quoted(why)),
        };
    }

    pub fn finish(self) -> String {
        self.text
    }
}

/// As YAML in double quotes.
fn quoted(words: &str) -> String {
    let mut text = String::from("\"");
    for character in words.chars() {
        match character {
            '"' | '\\' => text.extend(['\\', character]),
            _ if character.is_control() => text.push(' '),
            _ => text.push(character),
        }
    }
    text.push('"');
    text
}

/// Four digits are more than any of these measurements is good for.
pub fn four_digits(value: f64) -> String {
    let digits = 3 - value.abs().log10().floor() as i32;
    let scale = 10_f64.powi(digits);
    let rounded = (value * scale).round() / scale;
    format!("{rounded:.*}", digits.max(0) as usize)
        .trim_end_matches(|character| character == '0' && digits > 0)
        .trim_end_matches('.')
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_words() {
        let numbers = [1.0, 12_345.6, 0.012_345, 3.999_99, 100.0, 2.5e9].map(four_digits);
        assert_eq!(numbers, ["1", "12350", "0.01235", "4", "100", "2500000000"]);
        assert_eq!(quoted("a \"b\" \\ c\nd"), "\"a \\\"b\\\" \\\\ c d\"");
    }

    #[test]
    fn what_measuring_did_not_give_is_not_known() {
        for value in [f64::NAN, f64::INFINITY, 0.0, -3.0] {
            assert!(matches!(Stated::measured(value, "cycles", "x".into()), Stated::Unknown(_)));
        }
    }
}
