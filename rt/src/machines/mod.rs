//! Which machines a program runs on: what the user names, else what is found, else what the build named.

mod amd;
mod gpu;
mod host;
mod link;
mod overlay;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use ipda_hwdb::{Cpu, Device, Gpu, Link, LoadError};
use ipda_measure::{GpuDevice, Machine};
use ipda_models::predict::Machines;
use ipda_models::table::MachineNames;

/// More files of a folder are not looked at.
const MAX_ENTRIES: usize = 1000;

/// What the user names: IPDA_GPU, IPDA_CPU, IPDA_LINK, IPDA_HWDB.
#[derive(Debug, Clone, Default)]
pub struct Requested {
    /// The GPU's name or file.
    pub gpu: Option<String>,
    /// The CPU's.
    pub cpu: Option<String>,
    /// The link's.
    pub link: Option<String>,
    /// A folder with descriptions.
    pub folder: Option<OsString>,
}

impl Requested {
    /// Whether the user names anything.
    pub fn is_any(&self) -> bool {
        self.gpu.is_some() || self.cpu.is_some() || self.link.is_some() || self.folder.is_some()
    }
}

/// What there is to choose machines from.
pub struct Finder {
    requested: Requested,
    /// Of the user's folder.
    entries: Vec<Device>,
    /// The host, as the system describes it.
    host: Machine,
    /// AMD's GPUs, as the system lists them.
    amd: Vec<GpuDevice>,
}

/// The machines, and how they were found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// All three; or, in words, why the values of the build stay.
    pub machines: Result<Machines, String>,
    /// What is wrong with what the user named.
    pub problems: Vec<String>,
}

impl Finder {
    /// Reads the folder, and the system's description below `root`, which is `/` but for tests. What is wrong with the folder is returned beside.
    pub fn new(requested: Requested, root: &Path) -> (Finder, Vec<String>) {
        let mut problems = Vec::new();
        let entries = requested.folder.as_ref().map(|folder| read_folder(Path::new(folder), &mut problems));
        let (host, amd) = (Machine::of(root), amd::devices(root));
        (Finder { requested, entries: entries.unwrap_or_default(), host, amd }, problems)
    }

    /// Whether the user names a GPU that there is.
    pub fn knows_gpu(&self) -> bool {
        self.requested.gpu.as_deref().is_some_and(|name| self.gpu(name).is_ok())
    }

    /// The machines for regions whose build named `build`, with that device, where one was found.
    pub fn find(&self, build: &MachineNames, device: Option<&GpuDevice>) -> Found {
        let mut problems = Vec::new();
        let machines = self.machines(build, device, &mut problems);
        Found { machines, problems }
    }

    fn machines(
        &self,
        build: &MachineNames,
        device: Option<&GpuDevice>,
        problems: &mut Vec<String>,
    ) -> Result<Machines, String> {
        let mut note = |variable: &str, name: &str, error: LoadError| {
            problems.push(format!("{variable}={name}: {error}"));
        };
        let named = self.requested.gpu.as_deref().and_then(|name| match self.gpu(name) {
            Ok(gpu) => Some(gpu),
            Err(error) => {
                note("IPDA_GPU", name, error);
                None
            }
        });
        // A vendor's driver knows nothing of a build for other devices.
        let of_build = self.gpu(&build.gpu).ok();
        let is_fitting = |device: &&GpuDevice| {
            of_build.as_ref().is_none_or(|gpu| amd::is_same_vendor(&device.processor, &gpu.processor))
        };
        let device = [device, self.only_amd()].into_iter().flatten().find(is_fitting);
        let gpu = named.or_else(|| self.found_gpu(device?, build));
        let is_of_build = |gpu: &Gpu| gpu.name.split(' ').next() == Some(&build.gpu);
        let is_other_gpu = gpu.as_ref().is_some_and(|gpu| !is_of_build(gpu));
        let of_build = |error: LoadError| error.to_string();
        let gpu = gpu.map_or_else(|| self.gpu(&build.gpu).map_err(of_build), Ok)?;

        let named = self.requested.cpu.as_deref().and_then(|name| match self.cpu(name) {
            Ok(cpu) => Some(cpu),
            Err(error) => {
                note("IPDA_CPU", name, error);
                None
            }
        });
        let cpu = named.or_else(|| self.found_cpu(build));
        let cpu = cpu.map_or_else(|| self.cpu(&build.cpu).map_err(of_build), Ok)?;

        let named = self.requested.link.as_deref().and_then(|name| match self.link(name) {
            Ok(link) => Some(link),
            Err(error) => {
                note("IPDA_LINK", name, error);
                None
            }
        });
        // The link is that of the build, unless the GPU is another one.
        let default = || link::default_link(&gpu, &cpu).filter(|_| is_other_gpu).and_then(|name| self.link(name).ok());
        let link = named.or_else(default).map_or_else(|| self.link(&build.link).map_err(of_build), Ok)?;
        Ok(Machines { gpu, cpu, link })
    }

    /// AMD's GPU, where all are of one kind: which one OpenMP's default device is, the system does not say.
    fn only_amd(&self) -> Option<&GpuDevice> {
        let first = self.amd.first()?;
        self.amd.iter().all(|other| other == first).then_some(first)
    }

    /// The description of that name: of the user's folder, else built in; or that of a file.
    fn gpu(&self, name: &str) -> Result<Gpu, LoadError> {
        let own = self.entries.iter().find_map(|entry| match entry {
            Device::Gpu(gpu) if is_named(entry, name) => Some((**gpu).clone()),
            _ => None,
        });
        own.map_or_else(|| Gpu::find(name), Ok)
    }

    fn cpu(&self, name: &str) -> Result<Cpu, LoadError> {
        let own = self.entries.iter().find_map(|entry| match entry {
            Device::Cpu(cpu) if is_named(entry, name) => Some((**cpu).clone()),
            _ => None,
        });
        own.map_or_else(|| Cpu::find(name), Ok)
    }

    fn link(&self, name: &str) -> Result<Link, LoadError> {
        let own = self.entries.iter().find_map(|entry| match entry {
            Device::Link(link) if is_named(entry, name) => Some((**link).clone()),
            _ => None,
        });
        own.map_or_else(|| Link::find(name), Ok)
    }
}

/// Whether an entry has that name, or is of the product that a system calls so.
fn is_named(entry: &Device, name: &str) -> bool {
    entry.name() == name || entry.product() == name || entry.aliases().iter().any(|alias| alias == name)
}

/// The descriptions of a folder, by the files' names.
fn read_folder(folder: &Path, problems: &mut Vec<String>) -> Vec<Device> {
    let files = match std::fs::read_dir(folder) {
        Ok(files) => files,
        Err(error) => {
            problems.push(format!("IPDA_HWDB={}: {error}", folder.display()));
            return Vec::new();
        }
    };
    let is_description = |path: &PathBuf| path.extension().is_some_and(|end| end == "yaml" || end == "yml");
    let mut paths: Vec<PathBuf> =
        files.filter_map(|file| Some(file.ok()?.path())).filter(is_description).take(MAX_ENTRIES).collect();
    paths.sort();
    let mut entries = Vec::new();
    let mut broken = Vec::new();
    for path in paths {
        match Device::load(&path) {
            Ok(entry) => entries.push(entry),
            Err(errors) => broken.extend(errors.into_iter().next()),
        }
    }
    if let Some(first) = broken.first() {
        let more = match broken.len() - 1 {
            0 => String::new(),
            count => format!("; {count} more of the folder cannot be used either"),
        };
        problems.push(format!("IPDA_HWDB: {first}{more}"));
    }
    entries
}

#[cfg(test)]
mod tests;
