//! A built-in description with some of its values replaced by what the system or the driver says.

use std::fmt::Write;

/// The text of a description that builds on another one.
pub(crate) struct Overlay {
    text: String,
    /// A section that has nothing yet, which is no section to the reader.
    section: Option<String>,
    /// Who says so.
    source: &'static str,
}

impl Overlay {
    pub(crate) fn new(kind: &str, base: &str, source: &'static str) -> Overlay {
        Overlay { text: format!("kind: {kind}\nbased_on: {base}\n"), section: None, source }
    }

    /// The machine's own name: what it is described as, and what tells it apart.
    pub(crate) fn name(&mut self, name: &str) {
        let is_plain = |character: &char| !character.is_control() && !['"', '\\'].contains(character);
        let _ = writeln!(self.text, "name: \"{}\"", name.chars().filter(is_plain).collect::<String>());
    }

    pub(crate) fn section(&mut self, name: &str) {
        self.section = Some(name.to_owned());
    }

    fn begin_line(&mut self) {
        if let Some(name) = self.section.take() {
            let _ = writeln!(self.text, "{name}:");
        }
    }

    /// A value of the section, where there is one.
    pub(crate) fn value(&mut self, key: &str, value: Option<impl ToString>, unit: &str) {
        if let Some(value) = value {
            self.begin_line();
            let _ = writeln!(
                self.text,
                "  {key}: {{value: {}, unit: {unit}, source: \"{}\"}}",
                value.to_string(),
                self.source
            );
        }
    }

    /// A value of the section that was concluded from others.
    pub(crate) fn estimate(&mut self, key: &str, value: f64, unit: &str, basis: &str) {
        self.begin_line();
        let _ = writeln!(self.text, "  {key}: {{value: {value}, unit: {unit}, estimate: true, basis: \"{basis}\"}}");
    }

    /// A value of the base that is not this machine's.
    pub(crate) fn unknown(&mut self, key: &str) {
        self.begin_line();
        let _ = writeln!(self.text, "  {key}: {{unknown: \"{} does not say\"}}", self.source);
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}
