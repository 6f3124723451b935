//! A value as an entry states it: number, unit, and where it comes from.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

/// A size in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(u32);

impl Bytes {
    /// A size of `n` bytes.
    pub const fn new(n: u32) -> Bytes {
        Bytes(n)
    }

    /// The number of bytes.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0)
    }
}

/// A value that no public document states; what rests on it should say so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimate {
    /// The key in the entry, such as `sector`.
    pub key: &'static str,
    /// What the value was concluded from.
    pub basis: String,
}

/// What a quantity counts; names its unit in the file.
pub(crate) trait Unit {
    const NAME: &'static str;
}

/// Threads that execute together.
pub(crate) struct InLanes;

impl Unit for InLanes {
    const NAME: &'static str = "lanes";
}

/// Sizes.
pub(crate) struct InBytes;

impl Unit for InBytes {
    const NAME: &'static str = "bytes";
}

/// Parts of a memory that work side by side.
pub(crate) struct InBanks;

impl Unit for InBanks {
    const NAME: &'static str = "banks";
}

/// Where a value comes from.
pub(crate) enum Provenance {
    /// A public document states it.
    Documented,
    /// Concluded from this.
    Estimated { basis: String },
}

/// A power of two in the unit `U`, with its provenance.
pub(crate) struct Quantity<U> {
    pub value: u32,
    pub provenance: Provenance,
    unit: PhantomData<U>,
}

/// The fields as they stand in the file.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, bound = "U: Unit")]
struct Fields<U> {
    value: u32,
    // Checked while it is read, so that an error carries this key's line.
    #[serde(rename = "unit")]
    _unit: UnitName<U>,
    source: Option<String>,
    #[serde(default)]
    estimate: bool,
    basis: Option<String>,
}

impl<U: Unit> Fields<U> {
    fn check(self) -> Result<Quantity<U>, &'static str> {
        // Every size that counts transactions is one; the counting divides addresses by it.
        if !self.value.is_power_of_two() {
            return Err("`value` must be a power of two");
        }
        let provenance = match (self.estimate, self.source, self.basis) {
            (false, Some(source), None) if !source.trim().is_empty() => Provenance::Documented,
            (true, None, Some(basis)) if !basis.trim().is_empty() => Provenance::Estimated { basis },
            (false, ..) => {
                return Err("expected `source: \"document, place in it\"`, or `estimate: true` with `basis`");
            }
            (true, ..) => {
                return Err("an estimate needs `basis: \"what it was concluded from\"` and has no `source`");
            }
        };
        Ok(Quantity { value: self.value, provenance, unit: PhantomData })
    }
}

impl<'de, U: Unit> Deserialize<'de> for Quantity<U> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InMap<U>(PhantomData<U>);

        impl<'de, U: Unit> Visitor<'de> for InMap<U> {
            type Value = Quantity<U>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "`{{value: .., unit: {}, source: ..}}`", U::NAME)
            }

            // Checking inside of the map gives an error the map's position in the file.
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                Fields::<U>::deserialize(MapAccessDeserializer::new(map))?.check().map_err(A::Error::custom)
            }
        }

        deserializer.deserialize_map(InMap(PhantomData))
    }
}

/// The text of `U::NAME`, and nothing else.
struct UnitName<U>(PhantomData<U>);

impl<'de, U: Unit> Deserialize<'de> for UnitName<U> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name<U>(PhantomData<U>);

        impl<U: Unit> Visitor<'_> for Name<U> {
            type Value = UnitName<U>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "the unit `{}`", U::NAME)
            }

            fn visit_str<E: Error>(self, found: &str) -> Result<Self::Value, E> {
                if found == U::NAME {
                    Ok(UnitName(PhantomData))
                } else {
                    Err(E::custom(format_args!("expected the unit `{}`, found `{found}`", U::NAME)))
                }
            }
        }

        deserializer.deserialize_str(Name(PhantomData))
    }
}
