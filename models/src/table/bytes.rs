//! Tables as bytes: a line that says what they are, length, checksum, content: texts and numbers, and behind them the prediction as a program.

use thiserror::Error;

use super::{Prediction, Table, program};
use crate::form::Leaf;
use crate::hash::fnv1a;

const MAGIC: &[u8] = b"ipda table 5\n";
/// What every version begins with.
const FAMILY: &[u8] = b"ipda table ";
const LENGTH: usize = size_of::<u32>();
const CHECKSUM: usize = size_of::<u64>();
const HEADER: usize = MAGIC.len() + LENGTH + CHECKSUM;

/// Why bytes are no table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TableError {
    /// They begin with something else.
    #[error("there is no decision table of ipda's")]
    None,
    /// A later or earlier ipda wrote them.
    #[error("the decision table is of another version of ipda; it begins with another line than \"ipda table 5\"")]
    Version,
    /// Some are missing.
    #[error("the decision table is cut off")]
    Cut,
    /// They are not what was written.
    #[error("the decision table is damaged")]
    Damaged,
}

impl Table {
    /// As an object holds it; a prediction that no launch can evaluate is left out, with the reason.
    pub fn to_bytes(&self) -> Bytes {
        let program = self.prediction.as_ref().ok().map(Prediction::program).transpose();
        let texts = match &program {
            Err(reason) => {
                let prediction = Err((*reason).to_owned());
                postcard::to_stdvec(&(Table { prediction, ..self.clone() }, Vec::<(u8, &str)>::new()))
            }
            Ok(_) => {
                let names = self.prediction.as_ref().map_or_else(|_| Vec::new(), names);
                postcard::to_stdvec(&(self, front_coded(&names)))
            }
        };
        let content = texts.expect("text and numbers are always written");
        let program = program.ok().flatten();
        let program_at = program.is_some().then_some(HEADER + content.len());
        let content = [content, program.unwrap_or_default()].concat();
        let length = u32::try_from(content.len()).expect("a table is small");
        let bytes = [MAGIC, &length.to_le_bytes(), &fnv1a(&content).to_le_bytes(), &content].concat();
        Bytes { bytes, program_at }
    }

    /// The table that bytes begin with.
    ///
    /// # Errors
    /// If there is none, or another one than was written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Table, TableError> {
        let length = total_length(bytes)?;
        let (header, content) = bytes[..length].split_at(HEADER);
        if header[MAGIC.len() + LENGTH..] != fnv1a(content).to_le_bytes() {
            return Err(TableError::Damaged);
        }
        let (texts, program) = postcard::take_from_bytes(content).map_err(|_| TableError::Damaged)?;
        let (mut table, names): (Table, Vec<(u8, &str)>) = texts;
        let names = whole(&names).ok_or(TableError::Damaged)?;
        if let Ok(prediction) = &mut table.prediction {
            let notes = std::mem::take(&mut prediction.notes);
            let versions = table.versions.len();
            let is_whole = |prediction: &Prediction| {
                prediction.is_sound()
                    && prediction.versions.iter().all(|version| usize::from(version.number()) < versions)
            };
            let whole = program::read(program, names, notes).filter(is_whole);
            *prediction = whole.ok_or(TableError::Damaged)?;
        }
        Ok(table)
    }

    /// All tables of a section, one after the other. Behind bytes of which nobody knows how many they are, nothing is read.
    pub fn all(section: &[u8]) -> Vec<Result<Table, TableError>> {
        let mut rest = section;
        let mut all = Vec::new();
        loop {
            // What linkers fill up with.
            let filled = rest.iter().take_while(|byte| **byte == 0).count();
            rest = &rest[filled..];
            if rest.is_empty() {
                return all;
            }
            let whole = total_length(rest);
            all.push(Table::from_bytes(rest));
            match whole {
                Ok(length) => rest = &rest[length..],
                Err(_) => return all,
            }
        }
    }
}

/// A table as bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bytes {
    /// All of them.
    pub bytes: Vec<u8>,
    /// Where in them the prediction is, which launches evaluate.
    pub program_at: Option<usize>,
}

/// What a prediction's leaves are called, those of machines first.
fn names(prediction: &Prediction) -> Vec<&str> {
    let mut names = Vec::new();
    for leaf in prediction.form.leaves() {
        match leaf {
            Leaf::Machine(name) | Leaf::Captured(name) => names.push(&name[..]),
            Leaf::HostThreads => {}
        }
    }
    names
}

/// Of each name how many bytes it has in common with the beginning of the one before, and what follows: keys of machines come in families.
fn front_coded<'a>(names: &[&'a str]) -> Vec<(u8, &'a str)> {
    let before = std::iter::once("").chain(names.iter().copied());
    let code = |(before, name): (&str, &'a str)| {
        let alike = before.bytes().zip(name.bytes()).take_while(|(one, other)| one == other).count();
        let shared = (0..=alike.min(u8::MAX.into())).rev().find(|&at| name.is_char_boundary(at)).unwrap_or(0);
        (shared as u8, &name[shared..])
    };
    before.zip(names.iter().copied()).map(code).collect()
}

/// The names of which that was written.
fn whole(names: &[(u8, &str)]) -> Option<Vec<String>> {
    let mut all: Vec<String> = Vec::with_capacity(names.len());
    for (shared, rest) in names {
        let before = all.last().map_or("", |name| &name[..]);
        all.push(format!("{}{rest}", before.get(..usize::from(*shared))?));
    }
    Some(all)
}

/// Of the table that bytes begin with, all of which are there.
fn total_length(bytes: &[u8]) -> Result<usize, TableError> {
    let begins = |with: &[u8]| bytes.starts_with(with) || with.starts_with(bytes);
    match () {
        () if !begins(FAMILY) => return Err(TableError::None),
        () if !begins(MAGIC) => return Err(TableError::Version),
        () if bytes.len() < HEADER => return Err(TableError::Cut),
        () => {}
    }
    let length = bytes[MAGIC.len()..][..LENGTH].try_into().map_or(0, u32::from_le_bytes);
    let total = HEADER.saturating_add(length as usize);
    if bytes.len() < total { Err(TableError::Cut) } else { Ok(total) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_once_for_what_they_have_in_common() {
        let names = [
            "gpu.l1.latency",
            "gpu.l1.throughput",
            "gpu.l2.latency",
            "n",
            "gr\u{f6}\u{df}e",
            "gr\u{f6}\u{e4}",
            "",
            "n",
        ];
        let coded = front_coded(&names);
        let expected = [
            (0, "gpu.l1.latency"),
            (7, "throughput"),
            (5, "2.latency"),
            (0, "n"),
            (0, "gr\u{f6}\u{df}e"),
            (4, "\u{e4}"),
        ];
        assert_eq!(coded[..6], expected);
        assert_eq!(whole(&coded), Some(names.map(str::to_owned).to_vec()));
        assert_eq!(whole(&[(0, "ab"), (3, "c")]), None, "more than there is");
        assert_eq!(whole(&[(0, "\u{f6}"), (1, "c")]), None, "half of a character");
        let long = "x".repeat(300);
        assert_eq!(front_coded(&[&long, &long])[1], (255, &long[255..]));
    }
}
