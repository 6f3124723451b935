//! Errors of files: none in a good one, and everything that can be wrong with one.

mod common;

use common::{GOOD, check};
use expect_test::expect;
use ipda_hwdb::{Device, Gpu, Kind};

#[test]
fn a_good_file() {
    check(GOOD, expect!["gpu toy: 5 facts, 1 measured, 0 unverified, 1 estimates, 50 unknown"]);
}

/// The parser's time for brackets inside of each other grows with the square of their number.
#[test]
fn what_is_nested_without_end_is_reported_at_once() {
    let start = std::time::Instant::now();
    for (text, line) in
        [("[".repeat(1 << 20), 1), ("{a: ".repeat(1 << 18), 1), (format!("{GOOD}{}", "- ".repeat(1 << 19)), 0)]
    {
        let errors = Device::parse(&text, std::path::Path::new("deep.yaml")).expect_err("it is no description");
        let reported = errors[0].to_string();
        assert!(reported.starts_with("deep.yaml:") && reported.ends_with("nested deeper than 64"), "{reported}");
        assert!(line == 0 || reported.starts_with(&format!("deep.yaml:{line}:")), "{reported}");
    }
    assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn values_come_in_the_units_of_their_types() {
    let gpu = common::gpu(GOOD);
    let clock = gpu.chip.clock.as_ref().expect("stated");
    assert_eq!((clock.get().get(), clock.kind()), (1.5e9, Kind::Estimate));
    expect!["chip.clock = 1.5 GHz (estimate: its predecessor's)"].assert_eq(&clock.assumption().expect("an estimate"));
    let latency = gpu.memory.latency.as_ref().expect("stated");
    assert_eq!((latency.get().get(), latency.kind(), latency.key()), (420.0, Kind::Measured, "memory.latency"));
    assert_eq!(latency.assumption(), None);
    assert_eq!((gpu.lanes, gpu.sector.get(), gpu.line.get(), gpu.banks, gpu.bank_word.get()), (8, 16, 64, 16, 4));
}

#[test]
fn what_is_not_stated_and_what_is_not_known_say_why() {
    let gpu = common::gpu(&format!("{GOOD}  l2_latency: {{unknown: \"nobody measured it\"}}\n"));
    let why = |missing: Result<_, ipda_hwdb::Missing>| missing.map(|_| ()).expect_err("no value").to_string();
    expect!["`memory.l2_latency` is not known: nobody measured it"].assert_eq(&why(gpu.memory.l2_latency));
    expect!["`memory.l1_latency` is not known: the entry does not state it"].assert_eq(&why(gpu.memory.l1_latency));
}

#[test]
fn every_unit_of_a_dimension_is_read() {
    let with = |value: &str| common::gpu(&format!("{GOOD}  bandwidth: {{{value}, source: \"x\"}}\n"));
    for stated in ["value: 1.5, unit: TB/s", "value: 1500, unit: GB/s", "value: 1.5e12, unit: B/s"] {
        assert_eq!(with(stated).memory.bandwidth.expect("stated").get().get(), 1.5e12, "{stated}");
    }
    let gpu = common::gpu(&format!("{GOOD}  l2_size: {{value: 0.5, unit: MiB, source: \"x\"}}\n"));
    assert_eq!(gpu.memory.l2_size.expect("stated").get().get(), 524_288);
}

#[test]
fn missing_file() {
    let error = Gpu::load("no/such/file.yaml").expect_err("no such file");
    expect!["cannot read the hardware description no/such/file.yaml: No such file or directory (os error 2)"]
        .assert_eq(&error.to_string());
}

#[test]
fn unknown_names_get_the_nearest() {
    let error = Gpu::builtin("h2000").expect_err("no such entry");
    let expected = expect![
        "unknown GPU `h2000`: did you mean `h200`? the known ones are k80, p100, v100, a100, h100-pcie, h100-sxm, h200, l4, a10, a40, rtx3070, rtx3080, rtx3090, rtx4090, mi210, mi250x, mi300x"
    ];
    expected.assert_eq(&error.to_string());
    let error = Device::find("commodore").expect_err("no such entry").remove(0).to_string();
    assert!(error.starts_with("unknown device `commodore`: the known ones are k80, "), "{error}");
}

#[test]
fn wrong_unit() {
    check(
        &GOOD.replace("value: 16, unit: bytes", "value: 16, unit: bits"),
        expect!["toy.yaml:7:29: coalescing.sector.unit: expected the unit `bytes`, found `bits`"],
    );
    check(
        &GOOD.replace("unit: GHz", "unit: cycles"),
        expect!["toy.yaml:12:29: chip.clock.unit: expected the unit `Hz`, `MHz` or `GHz`, found `cycles`"],
    );
}

#[test]
fn missing_source() {
    check(
        &GOOD.replace(", source: \"Toy manual, page 3\"", ""),
        expect![[
            r#"toy.yaml:6:15: coalescing.warp_lanes: expected one of `source: "document, place in it"`, `measured_by: "who, where told"` with `method`, or `estimate: true` with `basis`"#
        ]],
    );
}

#[test]
fn empty_source() {
    check(
        &GOOD.replace("Toy manual, page 3", " "),
        expect!["toy.yaml:6:47: coalescing.warp_lanes.source: expected words, found no words"],
    );
}

#[test]
fn estimate_without_basis() {
    check(
        &GOOD.replace("source: \"Toy manual, page 3\"", "estimate: true"),
        expect!["toy.yaml:6:15: coalescing.warp_lanes: missing key `basis`"],
    );
    check(
        &GOOD.replace("source: \"Toy manual, page 3\"", "estimate: perhaps, basis: \"x\""),
        expect![[
            r#"toy.yaml:6:15: coalescing.warp_lanes: an estimate has `estimate: true` and `basis: "what it was concluded from"`"#
        ]],
    );
}

#[test]
fn a_fact_that_is_an_estimate_too() {
    check(
        &GOOD.replace("source: \"Toy manual, page 3\"", "source: \"x\", estimate: true, basis: \"y\""),
        expect![[
            r#"toy.yaml:6:15: coalescing.warp_lanes: expected one of `source: "document, place in it"`, `measured_by: "who, where told"` with `method`, or `estimate: true` with `basis`"#
        ]],
    );
}

#[test]
fn a_source_that_was_not_looked_up() {
    let text = GOOD.replace("source: \"Toy manual, page 5\"", "source: \"Toy manual, page 5\", confidence: unverified");
    check(&text, expect!["gpu toy: 3 facts, 1 measured, 2 unverified, 1 estimates, 50 unknown"]);
    let assumption = common::gpu(&text).coalescing.banks.assumption();
    expect!["coalescing.banks = 16 banks (unverified: Toy manual, page 5)"]
        .assert_eq(&assumption.expect("not looked up"));
    check(
        &text.replace("unverified", "high"),
        expect![[r#"
        toy.yaml:9:77: coalescing.banks.confidence: expected `unverified` or no such key, found `high`
        toy.yaml:10:80: coalescing.bank_word.confidence: expected `unverified` or no such key, found `high`"#]],
    );
    check(
        &GOOD.replace("method: \"pointer chase\"", "method: \"pointer chase\", confidence: unverified"),
        expect![[
            r#"toy.yaml:14:12: memory.latency: expected one of `source: "document, place in it"`, `measured_by: "who, where told"` with `method`, or `estimate: true` with `basis`"#
        ]],
    );
}

#[test]
fn measured_without_method() {
    check(
        &GOOD.replace(", method: \"pointer chase\"", ""),
        expect!["toy.yaml:14:12: memory.latency: missing key `method`"],
    );
}

#[test]
fn an_unknown_value_with_a_value() {
    check(
        &format!("{GOOD}  l2_latency: {{unknown: \"x\", value: 3, unit: cycles}}\n"),
        expect![[
            r#"toy.yaml:15:15: memory.l2_latency: a value that is not known has `unknown: "why"` and nothing else"#
        ]],
    );
    check(
        &GOOD.replace("{value: 8, unit: lanes, source: \"Toy manual, page 3\"}", "{unknown: \"x\"}"),
        expect!["toy.yaml:6:15: coalescing.warp_lanes: `warp_lanes` must be known"],
    );
}

#[test]
fn missing_unit() {
    check(&GOOD.replace(", unit: lanes", ""), expect!["toy.yaml:6:15: coalescing.warp_lanes: missing key `unit`"]);
}

#[test]
fn bare_number() {
    check(
        &GOOD.replace("{value: 8, unit: lanes, source: \"Toy manual, page 3\"}", "8"),
        expect![
            "toy.yaml:6:15: coalescing.warp_lanes: expected {value: .., unit: lanes, source: ..}, found the number 8"
        ],
    );
}

#[test]
fn numbers_out_of_range() {
    let not_a_power = |number: &str| GOOD.replace("value: 8,", &format!("value: {number},"));
    for number in ["0", "-8", "12", "8.5", "4294967296"] {
        check(&not_a_power(number), expect!["toy.yaml:6:23: coalescing.warp_lanes.value: expected a power of two"]);
    }
    check(
        &not_a_power(".inf"),
        expect!["toy.yaml:6:23: coalescing.warp_lanes.value: expected a number, found the number .inf"],
    );
    check(
        &GOOD.replace("value: 420", "value: 0"),
        expect![[
            r#"toy.yaml:14:20: memory.latency.value: expected more than zero; for what is not known write `unknown: "why"`"#
        ]],
    );
    check(
        &GOOD.replace("value: 420", "value: many"),
        expect!["toy.yaml:14:20: memory.latency.value: expected a number, found `many`"],
    );
    check(
        &format!("{GOOD}occupancy: {{warps: {{value: 2.5, unit: warps, source: \"x\"}}}}\n"),
        expect![[
            r#"toy.yaml:15:28: occupancy.warps.value: expected a whole number of at least one; for what is not known write `unknown: "why"`"#
        ]],
    );
}

#[test]
fn misspelt_keys() {
    check(
        &GOOD.replace("warp_lanes", "wrap_lanes"),
        expect![[r#"
            toy.yaml:6:3: coalescing: unknown key `wrap_lanes`: did you mean `warp_lanes`?
            toy.yaml:6:3: coalescing: missing key `warp_lanes`"#]],
    );
    check(
        &GOOD.replace("chip:", "qqq:"),
        expect![
            "toy.yaml:11:1: unknown key `qqq`: expected one of `kind`, `based_on`, `name`, `product`, `processor`, `aliases`, `links`, `coalescing`, `chip`, `occupancy`, `issue`, `throughput`, `memory` or `launch`"
        ],
    );
    check(
        &GOOD.replace("value: 420", "vlaue: 420"),
        expect![[r#"
            toy.yaml:14:12: memory.latency: missing key `value`
            toy.yaml:14:13: memory.latency: unknown key `vlaue`: did you mean `value`?"#]],
    );
}

#[test]
fn missing_keys() {
    check(&GOOD.replace("processor: toy1\n", ""), expect!["toy.yaml:1:1: missing key `processor`"]);
    check(
        &GOOD.replace("kind: gpu\n", ""),
        expect!["toy.yaml:1:1: missing key `kind`: expected `kind:` with `gpu`, `cpu` or `link`"],
    );
    check(
        &GOOD.replace("kind: gpu", "kind: tpu"),
        expect!["toy.yaml:1:7: kind: expected `gpu`, `cpu` or `link`, found `tpu`"],
    );
    check(
        "kind: cpu\nname: x\n",
        expect![[r#"
        toy.yaml:1:1: missing key `product`
        toy.yaml:1:1: missing key `architecture`
        toy.yaml:1:1: missing key `processor`
        toy.yaml:1:1: missing key `memory`"#]],
    );
}

#[test]
fn the_wrong_kind_is_reported() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("toy.yaml");
    std::fs::write(&path, GOOD).expect("the folder can be written");
    let error = ipda_hwdb::Cpu::load(&path).expect_err("it is a GPU").to_string();
    assert!(error.ends_with("toy.yaml:1:7: kind: expected `cpu`, found `gpu`"), "{error}");
}

#[test]
fn every_problem_is_reported_in_the_file_s_order() {
    let bad = GOOD.replace("value: 420", "value: -1").replace("unit: GHz", "unit: s").replace("sector", "sctor");
    check(
        &bad,
        expect![[r#"
        toy.yaml:6:3: coalescing: missing key `sector`
        toy.yaml:7:3: coalescing: unknown key `sctor`: did you mean `sector`?
        toy.yaml:12:29: chip.clock.unit: expected the unit `Hz`, `MHz` or `GHz`, found `s`
        toy.yaml:14:20: memory.latency.value: expected more than zero; for what is not known write `unknown: "why"`"#]],
    );
}

#[test]
fn contradictions() {
    check(
        &GOOD.replace("value: 64", "value: 8"),
        expect!["toy.yaml:8:9: coalescing.line: a line of 8 bytes is shorter than a sector of 16 bytes"],
    );
    check(
        &format!("{GOOD}  l2_latency: {{value: 500, unit: cycles, source: \"x\"}}\n"),
        expect!["toy.yaml:14:12: memory.latency: 420 cycles is less than `memory.l2_latency`, 500 cycles"],
    );
    check(
        "kind: link\nname: x\nproduct: x\ntransfer:\n  \
         peak_to_device: {value: 16, unit: GB/s, source: \"x\"}\n  \
         pinned_to_device: {value: 17, unit: GB/s, source: \"x\"}\n",
        expect!["toy.yaml:5:19: transfer.peak_to_device: 16 GB/s is less than `transfer.pinned_to_device`, 17 GB/s"],
    );
}

#[test]
fn values_by_threads() {
    let cpu = |points: &str| {
        format!(
            "kind: cpu\nname: x\nproduct: x\narchitecture: x86_64\nprocessor: x86-64\nmemory:\n  \
             line: {{value: 64, unit: bytes, source: \"x\"}}\n  \
             bandwidth_by_threads: {{value: {points}, unit: GB/s, source: \"x\"}}\n"
        )
    };
    let Ok(Device::Cpu(good)) = Device::parse(&cpu("{1: 10, 2: 19.5}"), std::path::Path::new("toy.yaml")) else {
        panic!("the text is right");
    };
    let points = good.memory.bandwidth_by_threads.expect("stated");
    let points: Vec<_> = points.value().points().map(|(threads, rate)| (threads, rate.get())).collect();
    assert_eq!(points, [(1, 10e9), (2, 19.5e9)]);
    for points in ["{}", "{0: 3}", "{one: 3}", "{1: fast}"] {
        check(
            &cpu(points),
            expect![
                "toy.yaml:8:33: memory.bandwidth_by_threads.value: expected numbers of threads, each with a number"
            ],
        );
    }
    check(
        &cpu("3"),
        expect![
            "toy.yaml:8:25: memory.bandwidth_by_threads: expected `value: {1: .., 2: ..}`, numbers of threads with what they reach"
        ],
    );
}

#[test]
fn broken_yaml() {
    check(
        "kind: [gpu\n",
        expect![
            "toy.yaml:2:1: did not find expected ',' or ']' at line 2 column 1, while parsing a flow sequence at line 1 column 7"
        ],
    );
    check("", expect!["toy.yaml:1:1: expected the keys of a hardware description, found nothing"]);
    check("- 1\n", expect!["toy.yaml:1:1: expected the keys of a hardware description, found a list"]);
    check(&format!("{GOOD}kind: gpu\n"), expect![[r#"toy.yaml:1:1: duplicate entry with key "kind""#]]);
    check(&format!("{GOOD}3: x\n"), expect!["toy.yaml:1:1: expected words as keys, found the number 3"]);
    check(&GOOD.replace("name: toy", "name: [toy]"), expect!["toy.yaml:2:7: name: expected words, found a list"]);
    check(
        &format!("{GOOD}links: [3]\n"),
        expect!["toy.yaml:15:8: links: expected a list of words, found a list with other things in it"],
    );
}

#[test]
fn no_damage_is_a_fault_of_the_reader() {
    for length in (0..GOOD.len()).filter(|length| GOOD.is_char_boundary(*length)) {
        let _ = Device::parse(&GOOD[..length], std::path::Path::new("toy.yaml"));
        let _ = Device::parse(&GOOD[length..], std::path::Path::new("toy.yaml"));
    }
    let lines: Vec<&str> = GOOD.lines().collect();
    for left_out in 0..lines.len() {
        let text: String =
            lines.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, line)| format!("{line}\n")).collect();
        let optional = lines[left_out].starts_with("chip:") || left_out >= 11;
        if !optional {
            assert!(Device::parse(&text, std::path::Path::new("toy.yaml")).is_err(), "without {}", lines[left_out]);
        }
    }
}
