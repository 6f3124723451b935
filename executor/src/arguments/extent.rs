//! The YAML form of the extent of a league or team: a number, or a list of up to three.

use crate::extent::Extent;
use serde::de::{Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserializer, Serialize, Serializer};
use std::fmt;

const EXPECTED: &str = "an integer above 0";

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Option<Extent>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an integer above 0, or a list of up to three")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        match u32::try_from(number) {
            Ok(count) if count > 0 => Ok(Some(count.into())),
            _ => Err(E::invalid_value(Unexpected::Unsigned(number), &EXPECTED)),
        }
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        Err(E::invalid_value(Unexpected::Signed(number), &EXPECTED))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut extents = Vec::new();
        while let Some(number) = list.next_element::<u64>()? {
            match u32::try_from(number) {
                Ok(extent) if extent > 0 => extents.push(extent),
                _ => return Err(A::Error::invalid_value(Unexpected::Unsigned(number), &EXPECTED)),
            }
        }
        match extents[..] {
            [x] => Ok(Some(Extent([x, 1, 1]))),
            [x, y] => Ok(Some(Extent([x, y, 1]))),
            [x, y, z] => Ok(Some(Extent([x, y, z]))),
            _ => Err(A::Error::invalid_length(extents.len(), &self)),
        }
    }
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Extent>, D::Error> {
    from.deserialize_any(Reader)
}

pub(super) fn serialize<S: Serializer>(extent: &Option<Extent>, to: S) -> Result<S::Ok, S::Error> {
    match extent.map(|extent| extent.0) {
        None => to.serialize_none(),
        Some([x, 1, 1]) => x.serialize(to),
        Some(all) => all.serialize(to),
    }
}
