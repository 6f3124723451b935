//! The built-in entries, and what bad files and names are told.

use std::collections::BTreeSet;
use std::path::Path;

use expect_test::{Expect, expect};
use ipda_hwdb::{Bytes, Cpu, Gpu, architectures, names};

const GOOD: &str = "\
name: toy
product: Toy GPU
processor: toy1
warp_lanes: {value: 8, unit: lanes, source: \"Toy manual, page 3\"}
sector: {value: 16, unit: bytes, source: \"Toy manual, page 4\"}
line: {value: 64, unit: bytes, source: \"Toy manual, page 4\"}
banks: {value: 16, unit: banks, source: \"Toy manual, page 5\"}
bank_word: {value: 4, unit: bytes, source: \"Toy manual, page 5\"}
";

/// Loads a file with `text` and compares the message, without the file's folder.
fn check(text: &str, expected: Expect) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("toy.yaml");
    std::fs::write(&path, text).expect("the folder can be written");
    let answer = match Gpu::load(&path) {
        Ok(gpu) => format!("{gpu:?}"),
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&answer.replace(&format!("{}/", folder.path().display()), ""));
}

#[test]
fn every_builtin_entry_loads_under_its_own_name() {
    for name in names() {
        assert_eq!(Gpu::builtin(name).unwrap_or_else(|error| panic!("{error}")).name, name);
    }
}

#[test]
fn every_entry_file_is_built_in() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("entries/gpu");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .expect("the entries are beside the source")
        .map(|entry| entry.expect("readable").path().file_stem().expect("named").to_string_lossy().into_owned())
        .collect();
    assert_eq!(files, names().map(str::to_owned).collect());
}

#[test]
fn processors_are_found_by_target_triples() {
    for name in architectures() {
        assert_eq!(Cpu::of_target(&format!("{name}-unknown-linux-gnu")).map(|cpu| cpu.name).as_deref(), Some(name));
    }
    let line = |triple| Cpu::of_target(triple).map(|cpu| (cpu.line, cpu.estimates.len()));
    assert_eq!(line("x86_64-pc-linux-gnu"), Some((Bytes::new(64), 0)));
    assert_eq!(line("powerpc64le-unknown-linux-gnu"), Some((Bytes::new(128), 0)));
    assert_eq!(line("aarch64-unknown-linux-gnu"), Some((Bytes::new(64), 1)));
    assert_eq!(line("riscv64-unknown-linux-gnu"), None);
}

#[test]
fn sizes_of_the_builtin_entries() {
    let sizes = |name| {
        let gpu = Gpu::builtin(name).expect("built in");
        (gpu.lanes, gpu.sector, gpu.line, gpu.banks, gpu.bank_word)
    };
    assert_eq!(sizes("h200"), (32, Bytes::new(32), Bytes::new(128), 32, Bytes::new(4)));
    assert_eq!(sizes("mi210"), (64, Bytes::new(64), Bytes::new(128), 32, Bytes::new(4)));
}

#[test]
fn estimates_are_told_with_their_basis() {
    let estimated =
        |name| Gpu::builtin(name).expect("built in").estimates.into_iter().map(|e| e.key).collect::<Vec<_>>();
    assert_eq!(estimated("h200"), [""; 0]);
    assert_eq!(estimated("mi210"), ["sector"]);
}

#[test]
fn a_good_file() {
    check(
        GOOD,
        expect![[
            r#"Gpu { name: "toy", product: "Toy GPU", processor: "toy1", lanes: 8, sector: Bytes(16), line: Bytes(64), banks: 16, bank_word: Bytes(4), estimates: [] }"#
        ]],
    );
}

#[test]
fn unknown_name() {
    let error = Gpu::builtin("h2000").expect_err("no such entry");
    expect!["unknown GPU `h2000`: the known ones are h200, mi210"].assert_eq(&error.to_string());
}

#[test]
fn missing_file() {
    let error = Gpu::load("no/such/file.yaml").expect_err("no such file");
    expect!["cannot read the hardware description no/such/file.yaml: No such file or directory (os error 2)"]
        .assert_eq(&error.to_string());
}

#[test]
fn wrong_unit() {
    check(
        &GOOD.replace("value: 16, unit: bytes", "value: 16, unit: bits"),
        expect!["toy.yaml:5:27: sector.unit: expected the unit `bytes`, found `bits`"],
    );
}

#[test]
fn missing_source() {
    check(
        &GOOD.replace(", source: \"Toy manual, page 3\"", ""),
        expect![[
            r#"toy.yaml:4:13: warp_lanes: expected `source: "document, place in it"`, or `estimate: true` with `basis`"#
        ]],
    );
}

#[test]
fn empty_source() {
    check(
        &GOOD.replace("Toy manual, page 3", " "),
        expect![[
            r#"toy.yaml:4:13: warp_lanes: expected `source: "document, place in it"`, or `estimate: true` with `basis`"#
        ]],
    );
}

#[test]
fn estimate_without_basis() {
    check(
        &GOOD.replace("source: \"Toy manual, page 3\"", "estimate: true"),
        expect![[
            r#"toy.yaml:4:13: warp_lanes: an estimate needs `basis: "what it was concluded from"` and has no `source`"#
        ]],
    );
}

#[test]
fn missing_unit() {
    check(&GOOD.replace(", unit: lanes", ""), expect!["toy.yaml:4:13: warp_lanes: missing field `unit`"]);
}

#[test]
fn bare_number() {
    check(
        &GOOD.replace("{value: 8, unit: lanes, source: \"Toy manual, page 3\"}", "8"),
        expect![
            "toy.yaml:4:13: warp_lanes: invalid type: integer `8`, expected `{value: .., unit: lanes, source: ..}`"
        ],
    );
}

#[test]
fn not_a_power_of_two() {
    check(&GOOD.replace("value: 8", "value: 0"), expect!["toy.yaml:4:13: warp_lanes: `value` must be a power of two"]);
}

#[test]
fn negative_value() {
    check(
        &GOOD.replace("value: 8", "value: -8"),
        expect!["toy.yaml:4:21: warp_lanes.value: invalid type: integer `-8`, expected u32"],
    );
}

#[test]
fn missing_key() {
    check(&GOOD.replace("processor: toy1\n", ""), expect!["toy.yaml:1:1: missing field `processor`"]);
}

#[test]
fn misspelt_key() {
    check(
        &GOOD.replace("warp_lanes", "wrap_lanes"),
        expect![
            "toy.yaml:4:1: unknown field `wrap_lanes`, expected one of `name`, `product`, `processor`, `warp_lanes`, `sector`, `line`, `banks`, `bank_word`"
        ],
    );
}

#[test]
fn line_shorter_than_sector() {
    check(
        &GOOD.replace("value: 64", "value: 8"),
        expect!["toy.yaml:1:1: a line of 8 bytes is shorter than a sector of 16"],
    );
}

#[test]
fn broken_yaml() {
    check(
        &GOOD.replace("lanes, source: \"Toy", "lanes, source: Toy\""),
        expect![[
            r#"toy.yaml:4:58: warp_lanes: unknown field `page 3"`, expected one of `value`, `unit`, `source`, `estimate`, `basis`"#
        ]],
    );
}

#[test]
fn empty_file() {
    check("", expect!["toy.yaml:1:1: missing field `name`"]);
}
