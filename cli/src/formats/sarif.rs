//! Findings for code scanning: SARIF 2.1.0 (OASIS), and the list of problems that GitLab's code quality reads.

use ipda_models::hash::fnv1a;
use ipda_models::report::Location;
use ipda_symbolic::in_words;
use serde_json::{Value, json};

use crate::action::{Rule, State};
use crate::findings::{Finding, Fix};

/// Where the standard has its schema.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The document.
pub fn sarif(findings: &[Finding]) -> Value {
    let rules: Vec<Value> =
        Rule::ALL.iter().filter(|rule| **rule != Rule::NothingToDo).map(|rule| self::rule(*rule)).collect();
    let results: Vec<Value> = reported(findings).map(result).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "ipda", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// The list for GitLab.
pub fn code_quality(findings: &[Finding]) -> Value {
    let problem = |finding: &Finding| {
        let action = &finding.action;
        json!({
            "description": message(finding),
            "check_name": action.rule.name(),
            "fingerprint": fingerprint(finding),
            "severity": if action.state == State::Todo { "minor" } else { "info" },
            "location": { "path": action.location.file, "lines": { "begin": action.location.line.max(1) } },
        })
    };
    reported(findings).map(problem).collect()
}

/// Those that are worth a mark in an editor.
fn reported(findings: &[Finding]) -> impl Iterator<Item = &Finding> {
    findings.iter().filter(|finding| finding.action.state != State::Nothing)
}

fn rule(rule: Rule) -> Value {
    json!({ "id": rule.name(), "shortDescription": { "text": rule.meaning() } })
}

fn message(finding: &Finding) -> String {
    let in_source = finding.action.in_source.as_ref().map(|text| format!("; in the source: {text}"));
    in_words(&format!("{}{}", finding.action.sentence(), in_source.unwrap_or_default()))
}

fn result(finding: &Finding) -> Value {
    let action = &finding.action;
    let level = if action.state == State::Todo { "warning" } else { "note" };
    let mut result = json!({
        "ruleId": action.rule.name(),
        "level": level,
        "message": { "text": message(finding) },
        "locations": [{
            "physicalLocation": place(&action.location),
            "logicalLocations": [{ "name": finding.function, "kind": "function" }],
        }],
        "partialFingerprints": { "ipda/v1": fingerprint(finding) },
    });
    if !action.also.is_empty() {
        let others = action.also.iter().map(|location| json!({ "physicalLocation": place(location) }));
        result["relatedLocations"] = others.collect();
    }
    if let Some(found) = &finding.fix {
        result["fixes"] = json!([fix(found)]);
    }
    result
}

fn place(location: &Location) -> Value {
    let mut place = json!({ "artifactLocation": artifact(&location.file) });
    if location.line > 0 {
        place["region"] = match location.column {
            0 => json!({ "startLine": location.line }),
            column => json!({ "startLine": location.line, "startColumn": column }),
        };
    }
    place
}

fn fix(fix: &Fix) -> Value {
    let replacement = |each: &crate::findings::Replacement| {
        json!({
            "deletedRegion": {
                "startLine": each.start.0,
                "startColumn": each.start.1,
                "endLine": each.end.0,
                "endColumn": each.end.1,
            },
            "insertedContent": { "text": each.text },
        })
    };
    let replacements: Vec<Value> = fix.replacements.iter().map(replacement).collect();
    json!({
        "description": { "text": fix.text },
        "artifactChanges": [{ "artifactLocation": artifact(&fix.file), "replacements": replacements }],
    })
}

/// A file: below the sources' root where its path is relative.
fn artifact(file: &str) -> Value {
    match file.strip_prefix('/') {
        Some(rest) => json!({ "uri": format!("file:///{}", escaped(rest)) }),
        None => json!({ "uri": escaped(file), "uriBaseId": "%SRCROOT%" }),
    }
}

/// A path as a part of a URI (RFC 3986).
fn escaped(path: &str) -> String {
    let escape = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    path.bytes().map(escape).collect()
}

/// What stays the same while lines move: FNV-1a of the rule, the file, the function and the text without figures.
fn fingerprint(finding: &Finding) -> String {
    let action = &finding.action;
    let parts = [action.rule.name(), &action.location.file, &finding.function, &action.text];
    let bytes: Vec<u8> = parts.iter().flat_map(|part| part.bytes().chain([0])).collect();
    format!("{:016x}", fnv1a(&bytes))
}

/// Lines as a compiler writes them.
pub fn gcc(findings: &[Finding]) -> String {
    let mut text = String::new();
    for finding in reported(findings) {
        let action = &finding.action;
        let kind = if action.state == State::Todo { "warning" } else { "note" };
        for at in std::iter::once(&action.location).chain(&action.also) {
            let column = if at.column > 0 { format!(":{}", at.column) } else { String::new() };
            let line =
                format!("{}:{}{column}: {kind}: {} [{}]", at.file, at.line, message(finding), action.rule.name());
            text += &crate::terminal::visible(&line);
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_parts_of_uris() {
        assert_eq!(artifact("src/a b.c")["uri"], "src/a%20b.c");
        assert_eq!(artifact("/x/\u{e4}.c")["uri"], "file:///x/%C3%A4.c");
        assert_eq!(artifact("/x/a.c").get("uriBaseId"), None);
    }
}
