//! What an entry consists of, as data: the reader, the JSON schema and the documentation go by it.

use crate::units::Dimension;

/// Whether a key must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    Optional,
}

/// A key of a section.
pub(crate) struct Key {
    pub name: &'static str,
    pub doc: &'static str,
    pub presence: Presence,
    pub dimension: Dimension,
}

/// A part of an entry.
pub(crate) struct SectionShape {
    pub name: &'static str,
    pub doc: &'static str,
    pub keys: &'static [Key],
}

/// A key of the top level that holds words.
pub(crate) struct TextKey {
    pub name: &'static str,
    pub doc: &'static str,
}
