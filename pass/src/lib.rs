//! `libipda.so`: an LLVM 19 pass plugin that finds OpenMP target regions and tells how their memory accesses coalesce.
//!
//! The way of the data: `outline` finds the regions, `flatten` makes one function of each, `nest` decodes what OpenMP
//! makes of the loops, `lower` turns addresses into algebra, `analyse` asks `ipda-symbolic` for strides and
//! transactions, and `emit` tells people by remarks, by a report file, and as text for tests. [`report`] does the same for a
//! program that has a module in its hands; `ir` and `cfg` are public for the executor alone.
//!
//! `unsafe` is where LLVM is: in the view of its IR (`ir`, `ffi`, `host_llvm`), where code is made or changed (`transform`, `decision`, `launch_plan`,
//! `finished`), and in the calls of the shim in `driver`, `remark` and this file. A panic never crosses into C++.

mod analyse;
mod budget;
mod calls;
#[doc(hidden)]
pub mod cfg;
mod comparison;
mod decision;
pub mod dependences;
mod driver;
mod emit;
mod facts;
mod ffi;
mod finished;
mod flatten;
mod host_llvm;
#[doc(hidden)]
pub mod ir;
mod launch_plan;
mod lower;
mod machines;
mod maps;
mod names;
mod nest;
mod omp;
mod outline;
mod print;
mod reject;
mod remark;
mod trace;
mod transform;
mod writes;

#[doc(hidden)]
pub use budget::limit_steps;
pub use driver::{dependences, dependences_with_times, empty_report, fuse_loops, give_back_nests, report};
pub use outline::{DeviceKernel, device_kernels};

use driver::{Kind, Pipeline, Print};
use ffi::{SessionRef, Str};
use llvm_sys::prelude::LLVMModuleRef;
use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// `llvm::PassPluginLibraryInfo`.
#[repr(C)]
pub struct PassPluginLibraryInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: extern "C" fn(pass_builder: *mut c_void),
}

/// What LLVM asks a pass plugin for.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PassPluginLibraryInfo {
    const LLVM_PLUGIN_API_VERSION: u32 = 1;
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    PassPluginLibraryInfo {
        api_version: LLVM_PLUGIN_API_VERSION,
        name: c"ipda".as_ptr(),
        version: VERSION.as_ptr().cast(),
        register,
    }
}

extern "C" fn register(pass_builder: *mut c_void) {
    match host_llvm::check() {
        // SAFETY: LLVM passes its PassBuilder, and it is the LLVM that the shim was compiled for.
        Ok(()) => unsafe { ffi::ipda_register_callbacks(pass_builder) },
        Err(sentence) => eprintln!("ipda: {sentence}"),
    }
}

/// Called by the shim for each module that a pipeline runs the plugin on.
///
/// # Safety
/// The arguments are valid for the time of the call; `kind` is an `IpdaRunKind`.
#[unsafe(no_mangle)]
unsafe extern "C" fn ipda_run(session: SessionRef, module: LLVMModuleRef, kind: u32, parameters: Str) -> bool {
    let result = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: by the caller's promise.
        let parameters = unsafe { parameters.to_string() };
        let kind = match kind {
            0 => Kind::Start(Pipeline::Whole),
            6 => Kind::Start(Pipeline::Alone),
            1 => Kind::Last,
            2 => Kind::Print(Print::Analysis),
            3 => Kind::Print(Print::Graph),
            5 => Kind::Print(Print::Model),
            7 => Kind::Print(Print::Table),
            _ => Kind::Print(Print::Dot),
        };
        // SAFETY: by the caller's promise, and `borrow` is dropped before the call ends.
        unsafe { driver::run(session, module, kind, &parameters) }
    }));
    if result.is_err() {
        let text = "internal error: nothing is told of this file; please report this with the source file";
        // SAFETY: the module is valid.
        unsafe { ffi::ipda_warn(module, Str::new(text)) };
    }
    result.unwrap_or(true)
}

/// Tells the user what is wrong with pass parameters, if anything is.
///
/// # Safety
/// The string is valid for the time of the call.
#[unsafe(no_mangle)]
unsafe extern "C" fn ipda_check_parameters(parameters: Str) -> bool {
    // SAFETY: by the caller's promise.
    let parameters = unsafe { parameters.to_string() };
    let problems = ipda_models::options::parameter_problems(&parameters);
    for problem in &problems {
        eprintln!("ipda: {problem}");
    }
    problems.is_empty()
}
