//! What the tests share.
#![allow(dead_code, reason = "no test file needs all of it")]

use std::path::Path;

use expect_test::Expect;
use ipda_hwdb::{Device, Gpu, Kind};

pub const GOOD: &str = "\
kind: gpu
name: toy
product: Toy GPU
processor: toy1
coalescing:
  warp_lanes: {value: 8, unit: lanes, source: \"Toy manual, page 3\"}
  sector: {value: 16, unit: bytes, source: \"Toy manual, page 4\"}
  line: {value: 64, unit: bytes, source: \"Toy manual, page 4\"}
  banks: {value: 16, unit: banks, source: \"Toy manual, page 5\"}
  bank_word: {value: 4, unit: bytes, source: \"Toy manual, page 5\"}
chip:
  clock: {value: 1.5, unit: GHz, estimate: true, basis: \"its predecessor's\"}
memory:
  latency: {value: 420, unit: cycles, measured_by: \"us\", method: \"pointer chase\"}
";

/// Compares what is said about a file with this text: a line of counts, or the errors.
pub fn check(text: &str, expected: Expect) {
    let answer = match Device::parse(text, Path::new("toy.yaml")) {
        Ok(device) => summary(&device),
        Err(errors) => errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    };
    expected.assert_eq(&answer);
}

/// The GPU of a text that is right.
pub fn gpu(text: &str) -> Gpu {
    match Device::parse(text, Path::new("toy.yaml")) {
        Ok(Device::Gpu(gpu)) => *gpu,
        other => panic!("the text is right: {other:?}"),
    }
}

pub fn summary(device: &Device) -> String {
    let parameters = device.parameters();
    let count = |kind| {
        parameters.iter().filter(|parameter| parameter.value.as_ref().is_ok_and(|(_, why)| why.kind() == kind)).count()
    };
    format!(
        "{} {}: {} facts, {} measured, {} unverified, {} estimates, {} unknown",
        device.kind(),
        device.name(),
        count(Kind::Fact),
        count(Kind::Measured),
        count(Kind::Unverified),
        count(Kind::Estimate),
        parameters.iter().filter(|parameter| parameter.value.is_err()).count()
    )
}
