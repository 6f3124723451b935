//! A view of LLVM 19: small copyable handles over its C interface and a shim in C++ for what that lacks, copies of functions for analysis,
//! their control flow, a builder of code that will run, machine code, and the plugin's place in a pipeline.
//!
//! Invariant: a handle is used only while the function that holds its value exists, and each function here only with values of the kind that it
//! says, such as a call or a load: LLVM tests neither where it is built without assertions. The plugin works on copies of functions ([`FunctionCopy`])
//! that live until the end of a region's analysis, the executor keeps the module that it walks through, and LLVM is single-threaded here.
//!
//! This crate is the plugin's only one with `unsafe` in it.

mod attributes;
mod cfg;
mod code;
mod constants;
mod copy;
mod diagnostics;
mod facts;
mod ffi;
mod loaded;
mod machine_code;
mod marks;
mod module;
mod plugin;
mod separate;
mod session;
mod source;
mod value;

pub use cfg::{BlockId, Cfg, NaturalLoop};
pub use code::{
    Code, Returned, add_incoming, add_without_sign, append_block, comes_from, compare_without_sign, constant,
    forget_promises, function, integer, lead_to,
};
pub use constants::{append_assembly, global, retain};
pub use copy::{FunctionCopy, NoAlias, Place, SourceType, Variable, Write};
pub use diagnostics::{Audience, RemarkKind, remark, remarks_are_enabled, warn};
pub use facts::{AliasDomain, AliasScope, Claims};
pub use llvm_sys::{
    LLVMIntPredicate as IntPredicate, LLVMOpcode as Opcode, LLVMRealPredicate as RealPredicate,
    LLVMTypeKind as TypeKind,
};
pub use machine_code::{MachineLoop, machine_loops};
pub use marks::{LoopProperties, forget_loop_numbers, part_choices};
pub use module::{Annotation, DeclarationGuard, Nameless, nvvm_annotations};
pub use plugin::{Plugin, PluginInfo, Print, Run};
pub use separate::{with_module, with_registers};
pub use session::Session;
pub use source::{called_from, demangle};
pub use value::{
    Block, Builder, CodePlace, DataLayout, MemoryEffects, Operation, OrderOfUpdates, Type, Value, types_differ,
};

use value::some;
