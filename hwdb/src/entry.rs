//! Entries: what all kinds have in common, and how one builds on another.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde_yaml::{Mapping, Value as Node};

use crate::error::{LoadError, Place, Problem};
use crate::keys::{SectionShape, TextKey};
use crate::reader::{Reader, VALUE_KEYS, kind_of, listed};
use crate::value::Parameter;

/// Entries that build on one another, at most: more is a circle.
const MAX_BASES: usize = 4;
/// What every entry of any kind may have, beside its texts and sections.
const COMMON_KEYS: [&str; 2] = ["kind", "based_on"];
/// The key of an entry's other names.
pub(crate) const ALIASES: TextKey = TextKey { name: "aliases", doc: "Other names of the entry." };

/// A built-in entry.
pub(crate) struct Builtin {
    pub name: &'static str,
    /// Its file.
    pub text: &'static str,
    /// What the file holds, as JSON.
    pub tree: &'static str,
}

macro_rules! builtins {
    ($kind:literal: $($name:literal)*) => {
        &[$($crate::entry::Builtin {
            name: $name,
            text: include_str!(concat!("../entries/", $kind, "/", $name, ".yaml")),
            tree: include_str!(concat!(env!("OUT_DIR"), "/", $kind, "/", $name, ".json")),
        }),*]
    };
}
pub(crate) use builtins;

impl Builtin {
    /// The other names in its file.
    fn aliases(&self) -> impl Iterator<Item = &'static str> {
        let list = self.word(ALIASES.name).unwrap_or_default();
        list.trim_matches(['[', ']']).split(',').map(str::trim).filter(|alias| !alias.is_empty())
    }

    /// What it states for a key at its top level, in that line of its file. To read all entries for it would take a compilation longer than
    /// everything else that it asks of them; a test reads them.
    pub(crate) fn word(&self, key: &str) -> Option<&'static str> {
        self.text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':')).map(str::trim)
    }

    fn tree(&self) -> Mapping {
        serde_json::from_str(self.tree).expect("it was written when this was built")
    }
}

/// A kind of entry.
pub(crate) trait Entry: Sized {
    /// The value of the key `kind`.
    const KIND: &'static str;
    /// The kind in a sentence.
    const WORD: &'static str;
    /// Its keys that hold words; all must be there.
    const TEXTS: &'static [TextKey];
    /// Its keys that hold lists of words; none need be there.
    const LISTS: &'static [TextKey];
    /// Its parts.
    const SECTIONS: &'static [SectionShape];
    /// The entries that are part of the program.
    const BUILTIN: &'static [Builtin];

    /// Reads a whole entry. None where the reader noted that something required is missing or wrong.
    fn read(reader: &mut Reader<'_>) -> Option<Self>;
    /// Notes values that contradict each other.
    fn check(&self, reader: &mut Reader<'_>);
    fn name(&self) -> &str;
    fn parameters(&self) -> Vec<Parameter>;
}

/// The entry that the text of a file describes, or everything that is wrong with it.
pub(crate) fn parse<E: Entry>(text: &str, path: &Path) -> Result<E, Vec<LoadError>> {
    checked(parse_tree(text, path).map_err(|error| vec![error])?, text, path)
}

/// The entry of the tree in a text.
fn checked<E: Entry>(tree: Mapping, text: &str, path: &Path) -> Result<E, Vec<LoadError>> {
    let mut problems = Vec::new();
    let entry = read_tree(tree, &mut problems);
    match entry {
        Some(entry) if problems.is_empty() => Ok(entry),
        _ => Err(located(problems, path, text)),
    }
}

/// The problems in the file's order.
pub(crate) fn located(problems: Vec<Problem>, path: &Path, text: &str) -> Vec<LoadError> {
    let mut errors: Vec<LoadError> = problems.into_iter().map(|problem| problem.at(path, text)).collect();
    errors.sort_by_key(|error| match error {
        LoadError::Malformed { line, column, .. } => (*line, *column),
        _ => (0, 0),
    });
    errors
}

pub(crate) fn parse_tree(text: &str, path: &Path) -> Result<Mapping, LoadError> {
    crate::shape::check(text).map_err(|crate::shape::Excess { line, problem }| LoadError::Malformed {
        path: path.to_owned(),
        line,
        column: 1,
        expected: problem,
    })?;
    let node: Node = serde_yaml::from_str(text).map_err(|error| LoadError::not_yaml(path.to_owned(), &error))?;
    match node {
        Node::Mapping(tree) => Ok(tree),
        other => Err(LoadError::Malformed {
            path: path.to_owned(),
            line: 1,
            column: 1,
            expected: format!("expected the keys of a hardware description, found {}", kind_of(&other)),
        }),
    }
}

fn read_tree<E: Entry>(tree: Mapping, problems: &mut Vec<Problem>) -> Option<E> {
    check_kind(&tree, &[E::KIND], problems)?;
    let tree = with_bases::<E>(tree, problems)?;
    let mut reader = Reader::new(&tree, problems);
    let words = E::TEXTS.iter().chain(E::LISTS).map(|key| key.name);
    let sections = E::SECTIONS.iter().map(|section| section.name);
    let known: Vec<&str> = COMMON_KEYS.into_iter().chain(words).chain(sections).collect();
    reader.only_keys(&known);
    let entry = E::read(&mut reader)?;
    entry.check(&mut reader);
    Some(entry)
}

/// The entry's kind, if it is one of these.
pub(crate) fn check_kind<'a>(tree: &Mapping, kinds: &[&'a str], problems: &mut Vec<Problem>) -> Option<&'a str> {
    let found = tree.get("kind");
    let kind = kinds.iter().find(|kind| found.and_then(Node::as_str) == Some(**kind)).copied();
    if kind.is_none() {
        let (path, message) = match found {
            Some(other) => (vec!["kind".to_owned()], format!("expected {}, found {}", listed(kinds), kind_of(other))),
            None => (Vec::new(), format!("missing key `kind`: expected `kind:` with {}", listed(kinds))),
        };
        problems.push(Problem { path, place: Place::Value, message });
    }
    kind
}

/// The tree with the values of the entries that it builds on, where it has none of its own.
fn with_bases<E: Entry>(mut tree: Mapping, problems: &mut Vec<Problem>) -> Option<Mapping> {
    for _ in 0..MAX_BASES {
        let Some(base) = tree.remove("based_on") else { return Some(tree) };
        let mut fail = |message| {
            problems.push(Problem { path: vec!["based_on".into()], place: Place::Value, message });
            None
        };
        let Some(name) = base.as_str() else { return fail(format!("expected a name, found {}", kind_of(&base))) };
        let mut below = match builtin_of::<E>(name) {
            Ok(builtin) => builtin.tree(),
            Err(error) => return fail(error.to_string()),
        };
        // Names are an entry's own.
        below.remove(ALIASES.name);
        overlay(&mut below, tree);
        tree = below;
    }
    let message = format!("more than {MAX_BASES} entries build on one another");
    problems.push(Problem { path: vec!["based_on".into()], place: Place::Value, message });
    None
}

/// Puts what `upper` states in the place of what `lower` does; a value is replaced as a whole, with its source.
fn overlay(lower: &mut Mapping, upper: Mapping) {
    for (key, node) in upper {
        match (lower.get_mut(&key), node) {
            (Some(Node::Mapping(below)), Node::Mapping(above)) if !is_value(below) && !is_value(&above) => {
                overlay(below, above);
            }
            (_, node) => {
                lower.insert(key, node);
            }
        }
    }
}

fn is_value(node: &Mapping) -> bool {
    node.keys().any(|key| key.as_str().is_some_and(|key| VALUE_KEYS.contains(&key)))
}

/// The built-in entry of that name or alias, unread.
pub(crate) fn builtin_of<E: Entry>(name: &str) -> Result<&'static Builtin, LoadError> {
    let by_name = E::BUILTIN.iter().find(|builtin| builtin.name == name);
    let by_alias = || E::BUILTIN.iter().find(|builtin| builtin.aliases().any(|alias| alias == name));
    by_name.or_else(by_alias).ok_or_else(|| LoadError::UnknownName {
        kind: E::WORD,
        name: name.to_owned(),
        valid: E::BUILTIN.iter().map(|builtin| builtin.name).collect(),
    })
}

/// The built-in entry of that name or alias.
pub(crate) fn builtin<E: Entry>(name: &str) -> Result<E, LoadError> {
    let builtin = builtin_of::<E>(name)?;
    checked(builtin.tree(), builtin.text, Path::new(name)).map_err(first)
}

/// The entry in a file.
pub(crate) fn load<E: Entry>(path: &Path) -> Result<E, LoadError> {
    parse(&read_file(path)?, path).map_err(first)
}

/// Bytes of a description at most; built-in ones have a few thousand.
const MAX_BYTES: u64 = 1 << 20;

pub(crate) fn read_file(path: &Path) -> Result<String, LoadError> {
    bounded_text(path).map_err(|source| LoadError::Unreadable { path: path.to_owned(), source })
}

/// A pipe may never end, or never begin.
fn bounded_text(path: &Path) -> io::Result<String> {
    let found = std::fs::metadata(path)?;
    if !found.is_file() && !found.is_dir() {
        return Err(io::Error::other("it is a pipe or a device, not a file"));
    }
    let mut text = String::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("it is longer than {MAX_BYTES} bytes")));
    }
    Ok(text)
}

/// The first of them; there is one wherever reading failed.
fn first(errors: Vec<LoadError>) -> LoadError {
    errors.into_iter().next().unwrap_or_else(|| LoadError::Malformed {
        path: "".into(),
        line: 1,
        column: 1,
        expected: "the entry could not be read".into(),
    })
}

/// Whether it is the path of a file rather than a name.
pub(crate) fn is_path(name: &str) -> bool {
    name.ends_with(".yaml") || name.ends_with(".yml") || name.contains('/')
}
