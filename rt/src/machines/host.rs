//! The description of the host.

use std::path::Path;

use ipda_hwdb::{Cpu, Device};
use ipda_models::table::MachineNames;

use super::overlay::Overlay;
use super::{Finder, is_named};

const SYSTEM: &str = "the operating system";

/// Words that are all in what the system calls the products that have a description. To read all descriptions would take 10 ms.
pub(super) const PRODUCTS: [(&str, &str); 10] = [
    ("AMD EPYC 7452", "epyc-rome"),
    ("AMD EPYC 7763", "epyc-milan"),
    ("AMD EPYC 9654", "epyc-genoa"),
    ("Intel Xeon Gold 6148", "xeon-6148"),
    ("Intel Xeon Gold 6248", "xeon-6248"),
    ("Intel Xeon E5-2695 v4", "xeon-2695v4"),
    ("Intel Xeon Platinum 8360Y", "xeon-8360y"),
    ("Intel Xeon Platinum 8470", "xeon-8470"),
    ("POWER8", "power8"),
    ("POWER9", "power9"),
];

impl Finder {
    /// The processor's description, else the build's, with what the system says in its place. None where neither is known.
    pub(super) fn found_cpu(&self, build: &MachineNames) -> Option<Cpu> {
        let model = self.host.model.as_deref();
        let own = self.entries.iter().find_map(|entry| match entry {
            Device::Cpu(cpu) if model.is_some_and(|model| is_named(entry, model)) => Some((**cpu).clone()),
            _ => None,
        });
        if own.is_some() {
            return own;
        }
        if let Some(cpu) = model.and_then(of_model) {
            return Some(self.of_this_size(&cpu, None).unwrap_or(cpu));
        }
        let base = self.cpu(&build.cpu).ok()?;
        Some(self.adapted(&base).or_else(|| self.of_this_size(&base, model)).unwrap_or(base))
    }

    /// Its name: the description's, what the system calls it, unless the description is of that, and how many cores there are.
    fn named(&self, cpu: &Cpu, model: Option<&str>) -> String {
        let model = model.map_or(String::new(), |model| format!(" as {model}"));
        let cores = self.host.cores.map_or(String::new(), |cores| format!(" with {cores} cores"));
        format!("{}{model}{cores}", cpu.name)
    }

    fn count(&self, text: &mut Overlay) {
        let host = &self.host;
        let cores = host.cores.zip(host.sockets).map(|(cores, sockets)| cores / sockets).filter(|cores| *cores > 0);
        text.section("chip");
        text.value("sockets", host.sockets.filter(|_| cores.is_some()), "sockets");
        text.value("cores", cores, "cores");
        text.value("threads_per_core", host.threads_per_core().filter(|_| cores.is_some()), "threads");
    }

    /// The same processor, of which there may be more or fewer.
    fn of_this_size(&self, cpu: &Cpu, model: Option<&str>) -> Option<Cpu> {
        let mut text = Overlay::new("cpu", &cpu.name, SYSTEM);
        text.name(&self.named(cpu, model));
        self.count(&mut text);
        parsed(&text)
    }

    /// Another processor.
    fn adapted(&self, base: &Cpu) -> Option<Cpu> {
        let mut text = Overlay::new("cpu", &base.name, SYSTEM);
        text.name(&self.named(base, self.host.model.as_deref()));
        self.count(&mut text);
        if let Some(clock) = self.host.clock {
            text.value("clock", Some(clock as f64 / 1e3), "MHz");
            text.unknown("base_clock");
            text.unknown("turbo_clock");
        }
        let threads = self.host.threads_per_core().unwrap_or(1);
        for (name, cache) in ["l1d", "l2", "l3"].into_iter().zip(&self.host.caches) {
            let Some(cache) = cache else { continue };
            text.section(name);
            text.value("size", Some(cache.bytes), "bytes");
            text.value("ways", Some(cache.ways).filter(|ways| *ways > 0), "ways");
            text.value("cores", Some((cache.sharing / threads).max(1)), "cores");
        }
        parsed(&text)
    }
}

fn parsed(text: &Overlay) -> Option<Cpu> {
    match Device::parse(text.text(), Path::new(SYSTEM)) {
        Ok(Device::Cpu(cpu)) => Some(*cpu),
        _ => None,
    }
}

/// The built-in description of what the system calls so, as in `Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz` or `POWER9, altivec supported`.
fn of_model(model: &str) -> Option<Cpu> {
    let plain = model.replace("(R)", " ").replace("(TM)", " ");
    let words: Vec<&str> = plain.split([' ', ',']).collect();
    let is_meant = |(product, _): &&(&str, &str)| product.split(' ').all(|word| words.contains(&word));
    let (_, name) = PRODUCTS.iter().find(is_meant)?;
    Cpu::builtin(name).ok()
}
