//! The code that decides, in front of a launch.

use super::Permit;
use crate::ir::{Block, Value};
use crate::transform::build::{Code, append_block, constant, integer};
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE};
use llvm_sys::core::*;
use llvm_sys::{LLVMAtomicOrdering, LLVMLinkage, LLVMUnnamedAddr};
use std::ffi::CString;

/// What all launches of a program have in common.
const SUPPORT: &str = include_str!("support.ll");

/// What a launch that failed returns: its caller runs the host's version.
const FAILED: &str = "1";

/// The functions and variables that launches share.
#[derive(Clone, Copy)]
pub(crate) struct Support {
    policy: Value,
    read_policy: Value,
    choose: Value,
    region: llvm_sys::prelude::LLVMTypeRef,
}

impl Support {
    /// Links them into a module, where they are not there yet.
    pub(crate) fn link(module: &Module<'_>) -> Result<Support, String> {
        let context = module.get_context();
        // What nobody uses yet is not taken over when modules are linked.
        let text = SUPPORT.replace("linkonce_odr hidden", "weak_odr hidden");
        let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "ipda support");
        let support = context.create_module_from_ir(buffer).map_err(|error| error.to_string())?;
        support.set_triple(&module.get_triple());
        support.set_data_layout(&module.get_data_layout());
        module.link_in_module(support).map_err(|error| error.to_string())?;
        let function = |name: &str| module.get_function(name).map(|function| Value::of(&function));
        let policy = module.get_global("__ipda_policy").map(|global| Value::of(&global));
        let region = module.get_struct_type("ipda.region").map(|ty| inkwell::types::AsTypeRef::as_type_ref(&ty));
        let found = (|| {
            Some(Support {
                policy: policy?,
                read_policy: function("__ipda_read_policy")?,
                choose: function("__ipda_choose")?,
                region: region?,
            })
        })();
        found.ok_or_else(|| "the decision's code is not in the module".into())
    }
}

/// The decision for one region.
#[derive(Clone, Copy)]
pub(crate) struct Choice {
    support: Support,
    /// What the decision knows of the region when the program runs.
    region: Value,
}

impl Choice {
    pub(crate) fn new(module: &Module<'_>, support: Support, kernel: &str, title: &str, permit: &Permit) -> Choice {
        // SAFETY: the module and what is made here are alive.
        unsafe {
            let raw = module.as_mut_ptr();
            let context = LLVMGetModuleContext(raw);
            let word = LLVMInt32TypeInContext(context);
            let wide = LLVMInt64TypeInContext(context);
            let pointer = LLVMPointerTypeInContext(context, 0);
            let constant = |initializer, name: &str| {
                let name = CString::new(name).unwrap_or_default();
                let global = LLVMAddGlobal(raw, LLVMTypeOf(initializer), name.as_ptr());
                LLVMSetInitializer(global, initializer);
                LLVMSetLinkage(global, LLVMLinkage::LLVMPrivateLinkage);
                LLVMSetGlobalConstant(global, 1);
                LLVMSetUnnamedAddress(global, LLVMUnnamedAddr::LLVMGlobalUnnamedAddr);
                global
            };
            let title = LLVMConstStringInContext2(context, title.as_ptr().cast(), title.len(), 0);
            let title = constant(title, &format!("__ipda_name_{kernel}"));
            let mut entries: Vec<_> = permit.entries.iter().map(|&entry| LLVMConstInt(word, entry.into(), 0)).collect();
            let count = entries.len() as u64;
            let entries = LLVMConstArray2(word, entries.as_mut_ptr(), count);
            let entries = constant(entries, &format!("__ipda_entries_{kernel}"));
            let (none, zero) = (LLVMConstNull(pointer), LLVMConstNull(wide));
            let mut fields = [title, none, zero, zero, entries, LLVMConstInt(word, count, 0), LLVMConstInt(word, 0, 0)];
            let fields = LLVMConstNamedStruct(support.region, fields.as_mut_ptr(), fields.len() as u32);
            let region = constant(fields, &format!("__ipda_region_{kernel}"));
            LLVMSetGlobalConstant(region, 0);
            LLVMSetUnnamedAddress(region, LLVMUnnamedAddr::LLVMNoUnnamedAddr);
            Choice { support, region: Value::from_raw(region) }
        }
    }

    /// Writes the decision into an empty function that stands for the runtime's launch: the block from which the launch goes on.
    pub(crate) fn write(self, function: Value) -> Block {
        let [start, read, ready, consider, host, device] = [(); 6].map(|()| append_block(function));
        let params = function.params();
        let (asked, arguments) = (params[1], params[params.len() - 1]);
        let word = integer(function, 32);
        let [none, on_device] = ["0", "1"].map(|number| constant(word, number));

        let code = Code::at_end(start);
        let first = code.load(word, self.support.policy);
        // SAFETY: it is a load of a number of 4 bytes.
        unsafe {
            LLVMSetOrdering(first.raw(), LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic);
            LLVMSetAlignment(first.raw(), 4);
        }
        code.branch_if(code.compare(LLVMIntEQ, first, none), read, ready);

        let code = Code::at_end(read);
        let now = code.call(self.support.read_policy, &[]);
        code.branch(ready);

        let code = Code::at_end(ready);
        let policy = code.phi(word, &[(first, start), (now, read)]);
        code.branch_if(code.compare(LLVMIntEQ, policy, on_device), device, consider);

        let code = Code::at_end(consider);
        let [on_host, on_that_device] = self.predictions(function);
        let chosen = code.call(self.support.choose, &[self.region, policy, asked, arguments, on_host, on_that_device]);
        code.branch_if(code.compare(LLVMIntNE, chosen, none), host, device);

        Code::at_end(host).return_value(constant(word, FAILED));
        device
    }

    /// How long the host and the device take.
    fn predictions(self, function: Value) -> [Value; 2] {
        // SAFETY: the function is alive.
        let unknown = unsafe {
            let real = LLVMDoubleTypeInContext(LLVMGetTypeContext(LLVMTypeOf(function.raw())));
            Value::from_raw(LLVMConstReal(real, f64::NAN))
        };
        [unknown; 2]
    }
}
