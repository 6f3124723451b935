//! The code that decides, in front of a launch.

use super::{Permit, calm, teams};
use crate::ir::{Type, Value};
use crate::transform::build::{Code, append_block, constant, double, integer};
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE};
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};
use llvm_sys::{LLVMAtomicOrdering, LLVMLinkage, LLVMOpcode, LLVMUnnamedAddr};
use std::ffi::CString;

/// What all launches of a program have in common.
const SUPPORT: &str = include_str!("support.ll");

/// What a launch that was made returns.
const LAUNCHED: &str = "0";
/// What a launch that failed returns: its caller runs the host's version.
const FAILED: &str = "1";
/// Bits of what was decided from the one on where the number of another device begins.
const DEVICE: &str = "8";
/// Bytes from the start of the launch's structure to the pointer to the entries' values.
const BASE_POINTERS: u64 = 8;

/// A region that may run on the host.
pub(crate) struct Offered {
    /// The region for people.
    pub title: String,
    pub permit: Permit,
    /// The entry of the launch's arrays for each captured variable.
    pub carriers: Vec<u32>,
    /// Its host version.
    pub host: Value,
}

/// The functions and variables that launches share.
#[derive(Clone, Copy)]
pub(crate) struct Support {
    policy: Value,
    read_policy: Value,
    decide: Value,
    end: Value,
    region: LLVMTypeRef,
}

impl Support {
    /// Links them into a module, where they are not there yet.
    pub(crate) fn link(module: &Module<'_>) -> Result<Support, String> {
        let context = module.get_context();
        // What nobody uses yet is not taken over when modules are linked.
        let calm = calm::of_target(&module.get_triple().as_str().to_string_lossy());
        let text = SUPPORT.replace("linkonce_odr hidden", "weak_odr hidden") + calm.declarations;
        let places = [("\n;room\n", calm.room), ("\n;before\n", calm.before), ("\n;after\n", calm.after)];
        let text = places.iter().fold(text, |text, (place, code)| text.replace(place, code));
        let (text, version) = versioned(&text);
        let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "ipda support");
        let support = context.create_module_from_ir(buffer).map_err(|error| error.to_string())?;
        support.set_triple(&module.get_triple());
        support.set_data_layout(&module.get_data_layout());
        module.link_in_module(support).map_err(|error| error.to_string())?;
        let function = |name: &str| module.get_function(&(name.to_owned() + &version)).map(|found| Value::of(&found));
        let policy = module.get_global(&format!("__ipda_policy{version}")).map(|global| Value::of(&global));
        let region = module.get_struct_type("ipda.region").map(|ty| inkwell::types::AsTypeRef::as_type_ref(&ty));
        let found = (|| {
            Some(Support {
                policy: policy?,
                read_policy: function("__ipda_read_policy")?,
                decide: function("__ipda_decide")?,
                end: function("__ipda_end")?,
                region: region?,
            })
        })();
        found.ok_or_else(|| "the decision's code is not in the module".into())
    }
}

/// The code with a version in the names of all that a linker takes one of, and that version: objects that plugins of several versions have made call
/// each other's code only where it is the same.
fn versioned(text: &str) -> (String, String) {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let version = format!(".{hash:016x}");
    let is_shared = |line: &&str| line.contains(" weak_odr hidden ");
    let name = |line: &'_ str| {
        let name = line.split_once('@').map_or("", |(_, rest)| rest);
        name.split([' ', '(']).next().unwrap_or_default().to_owned()
    };
    let names = text.lines().filter(is_shared).map(name).filter(|name| !name.is_empty());
    let text = names.fold(text.to_owned(), |text, name| {
        [' ', '(', ')', ',', '\n']
            .iter()
            .fold(text, |text, end| text.replace(&format!("@{name}{end}"), &format!("@{name}{version}{end}")))
    });
    (text, version)
}

/// What a region's global variable is called.
pub(super) fn region_name(kernel: &str) -> String {
    format!("__ipda_region_{kernel}")
}

/// The decision for one region.
#[derive(Clone, Copy)]
pub(crate) struct Choice<'a> {
    support: Support,
    offered: &'a Offered,
    /// What the decision knows of the region when the program runs.
    region: Value,
}

impl<'a> Choice<'a> {
    pub(crate) fn new(module: &Module<'_>, support: Support, kernel: &str, offered: &'a Offered) -> Choice<'a> {
        // SAFETY: the module and what is made here are alive.
        unsafe {
            let context = LLVMGetModuleContext(module.as_mut_ptr());
            let word = LLVMInt32TypeInContext(context);
            let title = string(module, &format!("__ipda_name_{kernel}"), &offered.title);
            let entries = &offered.permit.entries;
            let mut entries: Vec<_> = entries.iter().map(|&entry| LLVMConstInt(word, entry.into(), 0)).collect();
            let count = entries.len() as u64;
            let entries = LLVMConstArray2(word, entries.as_mut_ptr(), count);
            let entries = private_constant(module, &format!("__ipda_entries_{kernel}"), entries);
            let mut fields: Vec<LLVMValueRef> = (0..LLVMCountStructElementTypes(support.region))
                .map(|field| LLVMConstNull(LLVMStructGetTypeAtIndex(support.region, field)))
                .collect();
            fields[field::NAME] = title;
            fields[field::ENTRIES] = entries;
            fields[field::ENTRY_COUNT] = LLVMConstInt(word, count, 0);
            fields[field::HAS_TEAMS] = LLVMConstInt(word, teams::has_teams(offered.host).into(), 0);
            let fields = LLVMConstNamedStruct(support.region, fields.as_mut_ptr(), fields.len() as u32);
            let region = private_constant(module, &region_name(kernel), fields);
            LLVMSetGlobalConstant(region, 0);
            LLVMSetUnnamedAddress(region, LLVMUnnamedAddr::LLVMNoUnnamedAddr);
            // What is not known yet is put in behind the optimiser, which must not believe that it stays as it is.
            LLVMSetExternallyInitialized(region, 1);
            Choice { support, offered, region: Value::from_raw(region) }
        }
    }

    /// Writes a function that stands for the runtime's launch and decides: `launch` writes the launch itself, with arguments, at the end of a
    /// block, and gives its result.
    pub(crate) fn write(self, function: Value, launch: impl FnOnce(&Code, &[Value]) -> Value) {
        let [start, read, ready, consider, host, here, failed, device, tell, end] =
            [(); 10].map(|()| append_block(function));
        let params = function.params();
        let (asked, arguments) = (params[1], params[params.len() - 1]);
        let word = integer(function, 32);
        let [none, on_device, is_timed] = ["0", "1", "2"].map(|number| constant(word, number));

        let code = Code::at_end(start);
        // SAFETY: the type is that of the values.
        let values = unsafe { LLVMArrayType2(double(function).raw(), self.offered.carriers.len().max(1) as u64) };
        // SAFETY: as above.
        let values = code.alloca(unsafe { Type::from_raw(values) });
        let token_at = code.alloca(integer(function, 64));
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
        let chosen = code.call(self.support.decide, &[self.region, policy, asked, arguments, values, token_at]);
        let has =
            |code: &Code, chosen, bit| code.compare(LLVMIntNE, code.binary(LLVMOpcode::LLVMAnd, chosen, bit), none);
        let bit = |code: &Code, bit| has(code, chosen, bit);
        code.branch_if(bit(&code, on_device), host, device);

        // Where nobody asks for the time, the caller runs the host's version.
        let code = Code::at_end(host);
        code.branch_if(bit(&code, is_timed), here, failed);
        Code::at_end(failed).return_value(constant(word, FAILED));

        let code = Code::at_end(here);
        self.run_on_host(&code, arguments);
        code.call(self.support.end, &[self.region, code.load(integer(function, 64), token_at)]);
        code.return_value(constant(word, LAUNCHED));

        let code = Code::at_end(device);
        let chosen = code.phi(word, &[(none, ready), (chosen, consider)]);
        // The library may name another device than the default one.
        let other = code.binary(LLVMOpcode::LLVMLShr, chosen, constant(word, DEVICE));
        let number = code.binary(LLVMOpcode::LLVMSub, other, on_device);
        let is_usual = code.compare(LLVMIntEQ, other, none);
        let mut with = params;
        with[1] = code.select(is_usual, asked, code.resize(number, asked.ty(), false));
        let result = launch(&code, &with);
        code.branch_if(has(&code, chosen, is_timed), tell, end);

        let code = Code::at_end(tell);
        code.call(self.support.end, &[self.region, code.load(integer(function, 64), token_at)]);
        code.branch(end);

        Code::at_end(end).return_value(result);
    }

    /// Calls the host's version with what the launch carries.
    fn run_on_host(self, code: &Code, arguments: Value) {
        let host = self.offered.host;
        let entries = code.load(arguments.ty(), code.element(integer(arguments, 8), arguments, BASE_POINTERS));
        let carried = |(param, entry): (Value, &u32)| {
            let at = code.element(arguments.ty(), entries, (*entry).into());
            code.load(param.ty(), at)
        };
        let carried: Vec<Value> = host.params().into_iter().zip(&self.offered.carriers).map(carried).collect();
        let call = code.call(host, &carried);
        // What it consists of has places in the source, and the function here has none: neither may become a part of another one. What is
        // done here is not worth an optimiser's time.
        // SAFETY: a call that was made here, and the function around it.
        unsafe {
            let attribute = |name: &str| {
                let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
                LLVMCreateEnumAttribute(LLVMGetTypeContext(LLVMTypeOf(host.raw())), kind, 0)
            };
            const FUNCTION: u32 = llvm_sys::LLVMAttributeFunctionIndex;
            LLVMAddCallSiteAttribute(call.raw(), FUNCTION, attribute("noinline"));
            for name in ["noinline", "optnone"] {
                LLVMAddAttributeAtIndex(call.block().function().raw(), FUNCTION, attribute(name));
            }
        }
    }
}

/// The fields of `%ipda.region`.
pub(super) mod field {
    pub(in super::super) const NAME: usize = 0;
    pub(in super::super) const ENTRIES: usize = 4;
    pub(in super::super) const ENTRY_COUNT: usize = 5;
    pub(in super::super) const TABLE: usize = 7;
    pub(in super::super) const TABLE_LENGTH: usize = 8;
    pub(in super::super) const PREPARED: usize = 9;
    pub(in super::super) const PREPARED_COUNT: usize = 10;
    pub(in super::super) const PREDICT: usize = 14;
    pub(in super::super) const VALUE_NAMES: usize = 15;
    pub(in super::super) const VALUE_COUNT: usize = 16;
    pub(in super::super) const HAS_TEAMS: usize = 17;
    pub(in super::super) const GRANTED: usize = 18;
}

/// A constant of a module that nobody else sees.
pub(super) fn private_constant(module: &Module<'_>, name: &str, initializer: LLVMValueRef) -> LLVMValueRef {
    let name = CString::new(name).unwrap_or_default();
    // SAFETY: the module and the constant of its context are alive.
    unsafe {
        let global = LLVMAddGlobal(module.as_mut_ptr(), LLVMTypeOf(initializer), name.as_ptr());
        LLVMSetInitializer(global, initializer);
        LLVMSetLinkage(global, LLVMLinkage::LLVMPrivateLinkage);
        LLVMSetGlobalConstant(global, 1);
        LLVMSetUnnamedAddress(global, LLVMUnnamedAddr::LLVMGlobalUnnamedAddr);
        global
    }
}

/// What a launch is told beside its predicted times: the iterations of loops that nobody knows.
pub(super) fn granted(notes: &[String]) -> Option<String> {
    let guess = |note: &String| note.split_once(" times: ").map(|(guess, _)| format!("{guess} times"));
    let guesses: Vec<String> = notes.iter().filter(|note| note.starts_with("loop ")).filter_map(guess).collect();
    (!guesses.is_empty()).then(|| format!(", if {}", guesses.join(" and ")))
}

/// A constant text with a 0 behind it.
pub(super) fn string(module: &Module<'_>, name: &str, text: &str) -> LLVMValueRef {
    // SAFETY: the module is alive, and the text lives during the call.
    let text = unsafe {
        LLVMConstStringInContext2(LLVMGetModuleContext(module.as_mut_ptr()), text.as_ptr().cast(), text.len(), 0)
    };
    private_constant(module, name, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkwell::context::Context;
    use inkwell::targets::TargetTriple;

    #[test]
    fn what_launches_share_is_valid_for_each_target() {
        for target in ["x86_64-pc-linux-gnu", "aarch64-linux-gnu", "powerpc64le-linux-gnu", "riscv64-linux-gnu"] {
            let context = Context::create();
            let module = context.create_module("test");
            module.set_triple(&TargetTriple::create(target));
            let support = Support::link(&module).map_err(|error| format!("{target}: {error}"));
            assert!(support.is_ok(), "{:?}", support.err());
            assert_eq!(module.verify(), Ok(()), "{target}");
        }
    }
}
