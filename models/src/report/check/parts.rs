//! Checks of what many parts of a report have: texts, numbers, places.

use super::violation::{Found, Within, optional, wrong};
use crate::report::{Location, Quantity};

/// Bytes of a name, of a place's file, or of a sentence.
const LONGEST_TEXT: usize = 1 << 18;
/// Bytes of an expression.
const LONGEST_EXPRESSION: usize = 1 << 16;
/// Digits of a number in an expression: those of the largest number that a float can hold.
const MAX_DIGITS: usize = 309;
/// Loops inside of each other, of the source and of finished code.
pub(super) const MAX_NESTED: usize = 128;
/// Lanes of a warp, banks, and bytes of a sector, a line or a bank: larger than those of any machine.
const LARGEST_SIZE: u32 = 4096;
/// Bytes and counts: sums of millions of them are numbers of the machine.
const LARGEST_COUNT: u64 = 1 << 40;
/// The same of numbers with a fraction.
const LARGEST_NUMBER: f64 = 1e18;

pub(super) fn text(text: &str) -> Found {
    match text.len() > LONGEST_TEXT {
        true => wrong(format!("a text of {} bytes; {LONGEST_TEXT} are read", text.len())),
        false => Ok(()),
    }
}

pub(in crate::report) fn expression(text: &str) -> Found {
    if text.len() > LONGEST_EXPRESSION {
        return wrong(format!("an expression of {} bytes; {LONGEST_EXPRESSION} are read", text.len()));
    }
    let longest = text.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap_or(0);
    if longest > MAX_DIGITS {
        return wrong(format!("a number of {longest} digits; {MAX_DIGITS} are read"));
    }
    Ok(())
}

pub(super) fn quantity(found: &Quantity) -> Found {
    optional("value", found.value.as_deref(), expression)?;
    optional("unknown", found.unknown.as_deref(), text)
}

pub(super) fn size(name: &str, size: u32) -> Found {
    match size {
        1..=LARGEST_SIZE => Ok(()),
        _ => wrong(format!("{size} is not from 1 to {LARGEST_SIZE}")).within(name),
    }
}

pub(super) fn count(count: u64) -> Found {
    if count > LARGEST_COUNT { wrong(format!("{count} is more than {LARGEST_COUNT}")) } else { Ok(()) }
}

pub(super) fn number(number: f64) -> Found {
    match (0.0..=LARGEST_NUMBER).contains(&number) {
        true => Ok(()),
        false => wrong(format!("{number} is not from 0 to {LARGEST_NUMBER:e}")),
    }
}

pub(super) fn location(found: &Location) -> Found {
    text(&found.file).within("file")
}

pub(super) fn place(found: Option<&Location>) -> Found {
    optional("location", found, location)
}
