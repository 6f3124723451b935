//! Entries that build on others.

mod common;

use common::check;
use expect_test::expect;
use ipda_hwdb::{Device, Gpu, Kind};

const UPPER: &str = "\
kind: gpu
based_on: v100
name: v100-here
memory:
  sustained_bandwidth: {value: 811, unit: GB/s, measured_by: \"us\", method: \"triad\"}
";

#[test]
fn what_a_file_states_replaces_the_base_s_value_with_its_source() {
    let base = Gpu::builtin("v100").expect("built in");
    let gpu = common::gpu(UPPER);
    assert_eq!(gpu.name, "v100-here");
    assert_eq!(gpu.aliases, [""; 0], "names are an entry's own");
    assert_eq!((&gpu.product, &gpu.occupancy, &gpu.links), (&base.product, &base.occupancy, &base.links));
    let bandwidth = gpu.memory.sustained_bandwidth.expect("stated");
    assert_eq!((bandwidth.get().get(), bandwidth.kind()), (811e9, Kind::Measured));
    assert_eq!(gpu.memory.latency, base.memory.latency);
}

#[test]
fn a_value_can_be_taken_back() {
    let gpu = common::gpu(&format!("{UPPER}  latency: {{unknown: \"not on this one\"}}\n"));
    assert!(gpu.memory.latency.is_err());
}

#[test]
fn a_contradiction_with_the_base_is_placed_in_the_file() {
    check(
        &UPPER.replace("811", "911"),
        expect!["toy.yaml:5:3: memory.bandwidth: 900 GB/s is less than `memory.sustained_bandwidth`, 911 GB/s"],
    );
}

#[test]
fn bases_that_are_not_there() {
    let error = |text: &str| Device::parse(text, "toy.yaml".as_ref()).expect_err("no such base").remove(0).to_string();
    let unknown = error(&UPPER.replace("v100\n", "v10\n"));
    assert!(unknown.starts_with("toy.yaml:2:11: based_on: unknown GPU `v10`: did you mean `v100`?"), "{unknown}");
    let other_kind = error(&UPPER.replace("v100\n", "power9\n"));
    assert!(other_kind.starts_with("toy.yaml:2:11: based_on: unknown GPU `power9`"), "{other_kind}");
    expect!["toy.yaml:2:11: based_on: expected a name, found the number 3"]
        .assert_eq(&error(&UPPER.replace("v100\n", "3\n")));
}
