//! The plugin's place in LLVM's pipelines.

use crate::ffi::{self, Callbacks, Str};
use crate::{Session, loaded, warn};
use inkwell::module::Module;
use llvm_sys::prelude::LLVMModuleRef;
use std::ffi::{c_char, c_void};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// `llvm::PassPluginLibraryInfo`.
#[repr(C)]
pub struct PluginInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: extern "C" fn(pass_builder: *mut c_void),
}

/// What a plugin does. A fault in it becomes a warning: a panic never crosses into C++. What it has changed by then stays, so whoever changes code
/// leaves it valid at each step.
#[derive(Clone, Copy)]
pub struct Plugin {
    /// Runs on a module; whether it changed it. The parameters are those of `-passes='ipda<..>'`.
    pub run: fn(Session, &Module<'_>, Run, &str) -> bool,
    /// Tells the user what is wrong with pass parameters, if anything is; whether all is well.
    pub check_parameters: fn(&str) -> bool,
}

/// Why a plugin runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Run {
    /// At the start of clang's pipeline, in which it runs again.
    Start,
    /// Where that pipeline begins to simplify, after LLVM's own optimisation of OpenMP.
    Early,
    /// At the end of clang's optimisation pipeline.
    Last,
    /// Alone, as `-passes=ipda`.
    Alone,
    /// As `-passes='print<..>'`.
    Print(Print),
}

/// What is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Print {
    /// As `-passes='print<ipda>'`.
    Analysis,
    /// As `-passes='print<ipda-model>'`: what became of the code.
    Model,
    /// As `-passes='print<ipda-table>'`: what a launch decides by.
    Table,
    /// As `-passes='print<ipda-ddg>'`: the dependences.
    Graph,
    /// As `-passes='print<ipda-ddg-dot>'`: the same for Graphviz.
    Dot,
}

impl Run {
    fn decode(kind: u32) -> Run {
        match kind {
            0 => Run::Start,
            1 => Run::Last,
            2 => Run::Print(Print::Analysis),
            3 => Run::Print(Print::Graph),
            4 => Run::Print(Print::Dot),
            5 => Run::Print(Print::Model),
            6 => Run::Alone,
            7 => Run::Print(Print::Table),
            8 => Run::Early,
            _ => unreachable!("the shim has no other kinds"),
        }
    }
}

static PLUGIN: OnceLock<Plugin> = OnceLock::new();

impl Plugin {
    /// What `llvmGetPassPluginInfo` of the plugin returns, which is named `ipda`. The text ends with a null character.
    pub fn info(self, version: &'static str) -> PluginInfo {
        const LLVM_PLUGIN_API_VERSION: u32 = 1;
        assert!(version.ends_with('\0'), "LLVM reads a C string");
        // Whoever asks twice asks the same plugin.
        let _ = PLUGIN.set(self);
        PluginInfo {
            api_version: LLVM_PLUGIN_API_VERSION,
            name: c"ipda".as_ptr(),
            version: version.as_ptr().cast(),
            register,
        }
    }
}

extern "C" fn register(pass_builder: *mut c_void) {
    match loaded::check() {
        // SAFETY: LLVM passes its PassBuilder, and it is the LLVM that the shim was compiled for.
        Ok(()) => unsafe { ffi::ipda_register_callbacks(pass_builder, Callbacks { run, check_parameters }) },
        Err(sentence) => eprintln!("ipda: {sentence}"),
    }
}

/// Called by the shim for each module that a pipeline runs the plugin on. The arguments are valid for the time of the call.
extern "C" fn run(session: ffi::SessionRef, module: LLVMModuleRef, kind: u32, parameters: Str) -> bool {
    let Some(plugin) = PLUGIN.get() else { return false };
    // SAFETY: the module is valid; LLVM keeps owning it.
    let module = ManuallyDrop::new(unsafe { Module::new(module) });
    let result = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the string lives during the call.
        let parameters = unsafe { parameters.to_string() };
        (plugin.run)(Session(session), &module, Run::decode(kind), &parameters)
    }));
    if result.is_err() {
        warn(&module, "internal error: nothing is reported about this file; please report this with the source file");
    }
    result.unwrap_or(true)
}

/// Called by the shim for the parameters of a pass. The string is valid for the time of the call.
extern "C" fn check_parameters(parameters: Str) -> bool {
    let Some(plugin) = PLUGIN.get() else { return false };
    // SAFETY: the string lives during the call.
    let parameters = unsafe { parameters.to_string() };
    catch_unwind(|| (plugin.check_parameters)(&parameters)).unwrap_or(false)
}
