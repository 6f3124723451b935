//! Tables as bytes: a line that says what they are, length, checksum, content: texts and numbers, and behind them the prediction as a program.

use thiserror::Error;

use super::{Prediction, Table, bits, keys, program};
use crate::form::Leaf;
use crate::hash::fnv1a;

const MAGIC: &[u8] = b"ipda table 10\n";
/// What every version begins with.
const FAMILY: &[u8] = b"ipda table ";
const LENGTH: usize = size_of::<u32>();
const CHECKSUM: usize = size_of::<u64>();
const HEADER: usize = MAGIC.len() + LENGTH + CHECKSUM;

/// Of a table without a prediction.
const NO_NAMES: Names<'_> = (Vec::new(), Vec::new(), Vec::new());

/// Why bytes are no table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TableError {
    /// They begin with something else.
    #[error("there is no decision table of ipda's")]
    None,
    /// A later or earlier ipda wrote them.
    #[error("the decision table is of another version of ipda; it begins with another line than \"ipda table 10\"")]
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
                postcard::to_stdvec(&(Table { prediction, ..self.clone() }, NO_NAMES))
            }
            Ok(_) => {
                let names = self.prediction.as_ref().map_or(NO_NAMES, names);
                postcard::to_stdvec(&(self, names))
            }
        };
        let content = texts.expect("text and numbers are always written");
        let program = program.ok().flatten();
        let placed = program.as_ref().map(|program| Placed {
            at: HEADER + content.len(),
            constants: program.constants,
            spread: program.spread,
        });
        let content = [content, program.unwrap_or_default().bytes].concat();
        let length = u32::try_from(content.len()).expect("a table is small");
        let bytes = [MAGIC, &length.to_le_bytes(), &fnv1a(&content).to_le_bytes(), &content].concat();
        Bytes { bytes, program: placed }
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
        let (mut table, names): (Table, Names<'_>) = texts;
        let names = spelled_out(names).ok_or(TableError::Damaged)?;
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
    /// The prediction within them, which launches evaluate.
    pub program: Option<Placed>,
}

/// A prediction within bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// Where it begins.
    pub at: usize,
    /// Bytes of its constants.
    pub constants: usize,
    /// Numbers of 16 bits that it takes as launches evaluate it ([`Region::steps`](super::Region::steps)).
    pub spread: usize,
}

/// What a prediction's leaves are called: the machines' keys, a bit for each of [`keys::KEYS`] up to the last one, and those that are not in it; and the
/// variables.
type Names<'a> = (Vec<u8>, Vec<&'a str>, Vec<&'a str>);

/// Of a prediction whose machines' leaves are sorted, as those of forms are.
fn names(prediction: &Prediction) -> Names<'_> {
    let mut numbers = Vec::new();
    let (mut spelled, mut variables) = (Vec::new(), Vec::new());
    for leaf in prediction.form.leaves() {
        match leaf {
            Leaf::Machine(name) => match keys::number(name) {
                Some(number) => numbers.push(number),
                None => spelled.push(&name[..]),
            },
            Leaf::Captured(name) => variables.push(&name[..]),
            Leaf::HostThreads => {}
        }
    }
    let end = numbers.iter().max().map_or(0, |last| last + 1);
    (bits::to_bytes((0..end).map(|number| numbers.contains(&number))), spelled, variables)
}

/// The names of which that was written, those of machines first.
fn spelled_out((bytes, spelled, variables): Names<'_>) -> Option<Vec<String>> {
    let numbered = bits::of_bytes(&bytes).map(|number| keys::KEYS.get(number).copied());
    let mut machines = numbered.chain(spelled.into_iter().map(Some)).collect::<Option<Vec<&str>>>()?;
    machines.sort_unstable();
    Some(machines.into_iter().chain(variables).map(str::to_owned).collect())
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
