//! Tables as bytes: a line that says what they are, length, checksum, content: texts and numbers, and behind them the prediction as a program.

use thiserror::Error;

use super::{Prediction, Table, program};
use crate::form::Leaf;

const MAGIC: &[u8] = b"ipda table 3\n";
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
    #[error("the decision table is of another version of ipda; it begins with another line than \"ipda table 3\"")]
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
                postcard::to_stdvec(&(Table { prediction, ..self.clone() }, Vec::<&str>::new()))
            }
            Ok(_) => postcard::to_stdvec(&(self, self.prediction.as_ref().map_or_else(|_| Vec::new(), names))),
        };
        let content = texts.expect("text and numbers are always written");
        let program = program.ok().flatten();
        let program_at = program.is_some().then_some(HEADER + content.len());
        let content = [content, program.unwrap_or_default()].concat();
        let length = u32::try_from(content.len()).expect("a table is small");
        let bytes = [MAGIC, &length.to_le_bytes(), &checksum(&content).to_le_bytes(), &content].concat();
        Bytes { bytes, program_at }
    }

    /// The table that bytes begin with.
    ///
    /// # Errors
    /// If there is none, or another one than was written.
    pub fn from_bytes(bytes: &[u8]) -> Result<Table, TableError> {
        let length = total_length(bytes)?;
        let (header, content) = bytes[..length].split_at(HEADER);
        if header[MAGIC.len() + LENGTH..] != checksum(content).to_le_bytes() {
            return Err(TableError::Damaged);
        }
        let (texts, program) = postcard::take_from_bytes(content).map_err(|_| TableError::Damaged)?;
        let (mut table, names): (Table, Vec<String>) = texts;
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

    /// All tables of a section, one behind the other. Behind bytes of which nobody knows how many they are, nothing is read.
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

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}
