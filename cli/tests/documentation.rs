//! `docs/report.md` and `docs/editors.md`: their examples are what the program prints; `docs/remarks.md`: every class and every name of a remark has its anchor.
//! `BLESS=1 cargo test -p ipda-cli --test documentation` writes the examples anew.

use ipda_models::report::Transformation;
use ipda_models::yaml;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What a command prints on both channels, with its status where that is not 0. It runs among the reports of the golden tests.
fn printed(command: &str) -> String {
    let mut words = command.split_whitespace();
    assert_eq!(words.next(), Some("ipda"), "{command}");
    let folder = root().join("cli/tests/data/built");
    let output =
        Command::new(env!("CARGO_BIN_EXE_ipda")).args(words).current_dir(folder).output().expect("ipda starts");
    let status = output.status.code().filter(|&code| code != 0).map_or(String::new(), |code| format!("? {code}\n"));
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text")).concat();
    let text = text.split("\nWhat the words mean").next().unwrap_or_default().trim_end();
    format!("$ {command}\n{status}{text}\n")
}

#[test]
fn the_examples_are_what_is_printed() {
    for page in ["docs/report.md", "docs/editors.md"] {
        check_examples(page);
    }
}

fn check_examples(page: &str) {
    let file = root().join(page);
    let text = fs::read_to_string(&file).expect("the page");
    let mut made = String::new();
    let mut rest = &text[..];
    while let Some((before, behind)) = rest.split_once("```console\n$ ") {
        let (block, behind) = behind.split_once("```").expect("an end");
        let command = block.lines().next().expect("a command");
        made += &format!("{before}```console\n{}```", printed(command));
        rest = behind;
    }
    made += rest;
    if std::env::var_os("BLESS").is_some() {
        fs::write(&file, made).expect("the page is written");
    } else {
        assert!(made == text, "{page} says otherwise than the program; BLESS=1 writes it anew:\n{made}");
    }
}

#[test]
fn the_example_of_versions_is_what_a_report_has() {
    let text = fs::read_to_string(root().join("docs/report.md")).expect("the page");
    let (_, behind) = text.split_once("```yaml\n").expect("an example");
    let (example, _) = behind.split_once("```").expect("an end");
    let reported: Transformation = yaml::read(example).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(yaml::write(&reported).expect("text and numbers"), example);
    assert_eq!(reported.made().map(|version| version.recipe.to_string()).collect::<Vec<_>>(), ["loops i, j fused"]);
}

/// The names that a source file gives after `=> "`, or as the names of remarks.
fn names(file: &str, before: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(file)).expect("a source file");
    let names = text.split(before).skip(1).filter_map(|part| part.split('"').next().map(str::to_owned));
    names.filter(|name| !name.contains([' ', '{'])).collect()
}

/// All sources of the plugin.
fn sources() -> Vec<String> {
    let mut folders = vec![root().join("pass/src")];
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                texts.push(fs::read_to_string(path).expect("a source file"));
            }
        }
    }
    texts
}

/// Names of remarks: what stands in quotes behind the kind of a remark, or first in what is missed.
fn remark_names(text: &str) -> Vec<String> {
    let kinds = text.split("RemarkKind::").skip(1).filter_map(|rest| Some(rest.split_once(',')?.1.trim_start()));
    let missed = text.split("Some((").skip(1).map(str::trim_start);
    let quoted = kinds.map(|rest| rest.strip_prefix("Audience::All), ").unwrap_or(rest)).chain(missed);
    let names = quoted.filter_map(|rest| rest.strip_prefix('"')?.split('"').next());
    names.filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase())).map(str::to_owned).collect()
}

#[test]
fn every_class_and_every_name_of_a_remark_has_an_anchor() {
    let page = fs::read_to_string(root().join("docs/remarks.md")).expect("the page");
    let rejects = names("pass/src/common/reject.rs", "} => \"")
        .into_iter()
        .chain(names("pass/src/common/reject.rs", "::IndirectCall => \""));
    let remarks: Vec<String> = sources().iter().flat_map(|text| remark_names(text)).collect();
    for known in ["Region", "SymbolicStride", "Collapsed", "HostNest", "MadeSpmd"] {
        assert!(remarks.iter().any(|name| name == known), "{known} is not found among {remarks:?}");
    }
    let classes = [
        "uniform",
        "coalesced",
        "strided",
        "uncoalesced",
        "symbolic",
        "data-dependent",
        "unknown",
        "bank-conflict",
        "conflict-free",
    ];
    let stays = names("pass/src/decision/eligibility.rs", " => \"");
    assert!(stays.len() > 12, "{stays:?}");
    let all: Vec<String> =
        rejects.chain(remarks).chain(stays).chain(classes.map(|class| format!("class {class}"))).collect();
    assert!(all.len() > 25, "{all:?}");
    for name in all {
        assert!(page.contains(&format!("\n### {name}\n")), "docs/remarks.md has no heading {name}");
    }
}
