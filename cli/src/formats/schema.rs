//! What `--format json` and `yaml` write, as a JSON schema (draft 2020-12), for editors and for those who write readers.

use serde_json::{Map, Value, json};

use super::{Head, VERSION, summary};
use crate::select::rows::Kind;
use crate::select::totals::Totals;

/// Columns that hold numbers; all others are texts.
const NUMBERS: [&str; 17] = [
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
];

/// The schema.
pub fn schema() -> Value {
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
    use crate::formats::{Format, Table, write};
    use crate::select::Query;
    use crate::select::rows::{Cell, List};

    /// Every cell that the test data gives is of the type that the schema names.
    #[test]
    fn lists_are_as_the_schema_says() {
        let schema = schema();
        let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
        let (query, values) = (Query::default(), Query::default().values());
        let mut lists = Kind::ALL.map(|kind| List::new(kind, &query, usize::MAX));
        let paths = ["built", "kinds.yaml", "groups.yaml", "kernel.yaml"].map(|name| data.join(name));
        let mut finder = crate::findings::Finder::new(&paths);
        let errors = crate::input::for_each(&paths, |report| {
            let findings = finder.of(&report, &values);
            lists.iter_mut().for_each(|list| list.add(&report, &values));
            lists[0].add_findings(&report, &findings);
        });
        assert!(errors.is_empty(), "{errors:?}");
        let tables: Vec<Table> =
            lists.iter_mut().map(|list| Table { kind: list.kind, rows: list.finish(), left_out: 0 }).collect();
        let mut text = Vec::new();
        let head = Head { totals: Totals::default(), basis: None };
        write(&mut text, Format::Json, &head, &tables).expect("memory");
        let document: Value = serde_json::from_slice(&text).expect("it is JSON");
        assert_eq!(document["ipda_list"], schema["properties"]["ipda_list"]["const"]);
        for Table { kind, rows, .. } in &tables {
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
