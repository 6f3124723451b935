//! What the system says about its processors.

use std::fs::read_to_string;
use std::io::Read as _;
use std::path::Path;

/// A data or unified cache, as the first processor sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cache {
    /// What it holds.
    pub bytes: usize,
    /// Places where a line can be; 0 where it can be anywhere.
    pub ways: usize,
    /// Bytes of a line.
    pub line: usize,
    /// Processors, as the system counts them, that share it.
    pub sharing: usize,
}

/// What the system says; None where it says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Machine {
    /// The processor's name.
    pub model: Option<String>,
    /// Packages.
    pub sockets: Option<usize>,
    /// Cores of all packages.
    pub cores: Option<usize>,
    /// Processors as the system counts them: threads of all cores.
    pub processors: usize,
    /// The clock that the system names, in kHz: the one that is always kept, else that of the moment.
    pub clock: Option<usize>,
    /// The caches for data of the levels 1 to 3.
    pub caches: [Option<Cache>; 3],
    /// Bytes of a base page; 4096 where the system does not say.
    pub page: usize,
}

impl Machine {
    /// Of a system whose description is below `root`, which is `/` but for tests.
    pub fn of(root: &Path) -> Machine {
        let cpus = root.join("sys/devices/system/cpu");
        let online = read_to_string(cpus.join("online")).map(|text| numbers(&text)).unwrap_or_default();
        let topology = |file: &str| -> Vec<String> {
            let of = |cpu: &usize| read_to_string(cpus.join(format!("cpu{cpu}/topology/{file}"))).ok();
            let mut values: Vec<String> = online.iter().filter_map(of).collect();
            values.sort();
            values.dedup();
            values
        };
        let count = |values: Vec<String>| Some(values.len()).filter(|count| *count > 0);
        let level = |level: usize| {
            (0..8)
                .filter_map(|index| cache(&cpus.join(format!("cpu0/cache/index{index}"))))
                .find(|(at, _)| *at == level)
        };
        let cpuinfo = read_to_string(root.join("proc/cpuinfo")).unwrap_or_default();
        let kept = || read_to_string(cpus.join("cpu0/cpufreq/base_frequency")).ok()?.trim().parse().ok();
        Machine {
            model: model(&cpuinfo),
            clock: kept().or_else(|| clock(&cpuinfo)).filter(|clock| *clock > 0),
            sockets: count(topology("physical_package_id")),
            cores: count(topology("thread_siblings_list")),
            processors: if online.is_empty() {
                std::thread::available_parallelism().map_or(1, usize::from)
            } else {
                online.len()
            },
            caches: [1, 2, 3].map(|at| level(at).map(|(_, cache)| cache)),
            page: beginning(&root.join("proc/self/smaps")).and_then(|text| page(&text)).unwrap_or(4096),
        }
    }

    /// Threads that a core runs at a time.
    pub fn threads_per_core(&self) -> Option<usize> {
        self.cores.map(|cores| self.processors / cores).filter(|threads| *threads > 0)
    }

    /// Bytes of a line.
    pub fn line(&self) -> Option<usize> {
        self.caches.iter().flatten().map(|cache| cache.line).max()
    }

    /// The largest cache's bytes.
    pub fn last_level(&self) -> Option<usize> {
        self.caches.iter().flatten().map(|cache| cache.bytes).max()
    }
}

/// The cache that a folder of the system describes, with its level; none that holds instructions alone.
fn cache(folder: &Path) -> Option<(usize, Cache)> {
    let read = |file: &str| read_to_string(folder.join(file)).ok();
    let number = |file: &str| read(file)?.trim().parse::<usize>().ok();
    if read("type")?.trim() == "Instruction" {
        return None;
    }
    let cache = Cache {
        bytes: size(read("size")?.trim())?,
        // A fully associative cache says 0.
        ways: number("ways_of_associativity")?,
        line: number("coherency_line_size").filter(|line| line.is_power_of_two())?,
        sharing: numbers(&read("shared_cpu_list")?).len(),
    };
    Some((number("level")?, cache))
}

/// `32K` and the like in bytes.
fn size(text: &str) -> Option<usize> {
    let (number, scale) = match text.strip_suffix('K') {
        Some(number) => (number, 1 << 10),
        None => text.strip_suffix('M').map_or((text, 1), |number| (number, 1 << 20)),
    };
    number.parse::<usize>().ok()?.checked_mul(scale).filter(|bytes| *bytes > 0)
}

/// The numbers of a list such as `0-3,8`.
fn numbers(text: &str) -> Vec<usize> {
    /// More processors than any machine has: a list that is longer is not one.
    const MOST: usize = 1 << 16;
    let mut all = Vec::new();
    for range in text.trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (Ok(first), Ok(last)) = (first.parse::<usize>(), last.parse::<usize>()) else { continue };
        if last < MOST {
            all.extend(first..=last);
        }
    }
    all
}

fn value<'a>(cpuinfo: &'a str, key: &str) -> Option<&'a str> {
    let line = cpuinfo.lines().find(|line| line.split(':').next().is_some_and(|name| name.trim() == key))?;
    Some(line.split_once(':')?.1.trim())
}

/// The processor's name: `model name` of x86, `cpu` of POWER.
fn model(cpuinfo: &str) -> Option<String> {
    let name = value(cpuinfo, "model name").or_else(|| value(cpuinfo, "cpu"))?;
    (!name.is_empty()).then(|| name.to_owned())
}

/// The first processor's clock: `cpu MHz` of x86, `clock` of POWER, which ends with the unit.
fn clock(cpuinfo: &str) -> Option<usize> {
    let text = value(cpuinfo, "cpu MHz").or_else(|| value(cpuinfo, "clock"))?;
    let megahertz: f64 = text.trim_end_matches("MHz").parse().ok()?;
    Some((megahertz * 1e3) as usize)
}

/// As much of a file as describes the first mapping: a description of all takes the system long where a program has much memory.
fn beginning(path: &Path) -> Option<String> {
    let mut bytes = [0; 4096];
    let read = std::fs::File::open(path).and_then(|mut file| file.read(&mut bytes)).ok()?;
    Some(String::from_utf8_lossy(&bytes[..read]).into_owned())
}

/// Bytes of the first mapping's pages, which are the base ones.
fn page(smaps: &str) -> Option<usize> {
    let line = smaps.lines().find(|line| line.starts_with("KernelPageSize:"))?;
    line.split_whitespace().nth(1)?.parse::<usize>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_system() {
        assert_eq!(numbers("0-3,8\n"), [0, 1, 2, 3, 8]);
        assert_eq!(numbers(""), [0; 0]);
        assert_eq!(numbers("0-99999999999"), [0; 0]);
        assert_eq!(
            (size("48K"), size("2M"), size("64"), size("0K"), size("x")),
            (Some(49_152), Some(2_097_152), Some(64), None, None)
        );
        assert_eq!(model("processor\t: 0\nmodel name\t: A CPU\n"), Some("A CPU".into()));
        assert_eq!(
            model("processor\t: 0\ncpu\t\t: POWER9, altivec supported\n"),
            Some("POWER9, altivec supported".into())
        );
        assert_eq!(model("processor: 0\n"), None);
        assert_eq!(clock("cpu MHz\t\t: 2596.124\n"), Some(2_596_124));
        assert_eq!(clock("clock\t\t: 3783.000000MHz\n"), Some(3_783_000));
        assert_eq!(clock("cpu MHz: fast\n"), None);
        assert_eq!(page("Size: 8 kB\nKernelPageSize:       64 kB\n"), Some(65_536));
    }

    #[test]
    fn a_system_that_says_nothing() {
        let machine = Machine::of(Path::new("/no/such/root"));
        assert_eq!((machine.caches, machine.cores, machine.line(), machine.page), ([None; 3], None, None, 4096));
        assert!(machine.processors >= 1);
    }
}
