//! An entry of any kind, for those who list and check them.

use std::path::Path;

use crate::entry::{Entry, builtin, builtin_of, check_kind, is_path, load, located, parse, parse_tree, read_file};
use crate::error::LoadError;
use crate::value::Parameter;
use crate::{Cpu, Gpu, Link};

/// An entry of any kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Device {
    /// A GPU.
    Gpu(Box<Gpu>),
    /// A CPU.
    Cpu(Box<Cpu>),
    /// A link between host and device.
    Link(Box<Link>),
}

/// Does the same with each kind.
macro_rules! each {
    ($device:expr, $entry:ident => $answer:expr) => {
        match $device {
            Device::Gpu($entry) => $answer,
            Device::Cpu($entry) => $answer,
            Device::Link($entry) => $answer,
        }
    };
}

impl Device {
    /// All built-in entries: GPUs, CPUs, links, each by name.
    pub fn builtins() -> Vec<Device> {
        let gpus = crate::names().filter_map(|name| Gpu::builtin(name).ok()).map(|gpu| Device::Gpu(Box::new(gpu)));
        let cpus = crate::cpu_names().filter_map(|name| Cpu::builtin(name).ok()).map(|cpu| Device::Cpu(Box::new(cpu)));
        let links =
            crate::link_names().filter_map(|name| Link::builtin(name).ok()).map(|link| Device::Link(Box::new(link)));
        gpus.chain(cpus).chain(links).collect()
    }

    /// The entry in a file where this is the path of a YAML file, else the built-in one of that name or alias.
    ///
    /// # Errors
    /// Everything that is wrong with the file, or that there is no such name.
    pub fn find(name_or_path: &str) -> Result<Device, Vec<LoadError>> {
        if is_path(name_or_path) {
            return Device::load(name_or_path);
        }
        let one = |error| vec![error];
        if builtin_of::<Gpu>(name_or_path).is_ok() {
            Gpu::builtin(name_or_path).map(|gpu| Device::Gpu(Box::new(gpu))).map_err(one)
        } else if builtin_of::<Cpu>(name_or_path).is_ok() {
            Cpu::builtin(name_or_path).map(|cpu| Device::Cpu(Box::new(cpu))).map_err(one)
        } else if builtin_of::<Link>(name_or_path).is_ok() {
            Link::builtin(name_or_path).map(|link| Device::Link(Box::new(link))).map_err(one)
        } else {
            let valid = crate::names().chain(crate::cpu_names()).chain(crate::link_names()).collect();
            Err(vec![LoadError::UnknownName { kind: "device", name: name_or_path.to_owned(), valid }])
        }
    }

    /// The entry in the file at `path`, of the kind that it says it is.
    ///
    /// # Errors
    /// Everything that is wrong with the file.
    pub fn load(path: impl AsRef<Path>) -> Result<Device, Vec<LoadError>> {
        let path = path.as_ref();
        let text = read_file(path).map_err(|error| vec![error])?;
        Device::parse(&text, path)
    }

    /// The entry that a file's text describes; `path` is what errors call the file.
    ///
    /// # Errors
    /// Everything that is wrong with the text.
    pub fn parse(text: &str, path: &Path) -> Result<Device, Vec<LoadError>> {
        let tree = parse_tree(text, path).map_err(|error| vec![error])?;
        let mut problems = Vec::new();
        match check_kind(&tree, &[Gpu::KIND, Cpu::KIND, Link::KIND], &mut problems) {
            Some(kind) if kind == Gpu::KIND => parse(text, path).map(|gpu| Device::Gpu(Box::new(gpu))),
            Some(kind) if kind == Cpu::KIND => parse(text, path).map(|cpu| Device::Cpu(Box::new(cpu))),
            Some(_) => parse(text, path).map(|link| Device::Link(Box::new(link))),
            None => Err(located(problems, path, text)),
        }
    }

    /// `gpu`, `cpu` or `link`.
    pub fn kind(&self) -> &'static str {
        match self {
            Device::Gpu(_) => Gpu::KIND,
            Device::Cpu(_) => Cpu::KIND,
            Device::Link(_) => Link::KIND,
        }
    }

    /// The entry's name.
    pub fn name(&self) -> &str {
        each!(self, entry => entry.name())
    }

    /// Its other names.
    pub fn aliases(&self) -> &[String] {
        each!(self, entry => &entry.aliases)
    }

    /// The product's name.
    pub fn product(&self) -> &str {
        each!(self, entry => &entry.product)
    }

    /// Every value that the entry has or lacks, in the order of the schema.
    pub fn parameters(&self) -> Vec<Parameter> {
        each!(self, entry => entry.parameters())
    }
}

macro_rules! entry_interface {
    ($name:ident, $word:literal) => {
        impl $name {
            #[doc = concat!("The built-in ", $word, " of that name or alias.")]
            ///
            /// # Errors
            /// [`LoadError::UnknownName`] for any other name.
            pub fn builtin(name: &str) -> Result<$name, LoadError> {
                builtin(name)
            }

            /// Reads the description in the file at `path`, which may build on a built-in one.
            ///
            /// # Errors
            /// If the file cannot be read or is not a hardware description; the first thing that is wrong with it.
            pub fn load(path: impl AsRef<Path>) -> Result<$name, LoadError> {
                load(path.as_ref())
            }

            /// The one in a file where this is the path of a YAML file, else the built-in one of that name.
            ///
            /// # Errors
            /// Those of the two.
            pub fn find(name_or_path: &str) -> Result<$name, LoadError> {
                if is_path(name_or_path) { Self::load(name_or_path) } else { Self::builtin(name_or_path) }
            }

            /// Every value that the entry has or lacks, in the order of the schema.
            pub fn parameters(&self) -> Vec<Parameter> {
                Entry::parameters(self)
            }
        }
    };
}
entry_interface!(Gpu, "GPU");
entry_interface!(Cpu, "CPU");
entry_interface!(Link, "link");
