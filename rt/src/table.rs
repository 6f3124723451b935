//! The decision table of a region, as far as the library needs it, and the values of the leaves that machines have.

use std::collections::BTreeMap;

use ipda_models::form::Form;
use ipda_models::machine;
use ipda_models::predict::{Machines, PredictError};
use serde::{Deserialize, Serialize};

/// What every table begins with.
const MAGIC: &[u8] = b"ipda table 1\n";
/// What a table of any version begins with.
const ANY_VERSION: &[u8] = b"ipda table ";

/// The machines that the build named.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Names {
    /// The device's description.
    pub gpu: String,
    /// The host's.
    pub cpu: String,
    /// The link's.
    pub link: String,
}

/// A region's table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Such as `gemm at gemm.c:12`.
    pub region: String,
    /// The machines that the compiled-in values are of.
    pub machines: Names,
    /// The prediction: seconds on the host, on the device with launch and transfers, of the kernel alone, of the transfers alone.
    pub form: Form,
}

impl Table {
    /// Reads what a program carries.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn from_bytes(bytes: &[u8]) -> Result<Table, String> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            let is_other_version = bytes.starts_with(ANY_VERSION);
            return Err(if is_other_version { "it is of another version" } else { "it is no decision table" }.into());
        };
        let table: Table = serde_json::from_slice(rest).map_err(|error| error.to_string())?;
        if !table.form.is_sound() || table.form.results().len() < 2 {
            return Err("its closed form is damaged".into());
        }
        Ok(table)
    }

    /// What a program carries.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        // Texts and numbers alone, which always can be written.
        bytes.extend(serde_json::to_vec(self).unwrap_or_default());
        bytes
    }
}

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
