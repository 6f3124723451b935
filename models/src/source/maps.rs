//! Map clauses of a directive, and how they say that some variables are moved one way only.

use std::ops::Range;

use super::directive::Directive;
use super::text::Source;
use super::{Edit, Objection};
use crate::report::Region;

/// Which way a variable is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// To the device alone: the region never writes it.
    To,
    /// From the device alone: the region overwrites it.
    From,
}

impl Way {
    fn word(self) -> &'static str {
        match self {
            Way::To => "to",
            Way::From => "from",
        }
    }
}

/// A variable that a region maps both ways, where one would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneWay<'a> {
    /// The variable.
    pub name: &'a str,
    /// The way that is left.
    pub way: Way,
    /// Whether no clause names it.
    pub implicit: bool,
    /// The bytes that are moved no more.
    pub bytes: Option<&'a str>,
}

/// What a region's map clauses could say, as its report has it.
pub fn one_way(region: &Region) -> Vec<OneWay<'_>> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for capture in &region.captures {
        let Some(map) = capture.map.as_ref().filter(|map| map.stays || map.made_there) else { continue };
        if capture.name.chars().all(is_name) && capture.name != "this" {
            let way = if map.stays { Way::To } else { Way::From };
            found.push(OneWay { name: &capture.name, way, implicit: map.implicit, bytes: map.bytes.as_deref() });
        }
    }
    found
}

/// An item of a clause: its text, and which way it goes from now on, if not both.
struct Item<'s> {
    text: &'s [u8],
    way: Option<Way>,
}

/// The edits by which the directive of a target region in a line moves variables one way, and the bytes at which it begins.
///
/// # Errors
/// A sentence where the directive or the clause is not found as the report says.
pub fn edits(source: &Source, line: u32, wanted: &[OneWay<'_>]) -> Result<(usize, Vec<Edit>), Objection> {
    let directive = Directive::of_target(source, line)?;
    let mut edits = Vec::new();
    let mut left: Vec<&OneWay<'_>> = wanted.iter().filter(|one| !one.implicit).collect();
    for (name, inside) in directive.clauses() {
        if name != b"map" {
            continue;
        }
        let Some((opening, items)) = items_of(&directive, inside.clone()) else { continue };
        let items: Vec<Item<'_>> = items
            .into_iter()
            .map(|range| {
                let found = left.iter().position(|one| is_of(&directive, &range, one.name.as_bytes()));
                let way = found.map(|at| left.remove(at).way);
                Item { text: directive.text_of(&range), way }
            })
            .collect();
        if items.iter().any(|item| item.way.is_some()) {
            let colon = if opening.is_some_and(|opening| opening) { " : " } else { ": " };
            edits.push(Edit { range: directive.clause_range(&inside), text: clauses(&items, colon) });
        }
    }
    if let Some(one) = left.first() {
        let text = format!("no plain map(tofrom:) clause of the directive in line {line} names {}", one.name);
        return Err(Objection::Program(text));
    }
    for way in [Way::To, Way::From] {
        let names: Vec<&str> = wanted.iter().filter(|one| one.implicit && one.way == way).map(|one| one.name).collect();
        if !names.is_empty() {
            let at = directive.end();
            let text = format!(" map({} : {})", way.word(), names.join(", ")).into_bytes();
            edits.push(Edit { range: at..at, text });
        }
    }
    Ok((directive.start(), edits))
}

/// The tokens of each item of a map clause that moves both ways, and whether a space stands before its colon, if it has one. None where it moves one
/// way, or has modifiers.
fn items_of(directive: &Directive<'_>, inside: Range<usize>) -> Option<(Option<bool>, Vec<Range<usize>>)> {
    let mut begin = inside.start;
    let mut opening = None;
    if directive.word(begin) == b"tofrom" && directive.word(begin + 1) == b":" {
        opening = Some(directive.has_space_before(begin + 1));
        begin += 2;
    }
    let mut items = Vec::new();
    let mut depth = 0;
    let mut first = begin;
    for at in begin..inside.end {
        match directive.word(at) {
            b"(" | b"[" => depth += 1,
            b")" | b"]" => depth -= 1,
            b"," if depth == 0 => {
                items.push(first..at);
                first = at + 1;
            }
            // A modifier, or another way.
            b":" if depth == 0 => return None,
            _ => {}
        }
    }
    items.push(first..inside.end);
    items.iter().all(|item| !item.is_empty()).then_some((opening, items))
}

/// Whether an item is a variable, or a section of it.
fn is_of(directive: &Directive<'_>, item: &Range<usize>, name: &[u8]) -> bool {
    directive.word(item.start) == name
        && (item.len() == 1 || directive.word(item.start + 1) == b"[")
        && !item.clone().any(|at| matches!(directive.word(at), b"." | b"->"))
}

/// The clauses that stand for one: what is moved both ways first.
fn clauses(items: &[Item<'_>], colon: &str) -> Vec<u8> {
    let mut text = Vec::new();
    for way in [None, Some(Way::To), Some(Way::From)] {
        let own: Vec<&[u8]> = items.iter().filter(|item| item.way == way).map(|item| item.text).collect();
        if own.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push(b' ');
        }
        text.extend(format!("map({}{colon}", way.map_or("tofrom", Way::word)).bytes());
        text.extend(own.join(&b", "[..]));
        text.push(b')');
    }
    text
}
