//! What is measured is a description that can be read.

use std::path::Path;

use ipda_hwdb::Device;
use ipda_measure::{Effort, measure_cpu};

#[test]
fn a_quick_measurement_is_a_description_of_this_machine() {
    let text = measure_cpu("here", Some(2), Effort::Quick);
    let device = Device::parse(&text, Path::new("here.yaml"));
    let Ok(Device::Cpu(cpu)) = device else { panic!("{device:?}\n{text}") };
    assert_eq!((cpu.name.as_str(), cpu.architecture.as_str()), ("here", std::env::consts::ARCH));
    let points: Vec<u32> = cpu
        .memory
        .bandwidth_by_threads
        .as_ref()
        .expect("measured")
        .value()
        .points()
        .map(|(threads, _)| threads)
        .collect();
    assert_eq!(points, [1, 2]);
    for parameter in cpu.parameters() {
        if let Err(missing) = parameter.value {
            assert_ne!(missing.reason, "the entry does not state it", "{}", parameter.key);
        }
    }
}
