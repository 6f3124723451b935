//! Finds the target regions and kernels of a module.

use crate::openmp::{self, Call, KernelEnvironment, KernelName};
use inkwell::attributes::AttributeLoc;
use inkwell::module::Module;
use inkwell::values::FunctionValue;
use ipda_llvm::{Annotation, Value, demangle, nvvm_annotations};
use ipda_models::options::{Options, Transform, VersionRequest};
use ipda_models::report::RegionKind;
use std::fmt;
use std::num::NonZeroUsize;

/// A target region or kernel as the module holds it, before anything is known about its content.
pub(crate) struct TargetRegion {
    pub kind: RegionKind,
    pub name: KernelName,
    /// The kernel's name in the module, or what it was before the host version was inlined.
    pub symbol: String,
    /// The kernel (device) or the host version's entry: a function, or the call that starts its code where the function was inlined.
    pub entry: Value,
    /// The mode that the kernel's environment names; none on the host side.
    pub environment: Option<KernelEnvironment>,
    /// Threads of a team in x, y and z, where the code fixes them.
    pub extents: [Option<u32>; 3],
}

/// Which mapping of a region's loops the program's author wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MappingRequest<'a> {
    /// What has this number: what is made by default, if anything is, then the other mappings that are legal, by predicted times.
    Number(NonZeroUsize),
    /// The first of these whose recipe has this name.
    Kind(&'static str),
    /// The one that a text means.
    Named(&'a str),
}

impl MappingRequest<'_> {
    /// Whether it names digits of iteration numbers, or what runs in a thread.
    pub(crate) fn is_of_digits(self) -> bool {
        match self {
            MappingRequest::Named(text) => text.contains(['/', '%', '|']),
            MappingRequest::Number(_) | MappingRequest::Kind(_) => false,
        }
    }
}

impl fmt::Display for TargetRegion {
    /// Its function and line in the source.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.function(), self.name.line)
    }
}

impl TargetRegion {
    /// The function that the region is in now.
    pub(crate) fn holder(&self) -> Value {
        if self.entry.is_call() { self.entry.block().function() } else { self.entry }
    }

    /// Whether its directive asks for one team, by a number that the device's code knows.
    pub(crate) fn has_one_team(&self) -> bool {
        self.holder().text_attribute("omp_target_num_teams").as_deref() == Some("1")
    }

    /// The function in the source.
    pub(crate) fn function(&self) -> String {
        demangle(&self.name.function)
    }

    /// What the options say of its loops.
    pub(crate) fn transform(&self, options: &Options) -> Transform {
        match self.version(options) {
            Some(VersionRequest::AsWritten) if self.named_mapping(options).is_none() => Transform::Off,
            _ => *options.transform.of_region(&self.function(), self.name.line),
        }
    }

    /// The mapping that the program's author wants of its loops.
    pub(crate) fn mapping<'a>(&self, options: &'a Options) -> Option<MappingRequest<'a>> {
        let numbered = || match self.version(options)? {
            VersionRequest::Number(number) => Some(MappingRequest::Number(number)),
            VersionRequest::Named(name) => Some(MappingRequest::Kind(name)),
            VersionRequest::AsWritten => None,
        };
        self.named_mapping(options).map(MappingRequest::Named).or_else(numbered)
    }

    fn named_mapping<'a>(&self, options: &'a Options) -> Option<&'a str> {
        options.mapping.of_region(&self.function(), self.name.line).as_deref()
    }

    fn version(&self, options: &Options) -> Option<VersionRequest> {
        *options.version.of_region(&self.function(), self.name.line)
    }

    /// What tells regions of one line apart, the same on both sides. Kernels stay in the module's order: without debug information their
    /// lines are not known.
    fn order(&self) -> &str {
        match self.kind {
            RegionKind::Target => &self.name.function,
            RegionKind::Kernel => "",
        }
    }
}

/// All target regions and kernels of a module, in source order.
pub(crate) fn find(module: &Module<'_>) -> Vec<TargetRegion> {
    let kernels = Kernels::of(module);
    let mut regions: Vec<TargetRegion> = module
        .get_functions()
        .filter(|function| function.count_basic_blocks() > 0)
        .filter_map(|function| {
            let symbol = function.get_name().to_str().ok()?;
            let entry = Value::of(&function);
            let (kind, name) = kernels.name(entry, symbol)?;
            let environment = module.get_global(&format!("{symbol}_kernel_environment"));
            let environment = environment.and_then(|global| KernelEnvironment::of_global(Value::of(&global)));
            let extents = match kind {
                RegionKind::Target => [None, Some(1), Some(1)],
                RegionKind::Kernel => kernels.extents(entry),
            };
            Some(TargetRegion { kind, name, symbol: symbol.into(), entry, environment, extents })
        })
        .collect();
    regions.extend(inlined(module));
    regions.sort_by(|a, b| (a.name.line, a.name.count, a.order()).cmp(&(b.name.line, b.name.count, b.order())));
    regions
}

/// All functions that the module defines, each as if it were a region.
pub(crate) fn functions(module: &Module<'_>) -> Vec<TargetRegion> {
    let defined = module.get_functions().filter(|function| function.count_basic_blocks() > 0);
    let region = |function: FunctionValue<'_>| {
        let (symbol, entry) = (function.get_name().to_string_lossy().into_owned(), Value::of(&function));
        let line = entry.function_location().map_or(0, |location| location.line);
        let name = KernelName { function: symbol.clone(), line, count: 0 };
        TargetRegion { kind: RegionKind::Kernel, name, symbol, entry, environment: None, extents: [None; 3] }
    };
    defined.map(region).collect()
}

/// Host versions that were inlined where they are called: what is left of them is the call that starts their outlined code.
fn inlined(module: &Module<'_>) -> Vec<TargetRegion> {
    let starts = ["__kmpc_fork_teams", "__kmpc_fork_call"].into_iter().filter_map(|name| module.get_function(name));
    let calls = starts.flat_map(|function| Value::of(&function).users()).filter(|user| user.is_call());
    let mut regions: Vec<TargetRegion> = Vec::new();
    for call in calls {
        let Ok(Call::Outlined(outlined)) = openmp::decode(call) else { continue };
        let body = outlined.body.name();
        let Some(symbol) = body.strip_suffix(".omp_outlined") else { continue };
        let symbol = symbol.strip_suffix("_debug__").unwrap_or(symbol);
        let Some(name) = KernelName::parse(symbol) else { continue };
        // In the host version itself, and in what it starts, the function is still there.
        let is_there = module.get_function(symbol).is_some_and(|function| function.count_basic_blocks() > 0);
        let is_own = call.block().function().name().starts_with(symbol);
        if !is_there && !is_own && !regions.iter().any(|region| region.symbol == symbol) {
            regions.push(TargetRegion {
                kind: RegionKind::Target,
                name,
                symbol: symbol.into(),
                entry: call,
                environment: None,
                extents: [None, Some(1), Some(1)],
            });
        }
    }
    regions
}

/// Whether a device module has anything that the host can launch.
pub(crate) fn has_kernels(module: &Module<'_>) -> bool {
    let kernels = Kernels::of(module);
    module.get_functions().any(|function| {
        function.get_name().to_str().is_ok_and(|symbol| kernels.name(Value::of(&function), symbol).is_some())
    })
}

/// The processor that a device module's kernels are compiled for.
pub(crate) fn processor(module: &Module<'_>) -> Option<String> {
    let kernels = Kernels::of(module);
    let is_kernel = |function: &FunctionValue<'_>| {
        function.get_name().to_str().is_ok_and(|symbol| kernels.name(Value::of(function), symbol).is_some())
    };
    let kernel = module.get_functions().find(is_kernel)?;
    let processor = kernel.get_string_attribute(AttributeLoc::Function, "target-cpu")?;
    Some(processor.get_string_value().to_string_lossy().into_owned())
}

/// The functions of a device module that the host can launch.
pub(crate) struct Kernels {
    annotations: Vec<Annotation>,
}

impl Kernels {
    pub(crate) fn of(module: &Module<'_>) -> Kernels {
        Kernels { annotations: nvvm_annotations(module) }
    }

    /// What people know a function by, if it is a target region or a kernel.
    pub(crate) fn name(&self, function: Value, symbol: &str) -> Option<(RegionKind, KernelName)> {
        if let Some(name) = KernelName::parse(symbol) {
            return Some((RegionKind::Target, name));
        }
        let is_annotated = self.annotation(function, "kernel") == Some(1);
        if !is_annotated && !function.is_gpu_kernel() {
            return None;
        }
        let line = function.function_location().map_or(0, |location| location.line);
        Some((RegionKind::Kernel, KernelName { function: symbol.into(), line, count: 0 }))
    }

    fn annotation(&self, function: Value, key: &str) -> Option<i64> {
        let found = self.annotations.iter().find(|annotation| annotation.function == function && annotation.key == key);
        found.map(|annotation| annotation.value)
    }

    /// Threads of a team in x, y and z, where the kernel requires them.
    fn extents(&self, kernel: Value) -> [Option<u32>; 3] {
        let required = kernel.required_team_shape();
        let mut axis = 0;
        ["reqntidx", "reqntidy", "reqntidz"].map(|key| {
            axis += 1;
            let annotated = self.annotation(kernel, key).and_then(|extent| u32::try_from(extent).ok());
            annotated.or(required[axis - 1])
        })
    }
}

/// A function of a device module that the host can launch.
#[derive(Debug, Clone)]
pub struct DeviceKernel {
    /// What it is in the source.
    pub kind: RegionKind,
    /// Its name in the module.
    pub symbol: String,
    /// The function in the source, as reports name it.
    pub function: String,
    /// The directive's line, or the function's.
    pub line: u32,
    /// Threads of a team in x, y and z, where the code fixes them.
    pub required_threads: [Option<u32>; 3],
    /// The most threads of a team, where an annotation of the kernel limits them.
    pub max_threads: Option<u32>,
}

/// The functions of a device module that the host can launch, in source order.
pub fn device_kernels(module: &Module<'_>) -> Vec<DeviceKernel> {
    let kernels = Kernels::of(module);
    let describe = |region: TargetRegion| {
        let limits = ["maxntidx", "maxntidy", "maxntidz"].map(|key| kernels.annotation(region.entry, key));
        let product = limits.iter().flatten().map(|&limit| u32::try_from(limit).unwrap_or(u32::MAX));
        let most = limits.iter().any(Option::is_some).then(|| product.fold(1, u32::saturating_mul));
        let required = if region.kind == RegionKind::Kernel { region.extents } else { [None; 3] };
        DeviceKernel {
            kind: region.kind,
            symbol: region.symbol.clone(),
            function: demangle(&region.name.function),
            line: region.name.line,
            required_threads: required,
            max_threads: most.filter(|_| region.kind == RegionKind::Kernel),
        }
    };
    find(module).into_iter().map(describe).collect()
}
