//! The values of the leaves that machines have.

use std::collections::BTreeMap;

use ipda_models::machine;
use ipda_models::predict::{Machines, PredictError};

/// A value for each machine leaf.
///
/// # Errors
/// If a description lacks what a prediction needs.
pub fn machine_values(machines: &Machines) -> Result<BTreeMap<String, f64>, PredictError> {
    let gpu = machine::gpu_machine(&machines.gpu)?.machine;
    let cpu = machine::cpu_machine(&machines.cpu)?.machine;
    let link = machine::link(&machines.link)?.machine;
    Ok(BTreeMap::from([
        ("gpu.memory.bandwidth".to_owned(), gpu.memory.bandwidth.get()),
        ("gpu.launch".to_owned(), gpu.launch.get()),
        ("gpu.sms".to_owned(), gpu.sms as f64),
        ("cpu.clock".to_owned(), cpu.clock.get()),
        ("cpu.cores".to_owned(), cpu.cores as f64),
        ("cpu.memory.bandwidth".to_owned(), cpu.memory.bandwidth.get()),
        ("link.to_device".to_owned(), link.to_device.get()),
        ("link.latency".to_owned(), link.latency.get()),
    ]))
}
