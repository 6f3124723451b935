//! What `--format json` and `yaml` write, and what a report file holds, as JSON schemas (draft 2020-12), for editors and for those who write
//! readers.

use ipda_models::report::{Report, SCHEMA_VERSION};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::{Head, VERSION, summary};
use crate::select::rows::Kind;
use crate::select::totals::Totals;

/// Columns that hold numbers; all others are texts.
const NUMBERS: [&str; 27] = [
    "line",
    "column",
    "region_line",
    "bytes",
    "needed",
    "least",
    "group_needed",
    "group_least",
    "runs",
    "excess",
    "of",
    "percent",
    "accesses",
    "open",
    "sectors_before",
    "sectors_after",
    "was_needed",
    "memory_bytes",
    "l2_bytes",
    "half",
    "single",
    "double",
    "special",
    "integer",
    "intensity",
    "seconds",
    "share",
];

/// What a schema is of.
#[derive(clap::ValueEnum, Debug, Clone, Copy)]
pub enum Of {
    /// The lists of `ipda report --format json` and `ipda diff --format json`.
    Lists,
    /// The report files that the plugin writes.
    Report,
}

/// The schema.
pub fn schema(of: Of) -> Value {
    match of {
        Of::Lists => of_lists(),
        Of::Report => of_report(),
    }
}

/// Keys that the plugin leaves out where they say nothing are not required, and no others are known.
fn of_report() -> Value {
    let mut schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Report>();
    schema.insert("title".into(), json!("A report of ipda's plugin"));
    let mut schema = schema.to_value();
    schema["properties"]["ipda_report"] =
        json!({ "description": "The version of the report's form.", "const": SCHEMA_VERSION });
    in_plain_words(&mut schema);
    schema
}

/// Descriptions come from the documentation of the types: without its links.
fn in_plain_words(schema: &mut Value) {
    match schema {
        Value::Object(keys) => {
            for (key, value) in keys {
                match value {
                    Value::String(text) if key == "description" => {
                        *text = text.replace("[`", "").replace("`]", "").replace('`', "");
                    }
                    value => in_plain_words(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(in_plain_words),
        _ => {}
    }
}

fn of_lists() -> Value {
    let head = Head { totals: Totals::default(), basis: None };
    let totals: Map<String, Value> = summary(&head)
        .iter()
        .map(|(key, _)| {
            let types = if *key == "assumed" { json!(["string", "null"]) } else { json!("number") };
            ((*key).to_owned(), json!({ "type": types }))
        })
        .collect();
    let mut lists = Map::new();
    lists.insert("ipda_list".into(), json!({ "const": VERSION }));
    lists.insert("totals".into(), json!({ "type": "object", "properties": totals, "additionalProperties": false }));
    for kind in Kind::ALL.into_iter().chain([Kind::Differences]) {
        let columns: Map<String, Value> =
            kind.columns().iter().map(|name| ((*name).to_owned(), column(name))).collect();
        let row = json!({ "type": "object", "properties": columns, "additionalProperties": false });
        lists.insert(kind.name().into(), json!({ "type": "array", "items": row }));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What ipda report --format json writes",
        "type": "object",
        "required": ["ipda_list", "totals"],
        "properties": lists,
        "additionalProperties": false,
    })
}

fn column(name: &str) -> Value {
    let words = |words: &[&str]| json!({ "enum": words });
    match name {
        "state" => json!({ "type": "string" }),
        "basis" => words(&["exact", "assumed", "open"]),
        "side" => words(&["host", "device"]),
        "unit" => words(&["sectors", "passes"]),
        name if NUMBERS.contains(&name) => json!({ "type": "number" }),
        _ => json!({ "type": "string" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{Format, Rows, write};
    use crate::select::Query;
    use crate::select::rows::{Cell, List};

    /// Whether a value is as a schema says. Keywords that are not known here fail the test.
    fn fits(schema: &Value, root: &Value, value: &Value) -> bool {
        let Some(keywords) = schema.as_object() else { return schema == &json!(true) };
        let known = |key: &str| schema["properties"].get(key).is_some();
        let each = |schemas: &Value| {
            schemas.as_array().map_or(0, |all| all.iter().filter(|one| fits(one, root, value)).count())
        };
        keywords.iter().all(|(keyword, says)| match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "format" | "default" => true,
            "$ref" => {
                root.pointer(says.as_str().unwrap().trim_start_matches('#')).is_some_and(|one| fits(one, root, value))
            }
            "type" if says.is_array() => {
                says.as_array().unwrap().iter().any(|one| fits(&json!({ "type": one }), root, value))
            }
            "type" => match says.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "number" => value.is_number(),
                "integer" => value.is_i64() || value.is_u64(),
                "boolean" => value.is_boolean(),
                "null" => value.is_null(),
                other => panic!("the type {other} is not known"),
            },
            "const" => value == says,
            "enum" => says.as_array().unwrap().contains(value),
            "minimum" => value.as_f64().is_none_or(|number| number >= says.as_f64().unwrap()),
            "required" => says.as_array().unwrap().iter().all(|key| value.get(key.as_str().unwrap()).is_some()),
            "properties" => says
                .as_object()
                .unwrap()
                .iter()
                .all(|(key, one)| value.get(key).is_none_or(|inner| fits(one, root, inner))),
            "additionalProperties" => value
                .as_object()
                .is_none_or(|keys| keys.iter().all(|(key, inner)| known(key) || fits(says, root, inner))),
            "items" => {
                let first = schema["prefixItems"].as_array().map_or(0, Vec::len);
                value.as_array().is_none_or(|all| all.iter().skip(first).all(|inner| fits(says, root, inner)))
            }
            "prefixItems" => value
                .as_array()
                .is_none_or(|all| all.iter().zip(says.as_array().unwrap()).all(|(inner, one)| fits(one, root, inner))),
            "minItems" => value.as_array().is_none_or(|all| all.len() as u64 >= says.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|all| all.len() as u64 <= says.as_u64().unwrap()),
            "anyOf" => each(says) > 0,
            "oneOf" => each(says) == 1,
            other => panic!("the keyword {other} is not known"),
        })
    }

    /// The values of a document, each with a place that leads to it.
    fn places(value: &Value, at: String, found: &mut Vec<String>) {
        match value {
            Value::Object(keys) => keys.iter().for_each(|(key, inner)| places(inner, format!("{at}/{key}"), found)),
            Value::Array(all) => {
                all.iter().enumerate().for_each(|(nth, inner)| places(inner, format!("{at}/{nth}"), found))
            }
            _ => {}
        }
        found.push(at);
    }

    #[test]
    fn reports_are_as_the_schema_says_and_changed_ones_are_not() {
        let schema = schema(Of::Report);
        let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
        let paths = ["built", "kinds.yaml", "groups.yaml", "kernel.yaml", "swap", "sizes"].map(|name| data.join(name));
        let (mut reports, mut refused) = (0, 0);
        let errors = crate::input::for_each(&paths, |report| {
            let document: Value = serde_yaml::from_str(&report.to_yaml()).expect("a document");
            assert!(fits(&schema, &schema, &document), "{}", report.source);
            reports += 1;
            let mut all = Vec::new();
            places(&document, String::new(), &mut all);
            for place in all {
                let mut changed = document.clone();
                match changed.pointer_mut(&place).expect("it is there") {
                    Value::Object(keys) => {
                        drop(keys.insert("a key that nobody knows".into(), json!({ "nobody": "knows it" })))
                    }
                    // Texts may be anything, but no maps.
                    value => *value = json!({ "neither": "a list nor a number" }),
                }
                assert!(!fits(&schema, &schema, &changed), "{}: {place}", report.source);
                refused += 1;
            }
        });
        assert!(errors.is_empty(), "{errors:?}");
        assert!(reports > 6 && refused > 1000, "{reports} reports, {refused} changes");
    }

    /// Every cell that the test data gives is of the type that the schema names.
    #[test]
    fn lists_are_as_the_schema_says() {
        let schema = schema(Of::Lists);
        let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
        let (query, values) = (Query::default(), Query::default().values());
        let mut lists = Kind::ALL.map(|kind| List::new(kind, &query, usize::MAX));
        let paths = ["built", "kinds.yaml", "groups.yaml", "kernel.yaml"].map(|name| data.join(name));
        let mut finder = crate::findings::Finder::new(&paths);
        let errors = crate::input::for_each(&paths, |report| {
            let findings = finder.of(&report, &values);
            lists.iter_mut().for_each(|list| list.add(&report, &values, None));
            lists[0].add_findings(&report, &findings);
        });
        assert!(errors.is_empty(), "{errors:?}");
        let tables: Vec<Rows> =
            lists.iter_mut().map(|list| Rows { kind: list.kind, rows: list.finish(), left_out: 0 }).collect();
        let mut text = Vec::new();
        let head = Head { totals: Totals::default(), basis: None };
        write(&mut text, Format::Json, &head, &tables).expect("memory");
        let document: Value = serde_json::from_slice(&text).expect("it is JSON");
        assert_eq!(document["ipda_list"], schema["properties"]["ipda_list"]["const"]);
        for Rows { kind, rows, .. } in &tables {
            assert!(!rows.is_empty(), "no {} are tried", kind.name());
            let columns = &schema["properties"][kind.name()]["items"]["properties"];
            for (name, cell) in rows.iter().flat_map(|row| kind.columns().iter().zip(row)) {
                let column = &columns[*name];
                let fits = match cell {
                    Cell::Empty => true,
                    Cell::Number(_) => column["type"] == "number",
                    Cell::Text(text) => match column["enum"].as_array() {
                        Some(words) => words.iter().any(|word| word == text),
                        None => column["type"] == "string",
                    },
                };
                assert!(fits, "{}.{name}: {cell:?} is not {column}", kind.name());
            }
        }
    }
}
