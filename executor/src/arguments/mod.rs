//! What a kernel is given: scalars and arrays, described in a small YAML file. What the file leaves out gets a default
//! by its type in the source, by one rule for all kernels.

mod compare;
mod defaults;
mod extent;
mod prepare;
mod room;
mod wire;

pub use compare::{Difference, difference, difference_beyond_rounding};
pub use defaults::Defaults;
pub use prepare::{Prepared, PreparedArray, PreparedGlobals};

use crate::interpreter::Extent;
use crate::random;
use crate::source_types::{Parameter, SourceType};
use ipda_hwdb::shape::{self, Excess};
use ipda_models::files;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The arguments of a kernel, and what else belongs to one run of it.
#[derive(Debug, Clone, Default)]
pub struct Description {
    /// How the kernel is launched, where the file says so.
    pub launch: Option<LaunchDescription>,
    /// Arguments by the name of a parameter, or by its position as in `arg3`; the hidden first parameter is `arg0`.
    pub arguments: Vec<(String, Argument)>,
    /// Values of variables of the module, by name.
    pub globals: Vec<(String, Argument)>,
    /// Where this was read from.
    source: Option<Source>,
}

/// The shape of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchDescription {
    /// How many teams: a number, or a list of up to three for x, y and z.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "extent")]
    pub teams: Option<Extent>,
    /// How many threads a team has, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "extent")]
    pub threads: Option<Extent>,
}

/// One argument.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// An integer scalar: `1000`.
    Integer(i64),
    /// A floating-point scalar: `1.5`.
    Float(f64),
    /// A scalar that says its type, for parameters whose type is not known: `{ type: f32, value: 1.5 }`.
    Scalar {
        /// Its type.
        element: Element,
        /// Its value.
        value: Number,
    },
    /// A null pointer: `null`.
    Null,
    /// A pointer to an array: `{ type: f32, count: 1000, fill: index }`.
    Array(ArrayDescription),
    /// A pointer to an array with these elements: `{ type: i32, values: [3, 1, 2] }`.
    Values {
        /// The type of the elements.
        element: Element,
        /// The elements.
        values: Vec<Number>,
        /// Bytes from a multiple of 256 to the first element.
        offset: u64,
    },
    /// A pointer to memory of any type: `{ bytes: 4096 }`.
    Bytes {
        /// How many bytes.
        bytes: u64,
        /// What each byte holds at the start.
        fill: Fill,
        /// Bytes from a multiple of 256 to the first one.
        offset: u64,
    },
    /// A pointer into the array of another argument: `{ same-as: A, at: 40 }`.
    SameAs {
        /// The name of the array.
        name: String,
        /// Bytes from the start of that array.
        at: u64,
    },
    /// A pointer to these pointers: `{ pointers: [{ type: f32, count: 10 }, null] }`.
    Pointers(Vec<Argument>),
    /// A pointer to pointers to arrays that look the same: `{ pointers: { type: f32, count: 10 }, count: 4 }`.
    /// They are filled like one long array, so that no two are equal.
    Rows {
        /// What each of them points to.
        row: Box<Argument>,
        /// How many.
        count: u64,
    },
    /// A pointer to structures.
    Structures(StructureDescription),
}

/// An array in device memory.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayDescription {
    /// The type of its elements.
    pub element: Element,
    /// How many elements.
    pub count: u64,
    /// What they hold at the start.
    pub fill: Fill,
    /// Bytes from a multiple of 256 to the first element.
    pub offset: u64,
}

/// Structures that lie one after the other: `{ struct: { n: 5, data: { type: f64, count: 5 } }, count: 1 }`.
#[derive(Debug, Clone, PartialEq)]
pub struct StructureDescription {
    /// What members hold; the others are zero.
    pub fields: Vec<(FieldKey, Field)>,
    /// How many structures.
    pub count: u64,
    /// The size of one structure, where it is not known from the source.
    pub bytes: Option<u64>,
    /// Bytes from a multiple of 256 to the first structure.
    pub offset: u64,
}

/// Which member of a structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldKey {
    /// Bytes from the start of the structure.
    Offset(u64),
    /// A name, or names and positions as in `cell[2].mass`.
    Path(String),
}

/// What a member of a structure holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    /// The same in all structures: a number, or one array that all of them point to.
    Same(Argument),
    /// Numbers that differ from structure to structure: `{ type: f32, fill: index }`.
    Column {
        /// The type of the member.
        element: Element,
        /// Its value by the number of the structure.
        fill: Fill,
        /// For an array inside of the structure: how many elements, where that is not known from the source.
        length: Option<u64>,
    },
    /// A pointer to the next structure, null in the last one: `chain`.
    Chain,
}

/// Types of array elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Element {
    /// 8-bit integer.
    I8,
    /// 16-bit integer.
    I16,
    /// 32-bit integer.
    I32,
    /// 64-bit integer.
    I64,
    /// `float`.
    F32,
    /// `double`.
    F64,
}

/// What an array holds at the start.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fill {
    /// Zeros.
    #[default]
    Zero,
    /// Element i holds i, or the low bits of i.
    Index,
    /// Element i holds the remainder of i by this.
    Modulo(u64),
    /// All elements hold this.
    Constant(f64),
    /// Integers from 0 to below `below`, from a seed.
    Random {
        /// Same seed, same values.
        seed: u64,
        /// The first value that does not occur.
        below: u64,
    },
}

/// A number as it is written: with or without a decimal point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// Without.
    Integer(i64),
    /// With.
    Float(f64),
}

/// Why a kernel cannot be given its arguments: always the user's data, never a fault of the program.
#[derive(Debug, Error)]
pub enum ArgumentError {
    /// The file cannot be read.
    #[error("cannot read the description of the arguments {}", path.display())]
    Unreadable {
        /// The file that was asked for.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is not a description.
    #[error("{}:{line}:{column}: {expected}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// What was found there and what was expected.
        expected: String,
    },
    /// The kernel has no such parameter, or the module no such variable.
    #[error("{place}there is no '{name}' here{}", list(known))]
    UnknownName {
        /// File, line and column with a colon behind, where they are known.
        place: String,
        /// The name in the description.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// The description does not fit the type in the source, or says what cannot be.
    #[error("{place}'{name}' {problem}")]
    Unfit {
        /// File, line and column with a colon behind, where they are known.
        place: String,
        /// What it is about: the name of an argument, or of an array behind it.
        name: String,
        /// What was expected, as the rest of the sentence.
        problem: String,
    },
    /// Neither the description nor the type in the source gives a value.
    #[error("'{name}' needs a value in the description of the arguments: {reason}")]
    NoDefault {
        /// The name or position of the parameter.
        name: String,
        /// Why there is no default.
        reason: String,
    },
}

fn list(known: &[String]) -> String {
    if known.is_empty() { String::new() } else { format!(": there are {}", known.join(", ")) }
}

#[derive(Debug, Clone)]
struct Source {
    path: PathBuf,
    text: String,
}

/// What the YAML reader says, in words that fit a description.
const READER_WORDS: [(&str, &str); 6] = [
    ("expected u64", "expected an integer that is not negative"),
    ("unknown variant", "unknown word"),
    ("unknown field", "unknown key"),
    ("missing field", "missing key"),
    ("invalid type: sequence", "found a list"),
    ("invalid type: ", "found "),
];

/// The keys of a description that are not names of parameters.
const RESERVED: [&str; 2] = ["launch", "globals"];

/// A description is no longer than that, in bytes: arrays are described by few numbers, or by all of them.
const MAX_BYTES: u64 = 64 << 20;

impl Description {
    /// A description of arguments alone.
    pub fn of_arguments(arguments: Vec<(String, Argument)>) -> Description {
        Description { arguments, ..Description::default() }
    }

    /// Reads a description from a file.
    pub fn read(path: &Path) -> Result<Description, ArgumentError> {
        let text = files::read_text(path, MAX_BYTES)
            .map_err(|source| ArgumentError::Unreadable { path: path.to_owned(), source })?;
        Description::parse(&text, path)
    }

    /// Reads a description from its text; `path` is named in messages.
    pub fn parse(text: &str, path: &Path) -> Result<Description, ArgumentError> {
        // A file without any key is an empty description.
        shape::check(text).map_err(|Excess { line, problem }| ArgumentError::Malformed {
            path: path.to_owned(),
            line,
            column: 1,
            expected: problem,
        })?;
        let parsed: Option<Description> = serde_yaml::from_str(text).map_err(|error| {
            let (line, column) = error.location().map_or((1, 1), |at| (at.line(), at.column()));
            let message = error.to_string();
            // The reader repeats the position at the end of its sentence, and has words of its own.
            let sentence = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message);
            let expected =
                READER_WORDS.iter().fold(sentence.to_owned(), |text, (theirs, ours)| text.replace(theirs, ours));
            ArgumentError::Malformed { path: path.to_owned(), line, column, expected }
        })?;
        let source = Some(Source { path: path.to_owned(), text: text.to_owned() });
        Ok(Description { source, ..parsed.unwrap_or_default() })
    }

    /// The text of a file that [`Description::read`] gives this description for.
    pub fn to_yaml(&self) -> String {
        ipda_models::yaml::write(self).expect("a description is made of numbers, texts and maps")
    }

    /// What the description says of these parameters; where it is for several kernels, each takes what it knows.
    pub fn only_for(&self, parameters: &[Parameter]) -> Description {
        let mut own = self.clone();
        own.arguments.retain(|(key, _)| index_of(key, parameters).is_some());
        own
    }

    /// The argument of each parameter, where the description has one.
    fn of_parameters<'a>(
        &'a self,
        parameters: &[Parameter],
    ) -> Result<Vec<Option<(&'a str, &'a Argument)>>, ArgumentError> {
        let mut found: Vec<Option<(&str, &Argument)>> = vec![None; parameters.len()];
        for (key, argument) in &self.arguments {
            let Some(index) = index_of(key, parameters) else {
                let known = (0..parameters.len()).map(|index| label(index, parameters)).collect();
                return Err(ArgumentError::UnknownName { place: self.place(key), name: key.clone(), known });
            };
            if let Some((other, _)) = found[index] {
                return Err(self.unfit(key, key, format!("is the parameter that '{other}' already describes")));
            }
            found[index] = Some((key, argument));
        }
        Ok(found)
    }

    fn unfit(&self, key: &str, name: &str, problem: String) -> ArgumentError {
        ArgumentError::Unfit { place: self.place(key), name: name.to_owned(), problem }
    }

    /// Where a key is written, for messages. The reader keeps no positions, but outermost keys are easily found.
    fn place(&self, key: &str) -> String {
        let Some(Source { path, text }) = &self.source else { return String::new() };
        let is_key = |line: &str| {
            let line = line.trim_start().trim_start_matches(['"', '\'']);
            line.strip_prefix(key)
                .is_some_and(|rest| rest.trim_start_matches(['"', '\'']).trim_start().starts_with(':'))
        };
        let mut lines: Vec<(usize, &str)> = text.lines().enumerate().filter(|(_, line)| is_key(line)).collect();
        lines.sort_by_key(|(_, line)| line.len() - line.trim_start().len());
        match lines.first() {
            Some((index, line)) => {
                format!("{}:{}:{}: ", path.display(), index + 1, line.len() - line.trim_start().len() + 1)
            }
            None => format!("{}: ", path.display()),
        }
    }
}

impl PartialEq for Description {
    fn eq(&self, other: &Description) -> bool {
        self.launch == other.launch && self.arguments == other.arguments && self.globals == other.globals
    }
}

/// The parameter that a key names: names come before positions.
fn index_of(key: &str, parameters: &[Parameter]) -> Option<usize> {
    let named = parameters.iter().position(|parameter| parameter.name.as_deref() == Some(key));
    let position = || key.strip_prefix("arg")?.parse::<usize>().ok()?.checked_sub(1);
    named.or_else(position).filter(|&index| index < parameters.len())
}

/// What a parameter is called in a description.
fn label(index: usize, parameters: &[Parameter]) -> String {
    match &parameters[index].name {
        Some(name) if !RESERVED.contains(&name.as_str()) && index_of(name, parameters) == Some(index) => name.clone(),
        _ => format!("arg{}", index + 1),
    }
}

impl Element {
    /// How many bytes an element takes.
    pub fn size(self) -> u64 {
        match self {
            Element::I8 => 1,
            Element::I16 => 2,
            Element::I32 | Element::F32 => 4,
            Element::I64 | Element::F64 => 8,
        }
    }

    /// The element that stands for a scalar of the source.
    pub fn of(ty: &SourceType) -> Option<Element> {
        match ty {
            SourceType::Integer { bits: 1..=8, .. } => Some(Element::I8),
            SourceType::Integer { bits: 16, .. } => Some(Element::I16),
            SourceType::Integer { bits: 32, .. } => Some(Element::I32),
            SourceType::Integer { bits: 64, .. } => Some(Element::I64),
            SourceType::Float { bits: 32 } => Some(Element::F32),
            SourceType::Float { bits: 64 } => Some(Element::F64),
            _ => None,
        }
    }

    /// The scalar of the source that this stands for.
    pub fn source_type(self) -> SourceType {
        let bits = self.size() as u32 * 8;
        if self.is_float() { SourceType::Float { bits } } else { SourceType::Integer { bits, signed: true } }
    }

    fn is_float(self) -> bool {
        matches!(self, Element::F32 | Element::F64)
    }

    /// The largest integer that an element holds exactly, with all below it.
    fn largest(self) -> u64 {
        match self {
            Element::F32 => 1 << 24,
            Element::F64 => 1 << 53,
            integer => u64::MAX >> (64 - 8 * integer.size()),
        }
    }

    /// The bits of a number in an element.
    fn bits(self, number: Number) -> Result<u64, String> {
        scalar_bits(self, number, i128::from(self.largest()), -(1i128 << (8 * self.size() - 1)))
    }
}

/// The bits of a number in a scalar of the source.
fn bits_of_source(ty: &SourceType, number: Number) -> Result<u64, String> {
    let Some(element) = Element::of(ty) else {
        return Err(format!("is {} and can only be given as bytes", ty.describe()));
    };
    let (most, least) = match ty {
        SourceType::Integer { bits, signed: true } => ((1i128 << (bits - 1)) - 1, -(1i128 << (bits - 1))),
        // The file's integers end at half of these; the negative ones stand for the rest.
        SourceType::Integer { bits: 64, signed: false } => (i128::from(u64::MAX), i128::from(i64::MIN)),
        SourceType::Integer { bits, signed: false } => ((1i128 << bits) - 1, 0),
        _ => (0, 0),
    };
    scalar_bits(element, number, most, least).map_err(|problem| format!("is {} and {problem}", ty.describe()))
}

/// The bits of a number in an element, whose integers reach from `least` to `most`.
fn scalar_bits(element: Element, number: Number, most: i128, least: i128) -> Result<u64, String> {
    /// Above this, a number with a decimal point may stand for several integers.
    const EXACT: f64 = (1u64 << 53) as f64;
    match (element, number) {
        (Element::F32, Number::Integer(value)) => Ok(u64::from((value as f32).to_bits())),
        (Element::F32, Number::Float(value)) => Ok(u64::from((value as f32).to_bits())),
        (Element::F64, Number::Integer(value)) => Ok((value as f64).to_bits()),
        (Element::F64, Number::Float(value)) => Ok(value.to_bits()),
        (_, Number::Float(value)) if value.fract() != 0.0 || value.abs() > EXACT => {
            Err(format!("takes an integer, not {value:?}"))
        }
        (integer, number) => {
            let value = match number {
                Number::Integer(value) => i128::from(value),
                Number::Float(value) => value as i128,
            };
            if value < least || value > most {
                return Err(format!("takes an integer from {least} to {most}, not {value}"));
            }
            Ok(value as u64 & (u64::MAX >> (64 - 8 * integer.size())))
        }
    }
}

impl Fill {
    /// Whether the elements can hold the values.
    fn check(self, element: Element) -> Result<(), String> {
        match self {
            Fill::Zero | Fill::Index => Ok(()),
            Fill::Constant(value) => element.bits(Number::Float(value)).map(drop),
            Fill::Modulo(0) => Err("is filled with remainders by 0: at least 1 is expected".to_owned()),
            Fill::Random { below: 0, .. } => Err("is filled with values below 0: at least 1 is expected".to_owned()),
            Fill::Modulo(below) | Fill::Random { below, .. } if below - 1 > element.largest() => {
                Err(format!("is filled with values below {below}, but its elements end at {}", element.largest()))
            }
            Fill::Modulo(_) | Fill::Random { .. } => Ok(()),
        }
    }

    /// The bits of element `index`, once [`Fill::check`] has agreed.
    fn bits(self, element: Element, index: u64) -> u64 {
        let value = match self {
            Fill::Zero => 0,
            Fill::Index => index,
            Fill::Modulo(divisor) => index % divisor,
            Fill::Constant(value) => return element.bits(Number::Float(value)).unwrap_or_default(),
            Fill::Random { seed, below } => ((u128::from(random::at(seed, index)) * u128::from(below)) >> 64) as u64,
        };
        match element {
            Element::F32 => u64::from((value as f32).to_bits()),
            Element::F64 => (value as f64).to_bits(),
            integer => value & (u64::MAX >> (64 - 8 * integer.size())),
        }
    }
}

impl FieldKey {
    fn text(&self) -> String {
        match self {
            FieldKey::Offset(offset) => offset.to_string(),
            FieldKey::Path(path) => path.clone(),
        }
    }
}

/// The type of the elements of an array, of whatever depth, and how many there are in all.
fn strip_arrays(ty: &SourceType) -> Option<(&SourceType, u64)> {
    match ty {
        SourceType::Array { element, count } => {
            let (inner, per_element) = strip_arrays(element)?;
            Some((inner, per_element.checked_mul((*count)?)?))
        }
        other => Some((other, 1)),
    }
}
