//! Reads a device module and makes it complete: clang leaves the device runtime's functions as declarations where only the device side is
//! compiled.

use crate::llvm;
use crate::program::Program;
use crate::translate::translate;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::targets::TargetTriple;
use inkwell::values::BasicValue;
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a module cannot be run.
#[derive(Debug, Error)]
pub enum LoadError {
    /// No such file, or not readable.
    #[error("cannot read {path}: {reason}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// Neither bitcode nor LLVM's text.
    #[error("{path} is no LLVM 19 module: {reason}")]
    NotAModule {
        /// The file.
        path: PathBuf,
        /// LLVM's reason.
        reason: String,
    },
    /// A module for something else.
    #[error(
        "{path} is for {triple}, not for a GPU: compile with `clang -fopenmp --offload-arch=sm_90 --offload-device-only -emit-llvm -c`"
    )]
    NotForADevice {
        /// The file.
        path: PathBuf,
        /// Its target.
        triple: String,
    },
    /// The module calls the device runtime, which is not in it.
    #[error(
        "the module calls the OpenMP device runtime, and {wanted} is not there: install libomp-19-dev, or name the file with --device-runtime"
    )]
    NoRuntime {
        /// Where it was looked for.
        wanted: PathBuf,
    },
    /// Predictions for a device with other warps.
    #[error(
        "{gpu} has warps of {predicted} threads, {path} is for warps of {real}: leave --gpu out, or name a GPU of this kind"
    )]
    OtherWarp {
        /// The device that was named.
        gpu: String,
        /// Its lanes.
        predicted: u32,
        /// The module.
        path: PathBuf,
        /// The lanes of its target.
        real: u32,
    },
    /// LLVM refuses a step.
    #[error("{0}")]
    Llvm(String),
}

/// What is done to a module before it runs.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// The device runtime's bitcode; by default that of the installed LLVM for the module's processor.
    pub device_runtime: Option<PathBuf>,
}

/// Reads bitcode or LLVM's text, for whatever target.
pub fn read_any<'a>(context: &'a Context, path: &Path) -> Result<Module<'a>, LoadError> {
    let unreadable = |reason: String| LoadError::Unreadable { path: path.to_owned(), reason };
    let bytes = std::fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    parse(context, &bytes, path)
}

/// Reads a device's module.
pub fn read<'a>(context: &'a Context, path: &Path) -> Result<Module<'a>, LoadError> {
    let module = read_any(context, path)?;
    let triple = module.get_triple().as_str().to_string_lossy().into_owned();
    if triple.is_empty() {
        let reason = "it names no target; make one with clang's --offload-device-only -emit-llvm -c".to_owned();
        return Err(LoadError::NotAModule { path: path.to_owned(), reason });
    }
    if !triple.starts_with("nvptx64") && !triple.starts_with("amdgcn") {
        return Err(LoadError::NotForADevice { path: path.to_owned(), triple });
    }
    Ok(module)
}

/// Makes kernels of the functions that no other one mentions, so that they can be run.
pub fn make_kernels(module: &Module<'_>) {
    const PTX_KERNEL: u32 = 71;
    let triple = module.get_triple();
    let triple = triple.as_str().to_bytes();
    if !triple.starts_with(b"nvptx64") && !triple.starts_with(b"amdgcn") {
        module.set_triple(&TargetTriple::create("nvptx64-nvidia-cuda"));
    }
    let defined = module.get_functions().filter(|function| function.count_basic_blocks() > 0);
    for function in defined.filter(|function| function.as_global_value().as_pointer_value().get_first_use().is_none()) {
        function.set_call_conventions(PTX_KERNEL);
    }
}

fn parse<'a>(context: &'a Context, bytes: &[u8], path: &Path) -> Result<Module<'a>, LoadError> {
    let name = path.to_string_lossy();
    // LLVM wants a zero byte behind the contents, which the copy has.
    let buffer = MemoryBuffer::create_from_memory_range_copy(bytes, &name);
    let bad = |error: inkwell::support::LLVMString| LoadError::NotAModule {
        path: path.to_owned(),
        reason: error.to_string().lines().next().unwrap_or_default().to_owned(),
    };
    if bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(&[0xde, 0xc0, 0x17, 0x0b]) {
        Module::parse_bitcode_from_buffer(&buffer, context).map_err(bad)
    } else {
        context.create_module_from_ir(buffer).map_err(bad)
    }
}

/// Completes a module and makes it ready to run. The module is changed: it gets the runtime's functions, and variables in memory become
/// values where that changes nothing that can be seen.
pub fn prepare(module: &Module<'_>, options: &LoadOptions) -> Result<Program, LoadError> {
    let path = options.device_runtime.clone().unwrap_or_else(|| runtime_path(module));
    // Also where the runtime is in the module already, its own file says which functions are its.
    let runtime = match std::fs::read(&path) {
        Ok(bytes) => Some(parse_in_context_of(module, &bytes, &path)?),
        Err(_) => None,
    };
    let library = runtime.as_ref().map(defined_functions).unwrap_or_default();
    // Accesses of helpers are distinguished by the calls that lead to them.
    llvm::inline_helpers(module, &library).map_err(LoadError::Llvm)?;
    if needs_runtime(module) {
        let runtime = runtime.ok_or(LoadError::NoRuntime { wanted: path })?;
        llvm::link(module, runtime).map_err(LoadError::Llvm)?;
    }
    llvm::run_passes(module, "function(sroa<modify-cfg>)").map_err(LoadError::Llvm)?;
    Ok(translate(module, &library))
}

fn parse_in_context_of<'a>(module: &Module<'a>, bytes: &[u8], path: &Path) -> Result<Module<'a>, LoadError> {
    let context = module.get_context();
    let buffer = MemoryBuffer::create_from_memory_range_copy(bytes, &path.to_string_lossy());
    Module::parse_bitcode_from_buffer(&buffer, context)
        .map_err(|error| LoadError::NotAModule { path: path.to_owned(), reason: error.to_string() })
}

fn defined_functions(module: &Module<'_>) -> FxHashSet<String> {
    module
        .get_functions()
        .filter(|function| function.count_basic_blocks() > 0)
        .map(|function| function.get_name().to_string_lossy().into_owned())
        .collect()
}

/// Whether functions of the runtime are declared and not defined.
fn needs_runtime(module: &Module<'_>) -> bool {
    module.get_functions().any(|function| {
        let name = function.get_name().to_bytes();
        function.count_basic_blocks() == 0 && (name.starts_with(b"__kmpc_") || name.starts_with(b"omp_"))
    })
}

/// The installed runtime for the processor that the module's kernels name.
fn runtime_path(module: &Module<'_>) -> PathBuf {
    let prefix = std::env::var_os("LLVM_SYS_191_PREFIX").map_or_else(|| "/usr/lib/llvm-19".into(), PathBuf::from);
    let is_amd = module.get_triple().as_str().to_bytes().starts_with(b"amdgcn");
    let processor = module
        .get_functions()
        .filter_map(|function| function.get_string_attribute(inkwell::attributes::AttributeLoc::Function, "target-cpu"))
        .map(|attribute| attribute.get_string_value().to_string_lossy().into_owned())
        .next()
        .unwrap_or_else(|| if is_amd { "gfx90a".into() } else { "sm_90".into() });
    let vendor = if is_amd { "amdgpu" } else { "nvptx" };
    prefix.join("lib").join(format!("libomptarget-{vendor}-{processor}.bc"))
}
