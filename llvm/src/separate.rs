//! A module of its own, beside the one that is compiled.

use crate::ffi;
use inkwell::context::{AsContextRef, Context};
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use llvm_sys::core::LLVMContextSetDiagnosticHandler;
use llvm_sys::prelude::LLVMDiagnosticInfoRef;
use std::ffi::c_void;
use std::path::Path;

/// Does some work with the module that a file holds, bitcode or text. None where the file is not there, or is not one that this LLVM reads;
/// nothing is reported.
pub fn with_module<R>(file: &Path, work: impl FnOnce(&Module<'_>) -> R) -> Option<R> {
    extern "C" fn say_nothing(_: LLVMDiagnosticInfoRef, _: *mut c_void) {}
    let context = Context::create();
    // LLVM's own handler writes to standard error, and ends the process where a file is broken.
    // SAFETY: the context is alive, and the handler needs no state.
    unsafe { LLVMContextSetDiagnosticHandler((&context).as_ctx_ref(), Some(say_nothing), std::ptr::null_mut()) };
    let bytes = MemoryBuffer::create_from_file(file).ok()?;
    let module = context.create_module_from_ir(bytes).ok()?;
    module.verify().ok()?;
    Some(work(&module))
}

/// The same with the variables of the module's functions in registers where they can be.
pub fn with_registers<R>(file: &Path, work: impl FnOnce(&Module<'_>) -> R) -> Option<R> {
    with_module(file, |module| {
        // SAFETY: the module is valid, and nobody else knows its functions.
        unsafe { ffi::ipda_promote_all(module.as_mut_ptr()) };
        work(module)
    })
}
