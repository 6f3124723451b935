//! The YAML form.

use super::*;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use std::fmt;

impl Serialize for Description {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(launch) = &self.launch {
            map.serialize_entry("launch", launch)?;
        }
        for (name, argument) in &self.arguments {
            map.serialize_entry(name, argument)?;
        }
        if !self.globals.is_empty() {
            map.serialize_entry("globals", &Globals(self.globals.clone()))?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Description {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Description, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Description;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from names of parameters to their arguments")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Description, A::Error> {
                let mut description = Description::default();
                while let Some(name) = map.next_key::<String>()? {
                    match name.as_str() {
                        "launch" => description.launch = Some(map.next_value()?),
                        "globals" => description.globals = map.next_value::<Globals>()?.0,
                        _ if description.arguments.iter().any(|(other, _)| *other == name) => {
                            return Err(de::Error::custom(format!("'{name}' is described twice")));
                        }
                        _ => description.arguments.push((name, map.next_value()?)),
                    }
                }
                Ok(description)
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

struct Globals(Vec<(String, Argument)>);

impl Serialize for Globals {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, argument)| (name, argument)))
    }
}

impl<'de> Deserialize<'de> for Globals {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Globals, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Globals;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from names of variables to what they hold")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Globals, A::Error> {
                Ok(Globals(unique_entries(map, |name: &String| name.clone())?))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

/// The entries of a map in their order, each key once.
fn unique_entries<'de, A, K, V>(mut map: A, text: fn(&K) -> String) -> Result<Vec<(K, V)>, A::Error>
where
    A: MapAccess<'de>,
    K: Deserialize<'de> + PartialEq,
    V: Deserialize<'de>,
{
    let mut entries: Vec<(K, V)> = Vec::new();
    while let Some(key) = map.next_key::<K>()? {
        if entries.iter().any(|(other, _)| *other == key) {
            return Err(de::Error::custom(format!("'{}' is described twice", text(&key))));
        }
        entries.push((key, map.next_value()?));
    }
    Ok(entries)
}

/// What an argument or a member can say in a map; which keys go together decides what it is.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Map {
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    element: Option<Element>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<Number>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<Vec<Number>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    same_as: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pointers: Option<Targets>,
    #[serde(rename = "struct", default, skip_serializing_if = "Option::is_none")]
    structure: Option<Fields>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "serde_yaml::with::singleton_map")]
    fill: Option<Fill>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
}

enum Targets {
    List(Vec<Argument>),
    Alike(Box<Argument>),
}

struct Fields(Vec<(FieldKey, Field)>);

impl Map {
    fn argument(self) -> Result<Argument, String> {
        let fill = self.fill.unwrap_or_default();
        let offset = self.offset.unwrap_or_default();
        if let Some(name) = &self.same_as {
            self.only("same-as", &["at"])?;
            return Ok(Argument::SameAs { name: name.clone(), at: self.at.unwrap_or_default() });
        }
        if self.pointers.is_some() {
            self.only("pointers", &["count"])?;
            return match (self.pointers, self.count) {
                (Some(Targets::Alike(row)), Some(count)) => Ok(Argument::Rows { row, count }),
                (Some(Targets::Alike(_)), None) => Err("`count` says how many `pointers` there are".to_owned()),
                (_, Some(_)) => Err("`count` has no meaning beside a list of `pointers`".to_owned()),
                (Some(Targets::List(list)), None) => Ok(Argument::Pointers(list)),
                (None, None) => unreachable!("looked at above"),
            };
        }
        if self.structure.is_some() {
            self.only("struct", &["count", "bytes", "offset"])?;
            let fields = self.structure.map(|fields| fields.0).unwrap_or_default();
            let count = self.count.unwrap_or(1);
            return Ok(Argument::Structures(StructureDescription { fields, count, bytes: self.bytes, offset }));
        }
        if let Some(bytes) = self.bytes {
            self.only("bytes", &["fill", "offset"])?;
            return Ok(Argument::Bytes { bytes, fill, offset });
        }
        let Some(element) = self.element else {
            return Err("expected one of `type`, `bytes`, `struct`, `pointers` and `same-as`".to_owned());
        };
        if let Some(value) = self.value {
            self.only("value", &["type"])?;
            return Ok(Argument::Scalar { element, value });
        }
        if let Some(values) = &self.values {
            self.only("values", &["type", "offset"])?;
            return Ok(Argument::Values { element, values: values.clone(), offset });
        }
        self.only("type", &["count", "fill", "offset"])?;
        let count = self.count.ok_or("expected one of `count`, `values` and `value` beside `type`")?;
        Ok(Argument::Array(ArrayDescription { element, count, fill, offset }))
    }

    fn field(self) -> Result<Field, String> {
        match self.element {
            Some(element) if self.count.is_none() && self.values.is_none() && self.value.is_none() => {
                self.only("type", &["fill", "length"])?;
                let fill = self.fill.unwrap_or_default();
                Ok(Field::Column { element, fill, length: self.length })
            }
            _ => self.argument().map(Field::Same),
        }
    }

    /// That nothing else is said than what decides and what may go with it.
    fn only(&self, decides: &str, with: &[&str]) -> Result<(), String> {
        let said = [
            ("type", self.element.is_some()),
            ("value", self.value.is_some()),
            ("values", self.values.is_some()),
            ("same-as", self.same_as.is_some()),
            ("at", self.at.is_some()),
            ("pointers", self.pointers.is_some()),
            ("struct", self.structure.is_some()),
            ("bytes", self.bytes.is_some()),
            ("count", self.count.is_some()),
            ("length", self.length.is_some()),
            ("fill", self.fill.is_some()),
            ("offset", self.offset.is_some()),
        ];
        let odd = said.iter().find(|(key, is_said)| *is_said && *key != decides && !with.contains(key));
        match odd {
            Some((key, _)) => Err(format!("`{key}` has no meaning beside `{decides}`")),
            None => Ok(()),
        }
    }
}

fn said<T: Default + PartialEq>(value: T) -> Option<T> {
    (value != T::default()).then_some(value)
}

impl Serialize for Argument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let map = match self.clone() {
            Argument::Integer(value) => return serializer.serialize_i64(value),
            Argument::Float(value) => return serializer.serialize_f64(value),
            Argument::Null => return serializer.serialize_unit(),
            Argument::Scalar { element, value } => Map { element: Some(element), value: Some(value), ..Map::default() },
            Argument::Array(ArrayDescription { element, count, fill, offset }) => Map {
                element: Some(element),
                count: Some(count),
                fill: said(fill),
                offset: said(offset),
                ..Map::default()
            },
            Argument::Values { element, values, offset } => {
                Map { element: Some(element), values: Some(values), offset: said(offset), ..Map::default() }
            }
            Argument::Bytes { bytes, fill, offset } => {
                Map { bytes: Some(bytes), fill: said(fill), offset: said(offset), ..Map::default() }
            }
            Argument::SameAs { name, at } => Map { same_as: Some(name), at: said(at), ..Map::default() },
            Argument::Pointers(list) => Map { pointers: Some(Targets::List(list)), ..Map::default() },
            Argument::Rows { row, count } => {
                Map { pointers: Some(Targets::Alike(row)), count: Some(count), ..Map::default() }
            }
            Argument::Structures(StructureDescription { fields, count, bytes, offset }) => Map {
                structure: Some(Fields(fields)),
                count: Some(count),
                bytes,
                offset: said(offset),
                ..Map::default()
            },
        };
        map.serialize(serializer)
    }
}

struct ArgumentReader;

impl<'de> Visitor<'de> for ArgumentReader {
    type Value = Argument;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, null, or a map such as { type: f32, count: 1000, fill: index }")
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Argument, E> {
        Ok(Argument::Integer(value))
    }
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Argument, E> {
        integer(value).map(Argument::Integer)
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Argument, E> {
        Ok(Argument::Float(value))
    }
    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Argument, E> {
        Ok(Argument::Integer(i64::from(value)))
    }
    fn visit_unit<E: de::Error>(self) -> Result<Argument, E> {
        Ok(Argument::Null)
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Argument, A::Error> {
        Map::deserialize(MapAccessDeserializer::new(map))?.argument().map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Argument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Argument, D::Error> {
        deserializer.deserialize_any(ArgumentReader)
    }
}

impl Serialize for Field {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Field::Same(argument) => argument.serialize(serializer),
            Field::Chain => serializer.serialize_str("chain"),
            Field::Column { element, fill, length } => {
                Map { element: Some(*element), fill: said(*fill), length: *length, ..Map::default() }
                    .serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Field, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Field;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, null, `chain`, or a map such as { type: f32, fill: index }")
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Field, E> {
                ArgumentReader.visit_i64(value).map(Field::Same)
            }
            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Field, E> {
                ArgumentReader.visit_u64(value).map(Field::Same)
            }
            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Field, E> {
                ArgumentReader.visit_f64(value).map(Field::Same)
            }
            fn visit_bool<E: de::Error>(self, value: bool) -> Result<Field, E> {
                ArgumentReader.visit_bool(value).map(Field::Same)
            }
            fn visit_unit<E: de::Error>(self) -> Result<Field, E> {
                ArgumentReader.visit_unit().map(Field::Same)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Field, E> {
                match text {
                    "chain" => Ok(Field::Chain),
                    _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Field, A::Error> {
                Map::deserialize(MapAccessDeserializer::new(map))?.field().map_err(de::Error::custom)
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, field)| (key, field)))
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fields, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Fields;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from members, by name or by offset in bytes, to what they hold")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Fields, A::Error> {
                Ok(Fields(unique_entries(map, FieldKey::text)?))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

impl Serialize for FieldKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            FieldKey::Offset(offset) => serializer.serialize_u64(*offset),
            FieldKey::Path(path) => serializer.serialize_str(path),
        }
    }
}

impl<'de> Deserialize<'de> for FieldKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FieldKey, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = FieldKey;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a member or its offset in bytes")
            }
            fn visit_u64<E: de::Error>(self, offset: u64) -> Result<FieldKey, E> {
                Ok(FieldKey::Offset(offset))
            }
            fn visit_str<E: de::Error>(self, path: &str) -> Result<FieldKey, E> {
                Ok(FieldKey::Path(path.to_owned()))
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

impl Serialize for Targets {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Targets::Alike(argument) => argument.serialize(serializer),
            Targets::List(list) => {
                let mut sequence = serializer.serialize_seq(Some(list.len()))?;
                for argument in list {
                    sequence.serialize_element(argument)?;
                }
                sequence.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Targets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Targets, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Targets;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of arguments, or one argument with `count` beside `pointers`")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Targets, A::Error> {
                let mut list = Vec::new();
                while let Some(argument) = sequence.next_element()? {
                    list.push(argument);
                }
                Ok(Targets::List(list))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Targets, A::Error> {
                ArgumentReader.visit_map(map).map(|argument| Targets::Alike(Box::new(argument)))
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Number::Integer(value) => serializer.serialize_i64(*value),
            Number::Float(value) => serializer.serialize_f64(*value),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = Number;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Number, E> {
                Ok(Number::Integer(value))
            }
            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Number, E> {
                integer(value).map(Number::Integer)
            }
            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Number, E> {
                Ok(Number::Float(value))
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

fn integer<E: de::Error>(value: u64) -> Result<i64, E> {
    i64::try_from(value).map_err(|_| {
        E::custom(format!("expected an integer up to {}, or the negative one with the same bits", i64::MAX))
    })
}
