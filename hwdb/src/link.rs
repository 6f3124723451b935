//! Links between host and device: what a transfer costs.

use crate::entry::{ALIASES, Builtin, Entry, builtins};
use crate::keys::{SectionShape, TextKey};
use crate::reader::{Reader, Section};
use crate::section::section;
use crate::units::{BytesPerSecond, Seconds};
use crate::value::Parameter;

/// A link between a host and one device.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// The entry's name, such as `pcie4`.
    pub name: String,
    /// Its other names.
    pub aliases: Vec<String>,
    /// In words, with its width.
    pub product: String,
    /// What a transfer costs.
    pub transfer: Transfer,
}

/// The names that [`Link::builtin`] takes, beside aliases.
pub fn link_names() -> impl Iterator<Item = &'static str> {
    Link::BUILTIN.iter().map(|builtin| builtin.name)
}

section! {
    /// What a transfer costs.
    Transfer {
        /// What the link can carry towards the device.
        optional peak_to_device: BytesPerSecond,
        /// What the link can carry from the device.
        optional peak_from_device: BytesPerSecond,
        /// What large transfers reach from memory that is pinned to its place.
        optional pinned_to_device: BytesPerSecond,
        /// What large transfers reach into memory that is pinned to its place.
        optional pinned_from_device: BytesPerSecond,
        /// What large transfers reach from memory that the system may move.
        optional pageable_to_device: BytesPerSecond,
        /// What large transfers reach into memory that the system may move.
        optional pageable_from_device: BytesPerSecond,
        /// A transfer of a few bytes, from the call to its end.
        optional latency: Seconds,
        /// Getting memory on the device for data that is not there, and giving it back.
        optional allocation: Seconds,
    }
}

impl Entry for Link {
    const KIND: &'static str = "link";
    const WORD: &'static str = "link";
    const TEXTS: &'static [TextKey] = &[
        TextKey { name: "name", doc: "The entry's name." },
        TextKey { name: "product", doc: "The link in words, with its width." },
    ];
    const LISTS: &'static [TextKey] = &[ALIASES];
    const SECTIONS: &'static [SectionShape] =
        &[SectionShape { name: "transfer", doc: Transfer::DOC, keys: Transfer::KEYS }];
    const BUILTIN: &'static [Builtin] = builtins!["link": "pcie3" "pcie4" "pcie5" "nvlink1" "nvlink2" "nvlink-c2c"];

    fn read(reader: &mut Reader<'_>) -> Option<Link> {
        let (name, product) = (reader.text("name"), reader.text("product"));
        let aliases = reader.texts(ALIASES.name);
        let transfer = reader.section("transfer");
        Some(Link { name: name?, aliases, product: product?, transfer: transfer? })
    }

    fn check(&self, reader: &mut Reader<'_>) {
        let transfer = &self.transfer;
        reader.ascending([
            ("transfer.pageable_to_device", &transfer.pageable_to_device),
            ("transfer.pinned_to_device", &transfer.pinned_to_device),
            ("transfer.peak_to_device", &transfer.peak_to_device),
        ]);
        reader.ascending([
            ("transfer.pageable_from_device", &transfer.pageable_from_device),
            ("transfer.pinned_from_device", &transfer.pinned_from_device),
            ("transfer.peak_from_device", &transfer.peak_from_device),
        ]);
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn parameters(&self) -> Vec<Parameter> {
        self.transfer.parameters("transfer")
    }
}
