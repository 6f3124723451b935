//! The link of a GPU and a host.

use ipda_hwdb::{Cpu, Gpu};

/// Links that only these hosts have.
const HOSTS_OF_LINKS: [(&str, &str); 3] = [("nvlink1", "pwr8"), ("nvlink2", "pwr9"), ("nvlink-c2c", "neoverse-v2")];

/// The first of a GPU's links that the host can have.
pub(super) fn default_link<'a>(gpu: &'a Gpu, cpu: &Cpu) -> Option<&'a str> {
    let fits = |link: &&String| {
        let only = HOSTS_OF_LINKS.iter().find(|(name, _)| name == link);
        only.is_none_or(|(_, host)| cpu.processor == *host)
    };
    gpu.links.iter().find(fits).map(String::as_str)
}
