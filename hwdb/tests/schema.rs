//! The JSON schema, against a small validator that knows the keywords that it uses and refuses others.

mod common;

use std::path::Path;

use common::GOOD;
use ipda_hwdb::{Device, json_schema};
use serde_json::{Map, Value as Json};

fn schema() -> Json {
    serde_json::from_str(&json_schema()).expect("JSON")
}

/// A YAML text as JSON: keys become words.
fn json(text: &str) -> Json {
    fn convert(node: &serde_yaml::Value) -> Json {
        use serde_yaml::Value as Node;
        match node {
            Node::Mapping(mapping) => Json::Object(
                mapping
                    .iter()
                    .map(|(key, value)| {
                        (key.as_str().map_or_else(|| format!("{}", convert(key)), str::to_owned), convert(value))
                    })
                    .collect::<Map<_, _>>(),
            ),
            Node::Sequence(items) => Json::Array(items.iter().map(convert).collect()),
            Node::Number(number) => serde_json::to_value(number).expect("a number"),
            Node::String(text) => Json::String(text.clone()),
            Node::Bool(value) => Json::Bool(*value),
            _ => Json::Null,
        }
    }
    convert(&serde_yaml::from_str(text).expect("YAML"))
}

fn valid(schema: &Json, root: &Json, value: &Json) -> bool {
    let keywords = schema.as_object().expect("schemas are objects");
    keywords.iter().all(|(keyword, argument)| holds(keyword, argument, keywords, root, value))
}

fn holds(keyword: &str, argument: &Json, siblings: &Map<String, Json>, root: &Json, value: &Json) -> bool {
    let check = |schema: &Json, value: &Json| valid(schema, root, value);
    let schemas = || argument.as_array().expect("a list").iter();
    match keyword {
        "$schema" | "title" | "description" | "definitions" | "then" | "else" => true,
        "$ref" => {
            check(root.pointer(argument.as_str().expect("a path").trim_start_matches('#')).expect("defined"), value)
        }
        "type" => match argument.as_str().expect("one type") {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "number" => value.is_number(),
            "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            other => panic!("unknown type {other}"),
        },
        "const" => value == argument,
        "enum" => {
            schemas().any(|allowed| allowed == value || (allowed.is_number() && allowed.as_f64() == value.as_f64()))
        }
        "pattern" => value.as_str().is_none_or(|text| match argument.as_str() {
            Some("\\S") => !text.trim().is_empty(),
            Some("^[1-9][0-9]*$") => {
                !text.starts_with('0') && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
            }
            other => panic!("unknown pattern {other:?}"),
        }),
        "minimum" => value.as_f64().is_none_or(|number| number >= argument.as_f64().expect("a number")),
        "exclusiveMinimum" => value.as_f64().is_none_or(|number| number > argument.as_f64().expect("a number")),
        "required" => value
            .as_object()
            .is_none_or(|object| schemas().all(|key| object.contains_key(key.as_str().expect("a key")))),
        "minProperties" => {
            value.as_object().is_none_or(|object| object.len() as u64 >= argument.as_u64().expect("a number"))
        }
        "properties" => value.as_object().is_none_or(|object| {
            argument
                .as_object()
                .expect("schemas")
                .iter()
                .all(|(key, schema)| object.get(key).is_none_or(|value| check(schema, value)))
        }),
        "propertyNames" => {
            value.as_object().is_none_or(|object| object.keys().all(|key| check(argument, &Json::String(key.clone()))))
        }
        "additionalProperties" => value.as_object().is_none_or(|object| {
            let known = siblings.get("properties").and_then(Json::as_object);
            object.iter().filter(|(key, _)| known.is_none_or(|known| !known.contains_key(*key))).all(|(_, value)| {
                match argument {
                    Json::Bool(allowed) => *allowed,
                    schema => check(schema, value),
                }
            })
        }),
        "items" => value.as_array().is_none_or(|items| items.iter().all(|item| check(argument, item))),
        "not" => !check(argument, value),
        "allOf" => schemas().all(|schema| check(schema, value)),
        "anyOf" => schemas().any(|schema| check(schema, value)),
        "oneOf" => schemas().filter(|schema| check(schema, value)).count() == 1,
        "if" => {
            siblings.get(if check(argument, value) { "then" } else { "else" }).is_none_or(|schema| check(schema, value))
        }
        other => panic!("the validator does not know the keyword {other}"),
    }
}

#[test]
fn the_file_is_the_schema_s_text() {
    expect_test::expect_file!["../schema.json"].assert_eq(&json_schema());
}

#[test]
fn every_entry_is_valid() {
    let schema = schema();
    let entries = Path::new(env!("CARGO_MANIFEST_DIR")).join("entries");
    let mut count = 0;
    for kind in ["gpu", "cpu", "link"] {
        for file in std::fs::read_dir(entries.join(kind)).expect("the entries are beside the source") {
            let path = file.expect("readable").path();
            let text = std::fs::read_to_string(&path).expect("readable");
            assert!(text.starts_with("# yaml-language-server: $schema=../../schema.json\n"), "{}", path.display());
            assert!(valid(&schema, &schema, &json(&text)), "{}", path.display());
            count += 1;
        }
    }
    assert_eq!(count, Device::builtins().len());
}

/// What the program refuses the schema refuses too, as far as a schema can say it.
#[test]
fn broken_entries_are_not_valid() {
    let schema = schema();
    let broken = [
        GOOD.replace("kind: gpu\n", ""),
        GOOD.replace("kind: gpu", "kind: tpu"),
        GOOD.replace("processor: toy1\n", ""),
        GOOD.replace("product: Toy GPU", "product: \" \""),
        GOOD.replace("warp_lanes", "wrap_lanes"),
        GOOD.replace("  bank_word: {value: 4, unit: bytes, source: \"Toy manual, page 5\"}\n", ""),
        GOOD.replace("chip:", "chips:"),
        GOOD.replace("unit: lanes", "unit: warps"),
        GOOD.replace(", unit: lanes", ""),
        GOOD.replace("value: 8,", "value: 12,"),
        GOOD.replace("value: 8,", "value: -8,"),
        GOOD.replace("value: 8,", "value: eight,"),
        GOOD.replace("value: 420", "value: 0"),
        GOOD.replace(", source: \"Toy manual, page 3\"", ""),
        GOOD.replace("Toy manual, page 3", " "),
        GOOD.replace("source: \"Toy manual, page 3\"", "estimate: true"),
        GOOD.replace("source: \"Toy manual, page 3\"", "estimate: false, basis: \"x\""),
        GOOD.replace("source: \"Toy manual, page 3\"", "source: \"x\", basis: \"x\""),
        GOOD.replace("Toy manual, page 3\"", "x\", confidence: high"),
        GOOD.replace("source: \"Toy manual, page 3\"", "confidence: unverified"),
        GOOD.replace("method: \"pointer chase\"", "method: \"x\", confidence: unverified"),
        GOOD.replace(", method: \"pointer chase\"", ""),
        GOOD.replace("{value: 8, unit: lanes, source: \"Toy manual, page 3\"}", "8"),
        GOOD.replace("{value: 8, unit: lanes, source: \"Toy manual, page 3\"}", "{unknown: \"x\"}"),
        format!("{GOOD}  l2_latency: {{unknown: \" \"}}\n"),
        format!("{GOOD}  l2_latency: {{unknown: \"x\", value: 3}}\n"),
        format!("{GOOD}links: [3]\n"),
        format!("{GOOD}occupancy: {{warps: {{value: 2.5, unit: warps, source: \"x\"}}}}\n"),
        "kind: cpu\nname: x\n".to_owned(),
        "kind: cpu\nbased_on: x86_64\nname: x\nmemory: {bandwidth_by_threads: {value: {0: 3}, unit: GB/s, source: \"x\"}}\n".to_owned(),
        "kind: cpu\nbased_on: x86_64\nname: x\nmemory: {bandwidth_by_threads: {value: 3, unit: GB/s, source: \"x\"}}\n".to_owned(),
        "[]".to_owned(),
    ];
    assert!(valid(&schema, &schema, &json(GOOD)));
    for text in broken {
        assert!(!valid(&schema, &schema, &json(&text)), "{text}");
        assert!(Device::parse(&text, Path::new("toy.yaml")).is_err(), "{text}");
    }
}

#[test]
fn what_builds_on_another_entry_need_not_be_whole() {
    let schema = schema();
    let text = "kind: gpu\nbased_on: v100\nname: here\nchip: {clock: {value: 1.4, unit: GHz, source: \"x\"}}\n";
    assert!(valid(&schema, &schema, &json(text)));
    assert!(Device::parse(text, Path::new("toy.yaml")).is_ok());
}
