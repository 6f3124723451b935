//! The JSON schema of descriptions.

use serde_json::{Map, Value as Json, json};

use crate::entry::Entry;
use crate::keys::{Key, Presence, SectionShape};
use crate::units::{Demand, Dimension};
use crate::{Cpu, Gpu, Link};

/// The JSON schema of all kinds of entries, for editors; `hwdb/schema.json` is its text.
pub fn json_schema() -> String {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Hardware description for ipda",
        "type": "object",
        "required": ["kind"],
        "properties": { "kind": { "enum": [Gpu::KIND, Cpu::KIND, Link::KIND] } },
        // By the kind, so that an editor says what is wrong about this kind and not that none fits.
        "allOf": [of_kind::<Gpu>(), of_kind::<Cpu>(), of_kind::<Link>()],
        "definitions": { "unknown": unknown(), "evidence": evidence(), "power_of_two": power_of_two() },
    });
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

fn of_kind<E: Entry>() -> Json {
    let mut properties = Map::new();
    properties.insert("kind".into(), json!({ "const": E::KIND }));
    properties.insert(
        "based_on".into(),
        json!({ "type": "string", "description": "A built-in entry whose values hold where this file states none." }),
    );
    for key in E::TEXTS {
        properties.insert(key.name.into(), json!({ "type": "string", "pattern": "\\S", "description": key.doc }));
    }
    for key in E::LISTS {
        let items = json!({ "type": "string" });
        properties.insert(key.name.into(), json!({ "type": "array", "items": items, "description": key.doc }));
    }
    for section in E::SECTIONS {
        properties.insert(section.name.into(), section_schema(section));
    }
    let sections = E::SECTIONS.iter().filter(|section| !required_keys(section).is_empty()).map(|section| section.name);
    let whole: Vec<&str> = ["kind"].into_iter().chain(E::TEXTS.iter().map(|key| key.name)).chain(sections).collect();
    let parts: Map<String, Json> = E::SECTIONS
        .iter()
        .map(|section| (section.name.to_owned(), json!({ "required": required_keys(section) })))
        .collect();
    json!({
        "if": { "properties": { "kind": { "const": E::KIND } } },
        "then": {
            "properties": properties,
            "additionalProperties": false,
            // What builds on another entry need not be whole.
            "if": { "required": ["based_on"] },
            "then": { "required": ["kind", "name"] },
            "else": { "required": whole, "properties": parts },
        },
    })
}

fn required_keys(section: &SectionShape) -> Vec<&'static str> {
    section.keys.iter().filter(|key| key.presence == Presence::Required).map(|key| key.name).collect()
}

fn section_schema(section: &SectionShape) -> Json {
    let keys: Map<String, Json> = section.keys.iter().map(|key| (key.name.to_owned(), value_schema(key))).collect();
    json!({ "type": "object", "description": section.doc.trim(), "properties": keys, "additionalProperties": false })
}

fn value_schema(key: &Key) -> Json {
    let Dimension { units, demand, by_threads } = key.dimension;
    let names: Vec<&str> = units.iter().map(|(name, _)| *name).collect();
    let number = match demand {
        Demand::Positive => json!({ "type": "number", "exclusiveMinimum": 0 }),
        // Half a MiB is a whole number of bytes, which only the program checks.
        Demand::Count if units.len() > 1 => json!({ "type": "number", "exclusiveMinimum": 0 }),
        Demand::Count => json!({ "type": "integer", "minimum": 1 }),
        Demand::WholeOrZero => json!({ "type": "number", "minimum": 0 }),
        Demand::PowerOfTwo => json!({ "$ref": "#/definitions/power_of_two" }),
    };
    let value = if by_threads {
        json!({ "type": "object", "minProperties": 1, "propertyNames": { "pattern": "^[1-9][0-9]*$" }, "additionalProperties": number })
    } else {
        number
    };
    let stated = json!({
        "allOf": [{ "$ref": "#/definitions/evidence" }],
        "properties": { "value": value, "unit": { "enum": names } },
        "required": ["value", "unit"],
    });
    let described = |mut schema: Json| {
        schema["description"] = json!(key.doc.trim());
        schema
    };
    described(match key.presence {
        Presence::Required => stated,
        Presence::Optional => {
            json!({ "if": { "required": ["unknown"] }, "then": { "$ref": "#/definitions/unknown" }, "else": stated })
        }
    })
}

fn power_of_two() -> Json {
    json!({ "enum": (0..u32::BITS).map(|bit| 1u32 << bit).collect::<Vec<_>>() })
}

fn unknown() -> Json {
    json!({
        "type": "object",
        "properties": { "unknown": { "type": "string", "pattern": "\\S", "description": "Why nobody can say." } },
        "required": ["unknown"],
        "additionalProperties": false,
    })
}

fn evidence() -> Json {
    let words = |doc: &str| json!({ "type": "string", "pattern": "\\S", "description": doc });
    let none_of = |names: &[&str]| json!({ "not": { "anyOf": names.iter().map(|name| json!({ "required": [name] })).collect::<Vec<_>>() } });
    let with = |needed: &[&str], others: &[&str]| json!({ "allOf": [{ "required": needed }, none_of(others)] });
    json!({
        "type": "object",
        "properties": {
            "value": {},
            "unit": {},
            "source": words("The public document that states it, and the place in it."),
            "confidence": {
                "const": "unverified",
                "description": "The document is remembered to state it, and was not looked up.",
            },
            "measured_by": words("Who measured it, and where that can be read."),
            "method": words("How it was measured."),
            "estimate": { "const": true },
            "basis": words("What the estimate was concluded from."),
        },
        "additionalProperties": false,
        "oneOf": [
            with(&["source"], &["measured_by", "method", "estimate", "basis"]),
            with(&["measured_by", "method"], &["source", "confidence", "estimate", "basis"]),
            with(&["estimate", "basis"], &["source", "confidence", "measured_by", "method"]),
        ],
    })
}
