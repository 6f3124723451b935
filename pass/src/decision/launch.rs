//! The code that decides, before a launch.
//!
//! ```text
//! if __tgt_target_kernel(..) fails: host version
//! chosen = decide(region, policy, arguments)
//! if chosen is the host, or __tgt_target_kernel(..) fails: host version
//! ```

use super::support::Support;
use super::{Eligible, teams};
use inkwell::module::Module;
use ipda_llvm::{Code, DataLayout, Type, Value, append_block, constant, integer};
use ipda_models::table::Region;
use ipda_symbolic::Signedness;
use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE};
use llvm_sys::LLVMOpcode;
use std::mem::offset_of;

/// What a launch that was made returns.
const LAUNCHED: &str = "0";
/// What a launch that failed returns: its caller runs the host's version.
const FAILED: &str = "1";
/// Bits of what was decided from the one on where the number of another device begins.
const DEVICE: &str = "8";
/// Words of what a launch knows of itself until it ends: `struct ipda_ticket` of `support/decide.c`.
const TICKET: usize = 8;
/// Bytes from the start of the launch's structure to the pointer to the entries' values.
const BASE_POINTERS: u64 = 8;

/// A region that may run on the host.
pub(crate) struct Offered {
    /// The region for people.
    pub title: String,
    pub eligibility: Eligible,
    /// The entry of the launch's arrays for each captured variable.
    pub carriers: Vec<u32>,
    /// Its host version.
    pub host: Value,
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
        let word = Type::int(module, 32);
        let title = string(module, &format!("__ipda_name_{kernel}"), &offered.title);
        let entries: Vec<Value> =
            offered.eligibility.entries.iter().map(|&entry| Value::int_of(word, entry.into())).collect();
        let count = entries.len() as u64;
        let entries = Value::array_of(word, &entries);
        let entries = Value::private_constant(module, &format!("__ipda_entries_{kernel}"), entries);
        let ty = support.region;
        let mut fields: Vec<Value> = (0..ty.field_count()).map(|field| Value::null_of(ty.field(field))).collect();
        let layout = DataLayout::of(module);
        let mut set = |offset: usize, value: Value| fields[layout.field_at(ty, offset)] = value;
        set(offset_of!(Region, name), title);
        set(offset_of!(Region, entries), entries);
        set(offset_of!(Region, entry_count), Value::int_of(word, count));
        set(offset_of!(Region, has_teams), Value::int_of(word, teams::has_teams(offered.host).into()));
        let region = Value::private_constant(module, &region_name(kernel), Value::structure(ty, &fields));
        region.may_change();
        region.has_own_address();
        // What is not known yet is put in after optimisation, which must not believe that it stays as it is.
        region.begins_otherwise();
        Choice { support, offered, region }
    }

    /// Writes a function that stands for the runtime's launch and decides: `launch` writes the launch itself, with arguments, at the end of a
    /// block, and gives its result and where the code goes on.
    pub(crate) fn write(self, function: Value, launch: impl FnOnce(Code, &[Value]) -> (Value, Code)) {
        let [start, read, ready, consider, host, here, failed, device, tell, end] =
            [(); 10].map(|()| append_block(function));
        let params = function.params();
        let (asked, arguments) = (params[1], params[params.len() - 1]);
        let word = integer(function, 32);
        let [none, on_device, has_ticket] = ["0", "1", "2"].map(|number| constant(word, number));

        let code = Code::at_end(start);
        let ticket = code.alloca(integer(function, 64).array(TICKET));
        let first = code.load(word, self.support.policy);
        first.set_relaxed();
        code.branch_if(code.compare(LLVMIntEQ, first, none), read, ready);

        let code = Code::at_end(read);
        let now = code.call(self.support.read_policy, &[]);
        code.branch(ready);

        let code = Code::at_end(ready);
        let policy = code.phi(word, &[(first, start), (now, read)]);
        code.branch_if(code.compare(LLVMIntEQ, policy, on_device), device, consider);

        let code = Code::at_end(consider);
        let chosen = code.call(self.support.decide, &[self.region, policy, asked, arguments, ticket]);
        let has =
            |code: &Code, chosen, bit| code.compare(LLVMIntNE, code.binary(LLVMOpcode::LLVMAnd, chosen, bit), none);
        let bit = |code: &Code, bit| has(code, chosen, bit);
        code.branch_if(bit(&code, on_device), host, device);

        // Where nobody wants to know of the end, the caller runs the host's version.
        let code = Code::at_end(host);
        code.branch_if(bit(&code, has_ticket), here, failed);
        Code::at_end(failed).return_value(constant(word, FAILED));

        let code = Code::at_end(here);
        self.run_on_host(&code, arguments);
        code.call(self.support.end, &[self.region, ticket, constant(word, LAUNCHED)]);
        code.return_value(constant(word, LAUNCHED));

        let code = Code::at_end(device);
        let chosen = code.phi(word, &[(none, ready), (chosen, consider)]);
        // The library may name another device than the default one.
        let other = code.binary(LLVMOpcode::LLVMLShr, chosen, constant(word, DEVICE));
        let number = code.binary(LLVMOpcode::LLVMSub, other, on_device);
        let is_usual = code.compare(LLVMIntEQ, other, none);
        let mut with = params;
        with[1] = code.select(is_usual, asked, code.resize(number, asked.ty(), Signedness::Unsigned));
        let (result, code) = launch(code, &with);
        code.branch_if(has(&code, chosen, has_ticket), tell, end);

        let code = Code::at_end(tell);
        code.call(self.support.end, &[self.region, ticket, result]);
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
        call.add_call_attribute("noinline");
        ["noinline", "optnone"].into_iter().for_each(|name| call.block().function().add_attribute(name));
    }
}

/// What a launch prints behind its predicted times: the guesses that they rest on.
pub(super) fn granted(guesses: &[String]) -> Option<String> {
    (!guesses.is_empty()).then(|| format!(", if {}", guesses.join(" and ")))
}

/// A constant text with a 0 behind it.
pub(super) fn string(module: &Module<'_>, name: &str, text: &str) -> Value {
    Value::private_constant(module, name, Value::text(module, text))
}
