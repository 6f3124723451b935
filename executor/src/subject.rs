//! A module as it is examined: what the plugin reports of it, what its kernels take, and the form that runs.

use crate::arguments::{ArgumentError, Description, Prepared, PreparedArray};
use crate::interpreter::{self, Fault, Launch, Observer, Outcome};
use crate::load::{self, LoadError, LoadOptions};
use crate::memory::{self, Memory};
use crate::predict;
use crate::program::{Kernel, Program, Site};
use crate::source_types::{self, Origin, Parameter, SourceType};
use inkwell::context::Context;
use inkwell::module::Module;
use ipda::dependences::{RegionDependences, UnitKind};
use ipda_hwdb::Gpu;
use ipda_models::report::{MemoryKind, Report};
use ipda_symbolic::{Banks, MemoryGeometry};
use std::path::Path;
use thiserror::Error;

/// A module that has been read and prepared.
#[derive(Debug)]
pub struct Subject {
    /// What runs.
    pub program: Program,
    /// What the plugin says of the module.
    pub report: Report,
    /// The parameters of each kernel, without the hidden first one of a region.
    pub parameters: Vec<Vec<Parameter>>,
    /// The module's variables.
    globals: Vec<Parameter>,
}

/// Why a kernel could not be run to its end.
#[derive(Debug, Error)]
pub enum RunError {
    /// The description does not fit the kernel.
    #[error(transparent)]
    Arguments(#[from] ArgumentError),
    /// The launch ended early.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// What happened could not be written down.
    #[error("cannot write the records: {0}")]
    Records(std::io::Error),
}

/// A launch that came to its end.
#[derive(Debug)]
pub struct Run {
    /// What memory holds now.
    pub memory: Memory,
    /// What was in it that the description names.
    pub arrays: Vec<PreparedArray>,
    /// Races, printed text, work.
    pub outcome: Outcome,
}

impl Subject {
    /// Reads a module from a file. `gpu` is the device that predictions are made for.
    pub fn load(path: &Path, options: &LoadOptions, gpu: Option<&Gpu>) -> Result<Subject, LoadError> {
        Subject::read(path, options, |module| ipda::report(module, gpu))
    }

    /// As [`Subject::load`], with a report that says nothing.
    pub fn without_predictions(path: &Path, options: &LoadOptions, gpu: Option<&Gpu>) -> Result<Subject, LoadError> {
        Subject::read(path, options, |module| ipda::empty_report(module, gpu))
    }

    /// As [`Subject::without_predictions`], beside what the plugin says of the module's dependences. Where it has no kernels, its functions are
    /// run as such.
    pub fn with_dependences(
        path: &Path,
        options: &LoadOptions,
    ) -> Result<(Subject, Vec<RegionDependences>), LoadError> {
        let context = Context::create();
        let module = load::read_any(&context, path)?;
        let found = ipda::dependences(&module);
        if found.iter().all(|region| region.kind == UnitKind::Function) {
            load::make_kernels(&module);
        }
        let report = ipda::empty_report(&module, None);
        Ok((Subject::of(&module, path, options, report)?, found))
    }

    fn read(
        path: &Path,
        options: &LoadOptions,
        predict: impl FnOnce(&Module<'_>) -> Report,
    ) -> Result<Subject, LoadError> {
        let context = Context::create();
        let module = load::read(&context, path)?;
        // Before the runtime's functions are added: the plugin never sees them.
        let report = predict(&module);
        Subject::of(&module, path, options, report)
    }

    fn of(module: &Module<'_>, path: &Path, options: &LoadOptions, report: Report) -> Result<Subject, LoadError> {
        memory::keep_freed();
        let globals = source_types::globals(module);
        let types = |kernel: &Kernel| {
            module
                .get_function(&kernel.name)
                .map(|function| {
                    let origin = if kernel.is_region { Origin::Region } else { Origin::Function };
                    source_types::parameters(module, function, origin)
                })
                .unwrap_or_default()
        };
        let program = load::prepare(module, options)?;
        if report.hardware.warp_lanes != program.lanes() {
            return Err(LoadError::OtherWarp {
                gpu: report.hardware.name,
                predicted: report.hardware.warp_lanes,
                path: path.to_owned(),
                real: program.lanes(),
            });
        }
        let parameters = program.kernels().iter().map(types).collect();
        Ok(Subject { program, report, parameters, globals })
    }

    /// The sizes that transactions are counted with.
    pub fn geometry(&self) -> MemoryGeometry {
        let hardware = &self.report.hardware;
        MemoryGeometry {
            lanes: hardware.warp_lanes,
            sector_bytes: hardware.sector_bytes.into(),
            line_bytes: hardware.line_bytes.into(),
        }
    }

    /// The banks of the memory that a team shares.
    pub fn banks(&self) -> Banks {
        let hardware = &self.report.hardware;
        Banks { count: hardware.banks, word_bytes: hardware.bank_bytes }
    }

    /// The kernels that a name means: a name of the module, or a function of the source, with `:LINE` for one directive of it. All of them
    /// if no name is given.
    pub fn kernels(&self, name: Option<&str>) -> Vec<usize> {
        let is_meant = |kernel: &Kernel| match name {
            None => true,
            Some(name) => {
                name == kernel.name
                    || name == kernel.source_function
                    || name == format!("{}:{}", kernel.source_function, kernel.line)
            }
        };
        let kernels = self.program.kernels();
        (0..kernels.len()).filter(|&index| is_meant(&kernels[index])).collect()
    }

    /// Arguments in a new memory.
    pub fn memory(&self, kernel: usize, description: &Description) -> Result<(Memory, Prepared), ArgumentError> {
        self.memory_for(&self.parameters[kernel], description)
    }

    fn memory_for(
        &self,
        parameters: &[Parameter],
        description: &Description,
    ) -> Result<(Memory, Prepared), ArgumentError> {
        let mut memory = Memory::default();
        interpreter::load_variables(&self.program, &mut memory);
        let mut prepared = description.prepare(parameters, &mut memory)?;
        let globals = description.prepare_globals(&self.globals, &mut memory)?;
        for (name, contents) in globals.contents {
            if let Some(buffer) = memory.variable(&name) {
                let bytes = memory.contents_mut(buffer);
                let len = contents.len().min(bytes.len());
                bytes[..len].copy_from_slice(&contents[..len]);
            }
        }
        prepared.arrays.extend(globals.arrays);
        prepared.arrays.extend(self.globals.iter().filter_map(|global| {
            let name = global.name.clone()?;
            // The runtime's own state is no result.
            let is_result = !["__omp", "_openmp", "omp", "_ZN4ompx", "_ZN12_GLOBAL", "_gomp", "__llvm"]
                .iter()
                .any(|prefix| name.starts_with(prefix));
            let buffer = memory.variable(&name).filter(|_| is_result)?;
            Some(PreparedArray { name, buffer, element: global.ty.clone()? })
        }));
        Ok((memory, prepared))
    }

    /// Runs a kernel on arguments of its own.
    pub fn run(
        &self,
        kernel: usize,
        description: &Description,
        launch: &Launch,
        observer: Option<&mut (dyn Observer + '_)>,
    ) -> Result<Run, RunError> {
        let (memory, prepared) = self.memory(kernel, description)?;
        self.run_on(kernel, memory, prepared, launch, observer)
    }

    /// Runs a kernel on what it takes out of `parameters`, which hold its own: two kernels that are run with the same ones find the same
    /// memory, in whatever order each takes its own.
    pub fn run_among(
        &self,
        kernel: usize,
        parameters: &[Parameter],
        description: &Description,
        launch: &Launch,
    ) -> Result<Run, RunError> {
        let (memory, mut prepared) = self.memory_for(parameters, description)?;
        let own = &self.parameters[kernel];
        let place = |index: usize| {
            let earlier = own[..index].iter().filter(|other| **other == own[index]).count();
            let mut equal = (0..parameters.len()).filter(|&at| parameters[at] == own[index]);
            equal.nth(earlier).expect("the kernel's own parameters are among them")
        };
        prepared.values = (0..own.len()).map(|index| prepared.values[place(index)]).collect();
        self.run_on(kernel, memory, prepared, launch, None)
    }

    /// Runs a kernel on a memory that [`Subject::memory`] has made.
    pub fn run_on(
        &self,
        kernel: usize,
        mut memory: Memory,
        prepared: Prepared,
        launch: &Launch,
        observer: Option<&mut (dyn Observer + '_)>,
    ) -> Result<Run, RunError> {
        let code = &self.program.kernels()[kernel];
        let outcome = interpreter::launch(&self.program, code, &prepared.values, &mut memory, launch, observer)?;
        Ok(Run { memory, arrays: prepared.arrays, outcome })
    }

    /// The values of a kernel's scalars, by name, as predictions ask for them.
    pub fn symbols(&self, kernel: usize, description: &Description) -> Result<Vec<(String, i128)>, ArgumentError> {
        let (_, prepared) = self.memory(kernel, description)?;
        let value = |(parameter, &word): (&Parameter, &u64)| {
            let name = parameter.name.clone()?;
            let number = match *parameter.ty.as_ref()? {
                SourceType::Integer { bits, signed: true } => {
                    let unused = 64 - bits.clamp(1, 64);
                    i128::from(((word << unused) as i64) >> unused)
                }
                SourceType::Integer { bits, signed: false } => {
                    i128::from(if bits >= 64 { word } else { word & ((1 << bits) - 1) })
                }
                _ => return None,
            };
            Some((name, number))
        };
        Ok(self.parameters[kernel].iter().zip(&prepared.values).filter_map(value).collect())
    }

    /// How the report would name an access of the program, in a kernel; none for those that are not the user's.
    pub fn key(&self, kernel: usize, site: &Site, memory: MemoryKind, bytes: u64) -> Option<predict::SiteKey> {
        if site.is_runtime {
            return None;
        }
        Some(predict::SiteKey {
            kernel: self.region(kernel),
            kind: site.kind,
            memory,
            bytes,
            location: site.place.first().cloned(),
            called_from: site.place.get(1..).unwrap_or_default().to_vec(),
        })
    }

    /// A kernel as the report names its region.
    pub fn region(&self, kernel: usize) -> predict::Kernel {
        let kernel = &self.program.kernels()[kernel];
        predict::Kernel { function: kernel.source_function.clone(), line: kernel.line }
    }
}
